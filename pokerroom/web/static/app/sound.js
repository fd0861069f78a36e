/** Two short tones: your turn, and a win. They are synthesized, so no sound file is needed. */

import { room } from "./room.js";
import { settings } from "./settings.js";

const TURN_HZ = [660, 880];
const WIN_HZ = [523, 659, 784];
const TONE_S = 0.11;
/** The loudest volume: a quiet hint. */
const GAIN_MAX = 0.12;

let context = null;

/** Play tones in a row at the chosen volume; silent before the first interaction, as browsers require. */
function play(tones) {
  const volume = settings.get("sounds") / 100;
  if (volume === 0 || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  tones.forEach((frequency, index) => {
    const at = context.currentTime + index * TONE_S;
    const tone = new OscillatorNode(context, { frequency });
    const gain = new GainNode(context, { gain: 0 });
    gain.gain.setValueAtTime(volume * GAIN_MAX, at);
    gain.gain.exponentialRampToValueAtTime(0.0001, at + TONE_S);
    tone.connect(gain).connect(context.destination);
    tone.start(at);
    tone.stop(at + TONE_S);
  });
}

export function startSounds() {
  room.addEventListener("happened", ({ detail: { event, model } }) => {
    if (model.muted) return;
    if ((event.type === "turn" || event.type === "decisions") && model.ownTurn) play(TURN_HZ);
    else if (event.type === "pot_awarded" && event.shares.some((share) => share.seat === model.snapshot.your_seat)) play(WIN_HZ);
    else if (event.type === "round_ended" && model.won > 0) play(WIN_HZ);
  });
}

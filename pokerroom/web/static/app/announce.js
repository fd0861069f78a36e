/** The dealer's announcements at a table of Ultimate Texas Hold'em, by the browser's speech synthesis.
 *
 * Only voices of the device are used: other voices would send the text to another host. Without one it stays silent.
 */

import { currentLanguage, t } from "./i18n.js";
import { room } from "./room.js";
import { settings } from "./settings.js";
import { sentence } from "./words.js";

export function startAnnouncing() {
  room.addEventListener("happened", ({ detail: { event, model } }) => {
    if (model.snapshot?.type !== "ultimate_snapshot" || model.yourBox === null || model.muted) return;
    const text = announcement(event, model);
    if (text) say(text);
  });
}

function announcement(event, model) {
  if (event.type === "light_changed") return t(`uth.light.${event.light}`);
  if (event.type === "decisions") return model.ownTurn && t("uth.decide");
  return event.type === "round_ended" ? sentence(event, model) : null;
}

function say(text) {
  const volume = settings.get("announcements") / 100;
  const voice = globalThis.speechSynthesis?.getVoices().find((each) => each.localService && each.lang.startsWith(currentLanguage()));
  if (volume === 0 || !voice) return;
  const spoken = new SpeechSynthesisUtterance(text);
  Object.assign(spoken, { voice, lang: voice.lang, volume });
  speechSynthesis.speak(spoken);
}

/** Replays of hands and rounds: those that this page has seen at a table, or other recordings. */

import { pictograms } from "./cards.js";
import { ask } from "./dialog.js";
import { download } from "./download.js";
import { amountsOf, t, time } from "./i18n.js";
import { notes } from "./notes.js";
import { handShareWindow } from "./on_demand.js";
import { Replayer, isRound, replayed } from "./replayer.js";
import { room } from "./room.js";
import { h } from "./view.js";
import { illustrated } from "./words.js";

/** List the hands or rounds of a table; the player chooses one to replay. */
export const historyWindow = (model) => replayWindow(t(model.rounds ? "history.rounds" : "history.title", { table: model.info.name }), model.hands ?? model.rounds);

/** The same for other recordings; with `open` the first is shown at once. */
export function replayWindow(title, hands, open = false) {
  let again = () => {};
  const replaying = (hand) => new Replayer(hand, () => again(), 0, notes());
  const noted = () => again();
  room.addEventListener("change", noted);
  let replayer = open ? replaying(hands[0]) : null;
  const choose = (hand) => {
    replayer?.stop();
    replayer = hand && replaying(hand);
    again();
  };
  return ask(title, (_, refresh) => {
    again = refresh;
    if (hands.length === 0) return h("p", {}, t("history.none"));
    if (replayer === null) {
      return h("ul", { class: "hands" }, hands.map((hand) =>
        h("li", { key: hand.id }, h("button", { onclick: () => choose(hand) }, h("time", {}, time(hand.at)), " ", summary(hand)))));
    }
    const { hand } = replayer;
    return replayer.render(
      !open && h("button", { key: "back", onclick: () => choose(null) }, t("history.back")),
      isRecorded(hand) && room.has("hand_text") && h("button", { key: "download", onclick: () => download(hand.id) }, t("history.download")),
      isRecorded(hand) && room.has("hand_links") && h("button", { key: "share", onclick: () => handShareWindow(hand.id) }, t("replay.share")),
      h("a", { key: "link", class: "hint", href: linkTo(hand) }, hand.id));
  }, { wide: true, onKey: (event) => replayer?.key(event), onClosed: () => (room.removeEventListener("change", noted), replayer?.stop()) });
}

/** The address of a hand or a round; its players can open it. */
const linkTo = (hand) => `#${isRound(hand) ? "round" : "hand"}/${hand.id}`;

/** The room has a record of the hands that the player was dealt into. */
const isRecorded = (hand) => !isRound(hand) && hand.yours !== null;

function summary(hand) {
  const money = amountsOf(hand.start);
  if (isRound(hand)) {
    const { replay, last } = replayed(hand, hand.steps.length);
    const own = replay.result.boxes.find((box) => box.box === hand.yours);
    return [t("uth.round", { round: hand.id }), own?.cards && [" · ", pictograms(own.cards)], " — ", illustrated(last, replay)];
  }
  const awards = hand.steps.map(({ event }) => event).filter((event) => event.type === "pot_awarded");
  const won = awards.flatMap((event) => event.shares);
  const taken = awards.reduce((sum, event) => sum + (event.rake ?? 0), 0);
  const own = hand.steps.find(({ event }) => event.type === "hole_cards")?.event.cards;
  const names = new Map(hand.start.seats.map((seat) => [seat.seat, seat.name]));
  const winners = won.map((share) => `${names.get(share.seat) ?? share.seat} ${money(share.amount)}`).join(", ");
  return [own && [pictograms(own), " — "], winners, taken > 0 && ` · ${t("rake.taken", { amount: money(taken) })}`];
}

/** Replays of hands and rounds: those that this page has seen at a table, or other recordings. */

import { pictograms } from "./cards.js";
import { ask } from "./dialog.js";
import { download } from "./download.js";
import { felt } from "./felt.js";
import { houseFelt } from "./house_felt.js";
import { amountsOf, t, time } from "./i18n.js";
import { icon } from "./icons.js";
import { TableModel } from "./model.js";
import { room } from "./room.js";
import { UltimateModel } from "./ultimate_model.js";
import { h } from "./view.js";
import { illustrated } from "./words.js";

/** List the hands or rounds of a table; the player chooses one to replay. */
export const historyWindow = (model) => replayWindow(t(model.rounds ? "history.rounds" : "history.title", { table: model.info.name }), model.hands ?? model.rounds);

/** The same for other recordings; with `open` the first is shown at once. */
export function replayWindow(title, hands, open = false) {
  let chosen = open ? hands[0] : null;
  let step = 0;
  return ask(title, (_, refresh) => {
    if (hands.length === 0) return h("p", {}, t("history.none"));
    if (chosen === null) {
      return h("ul", { class: "hands" }, hands.map((hand) =>
        h("li", { key: hand.id }, h("button", { onclick: () => ((chosen = hand), (step = 0), refresh()) }, h("time", {}, time(hand.at)), " ", summary(hand)))));
    }
    const { replay, last } = replayed(chosen, step);
    const go = (to) => () => ((step = Math.max(0, Math.min(chosen.steps.length - 1, to))), refresh());
    const end = chosen.steps.length - 1;
    return [
      h("div", { class: isRound(chosen) ? "replay round" : "replay" }, picture(replay, chosen)),
      h("p", { class: "status", role: "status" }, illustrated(last, replay) ?? t("history.step", { step: step + 1, steps: end + 1 })),
      h("input", { key: "place", type: "range", min: 0, max: end, value: String(step), "aria-label": t("history.place"), "aria-valuetext": t("history.step", { step: step + 1, steps: end + 1 }), oninput: (event) => go(Number(event.target.value))() }),
      h("div", { class: "row" },
        !open && h("button", { onclick: () => ((chosen = null), refresh()) }, t("history.back")),
        h("button", { "aria-label": t("history.first"), disabled: step === 0, onclick: go(0) }, icon("first")),
        h("button", { "aria-label": t("history.previous"), disabled: step === 0, onclick: go(step - 1) }, icon("previous")),
        h("button", { class: "primary", "aria-label": t("history.next"), disabled: step === end, onclick: go(step + 1) }, icon("next")),
        h("button", { "aria-label": t("history.last"), disabled: step === end, onclick: go(end) }, icon("last")),
        canDownload(chosen) && h("button", { onclick: () => download(chosen.id) }, t("history.download")),
        h("a", { class: "hint", href: linkTo(chosen) }, chosen.id)),
    ];
  }, { wide: true });
}

/** The address of a hand or a round; its players can open it. */
const linkTo = (hand) => `#${isRound(hand) ? "round" : "hand"}/${hand.id}`;

/** The room writes the hands that the player was dealt into. */
const canDownload = (hand) => room.has("hand_text") && !isRound(hand) && hand.yours !== null;

const isRound = (hand) => hand.start.type === "ultimate_snapshot";

function picture(replay, { yours }) {
  if (replay instanceof UltimateModel) return houseFelt(replay);
  return felt({ snapshot: replay.snapshot, actions: replay.actions, result: replay.result, yours, portrait: innerWidth < 600, clock: false, onSeat: null });
}

/** The table after this many steps of a hand or round, as a model. */
export function replayed(hand, step) {
  const replay = isRound(hand) ? new UltimateModel("replay") : new TableModel("replay");
  replay.reset(isRound(hand) ? { ...hand.start, round: null, your_slip: null } : { ...hand.start, hand: null, your_seat: hand.yours });
  let last = null;
  for (const { event, after } of hand.steps.slice(0, step + 1)) {
    replay.take(event, after);
    last = event;
  }
  return { replay, last };
}

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

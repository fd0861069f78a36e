/** The replay of one hand or round: the felt, its steps, and what a player wants to know of each. The same for the hands of
 * a table, of the history, behind a link and in a file. It knows no dialog and no connection. */

import { contest, knownCards, opened, potOdds } from "./hand_facts.js";
import { felt } from "./felt.js";
import { houseFelt } from "./house_felt.js";
import { pictograms } from "./cards.js";
import { amountsOf, currentLanguage, t } from "./i18n.js";
import { icon } from "./icons.js";
import { TableModel } from "./model.js";
import { UltimateModel } from "./ultimate_model.js";
import { h } from "./view.js";
import { illustrated } from "./words.js";

/** How long a step stays at each speed, in milliseconds. */
const SPEEDS = { 0.5: 2_400, 1: 1_200, 2: 600, 4: 300 };
/** The page gets its turn after so many milliseconds of counting. */
const SLICE_MS = 10;

export const isRound = (hand) => hand.start.type === "ultimate_snapshot";

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

/** The text of a step, with cards as pictograms; null without one. A hand that is `told` has no "you". */
export function stepText(hand, { replay, last }) {
  if (last?.type === "hole_cards" && hand.told) return last.cards && [t("replay.cards_of", { name: replay.seatName(hand.yours) }), " ", pictograms(last.cards)];
  if (last?.type === "hand_ended" && replay.result) return t("replay.won", { winners: winnersOf(hand, replay) });
  return illustrated(last, replay);
}

const winnersOf = (hand, replay) => [...replay.result.winners].map(([seat, amount]) => `${replay.seatName(seat)} (${amountsOf(hand.start)(amount)})`).join(", ");

/** A replay at one step. Call `changed` renders it again. */
export class Replayer {
  #timer = null;
  #shares = new Map();
  #counting = null;
  #texts = null;

  /** `notes` are those of the viewer, for the felt; null: none. */
  constructor(hand, changed, step = 0, notes = null) {
    this.notes = notes;
    this.hand = hand;
    this.step = step;
    this.speed = 1;
    this.changed = changed;
    this.known = isRound(hand) ? new Map() : knownCards(hand);
  }

  get last() {
    return this.hand.steps.length - 1;
  }

  get plays() {
    return this.#timer !== null;
  }

  /** Go to a step, and stop playing. */
  go(to) {
    this.stop();
    this.#show(to);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#counting = null;
  }

  play() {
    if (this.plays) return this.go(this.step);
    if (this.step === this.last) this.step = 0;
    this.#schedule();
    this.changed();
  }

  /** Handle a key; tell whether it had a meaning. A control that has the focus keeps its own keys. */
  key({ key, target, ctrlKey, metaKey, altKey }) {
    if (ctrlKey || metaKey || altKey || target.matches?.("input, select, textarea")) return false;
    if (key === " ") {
      if (target.matches?.("button, a, summary")) return false;
      this.play();
    } else if (key === "ArrowLeft") this.go(this.step - 1);
    else if (key === "ArrowRight") this.go(this.step + 1);
    else if (key === "Home") this.go(0);
    else if (key === "End") this.go(this.last);
    else return false;
    return true;
  }

  #show(to) {
    this.step = Math.max(0, Math.min(this.last, to));
    this.changed();
  }

  #schedule() {
    this.#timer = setTimeout(() => {
      if (this.step >= this.last) return this.go(this.last);
      this.#schedule();
      this.#show(this.step + 1);
    }, SPEEDS[this.speed]);
  }

  render(...tools) {
    const { hand, step, last } = this;
    const now = replayed(hand, step);
    const place = t("history.step", { step: step + 1, steps: last + 1 });
    const button = (name, to, disabled, more = {}) => h("button", { key: name, "aria-label": t(`history.${name}`), title: t(`history.${name}`), disabled, onclick: () => this.go(to), ...more }, icon(name));
    return [
      h("div", { key: "felt", class: isRound(hand) ? "replay round" : "replay" }, this.#picture(now.replay)),
      h("p", { key: "said", class: "status", role: "status" }, stepText(hand, now) ?? place),
      h("input", { key: "place", type: "range", min: 0, max: last, value: String(step), "aria-label": t("history.place"), "aria-valuetext": place, oninput: (event) => this.go(Number(event.target.value)) }),
      h("div", { key: "steps", class: "row" },
        button("first", 0, step === 0), button("previous", step - 1, step === 0),
        h("button", { key: "play", "aria-label": t(this.plays ? "replay.pause" : "replay.play"), title: t(this.plays ? "replay.pause" : "replay.play"), onclick: () => this.play() }, icon(this.plays ? "pause" : "play")),
        button("next", step + 1, step === last, { class: "primary" }), button("last", last, step === last),
        h("label", { key: "speed", class: "speed" }, h("span", { class: "unseen" }, t("replay.speed")),
          h("select", { value: String(this.speed), onchange: (event) => ((this.speed = Number(event.target.value)), this.changed()) }, Object.keys(SPEEDS).sort((one, other) => one - other).map((speed) => h("option", { key: speed, value: speed, selected: Number(speed) === this.speed }, `${new Intl.NumberFormat(currentLanguage()).format(speed)} ×`)))),
        tools),
      !isRound(hand) && h("div", { key: "facts", class: "hand-facts" }, this.#odds(now.replay), this.#equity(now.replay)),
      h("details", { key: "list", class: "step-list" }, h("summary", {}, t("replay.steps")), h("ol", {}, this.#list())),
    ];
  }

  /** The texts of all steps; they stay as they are. */
  #list() {
    const { hand } = this;
    if (this.#texts === null) {
      const { replay } = replayed(hand, -1);
      this.#texts = hand.steps.map(({ event, after }) => (replay.take(event, after), stepText(hand, { replay, last: event })));
    }
    return this.#texts.map((said, index) =>
      said && h("li", { key: index }, h("button", { "aria-current": index === this.step ? "step" : null, onclick: () => this.go(index) }, said)));
  }

  #odds(replay) {
    const odds = potOdds(this.hand, this.step);
    if (!odds) return null;
    const money = amountsOf(this.hand.start);
    return h("p", { key: "odds" }, t("replay.odds", { name: replay.seatName(odds.seat), call: money(odds.call), pot: money(odds.pot), ratio: new Intl.NumberFormat(currentLanguage(), { maximumFractionDigits: 1 }).format(odds.pot / odds.call), share: percent(odds.share) }));
  }

  /** The equity of the hands that are known, once it is counted. */
  #equity(replay) {
    const found = contest(this.hand, this.step, this.known);
    if (!found) return null;
    const key = JSON.stringify(found);
    if (!this.#shares.has(key)) this.#count(key, found);
    const shares = this.#shares.get(key);
    return h("table", { key: "equity", class: "equity", "aria-busy": shares ? null : "true" },
      h("caption", {}, t("replay.equity")),
      h("tbody", {}, found.hands.map(({ seat, cards }, index) =>
        h("tr", { key: seat }, h("th", { scope: "row" }, replay.seatName(seat)), h("td", {}, pictograms(cards)), h("td", { class: "sum" }, shares ? percent(shares[index]) : "…")))));
  }

  #picture(replay) {
    const { hand, step, known, notes } = this;
    if (isRound(hand)) return houseFelt(replay, { notes });
    return felt({ snapshot: opened(hand, step, known), actions: replay.actions, result: replay.result, yours: hand.yours, told: hand.told, portrait: innerWidth < 600, clock: false, notes, onSeat: null, closes: true });
  }

  async #count(key, { hands, board, dead }) {
    if (this.#counting === key) return;
    this.#counting = key;
    const { shares } = await import("./equity.js");
    const counting = shares(hands.map(({ cards }) => cards), board, { game: this.hand.start.info.game, dead });
    let until = performance.now() + SLICE_MS;
    for (let next = counting.next(); ; next = counting.next()) {
      if (next.done) return this.#shares.set(key, next.value), this.#counting === key && (this.#counting = null), this.changed();
      if (performance.now() < until) continue;
      await new Promise((done) => setTimeout(done));
      if (this.#counting !== key) return; // another step is shown
      until = performance.now() + SLICE_MS;
    }
  }
}

const percent = (share) => new Intl.NumberFormat(currentLanguage(), { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(share);

/** Ultimate Texas Hold'em against the house: its part of the lobby, and the table.
 *
 * Bets are chips that are put on spots; the room says what lies there. Keys: 1 to 6 choose a chip, space repeats the last
 * bets and then doubles, Delete or Ctrl+Z takes back, Delete held takes all back.
 */

import "./clock.js";
import { cardBack, cardGroup, cardNames, chips } from "./cards.js";
import { ask } from "./dialog.js";
import { money, t, time } from "./i18n.js";
import { icon } from "./icons.js";
import { room } from "./room.js";
import { View, h } from "./view.js";

const HOLD_MS = 3_000;

/** The tables of the lobby. */
export function ultimateSection(tables) {
  return h("table", { class: "tables" },
    h("caption", { class: "unseen" }, t("uth.tables")),
    h("thead", {}, h("tr", {}, ["table", "stakes", "players"].map((each) => h("th", { key: each, scope: "col" }, t(`lobby.${each}`))), h("th", { key: "do", scope: "col" }, h("span", { class: "unseen" }, t("lobby.actions"))))),
    h("tbody", {}, tables.map((info) =>
      h("tr", { key: info.table, class: info.players > 0 ? "live" : null },
        h("th", { scope: "row" }, info.name, h("span", { class: "tag" }, info.seating === "boxes" ? t("uth.boxes", { boxes: info.boxes }) : t("uth.common"))),
        h("td", { "data-label": t("lobby.stakes") }, t("uth.limits", { min: money(info.ante_min), max: money(info.ante_max) })),
        h("td", { "data-label": t("lobby.players") }, info.boxes ? `${info.occupied}/${info.boxes}` : info.occupied),
        h("td", { class: "do" },
          h("button", { key: "take", class: "primary", disabled: !room.online || info.closing, "aria-label": `${t("uth.take")}: ${info.name}`, onclick: () => take(info) }, t("uth.take")),
          h("button", { key: "look", "aria-label": `${t("lobby.look")}: ${info.name}`, onclick: () => look(info.table) }, t("lobby.look")))))));
}

async function look(table) {
  const shown = await room.show(table);
  if (shown) location.assign("#tables");
  return shown;
}

async function take({ table }) {
  if (await look(table)) await takePlace(table, null);
}

const takePlace = (table, box) => room.ask({ type: "take_place", table, box });

/** One table. */
class UltimateTable extends View {
  #chip = null;
  #held = null;

  connectedCallback() {
    super.connectedCallback();
    this.again = ({ detail }) => detail === this.table && this.update();
    this.always = () => this.update();
    room.addEventListener("table", this.again);
    room.addEventListener("change", this.always);
  }

  disconnectedCallback() {
    room.removeEventListener("table", this.again);
    room.removeEventListener("change", this.always);
  }

  get model() {
    return room.model(this.table);
  }

  // --- what is done

  async #slip(message) {
    const answer = await room.ask({ table: this.table, ...message });
    if (answer) this.model.take_slip(answer.slip);
    this.update();
  }

  #put(bet) {
    this.#slip({ type: "place_bet", bet, amount: bet === "progressive" ? this.model.info.progressive.stake : this.#chip });
  }

  #change(action) {
    this.#slip({ type: "change_bets", action });
  }

  #decide(decision, multiple = null) {
    const { round, ownTurn, yourBox } = this.model;
    if (ownTurn) room.ask({ type: "decide", table: this.table, round_id: round.round_id, seq: ownTurn.seq, box: yourBox, decision, multiple });
  }

  /** Whether a key meant something here. */
  pressed(key, event) {
    const model = this.model;
    if (!model?.snapshot || model.yourBox === null) return false;
    const turn = model.ownTurn;
    if (turn) {
      if (key === "c" && turn.check) return this.#decide("check"), true;
      if (key === "f" && turn.fold) return this.#decide("fold"), true;
      if (key === "r") return this.#decide("play", Math.max(...turn.multiples)), true;
      if (turn.multiples.includes(Number(key))) return this.#decide("play", Number(key)), true;
      return false;
    }
    if (!model.open) return false;
    const { slip, info } = model;
    if (key >= "1" && key <= "6" && info.chips[Number(key) - 1] <= room.balance) return (this.#chip = info.chips[Number(key) - 1]), this.update(), true;
    if (key === " " && !event.target.matches("button, a")) return this.#change(slip.bets.length > 0 ? "double" : "repeat"), true;
    if (key === "a") return this.#put("ante"), true;
    if (key === "Delete" || (key === "z" && event.ctrlKey)) return this.#undo(event), true;
    return false;
  }

  #undo(event) {
    if (event.repeat) {
      if (this.#held !== null && performance.now() - this.#held > HOLD_MS) {
        this.#held = null;
        this.#change("undo_all");
      }
      return;
    }
    this.#held = performance.now();
    this.#change("undo");
  }

  toggleChat() {}

  toggleSitOut() {}

  showHistory() {
    const model = this.model;
    ask(t("history.title", { table: model.info.name }), () =>
      model.rounds.length === 0
        ? h("p", {}, t("history.none"))
        : h("ul", { class: "hands rounds" }, model.rounds.map(({ event, at }) =>
          h("li", { key: event.round_id }, h("time", {}, time(at)), h("strong", {}, t("uth.round", { round: event.round_id })), " ",
            event.void ? t("event.round_void") : [cardNames(event.board), " — ", t("uth.bank"), ": ", cardNames(event.bank?.cards ?? [])],
            event.boxes.map((box) => h("p", { key: `${box.box}${box.name}` }, `${box.name}: `, box.cards ? cardNames(box.cards) : "", ` ${t(`uth.outcome.${box.outcome}`)} `, box.bets.map((bet) => `${t(`uth.bet.${bet.bet}`)} ${money(bet.staked)} → ${money(bet.paid)}`).join(", ")))))), { wide: true });
  }

  #pays() {
    const { info } = this.model;
    const rows = (pays) => pays.map((row) => h("tr", { key: row.hand }, h("th", { scope: "row" }, t(`rank.${row.hand}`)), h("td", {}, `${row.pays}:${row.to}`)));
    ask(t("uth.pays"), () => [
      h("table", { class: "pays" }, h("caption", {}, t("uth.blind_pays")), h("tbody", {}, rows(info.blind_pays))),
      info.trips_max && h("table", { class: "pays" }, h("caption", {}, t("uth.trips_pays")), h("tbody", {}, rows(info.trips_pays))),
      h("p", { class: "hint" }, t("uth.keys")),
    ]);
  }

  // --- what is seen

  render() {
    const model = this.model;
    if (!model?.snapshot) return h("p", { class: "hint" }, t("lobby.loading"));
    const { info, snapshot } = model;
    this.toggleAttribute("data-asks", model.ownTurn !== null);
    this.setAttribute("aria-label", info.name);
    this.#chip ??= info.chips.find((chip) => chip >= info.ante_min) ?? info.chips[0];
    return [
      h("header", { class: "table-head", key: "head" },
        h("h2", {}, info.name),
        h("p", {}, t("uth.limits", { min: money(info.ante_min), max: money(info.ante_max) }), model.round && ` · ${t("uth.round", { round: model.round.round_id })}`),
        h("div", { class: "tools" },
          h("button", { class: "icon", key: "pays", "aria-label": t("uth.pays"), title: t("uth.pays"), onclick: () => this.#pays() }, icon("help")),
          h("button", { class: "icon", key: "history", "aria-label": t("menu.history"), title: t("menu.history"), onclick: () => this.showHistory() }, icon("history")),
          h("button", { class: "icon", key: "close", "aria-label": t(model.yourBox === null ? "menu.close" : "menu.leave"), title: t(model.yourBox === null ? "menu.close" : "menu.leave"), onclick: () => this.#leave() }, icon("close")))),
      h("div", { class: "bank-table", key: "stage" }, this.#bank(model), this.#board(model), this.#boxes(model, snapshot)),
      this.#dock(model),
    ];
  }

  async #leave() {
    if (this.model.yourBox !== null && !(await room.ask({ type: "stand_up", table: this.table }))) return;
    room.hide(this.table);
  }

  #bank({ result, round, snapshot }) {
    const bank = result?.bank;
    return h("section", { class: "bank", "aria-label": t("uth.bank") },
      h("h3", {}, t("uth.bank")),
      bank ? cardGroup(bank.cards, `${t("uth.bank")}: ${cardNames(bank.cards)}`, { key: "open" }) : round && h("div", { class: "cards", key: "closed", "aria-hidden": "true" }, cardBack({ silent: true, key: 1 }), cardBack({ silent: true, key: 2 })),
      h("p", {}, bank ? t(bank.qualifies ? "uth.qualifies" : "uth.not_qualified", { hand: t(`rank.${bank.hand}`) }) : snapshot.meter !== null && t("uth.meter", { amount: money(snapshot.meter) })));
  }

  #board({ round, result }) {
    const board = round?.board ?? result?.board ?? [];
    return h("div", { class: "uth-board" }, board.length > 0 && cardGroup(board, t("table.board", { cards: cardNames(board) }), { class: "board", key: "board" }));
  }

  #boxes(model, { places, your_box, info }) {
    const { round, result } = model;
    const numbers = info.boxes ? Array.from({ length: info.boxes }, (_, index) => index + 1) : [...new Set([...(your_box === null ? [] : [your_box]), ...places.map((place) => place.box)])].slice(0, 8);
    return h("ol", { class: "boxes" }, numbers.map((number) => {
      const place = places.find((each) => each.box === number);
      const bets = round?.boxes.find((each) => each.box === number) ?? null;
      const ended = result?.boxes.find((each) => each.box === number) ?? null;
      const own = number === your_box;
      const cards = ended?.cards ?? (round && bets ? model.cardsOf(number) : null);
      return h("li", { key: number, class: ["box", own && "own", ended?.outcome, bets?.status, round?.decisions?.boxes.includes(number) && "turn"].filter(Boolean).join(" ") },
        cards
          ? cardGroup(cards, t(own ? "table.your_cards" : "table.their_cards", { name: place?.name ?? "", cards: cardNames(cards) }), { key: "open" })
          : bets && h("div", { class: "cards", key: "closed", "aria-hidden": "true" }, cardBack({ silent: true, key: 1 }), cardBack({ silent: true, key: 2 })),
        this.#spots(model, number, own, bets, ended),
        h("p", { class: "holder" }, place ? [own ? t("table.you") : place.name, ended ? ` · ${t(`uth.outcome.${ended.outcome}`)}` : bets && bets.status !== "waiting" && ` · ${t(`uth.status.${bets.status}`)}`] : your_box === null && info.boxes ? h("button", { onclick: () => takePlace(this.table, number), "aria-label": t("uth.take_box", { box: number }) }, t("table.free")) : "–"));
    }));
  }

  #spots(model, number, own, bets, ended) {
    const { slip, open, info } = model;
    const laid = slip.bets.find((each) => each.box === number);
    const amounts = ended
      ? Object.fromEntries(ended.bets.map((bet) => [bet.bet, bet.paid]))
      : bets ? { ante: bets.ante, blind: bets.ante, play: bets.play, trips: bets.trips, progressive: bets.progressive } : own && laid ? { ante: laid.ante, blind: laid.ante, trips: laid.trips, progressive: laid.progressive } : {};
    const offered = ["ante", "blind", "play", ...(info.trips_max ? ["trips"] : []), ...(info.progressive ? ["progressive"] : [])];
    return h("div", { class: "spots" }, offered.map((bet) => {
      const amount = amounts[bet] ?? 0;
      if (!own && amount === 0) return null; // others' empty spots say nothing
      const inside = [h("span", { class: "spot-name" }, t(`uth.bet.${bet}`)), amount > 0 && chips(amount), h("b", {}, amount > 0 ? money(amount) : "")];
      const canPut = own && open && !bets && bet !== "blind" && bet !== "play";
      return canPut
        ? h("button", { key: bet, class: `spot ${bet}`, "aria-label": t("uth.place_on", { bet: t(`uth.bet.${bet}`), amount: money(amount) }), onclick: () => this.#put(bet) }, inside)
        : h("span", { key: bet, class: `spot ${bet}` }, inside);
    }));
  }

  #dock(model) {
    const { info, slip, ownTurn, round, snapshot, won } = model;
    if (room.client.state !== "open") return h("div", { class: "dock", key: "dock" }, h("p", { class: "status" }, t("connection.lost")));
    if (model.yourBox === null) return h("div", { class: "dock", key: "dock" }, h("p", { class: "status" }, t("uth.watching")), h("button", { class: "primary", onclick: () => takePlace(this.table, null) }, t("uth.take")));
    if (ownTurn) return this.#decision(model, ownTurn);
    if (won !== null && won > 0 && !round) return this.#betting(model, h("strong", { class: "win", role: "status" }, t("uth.won", { amount: money(won) })));
    if (!model.open) return h("div", { class: "dock", key: "dock" }, h("p", { class: "status" }, t(round ? "uth.waiting" : "uth.next")), model.ownBets && h("button", { key: "tip", onclick: () => room.ask({ type: "give_tip", table: this.table, amount: info.chips[0] }) }, t("uth.tip", { amount: money(info.chips[0]) })));
    return this.#betting(model, h("p", { class: `light ${snapshot.light.light}` }, t(`uth.light.${snapshot.light.light}`), snapshot.light.closes_ms !== null && [" ", h("pr-until", { ".until": snapshot.light.closes_ms })]), slip);
  }

  #betting(model, said) {
    const { info, slip } = model;
    const chip = (amount, index) =>
      h("button", { key: amount, class: "rack", "aria-pressed": String(this.#chip === amount), disabled: amount > room.balance, "aria-label": t("uth.chip", { amount: money(amount) }), title: String(index + 1), onclick: () => ((this.#chip = amount), this.update()) }, chips(amount), h("b", {}, money(amount)));
    const act = (action, possible) => h("button", { key: action, disabled: !possible || !model.open, onclick: () => this.#change(action) }, t(`uth.${action}`));
    return h("div", { class: "dock betting", key: "dock", role: "group", "aria-label": t("uth.light.green") },
      said,
      h("div", { class: "racks", key: "racks" }, info.chips.map(chip)),
      h("div", { class: "row", key: "changes" },
        act("repeat", slip.can_repeat), act("double", slip.can_double), act("undo", slip.can_undo), act("undo_all", slip.can_undo),
        h("span", {}, t("uth.total"), " ", h("strong", {}, money(slip.total)))));
  }

  #decision(model, turn) {
    const ante = model.ownBets?.ante ?? 0;
    const times = { deadline_ms: turn.deadline_ms, countdown_ms: turn.deadline_ms - model.info.decision_ms, in_time_bank: false };
    return h("div", { class: "dock deciding", key: "dock", role: "group", "aria-label": t("uth.decide") },
      h("p", { class: "status" }, t("uth.decide"), " ", h("pr-until", { ".until": times.deadline_ms })),
      h("div", { class: "deeds", key: "deeds" },
        turn.fold && h("button", { key: "fold", class: "deed-fold", onclick: () => this.#decide("fold") }, t("uth.fold"), h("kbd", { "aria-hidden": "true" }, "F")),
        turn.check && h("button", { key: "check", class: "deed-call", onclick: () => this.#decide("check") }, t("uth.check"), h("kbd", { "aria-hidden": "true" }, "C")),
        [...turn.multiples].sort().map((multiple) => h("button", { key: `x${multiple}`, class: "deed-raise", onclick: () => this.#decide("play", multiple) }, t("uth.play", { multiple, amount: money(ante * multiple) }), h("kbd", { "aria-hidden": "true" }, multiple)))));
  }
}

customElements.define("pr-ultimate", UltimateTable);

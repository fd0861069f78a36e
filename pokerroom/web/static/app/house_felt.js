/** The table of Ultimate Texas Hold'em: bank, board, boxes with bets. For play and for replays. */

import { cardBack, cardGroup, cardNames, chips } from "./cards.js";
import { money, t } from "./i18n.js";
import { noteButton } from "./note_mark.js";
import { h } from "./view.js";

/** Number of places drawn at a table with a common hand, your own first. */
const PLACES_SHOWN = 8;
const BLIND_PLAYS = [3, 4];

/**
 * `doings` are the possible actions: `put(bet, box)`, `take(box)`, `choose(box, multiple)`; null for observers. `notes` are
 * the viewer's own, as `notes()` of notes.js has them; null: none.
 */
export function houseFelt(model, { doings = null, sideBets = true, notes = null } = {}) {
  return h("div", { class: "bank-table", key: "stage" }, bank(model), board(model), boxes(model, { doings, sideBets, notes }));
}

function bank({ result, round, snapshot }) {
  const hand = result?.bank;
  return h("section", { class: "bank", "aria-label": t("uth.bank") },
    h("h3", {}, t("uth.bank")),
    hand ? cardGroup(hand.cards, `${t("uth.bank")}: ${cardNames(hand.cards)}`, { key: "open" }) : round && closed(),
    h("p", {}, hand ? t(hand.qualifies ? "uth.qualifies" : "uth.not_qualified", { hand: t(`rank.${hand.hand}`) }) : snapshot.meter !== null && t("uth.meter", { amount: money(snapshot.meter) })));
}

const closed = () => h("div", { class: "cards", key: "closed", "aria-hidden": "true" }, cardBack({ silent: true, key: 1 }), cardBack({ silent: true, key: 2 }));

function board({ round, result }) {
  const cards = round?.board ?? result?.board ?? [];
  return h("div", { class: "uth-board" }, cards.length > 0 && cardGroup(cards, t("table.board", { cards: cardNames(cards) }), { class: "board", key: "board" }));
}

function boxes(model, view) {
  const { places, info } = model.snapshot;
  const betOn = ((model.round ?? model.result)?.boxes ?? []).map((each) => each.box);
  const { doings } = view;
  const here = doings === null ? betOn : [model.yourBox, ...places.map((place) => place.box), ...betOn].filter((box) => box !== null);
  const numbers = doings !== null && info.boxes ? Array.from({ length: info.boxes }, (_, index) => index + 1) : [...new Set(here)].slice(0, PLACES_SHOWN);
  return h("ol", { class: "boxes" }, numbers.map((number) => box(model, number, view)));
}

function box(model, number, { doings, sideBets, notes }) {
  const { round, result, snapshot, yourBox } = model;
  const place = snapshot.places.find((each) => each.box === number);
  const bets = round?.boxes.find((each) => each.box === number) ?? null;
  const ended = result?.boxes.find((each) => each.box === number) ?? null;
  const own = number === yourBox;
  const ours = own || (bets ?? ended)?.name === model.yourName;
  const cards = ended?.cards ?? (round && bets ? model.cardsOf(number) : null);
  const name = place?.name ?? (bets ?? ended)?.name ?? "";
  // an extra box: it has no holder, and the player has a box of their own
  const extra = doings !== null && !place && snapshot.info.boxes !== null && yourBox !== null && model.open;
  const classes = ["box", own && "own", ours && "ours", extra && "extra", ended?.outcome, bets?.status, round?.decisions?.boxes.includes(number) && "turn"];
  return h("li", { key: number, class: classes.filter(Boolean).join(" ") },
    cards ? cardGroup(cards, t(ours ? "table.your_cards" : "table.their_cards", { name, cards: cardNames(cards) }), { key: "open" }) : bets && closed(),
    spots(model, number, { bets, ended, doings: own || extra ? doings : null, sideBets }),
    extra && chosenPlay(model, number, doings),
    h("p", { class: "holder" }, holder(model, number, { place, bets, ended, own, ours, extra, doings, notes })));
}

function holder(model, number, { place, bets, ended, own, ours, extra, doings, notes }) {
  const free = !place && doings !== null && model.yourBox === null && model.info.boxes !== null;
  if (free) return h("button", { onclick: () => doings.take(number), "aria-label": t("uth.take_box", { box: number }) }, t("table.free"));
  const auto = model.automatic.get(number);
  let did = null;
  if (auto === "fold" || (auto && !ended)) did = t(`uth.auto.${auto}`);
  else if (ended) did = t(`uth.outcome.${ended.outcome}`);
  else if (bets && bets.status !== "waiting") did = t(`uth.status.${bets.status}`);
  const name = place ? place.name : (bets ?? ended)?.name;
  const other = name && notes ? h("span", { class: "neighbor" }, name, noteButton(notes, name)) : name;
  return [own ? t("table.you") : ours ? t("uth.your_extra") : other ?? (extra ? t("uth.extra") : "–"), did && ` · ${did}`, place && !place.connected && h("span", { class: "tag" }, t("status.gone"))];
}

/** The spots for bets: their bets, and whether the player may add chips. */
function spots(model, number, { bets, ended, doings, sideBets }) {
  const { slip, open, info } = model;
  const laid = slip.bets.find((each) => each.box === number);
  const takes = doings !== null && open && !bets;
  const amounts = laid && takes
    ? { ante: laid.ante, blind: laid.ante, trips: laid.trips, progressive: laid.progressive, play: laid.ante * (laid.play ?? 0) }
    : ended ? Object.fromEntries(ended.bets.map((bet) => [bet.bet, bet.paid]))
    : bets ? { ante: bets.ante, blind: bets.ante, play: bets.play, trips: bets.trips, progressive: bets.progressive } : {};
  const own = number === model.yourBox;
  const extraOffered = !own && takes; // an empty extra box offers the Ante only
  const offered = ["ante", "blind", "play", info.trips_max && "trips", info.progressive && "progressive"].filter(Boolean);
  return h("div", { class: "spots" }, offered.map((bet) => {
    const amount = amounts[bet] ?? 0;
    const side = bet === "trips" || bet === "progressive";
    const canPut = takes && bet !== "blind" && bet !== "play" && (!side || sideBets) && (own || bet === "ante" || (laid?.ante ?? 0) > 0);
    if (!canPut && amount === 0 && (!own || (side && !sideBets) || extraOffered)) return null; // empty spots of other players are not shown
    const inside = [h("span", { class: "spot-name" }, t(`uth.bet.${bet}`)), amount > 0 && chips(amount), h("b", {}, amount > 0 ? money(amount) : "")];
    // Trips blinks once its Ante is accepted, until it is bet
    const offers = bet === "trips" && amount === 0 && (laid?.ante ?? 0) >= info.ante_min;
    return canPut
      ? h("button", { key: bet, class: offers ? `spot ${bet} offered` : `spot ${bet}`, "aria-label": t(own ? "uth.place_on" : "uth.place_on_box", { bet: t(`uth.bet.${bet}`), amount: money(amount), box: number }), onclick: () => doings.put(bet, own ? null : number) }, inside)
      : h("span", { key: bet, class: `spot ${bet}` }, inside);
  }));
}

/** An extra box is played blind: its Play is placed before the deal. */
function chosenPlay(model, number, doings) {
  const laid = model.slip.bets.find((each) => each.box === number);
  if (!laid?.ante || model.round) return null;
  return h("div", { class: "plays", role: "group", "aria-label": t("uth.play_of_box", { box: number }) }, BLIND_PLAYS.map((multiple) =>
    h("button", { key: multiple, class: laid.play ? null : "wanted", "aria-pressed": String(laid.play === multiple), onclick: () => doings.choose(number, multiple) }, t("uth.play_short", { multiple }))));
}

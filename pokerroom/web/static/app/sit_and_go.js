/** Sit-and-gos and tournaments with a start: their parts of the lobby, the bar above a tournament's table, and its result. */

import "./until.js";
import { tableNumber, tournamentOf } from "/client/pokerroom.js";
import { stakesOf, topPrizes } from "./amounts.js";
import { nextFirst } from "./best_seat.js";
import { dayAndTime, money, t, wholeChips } from "./i18n.js";
import { chipSaleWindow, dealWindow, tellTickets, tournamentWindow } from "./on_demand.js";
import { room } from "./room.js";
import { h } from "./view.js";
import { played } from "./words.js";

/** Whether a tournament is a private sit-and-go. */
export const isPrivate = (tournament) => tournament?.startsWith("private:");

/** The offers of the lobby. */
export const sitAndGoSection = (offers) => section("sng.tables", ["sng.name", "sng.buy_in", "sng.seats", "sng.prizes", "sng.running"], offers.map(offerLine));

/** The tournaments of the lobby that start at a time. */
export const scheduledSection = (rows) => section("games.tournament", ["sng.name", "mtt.start", "sng.buy_in", "mtt.entries", "mtt.guarantee", "mtt.state"], nextFirst(rows).map(scheduledLine));

const section = (caption, columns, lines) => h("table", { class: "tables" },
  h("caption", { class: "unseen" }, t(caption)),
  h("thead", {}, h("tr", {}, columns.map((each) => h("th", { key: each, scope: "col" }, t(each))), h("th", { key: "do", scope: "col" }, h("span", { class: "unseen" }, t("lobby.actions"))))),
  h("tbody", {}, lines));

function scheduledLine(row) {
  const { tournament, offer, name, starts_ms, phase, late_levels, registration_open, your_status } = row;
  const isLate = phase === "running" && registration_open;
  return h("tr", { key: tournament, class: your_status && your_status !== "out" ? "live" : null },
    h("th", { scope: "row" }, name, " ", h("span", { class: "tag" }, played(row)), row.satellite_to && [" ", h("span", { key: "satellite", class: "tag" }, t("mtt.satellite"))]),
    h("td", { class: "start", "data-label": t("mtt.start") }, h("time", {}, dayAndTime(starts_ms)), " ", phase === "registering" && h("pr-until", { class: "tag", ".until": starts_ms })),
    h("td", { class: "price", "data-label": t("sng.buy_in") }, parts(row).map(money).join(" + "), row.bounty > 0 && [" ", h("span", { key: "bounty", class: "tag" }, t("mtt.bounty.tag"))], row.rebuys_max > 0 && [" ", h("span", { key: "rebuys", class: "tag" }, t("mtt.rebuys.tag"))], ticketFor(row) && [" ", h("span", { key: "ticket", class: "tag" }, t("mtt.ticket"))]),
    h("td", { "data-label": t("mtt.entries") }, wholeChips(row.entries)),
    h("td", { "data-label": t("mtt.guarantee") }, row.guarantee > 0 ? money(row.guarantee) : "–"),
    h("td", { class: "state", "data-label": t("mtt.state"), title: isLate ? t("mtt.late_until", { level: late_levels }) : null }, t(isLate ? "mtt.late" : `sng.phase.${phase}`)),
    h("td", { class: "do" },
      scheduledButton(row),
      h("button", { key: "page", "aria-label": `${t("sng.page")}: ${name}`, onclick: () => tournamentWindow(offer, tournament) }, t("sng.page"))));
}

/** The ticket of this player that pays an entry to a tournament, or null. */
export const ticketFor = ({ offer, buy_in }) => room.lobby?.tickets?.find((ticket) => ticket.offer === offer && ticket.value === buy_in) ?? null;

/** The parts of a buy-in: for the prizes, for the player's head if there are bounties, and the fee. */
const parts = ({ buy_in, fee, bounty = 0 }) => [buy_in - fee - bounty, ...(bounty > 0 ? [bounty] : []), fee];

/** The button that enters a tournament with a start, also late or again, or leaves it before the start; null if neither is possible.
 * `purse` is what can pay for it. */
export function scheduledButton({ tournament, offer, name, buy_in, phase, registration_open, entries_max, your_entries, your_status }, purse = room.balance) {
  const button = (code, type, more = {}) => h("button", { key: code, "aria-label": `${t(code)}: ${name}`, onclick: () => ask({ type, tournament }), ...more }, t(code));
  if (!registration_open) return null;
  if (your_status === "registered" && phase === "registering") return button("sng.unregister", "unregister_tournament");
  if (your_status === "registered" || your_status === "playing" || (entries_max > 0 && your_entries >= entries_max)) return null;
  const ticket = ticketFor({ offer, buy_in });
  const code = ticket ? "mtt.register_ticket" : phase === "registering" ? "sng.register" : your_status === "out" ? "mtt.register_again" : "mtt.register_late";
  return button(code, "register_tournament", { class: "primary", disabled: !room.online || (!ticket && buy_in > purse) });
}

function offerLine(offer) {
  const taken = offer.filling[0]?.taken ?? 0;
  const running = offer.running[0];
  const label = (code) => `${t(code)}: ${offer.name}`;
  return h("tr", { key: offer.offer, class: offer.your_tournament ? "live" : null },
    h("th", { scope: "row" }, offer.name, h("span", { class: "tag" }, played(offer))),
    h("td", { "data-label": t("sng.buy_in"), title: t("sng.of_fee", { fee: money(offer.fee) }) }, money(offer.buy_in)),
    h("td", { "data-label": t("sng.seats") }, `${taken}/${offer.seats}`),
    h("td", { "data-label": t("sng.prizes") }, topPrizes(offer.prizes, money)),
    h("td", { "data-label": t("sng.running") }, offer.running_count),
    h("td", { class: "do" },
      entryButton(offer),
      h("button", { key: "page", "aria-label": label("sng.page"), onclick: () => tournamentWindow(offer.offer) }, t("sng.page")),
      running && h("button", { key: "look", "aria-label": label("sng.watch"), onclick: async () => (await room.show(running.tournament)) && location.assign("#tables") }, t("sng.watch"))));
}

/** The name of a table; with its number if its tournament has several. */
export function tableTitle({ name, table, offer }) {
  const isOneOfSeveral = offer && (tournamentOf(table) !== table || room.tournaments.get(table)?.tables > 1);
  return isOneOfSeveral ? `${name} · ${t("mtt.table", { number: tableNumber(table) })}` : name;
}

/** The button that enters the offer's next tournament, or leaves it again. */
export function entryButton(offer) {
  const label = (code) => `${t(code)}: ${offer.name}`;
  return offer.your_tournament
    ? h("button", { key: "back", "aria-label": label("sng.unregister"), onclick: () => ask({ type: "unregister_sng", offer: offer.offer }) }, t("sng.unregister"))
    : h("button", { key: "in", class: "primary", disabled: !room.online || offer.buy_in > room.balance, "aria-label": label("sng.register"), onclick: () => ask({ type: "register_sng", offer: offer.offer }) }, t("sng.register"));
}

async function ask(message) {
  const answer = await room.ask(message);
  // what a notice says of an entry or of a ticket holds until the next one
  if (answer) for (const code of ["ticket_new", "registered_by_ticket", "tournament_registered", "sng_registered", "private_registered"]) room.overtaken(code);
  if (answer && answer.type !== "ok") room.notify(answer.by_ticket ? "registered_by_ticket" : isPrivate(message.tournament) ? "private_registered" : answer.type);
  room.refresh();
}

/** Buy the rebuy of this number, or the add-on; the room says why not if it sells none. Return its answer, or null. */
export async function buyChips(tournament, kind, number) {
  const answer = await room.ask({ type: `buy_${kind}`, tournament, ...(kind === "rebuy" && { number }) });
  if (answer) room.notify("chips_bought", null, "told", { chips: wholeChips(answer.chips), price: money(answer.price) });
  room.refresh();
  return answer;
}

/** The buttons for the rebuy and the add-on that this player can buy now. */
export const saleButtons = ({ tournament, sales = [] }) => sales.filter((sale) => sale.open_to_you).map(({ kind, chips, price, yours }) =>
  h("button", { key: kind, disabled: !room.online || price > room.balance, onclick: () => buyChips(tournament, kind, yours + 1) }, `${t(`sale.${kind}`)}: ${t("sale.chips", { chips: wholeChips(chips), price: money(price) })}`));

/** Open the window of a rebuy or an add-on as soon as one is offered to this player. */
export function startChipSales() {
  room.addEventListener("chips", ({ detail }) => chipSaleWindow(detail));
}

/** Tell of the tickets of this player, as the lobby has them; `before` is the lobby of the last look. */
export function startTickets() {
  let before = null;
  room.addEventListener("lobby", () => {
    const { owner, tickets } = room.lobby;
    if (tickets?.length) tellTickets(before?.owner === owner ? before.tickets : null, tickets);
    before = room.lobby;
  });
}

/** Open the window of a deal as soon as one is offered to this player. */
export function startDeals() {
  room.addEventListener("happened", ({ detail: { event, model } }) => {
    if (event.type === "deal_offered" || event.type === "deal_ended") room.overtaken("deal_asked");
    if (event.type === "deal_offered" && event.deal.shares.some(({ seat, accepted }) => seat === model.snapshot.your_seat && !accepted)) dealWindow(event.table);
  });
}

/** The blinds of a level and its ante: of each player, or of the big blind for the table. */
export const withAnte = (level) => {
  const { ante, big_blind_ante } = level;
  return [stakesOf(level, wholeChips), ante > 0 && t("sng.ante", { amount: wholeChips(ante) }), big_blind_ante > 0 && t("sng.big_blind_ante", { amount: wholeChips(big_blind_ante) })].filter(Boolean).join(", ");
};

/** Level, next level, remaining players, prizes; there are none while entries are open. */
export function tournamentBar({ tournament, seats, info }) {
  const { level } = tournament;
  const blinds = stakesOf(level, wholeChips);
  const ante = level.ante || level.big_blind_ante;
  const until = tournament.break_until_ms ?? level.ends_ms;
  const state = room.tournaments.get(tournamentOf(info.table)) ?? null;
  const rank = state?.tables > 1 && state.you?.status === "playing" ? state.you.rank : null;
  const next = state?.next_level && t("mtt.next_level", { blinds: stakesOf(state.next_level, wholeChips) });
  const more = [
    !isOver(tournament) && tournament.prizes.length > 0 && h("span", { key: "prizes", class: "prizes" }, t("sng.prizes"), ": ", topPrizes(tournament.prizes, money)),
    h("button", { key: "page", onclick: () => tournamentWindow(info.offer, info.table) }, t("sng.page")),
    !isOver(tournament) && tournament.deal && h("button", { key: "deal", class: tournament.deal.deal ? "primary" : null, onclick: () => dealWindow(info.table) }, t("deal.title")),
  ];
  if (isOver(tournament)) return h("div", { class: "tournament", key: "tournament" }, h("strong", {}, t("sng.end")), more);
  return h("div", { class: "tournament", key: "tournament" },
    h("strong", { class: "number" }, t("sng.level", { level: level.level })),
    h("span", { class: "blinds", "data-short": ante ? `${blinds} (${wholeChips(ante)})` : blinds }, t("sng.blinds", { blinds: withAnte(level) })),
    tournament.paused ? h("span", { class: "tag on" }, t("sng.paused")) : tournament.break_until_ms !== null && h("span", { class: "tag on" }, t("sng.break")),
    until !== null && h("pr-until", { ".until": until }),
    level.hands_left !== null && h("span", {}, t("sng.hands_left", { hands: level.hands_left })),
    next && h("span", { key: "next", class: "next" }, next),
    h("span", { class: "left" }, rank !== null ? t("mtt.rank_of_left", { rank, left: state.left }) : t("sng.left", { left: state?.tables > 1 ? state.left : seats.length, seats: tournament.seats })),
    state?.average && h("span", { key: "average", class: "average" }, t("mtt.average_is", { average: wholeChips(state.average) })),
    more);
}

/** Whether a tournament has ended, in any way. */
export const isOver = ({ phase }) => ["finished", "rolled_back", "rolled_forward"].includes(phase);

/** The places, at the end of the tournament. */
export function endOf({ tournament }) {
  if (!isOver(tournament)) return null;
  return h("div", { class: "tournament-end", role: "status" },
    h("h3", {}, t("sng.end")),
    h("ol", {}, tournament.places.map((place) =>
      h("li", { key: place.number, class: place.prize > 0 ? "paid" : null }, h("span", {}, t("sng.place", { place: place.place, name: place.name })), place.prize > 0 && h("strong", {}, money(place.prize))))));
}

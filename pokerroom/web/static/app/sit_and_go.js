/** Sit-and-gos: their part of the lobby, the bar above a tournament's table, and its result. */

import "./until.js";
import { stakesOf } from "./amounts.js";
import { money, t, wholeChips } from "./i18n.js";
import { room } from "./room.js";
import { tournamentWindow } from "./tournament_window.js";
import { h } from "./view.js";
import { played } from "./words.js";

/** The offers of the lobby. */
export function sitAndGoSection(offers) {
  return h("table", { class: "tables" },
    h("caption", { class: "unseen" }, t("sng.tables")),
    h("thead", {}, h("tr", {}, ["name", "buy_in", "seats", "prizes", "running"].map((each) => h("th", { key: each, scope: "col" }, t(`sng.${each}`))), h("th", { key: "do", scope: "col" }, h("span", { class: "unseen" }, t("lobby.actions"))))),
    h("tbody", {}, offers.map(offerLine)));
}

function offerLine(offer) {
  const taken = offer.filling[0]?.taken ?? 0;
  const running = offer.running[0];
  const label = (code) => `${t(code)}: ${offer.name}`;
  return h("tr", { key: offer.offer, class: offer.your_tournament ? "live" : null },
    h("th", { scope: "row" }, offer.name, h("span", { class: "tag" }, played(offer))),
    h("td", { "data-label": t("sng.buy_in"), title: t("sng.of_fee", { fee: money(offer.fee) }) }, money(offer.buy_in)),
    h("td", { "data-label": t("sng.seats") }, `${taken}/${offer.seats}`),
    h("td", { "data-label": t("sng.prizes") }, offer.prizes.map(money).join(" / ")),
    h("td", { "data-label": t("sng.running") }, offer.running_count),
    h("td", { class: "do" },
      offer.your_tournament
        ? h("button", { key: "back", "aria-label": label("sng.unregister"), onclick: () => ask("unregister_sng", offer) }, t("sng.unregister"))
        : h("button", { key: "in", class: "primary", disabled: !room.online || offer.buy_in > room.balance, "aria-label": label("sng.register"), onclick: () => ask("register_sng", offer) }, t("sng.register")),
      h("button", { key: "page", "aria-label": label("sng.page"), onclick: () => tournamentWindow(offer.offer) }, t("sng.page")),
      running && h("button", { key: "look", "aria-label": label("sng.watch"), onclick: async () => (await room.show(running.tournament)) && location.assign("#tables") }, t("sng.watch"))));
}

async function ask(type, { offer }) {
  const answer = await room.ask({ type, offer });
  if (answer?.type === "sng_registered") room.notify("sng_registered");
  room.refresh();
}

/** Level, next level, remaining players, prizes. */
export function tournamentBar({ tournament, seats, info }) {
  const { level } = tournament;
  const blinds = stakesOf(level, wholeChips);
  const ante = level.ante + level.big_blind_ante > 0 && wholeChips(level.ante || level.big_blind_ante);
  const until = tournament.break_until_ms ?? level.ends_ms;
  const more = [
    h("span", { class: "prizes" }, t("sng.prizes"), ": ", tournament.prizes.map(money).join(" / ")),
    h("button", { onclick: () => tournamentWindow(info.offer, info.table) }, t("sng.page")),
  ];
  if (isOver(tournament)) return h("div", { class: "tournament", key: "tournament" }, h("strong", {}, t("sng.end")), more);
  return h("div", { class: "tournament", key: "tournament" },
    h("strong", { class: "number" }, t("sng.level", { level: level.level })),
    h("span", { class: "blinds", "data-short": ante ? `${blinds} (${ante})` : blinds }, t("sng.blinds", { blinds }), ante && `, ${t("sng.ante", { amount: ante })}`),
    tournament.paused ? h("span", { class: "tag on" }, t("sng.paused")) : tournament.break_until_ms !== null && h("span", { class: "tag on" }, t("sng.break")),
    until !== null && h("pr-until", { ".until": until }),
    level.hands_left !== null && h("span", {}, t("sng.hands_left", { hands: level.hands_left })),
    h("span", { class: "left" }, t("sng.left", { left: seats.length, seats: tournament.seats })),
    more);
}

const isOver = ({ phase }) => ["finished", "rolled_back", "rolled_forward"].includes(phase);

/** The places, at the end of the tournament. */
export function endOf({ tournament }) {
  if (!isOver(tournament)) return null;
  return h("div", { class: "tournament-end", role: "status" },
    h("h3", {}, t("sng.end")),
    h("ol", {}, tournament.places.map((place) =>
      h("li", { key: place.number, class: place.prize > 0 ? "paid" : null }, h("span", {}, t("sng.place", { place: place.place, name: place.name })), place.prize > 0 && h("strong", {}, money(place.prize))))));
}

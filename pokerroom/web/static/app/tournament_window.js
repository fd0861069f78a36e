/** The page of a sit-and-go: players, levels, prizes and the clock, before it starts and while it runs. */

import "./until.js";
import { stakesOf } from "./amounts.js";
import { ask } from "./dialog.js";
import { money, t, wholeChips } from "./i18n.js";
import { room } from "./room.js";
import { h } from "./view.js";

/** Open the page of an offer's tournament: the one of this id, else yours, the one that fills, or the newest running. */
export async function tournamentWindow(offerId, id = null) {
  const offerOf = () => room.lobby?.sit_and_gos?.find((each) => each.offer === offerId) ?? null;
  let tournament = id;
  let standings = null;
  let again = () => {};
  const load = async () => {
    const offer = offerOf();
    tournament ??= offer?.your_tournament ?? offer?.filling[0]?.tournament ?? offer?.running[0]?.tournament ?? null;
    if (tournament === null) return;
    const found = await room.client.request({ type: "get_standings", tournament }).catch(() => null);
    if (found !== null) standings = found; // else the next change follows
    again();
  };
  await load();
  room.addEventListener("lobby", load);
  await ask(() => offerOf()?.name ?? t("sng.name"), (_, refresh) => {
    again = refresh;
    return page(offerOf(), standings, tournament);
  }, { wide: true, onClosed: () => room.removeEventListener("lobby", load) });
}

function page(offer, standings, tournament) {
  const snapshot = room.model(tournament)?.snapshot ?? null;
  const level = snapshot?.tournament?.level ?? null;
  const prizes = standings?.prizes ?? offer?.prizes ?? [];
  const until = snapshot?.tournament?.break_until_ms ?? level?.ends_ms ?? null;
  return h("div", { class: "tournament-page", key: "page" },
    h("p", { key: "facts" }, [
      standings && t(`sng.phase.${standings.phase}`),
      offer && `${t("sng.buy_in")}: ${money(offer.buy_in)} (${t("sng.of_fee", { fee: money(offer.fee) })})`,
      offer && `${t("sng.stack")}: ${wholeChips(offer.starting_stack)}`,
    ].filter(Boolean).join(" · ")),
    level && h("p", { key: "clock", class: "clock-line" }, h("strong", {}, t("sng.level", { level: level.level })), until !== null && [" ", h("pr-until", { ".until": until })]),
    h("div", { class: "columns", key: "columns" },
      list("players", t("sng.seats"), players(standings)),
      list("prizes", t("sng.prizes"), prizes.map((prize, index) => h("li", { key: index }, h("span", {}, `${index + 1}.`), h("strong", {}, money(prize))))),
      list("levels", t("sng.levels"), (offer?.levels ?? []).map((each, index) => levelLine(each, index, offer, level)))));
}

const list = (name, title, lines) => h("section", { key: name, class: name }, h("h3", {}, title), h("ol", {}, lines));

function players(standings) {
  if (standings === null || standings.players.length === 0) return [h("li", { key: "none" }, t("sng.no_players"))];
  const out = new Map(standings.places.map((place) => [place.name, place.place]));
  const shown = (player) => (out.has(player.name) ? t("sng.place", { place: out.get(player.name), name: player.name }) : player.name);
  return standings.players.map((player) => h("li", { key: player.name, class: out.has(player.name) ? "out" : null }, h("span", {}, shown(player)), player.stack !== null && h("span", {}, wholeChips(player.stack))));
}

function levelLine(each, index, offer, now) {
  const blinds = stakesOf(each, wholeChips);
  const ante = each.ante || each.big_blind_ante;
  const length = t(offer.level_unit === "hands" ? "sng.hands" : "sng.minutes", { count: offer.level_unit === "hands" ? each.length : Math.round(each.length / 6) / 10 });
  return h("li", { key: index, class: now?.level === index + 1 ? "now" : null },
    h("span", {}, `${index + 1}. ${blinds}`, ante > 0 && `, ${t("sng.ante", { amount: wholeChips(ante) })}`), h("span", {}, length, each.break_s > 0 && `, ${t("sng.break")}`));
}

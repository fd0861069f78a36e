/** The window that offers a rebuy to a player without chips, or the add-on in its break. */

import "./tournament_style.js";
import "./until.js";
import { tournamentOf } from "/client/pokerroom.js";
import { ask } from "./dialog.js";
import { money, speakMore, t, wholeChips } from "./i18n.js";
import { room } from "./room.js";
import { buyChips, isOver } from "./sit_and_go.js";
import { h } from "./view.js";

await speakMore("/locales/chip_sales");

/** Closes the window that is open for a tournament: the room may repeat an offer. */
const opened = new Map();

/** Open the window for a `chips_offered` of the room. It closes when the player has decided, or when the offer is over; then
 * a notice says why. */
export async function chipSaleWindow(offer) {
  const { tournament, kind, price, chips, number, left, until_ms } = offer;
  opened.get(tournament)?.();
  let [close, again, unwatch] = [null, null, null];
  const decide = async (message) => (await message) && close();
  const closed = ask(t(`sale.${kind}`), (end, refresh) => {
    [close, again] = [end, refresh];
    const isTooDear = price > room.balance;
    return [
      h("p", { key: "about" }, t(`sale.offer.${kind}`)),
      h("p", { key: "terms" }, t(`sale.terms.${kind}`, { chips: wholeChips(chips), price: money(price), left })),
      until_ms !== null && h("p", { key: "until", class: "row" }, h("span", {}, t("sale.time")), h("pr-until", { class: "tag on", ".until": until_ms })),
      isTooDear && h("p", { key: "dear", class: "problem" }, t("sale.too_dear", { balance: money(room.balance) })),
      h("div", { key: "do", class: "row end decide" },
        kind === "rebuy" && h("button", { key: "no", id: "decline-rebuy", onclick: () => decide(room.ask({ type: "decline_rebuy", tournament })) }, t("sale.decline")),
        h("button", { key: "yes", id: "buy-chips", class: "primary", disabled: !room.online || isTooDear, onclick: () => decide(buyChips(tournament, kind, number)) }, t("sale.buy"))),
    ];
  }, { onClosed: () => (unwatch(), room.removeEventListener("lobby", again), opened.get(tournament) === close && opened.delete(tournament)) });
  opened.set(tournament, close);
  room.addEventListener("lobby", again); // the wallet may have changed
  unwatch = watchOffer(offer, (why) => {
    unwatch();
    if (why) room.notify(`sale_over.${why}`, null, "told", { what: t(`sale.${kind}`) });
    close();
  });
  await closed;
}

/** Call `over` once the offer is over: with the code of a notice, or null where the room has told it. Return what ends the
 * watch. */
function watchOffer({ tournament, kind, until_ms }, over) {
  let seat = null;
  const look = () => {
    const tables = room.open.filter((table) => tournamentOf(table) === tournament && room.model(table)?.snapshot?.tournament);
    seat ??= tables.find((table) => room.sitsAt(table)) ?? null;
    const states = tables.map((table) => room.model(table).snapshot.tournament);
    const row = room.lobby?.tournaments.find((each) => each.tournament === tournament);
    if (states.some(isOver) || row?.ended_ms) return over("ended");
    // a player with chips in the break of the add-on is not out: without a seat such a player moves
    if (kind !== "rebuy" || !tables.includes(seat)) return null;
    const { own } = room.model(seat);
    return own === null ? over("out") : own.stack > 0 ? over("bought") : null;
  };
  const moves = ({ detail }) => tournamentOf(detail.table) === tournament && over(null);
  const timer = until_ms === null ? null : setTimeout(() => over("time"), until_ms - room.client.serverNow());
  for (const event of ["table", "lobby"]) room.addEventListener(event, look);
  room.addEventListener("moved", moves);
  queueMicrotask(look); // the window may have loaded for a while
  return () => {
    clearTimeout(timer);
    for (const event of ["table", "lobby"]) room.removeEventListener(event, look);
    room.removeEventListener("moved", moves);
  };
}

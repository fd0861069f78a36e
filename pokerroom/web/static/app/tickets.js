/** The window of the player's tickets: what each is worth, until when, and the next tournament that it pays. */

import { nextFirst } from "./best_seat.js";
import { ask } from "./dialog.js";
import { dayAndTime, money, speakMore, t } from "./i18n.js";
import { room } from "./room.js";
import { scheduledButton } from "./sit_and_go.js";
import { h } from "./view.js";

await speakMore("/locales/tickets");

export async function ticketsWindow() {
  let tickets = (await room.ask({ type: "get_tickets" }))?.tickets;
  if (!tickets) return;
  let again = () => {};
  const changed = () => ((tickets = room.lobby.tickets ?? tickets), again());
  room.addEventListener("lobby", changed);
  await ask(t("mtt.tickets"), (close, refresh) => {
    again = refresh;
    return [
      tickets.length === 0 ? h("p", { key: "none" }, t("tickets.none")) : table(tickets),
      h("p", { key: "about", class: "hint" }, t("tickets.about")),
      h("div", { key: "do", class: "row end" }, h("button", { type: "button", onclick: () => close() }, t("close"))),
    ];
  }, { wide: true, onClosed: () => room.removeEventListener("lobby", changed) });
}

const table = (tickets) => h("div", { class: "records tickets", key: "tickets" },
  h("table", {},
    h("caption", { class: "unseen" }, t("mtt.tickets")),
    h("thead", {}, h("tr", {},
      h("th", { scope: "col" }, t("tickets.tournament")), h("th", { scope: "col" }, t("tickets.until")), h("th", { scope: "col", class: "sum" }, t("tickets.worth")), h("th", { scope: "col" }, t("tickets.next")),
      h("th", { scope: "col" }, h("span", { class: "unseen" }, t("lobby.actions"))))),
    h("tbody", {}, tickets.map(line))));

function line(ticket, index) {
  const next = nextFirst(room.lobby?.tournaments ?? []).find((row) => row.offer === ticket.offer && row.buy_in === ticket.value && row.registration_open);
  const isIn = next && ["registered", "playing"].includes(next.your_status);
  return h("tr", { key: `${ticket.offer} ${ticket.expires_ms} ${index}` },
    h("th", { scope: "row" }, ticket.name, " ", h("span", { class: "tag" }, t(ticket.gift ? "tickets.gift" : "tickets.won"))),
    h("td", { "data-label": t("tickets.until") }, h("time", {}, dayAndTime(ticket.expires_ms))),
    h("td", { class: "sum", "data-label": t("tickets.worth") }, money(ticket.value)),
    h("td", { "data-label": t("tickets.next") }, next ? h("time", {}, dayAndTime(next.starts_ms)) : "–"),
    h("td", { class: "do" }, next && !isIn && scheduledButton(next)));
}

/** Notices about the player's own tickets: of new ones, and of one that ends soon. */

import { dayAndTime, money, speakMore } from "./i18n.js";
import { room } from "./room.js";
import { newsOf } from "./tickets_compared.js";

await speakMore("/locales/tickets");

/** Tell what is new between two lists of tickets; `before` is null where none is known yet. */
export function tellTickets(before, tickets) {
  for (const [code, { name, value, expires_ms }] of newsOf(before, tickets, room.client.serverNow())) {
    room.notify(code, null, "told", { name, amount: money(value), date: dayAndTime(expires_ms) });
  }
}

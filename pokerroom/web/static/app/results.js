/** The results of a private table in words. Knows no page. */

import { money, t } from "./i18n.js";

/** A net with its sign, so that it is read without colour. */
export const signed = (net, amount = money) => `${net > 0 ? "+" : net < 0 ? "−" : ""}${amount(Math.abs(net))}`;

/** "bob pays alice 12.50". */
export const payment = ({ payer, payee, amount }) => t("results.pays", { payer, payee, amount: money(amount) });

/** The whole as text for a group of friends: a heading, a line for each player, and the payments. */
export function resultsText(heading, { players, payments }) {
  return [heading, ...players.map(({ name, net }) => `${name} ${signed(net)}`), "", ...payments.map(payment)].join("\n").trim();
}

/** The window that offers a rebuy to a player without chips, or the add-on in its break. */

import "./until.js";
import { ask } from "./dialog.js";
import { money, t, wholeChips } from "./i18n.js";
import { room } from "./room.js";
import { buyChips } from "./sit_and_go.js";
import { h } from "./view.js";

/** Open the window for a `chips_offered` of the room. It closes when the player has decided. */
export async function chipSaleWindow(offer) {
  const { tournament, kind, price, chips, number, left, until_ms } = offer;
  await ask(t(`sale.${kind}`), (close) => {
    const decide = async (message) => (await message) && close();
    return [
      h("p", { key: "about" }, t(`sale.offer.${kind}`)),
      h("p", { key: "terms" }, t("sale.terms", { chips: wholeChips(chips), price: money(price), left })),
      until_ms !== null && h("p", { key: "until", class: "row" }, h("span", {}, t("sale.time")), h("pr-until", { class: "tag on", ".until": until_ms })),
      h("div", { key: "do", class: "row end" },
        kind === "rebuy" && h("button", { key: "no", id: "decline-rebuy", onclick: () => decide(room.ask({ type: "decline_rebuy", tournament })) }, t("sale.decline")),
        h("button", { key: "yes", id: "buy-chips", class: "primary", disabled: !room.online || price > room.balance, onclick: () => decide(buyChips(tournament, kind, number)) }, t("sale.buy"))),
    ];
  });
}

/** The pages *Players*: finding one by the whole name, and one player's account with its orders. */

import { money, t } from "../static/app/i18n.js";
import { View, h } from "../static/app/view.js";
import { pathOf } from "./desk.js";
import { orderButtons } from "./orders.js";
import { Page, desk, moment } from "./parts.js";

/** The form that leads to a player. */
const search = (name = "") =>
  h("form", { class: "row filters", role: "search", onsubmit: (event) => {
    event.preventDefault();
    const wanted = new FormData(event.target).get("name").trim();
    if (wanted) location.hash = `#players/${encodeURIComponent(wanted)}`;
  } },
  h("label", { class: "field" }, t("players.name"), h("input", { name: "name", type: "search", value: name, autocomplete: "off", maxlength: 40 })),
  h("button", { class: "primary" }, t("players.find")));

class Players extends View {
  render() {
    return [h("header", { class: "page-head", key: "head" }, h("h1", {}, t("page.players"))), search(), h("p", { class: "hint empty", key: "empty" }, t("players.hint"))];
  }
}

customElements.define("pr-players", Players);

class OnePlayer extends Page {
  everyMs = 5_000;

  ask() {
    return desk.get(pathOf("players", this.subject));
  }

  head(data) {
    return [h("a", { class: "back", href: "#players" }, t("back.players")), h("h1", {}, data?.name ?? this.subject), search()];
  }

  content(player) {
    const fact = (name, value) => [h("dt", { key: `${name}-name` }, t(`column.${name}`)), h("dd", { key: name }, value)];
    const excluded = player.excluded_until_ms === null ? t("player.for_ever") : t("player.until", { time: moment(player.excluded_until_ms) });
    return [
      h("dl", { class: "facts", key: "facts" },
        fact("account", String(player.account)),
        fact("wallet", money(player.wallet)),
        fact("tables", player.tables.length === 0 ? "–" : h("span", { class: "row" }, player.tables.map((table) => h("a", { key: table, href: `#tables/${encodeURIComponent(table)}` }, table)))),
        fact("locked", h("span", { class: `state ${player.is_locked ? "loud" : ""}` }, t(player.is_locked ? "yes" : "no"))),
        fact("excluded", player.is_excluded ? excluded : t("no"))),
      orderButtons({ group: "account", folder: "players", subject: player.name, name: player.name, orders: [player.is_locked ? "unlock" : "lock"], then: () => this.poll.refresh() }),
    ];
  }
}

customElements.define("pr-one-player", OnePlayer);

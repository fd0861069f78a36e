/** The settings dialog: settings of the account, and of this device. */

import { ask } from "./dialog.js";
import { LANGUAGES, currentLanguage, t } from "./i18n.js";
import { room } from "./room.js";
import { settings } from "./settings.js";
import { h } from "./view.js";

/** Languages load asynchronously. */
const COME_MS = 150;

/** Open the dialog. */
export function settingsWindow() {
  return ask(() => t("settings.title"), (_, refresh) => {
    const soon = () => setTimeout(refresh, COME_MS);
    const choice = (name, values, chosen) =>
      h("fieldset", { key: name }, h("legend", {}, t(`settings.${name}`)),
        h("div", { class: "choices" }, Object.entries(values).map(([value, text]) =>
          h("label", { key: value, class: "choice" }, h("input", { type: "radio", name, value, checked: chosen === value, onchange: () => (room.choose(name, value), soon()) }), text))));
    const box = (name) =>
      h("label", { key: name, class: "check" }, h("input", { type: "checkbox", checked: settings.get(name), onchange: (event) => (room.choose(name, event.target.checked), refresh()) }), t(`settings.${name}`));
    return [
      choice("language", LANGUAGES, currentLanguage()),
      h("fieldset", { key: "table", class: "boxes-list" }, h("legend", {}, t("settings.table")), ["chat", "side_bets", "muck_losing", "straddle"].map(box)),
      h("label", { key: "sounds", class: "volume" }, t("settings.sounds"), h("input", { type: "range", min: 0, max: 100, step: 10, value: String(settings.get("sounds")), onchange: (event) => room.choose("sounds", Number(event.target.value)) })),
      choice("theme", { auto: t("theme.auto"), dark: t("theme.dark"), light: t("theme.light") }, settings.get("theme")),
      choice("deck", { two: t("deck.two"), four: t("deck.four") }, settings.get("deck")),
      h("p", { key: "kept", class: "hint" }, t("settings.kept")),
      room.account && h("p", { key: "out", class: "row end" }, h("span", { class: "hint" }, t("settings.account", { name: room.account.name })), h("button", { onclick: () => room.logOut().catch(() => {}) }, t("log_out"))),
      h("p", { key: "server", class: "hint" }, room.server, " · ", h("a", { href: "/connect", target: "_blank", rel: "noopener" }, t("settings.connect"))),
    ];
  });
}

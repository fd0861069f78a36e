/** The settings dialog: settings of the account, and of this device. */

import { ask } from "./dialog.js";
import { LANGUAGES, currentLanguage, regionOfDates, speakMore, t } from "./i18n.js";
import { chooseNotifications } from "./notify.js";
import { limitsWindow, securityWindow } from "./on_demand.js";
import { room } from "./room.js";
import { settings } from "./settings.js";
import { h } from "./view.js";

await speakMore("/locales/settings");

/** Languages load asynchronously. */
const COME_MS = 150;

/** Open the dialog. */
export function settingsWindow() {
  return ask(() => t("settings.title"), (close, refresh) => {
    const soon = () => setTimeout(refresh, COME_MS);
    const choice = (name, values, chosen) =>
      h("fieldset", { key: name }, h("legend", {}, t(`settings.${name}`)),
        h("div", { class: "choices" }, Object.entries(values).map(([value, text]) =>
          h("label", { key: value, class: "choice" }, h("input", { type: "radio", name, value, checked: chosen === value, onchange: () => (room.choose(name, value), soon()) }), text))));
    const box = (name) =>
      h("label", { key: name, class: "check" }, h("input", { type: "checkbox", checked: settings.get(name), onchange: (event) => (room.choose(name, event.target.checked), refresh()) }), t(`settings.${name}`));
    const volume = (name) =>
      h("label", { key: name, class: "volume" }, t(`settings.${name}`), h("input", { type: "range", min: 0, max: 100, step: 10, value: String(settings.get(name)), onchange: (event) => room.choose(name, Number(event.target.value)) }));
    return [
      choice("language", LANGUAGES, currentLanguage()),
      h("fieldset", { key: "table", class: "boxes-list" }, h("legend", {}, t("settings.table")), ["chat", "side_bets", "muck_losing", "straddle"].map(box), room.has("opponents") && box("table_statistics"),
        h("label", { key: "own_sizes", class: "volume" }, t("settings.own_sizes"), h("input", { inputmode: "numeric", autocomplete: "off", maxlength: 20, placeholder: "75 150", value: settings.get("own_sizes"), onchange: (event) => settings.set("own_sizes", event.target.value) }))),
      h("fieldset", { key: "signals", class: "boxes-list" }, h("legend", {}, t("settings.signals")),
        volume("sounds"), volume("announcements"),
        "Notification" in globalThis && h("label", { key: "notifications", class: "check" }, h("input", { type: "checkbox", checked: settings.get("notifications"), onchange: (event) => chooseNotifications(event.target.checked).then(refresh) }), t("settings.notifications"))),
      choice("theme", { auto: t("theme.auto"), dark: t("theme.dark"), light: t("theme.light") }, settings.get("theme")),
      choice("deck", { two: t("deck.two"), four: t("deck.four") }, settings.get("deck")),
      h("p", { key: "kept", class: "hint" }, t("settings.kept")),
      room.account && h("p", { key: "out", class: "row end" }, h("span", { class: "hint signed-in" }, t("settings.account", { name: room.account.name })), room.has("limits") && h("button", { id: "limits", onclick: limitsWindow }, t("limits.title")), room.has("account_security") && h("button", { id: "security", onclick: securityWindow }, t("security.title")), h("button", { onclick: () => room.logOut().then(close, () => {}) }, t("log_out"))),
      room.account?.last_log_in_ms && h("p", { key: "last", class: "hint" }, t("settings.last_log_in", { time: new Intl.DateTimeFormat(regionOfDates(), { dateStyle: "medium", timeStyle: "short" }).format(room.account.last_log_in_ms) })),
      h("p", { key: "server", class: "hint" }, room.server, " · ", h("a", { href: "/connect", target: "_blank", rel: "noopener" }, t("settings.connect"))),
    ];
  });
}

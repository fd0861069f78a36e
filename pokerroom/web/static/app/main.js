/** The page: the bar, the lobby or the tables, and notices. */

import "./entrance.js";
import "./table.js";
import "./ultimate.js";
import { startAnnouncing } from "./announce.js";
import { liftNotices } from "./dialog.js";
import { addGame, elementOf } from "./games.js";
import { LANGUAGES, money, preferred, speak, t } from "./i18n.js";
import { icon } from "./icons.js";
import { startHosting } from "./hosting.js";
import { followLink } from "./invitation.js";
import { startKeys } from "./keys.js";
import { cashSection } from "./lobby.js";
import { TableModel } from "./model.js";
import { startNotifying } from "./notify.js";
import { cashierWindow, openHand, openRound, resumeSaving, settingsWindow } from "./on_demand.js";
import { startRealityChecks } from "./reality_check.js";
import { room } from "./room.js";
import { settings } from "./settings.js";
import { scheduledSection, sitAndGoSection, startChipSales, startDeals, startTickets, tableTitle } from "./sit_and_go.js";
import { startSounds } from "./sound.js";
import { startSpeaking } from "./speak.js";
import { ultimateSection } from "./ultimate_lobby.js";
import { UltimateModel } from "./ultimate_model.js";
import { View, h } from "./view.js";
import { helpWindow } from "./windows.js";

addGame({ kind: "cash", lines: (lobby) => lobby.tables.filter((info) => !info.offer), section: cashSection, element: "pr-table", Model: TableModel, owns: (snapshot) => snapshot.type === "snapshot" });
addGame({ kind: "sit_and_go", lines: (lobby) => lobby.sit_and_gos, section: sitAndGoSection, element: "pr-table", Model: TableModel, owns: () => false });
addGame({ kind: "tournament", lines: (lobby) => lobby.tournaments, section: scheduledSection, optional: true, element: "pr-table", Model: TableModel, owns: () => false });
addGame({ kind: "ultimate", lines: (lobby) => lobby.ultimate ?? [], section: ultimateSection, element: "pr-ultimate", Model: UltimateModel, owns: (snapshot) => snapshot.type === "ultimate_snapshot" });

class App extends View {
  /** The one table that a narrow page shows. */
  #front = null;
  /** The newest notice that was shown. */
  #told = null;

  connectedCallback() {
    super.connectedCallback();
    const again = () => this.update();
    room.addEventListener("change", again);
    room.addEventListener("table", again);
    room.addEventListener("moved", ({ detail }) => this.#front === detail.old && (this.#front = detail.table));
    settings.addEventListener("change", again);
    document.addEventListener("fullscreenchange", again);
    addEventListener("hashchange", () => (this.#follow(), this.update()));
    room.client.addEventListener("authenticated", () => (this.#follow(), settings.get("saves_hands") && resumeSaving()));
    this.#follow();
    document.addEventListener("pr-focus", ({ detail }) => this.#show(detail));
  }

  update() {
    super.update();
    const newest = room.notices.at(-1)?.key ?? null;
    if (newest === this.#told) return;
    this.#told = newest;
    liftNotices();
  }

  get #place() {
    return location.hash === "#tables" && room.open.length > 0 ? "tables" : "lobby";
  }

  /** Open the private table of an address like `#table=CODE`, or the hand or round of one like `#hand/ID`; with a hand the
   * page stays where it was. */
  #follow() {
    followLink();
    const [, kind, id] = /^#(hand|round)\/(.+)$/.exec(location.hash) ?? [];
    if (!id || !room.account) return;
    history.replaceState(null, "", room.open.length > 0 ? "#tables" : "#lobby");
    (kind === "hand" ? openHand : openRound)(decodeURIComponent(id));
  }

  #show(table) {
    this.#front = table;
    if (location.hash !== "#tables") location.hash = "#tables";
    this.update();
  }

  render() {
    const entered = room.account !== null;
    const asked = entered && room.open.some((table) => room.model(table)?.ownTurn);
    document.title = asked ? `● ${t("dock.your_turn")} – ${t("bar.title")}` : t("bar.title");
    document.body.classList.toggle("playing", entered && this.#place === "tables");
    if (!room.open.includes(this.#front)) this.#front = room.open.at(-1) ?? null;
    return [
      h("header", { class: "bar", key: "bar" },
        h("a", { class: "brand", href: "#lobby", "aria-label": t("bar.lobby") }, h("img", { src: "/icon.svg", alt: "", width: 28, height: 28 }), h("span", {}, t("bar.title"))),
        entered && h("nav", { "aria-label": t("bar.places") },
          h("a", { key: "lobby", href: "#lobby", "aria-current": this.#place === "lobby" ? "page" : null }, t("bar.lobby")),
          room.open.map((table) => this.#tab(table))),
        h("div", { class: "right" },
          entered && h("span", { class: "me" }, h("span", { class: "name" }, room.account.name), h("button", { class: "wallet", "aria-label": t("cashier.open", { amount: money(room.balance) }), title: t("cashier.title"), onclick: cashierWindow }, money(room.balance))),
          document.fullscreenEnabled && h("button", { class: "icon", id: "fullscreen", "aria-pressed": String(document.fullscreenElement !== null), "aria-label": t("bar.fullscreen"), title: t("bar.fullscreen"), onclick: fullscreen }, icon("fullscreen")),
          h("button", { class: "icon", id: "help", "aria-label": t("keys.help"), title: t("keys.help"), onclick: helpWindow }, icon("help")),
          h("button", { class: "icon", id: "settings", "aria-label": t("settings.title"), title: t("settings.title"), onclick: settingsWindow }, icon("settings")))),
      this.#connection(),
      h("main", { key: "main", id: "main" }, entered ? this.#inside() : room.client.token !== null && !room.ended ? h("p", { class: "hint wait" }, t("connection.connecting")) : h("pr-entrance", {})),
      h("div", { class: "notices", key: "notices", role: "status", popover: "manual" }, room.notices.map((notice) =>
        h("p", { key: notice.key, class: notice.kind }, notice.text ?? t(`notice.${notice.code}`, notice.values)))),
    ];
  }

  #inside() {
    if (this.#place === "lobby") return [this.#announcements(), h("pr-lobby", { key: "lobby" })];
    return [h("h1", { class: "unseen", key: "heading" }, t("bar.tables")), h("div", { class: "floor", key: "tables", "data-tables": room.open.length }, room.open.map((table) => {
      const snapshot = room.model(table)?.snapshot;
      const element = snapshot ? elementOf(snapshot) : "pr-table";
      return h(element, { key: `${element} ${table}`, ".table": table, role: "region", class: table === this.#front ? "front" : null });
    }))];
  }

  #announcements() {
    const shown = room.announcements.filter(({ table }) => table === null || room.open.includes(table));
    return shown.length > 0 && h("section", { key: "announcements", class: "announcements", "aria-label": t("announcements") }, shown.map(({ number, text }) => h("p", { key: number }, text)));
  }

  #tab(table) {
    const model = room.model(table);
    const asks = model?.ownTurn ?? null;
    const together = innerHeight > 500 && innerWidth >= (room.open.length > 2 ? 900 : 760); // as the style sheets have it
    const current = this.#place === "tables" && (this.#front === table || together);
    return h("a", {
      key: table, href: "#tables", class: asks ? "asks" : null, "aria-current": current ? "page" : null,
      onclick: () => this.#show(table),
    }, model?.info ? tableTitle(model.info) : table, asks && h("span", { class: "unseen" }, ` – ${t("dock.your_turn")}`));
  }

  #connection() {
    if (room.ended) {
      return h("div", { class: "line ended", key: "line", role: "alert" }, t(`error.${room.ended}`), " ", h("button", { onclick: () => room.takeBack() }, t("connection.here")));
    }
    const { state } = room.client;
    const away = state === "waiting" || (state === "connecting" && room.client.welcome !== null);
    return away && h("div", { class: "line", key: "line", role: "status" }, t("connection.lost"));
  }
}

const fullscreen = () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()).catch(() => {}); // the browser may refuse

/** Set colours and deck on the page's root. */
function dress() {
  const root = document.documentElement;
  root.dataset.theme = settings.get("theme");
  root.dataset.deck = settings.get("deck");
}

async function changed() {
  dress();
  const wanted = settings.get("language");
  if (wanted in LANGUAGES && wanted !== document.documentElement.dataset.language) {
    document.documentElement.dataset.language = wanted;
    await speak(wanted);
    room.dispatchEvent(new Event("change"));
    for (const table of room.open) room.dispatchEvent(new CustomEvent("table", { detail: table }));
  }
}

dress();
const language = settings.get("language") ?? preferred(navigator.languages);
document.documentElement.dataset.language = language;
await speak(language);
settings.addEventListener("change", changed);
customElements.define("pr-app", App);
startKeys();
startHosting();
startSpeaking();
startSounds();
startAnnouncing();
startDeals();
startTickets();
startChipSales();
startNotifying();
startRealityChecks();
room.start();

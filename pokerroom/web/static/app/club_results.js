/** What the members of a club have won and lost in a period, who pays whom, and the same as a file. */

import { ask } from "./dialog.js";
import { t } from "./i18n.js";
import { signed } from "./results.js";
import { paymentsPart } from "./results_window.js";
import { room } from "./room.js";
import { saveFile } from "./save_file.js";
import { h } from "./view.js";

const DAY_MS = 86_400_000;

/** When each period began; an evening begins at noon. */
const SINCE = {
  evening: () => {
    const noon = new Date().setHours(12, 0, 0, 0);
    return noon > Date.now() ? noon - DAY_MS : noon;
  },
  week: () => Date.now() - 7 * DAY_MS,
  month: () => Date.now() - 30 * DAY_MS,
  ever: () => 0,
};

export async function clubResultsWindow({ club, name }) {
  const state = { period: "evening", results: null };
  await ask(`${name}: ${t("menu.results")}`, (close, refresh) => {
    const look = async (period) => {
      state.period = period;
      const results = await room.ask({ type: "get_club_results", club, since_ms: SINCE[period]() });
      if (state.period === period) state.results = results ?? { players: [], payments: [] };
      refresh();
    };
    if (state.results === null) {
      state.results = { players: [], payments: [] };
      look(state.period);
    }
    const { players, payments } = state.results;
    return [
      h("label", { key: "period", class: "field" }, t("clubs.period"),
        h("select", { id: "period", onchange: (event) => look(event.target.value) }, Object.keys(SINCE).map((each) => h("option", { key: each, value: each, selected: each === state.period }, t(`clubs.period.${each}`))))),
      players.length === 0 ? h("p", { key: "none" }, t("clubs.no_results")) : [
        h("ul", { class: "guests", id: "nets", key: "players" }, players.map(({ name: player, net }) =>
          h("li", { key: player }, h("b", {}, player), h("span", { class: net > 0 ? "sum gain" : "sum" }, signed(net))))),
        paymentsPart(payments),
      ],
      h("div", { key: "do", class: "row end" },
        h("button", { type: "button", onclick: () => close() }, t("close")),
        h("button", { id: "save-csv", class: "primary", disabled: players.length === 0, onclick: () => saveFile([csv(players)], `${name.replace(/[^\p{L}\p{N} ._-]/gu, "_")}.csv`, "text/csv") }, t("clubs.csv"))),
    ];
  }, { wide: true });
}

/** A line for each player. Names have no comma and no quote. */
const csv = (players) => ["player,net", ...players.map(({ name, net }) => `${name},${plain(net)}`)].join("\r\n") + "\r\n";

/** An amount for programs: "-12.50" in every language. */
const plain = (net) => `${net < 0 ? "-" : ""}${Math.floor(Math.abs(net) / 100)}.${String(Math.abs(net) % 100).padStart(2, "0")}`;

/** The page *Charts*: what all nodes counted over an hour, six hours or a day. */

import { t } from "../static/app/i18n.js";
import { h } from "../static/app/view.js";
import "./chart.js";
import { Page, desk, minuteOf } from "./parts.js";
import { CHARTS, countsSince, course, drawn, isKnown, sums, timesOf } from "./series.js";

/** The periods that are offered, in minutes, with the minutes of a step. */
const PERIODS = { hour: [60, 1], hours: [360, 5], day: [1_440, 10] };

/** What is shown stays while the console is open. */
const wanted = { period: "day", node: "" };

class Charts extends Page {
  everyMs = 30_000; // a minute is counted when it is over
  /** The time that is pointed at in every chart, null for the last one. */
  #at = null;

  async ask() {
    const [minutes, step] = PERIODS[wanted.period];
    const [counted, nodes] = await Promise.all([desk.get("/charts", { minutes, step }), desk.get("/nodes")]);
    return { counted, nodes, period: wanted.period };
  }

  head(data) {
    const names = (data?.counted ?? []).map(({ node }) => node);
    const choose = (name) => (event) => {
      wanted[name] = event.target.value;
      this.#point(null);
      this.poll.refresh();
    };
    return [
      h("a", { class: "back", href: "#now" }, t("page.now")),
      h("h1", {}, t("charts")),
      h("div", { class: "row filters" },
        h("label", { class: "field" }, t("charts.period"), h("select", { id: "period", onchange: choose("period") },
          Object.keys(PERIODS).map((period) => h("option", { key: period, value: period, selected: period === wanted.period }, t(`charts.period.${period}`))))),
        names.length > 1 && h("label", { class: "field" }, t("column.node"), h("select", { id: "node", onchange: choose("node") },
          ["", ...names].map((name) => h("option", { key: name, value: name, selected: name === wanted.node }, name || t("charts.all_nodes")))))),
    ];
  }

  content({ counted, nodes }) {
    const chosen = counted.filter(({ node }) => node === wanted.node);
    const shown = chosen.length > 0 ? chosen : counted;
    const lined = drawn(shown);
    const times = timesOf(shown);
    return [
      this.#hints(counted, shown, lined, nodes),
      isKnown(shown)
        ? h("div", { class: "charts", key: "charts" }, CHARTS.map((chart) => h("pr-chart", { key: chart.name, class: "chart", ".chart": {
          ...chart, times, stepMs: shown[0].step * 60_000, at: this.#at, point: (at) => this.#point(at),
          lines: chart.ofNodes === undefined
            ? chart.lines.map((name) => ({ name: t(`now.${name}`), values: sums(shown.map((node) => course(node, name, chart.unit, times))) }))
            : lined.map((node) => ({ name: node.node, values: course(node, chart.ofNodes, chart.unit, times) })),
        } })))
        : h("p", { class: "hint empty", key: "charts" }, t("charts.empty")),
    ];
  }

  /** What the charts lack: nodes that have gone, or that began within their time. */
  #hints(counted, shown, lined, nodes) {
    const missing = nodes.filter(({ node }) => !counted.some((each) => each.node === node))
      .map(({ node, living }) => `${node} (${t(living ? "node.silent" : "node.gone")})`);
    const since = shown.map((node) => [node.node, countsSince(node)]).filter(([, at]) => at !== null);
    return h("div", { class: "hints", key: "hints" },
      h("p", { class: "hint", key: "about" }, t("charts.about", { minutes: shown[0].step })),
      since.length > 0 && h("p", { class: "hint", key: "since" }, t("charts.since", { nodes: since.map(([name, at]) => `${name} (${minuteOf(at)})`).join(", ") })),
      missing.length > 0 && h("p", { class: "hint", key: "missing" }, t("charts.missing", { nodes: missing.join(", ") })),
      lined.length < shown.length && h("p", { class: "hint", key: "busiest" }, t("charts.busiest", { drawn: lined.length, all: shown.length })));
  }

  #point(at) {
    this.#at = at;
    this.update();
  }
}

customElements.define("pr-charts", Charts);

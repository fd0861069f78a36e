/** The page *Now*: nodes, readiness, tables by state, hands per second, connections. */

import { t } from "../static/app/i18n.js";
import { h } from "../static/app/view.js";
import { announcementSection } from "./announcements.js";
import { byState, connections, drainOf, fittingNodeOrders, rate, uptime, withSample } from "./facts.js";
import { orderButtons } from "./orders.js";
import { Page, desk, figure, number, percent, records, stateTag } from "./parts.js";

/** Announcements that are shown: no more than so many are not over. */
const ANNOUNCED = 8;

class Now extends Page {
  #samples = [];

  async ask() {
    const [now, nodes, tables, announcements] = await Promise.all([desk.get("/now"), desk.get("/nodes"), desk.get("/tables"), desk.get("/announcements", { limit: ANNOUNCED })]);
    this.#samples = withSample(this.#samples, now);
    return { now, nodes, tables, announcements };
  }

  head() {
    return [h("h1", {}, t("page.now")), desk.may("charts") && h("a", { href: "#now/charts" }, t("charts.link"))];
  }

  content({ now, nodes, tables, announcements }) {
    const ready = now.filter((node) => node.reasons.length === 0).length;
    const per = (name) => {
      const found = rate(this.#samples, name);
      return found === null ? "…" : number(found, 1);
    };
    return [
      h("dl", { class: "figures", key: "figures" },
        figure("now.ready", `${number(ready)} / ${number(nodes.length)}`),
        figure("now.connections", number(connections(now))),
        figure("now.hands", per("hands"), t("now.per_second")),
        figure("now.rounds", per("rounds"), t("now.per_second")),
        figure("now.actions", per("actions"), t("now.per_second")),
        figure("now.seats", number(nodes.reduce((sum, node) => sum + node.seats, 0)))),
      h("section", { key: "tables" },
        h("h2", {}, t("now.tables")),
        tables.length === 0
          ? h("p", { class: "hint" }, t("tables.empty"))
          : h("ul", { class: "states" }, byState(tables).map(([state, count]) => h("li", { key: state }, stateTag(state), h("strong", {}, number(count)))))),
      h("section", { key: "nodes" },
        h("h2", {}, t("now.nodes")),
        records({
          caption: t("now.nodes"), empty: t("now.no_nodes"),
          columns: ["node", "readiness", "tables", "seats", "connections", "rate", "processor", "uptime", ...(desk.may("node.drain") ? ["orders"] : [])],
          rows: nodes.map((node) => this.#row(node, now.find((each) => each.node === node.node), nodes)),
        })),
      announcementSection(announcements, tables, () => this.poll.refresh()),
    ];
  }

  #row(node, now, nodes) {
    const own = this.#samples.map((sample) => sample.filter((each) => each.node === node.node));
    const [hands, processor] = [rate(own, "hands"), rate(own, "processor_ms")];
    const words = ["leader", drainOf(node), "suspended"].filter((name) => node[name] || name === "drained").map((name) => t(`node.${name}`));
    return {
      key: node.node,
      cells: {
        node: [node.node, words.map((word) => h("span", { key: word, class: "tag" }, word))],
        readiness: readiness(node, now),
        tables: number(node.tables.length), seats: number(node.seats),
        connections: now ? number(connections([now])) : "–",
        rate: hands === null ? "–" : number(hands, 1),
        processor: processor === null ? "–" : percent(processor / 1_000),
        uptime: node.living ? uptime(node.uptime_s) : "–",
        orders: orderButtons({ group: "node", folder: "nodes", subject: node.node, name: node.node, orders: now ? fittingNodeOrders(node, nodes) : [], then: () => this.poll.refresh() }),
      },
    };
  }
}

function readiness(node, now) {
  if (!node.living) return h("span", { class: "state loud" }, t("node.gone"));
  if (!now) return h("span", { class: "state loud" }, t("node.silent"));
  if (now.reasons.length === 0) return h("span", { class: "state good" }, t("node.ready"));
  return [h("span", { class: "state loud" }, t("node.not_ready")), ` ${now.reasons.join("; ")}`];
}

customElements.define("pr-now", Now);

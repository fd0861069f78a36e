/** One chart: its numbers at a time that is pointed at, lines over time, and the same as a table. */

import { t } from "../static/app/i18n.js";
import { View, h } from "../static/app/view.js";
import { hourOf, minuteOf, number, percent } from "./parts.js";
import { HEIGHT, WIDTH, across, down, lastKnown, lineOf, placeAfter, scaleOf, ticksOf } from "./series.js";

/** A number with its unit, where it stands alone. */
const SHOWN = {
  number: (value) => number(value),
  per_minute: (value) => number(value, value < 10 && value % 1 !== 0 ? 1 : 0),
  per_second: (value) => number(value, value < 10 && value % 1 !== 0 ? 1 : 0),
  percent: (value) => percent(value / 100),
  ms: (value) => `${number(value, value % 1 === 0 ? 0 : 1)} ms`,
};

class Chart extends View {
  #chart;
  #isOpen = false;

  /** `lines` have names and values, one for each of `times`; `at` is the time that is pointed at, `point` is told another. */
  set chart(chart) {
    this.#chart = chart;
    this.update();
  }

  render() {
    const { name, unit, lines, times, stepMs, at } = this.#chart;
    const pointed = times.indexOf(at);
    const place = pointed < 0 ? lastKnown(lines.map(({ values }) => values)) : pointed;
    const ticks = scaleOf(Math.max(0, ...lines.flatMap(({ values }) => values.filter((value) => value !== null))), unit === "number");
    const told = lines.map(({ name: line, values }) => [line, this.#text(values[place])]);
    return [
      h("h2", { key: "name" }, t(`chart.${name}`), " ", h("small", {}, t(`chart.unit.${name}`))),
      h("ul", { class: "legend", key: "legend" },
        lines.map(({ name: line }, kind) => h("li", { key: line }, sample(kind), h("span", {}, line), h("strong", {}, told[kind][1])))),
      h("p", { class: "hint at", key: "at" }, minuteOf(times[place])),
      h("div", { class: "plot", key: "plot" },
        h("div", { class: "scale", key: "scale", "aria-hidden": "true" }, ticks.map((tick) => h("span", { key: tick, style: { top: `${down(tick, ticks.at(-1))}%` } }, this.#text(tick)))),
        h("div", {
          class: "field", key: "field", role: "slider", tabindex: "0", "aria-label": t(`chart.${name}`),
          "aria-valuemin": "0", "aria-valuemax": String(times.length - 1), "aria-valuenow": String(place),
          "aria-valuetext": `${minuteOf(times[place])}: ${told.map((each) => each.join(" ")).join(", ")}`,
          onkeydown: (event) => this.#moved(event, place), onblur: () => this.#chart.point(null),
          onpointermove: (event) => this.#pointed(event), onpointerdown: (event) => this.#pointed(event),
          onpointerleave: (event) => event.pointerType === "mouse" && this.#chart.point(null),
        }, drawing(lines, ticks, place, pointed >= 0)),
        h("div", { class: "hours", key: "hours", "aria-hidden": "true" }, ticksOf(times, stepMs).map(({ time, share }) => h("span", { key: time, style: { left: `clamp(1.4em, ${100 * share}%, 100% - 1.4em)` } }, hourOf(time))))),
      this.#table(lines, times),
    ];
  }

  /** The numbers, the latest first; made when they are opened. */
  #table(lines, times) {
    return h("details", { key: "table", ontoggle: (event) => ((this.#isOpen = event.target.open), this.update()) },
      h("summary", {}, t("charts.table")),
      this.#isOpen && h("div", { class: "numbers", key: "numbers", tabindex: "0", role: "region", "aria-label": t(`chart.${this.#chart.name}`) }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col", key: "time" }, t("column.time")), lines.map(({ name }) => h("th", { key: name, scope: "col" }, name)))),
        h("tbody", {}, times.map((time, place) => h("tr", { key: time },
          h("th", { scope: "row", key: "time" }, minuteOf(time)), lines.map(({ name, values }) => h("td", { key: name }, this.#text(values[place]))))).reverse()))));
  }

  #text(value) {
    return value === null || value === undefined ? "–" : SHOWN[this.#chart.unit](value);
  }

  #moved(event, place) {
    const next = placeAfter(event.key, place, this.#chart.times.length);
    if (next === null) return;
    event.preventDefault();
    this.#chart.point(this.#chart.times[next]);
  }

  #pointed(event) {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const { times, point } = this.#chart;
    const place = Math.floor(((event.clientX - left) / width) * times.length);
    point(times[Math.min(times.length - 1, Math.max(0, place))]);
  }
}

/** The lines on a grid; the page stretches them, and not their strokes. */
function drawing(lines, ticks, place, isPointed) {
  const top = ticks.at(-1);
  const count = lines[0].values.length;
  const [x, width] = [across(place, count), WIDTH];
  return h("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
    ticks.map((tick) => h("path", { key: `grid ${tick}`, class: "grid", d: `M0 ${down(tick, top)}H${width}` })),
    isPointed && h("path", { key: "pointer", class: "pointer", d: `M${x} 0V${HEIGHT}` }),
    lines.map(({ name, values }, kind) => h("path", { key: name, class: `line kind-${kind}`, d: lineOf(values, top) })),
    isPointed && lines.map(({ name, values }, kind) => values[place] !== null && h("path", { key: `dot ${name}`, class: `dot kind-${kind}`, d: `M${x} ${down(values[place], top)}h0.01` })));
}

/** A piece of a line of this kind. */
const sample = (kind) => h("svg", { viewBox: "0 0 34 10", "aria-hidden": "true", focusable: "false" }, h("path", { class: `line kind-${kind}`, d: "M1 5H33" }));

customElements.define("pr-chart", Chart);

/** What is drawn of the answers of `/charts`: numbers by time, scales and lines. Knows no page. */

const MINUTE_MS = 60_000;

/** How wide and high a chart is in the units of its lines; the page stretches it. */
export const [WIDTH, HEIGHT] = [1_000, 100];

/** As many nodes have lines of their own as there are kinds of lines. */
export const LINES_MAX = 6;

/** The charts in their order. `lines` are of all nodes together, `ofNodes` has a line for each node. */
export const CHARTS = [
  { name: "people", lines: ["connections", "seats"], unit: "number" },
  { name: "hands", lines: ["hands", "rounds"], unit: "per_minute" },
  { name: "actions", lines: ["actions"], unit: "per_second" },
  { name: "processor", ofNodes: "processor", unit: "percent" },
  { name: "action_us", ofNodes: "action_us", unit: "ms" },
  { name: "settlement_us", ofNodes: "settlement_us", unit: "ms" },
  { name: "refusals", lines: ["refusals"], unit: "per_minute" },
  { name: "faults", lines: ["faults"], unit: "number" },
];

/** A number of the room in the unit of its chart, from that of a step and the minutes that are known of it. */
const IN_UNIT = {
  number: (value) => value,
  per_minute: (value, minutes) => value / minutes,
  per_second: (value, minutes) => value / minutes / 60,
  percent: (value) => value / 10,
  ms: (value) => value / 1_000,
};

/** The beginnings of the steps of all nodes; their clocks may differ by two steps. */
export function timesOf(nodes) {
  if (nodes.length === 0) return [];
  const step = nodes[0].step * MINUTE_MS;
  const first = Math.min(...nodes.map(({ first_ms }) => first_ms));
  const last = Math.max(...nodes.map(({ first_ms, minutes }) => first_ms + (minutes.length - 1) * step));
  return Array.from({ length: (last - first) / step + 1 }, (_, place) => first + place * step);
}

/** The numbers of a node at these times, null where it knows none. */
export function course(node, name, unit, times) {
  return times.map((time) => {
    const place = (time - node.first_ms) / (node.step * MINUTE_MS);
    const value = node[name][place] ?? null;
    return value === null ? null : IN_UNIT[unit](value, node.minutes[place]);
  });
}

/** Sums of these courses, null where one has a gap. Before its first number and after its last one a course adds nothing. */
export function sums(courses) {
  const spans = courses.map((each) => [each.findIndex((value) => value !== null), each.findLastIndex((value) => value !== null)]);
  const hasGap = (place) => courses.some((each, of) => each[place] === null && spans[of][0] < place && place < spans[of][1]);
  return courses[0].map((_, place) => {
    const known = courses.map((each) => each[place]).filter((value) => value !== null);
    return known.length === 0 || hasGap(place) ? null : known.reduce((sum, value) => sum + value, 0);
  });
}

/** The nodes that are drawn: those with the greatest load, in the order of their names. */
export function drawn(nodes) {
  const load = new Map(nodes.map((node) => [node.node, Math.max(0, ...node.processor.map((each) => each ?? 0))]));
  const busiest = new Set([...load].sort(([, one], [, other]) => other - one).slice(0, LINES_MAX).map(([name]) => name));
  return nodes.filter(({ node }) => busiest.has(node));
}

/** When a node has its first number, null if it has one from the first step on, or none. */
export function countsSince({ first_ms, step, minutes }) {
  const place = minutes.findIndex((known) => known > 0);
  return place > 0 ? first_ms + place * step * MINUTE_MS : null;
}

/** Whether any number is known. */
export const isKnown = (nodes) => nodes.some(({ minutes }) => minutes.some((known) => known > 0));

/** Round numbers from 0 to the top of a chart: four or fewer steps. `whole`: no fractions of one. */
export function scaleOf(most, whole = false) {
  const wanted = Math.max(most, Number.MIN_VALUE) / 4;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const fits = (step) => step >= wanted * 0.999999 && !(whole && step % 1 !== 0);
  const step = (most > 0 && [1, 2, 2.5, 5, 10].map((each) => each * power).find(fits)) || 1;
  const count = Math.max(1, Math.ceil(most / step - 0.000001));
  return Array.from({ length: count + 1 }, (_, place) => place * step);
}

/** Where the middle of a step is, from left to right. */
export const across = (place, count) => ((place + 0.5) / count) * WIDTH;

/** Where a number is, from the top. */
export const down = (value, top) => HEIGHT - (value / top) * HEIGHT;

/** The line of a course, broken where a number is not known. A number alone is a dot. */
export function lineOf(values, top) {
  const parts = values.map((value, place) => {
    if (value === null) return "";
    const at = `${round(across(place, values.length))} ${round(down(value, top))}`;
    if ((values[place - 1] ?? null) !== null) return `L${at}`;
    return (values[place + 1] ?? null) === null ? `M${at}h0.01` : `M${at}`;
  });
  return parts.join("");
}

const round = (value) => Math.round(value * 100) / 100;

/** The whole hours or quarters of the reader's clock below a chart, five or six at most. */
export function ticksOf(times, stepMs) {
  if (times.length === 0) return [];
  const [first, end] = [times[0], times.at(-1) + stepMs];
  const hours = (end - first) / 3_600_000;
  const every = hours <= 1.5 ? 15 : hours <= 8 ? 60 * Math.ceil(hours / 5) : 360 * Math.ceil(hours / 24);
  const found = [];
  for (let time = Math.ceil(first / (15 * MINUTE_MS)) * 15 * MINUTE_MS; time < end; time += 15 * MINUTE_MS) {
    const at = new Date(time);
    if ((at.getHours() * 60 + at.getMinutes()) % every === 0) found.push({ time, share: (time - first) / (end - first) });
  }
  return found;
}

/** The place of the last number that is known, or of the last step. */
export function lastKnown(courses) {
  const count = courses[0]?.length ?? 0;
  for (let place = count - 1; place >= 0; place -= 1) if (courses.some((each) => each[place] !== null)) return place;
  return Math.max(0, count - 1);
}

/** The place to which a key moves, null for another key. */
export function placeAfter(key, place, count) {
  const moves = { ArrowLeft: place - 1, ArrowDown: place - 1, ArrowRight: place + 1, ArrowUp: place + 1, PageDown: place - 10, PageUp: place + 10, Home: 0, End: count - 1 };
  return key in moves ? Math.min(count - 1, Math.max(0, moves[key])) : null;
}

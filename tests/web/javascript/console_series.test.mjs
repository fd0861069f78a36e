// What the operators' console draws of what the nodes counted.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CHARTS, LINES_MAX, across, countsSince, course, down, drawn, isKnown, lastKnown, lineOf, placeAfter, scaleOf, sums, ticksOf, timesOf } from "../../../pokerroom/web/console/series.js";

const MINUTE = 60_000;
const node = (name, first, minutes, fields = {}) => ({ node: name, first_ms: first * MINUTE, step: 10, minutes, processor: minutes.map(() => 0), ...fields });

test("nodes with different clocks are put together by time", () => {
  const nodes = [node("a", 0, [10, 10], { seats: [1, 2] }), node("b", 10, [10, 10], { seats: [5, 6] })];
  const times = timesOf(nodes);
  assert.deepEqual(times, [0, 10 * MINUTE, 20 * MINUTE]);
  assert.deepEqual(sums(nodes.map((each) => course(each, "seats", "number", times))), [1, 7, 6]);
  assert.deepEqual(timesOf([]), []);
});

test("a rate is that of the known minutes, and a gap is no zero", () => {
  const one = node("a", 0, [10, 0, 2], { hands: [100, null, 8] });
  const times = timesOf([one]);
  assert.deepEqual(course(one, "hands", "per_minute", times), [10, null, 4]);
  assert.deepEqual(course(one, "hands", "per_second", times), [10 / 60, null, 4 / 60]);
  assert.deepEqual(sums([course(one, "hands", "per_minute", times), [1, null, null]]), [11, null, 4]);
});

test("a gap of one node is a gap of the sum", () => {
  assert.deepEqual(sums([[100, 100, 100], [100, null, 100]]), [200, null, 200]);
  assert.deepEqual(sums([[100, 100, 100], [null, 7, null]]), [100, 107, 100]);
  assert.deepEqual(sums([[null, 1], [null, null]]), [null, 1]);
});

test("loads are in percent of a processor, times in milliseconds", () => {
  const one = node("a", 0, [10], { processor: [255], action_us: [2_500] });
  assert.deepEqual(course(one, "processor", "percent", [0]), [25.5]);
  assert.deepEqual(course(one, "action_us", "ms", [0]), [2.5]);
});

test("the busiest nodes are drawn, in the order of their names", () => {
  const nodes = Array.from({ length: 9 }, (_, each) => node(`n${each}`, 0, [10, 0], { processor: [each === 0 ? 900 : each, null] }));
  assert.deepEqual(drawn(nodes).map((each) => each.node), ["n0", "n4", "n5", "n6", "n7", "n8"]);
  assert.equal(drawn(nodes).length, LINES_MAX);
});

test("a node that has started in the time that is shown tells since when it counts", () => {
  assert.equal(countsSince(node("a", 0, [0, 0, 4])), 20 * MINUTE);
  assert.equal(countsSince(node("a", 0, [10, 0])), null);
  assert.equal(countsSince(node("a", 0, [0, 0])), null);
  assert.equal(isKnown([node("a", 0, [0, 0])]), false);
  assert.equal(isKnown([node("a", 0, [0, 1])]), true);
});

test("a scale has round numbers, begins with 0 and holds the greatest", () => {
  assert.deepEqual(scaleOf(0), [0, 1]);
  assert.deepEqual(scaleOf(371), [0, 100, 200, 300, 400]);
  assert.deepEqual(scaleOf(1, true), [0, 1]);
  assert.deepEqual(scaleOf(10, true), [0, 5, 10]);
  assert.deepEqual(scaleOf(0.3), [0, 0.1, 0.2, 0.30000000000000004]);
  for (const most of [0.004, 0.5, 1, 3, 7, 9.99, 10, 99, 100, 1_234, 86_399]) {
    for (const whole of [false, true]) {
      const ticks = scaleOf(most, whole);
      assert.ok(ticks.length <= 5 && ticks.length >= 2, String(most));
      assert.ok(ticks.at(-1) >= most * 0.9999 && (whole || ticks.at(-2) < most), String(most));
      assert.ok(!whole || ticks.every(Number.isInteger), String(most));
    }
  }
});

test("a line is broken where a number is not known, and a number alone is a dot", () => {
  assert.equal(lineOf([0, 10, null, 5, null, null, 10, 10], 10), "M62.5 100L187.5 0M437.5 50h0.01M812.5 0L937.5 0");
  assert.equal(lineOf([null, null], 10), "");
  assert.equal(across(0, 2), 250);
  assert.equal(down(3, 4), 25);
});

test("ticks are whole hours or quarters of the reader's clock", () => {
  const clock = (count, step) => {
    const first = new Date(2026, 0, 2, 20, 40).getTime();
    return ticksOf(Array.from({ length: count }, (_, place) => first + place * step * MINUTE), step * MINUTE).map(({ time }) => new Date(time).toTimeString().slice(0, 5));
  };
  assert.deepEqual(clock(60, 1), ["20:45", "21:00", "21:15", "21:30"]);
  assert.deepEqual(clock(72, 5), ["22:00", "00:00", "02:00"]);
  assert.deepEqual(clock(144, 10), ["00:00", "06:00", "12:00", "18:00"]);
  assert.deepEqual(ticksOf([], MINUTE), []);
  const [{ share }] = ticksOf([new Date(2026, 0, 2, 20, 0).getTime()], 3_600_000);
  assert.equal(share, 0);
});

test("without a choice the last known numbers are told", () => {
  assert.equal(lastKnown([[1, null, null], [1, 2, null]]), 1);
  assert.equal(lastKnown([[null, null]]), 1);
  assert.equal(lastKnown([]), 0);
});

test("keys move in a chart and stay in it", () => {
  assert.deepEqual(["ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown", "x"].map((key) => placeAfter(key, 4, 9)), [3, 5, 0, 8, 8, 0, null]);
  assert.equal(placeAfter("ArrowRight", 8, 9), 8);
  assert.equal(placeAfter("ArrowLeft", 0, 9), 0);
});

test("each chart has its lines, or one for each node", () => {
  for (const chart of CHARTS) assert.ok((chart.lines === undefined) !== (chart.ofNodes === undefined), chart.name);
});

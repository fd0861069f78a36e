/** What follows from the room's answers: rates, counts, what a table waits for, which orders fit. Knows no page. */

/** How many samples a rate looks back: with one in two seconds, twenty seconds. */
const SAMPLES = 11;

/** Samples of `/now` with a further one, without those that are too old. Each node has a clock of its own. */
export const withSample = (samples, sample) => [...samples, sample].slice(-SAMPLES);

/** How often something happened in a second, summed over all nodes: from the oldest sample of each to the newest. A node that
 * has started again counts from its start. Null before there are two samples. */
export function rate(samples, name) {
  const latest = samples.at(-1) ?? [];
  let total = null;
  for (const node of latest) {
    const seen = samples.map((sample) => sample.find((each) => each.node === node.node)).filter((each) => each !== undefined);
    const since = seen.findLastIndex((each, place) => place > 0 && each[name] < seen[place - 1][name]);
    const first = seen[Math.max(0, since)];
    const seconds = (node.at_ms - first.at_ms) / 1_000;
    if (seconds > 0) total = (total ?? 0) + (node[name] - first[name]) / seconds;
  }
  return total;
}

/** All connected clients. */
export const connections = (nodes) => nodes.reduce((sum, node) => sum + Object.values(node.connections).reduce((all, each) => all + each, 0), 0);

/** One word for what a table does: its state, or that it is closed. */
export function stateOf(table) {
  if (table.closing && table.occupied === 0 && table.state !== "frozen") return "closed";
  return table.state;
}

/** Tables by what they do, the most first. */
export function byState(tables) {
  const counts = new Map();
  for (const table of tables) counts.set(stateOf(table), (counts.get(stateOf(table)) ?? 0) + 1);
  return [...counts].sort(([one, many], [other, more]) => more - many || one.localeCompare(other));
}

/** Whether a table fits the filter. `kind` is `any`, `hosted`, `stopped` (the operator has to look), or a state. */
export function fits(table, { text, kind }) {
  const wanted = text.trim().toLowerCase();
  const named = [table.table, table.name, table.host ?? "", table.node ?? ""].some((each) => each.toLowerCase().includes(wanted));
  if (!named) return false;
  if (kind === "any") return true;
  if (kind === "hosted") return table.host !== null;
  if (kind === "stopped") return ["frozen", "unreachable", "unowned"].includes(table.state);
  return stateOf(table) === kind;
}

/** Whether the entry is a tournament beside its table. */
export const isTournament = (table) => table.table.startsWith("tournament:");

/** Which orders fit the state of a table; the room decides. `inChips`: it is of a tournament. `nodes` are those that live. */
export function fittingTableOrders(table, { inChips = false, nodes = 1 } = {}) {
  if (table.node === null || table.state === "unreachable") return [];
  const frozen = table.state === "frozen";
  const free = !inChips && !isTournament(table);
  return [
    !frozen && "freeze",
    (frozen || (table.state === "paused" && table.host !== null)) && "resume",
    frozen && !isTournament(table) && "void",
    frozen && !isTournament(table) && "void_complete",
    !frozen && nodes > 1 && "move",
    free && !table.closing && "close",
    free && table.closing && "open",
  ].filter(Boolean);
}

/** Which orders fit the state of a tournament. */
export function fittingTournamentOrders(report) {
  if (report.phase === "registering") return ["cancel"];
  if (report.phase !== "running") return [];
  return [report.state === "paused" ? "resume" : "pause", "roll_forward", "roll_back"];
}

/** Players allowed in a tournament with no bound of its own. */
const PLAYERS_MAX = 10_000;

/** The entries of a tournament in digits, and how many there may be if the offer says so. */
export const entriesOf = ({ taken, seats }, digits) => (seats === PLAYERS_MAX ? digits(taken) : `${digits(taken)}/${digits(seats)}`);

/** How far a node has given up its tables: `drained` has none left. */
export const drainOf = (node) => (node.draining && node.tables.length + node.tournaments.length === 0 ? "drained" : "draining");

/** Which orders fit a node: it gives up its tables while another one takes them. */
export function fittingNodeOrders(node, nodes) {
  const others = nodes.filter((other) => other.node !== node.node && other.living && !other.draining);
  return node.living && !node.draining && others.length > 0 ? ["drain"] : [];
}

/** Which orders fit a club: a closed one stays as it is. */
export function fittingClubOrders({ overview, invites, members }) {
  if (overview.closed_ms !== null) return [];
  return ["rename", invites && "end_invitation", members.length > 1 && "set_owner", overview.tables === 0 && "close"].filter(Boolean);
}

/** Whether an announcement is told now, waits for its beginning, or is over. */
export function standingOf({ begins_ms, ends_ms, withdrawn_ms }, now_ms) {
  if (withdrawn_ms !== null || ends_ms <= now_ms) return "over";
  return begins_ms <= now_ms ? "told" : "waits";
}

/** Hours, minutes and seconds, with days before them. */
export function uptime(seconds) {
  const two = (number) => String(number).padStart(2, "0");
  const days = Math.floor(seconds / 86_400);
  const clock = `${Math.floor((seconds % 86_400) / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return days > 0 ? `${days}d ${clock}` : clock;
}

/** The day of UTC so many days before a time, as `2026-11-30`. */
export const dayBefore = (ms, days) => new Date(ms - days * 86_400_000).toISOString().slice(0, 10);

/** The arguments of a line of the log, as one text. */
export function argumentsText(line) {
  const named = Object.entries(JSON.parse(line.arguments || "{}")).filter(([, value]) => value !== null);
  return named.map(([name, value]) => `${name}=${value}`).join(" ");
}

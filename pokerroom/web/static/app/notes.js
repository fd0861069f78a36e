/** What the player has noted of others, for seats: it is asked of the room when a name is seen first. */

import { t } from "./i18n.js";
import { noteWindow } from "./on_demand.js";
import { room } from "./room.js";

/** As many names as a request takes. */
const NAMES_MAX = 10;

/** By name: a note, null for none, undefined until the room has answered. */
const known = new Map();
let wanted = new Set();

room.client.addEventListener("authenticated", () => known.clear());
room.client.addEventListener("forgotten", () => known.clear());

/** Notes on players, for a felt: null without a log-in, and in a room without notes. */
export const notes = () => (room.account && room.has("player_notes") ? { of: noteOn, told, open: noteWindow } : null);

/** The note on a player, or null. It may come later: then the page is told of a change. */
export function noteOn(player) {
  if (!known.has(player)) {
    known.set(player, undefined);
    if (wanted.size === 0) queueMicrotask(ask);
    wanted.add(player);
  }
  return known.get(player) ?? null;
}

/** Take notes that the room has told or stored; `players` are those that were asked for. */
export function remember(found, players = []) {
  for (const player of players) known.set(player, null);
  for (const note of found) known.set(note.player, note.text === null && note.color === null ? null : note);
  room.dispatchEvent(new Event("change"));
}

/** A note in words, for a title and for screen readers. */
export function told(player) {
  const note = noteOn(player);
  return [t("note.title", { player }), note?.color && t(`note.color.${note.color}`), note?.text].filter(Boolean).join(" · ");
}

async function ask() {
  const players = [...wanted];
  wanted = new Set();
  for (let first = 0; first < players.length; first += NAMES_MAX) {
    const some = players.slice(first, first + NAMES_MAX);
    const answer = await room.client.request({ type: "get_player_notes", players: some }).catch(() => null);
    if (answer) remember(answer.notes, some);
    else for (const player of some) known.delete(player); // the next rendering asks again
  }
}

/** What a room may offer: each kind of game has a part of the lobby and an element that shows a table of it.
 *
 * A new kind is one more module that adds itself here.
 */

import { TableModel } from "./model.js";

/** `{ kind, lobby: (answer) => lines, section, element }` in the order of the lobby's tabs. */
export const games = [];

/** Adds a kind: `kind` names it in texts (`games.<kind>`), `lines` takes its part of the answer to `list_tables`, `section`
 * renders them, `element` is the tag that shows a table, `owns` says whether a snapshot is of this kind, `Model`
 * remembers what happens there. */
export function addGame(game) {
  games.push(game);
}

/** What a page remembers of the table with this snapshot, before anything has happened there. */
export function modelOf(snapshot) {
  const game = games.find((each) => each.owns(snapshot));
  return new (game?.Model ?? TableModel)(snapshot.table);
}

/** The tag of the element that shows a table with this snapshot. */
export function elementOf(snapshot) {
  return games.find((game) => game.owns(snapshot))?.element ?? "pr-table";
}

/** The games of a room: each has a part of the lobby and an element that shows its tables.
 *
 * A new game is one more module that registers itself here.
 */

import { TableModel } from "./model.js";

/** `{ kind, lobby: (answer) => lines, section, element }` in the order of the lobby's tabs. */
export const games = [];

/** Register a game: `kind` names it in texts (`games.<kind>`), `lines` selects its part of the answer to `list_tables`,
 * `section` renders it, `optional` hides its tab until the
 * lobby has lines of it, `element` is the tag of a table, `owns` tells whether a snapshot is of this game, and `Model` keeps
 * the state of a table. */
export function addGame(game) {
  games.push(game);
}

/** A new model for the table of this snapshot. */
export function modelOf(snapshot) {
  const game = games.find((each) => each.owns(snapshot));
  return new (game?.Model ?? TableModel)(snapshot.table);
}

/** The tag of the element that shows a table with this snapshot. */
export function elementOf(snapshot) {
  return games.find((game) => game.owns(snapshot))?.element ?? "pr-table";
}

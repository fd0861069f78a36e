/** What the player has seen others of a table do, in short, for seats. It is asked while the player's setting is on. */

import { t } from "./i18n.js";
import { room } from "./room.js";
import { settings } from "./settings.js";
import { h } from "./view.js";

/** As many names as a request takes. */
const NAMES_MAX = 10;
/** Hands are counted some minutes after they were settled. */
const FRESH_MS = 300_000;

/** By game and name: `{ asked, counts }`; without counts if no hand in common is counted, or until the room has answered. */
const known = new Map();
let wanted = new Map();

room.client.addEventListener("authenticated", () => known.clear());
room.client.addEventListener("forgotten", () => known.clear());

/** For a felt of a game: returns the line of a player, or null. Null where it is off, or the room shows none at tables. */
export const opponents = (game) => (settings.get("table_statistics") && room.account && room.has("opponents") ? (player) => line(game, player) : null);

function line(game, player) {
  const key = `${game} ${player}`;
  const now = performance.now();
  const found = known.get(key);
  if (!found || now - found.asked > FRESH_MS) {
    known.set(key, { ...found, asked: now });
    if (wanted.size === 0) setTimeout(ask);
    wanted.set(game, [...(wanted.get(game) ?? []), player]);
  }
  if (!found?.counts) return null;
  const { hands, vpip, pfr, vpip_chances: chances } = found.counts;
  const percent = (count) => (chances > 0 ? Math.round((100 * count) / chances) : "–");
  const [played, raised] = [percent(vpip), percent(pfr)];
  const told = `${t("statistics.hands")}: ${hands} · ${t("statistics.vpip")} ${played} % · ${t("statistics.pfr")} ${raised} %`;
  return h("span", { key: "seen-play", class: "seen-play", role: "img", "aria-label": told, title: told }, `${played}/${raised}`, h("span", { class: "seen-hands" }, ` · ${hands}`));
}

async function ask() {
  const asked = wanted;
  wanted = new Map();
  for (const [game, players] of asked) {
    for (let first = 0; first < players.length; first += NAMES_MAX) {
      const some = players.slice(first, first + NAMES_MAX);
      const answer = await room.client.request({ type: "get_opponents", players: some, game }).catch(() => null);
      for (const { player, ...counts } of answer?.opponents ?? []) known.set(`${game} ${player}`, { asked: performance.now(), counts });
    }
  }
  room.dispatchEvent(new Event("change"));
}

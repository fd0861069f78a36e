/** A hand in plain text, for a post: the game, what each player holds, and each step by its street. */

import { knownCards, streetsOf } from "./hand_facts.js";
import { amountsOf, regionOfDates, t } from "./i18n.js";
import { replayed } from "./replayer.js";
import { sentence } from "./words.js";

const SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };

/** Cards as a person types them: "A♠ 10♥". */
export const typed = (cards) => cards.map(([rank, suit]) => `${rank === "T" ? "10" : rank}${SIGNS[suit]}`).join(" ");

/** The text of a hand, in lines. */
export function handText(hand) {
  const { seats } = hand.start;
  const money = amountsOf(hand.start);
  const known = knownCards(hand);
  const { replay } = replayed(hand, -1);
  const streets = new Map(streetsOf(hand).map(({ street, first }) => [first, street]));
  const lines = [titleOf(hand), ""];
  for (const { seat, name, stack } of seats) lines.push(`${name}: ${money(stack)}${known.has(seat) ? ` – ${typed(known.get(seat))}` : ""}`);
  hand.steps.forEach(({ event, after }, index) => {
    replay.take(event, after);
    if (streets.has(index) && index > 0) lines.push("");
    if (event.type === "hole_cards") return lines.push("");
    const said = sentence(event, replay, replay.names, typed);
    if (said) lines.push(said);
  });
  return `${lines.join("\n").replace(/\n{3,}/g, "\n\n")}\n`;
}

/** A line that names a hand: its game, its stakes and its time, which a file may not tell. */
export function titleOf({ start, at }) {
  const { structure, game, small_blind, big_blind } = start.info;
  const when = new Intl.DateTimeFormat(regionOfDates(), { dateStyle: "medium", timeStyle: "short" });
  return [`${t(`structure.${structure}`)} ${t(`game.${game}`)}`, [small_blind, big_blind].map(amountsOf(start)).join(" / "), at > 0 && when.format(at)].filter(Boolean).join(" · ");
}

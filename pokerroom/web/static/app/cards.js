/** Cards and chips as SVG. */

import { chipsOf } from "./amounts.js";
import { cardName, t } from "./i18n.js";
import { h } from "./view.js";

const SUITS = {
  s: "M50 8C46 26 12 42 12 66a19 19 0 0 0 33 13c-1.500 9-5 14-11 18h32c-6-4-9.500-9-11-18a19 19 0 0 0 33-13C88 42 54 26 50 8z",
  h: "M50 94C40 80 8 60 8 34a21 21 0 0 1 42-6 21 21 0 0 1 42 6c0 26-32 46-42 60z",
  d: "M50 6C60 24 72 38 86 50 72 62 60 76 50 94 40 76 28 62 14 50 28 38 40 24 50 6z",
  c: "M50 8a20 20 0 0 1 15 33 20 20 0 1 1-8 34c1 9 4.500 14 10 19H33c5.500-5 9-10 10-19a20 20 0 1 1-8-34A20 20 0 0 1 50 8z",
};

/** A card face up. */
export function card(text, options = {}) {
  const [rank, suit] = text;
  return h(
    "svg",
    {
      class: `card suit-${suit} ${options.class ?? ""}`,
      key: options.key,
      viewBox: "0 0 100 140",
      role: "img",
      "aria-label": options.silent ? null : cardName(text),
      "aria-hidden": options.silent ? "true" : null,
    },
    h("rect", { class: "paper", x: 2, y: 2, width: 96, height: 136, rx: 11 }),
    h("text", { class: "rank", x: rank === "T" ? 4 : 9, y: 56, textLength: rank === "T" ? 52 : null, lengthAdjust: rank === "T" ? "spacingAndGlyphs" : null }, rank === "T" ? "10" : rank),
    h("path", { d: SUITS[suit], transform: "translate(11 66) scale(.26)" }),
    h("path", { d: SUITS[suit], transform: "translate(34 66) scale(.62)" }),
  );
}

/** A card face down. */
export function cardBack(options = {}) {
  return h(
    "svg",
    {
      class: `card back ${options.class ?? ""}`,
      key: options.key,
      viewBox: "0 0 100 140",
      role: "img",
      "aria-label": options.silent ? null : t("card.hidden"),
      "aria-hidden": options.silent ? "true" : null,
    },
    h("rect", { class: "paper", x: 2, y: 2, width: 96, height: 136, rx: 11 }),
    h("rect", { class: "pattern", x: 9, y: 9, width: 82, height: 122, rx: 7 }),
    h("path", { class: "lattice", d: "M9 50 50 9 91 50 50 91zM9 91l41 40 41-40-41-41z" }),
    h("path", { class: "lattice", d: "M50 30 70 50 50 70 30 50zM50 71l20 20-20 20-20-20z" }),
  );
}

/** Cards as one image with a label that names them all; without a label they are hidden from screen readers. */
export function cardGroup(cards, label, options = {}) {
  const read = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return h(
    "div",
    { class: `cards ${options.class ?? ""}`, key: options.key, "data-cards": cards.length, ...read },
    cards.map((text, index) => {
      const each = { silent: true, key: `${index}${text ?? ""}`, class: options.each?.(text, index) };
      return text === null ? cardBack(each) : card(text, each);
    }),
  );
}

const SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };

/** Cards in a line of text, as pictograms that a screen reader names. */
export const pictograms = (cards) =>
  cards.map((text, index) => h("span", { key: `card${index}${text}`, class: `mini suit-${text[1]}`, role: "img", "aria-label": cardName(text) }, text[0] === "T" ? "10" : text[0], SIGNS[text[1]]));

/** "ace of spades, ten of hearts". */
export const cardNames = (cards) => cards.map(cardName).join(", ");

/** A pile of chips of this value. */
export function chips(amount) {
  const pile = chipsOf(amount, 7).reverse();
  const height = 12 + 5 * pile.length;
  return h(
    "svg",
    { class: "chips", viewBox: `0 0 30 ${height}`, "aria-hidden": "true", style: { "--chips": String(pile.length) } },
    pile.map(({ colour }, index) => {
      const y = height - 10 - 5 * index;
      return h(
        "g",
        { class: `chip ${colour}` },
        h("path", { class: "edge", d: `M1 ${y}v4a14 5.500 0 0 0 28 0v-4z` }),
        h("ellipse", { class: "face", cx: 15, cy: y, rx: 14, ry: 5.5 }),
        h("ellipse", { class: "ring", cx: 15, cy: y, rx: 9.5, ry: 3.6 }),
      );
    }),
  );
}

/** A hand as a picture for a post: board, cards and results, drawn on a canvas. Nothing of the page is in it but the hand. */

import { knownCards } from "./hand_facts.js";
import { amountsOf } from "./i18n.js";
import { titleOf } from "./hand_text.js";

const WIDTH = 1200;
const HEIGHT = 630;
const SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const RED = new Set("hd");
const FONT = "system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif";

/** A canvas with the hand at its end. */
export function pictureOf(hand, room) {
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDTH, height: HEIGHT });
  const pen = canvas.getContext("2d");
  const board = hand.steps.flatMap(({ event }) => (event.type === "street_dealt" ? event.cards : []));
  felt(pen);
  write(pen, titleOf(hand), WIDTH / 2, 62, 34, "#f3f8f5", "center");
  const across = 96;
  board.forEach((card, index) => drawCard(pen, card, WIDTH / 2 + (index - (board.length - 1) / 2) * (across + 12) - across / 2, 92, across));
  rows(pen, hand, board.length > 0 ? 262 : 130);
  write(pen, room, WIDTH - 40, HEIGHT - 24, 22, "#bcd6ca", "right");
  return canvas;
}

/** Save the picture as a PNG file. */
export async function savePicture(hand, room) {
  const blob = await new Promise((done) => pictureOf(hand, room).toBlob(done, "image/png"));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${hand.id}.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}

function felt(pen) {
  const light = pen.createRadialGradient(WIDTH / 2, HEIGHT / 2, 60, WIDTH / 2, HEIGHT / 2, WIDTH / 1.6);
  light.addColorStop(0, "#1c6f50");
  light.addColorStop(1, "#0d4532");
  pen.fillStyle = light;
  pen.fillRect(0, 0, WIDTH, HEIGHT);
}

/** A line for each player: cards, name, and what the hand brought; the most won or lost first where there is no room. */
function rows(pen, hand, top) {
  const known = knownCards(hand);
  const money = amountsOf(hand.start);
  const ends = new Map((hand.steps.at(-1).event.stacks ?? []).map(({ seat, stack }) => [seat, stack]));
  const players = hand.start.seats.map(({ seat, name, stack }) => ({ name, cards: known.get(seat), change: (ends.get(seat) ?? stack) - stack }));
  const columns = players.length > 4 ? 2 : 1;
  const each = Math.min(78, (HEIGHT - 60 - top) / Math.ceil(players.length / columns));
  players.forEach(({ name, cards, change }, index) => {
    const left = columns === 1 ? 250 : 50 + (index % 2) * 570;
    const y = top + Math.floor(index / columns) * each;
    const height = each - 10;
    pen.fillStyle = "rgb(0 0 0 / .28)";
    pen.beginPath();
    pen.roundRect(left, y, columns === 1 ? 700 : 530, height, 12);
    pen.fill();
    const across = height / 1.55;
    (cards ?? []).forEach((card, at) => drawCard(pen, card, left + 10 + at * (across + 4), y + (height - across * 1.4) / 2, across));
    write(pen, name, left + 220, y + height / 2 + 9, 26, "#f3f8f5", "left", columns === 1 ? 300 : 180);
    write(pen, `${change > 0 ? "+" : change < 0 ? "−" : ""}${money(Math.abs(change))}`, left + (columns === 1 ? 684 : 516), y + height / 2 + 9, 26, change > 0 ? "#f2c14e" : "#f3f8f5", "right", 120);
  });
}

function drawCard(pen, [rank, suit], x, y, width) {
  pen.fillStyle = "#fffdf6";
  pen.beginPath();
  pen.roundRect(x, y, width, width * 1.4, width * 0.1);
  pen.fill();
  const ink = RED.has(suit) ? "#c4202f" : "#14181a";
  write(pen, rank === "T" ? "10" : rank, x + width * 0.5, y + width * 0.62, width * 0.6, ink, "center", width * 0.9);
  write(pen, SIGNS[suit], x + width * 0.5, y + width * 1.22, width * 0.6, ink, "center");
}

function write(pen, text, x, y, size, colour, align, most = WIDTH - 80) {
  pen.font = `600 ${size}px ${FONT}`;
  pen.fillStyle = colour;
  pen.textAlign = align;
  pen.fillText(text, x, y, most);
}

/** Positions of seats and bets on a table, in percent of its area. Knows no page. */

/** Seats in drawing order, clockwise from the bottom: your own first. */
export function rotated(seats, yours) {
  const first = yours ?? 1;
  return Array.from({ length: seats }, (_, index) => ((first - 1 + index) % seats) + 1);
}

/** The centre of each place and of its bet: `{ x, y, betX, betY, markX, markY }`. */
export function places(count, portrait) {
  const [radiusX, radiusY, centreY] = portrait ? [37, 42.5, 49.5] : [41.6, 37.5, 50.5];
  return Array.from({ length: count }, (_, index) => {
    const angle = Math.PI / 2 + (2 * Math.PI * index) / count;
    const along = stretched(angle, portrait);
    const [cos, sin] = [Math.cos(along), Math.sin(along)];
    const [x, y] = [50 + radiusX * cos, centreY + radiusY * sin + (portrait ? clearOfBoard(sin, count) : 0)];
    return {
      x, y,
      ...(portrait ? betUpright(cos, sin, count) : { betX: 50 + 26.7 * cos + clearOfPots(cos, sin, count), betY: centreY - 1 + (sin < -0.95 ? 20.8 : 19.4) * sin }),
      ...(index === 0 ? (portrait ? { markX: 33, markY: 92 } : { markX: 60, markY: 85.6 }) : mark(x, y, portrait, count)),
    };
  });
}

/** The bets of the upper corners lie beside the sum of the pot. */
function clearOfPots(cos, sin, count) {
  return sin < -0.8 && Math.abs(cos) > 0.1 ? Math.sign(cos) * (count < 8 ? 6.5 : 1.5) : 0;
}

/** On an upright felt a place beside the board moves, so that cards shown there lie above or below it. */
function clearOfBoard(sin, count) {
  if (Math.abs(sin) < 0.05) return count < 8 ? -8 : -5;
  return count < 10 && sin > 0 && sin < 0.3 ? 3 : 0;
}

/** On an upright felt the board is as wide as the space between the plates: bets lie above or below it. */
const BOARD = { top: 34.5, bottom: 61 };
function betUpright(cos, sin, count) {
  if (sin > 0.05 && sin < 0.25) return { betX: 50 + 34.5 * cos, betY: 70 }; // under its plate, which is lower than the board
  if (Math.abs(sin) < 0.05) return { betX: 50 + 32 * cos, betY: BOARD.bottom }; // under its plate
  // beside the bet in front of you the nearest ones lie further out
  const betX = 50 + (Math.abs(cos) < 0.73 ? 26 : Math.abs(cos) < 0.85 ? (sin < 0 ? 17 : 19.5) : count < 5 ? 11 : 16) * cos;
  const betY = 48.5 + (sin > 0 ? 24.7 : count === 5 ? 22.4 : count < 7 ? 23.6 : 25.6) * sin;
  if (betY < BOARD.top || betY > BOARD.bottom) return { betX, betY };
  return { betX, betY: sin > 0 ? BOARD.bottom : BOARD.top };
}

/** The button lies at the outer end of a plate, or above it where there is no room beside it: nearer to its seat than to any
 * other, off board and bets. */
function mark(x, y, portrait, count) {
  const outwards = x < 49.9 ? -1 : 1;
  const within = (least, shift) => Math.max(least, Math.min(100 - least, x + shift * outwards));
  if (portrait) return { markX: within(3.2, 11.5), markY: Math.max(4, y - (count > 8 && y > 70 ? 3.6 : 5.4)) };
  const many = count > 7;
  if (x > 12 && x < 88) return { markX: within(0, many ? 8.6 : 9.8), markY: y - (many ? 7 : 4) };
  return { markX: within(1.8, many ? 7 : 8.5), markY: y - 11.5 };
}

/** Move seats closer together at the long sides, to leave room at the ends. */
function stretched(angle, portrait) {
  return angle + (portrait ? -0.1 : 0.1) * Math.sin(2 * angle);
}

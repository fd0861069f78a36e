/** Positions of seats and bets on a table, in percent of its area. Knows no page. */

/** Seats in drawing order, clockwise from the bottom: your own first. */
export function rotated(seats, yours) {
  const first = yours ?? 1;
  return Array.from({ length: seats }, (_, index) => ((first - 1 + index) % seats) + 1);
}

/** The centre of each place and of its bet: `{ x, y, betX, betY, markX, markY }`. */
export function places(count, portrait) {
  const [radiusX, radiusY, centreY] = portrait ? [38, 42.5, 49.5] : [43, 37.5, 50.5];
  return Array.from({ length: count }, (_, index) => {
    const angle = Math.PI / 2 + (2 * Math.PI * index) / count;
    const along = stretched(angle, portrait);
    const [cos, sin] = [Math.cos(along), Math.sin(along)];
    const bet = portrait ? [0.5, 0.58] : [0.62, 0.55];
    const turned = along + (portrait ? 0.42 : 0.36);
    return {
      x: 50 + radiusX * cos,
      y: centreY + radiusY * sin,
      betX: 50 + radiusX * bet[0] * cos,
      betY: centreY - 1 + radiusY * bet[1] * sin,
      markX: 50 + radiusX * 0.74 * Math.cos(turned),
      markY: centreY + radiusY * 0.7 * Math.sin(turned),
    };
  });
}

/** Move seats closer together at the long sides, to leave room at the ends. */
function stretched(angle, portrait) {
  return angle + (portrait ? -0.1 : 0.1) * Math.sin(2 * angle);
}

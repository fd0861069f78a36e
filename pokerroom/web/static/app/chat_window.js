/** Where the chat is while it is a window of its own: it can be moved and resized anywhere on the page.
 *
 * The place is stored with the device. The window is in the browser's top layer, so that no table cuts it off.
 */

import { settings } from "./settings.js";

const WIDTH = 320;
const HEIGHT = 360;
const WIDTH_MIN = 220;
const HEIGHT_MIN = 180;
const STEP = 16;

/** The place of the window: `{ x, y, width, height }`; null while the chat is beside the table. */
export function placeOfChat() {
  const [x, y, width, height] = settings.get("chat_place").split(" ").map(Number);
  return height > 0 ? fitting({ x, y, width, height }) : null;
}

/** Move the chat out of the table, or back to it. */
export function floatChat(wanted) {
  settings.set("chat_place", "");
  if (wanted) keep({ x: innerWidth - WIDTH - STEP, y: innerHeight - HEIGHT - STEP, width: WIDTH, height: HEIGHT });
}

/** Keep the window on the page. */
function fitting({ x, y, width, height }) {
  const [wide, high] = [Math.max(WIDTH_MIN, Math.min(width, innerWidth)), Math.max(HEIGHT_MIN, Math.min(height, innerHeight))];
  return { x: Math.max(0, Math.min(x, innerWidth - wide)), y: Math.max(0, Math.min(y, innerHeight - high)), width: wide, height: high };
}

function keep(place) {
  const { x, y, width, height } = fitting(place);
  settings.set("chat_place", [x, y, width, height].map(Math.round).join(" "));
}

/** Follow a pointer that has pressed the handle: it moves the window, at the corner it resizes it. */
export function dragged(event, resizing = false) {
  const { clientX, clientY, currentTarget: handle } = event;
  const from = placeOfChat();
  handle.setPointerCapture(event.pointerId);
  handle.onpointermove = (moved) => {
    const [dx, dy] = [moved.clientX - clientX, moved.clientY - clientY];
    keep(resizing ? { ...from, width: from.width + dx, height: from.height + dy } : { ...from, x: from.x + dx, y: from.y + dy });
  };
  handle.onpointerup = handle.onpointercancel = () => (handle.onpointermove = null);
}

const ARROWS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };

/** The same by keys, for the focused handle. */
export function pushed(event) {
  const step = ARROWS[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const { x, y, width, height } = placeOfChat();
  keep(event.shiftKey ? { x, y, width: width + step[0], height: height + step[1] } : { x: x + step[0], y: y + step[1], width, height });
}

/** Keys for all actions at a table. They go to the table that waits for a decision, else to the focused one. */

import { decide, preActions, presetAmount } from "./dock.js";
import { isOpen } from "./dialog.js";
import { settingsWindow } from "./on_demand.js";
import { room } from "./room.js";
import { helpWindow } from "./windows.js";

const SIZES = { 0: "min", 1: "third_pot", 2: "half_pot", 3: "two_thirds_pot", 4: "pot", 5: "own1", 6: "own2", 7: "own3", a: "all_in" };

export function startKeys() {
  document.addEventListener("keydown", (event) => {
    const undo = (event.ctrlKey || event.metaKey) && event.key === "z";
    if (((event.ctrlKey || event.metaKey) && !undo) || event.altKey || isOpen()) return;
    const writing = event.target.matches("input:not([type=range]):not([type=checkbox]), select, textarea");
    if (writing) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (pressed(event.key.length === 1 ? event.key.toLowerCase() : event.key, event)) event.preventDefault();
  });
}

function toLobbyOrBack() {
  location.hash = location.hash === "#lobby" && room.open.length ? "#tables" : "#lobby";
}

/** Escape closes what is open, and never leaves a table of poker. With nothing open it shows the lobby where all open
 * tables are of Ultimate, as the rules of that game say; bets and places stay. */
function escaped(element) {
  if (element?.closeMenu?.()) return true;
  const tables = [...document.querySelectorAll("pr-table, pr-ultimate")];
  if (tables.some((each) => each.localName === "pr-table")) return false;
  return toLobbyOrBack(), true;
}

/** The element of the table that gets keys. */
function current() {
  const tables = [...document.querySelectorAll("pr-table, pr-ultimate")].filter((each) => each.offsetParent !== null);
  const focused = tables.find((each) => each.contains(document.activeElement));
  const asked = tables.filter((each) => each.model?.ownTurn);
  return (focused && (asked.length === 0 || asked.includes(focused)) ? focused : asked[0]) ?? focused ?? tables[0] ?? null;
}

/** Handle a key; tell whether it had a meaning. */
function pressed(key, event) {
  if (key === "?") return helpWindow(), true;
  if (key === "s") return settingsWindow(), true;
  if (!room.account) return false;
  if (key === "l") return toLobbyOrBack(), true;
  const element = current();
  if (key === "Escape") return escaped(element);
  const model = element?.model;
  if (!model?.snapshot) return false;
  if (element.pressed) {
    if (element.pressed(key, event)) return true;
    return key === "h" ? (element.showHistory(), true) : key === "t" && (nextTable(element), true);
  }
  if (event.ctrlKey || event.metaKey) return false;
  if (key === "m") return element.toggleChat(), true;
  if (key === "h") return element.showHistory(), true;
  if (key === "t") return nextTable(element), true;
  if (key === "o") return element.toggleSitOut(), true;
  if (model.ownTurn) return deciding(key, element, model, event);
  if (model.own?.in_hand && model.hand && !model.own.all_in) return inAdvance(key, model);
  return false;
}

function deciding(key, element, model, event) {
  const { size } = element;
  if (key === "f") decide(model, "fold", size);
  else if (key === "c") decide(model, "call", size);
  else if (key === "r") decide(model, "raise", size);
  else if (key in SIZES && size.rangeOf(model)) chooseSize(SIZES[key], model, size);
  else if ((key === "ArrowUp" || key === "ArrowDown") && !event.target.matches("input")) size.step(model, key === "ArrowUp" ? 1 : -1);
  else return false;
  element.update();
  return true;
}

function chooseSize(name, model, size) {
  const amount = presetAmount(name, model, model.ownTurn);
  if (amount !== null) size.set(amount, name);
}

function inAdvance(key, model) {
  const prices = new Map(preActions(model));
  const action = { f: "fold_to_any_bet", c: prices.has("call") ? "call" : "check_fold", v: "call_any" }[key];
  if (!action) return false;
  room.preAct(model.name, action, prices.get(action));
  return true;
}

function nextTable(element) {
  const tables = [...document.querySelectorAll("pr-table, pr-ultimate")];
  const next = tables[(tables.indexOf(element) + 1) % tables.length];
  const target = next.querySelector(".dock button, .tools button");
  document.dispatchEvent(new CustomEvent("pr-focus", { detail: next.table }));
  queueMicrotask(() => target?.focus());
}

/** The dialogs of the page: buy-in, top-up, seat options, keys. */

import { Range, parseAmount } from "./amounts.js";
import { ask } from "./dialog.js";
import { maySit, purseFor, purseText } from "./hosting.js";
import { money, t } from "./i18n.js";
import { rulesWindow } from "./on_demand.js";
import { rakeInFull } from "./rake.js";
import { room } from "./room.js";
import { h } from "./view.js";

/** A slider and a field for an amount; `state.amount` is the choice. */
export function amountChooser(range, state, refresh, label) {
  const position = range.positionOf(state.amount);
  return h("div", { class: "chooser" },
    h("label", {}, label,
      h("input", {
        key: "text", class: "amount", inputmode: "decimal", autocomplete: "off", value: state.text ?? money(state.amount),
        oninput: (event) => {
          state.text = event.target.value;
          const typed = parseAmount(state.text);
          if (typed !== null) state.amount = range.clamp(typed);
          refresh();
        },
        onchange: () => ((state.text = null), refresh()),
      })),
    h("input", {
      key: "range", type: "range", min: 0, max: range.last, value: String(position), "aria-label": label, "aria-valuetext": money(state.amount),
      oninput: (event) => {
        state.text = null;
        state.amount = range.at(Number(event.target.value));
        refresh();
      },
    }),
    h("p", { class: "ends" }, h("span", {}, money(range.min)), h("span", {}, money(range.max))));
}

/** Reserve a seat and ask for the buy-in; release the seat if the dialog is closed without one. */
export async function buyInWindow(info, seat) {
  if (!(await maySit(info.table))) return;
  if (!room.held.has(info.table) && !(await room.reserve(info.table, seat))) return;
  const purse = await purseFor(info.table);
  const most = Math.min(info.max_buy_in, purse);
  const range = new Range(info.min_buy_in, Math.max(info.min_buy_in, most), info.big_blind);
  const state = { amount: range.max, text: null, post: true, busy: false };
  const sat = await ask(t("buy_in.title", { table: info.name }), (close, refresh) => [
    h("form", {
      onsubmit: async (event) => {
        event.preventDefault();
        const answer = await room.sitDown(info.table, state.amount, { post: state.post });
        if (answer) close(true);
      },
    },
      amountChooser(range, state, refresh, t("buy_in.amount")),
      h("label", { class: "check" }, h("input", { type: "checkbox", checked: state.post, onchange: (event) => ((state.post = event.target.checked), refresh()) }), t("buy_in.post")),
      h("p", { class: "hint" }, purseText(info.table, purse)),
      info.rake && h("p", { key: "rake", class: "hint" }, rakeInFull(info)),
      h("div", { class: "row end" }, h("button", { type: "button", onclick: () => close() }, t("cancel")), h("button", { class: "primary", autofocus: true }, t("buy_in.do")))),
  ]);
  if (!sat) await room.release(info.table);
}

/** Add chips to your stack. */
export async function topUpWindow(model) {
  const { info, own } = model;
  const waiting = own.waiting_top_up ?? 0;
  const purse = await purseFor(info.table);
  const most = Math.min(info.max_buy_in - own.stack - own.bet - waiting, purse);
  if (most <= 0) {
    room.notify("nothing_to_add");
    return;
  }
  const least = own.stack === 0 ? Math.min(info.min_buy_in, most) : Math.min(info.big_blind, most);
  const range = new Range(least, most, info.big_blind);
  const state = { amount: most, text: null };
  await ask(t("top_up.title"), (close, refresh) =>
    h("form", {
      onsubmit: async (event) => {
        event.preventDefault();
        if (await room.ask({ type: "top_up", table: info.table, amount: state.amount })) close();
        room.refresh();
      },
    },
      amountChooser(range, state, refresh, t("top_up.amount")),
      waiting > 0 && h("p", { class: "hint" }, t("table.top_up_waits", { amount: money(waiting) })),
      h("p", { class: "hint" }, purseText(info.table, purse)),
      h("div", { class: "row end" }, h("button", { type: "button", onclick: () => close() }, t("cancel")), h("button", { class: "primary" }, t("top_up.do")))));
}

/** Set the options of your seat. */
export async function optionsWindow(model) {
  const { info } = model;
  const now = model.options ?? { auto_top_up_to: 0, straddle: false, muck_losing: true };
  const state = { ...now };
  const box = (name, code, refresh) =>
    h("label", { class: "check" }, h("input", { type: "checkbox", checked: Boolean(state[name]), onchange: (event) => ((state[name] = name === "auto_top_up_to" ? (event.target.checked ? info.max_buy_in : 0) : event.target.checked), refresh()) }), t(code, { amount: money(info.max_buy_in) }));
  await ask(t("options.title"), (close, refresh) =>
    h("form", {
      onsubmit: async (event) => {
        event.preventDefault();
        const message = { type: "seat_options", table: info.table, auto_top_up_to: state.auto_top_up_to, muck_losing: state.muck_losing };
        if (info.straddle) message.straddle = state.straddle;
        if (await room.ask(message)) {
          model.options = { ...now, ...state };
          close();
        }
      },
    },
      box("auto_top_up_to", "options.auto_top_up", refresh),
      box("muck_losing", "options.muck", refresh),
      info.straddle > 0 && box("straddle", "options.straddle", refresh),
      h("div", { class: "row end" }, h("button", { type: "button", onclick: () => close() }, t("cancel")), h("button", { class: "primary" }, t("save")))));
}

/** Ask before leaving a seat. */
export async function leaveWindow(model) {
  const sure = await ask(t("leave.title"), (close) => [
    h("p", {}, t("leave.about", { amount: money(model.own.stack) })),
    h("div", { class: "row end" }, h("button", { onclick: () => close(false) }, t("cancel")), h("button", { class: "primary", onclick: () => close(true) }, t("leave.do"))),
  ]);
  if (sure) await room.ask({ type: "stand_up", table: model.name });
}

const KEYS = [["F", "fold"], ["C", "call"], ["R", "raise"], ["↑ ↓", "size"], ["0", "min"], ["1", "third_pot"], ["2", "half_pot"], ["3", "two_thirds_pot"], ["4", "pot"], ["5 – 7", "own"], ["A", "all_in"], ["V", "call_any"], ["Tab ↹", "focus"], ["T", "next_table"], ["O", "sit_out"], ["M", "chat"], ["H", "history"], ["L", "lobby"], ["S", "settings"], ["?", "help"], ["Esc", "escape"]];

/** List the keys. */
export function helpWindow() {
  return ask(t("help.title"), () => [
    h("dl", { class: "keys" }, KEYS.map(([key, code]) => [h("dt", { key: `k${code}` }, h("kbd", {}, key)), h("dd", { key: `d${code}` }, t(`keys.${code}`))])),
    h("p", { class: "hint" }, t("help.about")),
    h("p", { class: "row" }, h("button", { onclick: () => rulesWindow("holdem") }, t("rules.title"))),
  ]);
}

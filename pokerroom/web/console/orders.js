/** Orders: the buttons for those that the role has, and the window that asks whether and why. */

import { parseAmount } from "../static/app/amounts.js";
import { ask } from "../static/app/dialog.js";
import { refusal, t } from "../static/app/i18n.js";
import { h } from "../static/app/view.js";
import { newKey, pathOf } from "./desk.js";
import { desk, notify } from "./parts.js";

const GRAVE = new Set(["void", "void_complete", "cancel", "roll_back", "roll_forward", "refuse", "refuse_adjustment", "exclude", "drain", "retire", "remove", "drop", "end_ticket", "set_owner", "club.close"]);
/** Refusals after which the result of an order is not known: the window gives the same one again. */
const UNKNOWN = new Set(["unreachable", "unavailable", "internal"]);
const REASON_MAX = 500;
/** The groups of orders about money and people: each asks why. */
const REASONED = new Set(["account", "cashier", "club", "wallet"]);

/** What is asked for beside the reason: the attributes of its input. `read` makes its value of the text; null if it cannot be. */
const FIELDS = {
  note: { maxlength: 200 },
  offer: { required: true },
  source: { required: true },
  text: { maxlength: 300, required: true },
  table: {},
  in_minutes: { type: "number", min: 1, max: 132_480, step: 1 },
  minutes: { type: "number", min: 1, max: 527_040, step: 1, required: true },
  days: { type: "number", min: 1, max: 36_500, step: 1 },
  member: { required: true },
  club_name: { name: "new_name", maxlength: 40, required: true },
  new_name: { maxlength: 20, required: true, spellcheck: "false" },
  for_ever: { type: "checkbox", value: "1" },
  end_second_factor: { type: "checkbox", value: "1" },
  amount: { inputmode: "decimal", required: true, maxlength: 16, read: (text) => parseAmount(text) || null },
  take: { type: "checkbox", value: "1" },
};

/** Buttons for the orders to something that fit it and that the role has. `group` is that of the verbs; `fields` are asked for
 * with an order, and `lists` asks for the values of those that have a list. `then` gets the room's answer and the order. */
export function orderButtons({ group, folder, subject, name, orders, choices = {}, fields = {}, lists = async () => ({}), then }) {
  const allowed = orders.filter((order) => desk.may(`${group}.${order}`));
  return h("div", { class: "row orders", key: "orders" }, allowed.map((order) => h("button", {
    key: order, class: GRAVE.has(order) || GRAVE.has(`${group}.${order}`) ? "grave" : null,
    onclick: async () => {
      try {
        await orderWindow({ group, folder, subject, name, order, choices: choices[order] ?? null, fields: fields[order] ?? [], lists: await lists(order), then });
      } catch (failure) {
        notify(refusal(failure));
      }
    },
  }, t(`order.${group}.${order}`))));
}

/** Ask whether an order is meant, and why; give it. `choices` are the values of its argument, `fields` further texts, some of them with `lists`. */
export async function orderWindow({ group, folder, subject, name, order, choices = null, fields = [], lists = {}, then }) {
  const code = `order.${group}.${order}`;
  let busy = false;
  let problem = "";
  let values = {};
  let key = newKey();
  const first = fields.find((field) => FIELDS[field].type !== "checkbox");
  const done = await ask(t("order.title", { order: t(code), name }), (close, refresh) => {
    const give = async (event) => {
      event.preventDefault();
      if (busy) return;
      const { argument, ...given } = Object.fromEntries(new FormData(event.target));
      values = given; // without the boxes that are not checked
      const sent = Object.fromEntries(Object.entries(given).map(([field, text]) => [field, FIELDS[field]?.read ? FIELDS[field].read(text) : text]));
      const wrong = Object.keys(sent).find((field) => sent[field] === null);
      problem = wrong ? t(`field.${wrong}.bad`) : "";
      if (wrong) return refresh();
      busy = true;
      refresh();
      try {
        close(await desk.order(pathOf(...[folder, subject, order, argument].filter((part) => part !== null && part !== undefined && part !== "").map(String)), sent, key));
      } catch (failure) {
        busy = false;
        problem = refusal(failure);
        if (!UNKNOWN.has(failure.code)) key = newKey();
        refresh();
      }
    };
    return [
      h("p", {}, t(`${code}.about`)),
      h("form", { onsubmit: give, autocomplete: "off" },
        choices && h("label", { class: "field" }, t(`argument.${order}`), h("select", { name: "argument" }, choices.map(({ value, text }) => h("option", { key: value, value }, text)))),
        fields.map((field) => fieldOf(field, values, field === first, lists[field])),
        h("label", { class: "field" }, t(order === "note" ? "player.note" : "order.reason"), h("input", { name: "reason", maxlength: REASON_MAX, required: REASONED.has(group), value: values.reason ?? "", autofocus: first === undefined })),
        h("p", { class: "problem", role: "alert" }, problem),
        h("div", { class: "row end" },
          h("button", { type: "button", onclick: () => close() }, t("cancel")),
          h("button", { class: "primary", disabled: busy }, t(code)))),
    ];
  });
  if (done) notify(t("order.done", { order: t(code), name }));
  if (done) then?.(done, order);
}

function fieldOf(name, values, autofocus, list = null) {
  const { type, read, ...attributes } = FIELDS[name];
  if (list) return h("label", { key: name, class: "field" }, t(`field.${name}`), h("select", { name, ...attributes, autofocus }, list.map((value) => h("option", { key: value, value, selected: values[name] === value }, value))));
  if (type === "checkbox") return h("label", { key: name, class: "check" }, h("input", { name, type, ...attributes, checked: values[name] !== undefined }), t(`field.${name}`));
  return h("label", { key: name, class: "field" }, t(`field.${name}`), h("input", { name, type: type ?? "text", ...attributes, autofocus, value: values[attributes.name ?? name] ?? "" }));
}

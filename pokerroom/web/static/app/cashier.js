/** The cashier: the wallet, requests for deposits and withdrawals, and their states. */

import { parseAmount } from "./amounts.js";
import { ask } from "./dialog.js";
import { money, refusal, regionOfDates, speakMore, t } from "./i18n.js";
import { room } from "./room.js";
import { h } from "./view.js";
import { CashRequest, decided } from "./cash_request.js";

await speakMore("/locales/cashier");

/** How often the states of the requests are refreshed while the window is open. */
const AGAIN_MS = 4_000;
const DAY_MS = 86_400_000;
/** After these failures the room may have taken the request. */
const UNKNOWN = new Set(["connection_ended", "unavailable", "internal"]);

/** Open the cashier. */
export async function cashierWindow() {
  let cashier = await room.ask({ type: "get_cashier" });
  if (!cashier) return;
  const [pending, refilling] = [new CashRequest(), new CashRequest()];
  const state = { kind: "deposit", text: "", source: cashier.sources[0] ?? null, problem: null, told: null, busy: false };
  let again = () => {};

  const look = async () => {
    const found = await room.client.request({ type: "get_cashier" }).catch(() => null);
    if (!found) return; // the connection is lost: the next attempt follows
    const [news] = decided(cashier.requests, found.requests);
    if (news) state.told = t("cashier.now", { kind: t(`cashier.${news.kind}`), amount: money(news.amount), state: t(`cashier.state.${news.state}`) });
    cashier = found;
    if (!cashier.sources.includes(state.source)) state.source = cashier.sources[0] ?? null;
    room.hold(cashier.balance);
    again();
  };

  const send = (event) => {
    event.preventDefault();
    const amount = parseAmount(state.text);
    if (amount) return request(pending, () => pending.message(state.kind, amount, state.source));
    state.told = null;
    state.problem = t("cashier.bad_amount");
    return again();
  };

  const request = async (pending, message) => {
    state.told = state.problem = null;
    if (state.busy) return;
    state.busy = true;
    again();
    try {
      const { request } = await room.client.request(message());
      pending.answered();
      state.text = "";
      state.told = t("cashier.now", { kind: t(`cashier.${request.kind}`), amount: money(request.amount), state: t(`cashier.state.${request.state}`) });
    } catch (failure) {
      if (failure.code === undefined) throw failure;
      if (!UNKNOWN.has(failure.code)) pending.answered();
      state.problem = refusal(failure);
    }
    state.busy = false;
    again();
    await look();
  };

  const timer = setInterval(look, AGAIN_MS);
  await ask(t("cashier.title"), (_, refresh) => {
    again = refresh;
    return [
      h("p", { class: "holdings" }, h("strong", { id: "cashier-wallet" }, t("cashier.wallet", { amount: money(cashier.balance) })), cashier.held > 0 && h("span", { class: "hint" }, t("cashier.held", { amount: money(cashier.held) }))),
      cashier.refill && refillPart(cashier.refill, state, () => request(refilling, () => refilling.refill())),
      cashier.sources.length === 0 ? h("p", { class: "hint", key: "closed" }, t("cashier.no_source")) : form(cashier, state, send, refresh),
      h("p", { class: "status", key: "told", role: "status" }, state.told),
      h("section", { key: "requests", "aria-label": t("cashier.requests") }, h("h3", {}, t("cashier.requests")), requests(cashier.requests)),
    ];
  }, { wide: true, onClosed: () => clearInterval(timer) });
  room.refresh();
}

/** The terms of the free refill, and its button; until it is possible, when it will be. */
function refillPart({ floor, to, owned, wait_ms }, state, refill) {
  const when = new Intl.DateTimeFormat(regionOfDates(), { timeStyle: "short", ...(wait_ms > DAY_MS && { dateStyle: "short" }) });
  return h("section", { key: "refill", class: "refill", "aria-label": t("cashier.refill") },
    h("p", { class: "hint" }, t("cashier.refill_about", { floor: money(floor), to: money(to), owned: money(owned) })),
    wait_ms > 0 && owned < floor && h("p", { class: "hint" }, t("cashier.refill_wait", { time: when.format(Date.now() + wait_ms) })),
    h("button", { id: "refill", disabled: state.busy || owned >= floor || wait_ms > 0, onclick: refill }, t("cashier.refill_to", { amount: money(to) })));
}

function form(cashier, state, send, refresh) {
  const kind = (value) =>
    h("label", { key: value, class: "choice" }, h("input", { type: "radio", name: "kind", value, checked: state.kind === value, onchange: () => ((state.kind = value), (state.problem = null), refresh()) }), t(`cashier.${value}`));
  return h("form", { key: "form", class: "cash-request", onsubmit: send },
    h("fieldset", {}, h("legend", {}, t("cashier.kind")), h("div", { class: "choices" }, kind("deposit"), kind("withdrawal"))),
    h("div", { class: "row" },
      h("label", { class: "field" }, t("cashier.amount"), h("input", { class: "amount", name: "amount", inputmode: "decimal", autocomplete: "off", required: true, value: state.text, oninput: (event) => (state.text = event.target.value) })),
      h("label", { class: "field" }, t("cashier.source"), h("select", { name: "source", onchange: (event) => (state.source = event.target.value) }, cashier.sources.map((source) => h("option", { key: source, value: source, selected: source === state.source }, source))))),
    h("p", { class: "hint" }, t(`cashier.about.${state.kind}`)),
    h("p", { class: "problem", role: "alert" }, state.problem),
    h("div", { class: "row end" }, h("button", { class: "primary", disabled: state.busy }, t(`cashier.ask.${state.kind}`))));
}

function requests(list) {
  if (list.length === 0) return h("p", { class: "hint" }, t("cashier.none"));
  const when = new Intl.DateTimeFormat(regionOfDates(), { dateStyle: "short", timeStyle: "short" });
  return h("ul", { class: "hands requests" }, list.map((request) =>
    h("li", { key: request.key },
      h("p", {},
        h("time", {}, when.format(request.asked_ms)), " ", h("strong", {}, t(`cashier.${request.kind}`), " ", money(request.amount)), ` · ${request.source} · `,
        h("span", { class: `state ${request.state}` }, t(`cashier.state.${request.state}`)),
        request.note && h("span", { class: "note" }, ` – ${request.note}`)))));
}

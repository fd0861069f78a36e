/** The limits dialog: what a player may deposit and lose, and how long they may play. */

import { parseAmount } from "./amounts.js";
import { ask } from "./dialog.js";
import { limitValue, refusal, regionOfDates, speakMore, t } from "./i18n.js";
import { room } from "./room.js";
import { presentPassword } from "./security_window.js";
import { h } from "./view.js";

await speakMore("/locales/limits");

const MINUTE_S = 60;
const COOL_OFFS = ["day", "week", "two_weeks", "month", "six_weeks"];
const LENGTHS = [...COOL_OFFS, "half_year", "year", "five_years", "ever"];
const CHECK_MINUTES = [0, 15, 30, 60, 120, 240];

/** Open the dialog. */
export async function limitsWindow() {
  const answer = await room.ask({ type: "get_limits" });
  if (!answer) return;
  const kept = room.has("reality_check") ? await room.ask({ type: "get_settings" }) : null;
  let { limits, excluded, excluded_until_ms } = answer;
  const state = { limit: limits[0].limit, length: LENGTHS[0], problem: null, told: null, busy: false };
  let again = () => {};

  const send = async (message) => {
    if (state.busy) return;
    Object.assign(state, { busy: true, problem: null, told: null });
    again();
    try {
      const changed = await room.client.request(message);
      const isShorter = message.type === "exclude" && excluded && changed.excluded_until_ms === excluded_until_ms;
      if (changed.type === "limits") ({ limits, excluded, excluded_until_ms } = changed);
      if (isShorter) state.problem = t("exclusion.shorter");
      else state.told = t("limits.saved");
    } catch (failure) {
      if (failure.code === undefined) throw failure;
      state.problem = failure.code === "bad_credentials" ? t("security.wrong") : refusal(failure);
    }
    state.busy = false;
    again();
  };

  const set = (event) => {
    event.preventDefault();
    const text = new FormData(event.target).get("value");
    const value = state.limit === "session_day" ? minutes(text) : parseAmount(text);
    if (value !== null) return send({ type: "set_limit", limit: state.limit, value });
    Object.assign(state, { problem: t("limits.bad_value"), told: null });
    return again();
  };

  // of the account alone: another account of this browser chooses for itself
  const check = (event) => send({ type: "change_settings", reality_check_min: Number(event.target.value) });

  await ask(t("limits.title"), (_, refresh) => {
    again = refresh;
    return [
      h("p", { class: "hint", key: "about" }, t("limits.about")),
      h("p", { class: "status", key: "told", role: "status" }, state.told),
      h("p", { class: "problem", key: "problem", role: "alert" }, state.problem),
      table(limits, state, send),
      h("form", { key: "form", id: "set-limit", onsubmit: set, "aria-label": t("limits.set") },
        h("div", { class: "row" },
          h("label", { class: "field", key: "limit" }, t("limits.limit"), h("select", { name: "limit", onchange: (event) => ((state.limit = event.target.value), refresh()) }, limits.map(({ limit }) => h("option", { key: limit, value: limit, selected: limit === state.limit }, t(`limits.name.${limit}`))))),
          h("label", { class: "field", key: "value" }, t(state.limit === "session_day" ? "limits.minutes" : "limits.credits"), h("input", { class: "amount", name: "value", inputmode: "decimal", autocomplete: "off", required: true, maxlength: 12 }))),
        h("p", { class: "row end" }, h("button", { class: "primary", disabled: state.busy }, t("limits.set")))),
      room.has("exclusion") && exclusionPart({ excluded, excluded_until_ms }, state, send, refresh),
      kept && h("label", { key: "reality", class: "field" }, t("reality.every"), h("select", { name: "reality", onchange: check },
        CHECK_MINUTES.map((minutes) => h("option", { key: minutes, value: String(minutes), selected: minutes === kept.settings.reality_check_min }, minutes ? t("limits.in_minutes", { minutes }) : t("reality.never"))))),
    ];
  }, { wide: true });
}

/** What holds for a player that is excluded, and until when; the form that excludes, unless it is for ever already. */
function exclusionPart({ excluded, excluded_until_ms }, state, send, refresh) {
  return [
    excluded && exclusionNow(excluded_until_ms),
    !(excluded && excluded_until_ms === null) && exclusionForm(excluded, state, send, refresh),
  ];
}

function exclusionNow(excluded_until_ms) {
  const until = new Intl.DateTimeFormat(regionOfDates(), { dateStyle: "medium", timeStyle: "short" });
  return h("section", { key: "excluded", id: "excluded", "aria-label": t("exclusion.title") },
    h("h3", {}, t("exclusion.title")),
    h("p", { key: "now", class: "problem" }, excluded_until_ms === null ? t("exclusion.for_ever") : t("exclusion.until", { time: until.format(excluded_until_ms) })),
    h("p", { key: "about", class: "hint" }, t("exclusion.holds")));
}

/** The form; for a player that is excluded it can only make that longer. */
function exclusionForm(excluded, state, send, refresh) {
  const exclude = (event) => {
    event.preventDefault();
    const password = new FormData(event.target).get("password");
    return send({ type: "exclude", length: state.length, ...(password && { password }) });
  };
  return h("form", { key: "exclusion", id: "exclude", onsubmit: exclude, "aria-label": t("exclusion.title") },
    !excluded && h("h3", { key: "title" }, t("exclusion.title")),
    h("p", { key: "about", class: "hint" }, t(excluded ? "exclusion.longer" : "exclusion.about")),
    h("label", { key: "length", class: "field" }, t("exclusion.length"), h("select", { name: "length", onchange: (event) => ((state.length = event.target.value), refresh()) }, LENGTHS.map((length) => h("option", { key: length, value: length, selected: length === state.length }, t(`exclusion.${length}`))))),
    !COOL_OFFS.includes(state.length) && presentPassword(),
    h("label", { key: "sure", class: "check" }, h("input", { type: "checkbox", name: "sure", required: true }), t("exclusion.sure")),
    h("p", { key: "do", class: "row end" }, h("button", { disabled: state.busy }, t(excluded ? "exclusion.extend" : "exclusion.do"))));
}

/** Parse whole minutes; null if it is no number of them in a day. */
function minutes(text) {
  return /^\s*\d{1,4}\s*$/.test(text) && Number(text) <= 1440 ? Number(text) * MINUTE_S : null;
}

function table(limits, state, send) {
  const when = new Intl.DateTimeFormat(regionOfDates(), { dateStyle: "short", timeStyle: "short" });
  const head = (name) => h("th", { key: name, scope: "col" }, t(`limits.${name}`));
  const cell = (name, ...content) => h("td", { "data-label": t(`limits.${name}`) }, content);
  const shown = (limit, value) => (value === null ? t("limits.none") : limitValue(limit, value));
  const button = (name, each, value) =>
    h("button", { key: name, disabled: state.busy, "aria-label": `${t(`limits.${name}`)}: ${t(`limits.name.${each.limit}`)}`, onclick: () => send({ type: "set_limit", limit: each.limit, value }) }, t(`limits.${name}`));
  const line = (each) => {
    const waits = each.wanted_from_ms !== null;
    return h("tr", { key: each.limit },
      h("th", { scope: "row" }, t(`limits.name.${each.limit}`)),
      cell("own", shown(each.limit, each.value), waits && h("span", { class: "hint" }, " ", t("limits.waiting", { value: shown(each.limit, each.wanted), time: when.format(each.wanted_from_ms) }))),
      cell("cap", shown(each.limit, each.cap)),
      cell("used", limitValue(each.limit, Math.max(0, each.used))),
      cell("ends", when.format(each.ends_ms)),
      h("td", { class: "do" },
        waits && each.wanted_from_ms <= room.client.serverNow() && button("confirm", each, each.wanted),
        waits && button("withdraw", each, each.value),
        !waits && each.value !== null && button("remove", each, null)));
  };
  return h("div", { class: "records", key: "list" }, h("table", {},
    h("caption", { class: "unseen" }, t("limits.title")),
    h("thead", {}, h("tr", {}, ["limit", "own", "cap", "used", "ends", "change"].map(head))),
    h("tbody", {}, limits.map(line))));
}

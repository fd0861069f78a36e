/** The security dialog: devices, a new password, recovery codes, the second factor, and the end of the account. */

import { ask } from "./dialog.js";
import { refusal, regionOfDates, speakMore, t } from "./i18n.js";
import { room } from "./room.js";
import { h } from "./view.js";

await speakMore("/locales/security");

/** Open the dialog. */
export async function securityWindow() {
  let security = await room.ask({ type: "get_security" });
  if (!security) return;
  const state = { problem: null, told: null, busy: false, codes: null, factor: null };
  let again = () => {};

  const send = async (message, told, request = (one) => room.client.request(one)) => {
    if (state.busy) return false;
    Object.assign(state, { busy: true, problem: null, told: null });
    again();
    try {
      const answer = await request(message);
      if (!room.account) return true; // it is deleted
      if (answer.type === "recovery_codes") state.codes = answer.codes;
      if (message.type === "change_password") state.codes = null; // they are void
      state.factor = answer.type === "second_factor" ? answer : null;
      security = answer.type === "security" ? answer : await room.client.request({ type: "get_security" });
      state.told = told;
    } catch (failure) {
      if (failure.code === undefined) throw failure;
      state.problem = failure.code === "bad_credentials" ? t("security.wrong") : refusal(failure);
    }
    state.busy = false;
    again();
    return state.problem === null;
  };
  const change = async (event) => {
    event.preventDefault();
    const form = event.target;
    const fields = new FormData(form);
    const message = { type: "change_password", password: fields.get("password"), new_password: fields.get("new_password") };
    if (await send(message, t("security.changed"))) form.reset();
  };

  const make = async (event) => {
    event.preventDefault();
    const form = event.target;
    if (await send({ type: "make_recovery_codes", ...proofOf(form) }, t("security.codes_made"))) form.reset();
  };

  const factor = async (event) => {
    event.preventDefault();
    const form = event.target;
    const [type, told] = security.second_factor ? ["end_second_factor", t("security.factor_ended")] : state.factor ? ["confirm_second_factor", t("security.factor_done")] : ["begin_second_factor", null];
    const begun = state.factor;
    if (await send({ type, ...proofOf(form) }, told)) form.reset();
    else if (begun) (state.factor = begun), again();
  };

  const leave = async (event) => {
    event.preventDefault();
    if (await send({ type: "delete_account", ...proofOf(event.target) }, null, (one) => room.logOut(one))) document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close());
  };

  await ask(t("security.title"), (_, refresh) => {
    again = refresh;
    return [
      h("p", { class: "status", key: "told", role: "status" }, state.told),
      h("p", { class: "problem", key: "problem", role: "alert" }, state.problem),
      h("section", { key: "devices", "aria-label": t("security.devices") }, h("h3", {}, t("security.devices")), devices(security.sessions, send, state)),
      h("form", { key: "password", onsubmit: change, "aria-label": t("security.password") },
        h("h3", {}, t("security.password")),
        presentPassword(),
        h("label", { class: "field", key: "new" }, t("security.new"), h("input", { name: "new_password", type: "password", required: true, minlength: 8, maxlength: 128, autocomplete: "new-password" })),
        h("p", { class: "hint" }, t("security.ends_others")),
        h("p", { class: "row end" }, h("button", { class: "primary", disabled: state.busy }, t("security.change")))),
      room.has("recovery_codes") && h("form", { key: "codes", id: "recovery-codes", onsubmit: make, "aria-label": t("security.codes") },
        h("h3", {}, t("security.codes")),
        h("p", { key: "about", class: "hint" }, t("security.codes_about", { left: security.recovery_codes })),
        state.codes && h("ul", { key: "list", class: "codes" }, state.codes.map((code) => h("li", { key: code }, h("code", {}, code)))),
        presentPassword(),
        security.second_factor && codeField(),
        h("p", { class: "row end" }, h("button", { disabled: state.busy }, t("security.make_codes")))),
      room.has("second_factor") && h("form", { key: "factor", id: "second-factor", onsubmit: factor, "aria-label": t("security.factor") },
        h("h3", {}, t("security.factor")),
        h("p", { key: "about", class: "hint" }, t(security.second_factor ? "security.factor_on" : state.factor ? "security.factor_scan" : "security.factor_off")),
        state.factor && h("p", { key: "secret", class: "secret" }, qr(state.factor.qr), h("code", {}, state.factor.secret)),
        presentPassword(),
        (state.factor || security.second_factor) && codeField(),
        h("p", { class: "row end" }, h("button", { disabled: state.busy }, t(security.second_factor ? "security.factor_end" : state.factor ? "security.factor_confirm" : "security.factor_begin")))),
      room.has("delete_account") && h("form", { key: "delete", id: "delete-account", onsubmit: leave, "aria-label": t("security.delete") },
        h("h3", {}, t("security.delete")),
        h("p", { key: "about", class: "hint" }, t("security.delete_about")),
        presentPassword(),
        security.second_factor && codeField(),
        h("p", { class: "row end" }, h("button", { disabled: state.busy }, t("security.delete_now")))),
    ];
  }, { wide: true });
}

/** Return the field for the present password. */
export const presentPassword = () =>
  h("label", { class: "field", key: "present" }, t("security.present"), h("input", { name: "password", type: "password", required: true, minlength: 8, maxlength: 128, autocomplete: "current-password" }));

const codeField = () =>
  h("label", { class: "field", key: "code" }, t("security.code"), h("input", { name: "code", required: true, minlength: 6, maxlength: 40, autocomplete: "one-time-code", spellcheck: "false" }));

/** Return how a form proves the account: the password, and a code if it asks for one. */
function proofOf(form) {
  const fields = new FormData(form);
  return { password: fields.get("password"), ...(fields.has("code") && { code: fields.get("code").trim() }) };
}

function devices(sessions, send, state) {
  const when = new Intl.DateTimeFormat(regionOfDates(), { dateStyle: "short", timeStyle: "short" });
  const cell = (name, content) => h("td", { "data-label": t(`security.${name}`) }, content);
  const line = (session) =>
    h("tr", { key: session.session },
      h("th", { scope: "row" }, session.client || t("security.unknown"), session.current && h("span", { class: "hint" }, " ", t("security.this"))),
      cell("address", session.address),
      cell("seen", h("time", {}, when.format(session.seen_ms))),
      cell("opened", h("time", {}, when.format(session.opened_ms))),
      h("td", { class: "do" }, !session.current && h("button", { disabled: state.busy, onclick: () => send({ type: "end_sessions", session: session.session }, t("security.ended")) }, t("log_out"))));
  const head = (name) => h("th", { key: name, scope: "col" }, t(`security.${name}`));
  return [
    h("div", { class: "records", key: "list" }, h("table", {},
      h("caption", { class: "unseen" }, t("security.devices")),
      h("thead", {}, h("tr", {}, ["client", "address", "seen", "opened", "end"].map(head))),
      h("tbody", {}, sessions.map(line)))),
    sessions.length > 1 && h("p", { key: "all", class: "row end" }, h("button", { id: "end-others", disabled: state.busy, onclick: () => send({ type: "end_sessions" }, t("security.ended")) }, t("security.end_others"))),
  ];
}

/** Draw a QR code, with its border of four. */
function qr(rows) {
  const size = rows.length + 8;
  const dark = rows.flatMap((row, y) => [...row].map((module, x) => (module === "1" ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join("");
  return h("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": t("security.qr") }, h("path", { d: dark }));
}

/** The windows of clubs: yours, one with its tables, members and invitation, and what its managers do. */

import { parseAmount } from "./amounts.js";
import { newKey } from "./cash_request.js";
import { clubResultsWindow } from "./club_results.js";
import { ask } from "./dialog.js";
import { noted } from "./hosting.js";
import { WindowRequests, createTableWindow, linkPart, sure } from "./hosting_windows.js";
import { money, speakMore, t } from "./i18n.js";
import { sit, stakes } from "./lobby.js";
import { tournamentWindow } from "./on_demand.js";
import { room } from "./room.js";
import { h } from "./view.js";
import { played } from "./words.js";

await speakMore("/locales/clubs");

const LOOK_MS = 5_000;
const ROLES = ["member", "manager", "owner"];
const CODE = /(?:^|#club=)([A-Za-z0-9_-]{22})$/;

const manages = ({ your_role }) => your_role !== "member";
const below = (one, other) => ROLES.indexOf(one) < ROLES.indexOf(other);

/** Your clubs: open one, create one, or join one by its invitation. */
export async function clubsWindow() {
  const answer = await room.ask({ type: "get_clubs" });
  if (!answer) return;
  const window = new WindowRequests();
  const chosen = await ask(t("clubs.title"), (close, refresh) => {
    window.again = refresh;
    const create = async (event) => {
      event.preventDefault();
      const made = await window.send({ type: "create_club", name: new FormData(event.target).get("name").trim() });
      if (made) close(made.club);
    };
    const join = async (event) => {
      event.preventDefault();
      const [, code] = CODE.exec(new FormData(event.target).get("code").trim()) ?? [];
      if (!code) return window.refuse(t("error.unknown_club_code"));
      const joined = await window.send({ type: "join_club", code });
      if (joined) close(joined.club);
    };
    return [
      answer.clubs.length === 0 && h("p", { key: "none" }, t("clubs.none")),
      h("ul", { key: "clubs", class: "guests" }, answer.clubs.map((club) =>
        h("li", { key: club.club },
          h("p", {}, h("b", {}, club.name), " ", h("span", { class: "hint" }, t("clubs.line", { role: t(`clubs.role.${club.your_role}`), members: club.members, balance: money(club.your_balance) }))),
          h("button", { class: "primary", "aria-label": t("clubs.open_title", { name: club.name }), onclick: () => close(club) }, t("clubs.open"))))),
      h("p", { class: "problem", key: "problem", role: "alert" }, window.problem),
      h("form", { key: "join", id: "join-club", class: "row", onsubmit: join },
        h("label", { class: "field" }, t("clubs.code"), h("input", { name: "code", required: true, autocomplete: "off", spellcheck: "false" })),
        h("button", { disabled: window.busy }, t("clubs.join"))),
      h("form", { key: "create", id: "create-club", class: "row", onsubmit: create },
        h("label", { class: "field" }, t("clubs.name"), h("input", { name: "name", required: true, maxlength: 40, autocomplete: "off" })),
        h("button", { disabled: window.busy }, t("clubs.create"))),
    ];
  });
  if (chosen) await clubWindow(chosen.club);
}

/** Become a member by the invitation of a link, after a question: any page can have such a link. Then open the club. */
export async function joinClub(code) {
  if (!(await sure(t("clubs.join_title"), t("clubs.join_about"), t("clubs.join")))) return;
  const answer = await room.ask({ type: "join_club", code });
  if (answer) await clubWindow(answer.club.club);
}

/** One club. It is asked again from time to time, for the room tells of no changes. */
export async function clubWindow(id) {
  const first = await room.ask({ type: "get_club", club: id });
  if (!first) return;
  let { club } = first;
  const window = new WindowRequests((answer) => typeof answer.club === "object" && ({ club } = answer));
  let gone = () => {};
  const look = async () => {
    if (window.busy) return;
    const answer = await room.client.request({ type: "get_club", club: id }).catch((failure) => failure);
    if (answer.code === "unknown_club") return gone(); // removed meanwhile, or the club was closed
    if (!answer.club || window.busy) return;
    ({ club } = answer);
    window.again();
  };
  const timer = setInterval(look, LOOK_MS);
  const next = await ask(() => club.name, (close, refresh) => {
    window.again = refresh;
    gone = close;
    return [
      h("p", { key: "own" }, t("clubs.own", { balance: money(club.your_balance), role: t(`clubs.role.${club.your_role}`) }), " ", h("span", { class: "hint" }, t("clubs.issued", { amount: money(club.issued) }))),
      h("p", { class: "problem", key: "problem", role: "alert" }, window.problem),
      tablesPart(club, window, close),
      membersPart(club, window),
      manages(club) && invitationPart(club, window),
      h("div", { class: "row end", key: "do" },
        club.your_role !== "owner" && h("button", { key: "leave", disabled: window.busy, onclick: () => leave(club, window, close) }, t("clubs.leave")),
        club.your_role === "owner" && h("button", { key: "close", disabled: window.busy, onclick: () => end(club, window, close) }, t("clubs.close")),
        h("button", { key: "results", id: "club-results", class: "primary", onclick: () => clubResultsWindow(club) }, t("menu.results"))),
    ];
  }, { wide: true, onClosed: () => clearInterval(timer) });
  if (next) await next();
}

const leave = async (club, window, close) =>
  (await sure(t("clubs.leave"), t("clubs.leave_about"), t("clubs.leave"))) && (await window.send({ type: "leave_club", club: club.club })) && close();

const end = async (club, window, close) =>
  (await sure(t("clubs.close"), t("clubs.close_about"), t("clubs.close"))) && (await window.send({ type: "close_club", club: club.club })) && close();

function tablesPart(club, window, close) {
  const come = async (info) => {
    const answer = await window.send({ type: "join_club_table", table: info.table });
    if (answer) close(() => sit(answer.hosted.info));
  };
  const shut = async (info) =>
    (await sure(t("clubs.close_table_title", { name: info.name }), t("hosted.close_about"), t("hosted.close"))) && window.send({ type: "close_club_table", table: info.table });
  const sitAndGos = club.sit_and_gos ?? []; // an older room has none
  const enter = async ({ tournament }) => (await window.send({ type: "join_club_table", table: tournament })) && close(() => tournamentWindow(null, tournament));
  const cancel = async ({ tournament, name }) =>
    (await sure(t("clubs.cancel_title", { name }), t("clubs.cancel_about"), t("clubs.cancel"))) &&
    (await window.send({ type: "join_club_table", table: tournament })) && window.send({ type: "change_sit_and_go", tournament, order: "cancel" });
  return h("section", { key: "tables" }, h("h3", {}, t("clubs.tables")),
    h("ul", { class: "guests" }, club.tables.map(({ info, host }) =>
      h("li", { key: info.table },
        h("p", {}, h("b", {}, info.name), " ", h("span", { class: "hint" }, `${played(info)} ${stakes(info)} · ${info.occupied}/${info.seats} · ${t("hosted.by", { name: host })}${info.closing ? ` · ${t("lobby.closing")}` : ""}`)),
        h("div", { class: "row" },
          h("button", { key: "come", class: "primary", disabled: window.busy || info.closing, "aria-label": t("clubs.come_title", { name: info.name }), onclick: () => come(info) }, t("clubs.come")),
          manages(club) && h("button", { key: "shut", disabled: window.busy || info.closing, "aria-label": t("clubs.close_table_title", { name: info.name }), onclick: () => shut(info) }, t("hosted.close"))))),
      sitAndGos.map((one) =>
      h("li", { key: one.tournament },
        h("p", {}, h("b", {}, one.name), " ", h("span", { class: "hint" }, `${t("sng.buy_in")}: ${money(one.buy_in)} · ${one.players}/${one.seats} · ${t("hosted.by", { name: one.host })} · ${t(`sng.phase.${one.runs ? "running" : "registering"}`)}`)),
        h("div", { class: "row" },
          h("button", { key: "enter", class: "primary", disabled: window.busy, "aria-label": t("clubs.come_title", { name: one.name }), onclick: () => enter(one) }, t("clubs.come")),
          manages(club) && !one.runs && h("button", { key: "cancel", disabled: window.busy, "aria-label": t("clubs.cancel_title", { name: one.name }), onclick: () => cancel(one) }, t("clubs.cancel")))))),
    club.tables.length + sitAndGos.length === 0 && h("p", { key: "none", class: "hint" }, t("clubs.no_tables")),
    h("p", { class: "row" }, h("button", { id: "create-club-table", onclick: () => close(() => createTableWindow({ club: club.club })) }, t("hosted.create")), h("span", { class: "hint" }, t("clubs.table_about"))));
}

function membersPart(club, window) {
  const order = async (what, name, request) =>
    (await sure(t(`clubs.${what}_title`, { name }), t(`clubs.${what}_about`), t(`clubs.${what}`))) && window.send({ club: club.club, name, ...request });
  const role = (name) => async (event) => {
    const chosen = event.target.value;
    const done = chosen === "owner" ? await order("hand_over", name, { type: "set_club_role", role: chosen }) : await window.send({ type: "set_club_role", club: club.club, name, role: chosen });
    if (!done) window.again();
  };
  return h("section", { key: "members" }, h("h3", {}, t("clubs.members")),
    h("ul", { class: "guests", id: "members" }, club.members.map((member) => {
      const { name } = member;
      const isMe = name === room.account.name;
      return h("li", { key: name },
        h("p", {}, h("b", {}, isMe ? t("table.you") : name), " ", h("span", { class: "hint" }, t(`clubs.role.${member.role}`)), " ", h("span", { class: "sum" }, money(member.balance))),
        h("div", { class: "row" },
          manages(club) && h("button", { key: "chips", disabled: window.busy, "aria-label": t("clubs.chips_title", { name }), onclick: () => chipsWindow(club, member, window) }, t("clubs.chips")),
          club.your_role === "owner" && !isMe && h("select", { key: "role", disabled: window.busy, "aria-label": t("clubs.role_of", { name }), onchange: role(name) },
            ROLES.map((each) => h("option", { key: each, value: each, selected: each === member.role }, t(`clubs.role.${each}`)))),
          manages(club) && below(member.role, club.your_role) && h("button", { key: "remove", disabled: window.busy, "aria-label": t("clubs.remove_title", { name }), onclick: () => order("remove", name, { type: "remove_member" }) }, t("clubs.remove"))));
    })));
}

function invitationPart(club, window) {
  const set = (invites) => window.send({ type: "set_club_code", club: club.club, invites });
  return h("section", { key: "invite" }, h("h3", {}, t("clubs.invite")),
    club.code ? linkPart(`#club=${club.code}`, t("clubs.invite_about"), window) : h("p", { key: "no-code", class: "hint" }, t("clubs.no_code")),
    h("p", { class: "row" },
      h("button", { id: "new-code", disabled: window.busy, onclick: () => set(true) }, t("clubs.new_code")),
      club.code && h("button", { key: "no", id: "no-code", disabled: window.busy, onclick: () => set(false) }, t("clubs.take_code")),
      h("span", { class: "hint" }, t("clubs.new_code_about"))));
}

/** Issue chips to a member, or take them back. */
async function chipsWindow(club, { name, balance }, above) {
  const window = new WindowRequests();
  const key = newKey();
  const done = await ask(t("clubs.chips_title", { name }), (close, refresh) => {
    window.again = refresh;
    const move = (sign) => async (event) => {
      event.preventDefault();
      const amount = parseAmount(event.target.closest("form").elements.amount.value);
      if (!amount) return window.refuse(t("clubs.no_amount"));
      const answer = await window.send({ type: "move_club_chips", club: club.club, name, amount: sign * amount, key });
      if (answer) close(answer);
    };
    return h("form", { id: "club-chips", onsubmit: move(1) },
      h("p", {}, t("clubs.has", { name, balance: money(balance) })),
      h("label", { class: "field" }, t("hosted.give_amount"), h("input", { name: "amount", class: "amount", required: true, inputmode: "decimal", autocomplete: "off", autofocus: true })),
      h("p", { class: "hint" }, t("clubs.chips_about")),
      h("p", { class: "problem", role: "alert" }, window.problem),
      h("div", { class: "row end" },
        h("button", { type: "button", onclick: () => close() }, t("cancel")),
        h("button", { type: "button", id: "take-chips", disabled: window.busy, onclick: move(-1) }, t("clubs.take")),
        h("button", { class: "primary", disabled: window.busy }, t("clubs.issue"))));
  });
  if (done) (above.take(done), above.again());
}

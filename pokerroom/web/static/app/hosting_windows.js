/** The windows of private tables: create one, share its link, and what its host decides. */

import { Range, stakesOf } from "./amounts.js";
import { newKey } from "./cash_request.js";
import { copied } from "./copy.js";
import { ask } from "./dialog.js";
import { askOffered, hostedAt, noted, offeredTables } from "./hosting.js";
import { money, refusal, speakMore, t } from "./i18n.js";
import { arrive, tableCodeIn } from "./invitation.js";
import { sit } from "./lobby.js";
import { createSitAndGoWindow, tournamentWindow } from "./on_demand.js";
import { room } from "./room.js";
import { h } from "./view.js";
import { amountChooser } from "./windows.js";

await speakMore("/locales/hosting");

const GAMES = [["holdem", "no_limit"], ["holdem", "pot_limit"], ["holdem", "fixed_limit"], ["omaha", "pot_limit"]];
const SMALL_BLINDS = [5, 10, 25, 50, 100, 200, 500, 1_000, 2_500, 5_000];
const withOwn = (...small) => [...new Set([...offeredBlinds(), ...small])].sort((one, other) => one - other);
const SEATS = [2, 3, 4, 5, 6, 7, 8, 9, 10];
const CLOCKS_S = [10, 15, 20, 30, 45, 60, 90];
/** So long the window waits for what is offered now; then it shows what was offered last. */
const ASKED_MS = 1_000;
const TABLE = "host:";
/** Not that of the account, which the browser may know. */
const SECRET = { name: "password", type: "text", required: true, minlength: 8, maxlength: 128, autocomplete: "off", spellcheck: "false" };
const NUMBER = /^[0-9A-Za-z]{10}$/;
const LOCAL = /^(localhost|127\..*|\[::1\])$/;

/** The blinds; at fixed limit the bets, as the room makes them of the small blind. */
const stakes = ({ structure }, small) =>
  stakesOf(structure === "fixed_limit" ? { small_bet: 2 * small, big_bet: 4 * small } : { small_blind: small, big_blind: 2 * small }, money);

const ANY = { small_blind_min: 1, small_blind_max: Infinity, seats_max: 10, games: GAMES.map(([game, structure]) => ({ game, structure })) };
const offers = (small) => {
  const { small_blind_min: low, small_blind_max: high } = offeredTables() ?? ANY;
  return low <= small && small <= high;
};

/** The usual small blinds that hosts may choose; if none of them is offered, the least and the most. */
function offeredBlinds() {
  const usual = SMALL_BLINDS.filter(offers);
  if (usual.length > 0) return usual;
  const { small_blind_min: low, small_blind_max: high } = offeredTables();
  return [...new Set([low, high])];
}

/** The wanted one of some values, else the last. */
const chosenOf = (values, wanted) => (values.includes(wanted) ? wanted : values.at(-1));

/** Create a table, perhaps of a club, open it, and show its link. */
export async function createTableWindow({ club = null } = {}) {
  await Promise.race([askOffered(), new Promise((done) => setTimeout(done, ASKED_MS))]);
  const told = offeredTables();
  if (told === null) return room.notify(null, t("error.hosting_off"), "refused");
  const { games: all, seats_max: seatsMax } = told ?? ANY;
  const games = GAMES.filter(([game, structure]) => all.some((one) => one.game === game && one.structure === structure));
  const structures = (game) => games.filter(([name]) => name === game).map(([, structure]) => structure);
  const blinds = offeredBlinds();
  const seats = SEATS.filter((count) => count <= seatsMax);
  const terms = { ...(club && { club }), game: games[0][0], structure: games[0][1], small_blind: chosenOf(blinds, 50), seats: chosenOf(seats, 6), action_clock_s: 30, chat: true, straddle: false };
  const window = new WindowRequests();
  const hosted = await ask(t("hosted.create"), (close, refresh) => {
    window.again = refresh;
    const choice = (name, values, text) =>
      h("label", { key: name, class: "field" }, t(`hosted.${name}`),
        h("select", { name, "aria-invalid": window.wrong === name ? "true" : null, onchange: (event) => chosen(name, values.find((value) => String(value) === event.target.value)) },
          values.map((value) => h("option", { key: value, value: String(value), selected: terms[name] === value }, text(value)))));
    const box = (name) =>
      h("label", { key: name, class: "check" }, h("input", { name, type: "checkbox", checked: terms[name], onchange: (event) => chosen(name, event.target.checked) }), t(`hosted.${name}`));
    const chosen = (name, value) => {
      terms[name] = value;
      if (!structures(terms.game).includes(terms.structure)) [terms.structure] = structures(terms.game);
      refresh();
    };
    const create = async (event) => {
      event.preventDefault();
      const name = new FormData(event.target).get("name").trim();
      const answer = await window.send({ type: "create_table", name, ...terms });
      if (answer) close(answer.hosted);
    };
    return h("form", { id: "new-table", onsubmit: create },
      room.has("private_sit_and_gos") && h("p", { key: "sng", class: "row" }, h("button", { id: "create-sit-and-go", type: "button", onclick: () => close("sit_and_go") }, t("private.create"))),
      h("label", { class: "field" }, t("hosted.name"), h("input", { name: "name", required: true, maxlength: 40, autocomplete: "off", "aria-invalid": window.wrong === "name" ? "true" : null, made: (input) => (input.value = t("hosted.default_name", { name: room.account.name })) })),
      h("div", { class: "pairs" },
        choice("game", [...new Set(games.map(([game]) => game))], (game) => t(`game.${game}`)),
        choice("structure", structures(terms.game), (structure) => t(`structure.${structure}`)),
        choice("small_blind", blinds, (small) => stakes(terms, small)),
        choice("seats", seats, String),
        choice("action_clock_s", CLOCKS_S, (seconds) => t("hosted.seconds", { seconds })),
        h("div", { key: "boxes" }, ["chat", "straddle"].map(box))),
      h("p", { class: "problem", role: "alert" }, window.problem),
      h("div", { class: "row end" },
        h("button", { type: "button", onclick: () => close() }, t("cancel")), h("button", { class: "primary", autofocus: true, disabled: window.busy }, t("hosted.create"))));
  });
  if (hosted === "sit_and_go") return createSitAndGoWindow({ club });
  if (!hosted) return;
  const { table } = hosted.info;
  if (await room.show(table)) location.assign("#tables");
  await shareWindow(table);
}

/** Show the link of a table, and offer its host a seat. */
export async function shareWindow(table) {
  const window = new WindowRequests();
  const sits = await ask(t("hosted.share"), (close, refresh) => {
    window.again = refresh;
    return [
      tableLink(table, window),
      h("div", { class: "row end" },
        h("button", { type: "button", onclick: () => close() }, t("close")),
        !room.sitsAt(table) && room.mayOpen(table) && h("button", { key: "sit", class: "primary", onclick: () => close(true) }, t("lobby.sit"))),
    ];
  });
  if (sits) await sit(hostedAt(table).info);
}

/** Ask the host for a seat, or tell how far that is. */
export async function seatWindow(table) {
  const window = new WindowRequests();
  await ask(t("hosted.seats_title"), (close, refresh) => {
    window.again = refresh;
    const seat = hostedAt(table)?.your_seat ?? "open";
    const send = () => window.send({ type: "ask_seat", table });
    return [
      h("p", { key: "about" }, t(`hosted.seat_${seat}`, { name: hostedAt(table)?.host ?? "" })),
      h("p", { class: "problem", key: "problem", role: "alert" }, window.problem),
      h("div", { class: "row end", key: "do" },
        h("button", { key: "close", onclick: () => close() }, t("close")),
        seat === "ask" && h("button", { key: "ask", id: "ask-seat", class: "primary", autofocus: true, disabled: window.busy, onclick: send }, t("hosted.ask_seat"))),
    ];
  });
}

/** What the host of a table decides. */
export async function hostWindow(table) {
  const window = new WindowRequests();
  const again = () => window.again();
  room.addEventListener("change", again);
  room.addEventListener("table", again);
  await ask(() => t("menu.host"), (close, refresh) => {
    window.again = refresh;
    const hosted = hostedAt(table);
    const snapshot = room.model(table)?.snapshot;
    if (!hosted?.code || !snapshot) return h("p", { class: "hint", key: "over" }, t("table.closed"));
    const isAsked = (hosted.guests ?? []).some((guest) => guest.seat === "asked"); // a guest waits: that comes first
    const order = async (what) => window.send({ type: "change_hosted_table", table, order: what });
    const end = async () => (await sure(t("hosted.close"), t("hosted.close_about"), t("hosted.close"))) && (await order("close")) && close();
    return [
      h("p", { class: "problem", key: "problem", role: "alert" }, window.problem),
      isAsked && playersPart(hosted, snapshot, window),
      h("section", { key: "share" }, h("h3", {}, t("hosted.share")), tableLink(table, window),
        h("p", { class: "row" }, h("button", { id: "new-link", disabled: window.busy, onclick: () => order("new_link") }, t("hosted.new_link")), h("span", { class: "hint" }, t("hosted.new_link_about")))),
      room.has("table_passwords") && passwordPart(hosted, window),
      h("section", { key: "play" }, h("h3", {}, t("hosted.play")),
        h("p", { class: "row" }, h("button", { id: "pause", disabled: window.busy, onclick: () => order(snapshot.paused ? "resume" : "pause") }, t(snapshot.paused ? "hosted.resume" : "hosted.pause")), h("span", { class: "hint" }, t(snapshot.paused ? "table.paused_hint" : "hosted.pause_about")))),
      hosted.guests && seatsPart(hosted, order, window),
      !isAsked && playersPart(hosted, snapshot, window),
      stakesPart(table, snapshot.info, window),
      h("section", { key: "close" }, h("h3", {}, t("hosted.close")),
        h("p", { class: "row" }, h("button", { id: "close-table", disabled: window.busy || hosted.info.closing, onclick: end }, t("hosted.close")), h("span", { class: "hint" }, t("hosted.close_about")))),
    ];
  }, { onClosed: () => (room.removeEventListener("change", again), room.removeEventListener("table", again)) });
}

/** Set, change or remove the password, and tell what friends need beside it. */
export function passwordPart({ info: { table }, has_password: has }, window) {
  const set = async (event) => {
    event.preventDefault();
    const form = event.target;
    if (await window.send({ type: "set_table_password", table, password: new FormData(form).get("password") })) form.reset();
  };
  const remove = () => window.send({ type: "set_table_password", table, password: null });
  return h("section", { key: "password" }, h("h3", {}, t("hosted.password_title")),
    h("p", { class: "hint" }, t(has ? "hosted.password_set" : "hosted.password_none")),
    h("form", { id: "table-password", class: "share", autocomplete: "off", onsubmit: set },
      has && h("p", { key: "number" }, `${t("hosted.number")}: `, h("b", { id: "table-number" }, table.slice(TABLE.length))),
      h("div", { class: "link" },
        h("input", { ...SECRET, "aria-label": t("hosted.new_password"), placeholder: t("hosted.new_password") }),
        h("button", { disabled: window.busy }, t(has ? "hosted.change_password" : "hosted.set_password")))),
    has && h("p", { key: "remove", class: "row" }, h("button", { id: "remove-password", disabled: window.busy, onclick: remove }, t("hosted.remove_password"))));
}

/** Come to a table or a sit-and-go by its link, by the code in that, or by its number and its password. */
export async function enterWindow() {
  const window = new WindowRequests();
  const entered = await ask(t("hosted.join"), (close, refresh) => {
    window.again = refresh;
    const enter = async (event) => {
      event.preventDefault();
      const { number, password } = Object.fromEntries(new FormData(event.target));
      const code = tableCodeIn(number.trim());
      if (!code && !NUMBER.test(number.trim())) return window.refuse(t("error.unknown_link"));
      if (!code && password === "") return window.refuse(t("hosted.password_too"));
      const answer = await window.send(code ? { type: "find_table", code } : { type: "enter_table", table: TABLE + number.trim().toLowerCase(), password });
      if (answer) close(answer);
    };
    return h("form", { id: "enter-by-password", autocomplete: "off", onsubmit: enter },
      h("p", { class: "hint" }, t("hosted.enter_about")),
      h("label", { class: "field" }, t("hosted.link_or_number"), h("input", { name: "number", required: true, maxlength: 200, autofocus: true, autocapitalize: "off", spellcheck: "false" })),
      h("label", { class: "field" }, t("hosted.password"), h("input", { ...SECRET, type: "password", required: false })),
      h("p", { class: "problem", role: "alert" }, window.problem),
      h("div", { class: "row end" }, h("button", { type: "button", onclick: () => close() }, t("cancel")), h("button", { class: "primary", disabled: window.busy }, t("hosted.enter_do"))));
  });
  if (entered) await arrive(entered);
}

/** Choose whether guests need the host's word for a seat. */
function seatsPart({ approves }, order, window) {
  return h("section", { key: "seats" }, h("h3", {}, t("hosted.seats_title")),
    h("p", { class: "row" }, h("button", { id: "approve-seats", disabled: window.busy, onclick: () => order(approves ? "open_seats" : "approve_seats") }, t(approves ? "hosted.open_seats" : "hosted.approve_seats")), h("span", { class: "hint" }, t(approves ? "hosted.approves" : "hosted.seats_are_open"))));
}

/** Choose other stakes for the hands to come. */
function stakesPart(table, info, window) {
  const { small_blind: now } = info.structure === "fixed_limit" ? { small_blind: info.small_bet / 2 } : info;
  const choice = () => document.getElementById("new-stakes");
  const change = () => window.send({ type: "change_stakes", table, small_blind: Number(choice().value) });
  return h("section", { key: "stakes" }, h("h3", {}, t("hosted.small_blind")),
    h("p", { class: "row" },
      h("select", { id: "new-stakes", "aria-label": t("hosted.small_blind") },
        withOwn(now, ...[2 * now].filter(offers)).map((small) => h("option", { key: small, value: String(small), selected: small === now }, stakes(info, small)))),
      h("button", { id: "change-stakes", disabled: window.busy, onclick: change }, t("hosted.change_stakes"))),
    h("p", { class: "hint" }, t("hosted.change_stakes_about")));
}

/** A window's requests: one at a time, with the refusal in the window. */
export class WindowRequests {
  busy = false;
  problem = null;
  /** The field that the room has refused. */
  wrong = null;
  /** What was said of the link. */
  told = null;
  again = () => {};

  /** `take` gets each answer, before the window is drawn again. */
  constructor(take = () => {}) {
    this.take = take;
  }

  /** Say why a request is not sent. */
  refuse(problem) {
    this.problem = problem;
    this.again();
  }

  /** Send a request; return its answer, or null after a refusal. */
  async send(message) {
    if (this.busy) return null;
    Object.assign(this, { busy: true, problem: null, wrong: null, told: null });
    this.again();
    let answer = null;
    try {
      answer = await room.client.request(message);
      if (answer.hosted) noted(answer.hosted);
      if (answer.sit_and_go) askOffered();
      this.take(answer);
    } catch (failure) {
      if (failure.code === undefined) throw failure;
      this.problem = refusal(failure);
      this.wrong = failure.error?.path?.slice(2) ?? null;
    }
    this.busy = false;
    this.again();
    return answer;
  }
}

const tableLink = (table, window) => linkPart(`#table=${hostedAt(table)?.code}`, t(hostedAt(table)?.club ? "hosted.share_club" : "hosted.share_about"), window);

/** A link to share, and a button to copy it. */
export function linkPart(hash, about, window) {
  const link = `${location.origin}/${hash}`;
  const copy = async (event) => {
    const field = event.target.closest(".link").querySelector("input");
    const isCopied = await copied(field.value, () => field);
    window.told = t(isCopied ? "hosted.copied" : "hosted.copy_yourself");
    window.again();
  };
  return h("div", { key: "link", class: "share" },
    h("p", { class: "hint" }, about),
    h("div", { class: "link" },
      h("input", { class: "table-link", readonly: true, value: link, "aria-label": t("hosted.link"), onfocus: (event) => event.target.select() }),
      h("button", { class: "copy", onclick: copy }, t("hosted.copy"))),
    h("p", { class: "status", role: "status" }, window.told),
    LOCAL.test(location.hostname) && h("p", { key: "local", class: "hint" }, t("hosted.local", { host: location.hostname })));
}

function playersPart(hosted, snapshot, window) {
  const { table } = hosted.info;
  const seated = new Map(snapshot.seats.map((seat) => [seat.name, seat.seat]));
  // a room without host_powers tells no guests
  const others = (hosted.guests ?? snapshot.seats).filter(({ name }) => name !== room.account.name);
  const waits = ({ name, seat }) => hosted.approves && !seated.has(name) && seat !== "open";
  const first = [...others].sort((one, other) => Number(other.seat === "asked") - Number(one.seat === "asked"));
  return h("section", { key: "players" }, h("h3", {}, t("hosted.guests")),
    others.length === 0 && h("p", { key: "none", class: "hint" }, t("hosted.no_guests")),
    h("ul", { class: "guests" }, first.map((guest) => {
      const { name } = guest;
      const button = (what, onclick, more = {}) => h("button", { key: what, disabled: window.busy, "aria-label": t(`hosted.${what}_title`, { name }), onclick, ...more }, t(`hosted.${what}`));
      const answer = (accepts) => window.send({ type: "answer_seat", table, name, accepts });
      const order = async (what, request) => (await sure(t(`hosted.${what}_title`, { name }), t(`hosted.${what}_about`), t(`hosted.${what}`))) && window.send({ table, name, ...request });
      const state = seated.has(name) ? t("hosted.sits", { seat: seated.get(name) }) : waits(guest) && guest.seat !== "ask" ? t(`hosted.guest_${guest.seat}`) : t("hosted.watches");
      return h("li", { key: name, class: guest.seat === "asked" ? "asks" : null },
        h("p", {}, h("b", {}, name), " ", h("span", { class: "hint" }, state)),
        h("div", { class: "row" },
          waits(guest) && button("accept", () => answer(true), { class: "primary" }),
          waits(guest) && guest.seat !== "refused" && button("refuse", () => answer(false)),
          hosted.guests && !hosted.club && button("give", () => giveWindow(table, name)),
          hosted.guests && button("give_host", () => order("give_host", { type: "give_host" })),
          button("remove", () => order("remove", { type: "remove_player" }))));
    })));
}

/** Give chips from your wallet to a guest. */
async function giveWindow(table, name) {
  const window = new WindowRequests();
  const state = { amount: Math.min(room.balance, hostedAt(table).info.min_buy_in), text: null };
  const key = newKey();
  await ask(t("hosted.give_title", { name }), (close, refresh) => {
    window.again = refresh;
    const give = async (event) => {
      event.preventDefault();
      if (await window.send({ type: "give_chips", table, name, amount: state.amount, key })) close();
      room.refresh();
    };
    if (room.balance < 1) return h("p", { key: "none" }, t("error.insufficient_balance"));
    return h("form", { onsubmit: give },
      amountChooser(new Range(1, room.balance, 100), state, refresh, t("hosted.give_amount")),
      h("p", { class: "hint" }, t("hosted.give_about")),
      h("p", { class: "problem", role: "alert" }, window.problem),
      h("div", { class: "row end" }, h("button", { type: "button", onclick: () => close() }, t("cancel")), h("button", { class: "primary", autofocus: true, disabled: window.busy }, t("hosted.give"))));
  });
}

/** Ask once more before what cannot be undone. */
export const sure = (title, about, label) => ask(title, (close) => [
  h("p", {}, about),
  h("div", { class: "row end" }, h("button", { onclick: () => close(false) }, t("cancel")), h("button", { class: "primary", onclick: () => close(true) }, label)),
]);

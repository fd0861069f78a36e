/** The page's state of the room: the connection, the lobby, the open tables, and requests with their refusals.
 *
 * It emits `change` (anything), `begun` (a tournament seats you, and its table opens), `lobby` (the room has answered what is in it), `table` (one table; `detail` is its id) and `happened` (an event, for the screen reader).
 * The session token is kept in sessionStorage: a reload resumes, and another tab is another player. A player who stays
 * logged in on the device has it in localStorage as well: another tab goes on where the last one was.
 */

import { PokerClient, tableNumber, tournamentOf } from "/client/pokerroom.js";
import { newKey } from "./cash_request.js";
import { modelOf } from "./games.js";
import { currentLanguage, dayAndTime, money, refusal, time } from "./i18n.js";
import { settings } from "./settings.js";
import { isLasting, store, stored } from "./storage.js";

export const TABLES_MAX = 4;
const TOKEN = "pokerroom.token";
const OPEN = "pokerroom.open";
const INSTANCE = "pokerroom.instance";
const NOTICE_MS = 6_000;
const LOBBY_MS = 4_000;
const GUEST_TRIES = 5;

export class Room extends EventTarget {
  #last = 0;
  /** Whether the account is being registered now. */
  #fresh = false;
  /** Requests without an answer when the line was lost, in order: table → `{ message, holds, done }`. */
  #unanswered = new Map();
  /** Whether the player stays logged in on this device. */
  #stays = isLasting(TOKEN);

  constructor() {
    super();
    const url = new URL("/ws", location.href);
    url.protocol = url.protocol.replace("http", "ws");
    this.client = new PokerClient({ url: url.href, client: "pokerroom web", instance: instanceOfTab(), token: stored(TOKEN) });
    /** Answer to `list_tables`: one list for each kind of game. */
    this.lobby = null;
    this.balance = 0;
    /** Of each tournament with an open table the last answer to `get_tournament`. */
    this.tournaments = new Map();
    /** The open tables, in display order. */
    this.open = [];
    this.models = new Map();
    /** Your tables that are open in another window or on another device. */
    this.elsewhere = new Set();
    /** Your waiting lists: "table" or "table*" (any table like it) → `{ table, any, position }`. */
    this.waits = new Map();
    /** Seats reserved for you: table → `{ seat, until, offered }`. */
    this.held = new Map();
    /** Notices, shown for some seconds: `{ key, text, kind }`. */
    this.notices = [];
    /** What operators announce now; the lobby shows it. */
    this.announcements = [];
    /** Why the connection has ended for good; null while it may be restored. */
    this.ended = null;
    this.busy = new Set();
    const on = (type, work) => this.client.addEventListener(type, ({ detail }) => work(detail));
    on("state", (detail) => this.#stateChanged(detail));
    on("authenticated", (answer) => this.#known(answer));
    on("forgotten", () => this.#forget());
    on("snapshot", ({ message }) => this.#reset(message));
    on("event", ({ message, after }) => this.#take(message, after));
    on("told", ({ message }) => this.#told(message));
    setInterval(() => this.#refresh(), LOBBY_MS);
    // After sleep a phone's connection is dead: check it at once.
    document.addEventListener("visibilitychange", () => !document.hidden && this.#refresh());
  }

  start() {
    this.client.open();
  }

  get account() {
    return this.client.account;
  }

  get online() {
    return this.client.state === "open" || this.client.state === "greeted";
  }

  get server() {
    return this.client.welcome?.server ?? "";
  }

  model(table) {
    return this.models.get(table) ?? null;
  }

  // --- the account

  register(name, password, stay = false) {
    return this.#authenticated({ type: "register", name, password }, stay);
  }

  /** Log in; `code` is the second factor, or null. */
  logIn(name, password, stay = false, code = null) {
    return this.#authenticated({ type: "log_in", name, password, ...(code && { code }) }, stay);
  }

  /** Set a new password with a recovery code, and log in. */
  recover(name, code, newPassword, stay = false, secondCode = null) {
    return this.#authenticated({ type: "recover", name, code, new_password: newPassword, ...(secondCode && { second_code: secondCode }) }, stay);
  }

  /** Tell whether the room has a feature beyond the first release of the protocol's version. */
  has(feature) {
    return this.client.welcome?.features?.includes(feature) ?? false;
  }

  /** Store a setting in this browser and with the account. */
  choose(name, value) {
    settings.set(name, value);
    this.#keepSettings();
  }

  #keepSettings() {
    if (!this.account) return;
    const kept = { ...settings.kept(), language: currentLanguage() };
    this.client.request({ type: "change_settings", ...kept }).catch(() => {}); // this browser has stored it
  }

  /** Register a guest of this name, or else of a random one; the random password is never shown, the token is enough. */
  async guest(wanted = null) {
    for (let tries = 1; ; tries += 1) {
      const password = Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, "0")).join("");
      try {
        return await this.#authenticated({ type: "register", name: wanted ?? guestName(), password });
      } catch (failure) {
        if (failure.code !== "name_taken" || wanted !== null || tries === GUEST_TRIES) throw failure;
      }
    }
  }

  async logOut(request) {
    await this.client.logOut(request);
    this.#forget();
  }

  #authenticated(message, stay = false) {
    this.#stays = stay;
    store(OPEN, null); // the open tables belong to another account
    this.open = [];
    this.models.clear();
    this.elsewhere.clear();
    this.#fresh = message.type === "register";
    // a recovery code is used up by its first use
    return message.type === "recover" ? this.client.authenticate(message) : this.client.enter(message);
  }

  #known(answer) {
    store(TOKEN, answer.token, this.#stays);
    this.balance = answer.balance;
    this.ended = null;
    // a new account takes this browser's settings; for others the account's settings come first
    if (this.#fresh) this.#keepSettings();
    else settings.apply(answer.settings);
    this.#fresh = false;
    if (this.open.length === 0) this.open = (JSON.parse(stored(OPEN) ?? "[]") ?? []).slice(0, TABLES_MAX);
    for (const table of answer.tables) if (!this.open.includes(table)) this.open.push(table);
    for (const table of this.open) {
      if (this.client.follows(table)) continue;
      this.client.observe(table, false).catch((failure) => failure.error && this.#drop(table));
    }
    this.waits.clear();
    this.held.clear();
    this.#refresh();
    this.#changed();
  }

  #forget() {
    store(TOKEN, null);
    store(OPEN, null);
    this.open = [];
    this.models.clear();
    this.waits.clear();
    this.held.clear();
    this.#unanswered.clear();
    this.#changed();
  }

  // --- the lobby and its tables

  async #refresh() {
    if (!this.online || document.hidden) return;
    const owner = this.account?.name ?? null;
    try {
      const [tables, sitAndGos, scheduled, owned] = await Promise.all([
        this.client.request({ type: "list_tables" }),
        this.account ? this.client.request({ type: "list_sit_and_gos" }) : null,
        this.account && this.has("tournaments") ? this.client.request({ type: "list_tournaments" }) : null,
        this.account && this.has("tickets") ? this.client.request({ type: "get_tickets" }) : null,
      ]);
      this.lobby = { ...tables, sit_and_gos: sitAndGos?.sit_and_gos ?? null, tournaments: scheduled?.tournaments ?? [], tickets: owned?.tickets ?? null, owner };
      this.tournaments = await this.#tournaments();
      if (this.account) this.#accountIs(await this.client.request({ type: "get_account" }));
    } catch {
      return; // the next refresh follows
    }
    this.dispatchEvent(new Event("lobby"));
    this.#changed();
  }

  async #tournaments() {
    const names = new Set(this.open.filter((table) => this.model(table)?.snapshot?.tournament).map(tournamentOf));
    const states = await Promise.all([...names].map((tournament) => this.client.request({ type: "get_tournament", tournament }).catch(() => null)));
    return new Map(states.filter(Boolean).map((state) => [state.tournament, state]));
  }

  #accountIs({ balance, tables }) {
    this.balance = balance;
    for (const table of this.elsewhere) if (!tables.includes(table)) this.elsewhere.delete(table);
  }

  refresh() {
    return this.#refresh();
  }

  /** Set the balance of the wallet from an answer. */
  hold(balance) {
    this.balance = balance;
    this.#changed();
  }

  /** Whether you have a seat or place at a table, also where it is open elsewhere. */
  sitsAt(table) {
    const snapshot = this.model(table)?.snapshot;
    return this.elsewhere.has(table) || (snapshot?.your_seat ?? snapshot?.your_box ?? null) !== null;
  }

  /** An open table that is only watched: it makes room for another. */
  get #idle() {
    return this.open.find((each) => !this.sitsAt(each));
  }

  /** Whether a table is open, or one more may be opened. */
  mayOpen(table) {
    return this.open.includes(table) || this.open.length < TABLES_MAX || this.#idle !== undefined;
  }

  /** Open a table to watch; refuse a fifth one. */
  async show(table, takeOver = true) {
    if (this.open.includes(table)) return true;
    if (this.open.length >= TABLES_MAX) {
      const idle = this.#idle;
      if (!idle) {
        this.notify("four_tables");
        return false;
      }
      await this.hide(idle);
    }
    this.open = [...this.open, table];
    this.#keep();
    const ok = await this.ask({ type: "observe", table }, (message) => this.client.observe(message.table, takeOver));
    if (!ok) this.#drop(table);
    return ok !== null;
  }

  /** Close a table that is only watched. */
  async hide(table) {
    this.#drop(table);
    if (this.client.tables.has(table)) await this.client.unobserve(table).catch(() => {});
  }

  #drop(table) {
    this.open = this.open.filter((each) => each !== table);
    this.models.delete(table);
    this.#keep();
    this.#changed();
  }

  #keep() {
    store(OPEN, JSON.stringify(this.open));
  }

  // --- requests

  /** Send a request; after a refusal show a notice and return null. */
  async ask(message, how = (each) => this.client.request(each)) {
    const busy = `${message.type} ${message.table}`;
    this.busy.add(busy);
    this.#changed(message.table);
    try {
      return await how(message);
    } catch (failure) {
      if (failure.code === undefined) throw failure;
      this.notify(null, refusal(failure), "refused");
      return null;
    } finally {
      this.busy.delete(busy);
      this.#changed(message.table);
    }
  }

  isBusy(type, table) {
    return this.busy.has(`${type} ${table}`);
  }

  /** Reserve a seat while the player chooses a buy-in. */
  async reserve(table, seat) {
    const answer = await this.ask({ type: "reserve_seat", table, seat });
    if (answer) this.held.set(table, { seat: answer.seat, until: answer.until_ms, offered: false });
    this.#changed(table);
    return answer;
  }

  async release(table) {
    if (!this.held.delete(table)) return;
    await this.client.request({ type: "release_seat", table }).catch(() => {}); // a lapsed reservation is released
    this.#changed(table);
  }

  async sitDown(table, buyIn, { seat = null, post = true } = {}) {
    const answer = await this.ask({ type: "sit_down", table, buy_in: buyIn, seat, post });
    if (answer) {
      this.held.delete(table);
      this.#applySeatOptions(answer.info);
    }
    this.#refresh();
    return answer;
  }

  /** Send the account's seat options that differ from the defaults. */
  #applySeatOptions({ table, straddle }) {
    const options = {};
    if (!settings.get("muck_losing")) options.muck_losing = false;
    if (straddle > 0 && settings.get("straddle")) options.straddle = true;
    if (Object.keys(options).length > 0) this.ask({ type: "seat_options", table, ...options });
  }

  async wait(table, any) {
    const answer = await this.ask({ type: "join_waitlist", table, any_table: any });
    if (answer) this.waits.set(waitKey(table, any), { table, any, position: answer.position });
    this.#changed();
  }

  async waitNoMore(table, any) {
    if (await this.ask({ type: "leave_waitlist", table, any_table: any })) this.waits.delete(waitKey(table, any));
    this.#changed();
  }

  act(table, action, amount = null) {
    const { hand, ownTurn } = this.model(table);
    if (!ownTurn) return null;
    return this.decide({ type: "act", table, hand_id: hand.hand_id, seq: ownTurn.seq, action, amount });
  }

  /** Send a decision; a repetition has the same `seq`, so that it counts once. */
  decide(message) {
    const { decision } = this.model(message.table);
    return this.surely(message, () => this.model(message.table).decision === decision);
  }

  /** Send a request that the room knows again, by a `key` or otherwise. If the line is lost before the answer, it is sent
   * again as it was when the table is back, unless `holds` says that its moment is over. `done` gets each answer. */
  async surely(message, holds, done = () => {}) {
    const answer = await this.ask(message, async (each) => {
      try {
        return await this.client.request(each);
      } catch (failure) {
        if (failure.code !== "connection_ended") throw failure;
        this.#unanswered.set(each.table, [...(this.#unanswered.get(each.table) ?? []), { message: each, holds, done }]);
        return null;
      }
    });
    if (answer) done(answer);
    return answer;
  }

  /** Tell whether a request waits for the line to come back. */
  isUnanswered(table) {
    return this.#unanswered.has(table);
  }

  async #repeat(table) {
    const sent = this.#unanswered.get(table) ?? [];
    this.#unanswered.delete(table);
    for (const { message, holds, done } of sent) if (holds()) await this.surely(message, holds, done); // one after the other
  }

  /** Set a pre-action; the same one again cancels it. */
  async preAct(table, action, price) {
    const model = this.model(table);
    const same = model.preAct?.action === action;
    const before = model.preAct;
    const wanted = { action, call_amount: price };
    model.preAct = same ? null : wanted;
    this.#changed(table);
    // the room does not know "call any": this page calls when the turn comes
    if (action === "call_any" && (same || before === null)) return;
    if (action === "call_any" || (same && before.action === "call_any")) return void (await this.ask({ type: "cancel_pre_act", table }));
    const hand_id = model.hand.hand_id;
    const answer = await this.ask(same ? { type: "cancel_pre_act", table } : { type: "pre_act", table, hand_id, ...wanted });
    if (!answer && model.hand?.hand_id === hand_id) model.preAct = before;
    this.#changed(table);
  }

  /** At the tables each is told once; the lobby shows them all the time. */
  #announced(announcements) {
    const known = new Set(this.announcements.map(({ number }) => number));
    this.announcements = announcements;
    for (const { number, text, table } of announcements) {
      const isFor = table === null || this.open.includes(table);
      if (location.hash === "#tables" && isFor && !known.has(number)) this.notify(null, text, "told");
    }
    this.#changed();
  }

  // --- notices

  notify(code, text = null, kind = "told", values = {}) {
    const key = (this.#last += 1);
    const others = this.notices.filter((each) => each.code !== code || each.text !== text);
    this.notices = [...others.slice(-2), { key, code, text, kind, values }];
    this.#changed();
    const end = () => {
      // a notice is for people who see the page
      if (document.hidden) return document.addEventListener("visibilitychange", () => setTimeout(end, NOTICE_MS), { once: true });
      this.notices = this.notices.filter((each) => each.key !== key);
      return this.#changed();
    };
    setTimeout(end, NOTICE_MS);
  }

  /** End a notice that what happened since has overtaken. */
  overtaken(code) {
    this.notices = this.notices.filter((each) => each.code !== code);
  }

  #stateChanged({ state, code }) {
    if (state === "ended" && code) this.ended = code;
    if (state === "greeted") this.#refresh();
    this.#changed();
    for (const table of this.open) this.#changed(table);
  }

  /** Connect here again after the account has connected elsewhere. */
  takeBack() {
    this.ended = null;
    this.client.open();
  }

  #reset(snapshot) {
    this.elsewhere.delete(snapshot.table);
    let model = this.models.get(snapshot.table);
    if (!model) this.models.set(snapshot.table, (model = modelOf(snapshot)));
    model.reset(snapshot);
    this.#repeat(snapshot.table);
    if (!this.open.includes(snapshot.table) && (snapshot.your_seat ?? snapshot.your_box ?? null) !== null) {
      this.open = [...this.open, snapshot.table].slice(-TABLES_MAX);
      this.#keep();
    }
    this.#changed(snapshot.table);
    this.#changed();
  }

  #take(event, after) {
    const model = this.models.get(event.table);
    if (!model) return;
    const wasSeated = model.snapshot?.your_seat ?? null;
    model.take(event, after, this.client.serverNow());
    if (wasSeated !== null && after.your_seat === null && !after.tournament) {
      if (!model.closes) this.notify("seat_lost", null, "told", { table: after.info.name });
      this.#refresh();
    }
    if (event.type === "tournament_ended") this.overtaken("sng_started");
    if (event.type === "turn" && model.preAct?.action === "call_any" && model.ownTurn) this.act(event.table, model.ownTurn.check ? "check" : "call");
    this.dispatchEvent(new CustomEvent("happened", { detail: { event, model } }));
    this.#changed(event.table);
  }

  #told(message) {
    if (message.type === "seat_offered") {
      this.held.set(message.table, { seat: message.seat, until: message.until_ms, offered: true });
      for (const [key, wait] of this.waits) if (wait.any || wait.table === message.table) this.waits.delete(key);
      this.notify("seat_offered", null, "told", { table: this.#nameOf(message.table) });
      this.show(message.table);
    } else if (message.type === "wait_ended") {
      this.waits.delete(waitKey(message.table, message.any_table));
      this.held.delete(message.table);
      this.notify(`wait_ended.${message.reason}`);
    } else if (message.type === "table_taken") {
      this.notify("table_taken", null, "told", { table: this.#nameOf(message.table) });
      this.#drop(message.table);
      this.elsewhere.add(message.table);
      this.#refresh();
    } else if (message.type === "removed_from_table") {
      this.notify("removed_from_table", null, "told", { table: this.#nameOf(message.table) });
      this.#drop(message.table);
      this.#refresh();
    } else if (message.type === "hosted_table_news") {
      this.dispatchEvent(new Event("hosted"));
    } else if (message.type === "reality_check") {
      this.dispatchEvent(new CustomEvent("reality", { detail: message }));
    } else if (message.type === "session_limit") {
      this.notify(message.left_s > 0 ? "session_ends" : "session_over", null, "told", { minutes: Math.ceil(message.left_s / 60), until: time(message.until_ms) });
    } else if (message.type === "announcements") {
      this.#announced(message.announcements);
    } else if (message.type === "chat_muted") {
      this.notify(message.until_ms === null ? "chat_again" : "chat_muted", null, "told", { until: message.until_ms && dayAndTime(message.until_ms) });
    } else if (message.type === "sng_started") {
      this.overtaken("sng_registered");
      this.overtaken("tournament_registered");
      this.notify("sng_started");
      this.dispatchEvent(new Event("begun"));
      this.show(message.table, false).then((shown) => shown && (location.hash = "#tables"));
    } else if (message.type === "chips_offered") {
      this.overtaken("sng_started");
      this.dispatchEvent(new CustomEvent("chips", { detail: message }));
    } else if (message.type === "tournament_moved") {
      this.#moved(message);
    } else if (message.type === "sng_prize_paid") {
      // the tournament's own table says it already, where a notice would cover the place
      const isShown = location.hash === "#tables" && this.open.some((table) => tournamentOf(table) === message.tournament);
      const cash = message.prize - (message.ticket ?? 0); // a ticket is told when it is in the list
      if (!isShown && cash > 0) this.notify("sng_prize", null, "told", { place: message.place, prize: money(cash) });
      this.#refresh();
    } else if (message.type === "sng_refunded") {
      this.notify(message.reason === "removed" ? "sng_removed" : "sng_refunded", null, "told", { amount: money(message.amount) });
      this.#refresh();
    } else if (message.type === "pre_act_cancelled") {
      const model = this.models.get(message.table);
      if (model) model.preAct = null;
      this.#changed(message.table);
    }
    this.#changed();
  }

  /** Put the new table in the place of the old one. The client observes it by itself, if this tab had the old one. */
  #moved({ tournament, from_table: from, table, seat, reason }) {
    const old = from ?? this.open.find((each) => tournamentOf(each) === tournament && this.sitsAt(each)) ?? null;
    if (!this.client.follows(table) && !this.open.includes(old)) return;
    const text = reason === null ? "moved" : `moved_${reason}`;
    this.notify(text, null, "told", { table: tableNumber(table), seat, from: from && tableNumber(from) });
    if (table === old) return;
    if (this.open.includes(old) && !this.open.includes(table)) this.open = this.open.map((each) => (each === old ? table : each));
    else this.open = [...this.open.filter((each) => each !== old && each !== table), table].slice(-TABLES_MAX);
    this.models.delete(old);
    this.#keep();
    this.dispatchEvent(new CustomEvent("moved", { detail: { old, table } }));
    if (!this.client.follows(table)) this.client.observe(table).catch((failure) => failure.error && this.#drop(table));
    this.#refresh();
  }

  #nameOf(table) {
    const lines = [...(this.lobby?.tables ?? []), ...(this.lobby?.ultimate ?? [])];
    return this.model(table)?.info?.name ?? lines.find((info) => info.table === table)?.name ?? table;
  }

  #changed(table = null) {
    this.dispatchEvent(table === null ? new Event("change") : new CustomEvent("table", { detail: table }));
  }
}

/** The name of this tab among the clients of its account, also after a reload. */
function instanceOfTab() {
  const known = stored(INSTANCE);
  if (known !== null) return known;
  const made = newKey();
  store(INSTANCE, made);
  return made;
}

/** A random name for a guest. */
export function guestName() {
  const [number] = crypto.getRandomValues(new Uint32Array(1));
  return `Guest-${10_000 + (number % 90_000)}`;
}

const waitKey = (table, any) => (any ? `${table}*` : table);

export const room = new Room();

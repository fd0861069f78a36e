/** A private sit-and-go: the form by which a host makes one, and what its host decides before the start. */

import "./tournament_style.js";
import { ask } from "./dialog.js";
import { askOffered, offeredTables } from "./hosting.js";
import { allSitAndGos } from "./hosting_lines.js";
import { WindowRequests, linkPart, passwordPart, sure } from "./hosting_windows.js";
import { money, t, wholeChips } from "./i18n.js";
import { tournamentWindow } from "./on_demand.js";
import { room } from "./room.js";
import { h } from "./view.js";

const GAMES = [["holdem", "no_limit"], ["holdem", "pot_limit"], ["omaha", "pot_limit"]];
const BUY_INS = [100, 500, 1_000, 2_500, 5_000, 10_000, 50_000];
const SEATS = [2, 3, 4, 5, 6, 7, 8, 9, 10];
/** The prizes in 1/100 %, by the number of paid places. */
const SHARES = { 1: [10_000], 2: [6_500, 3_500], 3: [5_000, 3_000, 2_000] };
const BLINDS = [10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 400, 600];
/** The starting stack and the minutes of a level of each usual structure. */
const STRUCTURES = { turbo: [1_500, 3], normal: [1_500, 8], deep: [5_000, 12] };
const LEVELS_MAX = 60;

const levelOf = (small, minutes) => ({ small_blind: small, big_blind: 2 * small, big_blind_ante: 0, minutes });

/** The stack and the levels of a usual structure. */
function structureOf(speed) {
  const [starting_stack, minutes] = STRUCTURES[speed];
  return { speed, starting_stack, levels: BLINDS.map((small) => levelOf(small, minutes)) };
}

/** Make a sit-and-go, perhaps of a club, and open its page with the link. */
export async function createSitAndGoWindow({ club = null } = {}) {
  const [mine] = await Promise.all([room.has("clubs") ? room.client.request({ type: "get_clubs" }).catch(() => null) : null, askOffered()]);
  const known = allSitAndGos();
  const clubs = new Map(mine?.clubs.map((one) => [one.club, one.name]));
  const told = offeredTables();
  if (!told) return room.notify(null, t("error.hosting_off"), "refused");
  const games = GAMES.filter(([game, structure]) => told.games.some((one) => one.game === game && one.structure === structure));
  const seats = SEATS.filter((count) => count <= told.seats_max);
  const most = told.sit_and_go_buy_in_max ?? 0;
  const buyIns = [0, ...(BUY_INS.some((one) => one <= most) ? BUY_INS.filter((one) => one <= most) : [most])];
  if (games.length === 0 || most < 1) return room.notify(null, t("error.settings_not_offered"), "refused");
  const terms = { played: games[0].join(" "), seats: Math.min(6, seats.at(-1)), buy_in: buyIns.findLast((one) => one <= 1_000) || buyIns[1], places: 2, club, ...structureOf("normal") };
  const window = new WindowRequests();
  const made = await ask(t("private.create"), (close, refresh) => {
    window.again = refresh;
    const change = (changes) => (Object.assign(terms, changes), refresh());
    const choice = (name, values, text, label = `private.${name}`) =>
      h("label", { key: name, class: "field" }, t(label),
        h("select", { name, onchange: (event) => change({ [name]: values.find((value) => String(value) === event.target.value) }) },
          values.map((value) => h("option", { key: value, value: String(value), selected: terms[name] === value }, text(value)))));
    const create = async (event) => {
      event.preventDefault();
      const [game, structure] = terms.played.split(" ");
      const levels = terms.levels.map(({ minutes, ...level }) => ({ ...level, length_s: Math.round(60 * minutes) }));
      const answer = await window.send({
        type: "create_sit_and_go", name: new FormData(event.target).get("name").trim(), game, structure, seats: terms.seats, buy_in: terms.buy_in,
        starting_stack: terms.starting_stack, levels, prize_shares: terms.buy_in > 0 ? SHARES[Math.min(terms.places, terms.seats)] : [], ...(terms.club && { club: terms.club }),
      });
      if (answer) close(answer.sit_and_go);
    };
    return h("form", { id: "new-sit-and-go", onsubmit: create },
      known.length > 0 && h("p", { key: "known", class: "row" }, t("private.known"),
        known.map((one) => h("button", { key: one.tournament, type: "button", onclick: () => close(one) }, `${one.name} (${t(`sng.phase.${one.state.phase}`)})`))),
      h("label", { class: "field" }, t("private.name"), h("input", { name: "name", required: true, maxlength: 40, autocomplete: "off", made: (input) => (input.value = t("private.default_name", { name: room.account.name })) })),
      h("div", { class: "pairs" },
        clubs.size > 0 && choice("club", [null, ...clubs.keys()], (one) => (one ? t("private.chips_of", { name: clubs.get(one) }) : t("private.wallet"))),
        choice("played", games.map((one) => one.join(" ")), (played) => played.split(" ").map((part, index) => t(`${["game", "structure"][index]}.${part}`)).join(" · "), "hosted.game"),
        choice("seats", seats, String, "hosted.seats"),
        choice("buy_in", buyIns, (amount) => (amount > 0 ? money(amount) : t("private.free")), "sng.buy_in"),
        terms.buy_in > 0 && choice("places", [1, 2, 3].filter((count) => count <= terms.seats), (count) => SHARES[count].map((share) => `${share / 100} %`).join(" / "), "private.places")),
      h("div", { class: "tabs", role: "group", "aria-label": t("private.speed") },
        Object.keys(STRUCTURES).map((speed) => h("button", { key: speed, type: "button", class: "tab", "data-speed": speed, "aria-pressed": String(terms.speed === speed), onclick: () => change(structureOf(speed)) }, t(`private.speed.${speed}`)))),
      number(t("private.stack"), "starting_stack", terms.starting_stack, 1, (starting_stack) => change({ starting_stack, speed: null })),
      levelsPart(terms, change),
      h("p", { class: "problem", role: "alert" }, window.problem),
      h("div", { class: "row end" }, h("button", { type: "button", onclick: () => close() }, t("cancel")), h("button", { class: "primary", disabled: window.busy }, t("private.make"))));
  }, { wide: true });
  if (made) await tournamentWindow(null, made.tournament);
}

const number = (label, name, value, least, changed, more = {}) =>
  h("label", { key: name, class: "field" }, label, h("input", { name, type: "number", required: true, min: least, step: 1, inputmode: "numeric", value: String(value), onchange: (event) => event.target.checkValidity() && changed(Number(event.target.value)), ...more }));

/** Each level with its blinds, its ante and its minutes, to be edited. */
function levelsPart({ levels, speed }, change) {
  const edit = (index, changes) => change({ speed: null, levels: levels.map((level, each) => (each === index ? { ...level, ...changes } : level)) });
  const cell = (index, name, least) =>
    h("td", { key: name, "data-label": t(`private.${name}`) },
      h("input", { type: "number", required: true, min: least, max: name === "minutes" ? 120 : 1_000_000_000, step: 1, inputmode: "numeric", "aria-label": `${t("sng.level", { level: index + 1 })}: ${t(`private.${name}`)}`, "data-level": `${index + 1} ${name}`, value: String(levels[index][name]), onchange: (event) => event.target.checkValidity() && edit(index, { [name]: Number(event.target.value) }) }));
  const last = levels.at(-1);
  return h("details", { key: "levels" }, h("summary", {}, t(speed ? "private.levels_each" : "private.levels", { count: wholeChips(levels.length), minutes: wholeChips(levels[0].minutes) })),
    h("p", { class: "hint" }, t("private.levels_about")),
    h("table", { class: "levels-edited" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "#"), ["small_blind", "big_blind", "big_blind_ante", "minutes"].map((name) => h("th", { key: name, scope: "col" }, t(`private.${name}`))))),
      h("tbody", {}, levels.map((_, index) => h("tr", { key: index }, h("th", { scope: "row" }, String(index + 1)), cell(index, "small_blind", 1), cell(index, "big_blind", 1), cell(index, "big_blind_ante", 0), cell(index, "minutes", 1))))),
    h("p", { class: "row" },
      h("button", { type: "button", id: "more-levels", disabled: levels.length >= LEVELS_MAX, onclick: () => change({ speed: null, levels: [...levels, { ...last, small_blind: 2 * last.small_blind, big_blind: 2 * last.big_blind, big_blind_ante: 2 * last.big_blind_ante }] }) }, t("private.more_levels")),
      h("button", { type: "button", id: "fewer-levels", disabled: levels.length === 1, onclick: () => change({ speed: null, levels: levels.slice(0, -1) }) }, t("private.fewer_levels"))));
}

/** What pays for a sit-and-go: the part of its page that says so for one of a club, and how much there is. */
export async function purseOf(tournament) {
  const hosted = await room.client.request({ type: "get_hosted_tables" }).catch(() => null);
  const club = hosted?.sit_and_gos?.find((one) => one.tournament === tournament)?.club;
  let balance = 0;
  const look = async () => (balance = (await room.client.request({ type: "get_club", club }).catch(() => null))?.club.your_balance ?? balance);
  if (club) await look();
  return {
    look: async () => club && look(),
    held: () => (club ? balance : room.balance),
    part: () => club && h("p", { key: "club", class: "hint" }, `${t("private.of_club")} ${t("buy_in.club", { amount: money(balance) })}`),
  };
}

/** What the host of a sit-and-go decides before its start: who comes, the start, and whether there is one. */
export async function hostOf(tournament, again) {
  let view = null;
  const look = async () => {
    const answer = await room.client.request({ type: "get_hosted_tables" }).catch(() => null);
    if (answer) view = answer.sit_and_gos?.find((one) => one.tournament === tournament) ?? null;
  };
  await look();
  const window = new WindowRequests(({ sit_and_go: now }) => (view = now ?? view));
  window.again = again;
  const order = (what) => window.send({ type: "change_sit_and_go", tournament, order: what });
  const cancel = async () => (await sure(t("private.cancel"), t("private.cancel_about"), t("private.cancel"))) && order("cancel");
  const renew = async () => (await sure(t("hosted.new_link"), t("hosted.new_link_about"), t("hosted.new_link"))) && order("new_link");
  const remove = async (name) => {
    if (!(await sure(t("hosted.remove_title", { name }), t("private.remove_about"), t("hosted.remove")))) return;
    if (await window.send({ type: "remove_player", table: view.table, name })) await look();
    again();
  };
  const part = ({ phase, players, seats }) =>
    view?.code && phase === "registering" && h("section", { key: "host", class: "hosts" },
      linkPart(`#table=${view.code}`, t(view.club ? "hosted.share_club" : "private.share_about"), window),
      h("p", { class: "problem", role: "alert" }, window.problem),
      h("p", { class: "row" },
        h("button", { id: "start-sit-and-go", class: "primary", disabled: window.busy || players < 2, onclick: () => order("start") }, t("private.start", { count: wholeChips(players), seats: wholeChips(seats) })),
        h("button", { id: "new-sit-and-go-link", disabled: window.busy, onclick: renew }, t("hosted.new_link")),
        h("button", { id: "cancel-sit-and-go", disabled: window.busy, onclick: cancel }, t("private.cancel")),
        players < 2 && h("span", { key: "needs", class: "hint" }, t("private.start_needs"))),
      h("details", { key: "more" }, h("summary", {}, t("private.more", { count: wholeChips(view.guests.length) })),
        view.guests.length === 0 && h("p", { key: "none", class: "hint" }, t("hosted.no_guests")),
        h("ul", { key: "guests", class: "guests" }, view.guests.map((name) =>
          h("li", { key: name }, h("b", {}, name),
            h("button", { disabled: window.busy, "aria-label": t("hosted.remove_title", { name }), onclick: () => remove(name) }, t("hosted.remove"))))),
        passwordPart({ info: { table: view.table }, has_password: view.has_password }, window)));
  return { look, part };
}

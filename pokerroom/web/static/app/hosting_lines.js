/** The private sit-and-gos of the account in the lobby: those that it hosts, and those that it has opened by a link. */

import { ask } from "./dialog.js";
import { WindowRequests, linkPart } from "./hosting_windows.js";
import { money, t } from "./i18n.js";
import { tournamentWindow } from "./on_demand.js";
import { room } from "./room.js";
import { h } from "./view.js";

/** The protocol's `PrivateSitAndGoView`s with `state`, that of the tournament; the newest first. */
let known = [];
let owner = null;
let turn = 0;

/** Take what the room has told of them, and ask for the state of each; return `sitAndGoLines`. */
export async function takeSitAndGos(views) {
  const [mine, name] = [++turn, room.account?.name ?? null];
  const states = await Promise.all(views.map(stateOf));
  if (mine === turn) {
    owner = name;
    known = views.map((view, index) => ({ ...view, state: states[index] })).filter(({ state }) => state);
    room.dispatchEvent(new Event("change"));
  }
  return sitAndGoLines;
}

/** The state of one as far as it is known; null if the room has it no more. */
async function stateOf({ tournament }) {
  const before = allSitAndGos().find((one) => one.tournament === tournament)?.state ?? null;
  if (before && !goesOn(before)) return before;
  return room.client.request({ type: "get_tournament", tournament }).catch(({ code }) => (code === "unknown_tournament" ? null : before));
}

const goesOn = ({ phase }) => phase === "registering" || phase === "running";

/** All, also those that have ended within the last hour. */
export const allSitAndGos = () => (owner === room.account?.name ? known : []);

/** The lines of those that take entries or are played. */
const sitAndGoLines = () => allSitAndGos().filter(({ state }) => goesOn(state)).map(line);

function line(one) {
  const { tournament, name, host, club, code, state } = one;
  const { phase, buy_in, entries, seats, you } = state;
  const button = (label, onclick) => h("button", { key: label, "aria-label": `${t(label)}: ${name}`, onclick }, t(label));
  return h("tr", { key: tournament, class: you && you.status !== "out" ? "live" : null },
    h("th", { scope: "row" }, name, h("span", { class: "tag" }, t(`sng.phase.${phase}`))),
    h("td", {}, buy_in > 0 ? `${t("sng.buy_in")}: ${money(buy_in)}` : t("private.free"), " ", h("span", { class: "tag" }, t("private.kind")), club && [" ", h("span", { key: "club", class: "tag" }, t("private.club_chips"))]),
    h("td", { "data-label": t("lobby.players") }, `${entries}/${seats}`),
    h("td", { "data-label": t("hosted.host_of") }, code ? t("table.you") : host),
    h("td", { class: "do" },
      code && phase === "registering" && button("hosted.share", () => shareSitAndGo(one)),
      button("sng.page", () => tournamentWindow(null, tournament))));
}

/** Show the link. */
async function shareSitAndGo({ code, club }) {
  const window = new WindowRequests();
  await ask(t("hosted.share"), (close, refresh) => {
    window.again = refresh;
    return [
      linkPart(`#table=${code}`, t(club ? "hosted.share_club" : "private.share_about"), window),
      h("div", { key: "do", class: "row end" }, h("button", { type: "button", onclick: () => close() }, t("close"))),
    ];
  });
}

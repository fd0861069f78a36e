/** The window of a deal at a final table: what each player would get, a proposal, the answers, and what was agreed. */

import "./tournament_style.js";
import "./until.js";
import { parseAmount } from "./amounts.js";
import { ask } from "./dialog.js";
import { money, speakMore, t, wholeChips } from "./i18n.js";
import { room } from "./room.js";
import { h } from "./view.js";

await speakMore("/locales/deal");

const KINDS = ["icm", "chips"];

/** Open the window for a table. It shows the deal that is open or agreed, or lets a player propose one. */
export async function dealWindow(table) {
  const view = { options: null, kind: "icm", aside: null, problem: null };
  const dealNow = () => room.model(table)?.snapshot?.tournament?.deal ?? null;
  let again = () => {};
  const load = async () => {
    view.options = await room.ask({ type: "get_deal", table });
    again();
  };
  if (!dealNow()) {
    await load();
    if (!view.options) return; // the room has said why
  }
  const changed = () => again();
  room.addEventListener("table", changed);
  await ask(t("deal.title"), (close, refresh) => {
    again = refresh;
    const deal = dealNow();
    if (deal) return dealPart(table, deal, close);
    return view.options ? proposalPart(table, view, close, refresh) : h("p", { key: "ended", class: "hint" }, t("deal.none"));
  }, { onClosed: () => room.removeEventListener("table", changed) });
}

/** Whether this player has yet to answer an open deal. */
export const awaitsAnswer = (snapshot) => {
  const deal = snapshot?.tournament?.deal;
  const own = deal?.deal ? deal.shares.find(({ seat }) => seat === snapshot.your_seat) : null;
  return Boolean(own && !own.accepted);
};

function dealPart(table, deal, close) {
  const snapshot = room.model(table).snapshot;
  const answer = async (accept) => {
    const told = await room.ask({ type: "answer_deal", table, deal: deal.deal, accept });
    if (told) close();
  };
  return [
    h("p", { key: "about" }, t(deal.deal ? "deal.proposed" : "deal.agreed", { name: deal.proposer, kind: t(`deal.${deal.kind}`) })),
    deal.until_ms !== null && h("p", { key: "until", class: "row" }, h("span", {}, t("deal.time")), h("pr-until", { class: "tag on", ".until": deal.until_ms })),
    sharesTable(deal.shares, snapshot.your_seat, { chosen: deal.kind, kinds: deal.deal ? KINDS : [deal.kind], marks: Boolean(deal.deal) }),
    deal.deal && h("p", { key: "marks", class: "hint" }, `✓ ${t("deal.accepted")} · … ${t("deal.waits")}`),
    deal.deal && kindsTold(),
    deal.for_the_winner > 0 && h("p", { key: "aside" }, t("deal.aside", { amount: money(deal.for_the_winner) })),
    h("p", { key: "then", class: "hint" }, t(deal.for_the_winner > 0 ? "deal.plays_on" : "deal.ends")),
    awaitsAnswer(snapshot) && h("div", { key: "do", class: "row end decide" },
      h("button", { key: "refuse", id: "refuse-deal", onclick: () => answer(false) }, t("deal.refuse")),
      h("button", { key: "accept", id: "accept-deal", class: "primary", onclick: () => answer(true) }, t("deal.accept"))),
  ];
}

function proposalPart(table, view, close, refresh) {
  const { least, most, shares } = view.options;
  const propose = async () => {
    const aside = view.aside === null ? least : parseAmount(view.aside);
    if (aside === null || aside < least || aside > most) {
      view.problem = t("deal.wrong_aside", { least: money(least), most: money(most) });
      return refresh();
    }
    const told = await room.ask({ type: "propose_deal", table, kind: view.kind, for_the_winner: aside });
    if (!told) return;
    room.notify("deal_asked");
    close();
  };
  const choice = (kind) => h("label", { key: kind, class: "choice" },
    h("input", { type: "radio", name: "kind", value: kind, checked: view.kind === kind, onchange: () => ((view.kind = kind), refresh()) }), t(`deal.${kind}`));
  return h("form", { key: "form", onsubmit: (event) => (event.preventDefault(), propose()) },
    h("p", { key: "about" }, t("deal.about")),
    h("div", { key: "terms", class: "terms" },
      h("fieldset", { key: "kind" }, h("legend", {}, t("deal.kind")), h("div", { class: "choices" }, KINDS.map(choice))),
      most > 0 && h("label", { key: "aside", class: "field" }, t("deal.for_the_winner", { least: money(least), most: money(most) }),
        h("input", { id: "for-the-winner", inputmode: "decimal", autocomplete: "off", value: view.aside ?? money(least), oninput: (event) => (view.aside = event.target.value) }))),
    h("p", { key: "problem", class: "problem", role: "alert" }, view.problem),
    sharesTable(shares, room.model(table)?.snapshot?.your_seat, { chosen: view.kind, kinds: KINDS, marks: false }),
    kindsTold(),
    h("p", { key: "then", class: "hint" }, t("deal.all_accept")),
    h("div", { key: "do", class: "row end decide" }, h("button", { id: "propose-deal", class: "primary" }, t("deal.propose"))));
}

/** What the kinds mean: the players choose by it. */
const kindsTold = () => h("p", { key: "kinds", class: "hint" }, t("deal.kinds"));

/** Each player with the amounts of the kinds; `marks` says which have accepted. */
function sharesTable(shares, yours, { chosen, kinds, marks }) {
  return h("div", { key: "shares", class: "ranks deal" }, h("table", {},
    h("thead", {}, h("tr", {},
      h("th", { key: "name", scope: "col" }, t("deal.player")),
      h("th", { key: "stack", scope: "col", class: "sum" }, t("deal.stack")),
      kinds.map((kind) => h("th", { key: kind, scope: "col", class: "sum" }, t(`deal.${kind}`))))),
    h("tbody", {}, shares.map((share) => h("tr", { key: share.seat, class: share.seat === yours ? "now" : null },
      h("th", { key: "name", scope: "row", title: share.name }, marks && h("span", { class: share.accepted ? "good" : "hint", role: "img", "aria-label": t(share.accepted ? "deal.accepted" : "deal.waits") }, share.accepted ? "✓ " : "… "), share.name),
      h("td", { key: "stack", class: "sum" }, wholeChips(share.stack)),
      kinds.map((kind) => h("td", { key: kind, class: kind === chosen ? "sum chosen" : "sum" }, share[kind] === null ? "–" : money(share[kind]))))))));
}

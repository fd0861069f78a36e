/** The window that makes a link to a hand of the player, and revokes it. */

import { copied } from "./copy.js";
import { ask } from "./dialog.js";
import { refusal, t } from "./i18n.js";
import { room } from "./room.js";
import { h } from "./view.js";

const NAMES = ["none", "own", "all"];

/** The address behind a link's code. A browser sends the part after # to no server. */
export const addressOf = (code) => new URL(`/hand#${code}`, location.href).href;

/** Ask what to show, make the link, and offer to copy it. */
export async function handShareWindow(hand) {
  let names = "own";
  let cards = true;
  let link = null;
  let told = null;
  let problem = null;
  let busy = false;
  await ask(t("replay.share"), (_, refresh) => {
    const send = async (message) => {
      if (busy) return null;
      [busy, told, problem] = [true, null, null];
      refresh();
      const answer = await room.client.request(message).catch((failure) => {
        if (failure.code === undefined) throw failure;
        problem = refusal(failure);
        return null;
      });
      busy = false;
      return answer;
    };
    const make = async () => {
      link = (await send({ type: "share_hand", hand_id: hand, names, own_cards: cards }))?.link ?? null;
      refresh();
    };
    const revoke = async () => {
      const answer = await send({ type: "unshare_hand", hand_id: hand });
      if (answer) [link, told] = [null, t("replay.taken_back")];
      refresh();
    };
    const chosen = (change) => (change(), (link = null), refresh());
    const copy = async (event) => {
      const field = event.target.closest(".link").querySelector("input");
      told = t((await copied(addressOf(link.code), () => field)) ? "hosted.copied" : "hosted.copy_yourself");
      refresh();
    };
    return [
      h("p", { key: "about", class: "hint" }, t("replay.share_about")),
      h("fieldset", { key: "names" }, h("legend", {}, t("replay.names")),
        h("div", { class: "choices" }, NAMES.map((each) =>
          h("label", { key: each, class: "choice" }, h("input", { type: "radio", name: "names", value: each, checked: names === each, onchange: () => chosen(() => (names = each)) }), t(`replay.names.${each}`))))),
      h("label", { key: "cards", class: "check" }, h("input", { type: "checkbox", checked: cards, onchange: (event) => chosen(() => (cards = event.target.checked)) }), t("replay.own_cards")),
      h("p", { key: "problem", class: "problem", role: "alert" }, problem),
      link && h("div", { key: "link", class: "link" }, h("input", { readonly: true, value: addressOf(link.code), "aria-label": t("replay.link"), onfocus: (event) => event.target.select() }), h("button", { id: "copy-hand-link", onclick: copy }, t("hosted.copy"))),
      h("p", { key: "told", class: "status", role: "status" }, told),
      h("div", { key: "do", class: "row end" },
        h("button", { id: "unshare-hand", disabled: busy, onclick: revoke }, t("replay.unshare")),
        h("button", { id: "share-hand", class: "primary", disabled: busy || link !== null, onclick: make }, t("replay.make_link"))),
    ];
  });
}

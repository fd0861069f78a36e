/** The window of the player's own links to hands: they are opened, copied and revoked. */

import { nameOf } from "./account.js";
import { pictograms } from "./cards.js";
import { copied } from "./copy.js";
import { ask } from "./dialog.js";
import { addressOf } from "./hand_share.js";
import { titleOf } from "./hand_text.js";
import { patiently } from "./hand_texts.js";
import { speakMore, t } from "./i18n.js";
import { startOf } from "./past.js";
import { room } from "./room.js";
import { h } from "./view.js";

await speakMore("/locales/hand_links");

/** List all links, the newest first, with one button for all links to a hand. */
export async function handLinksWindow() {
  const found = await room.ask({ type: "get_hand_links" });
  if (!found) return;
  let { links } = found;
  let told = null;
  /** Hand → table, game, stakes, date and the player's cards, once the room has told the hand. */
  const names = new Map();
  let again = () => {};
  let isOpen = true;
  const nameHands = async () => {
    for (const { hand_id } of links) {
      if (!isOpen) return;
      if (names.has(hand_id)) continue;
      const hand = (await patiently({ type: "get_hand", hand_id }, () => {}))?.hand;
      names.set(hand_id, hand ? nameOfHand(hand) : hand_id);
      again();
    }
  };
  nameHands();
  await ask(t("links.title"), (_, refresh) => {
    again = refresh;
    const revoke = async (hand) => {
      if (!(await room.ask({ type: "unshare_hand", hand_id: hand }))) return;
      [links, told] = [links.filter(({ hand_id }) => hand_id !== hand), t("replay.taken_back")];
      refresh();
    };
    const copy = async (event, code) => {
      const field = event.target.closest(".link").querySelector("input");
      told = t((await copied(addressOf(code), () => field)) ? "hosted.copied" : "hosted.copy_yourself");
      refresh();
    };
    const line = ({ code, names: shown, own_cards }) => h("li", { key: code },
      h("span", { class: "hint" }, `${t("replay.names")}: ${t(`replay.names.${shown}`)} · ${t(own_cards ? "links.with_cards" : "links.without_cards")}`),
      h("div", { class: "link" },
        h("input", { readonly: true, value: addressOf(code), "aria-label": t("replay.link"), onfocus: (event) => event.target.select() }),
        h("button", { onclick: (event) => copy(event, code) }, t("hosted.copy")),
        h("a", { href: addressOf(code), target: "_blank", rel: "noopener" }, t("links.open"))));
    const hands = [...new Set(links.map(({ hand_id }) => hand_id))];
    return [
      hands.length === 0
        ? h("p", { key: "none" }, t("links.none"))
        : h("ul", { key: "list", class: "hand-links" }, hands.map((hand) => h("li", { key: hand },
          h("b", {}, names.get(hand) ?? "…"),
          h("ul", {}, links.filter(({ hand_id }) => hand_id === hand).map(line)),
          h("div", { class: "row end" }, h("button", { onclick: () => revoke(hand) }, t("replay.unshare")))))),
      h("p", { key: "told", class: "status", role: "status" }, told),
    ];
  }, { onClosed: () => (isOpen = false) });
}

function nameOfHand(hand) {
  const own = hand.seats.find(({ seat }) => seat === hand.your_seat)?.cards ?? [];
  return [`${nameOf(hand.table)} · ${titleOf({ start: startOf(hand), at: hand.ended_ms })} `, pictograms(own)];
}

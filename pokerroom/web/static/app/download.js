/** Hands as files, for trackers and other programs. */

import { ask } from "./dialog.js";
import { t } from "./i18n.js";
import { room } from "./room.js";
import { h } from "./view.js";

/** The formats of a hand for other programs: their names, which are the same in each language, and endings of files. */
const FORMATS = { pokerstars: ["PokerStars", "txt"], ohh: ["Open Hand History", "ohh"], phh: ["PHH", "phhs"] };

/** Ask for a format, and save a hand of the player. */
export async function download(id) {
  const format = await ask(t("history.download"), (close) =>
    h("div", { class: "hands" }, Object.entries(FORMATS).map(([one, [name]]) => h("button", { key: one, onclick: () => close(one) }, name))));
  const answer = format && (await room.ask({ type: "get_hand", hand_id: id, format }));
  if (!answer) return;
  if (answer.text === null) return room.notify(null, t("history.no_text"), "refused");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([answer.text], { type: "text/plain" }));
  link.download = `${id}.${FORMATS[format][1]}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}

/** Hands as files, for trackers and other programs. */

import { canSave, savedTo, startSaving, stopSaving } from "./auto_save.js";
import { ask } from "./dialog.js";
import { FORMATS, patiently } from "./hand_texts.js";
import { t } from "./i18n.js";
import { room } from "./room.js";
import { saveFile } from "./save_file.js";
import { h } from "./view.js";
import { waitingFolder, waitingLine } from "./waiting_folder.js";

/** Ask for a format, and save a hand of the player. */
export async function download(id) {
  const format = await ask(t("history.download"), (close) =>
    h("div", { class: "hands" }, Object.entries(FORMATS).map(([one, [name]]) => h("button", { key: one, onclick: () => close(one) }, name))));
  const answer = format && (await room.ask({ type: "get_hand", hand_id: id, format }));
  if (!answer) return;
  if (answer.text === null) return room.notify(null, t("history.no_text"), "refused");
  save([answer.text], id, format);
}

/** Ask for a format and a period, and save all those hands of the player; or the player's hands at one table. */
export async function downloadHands(table = null) {
  const state = { isOpen: true, hands: null, told: null };
  await ask(t("history.download_hands"), (close, refresh) => {
    const started = async (event) => {
      event.preventDefault();
      const asked = Object.fromEntries(new FormData(event.target));
      const period = table === null ? { since_ms: dayOf(asked.first, 0), until_ms: dayOf(asked.last, 1) } : { table };
      const told = (hands) => (Object.assign(state, { hands, told: null }), refresh(), state.isOpen);
      told(0);
      const found = await handTexts({ format: asked.format, ...period }, told);
      state.hands = null;
      if (found?.texts.length > 0) save(found.texts, table ?? room.account.name, asked.format);
      if (found) state.told = t("history.saved", { hands: found.hands }) + (found.leftOut > 0 ? ` ${t("history.left_out", { hands: found.leftOut })}` : "");
      if (state.isOpen) refresh();
    };
    const day = (name) => h("label", { key: name, class: "field" }, t(`history.${name}_day`), h("input", { type: "date", name }));
    return h("form", { key: "hands", id: "hands-form", onsubmit: started },
      h("div", { class: "row" },
        h("label", { key: "format", class: "field" }, t("history.format"), h("select", { name: "format" }, Object.entries(FORMATS).map(([value, [name]]) => h("option", { key: value, value }, name)))),
        table === null && [day("first"), day("last")]),
      table === null && canSave() && folder(refresh),
      h("p", { key: "told", class: "status", role: "status" }, state.hands === null ? state.told : t("history.saving", { hands: state.hands })),
      h("div", { key: "do", class: "row end" }, h("button", { type: "button", onclick: () => close() }, t("close")), h("button", { class: "primary", disabled: state.hands !== null }, t("history.download"))));
  }, { onClosed: () => (state.isOpen = false) });
}

/** Starts and ends to save each hand that ends to a folder, in the format that is chosen. */
function folder(refresh) {
  if (waitingFolder.now) return waitingLine(refresh);
  const name = savedTo();
  const start = async (event) => {
    await startSaving(new FormData(event.target.form).get("format"));
    refresh();
  };
  return h("p", { key: "folder", class: "row" },
    name === null
      ? h("button", { key: "start", id: "save-to-folder", type: "button", onclick: start }, t("history.save_to_folder"))
      : [h("span", { key: "where", class: "hint" }, t("history.saved_to_folder", { folder: name })), h("button", { key: "stop", type: "button", onclick: () => stopSaving().then(refresh) }, t("history.stop_saving"))]);
}

/** The begin of a local day (`2026-11-30`), or of one some days later; null for none. */
function dayOf(text, later) {
  if (!text) return null;
  const [year, month, day] = text.split("-").map(Number);
  return Math.max(0, new Date(year, month - 1, day + later).getTime());
}

/** All pages of an export, until `told`, which gets the number of hands so far, says that the player has gone. */
async function handTexts(question, told) {
  const found = { texts: [], hands: 0, leftOut: 0 };
  let page = { after: null, more: true };
  while (page?.more) {
    page = await patiently({ type: "export_hands", ...question, after: page.after });
    if (!page) return null;
    found.texts.push(page.text);
    found.hands += page.hands;
    found.leftOut += page.left_out.length;
    if (!told(found.hands)) return null;
  }
  return { ...found, texts: found.texts.filter(Boolean) };
}

const save = (texts, name, format) => saveFile(texts, `${name}.${FORMATS[format][1]}`, "text/plain");

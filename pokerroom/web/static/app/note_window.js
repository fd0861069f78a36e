/** The windows of notes on other players: one note, and the list of all. */

import { ask } from "./dialog.js";
import { t } from "./i18n.js";
import { COLORS, noteMark } from "./note_mark.js";
import { remember } from "./notes.js";
import { statisticsWindow } from "./on_demand.js";
import { room } from "./room.js";
import { h } from "./view.js";

const TEXT_MAX = 300;
const PAGE = 50;

/** Write, change or clear the note on a player. Resolves to the note; null if it stays as it was. */
export async function noteWindow(player) {
  const found = await room.ask({ type: "get_player_notes", players: [player] });
  if (!found) return null;
  remember(found.notes, [player]);
  const note = found.notes[0] ?? { player, text: null, color: null };
  let { text, color } = note;
  return ask(t("note.title", { player }), (close, refresh) => {
    const store = async (changed) => {
      const answer = await room.ask({ type: "set_player_note", ...changed });
      if (!answer) return;
      remember([changed]);
      close(changed);
    };
    const choice = (each) => h("label", { key: each ?? "none", class: "choice" },
      h("input", { type: "radio", name: "color", value: each ?? "", checked: color === each, onchange: () => ((color = each), refresh()) }), each && noteMark(each), t(`note.color.${each ?? "none"}`));
    return [
      h("form", { key: "note", onsubmit: (event) => (event.preventDefault(), store({ player, text: oneLine(text), color })) },
        h("label", { key: "text", class: "field" }, t("note.text"), h("textarea", { name: "text", rows: 4, maxlength: TEXT_MAX, value: text ?? "", oninput: (event) => (text = event.target.value) })),
        h("fieldset", { key: "color" }, h("legend", {}, t("note.color")), h("div", { class: "choices" }, [null, ...COLORS].map(choice))),
        h("p", { key: "private", class: "hint" }, t("note.private")),
        h("div", { key: "do", class: "row end" },
          room.has("statistics") && h("button", { key: "statistics", id: "note-statistics", type: "button", onclick: () => statisticsWindow(player) }, t("account.statistics")),
          (note.text !== null || note.color !== null) && h("button", { key: "clear", id: "clear-note", type: "button", onclick: () => store({ player, text: null, color: null }) }, t("note.clear")),
          h("button", { key: "save", id: "save-note", class: "primary" }, t("note.save")))),
    ];
  });
}

/** The room takes one line. */
const oneLine = (text) => (text ?? "").replace(/\s+/g, " ").trim() || null;

/** List all players that are noted. */
export async function notesWindow() {
  const first = await room.ask({ type: "get_player_notes", limit: PAGE });
  if (!first) return;
  let { notes, before } = first;
  await ask(t("notes.title"), (_, refresh) => {
    const change = async ({ player }) => {
      const changed = await noteWindow(player);
      if (!changed) return;
      notes = notes.map((note) => (note.player === player ? changed : note)).filter(({ text, color }) => text !== null || color !== null);
      refresh();
    };
    const older = async () => {
      const more = await room.ask({ type: "get_player_notes", limit: PAGE, before });
      if (!more) return;
      notes = [...notes, ...more.notes];
      before = more.before;
      refresh();
    };
    return [
      notes.length === 0
        ? h("p", { key: "none" }, t("notes.none"))
        : h("ul", { key: "list", class: "noted" }, notes.map((note) =>
          h("li", { key: note.player }, h("button", { onclick: () => change(note) }, noteMark(note.color), h("b", {}, note.player), note.color && h("span", { class: "hint" }, t(`note.color.${note.color}`)), note.text && h("span", { key: "text", class: "text" }, note.text))))),
      before !== null && h("button", { key: "more", onclick: older }, t("account.more")),
    ];
  });
}

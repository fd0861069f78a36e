/** Saves each hand of the player to a folder of the device when it ends, while the page is open.
 *
 * It needs a browser with the File System Access API. Hands of one day are in one file, which grows. */

import { FORMATS, patiently } from "./hand_texts.js";
import { t } from "./i18n.js";
import { room } from "./room.js";

/** `{ folder, format }` while hands are saved, else null. */
let saving = null;
/** Writes, one after the other. */
let writes = Promise.resolve();

export const canSave = () => "showDirectoryPicker" in globalThis && room.has("hand_text");

/** The name of the folder to which hands are saved; null: they are not. */
export const savedTo = () => saving?.folder.name ?? null;

/** Ask for a folder, and save each hand that ends from now on. Nothing changes if the player chooses none. */
export async function startSaving(format) {
  const folder = await globalThis.showDirectoryPicker({ id: "hands", mode: "readwrite" }).catch(() => null);
  if (!folder) return;
  if (!saving) room.addEventListener("happened", ended);
  saving = { folder, format };
}

export function stopSaving() {
  room.removeEventListener("happened", ended);
  saving = null;
}

function ended({ detail: { event } }) {
  const isOwn = event.type === "hand_ended" && !event.void && event.stacks.some(({ name }) => name === room.account?.name);
  if (isOwn) writes = writes.then(() => save(event.hand_id, saving));
}

async function save(hand, target) {
  if (target === null) return;
  const { folder, format } = target;
  const answer = await patiently({ type: "get_hand", hand_id: hand, format });
  if (!answer?.text) return;
  try {
    const day = new Date(room.client.serverNow()).toISOString().slice(0, 10);
    const handle = await folder.getFileHandle(`${room.account.name} ${day}.${FORMATS[format][1]}`, { create: true });
    const file = await handle.createWritable({ keepExistingData: true });
    await file.write({ type: "write", position: (await handle.getFile()).size, data: answer.text });
    await file.close();
  } catch (failure) {
    if (!(failure instanceof DOMException)) throw failure;
    if (saving !== target) return;
    stopSaving(); // the folder is gone, full, or no longer allowed
    room.notify(null, t("history.folder_lost"), "refused");
  }
}

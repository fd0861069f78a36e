/** Saves the hands of the player to a folder of the device while the page is open.
 *
 * It needs a browser with the File System Access API. Each account has its own folder on a device. IndexedDB keeps it, and
 * how far its hands are saved: a page that opens later saves the hands that ended in between. A browser may want the player
 * to allow the folder again; until then `waitingFolder` has it. What is saved on one day is in one file, which grows.
 */

import { FORMATS, patiently } from "./hand_texts.js";
import { t } from "./i18n.js";
import { room } from "./room.js";
import { settings } from "./settings.js";
import { waitingFolder } from "./waiting_folder.js";

/** Hands that ended so long ago are settled on all nodes: none with a smaller number in the ledger follows. */
const SETTLED_MS = 5_000;
const SETTLES_MS = SETTLED_MS + 1_000;
/** A player that leaves a table hears no end of the hand there: so long and so often the page looks for it. */
const LOOKS_FOR_MS = 300_000;
const LOOKS_EVERY_MS = 15_000;
const WRITE = { mode: "readwrite" };

/** `{ owner, folder, format, since, after }` while the account has a folder, else null. `after` is the number of its last hand. */
let saving = null;
/** Writes, one after the other. */
let writes = Promise.resolve();
let timer = null;
/** Whether a hand has ended while the timer ran: it may be too late for this time. */
let isLater = false;
let looking = null;
/** The hands of the player that have not ended yet: id → when it began. */
const begun = new Map();

export const canSave = () => "showDirectoryPicker" in globalThis && room.has("export_hands");

/** The name of the account's folder; null without one. */
export const savedTo = () => (saving?.owner === room.account?.name ? saving?.folder.name ?? null : null);

/** Ask for a folder, and save each hand that ends from now on. Nothing changes if the player chooses none. */
export async function startSaving(format) {
  const owner = room.account.name;
  const folder = await globalThis.showDirectoryPicker({ id: "hands", ...WRITE }).catch(() => null);
  if (!folder || owner !== room.account?.name) return;
  await begin({ owner, folder, format, since: now(), after: null });
  settings.set("saves_hands", true);
  await kept("readwrite", (folders) => folders.put(saving, owner));
}

/** Forget the account's folder. */
export async function stopSaving() {
  const { owner } = saving;
  end();
  await kept("readwrite", (folders) => folders.delete(owner));
  if ((await kept("readonly", (folders) => folders.count())) === 0) settings.set("saves_hands", false);
}

/** Go on with the folder of the account that has logged in. */
export async function resumeSaving() {
  const owner = room.account?.name;
  if (saving?.owner === owner) return saveNow(); // the connection was lost for a while
  end();
  const found = canSave() && (await kept("readonly", (folders) => folders.get(owner)));
  if (!found || owner !== room.account?.name || saving) return;
  await begin(found);
}

async function begin(target) {
  end();
  saving = target;
  room.addEventListener("happened", happened);
  looking = setInterval(look, LOOKS_EVERY_MS);
  if ((await target.folder.queryPermission(WRITE)) !== "granted") return wait(target);
  saveNow();
}

function end() {
  clearTimeout(timer);
  clearInterval(looking);
  [saving, timer, looking, isLater] = [null, null, null, false];
  begun.clear();
  room.removeEventListener("happened", happened);
  tell(null);
}

/** The player has to allow the folder again. */
function wait(target) {
  if (saving === target) tell({ name: target.folder.name, allow: () => allow(target), stop: stopSaving });
}

async function allow(target) {
  if ((await target.folder.requestPermission(WRITE)) !== "granted" || saving !== target) return;
  tell(null);
  saveNow();
}

function tell(waiting) {
  waitingFolder.now = waiting;
  room.dispatchEvent(new Event("change"));
}

function happened({ detail: { event } }) {
  const has = (seats) => seats.some(({ name }) => name === saving.owner);
  if (event.type === "hand_started" && has(event.seats)) begun.set(event.hand_id, Date.now());
  if (event.type !== "hand_ended") return;
  begun.delete(event.hand_id);
  if (has(event.stacks)) saveSoon(SETTLES_MS);
}

function look() {
  for (const [hand, at] of begun) if (Date.now() - at > LOOKS_FOR_MS) begun.delete(hand);
  if (begun.size > 0) saveSoon(0);
}

/** Save what is settled, and a little later what ended just now. */
function saveNow() {
  saveSoon(0);
  saveSoon(SETTLES_MS);
}

function saveSoon(ms) {
  if (waitingFolder.now) return;
  if (timer !== null) {
    isLater = true;
    return;
  }
  timer = setTimeout(() => {
    timer = null;
    if (isLater) saveSoon(SETTLES_MS);
    isLater = false;
    const target = saving;
    writes = writes.then(() => save(target));
  }, ms);
}

/** Save all hands that have ended since the last one. A page that closes in between may save some of them twice: they have the same numbers. */
async function save(target) {
  const { folder, format, since, owner } = target;
  for (let more = true; more; ) {
    const until = now() - SETTLED_MS;
    if (until <= since || saving !== target || owner !== room.account?.name) return;
    const page = await patiently({ type: "export_hands", format, since_ms: since, until_ms: until, after: target.after }, () => {});
    if (!page || saving !== target) return; // the next hand that ends, or the next connection, tries again
    try {
      if (page.text) await append(folder, `${owner} ${new Date().toISOString().slice(0, 10)}.${FORMATS[format][1]}`, page.text);
    } catch (failure) {
      if (!(failure instanceof DOMException)) throw failure;
      if (saving !== target) return;
      wait(target); // the folder is gone, full, or no longer allowed
      return room.notify(null, t("history.folder_lost", { folder: folder.name }), "refused");
    }
    ({ more } = page);
    if (page.after === target.after) continue;
    target.after = page.after;
    await kept("readwrite", (folders) => folders.put(target, owner));
  }
}

/** The room's time, in whole milliseconds. */
const now = () => Math.floor(room.client.serverNow());

async function append(folder, name, text) {
  const handle = await folder.getFileHandle(name, { create: true });
  const file = await handle.createWritable({ keepExistingData: true });
  await file.write({ type: "write", position: (await handle.getFile()).size, data: text });
  await file.close();
}

/** Do something with the folders that this device keeps. A browser that keeps none forgets a folder with the page. */
function kept(mode, work) {
  return new Promise((resolve) => {
    const opening = indexedDB.open("pokerroom", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("folders");
    opening.onerror = () => resolve(undefined);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction("folders", mode);
      const asked = work(transaction.objectStore("folders"));
      transaction.oncomplete = transaction.onabort = () => (opening.result.close(), resolve(transaction.error ? undefined : asked.result));
    };
  });
}

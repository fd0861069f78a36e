/** The private tables of the account: those that it hosts, and those that it has opened by a link. */

import { money, t } from "./i18n.js";
import { seatWindow, takeSitAndGos } from "./on_demand.js";
import { room } from "./room.js";

/** Table → the protocol's `HostedTableView`, the newest first; a new map at each change. */
let tables = new Map();
/** Makes the lines of the private sit-and-gos; null while the account has none. */
let lines = null;
/** Whether the room has told them on this connection. */
let known = false;
/** The protocol's `OfferedTables`; null: players open no tables now; undefined: an older room, which does not tell. */
let offered;
/** The name of the account that has these tables. */
let owner = null;

/** Keep the private tables up to date. An account without any learns of new ones by its own requests alone. */
export function startHosting() {
  room.client.addEventListener("authenticated", () => {
    known = false;
    if (owner !== room.account.name) tables = new Map();
    owner = room.account.name;
    look();
  });
  room.addEventListener("lobby", () => (!known || tables.size + sitAndGoLines().length > 0) && look());
  room.addEventListener("hosted", look);
}

async function look() {
  const before = tables;
  const answer = await room.client.request({ type: "get_hosted_tables" }).catch((failure) => failure);
  if (answer.tables) ({ offered } = answer);
  if (answer.sit_and_gos?.length || (lines && answer.tables)) lines = (await takeSitAndGos(answer.sit_and_gos)) ?? lines;
  if (tables !== before) return; // it was asked before the latest change
  known = answer.code !== "connection_ended";
  if (answer.tables) show(new Map(answer.tables.map((hosted) => [hosted.info.table, hosted])));
}

function show(changed) {
  for (const [table, now] of changed) tellNews(tables.get(table), now);
  tables = changed;
  room.dispatchEvent(new Event("change"));
}

/** Tell the player what others have done at a private table since it was last known. */
function tellNews(before, now) {
  if (!before) return;
  const tell = (what, values = {}) => room.notify(`hosted_${what}`, null, "told", { table: now.info.name, ...values });
  if (now.code && !before.code) tell("host");
  else if (now.your_seat !== before.your_seat && ["open", "refused"].includes(now.your_seat)) tell(now.your_seat);
  if (now.given > before.given) tell("given", { amount: money(now.given - before.given) });
  const asked = new Set(asking(before));
  for (const name of asking(now)) if (!asked.has(name)) tell("asks", { name });
}

const asking = (hosted) => (hosted.guests ?? []).filter((guest) => guest.seat === "asked").map((guest) => guest.name);

/** Which tables players may open, as last told. */
export const offeredTables = () => offered;

/** Ask the room; `offeredTables`, the tables and the sit-and-gos are up to date then. */
export const askOffered = () => look();

/** Take a table as the room has answered it. */
export function noted(hosted) {
  const { table } = hosted.info;
  show(tables.has(table) ? new Map(tables).set(table, hosted) : new Map([[table, hosted], ...tables]));
}

export const hostedTables = () => [...tables.values()];

/** The lines of the private sit-and-gos. */
export const sitAndGoLines = () => lines?.() ?? [];

/** The private table of this id; undefined for other tables. */
export const hostedAt = (table) => tables.get(table);

/** Whether you host this table: only its host gets the secret of the link. */
export const isHost = (table) => Boolean(hostedAt(table)?.code);

/** Whether you may sit down at a table; else ask its host, or say how far that is. */
export async function maySit(table) {
  const seat = hostedAt(table)?.your_seat ?? "open";
  if (seat !== "open") await seatWindow(table);
  return seat === "open";
}

/** Whether players may create tables in this room. */
export const mayHost = () => room.has("hosted_tables");

/** What the account can bring to a table: the wallet, or its chips of the table's club. */
export async function purseFor(table) {
  const club = hostedAt(table)?.club;
  return club ? ((await room.ask({ type: "get_club", club }))?.club.your_balance ?? 0) : room.balance;
}

/** The text about the purse. */
export const purseText = (table, amount) => t(hostedAt(table)?.club ? "buy_in.club" : "buy_in.wallet", { amount: money(amount) });

/** Links of private tables and clubs: the code in the address, and what it leads to. */

import { askOffered, noted } from "./hosting.js";
import { t } from "./i18n.js";
import { sit } from "./lobby.js";
import { joinClub, tournamentWindow } from "./on_demand.js";
import { room } from "./room.js";

const LINK = /^#(table|club)=(.*)$/;
const CODE = /^[A-Za-z0-9_-]{22}$/;
const TABLE_CODE = /(?:^|#table=)([A-Za-z0-9_-]{22})$/;

/** Whether the address is the link of a private table or a club. */
export const isInvited = () => CODE.test(linkOf(location).code ?? "");

/** Whether it is that of a club. */
export const isOfClub = () => linkOf(location).kind === "club";

function linkOf({ hash }) {
  const [, kind, code] = LINK.exec(hash) ?? [];
  return { kind, code };
}

/** Open the table of the link in the address, and offer a seat, or open the page of a sit-and-go, or join the club. Without an
 * account the entrance asks for a name first. */
export async function followLink() {
  const { kind, code } = linkOf(location);
  if (code === undefined || (isInvited() && !room.account)) return;
  const invited = isInvited();
  history.replaceState(null, "", "#lobby"); // the secret stays not in the address bar
  if (!invited) return room.notify(null, t("error.unknown_link"), "refused");
  if (kind === "club") return joinClub(code);
  const answer = await room.ask({ type: "find_table", code });
  if (answer) await arrive(answer);
}

/** The code of a table's link, of the link or of the code alone; undefined for any other text. */
export const tableCodeIn = (text) => TABLE_CODE.exec(text)?.[1];

/** Go where the room has let the account in: offer a seat at the table, or open the page of the sit-and-go. */
export async function arrive({ hosted, sit_and_go: sitAndGo }) {
  if (sitAndGo) {
    askOffered();
    return tournamentWindow(null, sitAndGo.tournament);
  }
  noted(hosted);
  await sit(hosted.info);
}

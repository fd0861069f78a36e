/** Windows that load when they are opened, so that the first load of the page stays small. */

import { room } from "./room.js";

const opened = (load, name) => async (...args) => {
  const module = await load().catch(() => null);
  return module === null ? room.notify("not_loaded", null, "refused") : module[name](...args);
};

const account = () => import("./account.js");
const hosting = () => import("./hosting_windows.js");

export const accountHistoryWindow = opened(account, "accountHistoryWindow");
export const openHand = opened(account, "openHand");
export const openRound = opened(account, "openRound");
export const createTableWindow = opened(hosting, "createTableWindow");
export const shareWindow = opened(hosting, "shareWindow");
export const hostWindow = opened(hosting, "hostWindow");
export const cashierWindow = opened(() => import("./cashier.js"), "cashierWindow");
export const limitsWindow = opened(() => import("./limits_window.js"), "limitsWindow");
export const securityWindow = opened(() => import("./security_window.js"), "securityWindow");

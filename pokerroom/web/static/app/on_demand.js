/** Windows that load when they are opened, so that the first load of the page stays small. */

import { room } from "./room.js";

/** How often each file could not be loaded. A browser remembers such a file by its address, so the next attempt has another. */
const failures = new Map();

const opened = (file, name) => async (...args) => {
  const failed = failures.get(file) ?? 0;
  const module = await import(`./${file}.js${failed ? `?${failed}` : ""}`).catch(() => null);
  if (module) return module[name](...args);
  failures.set(file, failed + 1);
  return room.notify("not_loaded", null, "refused");
};

export const accountHistoryWindow = opened("account", "accountHistoryWindow");
export const openHand = opened("account", "openHand");
export const openRound = opened("account", "openRound");
export const resumeSaving = opened("auto_save", "resumeSaving");
export const historyWindow = opened("history", "historyWindow");
export const clubsWindow = opened("clubs", "clubsWindow");
export const joinClub = opened("clubs", "joinClub");
export const createTableWindow = opened("hosting_windows", "createTableWindow");
export const enterWindow = opened("hosting_windows", "enterWindow");
export const createSitAndGoWindow = opened("hosting_sit_and_go", "createSitAndGoWindow");
export const shareWindow = opened("hosting_windows", "shareWindow");
export const seatWindow = opened("hosting_windows", "seatWindow");
export const hostWindow = opened("hosting_windows", "hostWindow");
export const handShareWindow = opened("hand_share", "handShareWindow");
export const handLinksWindow = opened("hand_links", "handLinksWindow");
export const resultsWindow = opened("results_window", "resultsWindow");
export const cashierWindow = opened("cashier", "cashierWindow");
export const leaguesWindow = opened("leagues", "leaguesWindow");
export const limitsWindow = opened("limits_window", "limitsWindow");
export const rulesWindow = opened("rules", "rulesWindow");
export const settingsWindow = opened("settings_window", "settingsWindow");
export const securityWindow = opened("security_window", "securityWindow");
export const noteWindow = opened("note_window", "noteWindow");
export const notesWindow = opened("note_window", "notesWindow");
export const takeSitAndGos = opened("hosting_lines", "takeSitAndGos");
export const tellTickets = opened("ticket_news", "tellTickets");
export const ticketsWindow = opened("tickets", "ticketsWindow");
export const tournamentWindow = opened("tournament_window", "tournamentWindow");
export const chipSaleWindow = opened("chip_sale_window", "chipSaleWindow");
export const dealWindow = opened("deal_window", "dealWindow");
export const statisticsWindow = opened("statistics_window", "statisticsWindow");

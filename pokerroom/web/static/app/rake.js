/** The rake of a table in words. Knows no page. */

import { currentLanguage, money, t } from "./i18n.js";

/** What the room takes of the pots, and the most of one hand; null where it takes nothing. */
export function rake(info) {
  if (!info.rake) return null;
  const share = shareOf(info);
  const caps = info.rake.caps.map((cap) => cap.amount);
  return caps.length ? t("rake.capped", { share, cap: money(Math.max(...caps)) }) : t("rake.share", { share });
}

const shareOf = (info) => new Intl.NumberFormat(currentLanguage(), { style: "percent", maximumFractionDigits: 2 }).format(info.rake.bps / 10_000);

/** The same with all that a player may want to know before the game. */
export function rakeInFull(info) {
  const { caps, no_flop_no_drop, min_pot } = info.rake;
  return [
    caps.length > 1 ? t("rake.share", { share: shareOf(info) }) : rake(info),
    caps.length > 1 && t("rake.caps", { caps: caps.map(({ players, amount }) => t("rake.cap", { players, amount: money(amount) })).join(", ") }),
    no_flop_no_drop && t("rake.no_flop"),
    min_pot > 0 && t("rake.min_pot", { amount: money(min_pot) }),
  ].filter(Boolean).join(". ") + ".";
}

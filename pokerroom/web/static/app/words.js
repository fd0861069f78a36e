/** Texts of events in the reader's language. */

import { cardNames, pictograms } from "./cards.js";
import { amountsOf, has, money, t } from "./i18n.js";
import { narrated } from "./narrate.js";

/** Stands before and after cards in a sentence that is to be illustrated. */
const MARK = "\u0000";

/** The text of an event; null without one. `holders` are the holders of seats at the time, `names` is the text of cards. */
export function sentence(event, model, holders = model.names, names = cardNames) {
  if (model.snapshot?.type === "ultimate_snapshot") return ultimateSentence(event, model, names);
  const told = narrated(event, model, { money: amountsOf(model.snapshot), prizes: money, names, holders });
  if (!told) return null;
  const values = { ...told.values };
  if (values.rank) values.rank = has(`rank.${values.rank}`) ? t(`rank.${values.rank}`) : values.rank;
  return t(told.code, values);
}

/** The same for the page: texts, and cards as pictograms. */
export function illustrated(event, model, holders = model.names) {
  const text = sentence(event, model, holders, (cards) => `${MARK}${cards.join(" ")}${MARK}`);
  return text && text.split(MARK).map((part, index) => (index % 2 ? pictograms(part.split(" ")) : part));
}

/** The same at a table of Ultimate Texas Hold'em. */
function ultimateSentence(event, model, names) {
  const nameOf = (box) => model.snapshot.places.find((place) => place.box === box)?.name ?? `#${box}`;
  switch (event.type) {
    case "place_taken":
      return t("event.place_taken", { name: event.name, box: event.box });
    case "place_left":
      return t("event.place_left", { name: event.name });
    case "tip_given":
      return t("event.tip_given", { name: event.name, amount: money(event.amount) });
    case "round_started":
      return t("event.round_started", { round: event.round_id });
    case "hands_dealt": {
      const cards = model.yourBox === null ? null : model.cardsOf(model.yourBox);
      return cards && t("event.hands_dealt", { cards: names(cards) });
    }
    case "decided":
      return t(`event.${event.automatic ? "decided_auto" : "decided"}.${event.decision}`, { name: nameOf(event.box), amount: money(event.amount) });
    case "board_dealt":
      return t("event.board_dealt", { cards: names(event.cards) });
    case "light_changed":
      return event.light === "yellow" ? null : t(`event.light.${event.light}`);
    case "bets_refused":
      return event.refused.length > 0 ? t("event.bets_refused", { bets: event.refused.map((bet) => `${t(`uth.bet.${bet.bet}`)} ${money(bet.amount)} (${t(`error.${bet.code}`)})`).join(", ") }) : null;
    case "round_ended": {
      if (event.void) return t("event.round_void");
      const bank = event.bank && t(event.bank.qualifies ? "uth.qualifies" : "uth.not_qualified", { hand: t(`rank.${event.bank.hand}`) });
      const won = model.won !== null && model.won > 0 ? t("uth.won", { amount: money(model.won) }) : null;
      return t("event.round_ended", { summary: [bank, won].filter(Boolean).join(". ") });
    }
    case "table_notice":
      return t(`event.table.${event.state}`);
    default:
      return null;
  }
}

/** The game, unless it is hold'em, and how it is bet. */
export const played = (info) => [info.game !== "holdem" && t(`game.${info.game}`), t(`structure.${info.structure}`)].filter(Boolean).join(" · ");

/** The text of an event: a key and its values, for the log and the screen reader. Knows no page. */

import { stakesOf } from "./amounts.js";

/** Return `{ code, values }`, or null for an event without a text. `model` is the table, `holders` the holders of seats at
 * the time; `money` formats amounts. */
export function narrated(event, model, { money, names, prizes = money, holders = model.names }) {
  const holder = (seat) => holders.get(seat) ?? `#${seat}`;
  const name = event.seat === undefined ? null : holder(event.seat);
  const say = (code, values = {}) => ({ code: `event.${code}`, values: { name, ...values } });
  switch (event.type) {
    case "seat_taken":
      return say("seat_taken", { name: event.name, amount: money(event.stack) });
    case "seat_left":
      return say("seat_left", { name: event.name });
    case "hand_started":
      return say("hand_started", { name: holder(event.button) });
    case "posted":
      return say(`posted.${event.kind}`, { amount: money(event.amount) });
    case "hole_cards":
      return event.cards ? say("hole_cards", { cards: names(event.cards) }) : null;
    case "acted":
      if (event.action === "clock_all_in") return say("acted.clock_all_in");
      if (event.all_in && event.action !== "fold") return say("acted.all_in", { amount: money(event.bet) });
      return say(`acted.${event.action}`, { amount: money(event.action === "call" ? event.added : event.bet) });
    case "street_dealt":
      return say(`street.${event.street}`, { cards: names(event.cards) });
    case "uncalled_bet":
      return say("uncalled_bet", { amount: money(event.amount) });
    case "shown":
      return event.rank ? say("shown_rank", { cards: names(event.cards), rank: event.rank }) : say("shown", { cards: names(event.cards) });
    case "mucked":
      return say("mucked");
    case "pot_awarded":
      return {
        code: `event.${event.pot > 0 ? "side_pot" : "pot"}_awarded${event.rake ? "_rake" : ""}`,
        values: { rake: money(event.rake ?? 0), winners: event.shares.map((share) => `${holder(share.seat)} (${money(share.amount)})`).join(", ") },
      };
    case "hand_ended":
      return event.void ? say("hand_void") : null;
    case "table_notice":
      return say(`table.${event.state}`);
    case "table_paused":
      return say(event.paused ? "table_paused" : "table_resumed");
    case "stakes_changed":
      return say("stakes_changed", { stakes: stakesOf(event, money) });
    case "level_started":
      return say("level_started", { level: event.level.level, blinds: `${money(event.level.small_blind)} / ${money(event.level.big_blind)}` });
    case "player_placed":
      return say(event.prize > 0 ? "player_placed_prize" : "player_placed", { name: event.name, place: event.place, prize: prizes(event.prize) });
    case "bounty_won":
      return say(event.head > 0 ? "bounty_won_head" : "bounty_won", { name: event.name, out: event.out, cash: prizes(event.cash), head: prizes(event.head) });
    case "deal_offered":
      return say("deal_offered", { name: event.deal.proposer });
    case "deal_accepted":
      return say("deal_accepted", { name: event.name });
    case "deal_ended":
      return say(`deal_ended.${event.reason}`, { name: event.name ?? "" });
    case "break_started":
    case "break_ended":
    case "tournament_paused":
    case "tournament_resumed":
    case "tournament_ended":
      return say(event.type);
    default:
      return null;
  }
}

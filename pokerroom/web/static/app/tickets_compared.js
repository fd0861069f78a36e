/** What a player is told of the own tickets. Knows no page. */

/** How long before its end a ticket is told of, once in each page that opens. */
const SOON_MS = 3 * 86_400_000;

const keyOf = ({ offer, value, expires_ms }) => `${offer} ${value} ${expires_ms}`;

/** The news between two lists of tickets, as pairs of a code and a ticket. `before` is null where none is known yet. */
export function newsOf(before, tickets, nowMs) {
  if (before === null) return tickets.filter(({ expires_ms }) => expires_ms - nowMs < SOON_MS).slice(0, 1).map((ticket) => ["ticket_ends", ticket]);
  const left = before.map(keyOf);
  const isNew = (ticket) => {
    const at = left.indexOf(keyOf(ticket));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  };
  return tickets.filter(isNew).map((ticket) => ["ticket_new", ticket]);
}

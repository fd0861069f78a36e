"""Retention: what the ledger forgets, and when.

The cards of a hand that were not turned up are erased; what the whole table saw stays, and so do all changes of stacks.
The device and address of log-ins that are over are erased, too, messages of webhooks that no endpoint takes, and debits
that the operator's wallet has refused. Each batch is one transaction with its line in the operators' log. The ledger in
memory stores nothing and has no retention.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from twisted.internet.defer import Deferred

from pokerroom.ledger.credentials import SessionLifetime
from pokerroom.ledger.operator_log import THE_ROOM, Acting

BATCH: Final = 500
"""Hands, log-ins, messages or debits in a transaction: a table that settles a hand does not wait for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Days after which the hidden cards of a hand, and log-ins that are over, are erased. 0: never.

    `webhooks_days`: dead messages of webhooks, and those of an endpoint that is off. `wallet_days`: debits that the
    operator's wallet has refused. Both go always.
    """

    hands_days: int = 365
    sessions_days: int = 30
    webhooks_days: int = 30
    wallet_days: int = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """How many hands have lost their hidden cards, and how many log-ins, messages and refused debits were removed."""

    hands: int
    sessions: int
    messages: int = 0
    debits: int = 0


class RetentionLedger(Protocol):
    """The contract. Every method may fail with `LedgerUnavailable`."""

    def keep_cards(self, days: int) -> Deferred[bool]:
        """Stores for how many days hidden cards are kept. False if only the owner of the tables could change it."""

    def erase_cards(self, at_most: int, by: Acting) -> Deferred[tuple[int, int]]:
        """Erases the hidden cards of the next old hands.

        Returns how many hands it has looked at, and how many had hidden cards.
        (0, 0) when there are no more. Nothing is erased that is not older than `keep_cards` has stored.
        """

    def remove_old_sessions(
        self, lifetime: SessionLifetime, days: int, at_most: int, by: Acting
    ) -> Deferred[int]:
        """Removes log-ins that are over and were last used so many days ago. Returns how many."""

    def remove_old_webhook_messages(self, days: int, at_most: int, by: Acting) -> Deferred[int]:
        """Removes messages so many days old that are dead or wait for an endpoint that is off. Returns how many.

        Those of an endpoint that is removed go at once.
        """

    def remove_old_refused_debits(self, days: int, at_most: int, by: Acting) -> Deferred[int]:
        """Removes debits that the operator's wallet refused so many days ago, at least 1. Returns how many."""


async def erase_old(
    ledger: RetentionLedger, retention: Retention, lifetime: SessionLifetime, by: Acting = THE_ROOM
) -> Erased:
    """Erase all that is due, in small batches. `lifetime` is that of log-ins."""
    hands = sessions = messages = debits = 0
    if retention.hands_days:
        looked = BATCH
        while looked:
            looked, erased = await ledger.erase_cards(BATCH, by)
            hands += erased
    if retention.sessions_days:
        removed = BATCH
        while removed:
            removed = await ledger.remove_old_sessions(lifetime, retention.sessions_days, BATCH, by)
            sessions += removed
    removed = BATCH
    while removed:
        removed = await ledger.remove_old_webhook_messages(retention.webhooks_days, BATCH, by)
        messages += removed
    removed = BATCH
    while removed:
        removed = await ledger.remove_old_refused_debits(retention.wallet_days, BATCH, by)
        debits += removed
    return Erased(hands=hands, sessions=sessions, messages=messages, debits=debits)

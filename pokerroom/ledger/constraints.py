"""What the database means by a violated constraint of the schema, in the exceptions of `api`.

Told by the name of the constraint and never by the wording of a message. It knows no query.
"""

from __future__ import annotations

from typing import Final

import msgspec
import psycopg

from pokerroom.ledger.api import (
    AlreadySeated,
    BankEmpty,
    BetsNotCovered,
    InsufficientBalance,
    LedgerConflict,
    LedgerRefusal,
    NameTaken,
    NotOwner,
    NotSeated,
    SeatOccupied,
    TooManyTables,
)

REFUSALS: Final[dict[str, type[LedgerRefusal]]] = {
    "account_name_is_unique": NameTaken,
    "balance_is_not_negative": InsufficientBalance,
    "seat_has_one_holder": SeatOccupied,
    "account_has_one_seat": AlreadySeated,
    "account_has_seat": NotSeated,
    "account_has_seats_left": TooManyTables,
    "bank_holds_it": BankEmpty,
}
"""What a violated constraint means to a client."""

OTHER_OWNER: Final = "table_has_other_owner"
"""The epoch of who asks is not the table's any more."""

NOT_COVERED: Final = "bets_are_covered"
"""Accounts have too little for their bets; the error's detail is a JSON object of these and what they hold."""

CONFLICTS: Final = (
    "key_has_other_legs",
    "table_has_one_round",
    "round_is_open",
    "meter_is_as_before",
    "tips_are_the_tronc",
)

UNKNOWN_ACCOUNT: Final = ("account_exists", "sessions_account_fkey")


def meaning(error: psycopg.IntegrityError) -> Exception:
    """What to raise for it; the error itself when no caller's wish should ever have come to it."""
    constraint = error.diag.constraint_name or ""
    if constraint in REFUSALS:
        return REFUSALS[constraint](str(error))
    if constraint == OTHER_OWNER:
        return NotOwner(str(error))
    if constraint == NOT_COVERED:
        found = msgspec.json.decode(error.diag.message_detail or "{}", type=dict[str, int])
        return BetsNotCovered({int(account): balance for account, balance in found.items()})
    if constraint in CONFLICTS:
        return LedgerConflict(str(error))
    if constraint in UNKNOWN_ACCOUNT:
        return LookupError(str(error))
    return error

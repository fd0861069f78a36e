"""Names that no new account may have: those of the room's people and parts, and what looks like them.

Names are ASCII (the contract says so), so two names look alike only by the few letters and digits that do. The ledger
keeps names apart that look alike: `ledger.transfers.look_of`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import msgspec

from pokerroom.ledger.transfers import look_of
from pokerroom.table.house_bots import is_house_bot
from pokerroom_protocol import messages as wire

# fmt: off
_RESERVED: Final = (
    "admin", "administrator", "bank", "cashier", "croupier", "dealer", "everybody", "everyone", "floor",
    "floor-manager", "floorman", "gone", "help", "host", "house", "manager", "mod", "moderator", "nobody", "null",
    "official", "operator", "pit-boss", "pokerroom", "room", "root", "security", "server", "service", "staff",
    "superuser", "supervisor", "support", "system", "undefined", "webmaster",
)
# fmt: on
"""[D] Words that a player could be taken for the room by."""

_SEPARATORS: Final = str.maketrans("", "", "_.-")
_DIGITS: Final = "0123456789"


def is_valid_name(name: str) -> bool:
    """Return whether the protocol allows the name of an account."""
    try:
        msgspec.convert(name, wire.Name)
    except msgspec.ValidationError:
        return False
    return True


class ReservedNames:
    """The reserved names of a room; `more` are those of its settings."""

    def __init__(self, more: Collection[str] = ()) -> None:
        self._looks = {_plain(word) for word in (*_RESERVED, *more)}

    def __contains__(self, name: str) -> bool:
        """Return whether a name is reserved, as it is or without separators and the digits at its end."""
        return (
            is_house_bot(look_of(name))
            or _plain(name) in self._looks
            or _plain(name.rstrip(_DIGITS + "_.-")) in self._looks
        )


def operators_may_give(name: str) -> bool:
    """Return whether an operator may give a player this name: also one that the room's settings reserve."""
    return is_valid_name(name) and name not in ReservedNames()


def _plain(name: str) -> str:
    return look_of(name.translate(_SEPARATORS))

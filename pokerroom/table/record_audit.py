"""What an audit learns when the record of a hand or a round is played again. The games fill it in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

NotPlayed = Literal["erased", "sealed", "no_terms", "archived"]
"""Why a record cannot be played again as a whole, and is no difference for it.

`erased`: the hidden cards were erased after the days of `[retention]`. `sealed`: they are encrypted with a key that is
not known here. `no_terms`: an older record, without the pay tables of a round or the terms of a rake. `archived`: it
is in a file that was not given.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordAudit:
    """A record that was played again. `differences` are sentences without the subject, and name no hidden card.

    `changes` are the changes of chips by account, as the rules have them; None if the record could not be played.
    `by_clock` are the accounts that the clock put all-in.
    """

    differences: tuple[str, ...] = ()
    changes: Mapping[int, int] | None = None
    by_clock: frozenset[int] = field(default_factory=frozenset)
    not_played: NotPlayed | None = None


def unlike(name: str, recorded: object, replayed: object) -> str:
    """Return the sentence for a value that the rules do not confirm. Long values are cut."""
    return f"{name} is {short(recorded)} in its record, and {short(replayed)} by the rules"


def short(value: object) -> str:
    """Return a value as a difference may show it."""
    text = str(value)
    return text if len(text) <= 80 else text[:77] + "..."

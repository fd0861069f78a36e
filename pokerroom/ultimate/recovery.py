"""Reads the journal of a table of Ultimate Texas Hold'em, and rebuilds a round from it after a fault or a crash.

The ledger says whether a round is in progress, and has its bets. The journal has its cards and its decisions. A Play or
a tip that the ledger has and the journal has not was taken in time: it counts. Asks no clock and tells clients nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import assert_never

from pokerroom.ledger.rounds import OpenRound
from pokerroom.rules.errors import IllegalAction, InvariantBroken
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.seal import Seal
from pokerroom.ultimate.journal import (
    BettingClosed,
    DoorsOrdered,
    FreezeOrdered,
    LastBets,
    RoundsKept,
    StepsTaken,
    decode_entry,
    last_bets_of,
    open_cards,
)
from pokerroom.ultimate.play import Choice, RoundPlay, Step, Tipped
from pokerroom.ultimate.request_keys import Keys


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalledUltimate:
    """What the entries of one table say; `opening` and `groups` are of the last round that was to begin."""

    closing: bool = False
    last_bets: LastBets = field(default_factory=dict)
    keys: Keys = field(default_factory=dict)
    opening: BettingClosed | None = field(default=None, repr=False)
    groups: Sequence[Sequence[Step]] = ()
    frozen: bool = False
    """Whether the operator has frozen the table."""

    @property
    def round_id(self) -> str | None:
        """The id of that round."""
        return None if self.opening is None else self.opening.round_id


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredRound:
    """A round as it was after its last step. `lacking` are steps that the ledger has and the journal has not."""

    play: RoundPlay
    steps: tuple[Step, ...]
    lacking: tuple[Step, ...]


def read(entries: Sequence[bytes]) -> JournalledUltimate:
    """Return what a table's journal says; `entries` are in its order. Raises `UnreadableJournal`."""
    closing = frozen = False
    last_bets: LastBets = {}
    keys: Keys = {}
    opening: BettingClosed | None = None
    groups: list[tuple[Step, ...]] = []
    for entry in map(decode_entry, entries):
        match entry:
            case RoundsKept() | BettingClosed():
                closing, last_bets, keys, groups = entry.closing, _last_bets(entry), entry.keys, []
                opening = entry if isinstance(entry, BettingClosed) else None
            case StepsTaken():
                _add_group(groups, None if opening is None else opening.round_id, entry)
            case DoorsOrdered():
                closing = entry.closing
            case FreezeOrdered():
                frozen = entry.frozen
            case _:
                assert_never(entry)
    return JournalledUltimate(
        closing=closing,
        last_bets=last_bets,
        keys=_with_tips(keys, groups),
        opening=opening,
        groups=tuple(groups),
        frozen=frozen,
    )


def rebuild(found: JournalledUltimate, table: str, of: OpenRound, seal: Seal) -> RecoveredRound:
    """Return the round in progress as it was after its last step. Raises `UnreadableJournal`."""
    opening = found.opening
    if opening is None or opening.round_id != of.round_id:
        raise UnreadableJournal(f"the journal does not know round {of.round_id}")
    play = RoundPlay(
        table=table,
        round_id=opening.round_id,
        started_ms=opening.started_ms,
        names=opening.names,
        state=open_cards(opening, seal),
    )
    staked: Counter[int] = Counter()
    for bets in play.state.setup.boxes:
        staked[bets.player] += bets.total
    if staked != Counter({row.account: row.amount for row in of.stakes if row.kind == "bets"}):
        raise UnreadableJournal(f"round {of.round_id} has other bets in the ledger")
    steps = [step for group in found.groups for step in group]
    try:
        for step in steps:
            play.take(step)
        lacking = _lacking(play, of, steps)
    except (IllegalAction, InvariantBroken, LookupError, TypeError, ValueError) as error:
        raise UnreadableJournal(
            f"a step of round {of.round_id} cannot be taken: {type(error).__name__}"
        ) from None
    play.groups = len(found.groups)
    return RecoveredRound(play=play, steps=tuple(steps), lacking=tuple(lacking))


def play_key(round_id: str, box: int) -> str:
    """Return the key of the ledger's transfer of a Play."""
    return f"round:{round_id}:play:{box}"


def tip_key(round_id: str, number: int, key: str) -> str:
    """Return the key of the ledger's transfer of a tip; the client's key, if it gave one, comes last."""
    return f"round:{round_id}:tip:{number}{f':{key}' if key else ''}"


# --- inside ---------------------------------------------------------------------------------------------------------


def _last_bets(entry: RoundsKept | BettingClosed) -> LastBets:
    try:
        return last_bets_of(entry)
    except (TypeError, ValueError) as error:
        raise UnreadableJournal(f"the last bets cannot be read: {type(error).__name__}") from None


def _with_tips(keys: Keys, groups: Sequence[Sequence[Step]]) -> Keys:
    """Return the keys, and those of tips in the steps: the round may have ended with no later entry that has them."""
    found = dict(keys)
    for step in chain.from_iterable(groups):
        if isinstance(step, Tipped) and step.key:
            found[step.account] = (*found.get(step.account, ()), step.key)
    return found


def _add_group(groups: list[tuple[Step, ...]], round_id: str | None, entry: StepsTaken) -> None:
    if entry.round_id != round_id:
        raise UnreadableJournal("a step of a round that was not opened")
    if entry.group == len(groups) + 1:  # an entry that was stored twice is read once
        groups.append(entry.steps)
    elif entry.group > len(groups):
        raise UnreadableJournal(f"steps {len(groups) + 1} of round {round_id} are missing")


def _lacking(play: RoundPlay, of: OpenRound, steps: Sequence[Step]) -> list[Step]:
    """Take the steps that the ledger alone knows. Raises for money in the journal that the ledger does not have."""
    known = {_key(play.round_id, step) for step in steps} - {None}
    rows = {row.key: row for row in of.stakes if row.kind != "bets"}
    if not known <= rows.keys():
        raise ValueError("a Play that was never paid")
    lacking: list[Step] = []
    for key, row in rows.items():
        if key in known:
            continue
        named, _, clients = key.removeprefix(f"round:{play.round_id}:").partition(":")[2].partition(":")
        number = int(named)
        if row.kind == "tip":
            step: Step = Tipped(account=row.account, amount=row.amount, number=number, key=clients)
        else:
            at = play.state.at(number)
            if at is None:
                raise LookupError(number)
            multiple, odd = divmod(row.amount, play.state.boxes[at].bets.ante)
            if odd:
                raise ValueError("a Play that is no multiple of its Ante")
            step = Choice(account=row.account, box=number, kind="play", multiple=multiple)
        lacking.append(step)
    # a tip does not end a round, a Play may: tips come first
    lacking.sort(key=lambda step: not isinstance(step, Tipped))
    for step in lacking:
        play.take(step)
    return lacking


def _key(round_id: str, step: Step) -> str | None:
    match step:
        case Choice(kind="play"):
            return play_key(round_id, step.box)
        case Tipped():
            return tip_key(round_id, step.number, step.key)
        case _:
            return None

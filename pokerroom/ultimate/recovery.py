"""What a table against the house writes to its journal, and how a round is rebuilt from it after a fault or a crash.

    table   between rounds: whether the operator has closed the table, and everybody's last bets, to be repeated
    bets    betting has closed: the same, and a round that begins if the ledger takes the bets, its cards encrypted
    steps   in a round: what players and the clock have done, as a group; groups are numbered from 1
    closing at any time: the operator has closed the table, or opened it
    frozen  at any time: the operator has frozen the table, or lets it go on

Whether a round is in progress says the ledger, which has the bets; the journal has the cards and what was decided. A
Play or a tip that the ledger has and the journal has not was taken in time: it counts. This module asks no clock and
tells nobody anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, assert_never

import msgpack
from cryptography.exceptions import InvalidTag

from pokerroom.ledger.rounds import OpenRound
from pokerroom.rules.errors import IllegalAction, InvariantBroken
from pokerroom.rules.ultimate.bets import BoxBets
from pokerroom.rules.ultimate.data import round_from_data, round_to_data
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.seal import Seal
from pokerroom.ultimate.play import Choice, Expired, RoundPlay, Step, Tipped

VERSION: Final = "u1"
"""Another than hold'em's, which cannot read these."""

LastBets = Mapping[int, tuple[BoxBets, ...]]
"""By account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Journalled:
    """What the entries of one table say; `opening` and `groups` are of the last round that was to begin."""

    closing: bool = False
    last_bets: LastBets = field(default_factory=dict)
    round_id: str | None = None
    opening: Sequence[Any] = field(default=(), repr=False)
    groups: Sequence[Sequence[Step]] = ()
    frozen: bool = False
    """Whether the operator has frozen the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """A round as it was after its last step. `lacking` are steps that the ledger has and the journal has not."""

    play: RoundPlay
    steps: tuple[Step, ...]
    lacking: tuple[Step, ...]


# --- writing --------------------------------------------------------------------------------------------------------


def table_entry(*, closing: bool, last_bets: LastBets) -> bytes:
    """Between rounds."""
    return _packed("table", closing, _from_last_bets(last_bets))


def bets_entry(play: RoundPlay, seal: Seal, *, closing: bool, last_bets: LastBets) -> bytes:
    """A round begins if the ledger takes its bets. To be written before the ledger is asked."""
    cards = seal.close(_packed(round_to_data(play.state)), play.round_id)
    names = [[account, name] for account, name in play.names.items()]
    return _packed("bets", closing, _from_last_bets(last_bets), play.round_id, play.started_ms, names, cards)


def steps_entry(play: RoundPlay, steps: Sequence[Step]) -> bytes:
    """A group of steps; `play.groups` counts it already."""
    return _packed("steps", play.round_id, play.groups, [_from_step(step) for step in steps])


def closing_entry(*, closing: bool) -> bytes:
    """The operator's word."""
    return _packed("closing", closing)


def frozen_entry(*, frozen: bool) -> bytes:
    """The operator has frozen the table, or lets it go on."""
    return _packed("frozen", frozen)


# --- reading --------------------------------------------------------------------------------------------------------


def read(entries: Sequence[bytes]) -> Journalled:
    """What stands in a table's journal, oldest first. Raises `UnreadableJournal`."""
    try:
        return _read(entries)
    except (LookupError, TypeError, ValueError) as error:
        raise UnreadableJournal(f"an entry of another shape: {type(error).__name__}") from None


def rebuild(found: Journalled, table: str, of: OpenRound, seal: Seal) -> Recovered:
    """The round in progress as it was after its last step. Raises `UnreadableJournal`."""
    if found.round_id != of.round_id:
        raise UnreadableJournal(f"the journal does not know round {of.round_id}")
    play = _opened(found, table, seal)
    put_in: Counter[int] = Counter()
    for bets in play.state.setup.boxes:
        put_in[bets.player] += bets.total
    if put_in != Counter({row.account: row.amount for row in of.stakes if row.kind == "bets"}):
        raise UnreadableJournal(f"round {of.round_id} has other bets in the ledger")
    steps = [step for group in found.groups for step in group]
    try:
        for step in steps:
            play.take(step)
        lacking = _lacking(play, of, steps)
    except (IllegalAction, InvariantBroken, LookupError, TypeError, ValueError) as error:
        raise UnreadableJournal(f"a step of round {of.round_id} cannot be: {type(error).__name__}") from None
    play.groups = len(found.groups)
    return Recovered(play=play, steps=tuple(steps), lacking=tuple(lacking))


def play_key(round_id: str, box: int) -> str:
    """The key of the ledger's transfer of a Play."""
    return f"round:{round_id}:play:{box}"


def tip_key(round_id: str, number: int) -> str:
    """The key of the ledger's transfer of a tip."""
    return f"round:{round_id}:tip:{number}"


# --- inside ---------------------------------------------------------------------------------------------------------


def _read(entries: Sequence[bytes]) -> Journalled:
    closing = frozen = False
    last_bets: LastBets = {}
    round_id: str | None = None
    opening: tuple[Any, ...] = ()
    groups: list[list[Step]] = []
    for kind, *fields in map(_unpacked, entries):
        match kind:
            case "table":
                closing, last_bets = bool(fields[0]), _to_last_bets(fields[1])
                round_id, opening, groups = None, (), []
            case "bets":
                closing, last_bets = bool(fields[0]), _to_last_bets(fields[1])
                round_id, opening, groups = fields[2], tuple(fields[2:]), []
            case "steps":
                _add_group(groups, round_id, fields)
            case "closing":
                closing = bool(fields[0])
            case "frozen":
                frozen = bool(fields[0])
            case _:
                raise ValueError(kind)
    return Journalled(
        closing=closing,
        last_bets=last_bets,
        round_id=round_id,
        opening=opening,
        groups=tuple(groups),
        frozen=frozen,
    )


def _add_group(groups: list[list[Step]], round_id: str | None, fields: Sequence[Any]) -> None:
    named, number, steps = fields
    if named != round_id:
        raise UnreadableJournal("a step of a round that was not opened")
    if number == len(groups) + 1:  # one that was stored twice is read once
        groups.append([_to_step(step) for step in steps])
    elif number > len(groups):
        raise UnreadableJournal(f"steps {len(groups) + 1} of round {round_id} are missing")


def _opened(found: Journalled, table: str, seal: Seal) -> RoundPlay:
    try:
        round_id, started_ms, names, cards = found.opening
        state = round_from_data(_unpacked(seal.open(cards, round_id))[0])
        return RoundPlay(
            table=table, round_id=round_id, started_ms=started_ms, names=dict(names), state=state
        )
    except (InvalidTag, InvariantBroken, LookupError, TypeError, ValueError) as error:
        # the cause is not chained: it may quote cards
        raise UnreadableJournal(f"the cards of a round cannot be opened: {type(error).__name__}") from None


def _lacking(play: RoundPlay, of: OpenRound, steps: Sequence[Step]) -> list[Step]:
    """Takes what the ledger alone knows; raises where the journal knows of money that the ledger has not."""
    known = {_key(play.round_id, step) for step in steps} - {None}
    rows = {row.key: row for row in of.stakes if row.kind != "bets"}
    if not known <= rows.keys():
        raise ValueError("a Play that was never paid")
    lacking: list[Step] = []
    for key, row in rows.items():
        if key in known:
            continue
        number = int(key.rsplit(":", 1)[1])
        if row.kind == "tip":
            step: Step = Tipped(account=row.account, amount=row.amount, number=number)
        else:
            at = play.state.at(number)
            if at is None:
                raise LookupError(number)
            multiple, odd = divmod(row.amount, play.state.boxes[at].bets.ante)
            if odd:
                raise ValueError("a Play that is no multiple of its Ante")
            step = Choice(account=row.account, box=number, kind="play", multiple=multiple)
        lacking.append(step)
    # a tip does not end a round, a Play may: the tips have to be there by then
    lacking.sort(key=lambda step: not isinstance(step, Tipped))
    for step in lacking:
        play.take(step)
    return lacking


def _key(round_id: str, step: Step) -> str | None:
    match step:
        case Choice(kind="play"):
            return play_key(round_id, step.box)
        case Tipped():
            return tip_key(round_id, step.number)
        case _:
            return None


def _from_step(step: Step) -> list[Any]:
    match step:
        case Choice():
            return ["choice", step.account, step.box, step.kind, step.multiple, step.seq]
        case Expired():
            return ["expired", None if step.boxes is None else list(step.boxes)]
        case Tipped():
            return ["tip", step.account, step.amount, step.number]
        case _:
            assert_never(step)


def _to_step(data: Sequence[Any]) -> Step:
    match data:
        case ["choice", account, box, "check" | "play" | "fold" as kind, multiple, seq]:
            return Choice(account=account, box=box, kind=kind, multiple=multiple, seq=seq)
        case ["expired", boxes]:
            return Expired(boxes=None if boxes is None else tuple(boxes))
        case ["tip", account, amount, number]:
            return Tipped(account=account, amount=amount, number=number)
        case _:
            raise ValueError("a step of no kind")


def _from_last_bets(last_bets: LastBets) -> list[Any]:
    return [
        [
            account,
            [[bets.box, bets.ante, bets.trips, bets.progressive, bets.play] for bets in boxes],
        ]
        for account, boxes in last_bets.items()
    ]


def _to_last_bets(data: Sequence[Any]) -> LastBets:
    return {
        account: tuple(
            BoxBets(box=box, player=account, ante=ante, trips=trips, progressive=progressive, play=play)
            for box, ante, trips, progressive, play in boxes
        )
        for account, boxes in data
    }


def _packed(*fields: Any) -> bytes:
    packed: bytes = msgpack.packb([VERSION, *fields])
    return packed


def _unpacked(entry: bytes) -> list[Any]:
    version, *fields = msgpack.unpackb(entry)
    if version != VERSION:
        raise UnreadableJournal(f"an entry of version {version}, not {VERSION}")
    return list(fields)

"""A round that is over, played again from its record by the rules that a table plays by. Changes nothing.

`RoundPlay` makes the record again from the bets, the cards and the decisions, and the two are compared: cards of bank,
boxes and board, decisions, outcome and payment of each bet, envy, house, meter, tips. Records of version 1 have no pay
tables: of them everything is compared but what these tables pay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from pokerroom.rules.cards import DECK, Card, parse_card
from pokerroom.rules.errors import IllegalAction, InvariantBroken
from pokerroom.rules.ultimate.bets import BetLimits, BoxBets
from pokerroom.rules.ultimate.data import terms_from_data
from pokerroom.rules.ultimate.deal import RoundDeal
from pokerroom.rules.ultimate.round import start
from pokerroom.rules.ultimate.state import RoundSetup
from pokerroom.rules.ultimate.terms import PayTable, ProgressiveTerms, Qualification, Seating, Terms
from pokerroom.table.record_audit import NotPlayed, RecordAudit, unlike
from pokerroom.ultimate.play import RECORD_VERSION, Choice, Expired, RoundPlay, Tipped

_PAID_BY_TABLE: Final = frozenset({"blind", "trips", "progressive"})

_FROM_TABLES: Final = {"players", "house", "meter"}
"""What follows from pay tables, too."""


class _Box(msgspec.Struct):
    box: int
    account: int
    name: str
    extra: bool
    bets: list[tuple[Literal["ante", "blind", "play", "trips", "progressive"], int, int]]
    envy: int
    cards: list[str] | None = None


class _Cards(msgspec.Struct):
    cards: list[str]


class _Meter(msgspec.Struct):
    before: int


class _Round(msgspec.Struct):
    version: int
    game: Literal["ultimate"]
    round_id: str
    table: str
    seating: Seating
    qualification: Qualification
    started_ms: int
    ended_ms: int
    void: bool
    board: list[str]
    bank: _Cards | None
    boxes: list[_Box]
    decisions: list[tuple[str, int, Literal["check", "play", "fold"], int, bool]]
    tips: list[tuple[int, int]]
    players: list[tuple[int, int]]
    meter: _Meter
    terms: dict[str, Any] | None = None


class _Unknown(msgspec.Struct):
    """The record of a void round of which only the ledger knew (`play.unknown_record`)."""

    round_id: str
    table: str
    ended_ms: int
    boxes: None
    void: Literal[True]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundAudit(RecordAudit):
    """A round that was played again. `record` is None if it cannot be read."""

    record: Mapping[str, Any] | None = None


def round_played_again(record: bytes) -> RoundAudit:
    """Play a round again from its record in the ledger, and compare. Raises nothing because of the record's content."""
    try:
        raw = msgspec.json.decode(record, type=dict[str, Any])
        if raw.get("boxes", ()) is None:
            msgspec.convert(raw, _Unknown)
            return RoundAudit(changes={}, record=raw)
        found = msgspec.convert(raw, _Round)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
        return RoundAudit(differences=(f"its record cannot be read: {error}",))
    if (found.version, found.terms is None) not in {(1, True), (RECORD_VERSION, False)}:
        return RoundAudit(differences=("its record is of an unknown version, or a part of it is missing",))
    try:
        play = _played(found)
    except IllegalAction as refused:
        return RoundAudit(differences=(f"a decision of its record is refused by the rules: {refused.code}",))
    except InvariantBroken as broken:
        return RoundAudit(differences=(str(broken),))
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        return RoundAudit(differences=(f"its record cannot be played: {type(error).__name__}",))
    if not play.state.finished:
        return RoundAudit(differences=("its record ends before the round does",))
    lacking: NotPlayed | None = "no_terms" if found.terms is None and not found.void else None
    replayed = msgspec.json.decode(play.record(found.ended_ms), type=dict[str, Any])
    return RoundAudit(
        differences=tuple(_differences(raw, replayed, without_tables=lacking is not None)),
        changes=dict(found.players if lacking else play.settlement.players),
        not_played=lacking,
        record=raw,
    )


def _played(found: _Round) -> RoundPlay:
    boxes = [_bets(box) for box in found.boxes]
    setup = RoundSetup(terms=_terms(found), boxes=tuple(boxes), deal=_deal(found), meter=found.meter.before)
    play = RoundPlay(
        table=found.table,
        round_id=found.round_id,
        started_ms=found.started_ms,
        names={box.account: box.name for box in found.boxes},
        state=start(setup),
    )
    for number, (account, amount) in enumerate(found.tips, 1):  # at any time before the end, so before all
        play.take(Tipped(account=account, amount=amount, number=number))
    players = {box.box: box.account for box in found.boxes}
    for _, box, kind, multiple, automatic in found.decisions:
        if automatic:
            play.take(Expired(boxes=(box,)))
        else:
            play.take(Choice(account=players[box], box=box, kind=kind, multiple=multiple))
    if found.void:
        play.void()
    return play


def _bets(box: _Box) -> BoxBets:
    """Return the bets before the deal. The Play of an extra box is one of them (U11)."""
    staked = {bet: amount for bet, amount, _ in box.bets}
    ante = staked.get("ante", 0)
    play = staked.get("play", 0) // ante if box.extra else 0
    return BoxBets(
        box=box.box,
        player=box.account,
        ante=ante,
        trips=staked.get("trips", 0),
        progressive=staked.get("progressive", 0),
        play=play,
    )


def _deal(found: _Round) -> RoundDeal:
    """Return the cards of the record. The burned ones, and those of a void round that were not shown, are others."""
    named = [*found.board, *(found.bank.cards if found.bank else ())]
    named += [card for box in found.boxes for card in box.cards or ()]
    known = {parse_card(card) for card in named}
    rest = iter([card for card in DECK if card not in known])
    hands = 1 if found.seating is Seating.common_hand else len(found.boxes)
    if found.seating is Seating.common_hand and len({str(box.cards) for box in found.boxes}) > 1:
        raise InvariantBroken("the boxes of its common hand have different cards")
    return RoundDeal(
        holes=tuple([_two(box.cards, rest) for box in found.boxes[:hands]]),
        bank=_two(found.bank.cards if found.bank else None, rest),
        board=(
            *[parse_card(card) for card in found.board],
            *[next(rest) for _ in range(5 - len(found.board))],
        ),
        burned=_two(None, rest),
    )


def _two(cards: list[str] | None, rest: Iterator[Card]) -> tuple[Card, Card]:
    if cards is None:
        return next(rest), next(rest)
    first, second = cards
    return parse_card(first), parse_card(second)


def _terms(found: _Round) -> Terms:
    if found.terms is not None:
        return terms_from_data(found.terms)
    stakes = {amount for box in found.boxes for bet, amount, _ in box.bets if bet == "progressive"}
    any_amount, no_table = BetLimits(least=1, most=1 << 60), PayTable(())
    return Terms(
        qualification=found.qualification,
        seating=found.seating,
        ante=any_amount,
        trips=any_amount,
        blind_pays=no_table,
        trips_pays=no_table,
        progressive=ProgressiveTerms(stake=max(stakes), feed_bps=0, seed=0, prizes=(), envy_prize=0)
        if stakes
        else None,
    )


def _differences(
    raw: Mapping[str, Any], replayed: Mapping[str, Any], *, without_tables: bool
) -> Iterator[str]:
    left_out = {"version", "boxes", *(_FROM_TABLES if without_tables else ())}
    for name, value in replayed.items():
        if name in raw and name not in left_out and raw[name] != value:
            yield unlike(name, raw[name], value)
    for recorded, box in zip(raw["boxes"], replayed["boxes"], strict=True):
        for name, value in box.items():
            if without_tables and name == "envy":
                continue
            said, due = recorded.get(name), value
            if name == "bets" and without_tables:
                said, due = _certain(said), _certain(due)
            if said != due:
                yield unlike(f"{name} of box {box['box']}", said, due)


def _certain(bets: list[list[Any]]) -> list[list[Any]]:
    """Return the bets, without the payments that a pay table decides."""
    return [[bet, staked, None if bet in _PAID_BY_TABLE else paid] for bet, staked, paid in bets]

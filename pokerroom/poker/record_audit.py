"""A settled hand, played again from its record by the rules that a table plays by. Changes nothing.

The record has the stakes, what each player owed, the cards and the actions. `HandPlay` makes the record of the hand
again from them, and the two are compared: order of the players, sizes, streets, uncalled bet, pots, awards, shown cards
and stacks. What no record has (whether all-in hands are turned up at once) and older records have not (the smallest
chip, the order of a short big blind's posts) is taken as the record shows it.

Hidden cards are opened in memory. No difference names one.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import gcd
from typing import Any, Final

import msgspec

from pokerroom.history.hidden_cards import CardSeal, Hidden, hidden_cards
from pokerroom.history.record import (
    ACTIONS,
    STREETS,
    HandRecord,
    Owed,
    owed_in,
)
from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker.play import RECORD_VERSION, HandPlay
from pokerroom.poker.recorded_settings import recorded_settings
from pokerroom.poker.recovery import action_of
from pokerroom.poker.seats import Seat, SeatState
from pokerroom.rules.actions import Action, ClockAllIn
from pokerroom.rules.cards import Card, parse_card
from pokerroom.rules.errors import IllegalAction, InvariantBroken, UnknownName
from pokerroom.rules.events import PostKind
from pokerroom.rules.hand import HandSetup, PlayerSetup
from pokerroom.rules.planned_hand import Positions
from pokerroom.table.record_audit import NotPlayed, RecordAudit, short, unlike

_PLAIN_VERSION: Final = 1
"""Records of this version have all cards in clear."""

_CAME_TOGETHER: Final = {"seats_max", "unit", "betting"}
"""What older records do not have, and newer ones have all of; with `owed` of each seat."""

_KEY_ID: Final = re.compile("[0-9a-f]{16}")

_OF_NO_PLAY: Final = {"version", "hidden"}

# Reading an enum's member takes three times as long as reading a name of this module.
_SMALL_BLIND: Final = PostKind.small_blind
_BIG_BLIND: Final = PostKind.big_blind
_STRADDLE: Final = PostKind.straddle
_LIVE_POST: Final = PostKind.live_post
_DEAD_POST: Final = PostKind.dead_post
_BIG_BLIND_ANTE: Final = PostKind.big_blind_ante
_POST_KINDS: Final = {kind.value: kind for kind in PostKind}


@dataclass(frozen=True, slots=True, kw_only=True)
class HandAudit(RecordAudit):
    """A hand that was played again. `record` is None if it cannot be read."""

    record: HandRecord | None = None


class _WrongRecordError(Exception):
    """Raised for a record that no hand can have; the text is the difference."""


def hand_played_again(
    record: bytes, seal: CardSeal | None, *, known_keys: frozenset[str], erased: bool
) -> HandAudit:
    """Play a hand again from its record in the ledger, and compare.

    `seal` opens hidden cards, `known_keys` are the ids of its keys. `erased`: old hidden cards were erased, so they may
    be missing. Raises nothing because of the record's content.
    """
    try:
        raw = msgspec.json.decode(record, type=dict[str, Any])
        hand = msgspec.convert(raw, HandRecord)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
        return HandAudit(differences=(f"its record cannot be read: {error}",))
    try:
        _check_form(hand, raw)
        holes, lacking = _hole_cards(hand, raw, seal, known_keys, erased=erased)
        owed = owed_in(hand)
        _check_plan(hand, owed)
        return _compared(hand, raw, holes, owed, lacking)
    except (_WrongRecordError, InvariantBroken, UnknownName) as error:
        return HandAudit(differences=(str(error),), record=hand)
    except (LookupError, TypeError, ValueError, RecursionError) as error:  # the text may quote cards
        return HandAudit(differences=(f"its record cannot be played: {type(error).__name__}",), record=hand)


def _check_form(hand: HandRecord, raw: Mapping[str, Any]) -> None:
    """Check that nothing is missing that a record of its time has. Raises `_WrongRecordError`."""
    if raw.get("version") not in {_PLAIN_VERSION, RECORD_VERSION}:
        raise _WrongRecordError(
            f"its record has the version {short(raw.get('version'))}, which this build does not know"
        )
    there = {name in raw for name in _CAME_TOGETHER} | {seat.owed is not None for seat in hand.seats}
    raked = {name in raw for name in ("rake", "rake_unit")} | {"rake" in seat for seat in raw["seats"]}
    if len(there) != 1 or len(raked) != 1:
        raise _WrongRecordError("a part of its record is missing")


# --- cards ----------------------------------------------------------------------------------------------------------


def _hole_cards(
    hand: HandRecord,
    raw: Mapping[str, Any],
    seal: CardSeal | None,
    known_keys: frozenset[str],
    *,
    erased: bool,
) -> tuple[dict[int, tuple[Card, ...]], NotPlayed | None]:
    """Return the known hole cards by seat, and why others are missing. Raises `_WrongRecordError`."""
    turned_up = {event[1] for event in hand.events if event[0] == "show"}
    clear = {seat.seat: seat.cards for seat in hand.seats if seat.cards is not None}
    covered = {seat.seat for seat in hand.seats} - turned_up
    if len({seat.seat for seat in hand.seats}) != len(hand.seats):
        raise _WrongRecordError("a seat is in its record twice")
    if not turned_up <= clear.keys():
        raise _WrongRecordError("cards that were turned up are missing in its record")
    if raw.get("version") != _PLAIN_VERSION and not covered.isdisjoint(clear):
        raise _WrongRecordError("its record shows cards that were not turned up")
    missing = covered - clear.keys()
    opened: Mapping[int, list[str]] | None = {}
    if hand.hidden is not None:
        opened = _opened(hand.hand_id, hand.hidden, missing, seal, known_keys)
    elif missing and not erased:
        raise _WrongRecordError("its hidden cards are missing, and were not erased")
    lacking: NotPlayed | None = "sealed" if opened is None else "erased" if missing - opened.keys() else None
    known = clear | dict(opened or {})
    return {seat: tuple([parse_card(card) for card in cards]) for seat, cards in known.items()}, lacking


def _opened(
    hand_id: str, hidden: Hidden, missing: set[int], seal: CardSeal | None, known_keys: frozenset[str]
) -> Mapping[int, list[str]] | None:
    """Return the hidden cards; None if their key is not known. Raises `_WrongRecordError`."""
    key_id, text = hidden
    if not _KEY_ID.fullmatch(key_id) or base64.b64encode(base64.b64decode(text)).decode() != text:
        raise _WrongRecordError("its hidden cards are not written as a room writes them")
    opened = None if seal is None else hidden_cards(hand_id, hidden, seal)
    if (opened is None) == (key_id in known_keys):
        raise _WrongRecordError("its hidden cards were changed: the key that is named does not open them")
    if opened is not None and opened.keys() != missing:
        raise _WrongRecordError("its hidden cards are not those of the players who showed none")
    return opened


def _setup(
    hand: HandRecord, holes: Mapping[int, tuple[Card, ...]], settings: TableSettings, owed: Mapping[int, Owed]
) -> HandSetup:
    """Return what the rules need. Cards that are not compared (folded and missing, or never dealt) are others."""
    variant = settings.variant
    board = [parse_card(card) for event in hand.events if event[0] in STREETS for card in event[1:]]
    size = variant.board_cards[variant.last_street]
    if len(board) > size:
        raise _WrongRecordError(f"its board has {len(board)} cards")
    named = {*board, *[card for cards in holes.values() for card in cards]}
    rest = (card for card in variant.deck if card not in named)
    mucked = {event[1] for event in hand.events if event[0] == "muck"}
    dead = {event[1]: event[3] for event in hand.events if event[0] == "post" and event[2] == _DEAD_POST}
    players = tuple(
        [
            PlayerSetup(
                stack=seat.stack,
                holes=holes.get(seat.seat) or _next(rest, variant.hole_cards),
                ante=owed[seat.seat].ante,
                blind=owed[seat.seat].blind,
                blind_kind=_post_kind(owed[seat.seat]),
                dead=dead.get(seat.seat, 0),
                muck_losing=seat.seat in mucked,
            )
            for seat in hand.seats
        ]
    )
    return HandSetup(
        variant=variant,
        structure=settings.structure,
        big_blind=hand.big_blind,
        players=players,
        board=(*board, *_next(rest, size - len(board))),
        last_blind=_last_blind(hand, owed),
        dead_blind=0 if _seats_with(owed, _SMALL_BLIND) else hand.small_blind,
        show_all_in=settings.show_all_in,
        unit=settings.unit,
        rake=settings.rake,
        ante_first=_ante_first(hand, owed),
    )


def _next(cards: Iterator[Card], count: int) -> tuple[Card, ...]:
    return tuple([next(cards) for _ in range(count)])


# --- what each player owed ------------------------------------------------------------------------------------------


def _post_kind(owed: Owed) -> PostKind | None:
    return None if owed.post is None else _POST_KINDS.get(owed.post) or PostKind(owed.post)


def _seats_with(owed: Mapping[int, Owed], kind: PostKind) -> list[int]:
    return [seat for seat, one in owed.items() if one.post == kind]


def _last_blind(hand: HandRecord, owed: Mapping[int, Owed]) -> int:
    """Return the index of the straddler, or else of the big blind: the action starts on their left (C1)."""
    last = (_seats_with(owed, _STRADDLE) or _seats_with(owed, _BIG_BLIND))[0]
    return [seat.seat for seat in hand.seats].index(last)


def _ante_first(hand: HandRecord, owed: Mapping[int, Owed]) -> bool:
    """Return whether a short big blind paid the ante for the table before the blind, as in older records (B9)."""
    paid = {event[1]: event[3] for event in hand.events if event[0] == "post" and event[2] == _BIG_BLIND_ANTE}
    if not paid:
        return False
    ante = min([one.ante for one in owed.values()])
    return any(
        seat.seat in paid and paid[seat.seat] > seat.stack - ante - owed[seat.seat].blind
        for seat in hand.seats
    )


def _check_plan(hand: HandRecord, owed: Mapping[int, Owed]) -> None:
    """Check what one hand tells of its plan (B1 to B9): the order of the deal, and the amounts that are owed.

    Which player owes what follows from earlier hands, which a cash table's record does not have.
    """
    order = [seat.seat for seat in hand.seats]
    if len(order) < 2 or order != sorted(order, key=lambda seat: (seat <= hand.button, seat)):
        raise _WrongRecordError("its players are not in the order of the deal")
    kinds = [one.post for one in owed.values()]
    if kinds.count(_BIG_BLIND) != 1 or kinds.count(_SMALL_BLIND) > 1 or kinds.count(_STRADDLE) > 1:
        raise _WrongRecordError("its blinds are not those of one hand")
    nominal = {_SMALL_BLIND: hand.small_blind, _BIG_BLIND: hand.big_blind, _LIVE_POST: hand.big_blind}
    (big_blind,) = _seats_with(owed, _BIG_BLIND)
    ante = min([one.ante for one in owed.values()])
    for seat, one in owed.items():
        kind = _post_kind(one)
        if (kind in nominal and one.blind != nominal[kind]) or (kind is None and one.blind):
            raise _WrongRecordError(f"seat {seat} owes {one.blind} as {kind or 'no blind'}")
        if one.ante != ante and seat != big_blind:
            raise _WrongRecordError(f"seat {seat} owes an ante of {one.ante}, others {ante}")
        if kind is _STRADDLE and (
            one.blind <= hand.big_blind or order.index(seat) != (order.index(big_blind) + 1) % len(order)
        ):
            raise _WrongRecordError(f"seat {seat} cannot straddle for {one.blind}")


# --- playing --------------------------------------------------------------------------------------------------------


def _variations(hand: HandRecord, raw: Mapping[str, Any]) -> Iterator[TableSettings]:
    """Yield the settings that the table may have had, the most likely first."""
    settings = recorded_settings(hand)
    yield settings
    units = [hand.unit]
    if "unit" not in raw:
        stacks = [amount for seat in hand.seats for amount in (seat.stack, seat.end)]
        units.append(gcd(hand.big_blind, *stacks))
    for unit in dict.fromkeys(units):
        for show_all_in in (True, False):
            if (unit, show_all_in) != (settings.unit, settings.show_all_in):
                yield replace(settings, unit=unit, show_all_in=show_all_in)


def _compared(
    hand: HandRecord,
    raw: Mapping[str, Any],
    holes: Mapping[int, tuple[Card, ...]],
    owed: Mapping[int, Owed],
    lacking: NotPlayed | None,
) -> HandAudit:
    late = {event[1] for event in hand.events if event[0] == "clock_all_in"}
    by_clock = frozenset([seat.account for seat in hand.seats if seat.seat in late])
    if lacking is not None and any(event[0] == "muck" for event in hand.events):
        return HandAudit(
            record=hand, by_clock=by_clock, not_played=lacking
        )  # the record does not tell whether the mucked hand was beaten
    without: NotPlayed | None = "no_terms" if hand.rake and hand.rake_terms is None else None
    first: HandAudit | None = None
    for settings in _variations(hand, raw):
        play, refused = _played(hand, holes, owed, settings)
        differences = [] if refused is None else [refused]
        if refused is None:
            differences = _differences(hand, raw, play)
        changes = dict(play.deltas()) if refused is None else None
        found = HandAudit(
            record=hand,
            differences=tuple(differences),
            changes=changes,
            by_clock=by_clock,
            not_played=without,
        )
        if not found.differences:
            return found
        first = first or found
    assert first is not None
    return first


def _played(
    hand: HandRecord,
    holes: Mapping[int, tuple[Card, ...]],
    owed: Mapping[int, Owed],
    settings: TableSettings,
) -> tuple[HandPlay, str | None]:
    """Return the hand after its last action, and the difference of an action that the rules refuse."""
    seats = [
        Seat(
            number=seat.seat, account=seat.account, name=seat.name, stack=seat.stack, state=SeatState.PLAYING
        )
        for seat in hand.seats
    ]
    (big_blind,) = _seats_with(owed, _BIG_BLIND)
    play = HandPlay(
        settings,
        hand_id=hand.hand_id,
        positions=Positions(button=hand.button, small_blind=None, big_blind=big_blind, small_blind_seat=0),
        seats=seats,
        setup=_setup(hand, holes, settings, owed),
        started_ms=hand.started_ms,
    )
    for number, event in enumerate(hand.events, 1):
        if event[0] not in ACTIONS:
            continue
        try:
            play.act(event[1], _action(event))
        except IllegalAction as refused:
            return (
                play,
                f"step {number} of its record ({short(event)}) is refused by the rules: {refused.code}",
            )
    if not play.state.finished:
        return play, "its record ends before the hand does"
    return play, None


def _action(event: Sequence[Any]) -> Action:
    name, _, _, bet = event
    return ClockAllIn() if name == "clock_all_in" else action_of(name, bet)


# --- comparing ------------------------------------------------------------------------------------------------------


def _differences(hand: HandRecord, raw: Mapping[str, Any], play: HandPlay) -> list[str]:
    replayed = play.record(hand.ended_ms)
    replayed |= {name: raw[name] for name in _OF_NO_PLAY if name in raw}
    for recorded, seat in zip(raw["seats"], replayed["seats"], strict=True):
        seat["cards"] = recorded["cards"]
    if replayed == raw:
        return []
    replayed = msgspec.json.decode(msgspec.json.encode(replayed), type=dict[str, Any])  # as it is told
    found = []
    for number, (recorded, event) in enumerate(zip(raw["events"], replayed["events"], strict=False), 1):
        if recorded != event:
            found.append(unlike(f"step {number}", recorded, event))
            break
    else:
        if len(raw["events"]) != len(replayed["events"]):
            found.append(unlike("the number of steps", len(raw["events"]), len(replayed["events"])))
    for recorded, seat in zip(raw["seats"], replayed["seats"], strict=True):
        found += [
            unlike(f"{name} of seat {seat['seat']}", recorded.get(name, 0), value)
            for name, value in seat.items()
            if (name in recorded or name == "rake") and recorded.get(name, 0) != value
        ]
    found += [
        unlike(name, raw[name], value)
        for name, value in replayed.items()
        if name in raw and name not in {"seats", "events"} and raw[name] != value
    ]
    return found

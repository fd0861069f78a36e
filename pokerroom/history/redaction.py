"""What an account may see of its past: the only place that removes hidden cards from records.

The record of a hand contains the hole cards of all players, sealed unless they were turned up (G4). An account sees its
own cards and those that were turned up; a mucked or folded hand stays hidden for ever. Older records have all cards in
clear. Own cards are missing if they were erased or if their key is missing.

A round of Ultimate has nothing to hide once it is over: all hands are turned up then, and the record of a void round
has only the cards that the table had shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never, cast

import msgspec
import structlog
from msgspec import UNSET

from pokerroom.history.hidden_cards import CardSeal, hidden_cards
from pokerroom.history.record import ACTIONS, STREETS, HandRecord, check_is_here, read_record
from pokerroom.ledger.account_history import (
    PlayedGame,
    PlayedHand,
    PlayedRound,
    PlayedRoundRecord,
    PlayedTournament,
)
from pokerroom.ledger.archives import archived
from pokerroom.ledger.shared_hands import SharedHandRow
from pokerroom_protocol import messages as wire

_log = structlog.get_logger()


class _Bank(msgspec.Struct):
    cards: list[str]
    hand: str
    qualifies: bool


class _Box(msgspec.Struct):
    box: int
    account: int
    name: str
    outcome: Any
    bets: list[tuple[Any, int, int]]
    envy: int
    cards: list[str] | None
    hand: str | None


class _Round(msgspec.Struct):
    """The record of a round, as `ultimate.play` writes it. `boxes` is None where the ledger alone has the round."""

    boxes: list[_Box] | None
    board: list[str] = []
    bank: _Bank | None = None
    decisions: list[tuple[Any, int, Any, int, bool]] = []


def history_entry(played: PlayedGame, account: int) -> wire.HistoryEntry:
    """Return a line of the account's history. Raises `msgspec.ValidationError` for an invalid record: a bug."""
    match played:
        case PlayedHand():
            left = archived(played.record)
            if left is not None:
                return wire.HistoryEntry(
                    game=cast("Any", left.game),
                    id=played.hand_id,
                    table=played.table,
                    at_ms=played.ended_ms,
                    stake=max(0, -played.delta),
                    win=max(0, played.delta),
                    chips=played.in_chips,
                    archived=True,
                )
            hand = read_record(played.record)
            stake, win = _stake_and_win(hand, account)
            assert win - stake == played.delta, "the record and the ledger say the same"
            return wire.HistoryEntry(
                game=hand.game,
                id=played.hand_id,
                table=played.table,
                at_ms=played.ended_ms,
                stake=stake,
                win=win,
                chips=played.in_chips,
            )
        case PlayedRound():
            return wire.HistoryEntry(
                game="ultimate",
                id=played.round_id,
                table=played.table,
                at_ms=played.ended_ms,
                stake=played.staked,
                win=played.paid,
                tip=played.tipped,
                void=played.void,
                archived=played.archived,
            )
        case PlayedTournament():
            return wire.HistoryEntry(
                game="sit_and_go",
                id=played.tournament,
                table=played.tournament,
                at_ms=played.ended_ms,
                stake=played.stake,
                win=played.prize,
                void=played.place is None,
                place=played.place,
            )
        case _:
            assert_never(played)


def hand_history(hand: HandRecord, account: int) -> wire.HandHistoryView:
    """Return a `visible_hand` for the account that sees it, which was dealt in."""
    seats = [
        wire.HandHistorySeat(seat=seat.seat, name=seat.name, stack=seat.stack, end=seat.end, cards=seat.cards)
        for seat in hand.seats
    ]
    return wire.HandHistoryView(your_seat=_own_seat(hand, account), seats=seats, **_told(hand))


def shared_hand(hand: HandRecord, of: SharedHandRow) -> wire.SharedHandView:
    """Return a `visible_hand` of `shared_viewer` as its link shows it, to everyone the same."""
    options, own = of.options, _own_seat(hand, of.account)
    seats = [
        wire.SharedHandSeat(
            seat=seat.seat,
            name=seat.name
            if options.names == "all" or (options.names == "own" and seat.seat == own)
            else None,
            stack=seat.stack,
            end=seat.end,
            cards=seat.cards,
        )
        for seat in hand.seats
    ]
    is_known = options.own_cards or options.names != "none"
    return wire.SharedHandView(your_seat=own if is_known else None, seats=seats, **_told(hand))


def shared_viewer(of: SharedHandRow) -> int | None:
    """Return the account as which a link shows its hand; None: as spectators saw it, also the account's own cards."""
    return of.account if of.options.own_cards else None


def visible_hand(record: bytes, viewer: int | None, seal: CardSeal | None) -> HandRecord:
    """Return a hand with the cards that an account may see; without a `viewer`, those that were turned up.

    `hidden` is left in only where it holds cards of the viewer and its key is not in `seal`.
    """
    hand = read_record(record)
    own = hand.seat_of(viewer)
    visible = {event[1] for event in hand.events if event[0] == "show"}
    opened: Mapping[int, list[str]] | None = {}
    if own is not None and own not in visible:
        visible.add(own)
        if hand.hidden is not None:
            opened = None if seal is None else hidden_cards(hand.hand_id, hand.hidden, seal)
    if opened is not None:
        hand.hidden = None
    for seat in hand.seats:
        seat.cards = seat.cards or (opened or {}).get(seat.seat) if seat.seat in visible else None
    return hand


def whole_hand(record: bytes, seal: CardSeal | None) -> HandRecord:
    """Return a hand with all its cards, for an operator with that right, never for a player.

    `hidden` is left in where its key is not in `seal`.
    """
    hand = read_record(record)
    opened: Mapping[int, list[str]] | None = {}
    if hand.hidden is not None:
        opened = None if seal is None else hidden_cards(hand.hand_id, hand.hidden, seal)
    if opened is not None:
        hand.hidden = None
    for seat in hand.seats:
        seat.cards = seat.cards or (opened or {}).get(seat.seat)
    return hand


def set_names(hand: HandRecord, names: Mapping[int, str]) -> None:
    """Give the players the names of today, where they differ: those of accounts that were deleted or renamed."""
    for seat in hand.seats:
        seat.name = names.get(seat.account, seat.name)


def round_history(of: PlayedRoundRecord, account: int, names: Mapping[int, str]) -> wire.RoundHistoryView:
    """Return a round as an account with bets in it may see it. `names` are those of today, where they differ."""
    played = of.played
    record = _read_round(of.record)
    boxes = record.boxes or []
    antes = {box.box: staked for box in boxes for bet, staked, _ in box.bets if bet == "ante"}
    bank = record.bank
    return wire.RoundHistoryView(
        round_id=played.round_id,
        table=played.table,
        started_ms=played.started_ms,
        ended_ms=played.ended_ms,
        your_boxes=[box.box for box in boxes if box.account == account],
        boxes=[
            wire.BoxResult(
                box=box.box,
                name=names.get(box.account, box.name),
                outcome=box.outcome,
                bets=[wire.BetResult(bet=bet, staked=staked, paid=paid) for bet, staked, paid in box.bets],
                envy=box.envy,
                cards=box.cards,
                hand=box.hand,
            )
            for box in boxes
        ],
        decisions=[
            wire.BoxDecision(
                box=box,
                street=street,
                decision=decision,
                amount=multiple * antes[box],
                automatic=automatic,
            )
            for street, box, decision, multiple, automatic in record.decisions
        ],
        board=record.board,
        bank=None
        if bank is None
        else wire.BankResult(cards=bank.cards, hand=bank.hand, qualifies=bank.qualifies),
        stake=played.staked,
        win=played.paid,
        tip=played.tipped,
        void=played.void,
    )


def players_of(of: PlayedRoundRecord) -> list[int]:
    """Return the accounts in a round, so that their names of today can be found. Raises `RecordsArchived`."""
    return [box.account for box in _read_round(of.record).boxes or []]


def _read_round(record: bytes) -> _Round:
    """Raises `RecordsArchived`, and `msgspec.ValidationError` for an invalid record: a bug."""
    check_is_here(record)
    return msgspec.json.decode(record, type=_Round)


def _told(hand: HandRecord) -> dict[str, Any]:
    """Return the fields of a hand that are the same for all that see it."""
    if hand.hidden is not None:
        _log.warning("history.key_missing", hand_id=hand.hand_id, key_id=hand.hidden[0])
    return {
        "hand_id": hand.hand_id,
        "table": hand.table,
        "game": hand.game,
        "structure": hand.structure,
        "small_blind": hand.small_blind,
        "big_blind": hand.big_blind,
        "started_ms": hand.started_ms,
        "ended_ms": hand.ended_ms,
        "button": hand.button,
        "steps": [_step(event) for event in hand.events],
        "table_seats": hand.seats_max,
    }


def _own_seat(hand: HandRecord, account: int) -> int:
    seat = hand.seat_of(account)
    assert seat is not None, "the account was dealt in"
    return seat


def _stake_and_win(hand: HandRecord, account: int) -> tuple[int, int]:
    """Return what the seat put in and did not get back uncalled, and what it won of the pots."""
    own = _own_seat(hand, account)
    stake = win = 0
    for what, *fields in hand.events:
        if what == "award":
            win += sum(amount for seat, amount in fields[2] if seat == own)
        elif fields[0] != own:
            continue
        elif what == "post":
            stake += fields[2]
        elif what in ACTIONS:
            stake += fields[1]
        elif what == "uncalled":
            stake -= fields[1]
    return stake, win


def _step(event: list[Any]) -> wire.HandStep:
    match event:
        case ["post", seat, kind, amount]:
            return wire.HandStep(what="post", seat=seat, amount=amount, kind=kind)
        case ["uncalled", seat, amount]:
            return wire.HandStep(what="uncalled", seat=seat, amount=amount)
        case ["show", seat]:
            return wire.HandStep(what="shown", seat=seat)
        case ["muck", seat]:
            return wire.HandStep(what="mucked", seat=seat)
        case ["award", pot, amount, shares, *rake]:
            won = [wire.Share(seat=seat, amount=share) for seat, share in shares]
            return wire.HandStep(
                what="award", amount=amount, pot=pot, shares=won, rake=rake[0] if rake else UNSET
            )
        case [street, *cards] if street in STREETS:
            return wire.HandStep(what="street", street=cast("Any", street), cards=cards)
        case [action, seat, added, bet] if action in ACTIONS:
            return wire.HandStep(what=cast("Any", action), seat=seat, amount=added, bet=bet)
        case _:
            raise ValueError(f"no event of a record: {event[0]!r}")

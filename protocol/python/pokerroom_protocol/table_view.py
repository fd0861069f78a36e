"""The visible state of a poker table: a `Snapshot` and the next event give the next `Snapshot`.

It applies the events and no rule of poker: a client shows what the room says, of any variant.
"""

from __future__ import annotations

import re
from typing import Any, Final, assert_never

from msgspec.structs import replace

from .messages import (
    Acted,
    BountyWon,
    BreakEnded,
    BreakStarted,
    ChatSaid,
    DealAccepted,
    DealEnded,
    DealEvent,
    DealOffered,
    HandEnded,
    HandStarted,
    HandView,
    HoldemEvent,
    HoleCards,
    LevelStarted,
    LevelView,
    Mucked,
    PlayerPlaced,
    Posted,
    PotAwarded,
    PotView,
    SeatChanged,
    SeatLeft,
    SeatReleased,
    SeatReserved,
    SeatTaken,
    SeatView,
    Shown,
    Snapshot,
    StakesChanged,
    StreetDealt,
    TableNotice,
    TablePaused,
    TournamentEnded,
    TournamentEvent,
    TournamentPaused,
    TournamentPlace,
    TournamentResumed,
    Turn,
    TurnView,
    UncalledBet,
)

__all__ = ["after_event"]


_TOURNAMENT_TABLE: Final = re.compile(r"(.*\.\d+)-\d+")


def tournament_of(table: str) -> str:
    """Return the tournament of a table of a tournament, by the table's id; the id of any other table as it is."""
    found = _TOURNAMENT_TABLE.fullmatch(table)
    return table if found is None else found[1]


def after_event(table: Snapshot, event: HoldemEvent | TournamentEvent) -> Snapshot:
    """Return the table after `event`, which must be the next by `seq`."""
    if isinstance(event, TournamentEvent):
        return replace(_after_tournament_event(table, event), seq=event.seq)
    return replace(_changed(table, event), seq=event.seq)


def _after_tournament_event(table: Snapshot, event: TournamentEvent) -> Snapshot:
    match event:
        case LevelStarted():
            return _with_level(table, event.level)
        case BreakStarted():
            return _with_tournament(table, break_until_ms=event.until_ms)
        case BreakEnded():
            return _with_level(table, event.level, break_until_ms=None)
        case TournamentPaused():
            return _with_standing_level(_with_tournament(table, paused=True, break_until_ms=None))
        case TournamentResumed():
            return _with_level(table, event.level, paused=False, break_until_ms=event.break_until_ms)
        case PlayerPlaced():
            return _placed(table, event)
        case BountyWon():
            return table
        case DealOffered() | DealAccepted() | DealEnded():
            return _after_deal_event(table, event)
        case TournamentEnded():
            return _with_tournament(table, phase=event.phase)
        case _:
            assert_never(event)


def _after_deal_event(table: Snapshot, event: DealEvent) -> Snapshot:
    match event:
        case DealOffered():
            return _with_standing_level(_with_tournament(table, deal=event.deal))
        case DealAccepted():
            return _with_accepted(table, event.seat)
        case DealEnded():
            return _with_level(table, event.level, deal=event.agreed)
        case _:
            assert_never(event)


def _with_accepted(table: Snapshot, seat: int) -> Snapshot:
    deal = None if table.tournament is None else table.tournament.deal
    if deal is None:
        return table
    shares = [replace(share, accepted=share.accepted or share.seat == seat) for share in deal.shares]
    return _with_tournament(table, deal=replace(deal, shares=shares))


def _with_standing_level(table: Snapshot) -> Snapshot:
    if table.tournament is None:
        return table
    return _with_tournament(table, level=replace(table.tournament.level, ends_ms=None))


def _with_tournament(table: Snapshot, **changes: Any) -> Snapshot:
    if table.tournament is None:
        return table
    return replace(table, tournament=replace(table.tournament, **changes))


def _with_level(table: Snapshot, level: LevelView, **changes: Any) -> Snapshot:
    info = replace(
        table.info,
        small_blind=level.small_blind,
        big_blind=level.big_blind,
        small_bet=level.small_bet,
        big_bet=level.big_bet,
        ante=level.ante,
        big_blind_ante=level.big_blind_ante,
    )
    return _with_tournament(replace(table, info=info), level=level, **changes)


def _placed(table: Snapshot, event: PlayerPlaced) -> Snapshot:
    """Empty the seat of the player, and add the place."""
    if event.seat is not None:
        table = _without_seat(table, event.seat)
    place = TournamentPlace(number=event.number, place=event.place, name=event.name, prize=event.prize)
    places = [] if table.tournament is None else table.tournament.places
    others = [other for other in places if other.number != event.number]
    places = sorted([*others, place], key=lambda one: one.number)
    return _with_tournament(table, places=places)


def _changed(table: Snapshot, event: HoldemEvent) -> Snapshot:  # noqa: C901, PLR0912 - one case per event
    match event:
        case SeatTaken():
            seat = SeatView(
                seat=event.seat,
                name=event.name,
                stack=event.stack,
                status=event.status,
                connected=True,
                bot=event.bot,
            )
            others = [other for other in table.seats if other.seat != event.seat]
            reserved = [number for number in table.reserved if number != event.seat]
            return replace(
                table, seats=sorted([*others, seat], key=lambda view: view.seat), reserved=reserved
            )
        case SeatChanged():
            return _with_seat(
                table,
                event.seat,
                stack=event.stack,
                status=event.status,
                connected=event.connected,
                gone_since_ms=event.gone_since_ms,
                waiting_top_up=event.waiting_top_up,
            )
        case SeatLeft():
            return _without_seat(table, event.seat)
        case SeatReserved():
            return replace(table, reserved=sorted({*table.reserved, event.seat}))
        case SeatReleased():
            return replace(table, reserved=[number for number in table.reserved if number != event.seat])
        case HandStarted():
            return _hand_started(table, event)
        case Posted():
            return _posted(table, event)
        case HoleCards():
            return table if event.cards is None else _with_seat(table, table.your_seat, cards=event.cards)
        case Turn():
            return _with_hand(table, turn=_turn_view(event))
        case Acted():
            table = _with_hand(table, turn=None)
            changes: dict[str, Any] = {"bet": event.bet, "stack": event.stack, "all_in": event.all_in}
            if event.action == "fold":
                changes |= {"in_hand": False}
                table = _without_claim(table, event.seat)
            return _with_seat(table, event.seat, **changes)
        case StreetDealt():
            board = [] if table.hand is None else [*table.hand.board, *event.cards]
            table = _with_hand(table, street=event.street, board=board, pots=event.pots, turn=None)
            return replace(table, seats=[replace(seat, bet=0) for seat in table.seats])
        case UncalledBet():
            bets = [seat.bet for seat in table.seats if seat.seat == event.seat]
            rest = max(0, sum(bets) - event.amount)
            return _with_seat(table, event.seat, bet=rest, stack=event.stack)
        case Shown():
            return _with_seat(table, event.seat, cards=event.cards)
        case PotAwarded():
            return _pot_awarded(table, event)
        case HandEnded():
            return _hand_ended(table, event)
        case TablePaused():
            return replace(table, paused=event.paused)
        case StakesChanged():
            return _with_stakes(table, event)
        case Mucked() | ChatSaid() | TableNotice():
            return table
        case _:
            assert_never(event)


def _with_stakes(table: Snapshot, event: StakesChanged) -> Snapshot:
    info = replace(
        table.info,
        small_blind=event.small_blind,
        big_blind=event.big_blind,
        small_bet=event.small_bet,
        big_bet=event.big_bet,
        min_buy_in=event.min_buy_in,
        max_buy_in=event.max_buy_in,
        straddle=event.straddle,
    )
    return replace(table, info=info)


def _without_seat(table: Snapshot, number: int) -> Snapshot:
    seats = [seat for seat in table.seats if seat.seat != number]
    if table.your_seat != number:
        return replace(table, seats=seats)
    return replace(table, seats=seats, your_seat=None, your_options=None, your_pre_act=None)


def _with_seat(table: Snapshot, number: int | None, **changes: Any) -> Snapshot:
    seats = [replace(seat, **changes) if seat.seat == number else seat for seat in table.seats]
    return replace(table, seats=seats)


def _with_hand(table: Snapshot, **changes: Any) -> Snapshot:
    return table if table.hand is None else replace(table, hand=replace(table.hand, **changes))


def _without_claim(table: Snapshot, number: int) -> Snapshot:
    pots = [] if table.hand is None else table.hand.pots
    left = [replace(pot, seats=[seat for seat in pot.seats if seat != number]) for pot in pots]
    return _with_hand(table, pots=left)


def _turn_view(event: Turn) -> TurnView:
    return TurnView(
        seat=event.seat,
        seq=event.seq,
        check=event.check,
        call_amount=event.call_amount,
        min_raise_to=event.min_raise_to,
        max_raise_to=event.max_raise_to,
        countdown_ms=event.countdown_ms,
        deadline_ms=event.deadline_ms,
        time_bank_ms=event.time_bank_ms,
        in_time_bank=event.in_time_bank,
        on_timeout=event.on_timeout,
    )


def _hand_started(table: Snapshot, event: HandStarted) -> Snapshot:
    dealt_in = {seat.seat: seat.stack for seat in event.seats}
    seats = [
        replace(
            seat,
            stack=dealt_in.get(seat.seat, seat.stack),
            status="playing" if seat.seat in dealt_in and seat.status != "away" else seat.status,
            in_hand=seat.seat in dealt_in,
            bet=0,
            all_in=False,
            cards=None,
        )
        for seat in table.seats
    ]
    hand = HandView(
        hand_id=event.hand_id,
        street="preflop",
        board=[],
        pots=[],
        button=event.button,
        small_blind=event.small_blind,
        big_blind=event.big_blind,
        turn=None,
    )
    return replace(table, seats=seats, hand=hand)


def _posted(table: Snapshot, event: Posted) -> Snapshot:
    bet = sum(seat.bet for seat in table.seats if seat.seat == event.seat)
    if event.kind not in {"ante", "big_blind_ante", "dead_post"}:
        bet += event.amount
    elif table.hand is not None:
        dead = sum(pot.amount for pot in table.hand.pots) + event.amount
        players = [seat.seat for seat in table.seats if seat.in_hand]
        table = _with_hand(table, pots=[PotView(amount=dead, seats=players)])
    return _with_seat(table, event.seat, bet=bet, stack=event.stack, all_in=event.all_in)


def _pot_awarded(table: Snapshot, event: PotAwarded) -> Snapshot:
    # The awarded pots include the bets of the last street, for which there is no event.
    shares = {share.seat: share.amount for share in event.shares}
    seats = [replace(seat, bet=0, stack=seat.stack + shares.get(seat.seat, 0)) for seat in table.seats]
    pots = [] if table.hand is None else table.hand.pots
    left = [replace(pot, amount=0) if number == event.pot else pot for number, pot in enumerate(pots)]
    return _with_hand(replace(table, seats=seats), pots=left, turn=None)


def _hand_ended(table: Snapshot, event: HandEnded) -> Snapshot:
    stacks = {seat.seat: seat.stack for seat in event.stacks}
    seats = [
        replace(
            seat,
            stack=stacks.get(seat.seat, seat.stack),
            in_hand=False,
            bet=0,
            all_in=False,
            cards=None,
        )
        for seat in table.seats
    ]
    table = replace(table, seats=seats, hand=None, your_pre_act=None)
    left = None if table.tournament is None else table.tournament.level.hands_left
    if table.tournament is None or left is None or event.void:
        return table
    return _with_tournament(table, level=replace(table.tournament.level, hands_left=max(0, left - 1)))

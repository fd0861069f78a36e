"""The views of a hand by audience: the one place where hidden cards are removed.

Every viewer of a table gets every event under the same number. Only the cards differ: a seat sees its own hole cards,
and all viewers see what the rules show. This module makes messages; it sends none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import UNSET, structs

from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker.play import HandPlay
from pokerroom.poker.seats import Seat, Seats, SeatState
from pokerroom.rules import events as rules_events
from pokerroom.rules.cards import card_text
from pokerroom.rules.hand import LegalActions, PlayerStatus
from pokerroom.rules.ranking import category
from pokerroom.table.deadline import Deadline
from pokerroom.table.house_bots import is_house_bot
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Broadcast, public
from pokerroom_protocol import messages as wire


def hand_started(play: HandPlay, seq: int) -> Broadcast:
    """Return the announcement of the deal: positions and stacks before any post."""
    positions = play.positions
    return public(
        wire.HandStarted(
            table=play.settings.table,
            seq=seq,
            hand_id=play.hand_id,
            button=positions.button,
            small_blind=positions.small_blind,
            big_blind=positions.big_blind,
            seats=_hand_seats(play, play.stacks_at_start),
        )
    )


def hole_cards(play: HandPlay, seq: int) -> Broadcast:
    """Return each seat's own hole cards; all other viewers get the event without cards."""
    table, hand_id = play.settings.table, play.hand_id
    private = {
        seat.account: Outgoing(
            wire.HoleCards(table=table, seq=seq, hand_id=hand_id, cards=_own_cards(play, seat.number))
        )
        for seat in play.seats
    }
    hidden = Outgoing(wire.HoleCards(table=table, seq=seq, hand_id=hand_id))
    return Broadcast(seq=seq, public=hidden, private=private)


def turn(
    play: HandPlay, legal: LegalActions, deadline: Deadline, seq: int, on_timeout: wire.TimeoutAction
) -> Broadcast:
    """Return the turn event. The legal actions follow from public facts, so all viewers may see them.

    What the clock will do depends on the account's allowance, so only the player to act sees it.
    """
    seat = play.seats[legal.player]
    shown = wire.Turn(
        table=play.settings.table,
        seq=seq,
        hand_id=play.hand_id,
        seat=seat.number,
        check=legal.check,
        call_amount=legal.call_amount,
        min_raise_to=legal.min_raise_to,
        max_raise_to=legal.max_raise_to,
        countdown_ms=deadline.countdown_ms,
        deadline_ms=deadline.deadline_ms,
        time_bank_ms=deadline.time_bank_ms,
        in_time_bank=deadline.in_time_bank,
    )
    own = Outgoing(structs.replace(shown, on_timeout=on_timeout))
    return Broadcast(seq=seq, public=Outgoing(shown), private={seat.account: own})


def turn_view(
    play: HandPlay,
    legal: LegalActions,
    deadline: Deadline,
    seq: int,
    on_timeout: wire.TimeoutAction | None,
) -> wire.TurnView:
    """Return the turn for a snapshot; `seq` is that of the turn event that asked last.

    `on_timeout` is None unless the snapshot is for the player to act.
    """
    return wire.TurnView(
        on_timeout=on_timeout,
        seat=play.seats[legal.player].number,
        seq=seq,
        check=legal.check,
        call_amount=legal.call_amount,
        min_raise_to=legal.min_raise_to,
        max_raise_to=legal.max_raise_to,
        countdown_ms=deadline.countdown_ms,
        deadline_ms=deadline.deadline_ms,
        time_bank_ms=deadline.time_bank_ms,
        in_time_bank=deadline.in_time_bank,
    )


def hand_ended(play: HandPlay, seq: int, *, void: bool = False) -> Broadcast:
    """Return the final stacks, which the ledger has by now."""
    stacks = play.stacks_at_start if void else tuple(play.state.stacks)
    return public(
        wire.HandEnded(
            table=play.settings.table,
            seq=seq,
            hand_id=play.hand_id,
            stacks=_hand_seats(play, stacks),
            void=void,
        )
    )


def step(play: HandPlay, event: rules_events.Event, seq: int, *, by_clock: bool = False) -> Broadcast:
    """Return one event of the rules, as all viewers may see it."""
    table, hand_id = play.settings.table, play.hand_id
    seats = play.seats
    match event:
        case rules_events.PlayerActed():
            message: wire.Event = wire.Acted(
                table=table,
                seq=seq,
                hand_id=hand_id,
                seat=seats[event.player].number,
                action=event.action._value_,  # `value` is five times slower
                added=event.added,
                bet=event.bet,
                stack=event.stack,
                all_in=event.all_in,
                by_clock=by_clock,
            )
        case rules_events.PlayerPosted():
            message = wire.Posted(
                table=table,
                seq=seq,
                seat=seats[event.player].number,
                kind=event.kind.value,
                amount=event.amount,
                stack=event.stack,
                all_in=event.all_in,
            )
        case rules_events.StreetOpened():
            message = wire.StreetDealt(
                table=table,
                seq=seq,
                hand_id=hand_id,
                street=event.street.value,
                cards=[card_text(card) for card in event.cards],
                pots=_pots(play, event.pots),
            )
        case rules_events.UncalledBetReturned():
            message = wire.UncalledBet(
                table=table,
                seq=seq,
                hand_id=hand_id,
                seat=seats[event.player].number,
                amount=event.amount,
                stack=event.stack,
            )
        case rules_events.HandShown():
            message = wire.Shown(
                table=table,
                seq=seq,
                hand_id=hand_id,
                seat=seats[event.player].number,
                cards=[card_text(card) for card in event.cards],
                rank=None if event.rank is None else category(event.rank).name,
            )
        case rules_events.HandMucked():
            message = wire.Mucked(table=table, seq=seq, hand_id=hand_id, seat=seats[event.player].number)
        case rules_events.PotWon():
            message = wire.PotAwarded(
                table=table,
                seq=seq,
                hand_id=hand_id,
                pot=event.pot,
                amount=event.amount,
                shares=[
                    wire.Share(seat=seats[player].number, amount=amount) for player, amount in event.shares
                ],
                rake=event.rake or UNSET,
            )
        case rules_events.HandFinished():
            return hand_ended(play, seq)
    return public(message)


def snapshot(
    *,
    settings: TableSettings,
    seats: Seats,
    seq: int,
    play: HandPlay | None,
    turn_view: wire.TurnView | None,
    shown: Iterable[int],
    account: int | None,
    re: int | None,
    reserved: Sequence[int] = (),
    pre_act: wire.PreActView | None = None,
    waiting: int = 0,
    closing: bool = False,
    tournament: wire.TournamentView | None = None,
    paused: bool = False,
) -> wire.Snapshot:
    """Return the whole table as one viewer may see it. `account` None is a viewer without a seat.

    `shown` are the seats with open hands, `reserved` the free seats that are held for an account, `pre_act`
    the decision that `account` has made in advance, `waiting` how many accounts are before a newcomer, `tournament` the
    tournament played here, if any.
    """
    booked = [seat for seat in seats if seat.state is not SeatState.RESERVED]
    own = next((seat for seat in booked if seat.account == account), None)
    visible = set(shown) if own is None else {*shown, own.number}
    taken = [_seat_view(seat, play, seat.number in visible) for seat in booked]
    players = sum(view.connected and view.status in {"playing", "waiting"} for view in taken)
    return wire.Snapshot(
        table=settings.table,
        seq=seq,
        info=settings.info(len(taken), players, waiting=waiting, closing=closing),
        seats=taken,
        hand=None if play is None else _hand_view(play, turn_view),
        your_seat=None if own is None else own.number,
        re=re,
        reserved=sorted(reserved),
        your_options=None if own is None else _options_view(own),
        your_pre_act=None if own is None else pre_act,
        tournament=tournament,
        paused=paused,
    )


def _options_view(seat: Seat) -> wire.SeatOptionsView:
    return wire.SeatOptionsView(
        auto_top_up_to=seat.auto_top_up_to,
        straddle=seat.straddles,
        muck_losing=seat.muck_losing,
        sits_out_next_big_blind=seat.sits_out_next_big_blind,
    )


def _seat_view(seat: Seat, play: HandPlay | None, visible: bool) -> wire.SeatView:
    view = wire.SeatView(
        seat=seat.number,
        name=seat.name,
        stack=seat.stack,
        status=seat.status(),
        connected=seat.connected,
        gone_since_ms=seat.gone_since_ms,
        bot=is_house_bot(seat.name),
        waiting_top_up=seat.topped_up,
    )
    player = None if play is None else play.player_of.get(seat.number)
    if play is None or player is None:
        return view
    state = play.state
    return structs.replace(
        view,
        stack=state.stacks[player],
        in_hand=state.statuses[player] is not PlayerStatus.folded,
        bet=state.bets[player],
        all_in=state.statuses[player] in {PlayerStatus.all_in, PlayerStatus.clock_all_in},
        cards=_own_cards(play, seat.number) if visible else None,
    )


def _hand_view(play: HandPlay, turn_view: wire.TurnView | None) -> wire.HandView:
    positions = play.positions
    return wire.HandView(
        hand_id=play.hand_id,
        street=play.state.street.value,
        board=[card_text(card) for card in play.state.board],
        pots=_pots(play, play.state.pots()),
        button=positions.button,
        small_blind=positions.small_blind,
        big_blind=positions.big_blind,
        turn=turn_view,
    )


def _pots(play: HandPlay, pots: Iterable[tuple[int, tuple[int, ...]]]) -> list[wire.PotView]:
    return [
        wire.PotView(amount=amount, seats=sorted(play.seats[player].number for player in eligible))
        for amount, eligible in pots
    ]


def _own_cards(play: HandPlay, seat_number: int) -> list[str]:
    holes = play.state.setup.players[play.player_of[seat_number]].holes
    return [card_text(card) for card in holes]


def _hand_seats(play: HandPlay, stacks: tuple[int, ...]) -> list[wire.HandSeat]:
    return [
        wire.HandSeat(seat=seat.number, name=seat.name, stack=stack)
        for seat, stack in zip(play.seats, stacks, strict=True)
    ]

"""What people do at tables: how they decide, when they sit down, leave, rest, chat and look around.

Everything follows from what the protocol's session knows and from the person's own stream. It plays badly on purpose,
so that a hand sees every street, every size of raise and the occasional all-in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pokerroom.simulation import blunders
from pokerroom.simulation.scenario import WALLET, Manner
from pokerroom.simulation.streams import Stream
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

if TYPE_CHECKING:  # people have habits
    from pokerroom.simulation.person import Person


def decision(draw: Stream, table: str, hand_id: str, turn: wire.TurnView) -> wire.Act:
    """A legal answer to a turn."""
    roll = draw.random()
    action, amount = "check" if turn.check else "call", None
    if not turn.check and roll < 0.3:
        action = "fold"
    elif turn.min_raise_to is not None and turn.max_raise_to is not None and roll > 0.78:
        action, high = "raise", turn.max_raise_to
        low = min(turn.min_raise_to, high)
        size = draw.random()
        amount = high if size < 0.15 else low if size < 0.6 else draw.randint(low, min(high, 4 * low))
    return wire.Act(id=0, table=table, hand_id=hand_id, seq=turn.seq, action=action, amount=amount)  # type: ignore[arg-type] # one of the actions above


def own_seat(snapshot: wire.Snapshot) -> wire.SeatView | None:
    """His seat at a table, as he knows."""
    if snapshot.your_seat is None:
        return None
    return next((seat for seat in snapshot.seats if seat.seat == snapshot.your_seat), None)


def tend(person: Person, table: str) -> None:
    """Looks after his seat: takes one, sits in again, buys more chips."""
    snapshot = person.session.tables.get(table)
    if snapshot is None or person.resting.get(table, 0) > person.world.clock.elapsed_s():
        return
    seat = own_seat(snapshot)
    if seat is not None:
        person.had[table] = seat.stack
    if seat is None:
        if table in person.plan.wanted and snapshot.your_seat is None:
            _take_a_seat(person, snapshot)
    elif seat.stack == 0 and not seat.in_hand and seat.status != "leaving":
        blunders.without_chips(person, table)
        _buy_more(person, snapshot, seat)
    elif seat.status == "sitting_out":
        person.wish(wire.SitIn(id=0, table=table, post=person.stream.random() < 0.6))


def _take_a_seat(person: Person, snapshot: wire.Snapshot) -> None:
    info, draw = snapshot.info, person.stream
    if person.waits & {(info.table, kind) for kind in (wire.SitDown, wire.ReserveSeat, wire.JoinWaitlist)}:
        return
    holder = Manner.HOLDER in person.plan.manners
    if len(snapshot.seats) + len(snapshot.reserved) >= info.seats and draw.random() < 0.9:
        person.wish(wire.JoinWaitlist(id=0, table=info.table, any_table=draw.random() < 0.3))
    elif draw.random() < (0.9 if holder else 0.15):
        person.wish(wire.ReserveSeat(id=0, table=info.table))
    else:
        _sit_down(person, snapshot)


def _sit_down(person: Person, snapshot: wire.Snapshot) -> None:
    info, draw = snapshot.info, person.stream
    buy_in = info.max_buy_in if draw.random() < 0.5 else draw.randint(info.min_buy_in, info.max_buy_in)
    buy_in = max(buy_in, person.floor.pop(info.table, 0))
    if person.balance is not None and person.balance < buy_in and draw.random() < 0.8:
        if person.balance < info.min_buy_in:
            _stay_away(person, info.table)
            return
        buy_in = person.balance
    taken = {seat.seat for seat in snapshot.seats}
    free = [number for number in range(1, info.seats + 1) if number not in taken]
    seat = draw.choice(free) if free and draw.random() < 0.2 else None
    person.wish(wire.SitDown(id=0, table=info.table, buy_in=buy_in, seat=seat, post=draw.random() < 0.6))


def _buy_more(person: Person, snapshot: wire.Snapshot, seat: wire.SeatView) -> None:
    info, draw = snapshot.info, person.stream
    if draw.random() < 0.1:
        _leave(person, info.table)
        return
    most = info.max_buy_in - seat.stack
    if most <= 0:
        return
    amount = max(1, most // draw.choice([1, 1, 2]))
    if person.balance is not None and person.balance < amount and draw.random() < 0.8:
        amount = person.balance
    if amount > 0:
        person.wish(wire.TopUp(id=0, table=info.table, amount=amount))
    elif seat.stack == 0:
        _stay_away(person, info.table)


def _stay_away(person: Person, table: str) -> None:
    """He is broke: until somebody has paid him, or he has won elsewhere."""
    snapshot = person.session.tables.get(table)
    if snapshot is not None and snapshot.your_seat is not None:
        person.wish(wire.StandUp(id=0, table=table))
    person.ask(wire.GetAccount(id=0))
    person.resting[table] = person.world.clock.elapsed_s() + person.stream.uniform(60, 300)


def _leave(person: Person, table: str) -> None:
    person.resting[table] = person.world.clock.elapsed_s() + person.stream.uniform(5, 60)
    person.wish(wire.StandUp(id=0, table=table))


def _rest(person: Person, table: str) -> None:
    person.resting[table] = person.world.clock.elapsed_s() + person.stream.uniform(2, 60)
    when = "next_big_blind" if person.stream.random() < 0.3 else "now"
    person.wish(wire.SitOut(id=0, table=table, when=when))  # type: ignore[arg-type] # one of the two


def after_hand(person: Person, table: str) -> None:
    """Between hands."""
    snapshot = person.session.tables[table]
    seat = own_seat(snapshot)
    if seat is None or person.world.dice.quiet:
        return
    person.had[table] = seat.stack
    if seat.stack == 0:
        tend(person, table)
    elif person.stream.random() < 0.03:
        whim_at(person, snapshot)


def look_around(person: Person) -> None:
    """From time to time: his seats, the tables where he wants one and does not look, and what he has."""
    if person.balance is not None and person.balance < WALLET // 2 and person.stream.random() < 0.2:
        person.ask(wire.GetAccount(id=0))
    for table in person.session.tables:
        tend(person, table)
    for table in person.plan.wanted:
        if table not in person.session.tables and person.stream.random() < 0.15:
            person.wish(wire.Observe(id=0, table=table))


def answered(person: Person, request: wire.ClientMessage, answer: wire.ServerMessage) -> None:
    """The room has done what he asked."""
    match answer:
        case wire.Waitlisted():  # most people do not look on meanwhile
            if person.stream.random() < 0.8:
                person.wish(wire.Unobserve(id=0, table=answer.table))
        case wire.Reserved():
            _later(person, _held, answer.table)
        case wire.Account():
            person.balance = answer.balance
        case wire.Ok() if isinstance(request, wire.ReleaseSeat):
            if Manner.HOLDER in person.plan.manners:
                _later(person, _hold_again, request.table)
        case wire.Ok() if isinstance(request, wire.TopUp):
            _is_poorer(person, request.amount)
        case wire.Snapshot() if isinstance(request, wire.SitDown):
            _is_poorer(person, request.buy_in)
        case _:
            pass


def _later(person: Person, then: Callable[[Person, str], None], table: str) -> None:
    person.world.clock.callLater(person.stream.uniform(0.2, 2.5), then, person, table)


def _is_poorer(person: Person, amount: int) -> None:
    if person.balance is not None:
        person.balance = max(0, person.balance - amount)


def _held(person: Person, table: str) -> None:
    """A seat is held for him, and he has thought about it: he buys in, there or in another seat, or does not."""
    snapshot, roll = person.session.tables.get(table), person.stream.random()
    if snapshot is None or snapshot.your_seat is not None or not person.resumed:
        return
    if Manner.HOLDER in person.plan.manners and not person.world.dice.quiet:
        if roll < 0.7:
            person.wish(wire.ReleaseSeat(id=0, table=table))
    elif roll < 0.8:
        _sit_down(person, snapshot)


def _hold_again(person: Person, table: str) -> None:
    snapshot = person.session.tables.get(table)
    if snapshot is not None and snapshot.your_seat is None and not person.world.dice.quiet:
        person.wish(wire.ReserveSeat(id=0, table=table))


def offered(person: Person, offer: wire.SeatOffered) -> None:
    """A seat is held for him."""
    snapshot = person.session.tables.get(offer.table)
    if snapshot is None:
        person.wish(wire.Observe(id=0, table=offer.table))
    elif person.stream.random() < 0.8:
        _sit_down(person, snapshot)


def refused(person: Person, request: wire.ClientMessage, code: Code) -> None:
    """The room has refused something."""
    if isinstance(request, wire.Act):
        person.world.clock.callLater(1.0, person.consider, request.table)
    elif isinstance(request, wire.SitDown | wire.ReserveSeat) and code in {
        Code.TABLE_FULL,
        Code.WAITING_LIST,
    }:
        person.wish(wire.JoinWaitlist(id=0, table=request.table))
    elif isinstance(request, wire.JoinWaitlist):
        person.resting[request.table] = person.world.clock.elapsed_s() + 60
    elif isinstance(request, wire.TopUp) and code is Code.BUY_IN_TOO_SMALL and request.amount:
        _stay_away(person, request.table)
    elif isinstance(request, wire.SitDown | wire.TopUp) and code is not Code.UNAVAILABLE:
        if code is Code.INSUFFICIENT_BALANCE:
            person.ask(wire.GetAccount(id=0))
        brings_back = code is Code.BRING_BACK
        person.resting[request.table] = person.world.clock.elapsed_s() + (30 if brings_back else 10)
        if brings_back and isinstance(request, wire.SitDown):
            person.floor[request.table] = max(person.had.get(request.table, 0), 2 * request.buy_in)


def whim(person: Person) -> None:
    """Something that nobody expects of him, at one of his tables or none."""
    draw, session = person.stream, person.session
    tables = sorted(session.tables)
    if tables and draw.random() < 0.8:
        whim_at(person, session.tables[draw.choice(tables)])
        return
    roll = draw.random()
    if roll < 0.4:
        person.ask(wire.ListTables(id=0))
    elif roll < 0.8:
        person.ask(wire.GetAccount(id=0))
    elif tables:
        person.wish(wire.Observe(id=0, table=draw.choice(tables)))


def whim_at(person: Person, snapshot: wire.Snapshot) -> None:  # noqa: C901 -- one branch per whim
    """Something at this table."""
    draw, table, seat = person.stream, snapshot.table, own_seat(snapshot)
    roll = draw.random()
    if roll < 0.35:
        person.ask(wire.GetSnapshot(id=0, table=table))
    elif roll < 0.5:
        person.ask(wire.Chat(id=0, table=table, text=draw.choice(["nice hand", "hello", "well played"])))
    elif seat is None:
        if table not in person.plan.wanted and roll < 0.6:
            person.wish(wire.Unobserve(id=0, table=table))
        elif roll < 0.7:
            person.wish(wire.LeaveWaitlist(id=0, table=table, any_table=draw.random() < 0.3))
        elif roll < 0.75:
            person.wish(wire.ReleaseSeat(id=0, table=table))
    elif roll < 0.58:
        _rest(person, table)
    elif roll < 0.66:
        _leave(person, table)
    elif roll < 0.78:
        _buy_more(person, snapshot, seat)
    elif roll < 0.86:
        _choose(person, snapshot)
    elif seat.in_hand:
        _decide_ahead(person, snapshot, seat)


def _choose(person: Person, snapshot: wire.Snapshot) -> None:
    info, draw = snapshot.info, person.stream
    person.wish(
        wire.SeatOptions(
            id=0,
            table=info.table,
            auto_top_up_to=draw.choice([None, 0, info.min_buy_in, info.max_buy_in]),
            straddle=None if not info.straddle else draw.random() < 0.7,
            muck_losing=draw.choice([None, True, False]),
        )
    )


def _decide_ahead(person: Person, snapshot: wire.Snapshot, seat: wire.SeatView) -> None:
    hand, draw = snapshot.hand, person.stream
    if hand is None or hand.turn is None or hand.turn.seat == seat.seat:
        return
    if draw.random() < 0.15:
        person.wish(wire.CancelPreAct(id=0, table=snapshot.table))
        return
    action = draw.choice(["fold_to_any_bet", "check_fold", "call"])
    price = min(max(other.bet for other in snapshot.seats) - seat.bet, seat.stack)
    person.wish(
        wire.PreAct(
            id=0,
            table=snapshot.table,
            hand_id=hand.hand_id,
            action=action,  # type: ignore[arg-type] # one of the three
            call_amount=None if action == "fold_to_any_bet" else price,
        )
    )

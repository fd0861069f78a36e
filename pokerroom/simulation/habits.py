"""What people do at tables: how they decide, when they sit down, leave, rest, chat and look around.

Everything follows from what the protocol's session knows and from the client's own stream. It plays badly on purpose,
so that a hand sees every street, every size of raise and the occasional all-in.
"""

from __future__ import annotations

from collections.abc import Callable

from pokerroom.simulation import blunders
from pokerroom.simulation.acting_client import ActingClient
from pokerroom.simulation.scenario import WALLET, ClientHabit
from pokerroom.simulation.streams import Stream
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code


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
    """The client's seat at a table, as the session knows it."""
    if snapshot.your_seat is None:
        return None
    return next((seat for seat in snapshot.seats if seat.seat == snapshot.your_seat), None)


def tend(client: ActingClient, table: str) -> None:
    """Look after the seat: take one, sit in again, buy more chips."""
    snapshot = client.session.tables.get(table)
    if snapshot is None or client.resting.get(table, 0) > client.world.clock.elapsed_s():
        return
    seat = own_seat(snapshot)
    if seat is not None:
        client.had[table] = seat.stack
    if seat is None:
        if table in client.plan.wanted and snapshot.your_seat is None:
            _take_a_seat(client, snapshot)
    elif seat.stack == 0 and not seat.in_hand and seat.status != "leaving":
        blunders.without_chips(client, table)
        _buy_more(client, snapshot, seat)
    elif seat.status == "sitting_out":
        client.wish(wire.SitIn(id=0, table=table, post=client.stream.random() < 0.6))


def _take_a_seat(client: ActingClient, snapshot: wire.Snapshot) -> None:
    info, draw = snapshot.info, client.stream
    if client.waits & {(info.table, kind) for kind in (wire.SitDown, wire.ReserveSeat, wire.JoinWaitlist)}:
        return
    holder = ClientHabit.HOLDER in client.plan.habits
    if len(snapshot.seats) + len(snapshot.reserved) >= info.seats and draw.random() < 0.9:
        client.wish(wire.JoinWaitlist(id=0, table=info.table, any_table=draw.random() < 0.3))
    elif draw.random() < (0.9 if holder else 0.15):
        client.wish(wire.ReserveSeat(id=0, table=info.table))
    else:
        _sit_down(client, snapshot)


def _sit_down(client: ActingClient, snapshot: wire.Snapshot) -> None:
    info, draw = snapshot.info, client.stream
    buy_in = info.max_buy_in if draw.random() < 0.5 else draw.randint(info.min_buy_in, info.max_buy_in)
    buy_in = max(buy_in, client.floor.pop(info.table, 0))
    if client.balance is not None and client.balance < buy_in and draw.random() < 0.8:
        if client.balance < info.min_buy_in:
            _stay_away(client, info.table)
            return
        buy_in = client.balance
    taken = {seat.seat for seat in snapshot.seats}
    free = [number for number in range(1, info.seats + 1) if number not in taken]
    seat = draw.choice(free) if free and draw.random() < 0.2 else None
    client.wish(wire.SitDown(id=0, table=info.table, buy_in=buy_in, seat=seat, post=draw.random() < 0.6))


def _buy_more(client: ActingClient, snapshot: wire.Snapshot, seat: wire.SeatView) -> None:
    info, draw = snapshot.info, client.stream
    if draw.random() < 0.1:
        _leave(client, info.table)
        return
    most = info.max_buy_in - seat.stack
    if most <= 0:
        return
    amount = max(1, most // draw.choice([1, 1, 2]))
    if client.balance is not None and client.balance < amount and draw.random() < 0.8:
        amount = client.balance
    if amount > 0:
        client.wish(wire.TopUp(id=0, table=info.table, amount=amount))
    elif seat.stack == 0:
        _stay_away(client, info.table)


def _stay_away(client: ActingClient, table: str) -> None:
    """The client is broke: stay away until it has money again."""
    snapshot = client.session.tables.get(table)
    if snapshot is not None and snapshot.your_seat is not None:
        client.wish(wire.StandUp(id=0, table=table))
    client.ask(wire.GetAccount(id=0))
    client.resting[table] = client.world.clock.elapsed_s() + client.stream.uniform(60, 300)


def _leave(client: ActingClient, table: str) -> None:
    client.resting[table] = client.world.clock.elapsed_s() + client.stream.uniform(5, 60)
    client.wish(wire.StandUp(id=0, table=table))


def _rest(client: ActingClient, table: str) -> None:
    client.resting[table] = client.world.clock.elapsed_s() + client.stream.uniform(2, 60)
    when = "next_big_blind" if client.stream.random() < 0.3 else "now"
    client.wish(wire.SitOut(id=0, table=table, when=when))  # type: ignore[arg-type] # one of the two


def after_hand(client: ActingClient, table: str) -> None:
    """Between hands."""
    snapshot = client.session.tables[table]
    seat = own_seat(snapshot)
    if seat is None or client.world.dice.quiet:
        return
    client.had[table] = seat.stack
    if seat.stack == 0:
        tend(client, table)
    elif client.stream.random() < 0.03:
        whim_at(client, snapshot)


def look_around(client: ActingClient) -> None:
    """From time to time: look at the own seats, at tables with a wanted seat, and at the wallet."""
    if client.balance is not None and client.balance < WALLET // 2 and client.stream.random() < 0.2:
        client.ask(wire.GetAccount(id=0))
    for table in client.session.tables:
        tend(client, table)
    for table in client.plan.wanted:
        if table not in client.session.tables and client.stream.random() < 0.15:
            client.wish(wire.Observe(id=0, table=table))


def answered(client: ActingClient, request: wire.ClientMessage, answer: wire.ServerMessage) -> None:
    """The room has accepted a request."""
    match answer:
        case wire.Waitlisted():  # most people do not look on meanwhile
            if client.stream.random() < 0.8:
                client.wish(wire.Unobserve(id=0, table=answer.table))
        case wire.Reserved():
            _later(client, _held, answer.table)
        case wire.Account():
            client.balance = answer.balance
        case wire.Ok() if isinstance(request, wire.ReleaseSeat):
            if ClientHabit.HOLDER in client.plan.habits:
                _later(client, _hold_again, request.table)
        case wire.Ok() if isinstance(request, wire.TopUp):
            _is_poorer(client, request.amount)
        case wire.Snapshot() if isinstance(request, wire.SitDown):
            _is_poorer(client, request.buy_in)
            if client.stream.random() < 0.3:
                _choose(client, answer)
        case _:
            pass


def _later(client: ActingClient, then: Callable[[ActingClient, str], None], table: str) -> None:
    client.world.clock.callLater(client.stream.uniform(0.2, 2.5), then, client, table)


def _is_poorer(client: ActingClient, amount: int) -> None:
    if client.balance is not None:
        client.balance = max(0, client.balance - amount)


def _held(client: ActingClient, table: str) -> None:
    """Decide about a reserved seat: buy in there or in another seat, or let it go."""
    snapshot, roll = client.session.tables.get(table), client.stream.random()
    if snapshot is None or snapshot.your_seat is not None or not client.resumed:
        return
    if ClientHabit.HOLDER in client.plan.habits and not client.world.dice.quiet:
        if roll < 0.7:
            client.wish(wire.ReleaseSeat(id=0, table=table))
    elif roll < 0.8:
        _sit_down(client, snapshot)


def _hold_again(client: ActingClient, table: str) -> None:
    snapshot = client.session.tables.get(table)
    if snapshot is not None and snapshot.your_seat is None and not client.world.dice.quiet:
        client.wish(wire.ReserveSeat(id=0, table=table))


def offered(client: ActingClient, offer: wire.SeatOffered) -> None:
    """A seat is reserved for the client."""
    snapshot = client.session.tables.get(offer.table)
    if snapshot is None:
        client.wish(wire.Observe(id=0, table=offer.table))
    elif client.stream.random() < 0.8:
        _sit_down(client, snapshot)


def refused(client: ActingClient, request: wire.ClientMessage, code: Code) -> None:
    """The room has refused something."""
    if isinstance(request, wire.Act):
        client.world.clock.callLater(1.0, client.consider, request.table)
    elif isinstance(request, wire.SitDown | wire.ReserveSeat) and code in {
        Code.TABLE_FULL,
        Code.WAITING_LIST,
    }:
        client.wish(wire.JoinWaitlist(id=0, table=request.table))
    elif isinstance(request, wire.JoinWaitlist):
        client.resting[request.table] = client.world.clock.elapsed_s() + 60
    elif isinstance(request, wire.TopUp) and code is Code.BUY_IN_TOO_SMALL and request.amount:
        _stay_away(client, request.table)
    elif isinstance(request, wire.SitDown | wire.TopUp) and code is not Code.UNAVAILABLE:
        if code is Code.INSUFFICIENT_BALANCE:
            client.ask(wire.GetAccount(id=0))
        brings_back = code is Code.BRING_BACK
        client.resting[request.table] = client.world.clock.elapsed_s() + (30 if brings_back else 10)
        if brings_back and isinstance(request, wire.SitDown):
            client.floor[request.table] = max(client.had.get(request.table, 0), 2 * request.buy_in)


def whim(client: ActingClient) -> None:
    """Do something unexpected, at one of the client's tables or at none."""
    draw, session = client.stream, client.session
    tables = sorted(session.tables)
    if tables and draw.random() < 0.8:
        whim_at(client, session.tables[draw.choice(tables)])
        return
    roll = draw.random()
    if roll < 0.4:
        client.ask(wire.ListTables(id=0))
    elif roll < 0.8:
        client.ask(wire.GetAccount(id=0))
    elif tables:
        client.wish(wire.Observe(id=0, table=draw.choice(tables)))


def whim_at(client: ActingClient, snapshot: wire.Snapshot) -> None:  # noqa: C901 -- one branch per whim
    """Something at this table."""
    draw, table, seat = client.stream, snapshot.table, own_seat(snapshot)
    roll = draw.random()
    if roll < 0.35:
        client.ask(wire.GetSnapshot(id=0, table=table))
    elif roll < 0.5:
        client.ask(wire.Chat(id=0, table=table, text=draw.choice(["nice hand", "hello", "well played"])))
    elif seat is None:
        if table not in client.plan.wanted and roll < 0.6:
            client.wish(wire.Unobserve(id=0, table=table))
        elif roll < 0.7:
            client.wish(wire.LeaveWaitlist(id=0, table=table, any_table=draw.random() < 0.3))
        elif roll < 0.75:
            client.wish(wire.ReleaseSeat(id=0, table=table))
    elif roll < 0.58:
        _rest(client, table)
    elif roll < 0.66:
        _leave(client, table)
    elif roll < 0.78:
        _buy_more(client, snapshot, seat)
    elif roll < 0.86:
        _choose(client, snapshot)
    elif seat.in_hand:
        _decide_ahead(client, snapshot, seat)


def _choose(client: ActingClient, snapshot: wire.Snapshot) -> None:
    info, draw = snapshot.info, client.stream
    client.wish(
        wire.SeatOptions(
            id=0,
            table=info.table,
            auto_top_up_to=draw.choice([None, 0, info.min_buy_in, info.max_buy_in]),
            straddle=None if not info.straddle else draw.random() < 0.7,
            muck_losing=draw.choice([None, True, False]),
        )
    )


def decides_ahead(client: ActingClient, table: str) -> bool:
    """Decide in advance, if another player is to act in a hand of the client; return whether the client did."""
    snapshot = client.session.tables.get(table)
    seat = None if snapshot is None else own_seat(snapshot)
    if snapshot is None or seat is None or not seat.in_hand:
        return False
    _decide_ahead(client, snapshot, seat)
    return True


def _decide_ahead(client: ActingClient, snapshot: wire.Snapshot, seat: wire.SeatView) -> None:
    hand, draw = snapshot.hand, client.stream
    if hand is None or hand.turn is None or hand.turn.seat == seat.seat:
        return
    if draw.random() < 0.15:
        client.wish(wire.CancelPreAct(id=0, table=snapshot.table))
        return
    action = draw.choice(["fold_to_any_bet", "check_fold", "call"])
    price = min(max(other.bet for other in snapshot.seats) - seat.bet, seat.stack)
    client.wish(
        wire.PreAct(
            id=0,
            table=snapshot.table,
            hand_id=hand.hand_id,
            action=action,  # type: ignore[arg-type] # one of the three
            call_amount=None if action == "fold_to_any_bet" else price,
        )
    )

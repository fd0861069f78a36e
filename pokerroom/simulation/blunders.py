"""What clients send that the room has to refuse: out of place, out of turn, or too much. Knows the protocol alone.

None of it may change anything. `scenario` decides which client makes which of them, and how often.
"""

from __future__ import annotations

from typing import Literal

from pokerroom.simulation.acting_client import ActingClient
from pokerroom.simulation.faults import Dice, Fault
from pokerroom.simulation.scenario import ClientHabit
from pokerroom.simulation.streams import Stream
from pokerroom_protocol import messages as wire

NOWHERE = "nowhere"
"""There is no such table."""


def _does(client: ActingClient, habit: ClientHabit, one_in: float) -> bool:
    """Whether the client makes this mistake now; it does so once in so many times."""
    has_it = habit in client.plan.habits and not client.world.dice.quiet
    return has_it and client.stream.random() * one_in < 1


def before_hello(client: ActingClient) -> None:
    """At the very beginning of a connection."""
    if _does(client, ClientHabit.HASTY, 4):
        client.ask(wire.ListTables(id=0))
        client.ask(wire.Hello(id=0, version=wire.PROTOCOL_VERSION + 1))


def before_entering(client: ActingClient) -> None:
    """After `hello`, before the authentication."""
    if not _does(client, ClientHabit.HASTY, 4):
        return
    own = client.account
    if own.known:
        client.ask(wire.Register(id=0, name=own.name, password="another password"))  # noqa: S106 -- as wrong as can be
        client.ask(wire.LogIn(id=0, name=own.name, password="another password"))  # noqa: S106 -- as above
    client.ask(wire.Resume(id=0, token="0" * 64))
    client.ask(wire.GetAccount(id=0))


def between_decisions(client: ActingClient) -> None:
    """From time to time, whatever is going on."""
    if _does(client, ClientHabit.FLOODER, 6):
        _flood(client)
    if _does(client, ClientHabit.HASTY, 2):
        _out_of_place(client)
    if _does(client, ClientHabit.SWITCHER, 6):
        client.log_out()


def _flood(client: ActingClient) -> None:
    tables = sorted(client.session.tables) or [NOWHERE]
    for _ in range(client.plan.flood):
        table, roll = client.stream.choice(tables), client.stream.random()
        if roll < 0.02:
            client.ask(wire.GetSnapshot(id=0, table=table))
        elif roll < 0.05:
            client.ask(wire.Chat(id=0, table=table, text="and again"))
        else:
            client.ask(wire.Ping(id=0))


def _out_of_place(client: ActingClient) -> None:
    draw, session = client.stream, client.session
    own = client.account
    requests: list[wire.ClientMessage] = [
        wire.Hello(id=0, version=wire.PROTOCOL_VERSION),
        wire.Resume(id=0, token="0" * 64),
        wire.LogIn(id=0, name=own.name, password=own.password),
        wire.Register(id=0, name=own.name, password=own.password),
        wire.Observe(id=0, table=NOWHERE),
    ]
    client.ask(draw.choice(requests))
    strange = sorted({*client.plan.wanted, *client.plan.watched} - session.tables.keys())
    if strange:
        table = draw.choice(strange)
        client.ask(wire.GetSnapshot(id=0, table=table))
        client.ask(wire.ReserveSeat(id=0, table=table, seat=10))
    if session.tables:
        for request in _at_table(draw, session.tables[draw.choice(sorted(session.tables))]):
            client.ask(request)


def _at_table(draw: Stream, snapshot: wire.Snapshot) -> list[wire.ClientMessage]:
    """What cannot be at this table, or may not."""
    table, info, seated = snapshot.table, snapshot.info, snapshot.your_seat is not None
    taken = [seat.seat for seat in snapshot.seats] + snapshot.reserved
    hand_id = "0" * 16 if snapshot.hand is None else snapshot.hand.hand_id
    chair = draw.choice(taken) if taken and draw.random() < 0.6 else 10
    requests: list[list[wire.ClientMessage]] = [
        [wire.SitDown(id=0, table=table, buy_in=info.min_buy_in, seat=chair)],
        [wire.SitDown(id=0, table=table, buy_in=info.min_buy_in - 1)],
        [wire.SitDown(id=0, table=table, buy_in=10 * info.max_buy_in)],
        [wire.ReserveSeat(id=0, table=table, seat=chair)],
        [wire.ReserveSeat(id=0, table=table, seat=10)],
        [wire.ReleaseSeat(id=0, table=table)],
        [wire.TopUp(id=0, table=table, amount=draw.choice([0, 2 * info.max_buy_in]))],
        [wire.SeatOptions(id=0, table=table, auto_top_up_to=draw.choice([1, 2 * info.max_buy_in]))],
        [wire.SeatOptions(id=0, table=table, straddle=True)],
        [wire.SitIn(id=0, table=table)],
        [wire.PreAct(id=0, table=table, hand_id=hand_id, action="call", call_amount=draw.choice([0, 7]))],
        [wire.PreAct(id=0, table=table, hand_id="0" * 16, action="fold_to_any_bet")],
        [wire.Act(id=0, table=table, hand_id=hand_id, seq=snapshot.seq, action="call")],
        [wire.LeaveWaitlist(id=0, table=table)],
        [wire.JoinWaitlist(id=0, table=table)] * 2,
    ]
    if seated:
        requests += [
            [wire.Unobserve(id=0, table=table)],
            [wire.SitOut(id=0, table=table)] * 2,
            [wire.StandUp(id=0, table=table)] * 2,
            [wire.StandUp(id=0, table=table), wire.SitDown(id=0, table=table, buy_in=info.min_buy_in)],
            [wire.TopUp(id=0, table=table, amount=info.min_buy_in)] * 2,
        ]
    else:
        requests.append([wire.ReserveSeat(id=0, table=table)] * 2)
    return draw.choice(requests)


def out_of_turn(client: ActingClient, turn: wire.Turn) -> None:
    """Another player is to act, and the client answers."""
    snapshot = client.session.tables.get(turn.table)
    if (
        snapshot is None
        or snapshot.your_seat in {None, turn.seat}
        or not _does(client, ClientHabit.HASTY, 15)
    ):
        return
    table, hand_id = turn.table, turn.hand_id
    client.ask(wire.Act(id=0, table=table, hand_id=hand_id, seq=turn.seq, action="call"))
    other_price = 1 + max(seat.bet for seat in snapshot.seats)
    client.ask(wire.PreAct(id=0, table=table, hand_id=hand_id, action="call", call_amount=other_price))


def without_chips(client: ActingClient, table: str) -> None:
    """The client has lost its last chip."""
    if _does(client, ClientHabit.HASTY, 2):
        client.ask(wire.SitIn(id=0, table=table))


def into_a_bet(client: ActingClient, table: str, hand_id: str, turn: wire.TurnView) -> None:
    """The client is to act, and first sends an illegal action."""
    if not _does(client, ClientHabit.HASTY, 12):
        return
    action: Literal["check", "call"] = "call" if turn.check else "check"
    client.ask(wire.Act(id=0, table=table, hand_id=hand_id, seq=turn.seq, action=action))
    if turn.min_raise_to is None:
        client.ask(wire.Act(id=0, table=table, hand_id=hand_id, seq=turn.seq, action="raise", amount=1))
    client.ask(wire.PreAct(id=0, table=table, hand_id=hand_id, action="fold_to_any_bet"))


def stale(dice: Dice, table: str, hand_id: str, turn: wire.TurnView, *, before: wire.Act | None) -> wire.Act:
    """What the room has to refuse, or to take for a repetition of the decision `before`."""
    form = dice.one_of(Fault.STALE, "again", "stale", "hand", "much", "little", "none", "amount")
    if form == "again" and before is not None:
        return before
    amounts = {"much": (turn.max_raise_to or 0) + 1, "little": max(0, (turn.min_raise_to or 1) - 1)}
    return wire.Act(
        id=0,
        table=table,
        hand_id="0" * 16 if form == "hand" else hand_id,
        seq=max(0, turn.seq - 1) if form == "stale" else turn.seq,
        action="fold" if form == "amount" else "raise" if form in {*amounts, "none"} else "call",
        amount=5 if form == "amount" else amounts.get(form),
    )

"""What clients send that the room has to refuse: out of place, out of turn, or too much. Knows the protocol alone.

None of it may change anything. Who does it, and how often, is his manner (`scenario`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pokerroom.simulation.faults import Dice, Fault
from pokerroom.simulation.scenario import Manner
from pokerroom.simulation.streams import Stream
from pokerroom_protocol import messages as wire

if TYPE_CHECKING:  # people make blunders
    from pokerroom.simulation.person import Person

NOWHERE = "nowhere"
"""There is no such table."""


def _does(person: Person, manner: Manner, one_in: float) -> bool:
    """Whether it comes over him now, as it does once in so many times."""
    has_it = manner in person.plan.manners and not person.world.dice.quiet
    return has_it and person.stream.random() * one_in < 1


def before_hello(person: Person) -> None:
    """At the very beginning of a connection."""
    if _does(person, Manner.HASTY, 4):
        person.ask(wire.ListTables(id=0))
        person.ask(wire.Hello(id=0, version=wire.PROTOCOL_VERSION + 1))


def before_entering(person: Person) -> None:
    """After his hello: he is nobody yet."""
    if not _does(person, Manner.HASTY, 4):
        return
    own = person.account
    if own.known:
        person.ask(wire.Register(id=0, name=own.name, password="another password"))  # noqa: S106 -- as wrong as can be
        person.ask(wire.LogIn(id=0, name=own.name, password="another password"))  # noqa: S106 -- as above
    person.ask(wire.Resume(id=0, token="0" * 64))
    person.ask(wire.GetAccount(id=0))


def between_decisions(person: Person) -> None:
    """From time to time, whatever is going on."""
    if _does(person, Manner.FLOODER, 6):
        _flood(person)
    if _does(person, Manner.HASTY, 2):
        _out_of_place(person)
    if _does(person, Manner.SWITCHER, 6):
        person.log_out()


def _flood(person: Person) -> None:
    tables = sorted(person.session.tables) or [NOWHERE]
    for _ in range(person.plan.flood):
        table, roll = person.stream.choice(tables), person.stream.random()
        if roll < 0.02:
            person.ask(wire.GetSnapshot(id=0, table=table))
        elif roll < 0.05:
            person.ask(wire.Chat(id=0, table=table, text="and again"))
        else:
            person.ask(wire.Ping(id=0))


def _out_of_place(person: Person) -> None:
    draw, session = person.stream, person.session
    own = person.account
    requests: list[wire.ClientMessage] = [
        wire.Hello(id=0, version=wire.PROTOCOL_VERSION),
        wire.Resume(id=0, token="0" * 64),
        wire.LogIn(id=0, name=own.name, password=own.password),
        wire.Register(id=0, name=own.name, password=own.password),
        wire.Observe(id=0, table=NOWHERE),
    ]
    person.ask(draw.choice(requests))
    strange = sorted({*person.plan.wanted, *person.plan.watched} - session.tables.keys())
    if strange:
        table = draw.choice(strange)
        person.ask(wire.GetSnapshot(id=0, table=table))
        person.ask(wire.ReserveSeat(id=0, table=table, seat=10))
    if session.tables:
        for request in _at_table(draw, session.tables[draw.choice(sorted(session.tables))]):
            person.ask(request)


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


def out_of_turn(person: Person, turn: wire.Turn) -> None:
    """Somebody is asked, and he answers."""
    snapshot = person.session.tables.get(turn.table)
    if snapshot is None or snapshot.your_seat in {None, turn.seat} or not _does(person, Manner.HASTY, 15):
        return
    table, hand_id = turn.table, turn.hand_id
    person.ask(wire.Act(id=0, table=table, hand_id=hand_id, seq=turn.seq, action="call"))
    other_price = 1 + max(seat.bet for seat in snapshot.seats)
    person.ask(wire.PreAct(id=0, table=table, hand_id=hand_id, action="call", call_amount=other_price))


def without_chips(person: Person, table: str) -> None:
    """He has lost his last chip."""
    if _does(person, Manner.HASTY, 2):
        person.ask(wire.SitIn(id=0, table=table))


def into_a_bet(person: Person, table: str, hand_id: str, turn: wire.TurnView) -> None:
    """He is asked, and says what is not legal before he thinks better of it."""
    if not _does(person, Manner.HASTY, 12):
        return
    action: Literal["check", "call"] = "call" if turn.check else "check"
    person.ask(wire.Act(id=0, table=table, hand_id=hand_id, seq=turn.seq, action=action))
    if turn.min_raise_to is None:
        person.ask(wire.Act(id=0, table=table, hand_id=hand_id, seq=turn.seq, action="raise", amount=1))
    person.ask(wire.PreAct(id=0, table=table, hand_id=hand_id, action="fold_to_any_bet"))


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

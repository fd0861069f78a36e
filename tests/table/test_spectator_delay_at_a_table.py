"""At a table with a delay, players see the present, observers see it later, and no viewer sees a gap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from twisted.internet.defer import Deferred

from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import messages as wire
from pokerroom_protocol.table_view import after_event
from tests.effort import times
from tests.poker.support import Client, Room, now
from tests.poker.views_support import followed, seqs, table_alone

DELAY_S = 30


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room(observer_delay_s=DELAY_S)
    yield room
    room.stop()


def test_without_a_delay_there_is_no_spectator_delay():
    """An observer at a table without a delay gets the very bytes that the others get, at once."""
    room = Room()
    olga = room.client("olga")
    room.ask(olga, wire.Observe)
    room.sit(room.client("anna"), room.client("bert"))

    assert olga.all(wire.HandStarted)
    assert room.table.outbox.live_viewers() == list(room.table.outbox.viewers())
    room.stop()


def test_players_see_at_once_what_observers_see_later(room):
    """A hand is told to its players as it happens, and to an observer after the delay, chat and seats as well."""
    anna, bert, olga = (room.client(name) for name in ("anna", "bert", "olga"))
    room.ask(olga, wire.Observe)
    room.sit(anna, bert)
    room.act("call")
    room.ask(olga, wire.Chat, text="hi")

    assert bert.all(wire.Acted)
    assert bert.last(wire.ChatSaid).text == "hi"
    assert seqs(olga) == []
    told = seqs(bert)[-1]
    room.clock.advance(DELAY_S)

    assert seqs(olga) == list(range(1, told + 1))
    assert {type(event) for event in olga.all(wire.Event)} >= {
        wire.SeatTaken,
        wire.HandStarted,
        wire.ChatSaid,
    }
    assert not [event for event in olga.all(wire.HoleCards) if event.cards]


def test_an_observers_answers_are_not_delayed(room):
    """Ok, refusals and the snapshot of the past come at once, also while a result is at the ledger."""
    anna, bert, olga = (room.client(name) for name in ("anna", "bert", "olga"))
    room.sit(anna, bert)
    room.settler.hold = True
    room.act("fold")

    first = room.answer(olga, wire.Observe)
    again = room.answer(olga, wire.GetSnapshot)

    assert isinstance(first, wire.Snapshot)
    assert isinstance(again, wire.Snapshot)
    assert (first.seats, first.hand, first.your_seat) == ([], None, None)
    assert isinstance(room.answer(olga, wire.Chat, text="x"), wire.Ok)
    assert isinstance(room.answer(olga, wire.Unobserve), wire.Ok)
    room.settler.commit()


@pytest.mark.parametrize("moment", ["betting", "settling", "between hands", "frozen"])
def test_a_strangers_action_is_refused_alike_whatever_goes_on(room, moment):
    """A client without a seat learns nothing of the present from the refusal of an action."""
    anna, bert, olga = (room.client(name) for name in ("anna", "bert", "olga"))
    room.ask(olga, wire.Observe)
    room.sit(anna, bert)
    turn = room.turn()
    if moment == "settling":
        room.settler.hold = True
    if moment == "frozen":
        room.table.mailbox.post(lambda: 1 / 0)
    if moment in {"settling", "between hands"}:
        room.act("fold")

    answers = [
        room.answer(olga, wire.Act, hand_id=hand_id, seq=seq, action="call")
        for hand_id in (turn.hand_id, "other")
        for seq in (turn.seq, 1)
    ]

    assert {answer.code for answer in answers} == {"not_seated"}
    room.settler.commit()


def test_a_player_who_sits_down_sees_the_present(room):
    """With the seat comes a live snapshot; from then on the player gets every event at once, and no delayed ones."""
    anna, bert, olga = (room.client(name) for name in ("anna", "bert", "olga"))
    room.ask(olga, wire.Observe)
    room.sit(anna, bert)
    room.clock.advance(3)

    snapshot = room.answer(olga, wire.SitDown, buy_in=5_000)
    room.act("call")
    room.clock.advance(DELAY_S - 5)

    assert isinstance(snapshot, wire.Snapshot)
    assert snapshot.hand is not None
    assert snapshot.your_seat == 3
    assert followed(olga).seq == followed(bert).seq
    assert seqs(olga)[0] == snapshot.seq + 1
    assert seqs(olga) == [seq for seq in seqs(bert) if seq > snapshot.seq]


def test_a_player_who_stands_up_goes_on_without_a_gap(room):
    """The player sees their seat become free at once and later events with the delay, each exactly once."""
    anna, bert, carl = (room.client(name) for name in ("anna", "bert", "carl"))
    room.sit(anna, bert, carl)
    room.ask(carl, wire.StandUp)
    assert carl.last(wire.SeatLeft).seat == 3
    seen = seqs(carl)
    room.act("call")
    told = seqs(bert)[-1]
    room.clock.advance(10)
    assert seqs(carl) == seen

    room.clock.advance(DELAY_S - 10)

    assert followed(carl).seq == told > seen[-1]
    assert seqs(carl) == list(range(seen[0], told + 1))


def test_a_player_who_stands_up_and_asks_sees_the_past(room):
    """A requested snapshot is the observers', with everything after it."""
    anna, bert, carl = (room.client(name) for name in ("anna", "bert", "carl"))
    room.sit(anna, bert, carl)
    room.ask(carl, wire.StandUp)

    snapshot = room.answer(carl, wire.GetSnapshot)
    room.clock.advance(DELAY_S)

    assert isinstance(snapshot, wire.Snapshot)
    assert (snapshot.seq, snapshot.your_seat, snapshot.seats) == (0, None, [])
    assert seqs(carl)[-1] == followed(carl).seq


def test_a_seat_bought_for_a_connection_that_is_gone_is_shown_to_the_next(room):
    """A player who watches over another connection gets a live snapshot there, unasked, when the buy-in is booked."""
    anna = room.client("anna")
    buys: list[Any] = []
    original = room.ledger.buy_in

    def later(*args: Any) -> Any:
        done: Deferred[None] = Deferred()
        buys.append(lambda: original(*args).chainDeferred(done))
        return done

    room.ledger.buy_in = later  # type: ignore[method-assign] # the ledger answers when the test says so
    room.ask(anna, wire.SitDown, buy_in=5_000)
    anna.connected = False
    room.table.viewer_gone(anna)
    again = Client("anna", anna.account)
    room.ask(again, wire.Observe)

    buys[0]()

    assert again.last(wire.Snapshot).your_seat == 1
    assert room.table.outbox.live_viewers() == [again]
    assert now(room.ledger.seats())[0].seat == 1


def test_a_restarted_table_is_shown_to_observers_after_the_delay(room):
    """A fault and the restart are seen by players at once; observers follow to the same table, the delay later."""
    anna, bert, olga = (room.client(name) for name in ("anna", "bert", "olga"))
    room.ask(olga, wire.Observe)
    room.sit(anna, bert)
    room.act("call")
    room.table.mailbox.post(lambda: 1 / 0)
    room.clock.advance(1)
    assert room.table.state_name == "playing"
    assert [notice.state for notice in anna.all(wire.TableNotice)] == ["frozen", "running"]
    restarted = anna.last(wire.Snapshot)
    late = room.client("late")

    room.clock.advance(DELAY_S - 1.5)
    assert seqs(olga) == []
    room.clock.advance(0.5)
    assert [notice.state for notice in olga.all(wire.TableNotice)] == ["frozen"]
    room.ask(late, wire.Observe)
    room.clock.advance(1)

    for client in (olga, late):
        assert [notice.state for notice in client.all(wire.TableNotice)][-1] == "running"
        shown = client.last(wire.Snapshot)
        assert shown.re is None
        assert shown.seq == restarted.seq
        assert all(seat.cards is None for seat in shown.seats)


def test_after_a_start_of_the_room_observers_see_the_seats_after_the_delay(room):
    """What the table was before the start is not known: it is empty to observers for as long as the delay."""
    anna, bert, olga = (room.client(name) for name in ("anna", "bert", "olga"))
    room.sit(anna, bert)
    room.table.stop()
    room.table = room.open()
    room.table.restore(now(room.ledger.seats()), [], frozenset())
    room.ask(olga, wire.Observe)
    assert olga.last(wire.Snapshot).seats == []

    room.clock.advance(DELAY_S)

    assert [seat.name for seat in olga.last(wire.Snapshot).seats] == ["anna", "bert"]


class Timed(Client):
    """Notes when each event came."""

    def __init__(self, room: Room, name: str) -> None:
        super().__init__(name, room.client(name).account)
        self.at: dict[int, float] = {}
        self._clock = room.clock

    def deliver(self, outgoing: Outgoing | Bundle) -> None:
        super().deliver(outgoing)
        for part in outgoing.parts:
            if isinstance(part.message, wire.Event):
                self.at[part.message.seq] = self._clock.seconds()


@settings(max_examples=times(12), deadline=None)
@given(data=st.data(), delay_s=st.integers(1, 90))
def test_whoever_comes_when_sees_a_state_that_was_true(data, delay_s):
    """Late joiners at any moment follow to the table that a seated witness saw at that number, and see it later.

    The witness sits out, so they have no cards; what the table tells them on request is what observers see then.
    """
    room = Room(observer_delay_s=delay_s, min_buy_in=500)
    witness = Timed(room, "witness")
    observers = [Timed(room, "first")]
    room.ask(observers[0], wire.Observe)
    room.ask(witness, wire.SitDown, buy_in=1_000)
    room.ask(witness, wire.SitOut)
    players = [room.client(f"p{number}") for number in range(data.draw(st.integers(2, 5)))]
    room.sit(*players, buy_in=data.draw(st.integers(500, 3_000)))
    for step in range(data.draw(st.integers(1, 40))):
        room.ask(witness, wire.GetSnapshot)
        if room.table.state_name != "playing":
            room.clock.advance(1)
            continue
        turn = room.turn()
        choice = data.draw(st.sampled_from(["call", "call", "fold", "raise", "wait", "come"]))
        if choice == "come":
            observers.append(Timed(room, f"late{step}"))
            room.ask(observers[-1], wire.Observe)
        elif choice == "wait":
            room.clock.advance(data.draw(st.integers(1, 40)))
        elif choice == "raise" and turn.min_raise_to is not None:
            room.act("raise", data.draw(st.sampled_from([turn.min_raise_to, turn.max_raise_to])))
        elif choice == "fold":
            room.act("fold")
        else:
            room.act("check" if turn.check else "call")
        room.clock.advance(data.draw(st.sampled_from([0, 0.5, 1])))
    room.clock.advance(delay_s)

    seen = _as_seen_by(witness)
    for client in observers:
        views = [client.all(wire.Snapshot)[0], followed(client)]
        for view in views:
            assert view.seq < min(seen) or table_alone(view) == seen[view.seq]
        assert all(at >= witness.at.get(seq, 0) + delay_s for seq, at in client.at.items())
        seqs_seen = sorted(client.at)
        assert seqs_seen == list(range(views[0].seq + 1, views[1].seq + 1))
    assert observers[0].at
    room.stop()


def _as_seen_by(witness: Client) -> dict[int, wire.Snapshot]:
    """Return the table at each number, from the viewer's events; its snapshots must agree with that."""
    seen: dict[int, wire.Snapshot] = {}
    view: wire.Snapshot | None = None
    for message in witness.got:
        if isinstance(message, wire.Snapshot):
            told = table_alone(replace(message, your_seat=None, your_options=None))
            assert view is None or told == table_alone(view)
            view = told
        elif isinstance(message, wire.Event):
            assert view is not None
            view = after_event(view, message)
        if view is not None:
            seen[view.seq] = table_alone(view)
    return seen

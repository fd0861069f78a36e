"""Chat at a table: length, rate and permission to speak."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerroom.table.chat import ChatAllowance
from pokerroom_protocol import messages as wire
from tests.poker.support import Client, Room

MakeRoom = Callable[..., Room]


@pytest.fixture
def make_room() -> Iterator[MakeRoom]:
    rooms: list[Room] = []

    def make(**changes: Any) -> Room:
        rooms.append(Room(**changes))
        return rooms[-1]

    yield make
    for room in rooms:
        room.stop()


def observer(room: Room, name: str = "olga") -> Client:
    client = room.client(name)
    room.ask(client, wire.Observe)
    return client


def code(room: Room, client: Client, text: str) -> str:
    answer = room.answer(client, wire.Chat, text=text)
    return answer.code if isinstance(answer, wire.Error) else "ok"


def test_players_and_observers_are_heard_by_all_who_watch(make_room):
    """All viewers may speak, seated or not, and all viewers hear it."""
    room = make_room()
    anna, olga = room.client("anna"), observer(room)
    room.sit(anna)

    assert code(room, anna, "hello") == "ok"
    assert code(room, olga, "hi") == "ok"

    for client in (anna, olga):
        assert [(said.name, said.text) for said in client.all(wire.ChatSaid)] == [
            ("anna", "hello"),
            ("olga", "hi"),
        ]


def test_a_player_who_does_not_watch_is_not_heard(make_room):
    """A logged-in client that never observed the table cannot speak there."""
    room = make_room()
    olga = observer(room)

    assert code(room, room.client("stranger"), "psst") == "not_observing"
    assert not olga.all(wire.ChatSaid)


def test_the_table_sets_the_length(make_room):
    """A text as long as the table allows is heard, one character more is refused with a reason a person can read."""
    room = make_room(chat_length_max=5)
    olga = observer(room)

    assert code(room, olga, "12345") == "ok"
    answer = room.answer(olga, wire.Chat, text="123456")

    assert isinstance(answer, wire.Error)
    assert answer.code == "bad_message"
    assert answer.message == "At this table a message has at most 5 characters."
    assert len(olga.all(wire.ChatSaid)) == 1


def test_a_table_may_have_no_chat(make_room):
    """With a length of 0 nothing is said at the table."""
    room = make_room(chat_length_max=0)

    assert code(room, observer(room), "x") == "chat_off"


@pytest.mark.parametrize(("per_minute", "burst"), [(20, 5), (40, 10), (1, 3), (8, 3)])
def test_a_burst_and_then_the_rate(make_room, per_minute, burst):
    """A quarter of the minute's messages, at least three, may come at once; then one as each is earned."""
    room = make_room(chat_per_minute=per_minute)
    olga = observer(room)
    for _ in range(burst):
        assert code(room, olga, "x") == "ok"

    refused = room.answer(olga, wire.Chat, text="x")
    assert (refused.code, refused.retry_after_ms) == ("rate_limited", 60_000 / per_minute)
    room.clock.advance(60 / per_minute - 0.01)
    assert code(room, olga, "x") == "rate_limited"
    room.clock.advance(0.02)
    assert code(room, olga, "x") == "ok"
    assert code(room, olga, "x") == "rate_limited"
    assert len(olga.all(wire.ChatSaid)) == burst + 1


def test_the_rate_is_the_accounts_not_the_connections(make_room):
    """To reconnect gives no new burst; another account has its own."""
    room = make_room(chat_per_minute=4)
    olga = observer(room)
    for _ in range(3):
        room.ask(olga, wire.Chat, text="x")
    room.table.viewer_gone(olga)
    again = Client("olga", olga.account)
    room.ask(again, wire.Observe)

    assert code(room, again, "x") == "rate_limited"
    assert code(room, observer(room, "otto"), "x") == "ok"


def test_what_is_refused_costs_nothing(make_room):
    """A text that is too long takes nothing from the allowance."""
    room = make_room(chat_per_minute=4, chat_length_max=3)
    olga = observer(room)
    for _ in range(10):
        assert code(room, olga, "long") == "bad_message"

    assert [code(room, olga, "x") for _ in range(4)] == ["ok", "ok", "ok", "rate_limited"]


def test_buckets_are_forgotten_once_they_are_full():
    """What is kept is of those alone who have spoken a short while ago."""
    allowance = ChatAllowance(20)
    for account in range(100):
        assert allowance.take(account, 1_000)
    assert allowance.take(100, 3_000)

    allowance.forget_full(4_000)

    assert len(allowance) == 1


@given(
    per_minute=st.integers(1, 1_000),
    gaps=st.lists(st.integers(0, 20_000), max_size=80),
    forget=st.booleans(),
)
def test_no_window_has_more_than_its_rate(per_minute, gaps, forget):
    """In any span of time an account gets at most a burst and what the span has earned."""
    allowance = ChatAllowance(per_minute)
    burst = max(3, per_minute // 4)
    now, taken = 0, []
    for gap in gaps:
        now += gap
        if forget:
            allowance.forget_full(now)
        if allowance.take(1, now):
            taken.append(now)

    for first, start in enumerate(taken):
        for count, end in enumerate(taken[first:], 1):
            assert (count - burst) * 60_000 <= (end - start) * per_minute

"""The session without I/O: numbering, matching of answers, and tables that heal themselves after a gap."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pokerroom_protocol import (
    ClientSession,
    CodecError,
    Encoding,
    decode_request,
    encode,
)
from pokerroom_protocol import messages as m
from pokerroom_protocol.table_view import tournament_of

TABLE = "t1"
INFO = m.TableInfo(
    table=TABLE,
    name="Test",
    game="holdem",
    structure="no_limit",
    small_blind=50,
    big_blind=100,
    min_buy_in=2_000,
    max_buy_in=10_000,
    seats=6,
    occupied=0,
    players=0,
)


def snapshot(seq: int, re: int | None = None) -> m.Snapshot:
    return m.Snapshot(table=TABLE, seq=seq, info=INFO, seats=[], hand=None, your_seat=None, re=re)


def chat(seq: int, table: str = TABLE) -> m.ChatSaid:
    return m.ChatSaid(table=table, seq=seq, name="bob", text=str(seq))


class Room:
    """The other end: decodes what the session sends, encodes what it is to receive."""

    def __init__(self, encoding: Encoding = Encoding.MSGPACK) -> None:
        self.session = ClientSession(encoding)
        self._encoding = encoding

    def sent(self):
        return [decode_request(body, self._encoding) for body in self.session.bodies_to_send()]

    def says(self, *messages):
        return [
            happening
            for message in messages
            for happening in self.session.receive(encode(message, self._encoding))
        ]

    def observed(self, seq: int) -> None:
        number = self.session.request(m.Observe(id=0, table=TABLE))
        self.sent()
        self.says(snapshot(seq, re=number))


@pytest.mark.parametrize("encoding", Encoding)
def test_requests_are_numbered_and_answers_matched(encoding):
    """Each request gets a number of its own, and an answer finds its request in whatever order it comes."""
    room = Room(encoding)
    room.session.request(m.Ping(id=0))
    room.session.request(m.ListTables(id=0))

    ping, tables = room.sent()
    answers = room.says(
        m.Tables(re=tables.id, tables=[INFO]), m.Error(re=ping.id, code="internal", message="x")
    )

    assert ping.id != tables.id
    assert room.sent() == []
    assert [tables, ping] == [answer.request for answer in answers]
    assert isinstance(answers[1].answer, m.Error)


def test_an_answer_to_nothing_is_dropped():
    """An answer to an unknown request, or a second answer, is no happening."""
    room = Room()
    number = room.session.request(m.Ping(id=0))

    assert len(room.says(m.Pong(re=number, server_time_ms=1))) == 1
    assert room.says(m.Pong(re=number, server_time_ms=1), m.Ok(re=77)) == []


def test_events_follow_a_snapshot_once_and_in_order():
    """Events up to the snapshot's number are in it already; the next ones happen, each once."""
    room = Room()
    room.observed(5)

    happenings = room.says(chat(4), chat(5), chat(6), chat(6), chat(7))

    assert [chat(6), chat(7)] == happenings
    assert room.session.tables[TABLE].seq == 7


def test_events_of_a_table_without_snapshot_are_dropped():
    """Before the first snapshot there is nothing an event could continue."""
    room = Room()

    assert room.says(chat(1)) == []
    assert dict(room.session.tables) == {}
    assert room.sent() == []


def test_a_gap_is_healed_by_a_snapshot():
    """A missing number makes the session ask once; events wait for the snapshot, and go on behind it."""
    room = Room()
    room.observed(5)

    assert [chat(6)] == room.says(chat(6))
    assert room.says(chat(8), chat(9)) == []
    (asked,) = room.sent()
    assert isinstance(asked, m.GetSnapshot)
    assert asked.table == TABLE

    healed = snapshot(9, re=asked.id)
    assert [healed, chat(10)] == room.says(healed, chat(9), chat(10))
    assert room.session.tables[TABLE].seq == 10


def test_a_refused_snapshot_is_asked_for_again():
    """The table stays lost, and its next event causes another request."""
    room = Room()
    room.observed(5)
    room.says(chat(7))
    (first,) = room.sent()

    assert room.says(m.Error(re=first.id, code="rate_limited", message="x")) == []
    assert room.sent() == []
    assert room.says(chat(8)) == []
    (second,) = room.sent()

    assert isinstance(second, m.GetSnapshot)
    assert first.id != second.id


def test_a_snapshot_no_player_asked_for_sets_the_table_again():
    """The room may send one by itself."""
    room = Room()
    room.observed(5)

    assert [snapshot(40), chat(41)] == room.says(snapshot(40), chat(41))


def test_tables_are_numbered_apart():
    """A gap at one table is none at another."""
    room = Room()
    room.observed(5)
    room.says(replace(snapshot(90), table="t2"))

    assert [chat(91, "t2"), chat(6)] == room.says(chat(91, "t2"), chat(6))


def test_unobserve_forgets_the_table():
    """After it, late events of the table are nothing any more."""
    room = Room()
    room.observed(5)
    number = room.session.request(m.Unobserve(id=0, table=TABLE))

    room.says(m.Ok(re=number))

    assert dict(room.session.tables) == {}
    assert room.says(chat(6)) == []


def test_goodbye_and_stray_errors_come_through():
    """What belongs to no request is a happening of its own."""
    goodbye = m.Goodbye(code="idle", message="x")
    error = m.Error(code="bad_encoding", message="x")

    assert [error, goodbye] == Room().says(error, goodbye)


def test_nonsense_changes_nothing():
    """A body that is no message raises, and the session is as it was."""
    room = Room()
    room.observed(5)

    with pytest.raises(CodecError):
        room.session.receive(b"\xc1")

    assert [chat(6)] == room.says(chat(6))


def test_after_a_log_out_no_table_is_followed():
    """The room sends no more events, and the next login does not see the old state."""
    room = Room()
    room.observed(5)
    number = room.session.request(m.LogOut(id=0))
    room.sent()

    room.says(m.Ok(re=number))

    assert not room.session.tables
    assert room.session.authenticated is None
    assert room.says(chat(6)) == []


@pytest.mark.parametrize(
    "notice",
    [
        m.SngStarted(tournament="six.1", table="six.1", seat=2),
        m.SngPrizePaid(tournament="six.1", place=1, prize=1_000),
        m.SngRefunded(tournament="six.1", amount=300, reason="cancelled"),
    ],
)
def test_what_an_account_is_told_of_its_tournaments_is_handed_on(notice):
    """It answers nothing, and belongs to no table."""
    session = ClientSession()
    number = session.request(m.RegisterSng(id=0, offer="six"))
    assert session.take(notice) == [notice]
    (answered,) = session.take(m.SngRegistered(re=number, offer="six", tournament="six.1", buy_in=300))
    assert answered.request == m.RegisterSng(id=number, offer="six")


def moved(from_table: str | None, table: str = "six.1-2") -> m.TournamentMoved:
    return m.TournamentMoved(
        tournament="six.1",
        from_table=from_table,
        table=table,
        seat=3,
        reason="broken" if from_table else None,
    )


def test_a_moved_player_is_followed_to_the_new_table():
    """The session leaves the old table and observes the new one by itself, as if its owner had asked."""
    room = Room()
    number = room.session.request(m.Observe(id=0, table="six.1"))
    room.sent()
    room.says(replace(snapshot(5, number), table="six.1"))
    assert room.says(moved("six.1")) == [moved("six.1")]
    leaves, observes = room.sent()
    assert (type(leaves), leaves.table) == (m.Unobserve, "six.1")
    assert (type(observes), observes.table) == (m.Observe, "six.1-2")
    assert room.says(chat(6, "six.1"), m.Ok(re=leaves.id)) == []
    new = replace(snapshot(9, observes.id), table="six.1-2")
    assert room.says(new) == [new]
    assert list(room.session.tables) == ["six.1-2"]


@pytest.mark.parametrize("from_table", ["six.1-7", "six.1-2"])
def test_a_move_between_other_tables_is_only_told(from_table):
    """Another client of the account follows it; and a new seat at the same table needs nothing."""
    room = Room()
    room.observed(5)
    assert room.says(moved(from_table)) == [moved(from_table)]
    assert room.sent() == []


def test_a_move_from_a_forgotten_table_is_followed_by_a_client_of_the_tournament():
    """The room has lost where the player was: no table is left, and the new one is observed."""
    room = Room()
    assert room.says(moved(None)) == [moved(None)]
    assert room.sent() == []
    number = room.session.request(m.Observe(id=0, table="six.1-4"))
    room.sent()
    room.says(replace(snapshot(5, number), table="six.1-4"), moved(None))
    assert [(type(one), one.table) for one in room.sent()] == [(m.Observe, "six.1-2")]
    assert list(room.session.tables) == ["six.1-4"]


@pytest.mark.parametrize(
    ("table", "tournament"),
    [("six.1", "six.1"), ("six.1-12", "six.1"), ("limit-two.3", "limit-two.3"), ("nl-6max-1", "nl-6max-1")],
)
def test_the_tournament_of_a_table_follows_from_its_id(table, tournament):
    """Other tables have a hyphen in their ids, too."""
    assert tournament_of(table) == tournament

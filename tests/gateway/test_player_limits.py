"""What protects players from playing too much, over whole sessions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from twisted.internet.defer import Deferred, fail

from pokerroom.gateway.play_watch import WATCH_S, PlayWatch
from pokerroom.ledger.limits import INCREASE_S, LIMITS
from pokerroom.ledger.operator_log import THE_ROOM, Acting
from pokerroom.ledger.tournaments import NotEntered
from pokerroom.lobby.leaving import LeavingTable
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code
from tests.gateway.session_parties import Line, player, token
from tests.ledger.contract_of_tournaments import opening
from tests.lobby.support import Cardroom
from tests.poker.support import now


def limit(answer: wire.Limits, name: str) -> wire.LimitView:
    return next(each for each in answer.limits if each.limit == name)


# --- limits


def test_limits_are_set_and_told(sessions):
    """All of them, with what is used; less holds at once, more waits, and the present value withdraws it."""
    anna = player(sessions, "anna")
    told = anna.ask(wire.GetLimits)
    assert [each.limit for each in told.limits] == [f"{kind}_{period}" for kind, period in LIMITS]
    assert {(each.value, each.cap, each.used) for each in told.limits} == {(None, None, 0)}
    assert limit(anna.ask(wire.SetLimit, limit="loss_week", value=500), "loss_week").value == 500
    waits = limit(anna.ask(wire.SetLimit, limit="loss_week", value=700), "loss_week")
    assert (waits.value, waits.wanted) == (500, 700)
    assert waits.wanted_from_ms is not None
    withdrawn = limit(anna.ask(wire.SetLimit, limit="loss_week", value=500), "loss_week")
    assert (withdrawn.wanted, withdrawn.wanted_from_ms) == (None, None)


def test_an_increase_is_confirmed_a_day_later(sessions, room):
    """Until then the lower one holds."""
    anna = player(sessions, "anna")
    anna.ask(wire.SetLimit, limit="session_day", value=3_600)
    anna.ask(wire.SetLimit, limit="session_day")
    room.clock.advance(INCREASE_S)
    assert limit(anna.ask(wire.GetLimits), "session_day").value == 3_600
    assert limit(anna.ask(wire.SetLimit, limit="session_day"), "session_day").value is None


def test_a_deposit_beyond_a_limit_is_refused_with_what_is_left(sessions, room):
    """The limit, the rest of it, and when its window ends; the operator's cap as well as the player's."""
    anna = player(sessions, "anna")
    now(room.world.ledger.open_source("cash"))
    now(room.world.ledger.set_limit_caps({("deposit", "month"): 900}))
    anna.ask(wire.SetLimit, limit="deposit_month", value=1_000)
    anna.ask(wire.RequestDeposit, key="key-0001", amount=600, source="cash")
    refused = anna.ask(wire.RequestDeposit, key="key-0002", amount=301, source="cash")
    view = limit(anna.ask(wire.GetLimits), "deposit_month")
    assert (view.value, view.cap, view.used) == (1_000, 900, 600)
    assert isinstance(refused, wire.Error)
    assert (refused.code, refused.limit, refused.amount, refused.until_ms) == (
        "limit_reached",
        "deposit_month",
        300,
        view.ends_ms,
    )


# --- time of play


class Watched:
    """The watch of the node over its tables, called as every minute."""

    def __init__(self, room: Cardroom) -> None:
        self.room = room
        self.unregistered: list[tuple[int, str]] = []
        self.answers: Callable[[], Deferred[str]] = lambda: fail(NotEntered("it is a test"))
        self.watch = PlayWatch(
            room.world.ledger,
            room.connections,
            lambda: [LeavingTable(table) for table in room.local_tables.values()],
            self._unregister,
        )

    def _unregister(self, account: int, offer: str) -> Deferred[str]:
        self.unregistered.append((account, offer))
        return self.answers()

    def minutes(self, count: int) -> None:
        for _ in range(count):
            self.room.clock.advance(WATCH_S)
            now(self.watch.look())


@pytest.fixture
def watched(room: Cardroom) -> Watched:
    return Watched(room)


def test_a_reality_check_comes_as_often_as_the_player_asks(sessions, watched):
    """With the time of play; not while the player has no seat."""
    anna = player(sessions, "anna")
    anna.ask(wire.ChangeSettings, reality_check_min=2)
    watched.minutes(3)
    anna.ask(wire.SitDown, table="t1", buy_in=5_000)
    watched.minutes(5)
    assert anna.all(wire.RealityCheck) == [
        wire.RealityCheck(played_s=120, net=0),
        wire.RealityCheck(played_s=240, net=0),
    ]


def test_when_the_time_of_play_is_over_the_player_leaves(sessions, room, watched):
    """After a notice: first the player sits out, then the seat is free, and there is no other."""
    anna, bert = player(sessions, "anna"), player(sessions, "bert")
    anna.ask(wire.SetLimit, limit="session_day", value=600)
    for line in (anna, bert):
        line.ask(wire.SitDown, table="t1", buy_in=5_000)
    watched.minutes(6)
    assert [notice.left_s for notice in anna.all(wire.SessionLimit)] == [300]
    watched.minutes(6)
    ends_ms = limit(anna.ask(wire.GetLimits), "session_day").ends_ms
    assert anna.all(wire.SessionLimit)[1:] == [wire.SessionLimit(left_s=0, until_ms=ends_ms)]
    assert room.table().seated() == [bert.session.account]
    refused = anna.ask(wire.SitDown, table="t1", buy_in=5_000)
    assert (refused.code, refused.limit, refused.amount) == ("limit_reached", "session_day", 0)
    assert bert.all(wire.SessionLimit) == []


def test_the_log_in_before_is_told(sessions, room):
    """Not after the registration; at a log-in the one before, also when the session is resumed."""
    anna = player(sessions, "anna")
    assert anna.all(wire.Authenticated)[-1].last_log_in_ms is None
    told = []
    for _ in range(3):
        room.clock.advance(60)
        line = Line(sessions)
        told.append(line.ask(wire.LogIn, name="anna", password="a password").last_log_in_ms)
    assert [told[1] - told[0], told[2] - told[1]] == [60_000, 60_000]
    assert Line(sessions).ask(wire.Resume, token=token(line)).last_log_in_ms == told[-1]


# --- exclusion and locks


def test_a_player_excludes_themselves(sessions, room, watched):
    """The seat is free after the hand, money stays out, and the time is told; the history is still there."""
    anna, bert = player(sessions, "anna"), player(sessions, "bert")
    for line in (anna, bert):
        line.ask(wire.SitDown, table="t1", buy_in=5_000)
    for _ in range(10):
        room.clock.advance(0.5)
    assert anna.all(wire.HandStarted)
    told = anna.ask(wire.Exclude, length="week")
    now(watched.watch.bar())  # the room does so at once
    assert told.excluded
    assert 6 * 86_400_000 < told.excluded_until_ms - told.limits[0].ends_ms <= 7 * 86_400_000
    for _ in range(80):
        room.clock.advance(0.5)
    assert room.table().seated() == [bert.session.account]
    refused = anna.ask(wire.SitDown, table="t1", buy_in=5_000)
    assert (refused.code, refused.until_ms) == ("excluded", told.excluded_until_ms)
    for asked in (
        anna.ask(wire.Chat, table="t1", text="hello"),
        anna.ask(wire.ReserveSeat, table="t1"),
        anna.ask(wire.JoinWaitlist, table="t1"),
    ):
        assert (asked.code, asked.until_ms) == ("excluded", told.excluded_until_ms)
    assert isinstance(anna.ask(wire.GetHistory), wire.History)
    assert not bert.ask(wire.GetLimits).excluded
    again = Line(sessions)
    again.ask(wire.LogIn, name="anna", password="a password")
    assert again.ask(wire.JoinWaitlist, table="t1").code == "excluded"


@pytest.mark.parametrize("length", ["half_year", "ever"])
def test_a_long_exclusion_asks_for_the_password(sessions, length):
    """With a stolen session an account is out for six weeks at most. A missing password is a wrong one."""
    anna = player(sessions, "anna")
    for password in ({}, {"password": "wrong password"}):
        assert anna.ask(wire.Exclude, length=length, **password).code == "bad_credentials"
    assert not anna.ask(wire.GetLimits).excluded
    assert anna.ask(wire.Exclude, length="six_weeks").excluded_until_ms is not None
    told = anna.ask(wire.Exclude, length=length, password="a password")
    assert (told.excluded, told.excluded_until_ms is None) == (True, length == "ever")


def test_a_password_that_is_not_needed_is_no_way_past_the_slow_requests(sessions, room, monkeypatch):
    """The exclusions of a connection are asked of the ledger one at a time."""
    anna, asked = player(sessions, "anna"), []
    monkeypatch.setattr(room.world.ledger, "exclude", lambda *_, **__: asked.append(Deferred()) or asked[-1])
    for _ in range(3):
        anna.say(wire.Exclude, length="day", password="a password")
    assert len(asked) == 1
    asked[0].callback(None)
    assert len(asked) == 2


def test_an_exclusion_holds_for_all_connections_of_the_account_until_it_ends(sessions, room):
    """Another window knows it at once."""
    anna = player(sessions, "anna")
    window = Line(sessions, "", "window")
    window.ask(wire.LogIn, name="anna", password="a password")
    window.ask(wire.Observe, table="t1")
    told = anna.ask(wire.Exclude, length="day")
    refused = window.ask(wire.Chat, table="t1", text="hello")
    assert (refused.code, refused.until_ms) == ("excluded", told.excluded_until_ms)
    room.clock.advance(86_400)
    assert isinstance(window.ask(wire.Chat, table="t1", text="hello"), wire.Ok)


def test_the_exclusion_of_a_connection_is_that_of_its_account(sessions, room, monkeypatch):
    """A late answer about the account that was logged in before says nothing of the present one."""
    bert, line = player(sessions, "bert"), Line(sessions)
    told = bert.ask(wire.Exclude, length="week")
    line.ask(wire.Register, name="anna", password="a password")
    limits, asked = room.world.ledger.limits, Deferred()
    monkeypatch.setattr(room.world.ledger, "limits", lambda _: asked)
    line.say(wire.GetLimits)
    line.ask(wire.LogOut)
    line.ask(wire.LogIn, name="bert", password="a password")
    asked.callback(now(limits(line.session.account)))
    refused = line.ask(wire.Chat, table="t1", text="hello")
    assert (refused.code, refused.until_ms) == ("excluded", told.excluded_until_ms)


def test_what_the_operator_does_beside_the_room_is_found_within_a_minute(sessions, room, watched):
    """An excluded player leaves, and is unregistered; a locked one is logged out, and cannot log in."""
    anna, bert = player(sessions, "anna"), player(sessions, "bert")
    ledger, excluded = room.world.ledger, anna.session.account
    anna.ask(wire.SitDown, table="t1", buy_in=5_000)
    now(ledger.open_tournament(opening()))
    now(ledger.enter("six.1", excluded, 1))
    now(ledger.exclude(excluded, None, by=THE_ROOM))
    now(ledger.lock_out(bert.session.account, by=THE_ROOM))
    watched.minutes(1)
    assert room.table().seated() == []
    assert watched.unregistered == [(excluded, "six")]
    assert bert.closed is Code.SESSION_ENDED
    again = Line(sessions)
    assert again.ask(wire.LogIn, name="bert", password="a password").code == "account_locked"
    assert anna.closed is None


def test_a_lock_does_not_wait_for_an_entry_that_is_given_back(sessions, room, watched):
    """The entry may wait behind a crowd. It is asked for once until there is an answer, then again."""
    anna, bert = player(sessions, "anna"), player(sessions, "bert")
    ledger, excluded = room.world.ledger, anna.session.account
    waits: Deferred[str] = Deferred()
    watched.answers = lambda: waits
    now(ledger.open_tournament(opening()))
    now(ledger.enter("six.1", excluded, 1))
    now(ledger.exclude(excluded, None, by=THE_ROOM))
    watched.minutes(1)
    now(ledger.lock_out(bert.session.account, by=THE_ROOM))
    watched.minutes(1)
    assert bert.closed is Code.SESSION_ENDED
    assert watched.unregistered == [(excluded, "six")]
    waits.callback("six.1")
    watched.minutes(1)
    assert watched.unregistered == [(excluded, "six")] * 2


# --- the right to chat


def test_a_muted_player_is_told_and_may_not_chat(sessions, room, watched):
    """Within a minute, at every table, until the time that the refusal names; others chat on."""
    anna, bert = player(sessions, "anna"), player(sessions, "bert")
    for line in (anna, bert):
        line.ask(wire.Observe, table="t1")
    account = anna.session.account
    now(room.world.ledger.mute(account, 3, by=Acting(who="ann")))
    assert isinstance(anna.ask(wire.Chat, table="t1", text="still here"), wire.Ok)
    watched.minutes(1)
    (told,) = anna.all(wire.ChatMuted)
    refused = anna.ask(wire.Chat, table="t1", text="rude")
    assert (refused.code, refused.until_ms) == ("chat_muted", told.until_ms)
    assert isinstance(bert.ask(wire.Chat, table="t1", text="fine"), wire.Ok)
    assert bert.all(wire.ChatMuted) == []
    assert [said.text for said in bert.all(wire.ChatSaid)] == ["still here", "fine"]
    watched.minutes(3)
    assert anna.all(wire.ChatMuted) == [told, wire.ChatMuted(until_ms=None)]
    assert isinstance(anna.ask(wire.Chat, table="t1", text="back"), wire.Ok)


def test_a_player_that_logs_in_muted_is_told_at_once(sessions, room):
    """After the answer to the log-in."""
    anna = player(sessions, "anna")
    now(room.world.ledger.mute(anna.session.account, 9, by=Acting(who="ann")))
    again = Line(sessions)
    again.ask(wire.LogIn, name="anna", password="a password")
    (told,) = again.all(wire.ChatMuted)
    again.ask(wire.Observe, table="t1")
    assert again.ask(wire.Chat, table="t1", text="rude").until_ms == told.until_ms

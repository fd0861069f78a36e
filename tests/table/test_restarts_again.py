"""Faults in the middle of a restart, in a settlement, in a request: whatever comes next, the table goes on, once."""

from __future__ import annotations

from collections.abc import Iterator
from unittest import mock

import pytest
from twisted.internet.defer import Deferred

from pokerroom.ledger.api import InsufficientBalance, LedgerConflict
from pokerroom.poker import recovery
from pokerroom.poker.cash.seat_manager import SeatManager
from pokerroom.poker.play import HandPlay
from pokerroom.table import restarts
from pokerroom.table.actor import TableActor
from pokerroom.table.mailbox import Mailbox
from pokerroom_protocol import messages as wire
from tests.compiled import replaces_parts
from tests.poker.support import Client, Room, now
from tests.table.test_restarts import come_back, crash, restart, stacks


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


def two(room: Room) -> tuple[Client, Client]:
    clients = room.client("anna"), room.client("bert")
    room.sit(*clients)
    return clients


def broken_look(room: Room, client: Client) -> None:
    """A fault of ours in a message that a frozen table still takes."""
    with mock.patch.object(room.table.snapshots, "answer", side_effect=ZeroDivisionError):
        room.ask(client, wire.GetSnapshot)


def pass_time(room: Room, seconds: int) -> None:
    for _ in range(seconds):
        room.clock.advance(1)


@replaces_parts
def test_a_fault_while_the_journal_is_read_voids_what_it_says(room):
    """The table restarts once, from what is read after the last fault; one clock runs, one hand is played."""
    anna, _ = two(room)
    room.act("call")
    broken_look(room, anna)
    room.journal.hold = True
    pass_time(room, 2)
    broken_look(room, anna)
    room.journal.store()
    room.journal.hold = False
    assert room.table.state_name == "frozen"
    hands = []
    for _ in range(3):
        pass_time(room, 1)
        hands.append(room.table.game)
    assert len(set(map(id, hands))) == 1
    assert [notice.state for notice in anna.all(wire.TableNotice)] == ["frozen", "frozen", "running"]
    deadline = room.turn().deadline_ms
    room.act("raise", 2_000)
    room.act("call")
    assert deadline - int(room.clock.seconds() * 1000) > 20_000
    pass_time(room, 15)
    assert not any(acted.by_clock for acted in anna.all(wire.Acted))
    room.check_down()
    assert sum(stacks(room).values()) == 20_000


@replaces_parts
def test_the_last_fault_allowed_while_reading_leaves_the_table_frozen(room):
    """What is read after that changes nothing any more."""
    anna, _ = two(room)
    for _ in range(restarts.RESTARTS_MAX):
        broken_look(room, anna)
        room.journal.hold = True
        pass_time(room, 2)
    broken_look(room, anna)
    room.journal.hold = False
    room.journal.store()
    pass_time(room, 700)

    assert (room.table.state_name, room.table.restarts.for_good) == ("frozen", True)
    assert len(anna.all(wire.HandStarted)) == 1


@replaces_parts
def test_a_hand_whose_settlement_raises_once_is_settled_after_the_restart(room):
    """Nothing is owed to the journal or the ledger any more, so the restart does not wait for it."""
    anna, bert = two(room)
    hand_id = room.turn().hand_id
    record, raised = HandPlay.record, []

    def once(play, ended_ms):
        if not raised:
            raised.append(play.hand_id)
            raise ZeroDivisionError
        return record(play, ended_ms)

    with mock.patch.object(HandPlay, "record", once):
        room.act_blindly("fold")
        assert room.table.state_name == "frozen"
        restart(room)

    assert raised == [hand_id]
    assert [settled.hand_id for settled in room.settler.settled] == [hand_id]
    assert stacks(room) == {anna.account: 9_950, bert.account: 10_050}


@replaces_parts
def test_no_player_hears_of_an_unknown_seat_before_they_are_shown_the_table(room):
    """A seat bought while the table was frozen: with a result on its way, the snapshot comes ahead of its events."""
    anna, _ = two(room)
    carl, bought = room.client("carl"), Deferred()
    buy_in = room.ledger.buy_in
    with mock.patch.object(room.ledger, "buy_in", return_value=bought):
        room.ask(carl, wire.SitDown, buy_in=10_000, seat=3)
    with mock.patch.object(HandPlay, "record", side_effect=ZeroDivisionError):
        room.act_blindly("fold")
    room.settler.hold = True
    world = room.table.context
    buy_in("buyin:" + 32 * "c", "t1", world.epoch, 3, carl.account, 10_000, world.tables_max).chainDeferred(
        bought
    )
    restart(room)
    assert room.table.state_name == "settling"
    before = len(anna.got)
    room.settler.commit()

    told = [type(message) for message in anna.got[before:]]
    known = [seat.seat for seat in anna.last(wire.Snapshot).seats]
    assert known == [1, 2, 3]
    assert wire.SeatChanged in told
    assert told.index(wire.Snapshot) < told.index(wire.SeatChanged)


@replaces_parts
def test_a_drain_waits_for_a_table_that_starts_again(room):
    """The room does not stop over a hand that goes on in a second."""
    anna, _ = two(room)
    broken_look(room, anna)
    drained = room.table.drain()
    assert not drained.called
    restart(room)
    assert room.table.state_name == "playing"
    assert not drained.called
    room.act_blindly("fold")

    assert drained.called
    assert len(room.settler.settled) == 1


@replaces_parts
def test_a_drain_does_not_wait_for_a_table_that_stays_frozen(room):
    """Its hand is left to the journal, for a person to look at."""
    anna, _ = two(room)
    for _ in range(restarts.RESTARTS_MAX):
        broken_look(room, anna)
        restart(room)
    drained = room.table.drain()
    assert not drained.called

    broken_look(room, anna)

    assert drained.called


@replaces_parts
def test_an_answer_that_is_itself_a_fault_does_not_stop_the_restart_that_waits_for_it(room):
    """The ledger refuses the hand while the table waits to restart: it tries again, and the hand is settled."""
    anna, _ = two(room)
    room.settler.hold = True
    room.act_blindly("fold")
    broken_look(room, anna)
    pass_time(room, 2)
    assert room.table.state_name == "frozen"

    room.settler.fails_with = LedgerConflict("no")
    room.settler.commit()
    room.settler.fails_with = None
    room.settler.hold = False
    pass_time(room, 5)

    assert room.table.state_name != "frozen"
    assert len(room.settler.settled) == 1


def test_a_wish_that_cannot_be_journalled_holds_nothing_back(room):
    """A fault in a request for a seat: after the restart all viewers get the table again, and its clocks run."""
    anna, bert = two(room)
    with mock.patch.object(SeatManager, "facts", side_effect=ZeroDivisionError):
        room.ask(anna, wire.SeatOptions, muck_losing=False)
    assert room.table.state_name == "frozen"
    restart(room)

    room.act("call")
    room.act("check")
    assert bert.last(wire.StreetDealt).street == "flop"
    room.clock.advance(30)
    assert bert.last(wire.Acted).by_clock


def broken_request(room: Room, client: Client, kind: type[wire.Request], method: str) -> list[str]:
    """A fault of ours at the end of a request's handling; the codes that its client gets."""
    reservations = room.table.game.seats.reservations
    original = getattr(reservations, method)

    def broken(*what: object) -> None:
        original(*what)
        raise ZeroDivisionError

    with mock.patch.object(reservations, method, broken):
        number = room.ask(client, kind)
    return [error.code for error in client.all(wire.Error) if error.re == number]


@replaces_parts
def test_a_fault_is_told_though_the_ledger_owes_another_player_an_answer(room):
    """The request cannot have been carried out: it has asked neither journal nor ledger."""
    anna, bert = room.client("anna"), room.client("bert")
    unanswered: Deferred[None] = Deferred()
    room.ledger.buy_in, original = (lambda *_: unanswered), room.ledger.buy_in
    room.ask(bert, wire.SitDown, buy_in=5_000)
    assert room.table.requests.waits()

    assert broken_request(room, anna, wire.ReleaseSeat, "release") == ["no_seat_held", "internal"]

    room.ledger.buy_in = original
    unanswered.errback(InsufficientBalance("x"))


@replaces_parts
def test_a_fault_is_not_told_where_the_request_has_put_a_question_to_the_ledger(room):
    """The answer to that is the answer to the request, also after the restart."""
    anna = room.client("anna")

    assert broken_request(room, anna, wire.ReserveSeat, "reserve") == ["unavailable"]


@replaces_parts
def test_h6_time_outs_are_counted_through_a_restart_of_the_table(room):
    """A time-out of the hand in progress still counts when the hand is over."""
    clients = [room.client(name) for name in ("anna", "bert", "carl")]
    room.sit_together(*clients)
    room.act("call")
    room.clock.advance(30)
    expired = clients[0].last(wire.Acted)
    assert expired.by_clock
    broken_look(room, clients[0])
    restart(room)
    while room.table.state_name == "playing":
        room.act("check" if room.turn().check else "call")

    assert room.table.game.seats.seats[expired.seat].timeouts_in_row == 1


def test_an_expiry_that_was_not_journalled_has_used_nothing():
    """H2: after the restart the clock starts from the beginning, and the daily allowance is whole."""
    room = Room(timeout_all_ins_per_day=1)
    anna, _ = two(room)
    room.journal.fails_with = ZeroDivisionError()
    room.clock.advance(30)
    assert room.table.state_name == "frozen"
    assert room.timeouts.today(anna.account) == 0
    restart(room)
    room.clock.advance(30)
    assert anna.last(wire.Acted).action == "clock_all_in"
    assert room.timeouts.today(anna.account) == 1
    room.stop()


@replaces_parts
def test_a_hand_that_cannot_be_rebuilt_is_void_and_every_player_is_told(room):
    """Its journal is not readable: stacks as at hand start, and the next hand is dealt."""
    anna, bert = two(room)
    hand_id = room.turn().hand_id
    room.act("raise", 500)
    room.journal.kept[-1] = b"\xc1"
    broken_look(room, anna)
    restart(room)

    ended = bert.last(wire.HandEnded)
    assert (ended.hand_id, ended.void) == (hand_id, True)
    assert {seat.stack for seat in ended.stacks} == {10_000}
    assert room.turn().hand_id != hand_id
    assert stacks(room) == {anna.account: 10_000, bert.account: 10_000}


def test_a_hand_whose_deal_was_not_journalled_was_never_there(room):
    """No viewer is told of the end of a hand that no viewer was told of."""
    anna, bert = two(room)
    room.act("fold")
    ended = len(bert.all(wire.HandEnded))
    room.journal.fails_with = ZeroDivisionError()
    room.clock.advance(0)
    assert room.table.state_name == "frozen"
    restart(room)

    assert len(bert.all(wire.HandEnded)) == ended
    assert len(anna.all(wire.HandStarted)) == 2
    assert room.table.state_name == "playing"


@pytest.mark.parametrize(
    "entry",
    [
        [1],
        [1, "act"],
        [1, "table"],
        [1, "deal", None, []],
        [1, "deal", [1, 1], [], "h", 1, 0, [], b""],
        [1, "table", 7, 7, 7],
        [1, "what", 1, 2],
        ["x"],
        [],
        {},
        7,
    ],
)
def test_i4_whatever_an_entry_looks_like_the_room_starts(room, entry):
    """An entry of another shape is unreadable, and no more than that."""
    import msgpack

    anna, bert = two(room)
    room.journal.kept.append(msgpack.packb(entry))

    crash(room)

    come_back(room, anna, bert)
    assert sum(stacks(room).values()) == 20_000
    assert recovery.hand_in_progress([msgpack.packb(entry)]) in {None, "h"}


def test_no_clock_runs_for_a_turn_that_was_not_told(room):
    """The journal is away with the action before it: a player who reconnects gets no grace, for nothing runs yet."""
    anna, bert = two(room)
    room.journal.hold = True
    room.act_blindly("call")
    bert.connected = False
    room.table.viewer_gone(bert)
    pass_time(room, 15)
    (bert,) = come_back(room, bert)
    pass_time(room, 25)
    assert not bert.all(wire.Turn)

    room.journal.hold = False
    room.journal.store()

    assert not any(acted.by_clock for acted in anna.all(wire.Acted))
    assert room.timeouts.today(bert.account) == 0
    assert room.turn().deadline_ms == int(room.clock.seconds() * 1000) + 30_000


@replaces_parts
def test_every_call_that_changes_a_table_goes_through_its_mailbox(room, monkeypatch):
    """A public method of a table posts one message, or changes nothing."""
    anna, _ = two(room)
    calls = {
        "restore": ([], [], frozenset()),
        "request": (anna, wire.GetSnapshot(id=7, table="t1")),
        "viewer_gone": (room.client("gone"),),
        "offer_seat": (anna.account, lambda *_: None),
        "withdraw_offer": (anna.account,),
        "close": (),
        "reopen": (),
        "rejoin": (anna,),
        "drain": (),
        "hand_over": (),
        "freeze": (),
        "resume": (),
        "void_hand": (),
        "look": (),
        "order": (lambda done: None,),
        "suspended": (),
        "lease_renewed": {"whole_clocks": True},
    }
    looking = {  # or, as the last one, ending everything at once
        "info", "facts", "state_name", "settings", "epoch", "frozen_by", "closing", "outbox", "players", "holders",
        "seated", "handoff_state", "unanswered", "frozen", "relinquish", "stop",
    }  # fmt: skip
    public = {name for name in vars(TableActor) if not name.startswith("_")}
    assert public - looking == set(calls)
    assert all(hasattr(room.table, name) for name in public)
    queued = []
    monkeypatch.setattr(Mailbox, "post", lambda _mailbox, handler, *_args, **_named: queued.append(handler))
    for name, arguments in calls.items():
        queued.clear()
        method = getattr(room.table, name)
        method(**arguments) if isinstance(arguments, dict) else method(*arguments)
        assert len(queued) == 1, name

    assert now(room.ledger.seats())


def test_a_player_who_has_seen_a_frozen_table_alone_is_shown_the_hand_before_they_are_asked(room):
    """The client knows no hand: the restarted table shows it, and says then which seat is to act."""
    anna, bert = two(room)
    room.act("call")
    crash(room)
    room.table.mailbox.post(lambda: 1 // 0)
    again = come_back(room, anna, bert)
    assert [client.last(wire.Snapshot).hand for client in again] == [None, None]

    restart(room)

    for client in again:
        kinds = [type(message) for message in client.got if isinstance(message, wire.Snapshot | wire.Turn)]
        assert kinds == [wire.Snapshot, wire.Snapshot, wire.Turn]
        shown = client.last(wire.Snapshot)
        assert shown.hand is not None
        assert client.last(wire.Turn).seq == shown.seq + 1

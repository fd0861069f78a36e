"""The operator freezes a table, lets it go on, and declares a frozen hand void; no chip moves but by the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import Deferred

from pokerroom.ledger.api import LedgerConflict
from pokerroom.ops.reports import OrderRefused
from pokerroom.poker import recovery
from pokerroom.table import restarts
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.operator_orders import BY_OPERATOR
from pokerroom_protocol import messages as wire
from tests.compiled import replaces_parts
from tests.poker.support import Client, Room, now
from tests.table.test_restarts import _raise, come_back, crash, restart, stacks


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


def two(room: Room) -> tuple[Client, Client]:
    clients = room.client("anna"), room.client("bert")
    room.sit(*clients)
    return clients


def refused(done) -> str:
    with pytest.raises(OrderRefused) as refusal:
        now(done)
    return refusal.value.code


def test_a_table_is_frozen_where_it_stands_and_its_players_are_told(room):
    """No clock runs, no chip moves, requests are refused; it is no fault, and no time lets it go on."""
    anna, bert = two(room)
    room.act("call")
    hand_id = room.turn().hand_id

    now(room.table.freeze())
    room.clock.advance(3600)

    assert (room.table.state_name, room.table.frozen_by) == ("frozen", BY_OPERATOR)
    assert room.table.game.play.hand_id() == hand_id
    assert (room.counts.crashes, room.table.restarts.count) == (0, 0)
    for client in (anna, bert):
        notice = client.last(wire.TableNotice)
        assert (notice.state, "operator" in notice.message) == ("frozen", True)
        assert not any(acted.by_clock for acted in client.all(wire.Acted))
    answer = room.answer(bert, wire.Chat, text="hm")
    assert (answer.code, "operator" in answer.message) == ("table_frozen", True)
    assert stacks(room) == {anna.account: 10_000, bert.account: 10_000}


def test_a_frozen_hand_goes_on_where_it_was(room):
    """Same hand, same cards, same decision, a full clock; the table counts no fault."""
    anna, _ = two(room)
    room.act("raise", 500)
    before, cards = room.turn(), anna.last(wire.HoleCards).cards
    now(room.table.freeze())
    room.clock.advance(600)

    now(room.table.resume())
    room.clock.advance(0)

    assert (room.table.state_name, room.table.frozen_by) == ("playing", None)
    assert anna.last(wire.TableNotice).state == "running"
    after = room.turn()
    assert (after.hand_id, after.seat, after.call_amount) == (before.hand_id, before.seat, before.call_amount)
    assert after.deadline_ms == int(room.clock.seconds() * 1000) + 30_000
    seen = anna.last(wire.Snapshot)
    assert next(seat.cards for seat in seen.seats if seat.seat == seen.your_seat) == cards
    room.act("call")
    room.check_down()
    assert sum(stacks(room).values()) == 20_000
    assert [ended.hand_id for ended in anna.all(wire.HandEnded)] == [before.hand_id]


def test_a_table_without_a_hand_is_frozen_too(room):
    """No player sits down there until it goes on; then a hand is dealt as ever."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna)
    now(room.table.freeze())
    assert room.answer(bert, wire.SitDown, buy_in=5_000).code == "table_frozen"

    now(room.table.resume())
    room.clock.advance(0)
    room.sit(bert)

    assert room.table.state_name == "playing"


def test_freezing_again_is_no_error_and_one_word_lets_it_go_on(room):
    """The operator need not know who froze the table before; players are told once."""
    anna, _ = two(room)
    now(room.table.freeze())
    now(room.table.freeze())
    assert [notice.state for notice in anna.all(wire.TableNotice)] == ["frozen"]
    now(room.table.resume())
    room.clock.advance(0)
    assert room.table.state_name == "playing"


def test_a_result_on_its_way_to_the_ledger_is_waited_for_before_the_table_goes_on(room):
    """The hand is settled once, its result is told once, and the next one is dealt after that."""
    anna, _ = two(room)
    hand_id = room.turn().hand_id
    room.settler.hold = True
    room.act("fold")
    now(room.table.freeze())
    now(room.table.resume())
    room.clock.advance(5)
    assert room.table.state_name == "frozen"

    room.settler.commit()
    room.settler.hold = False
    room.clock.advance(0)

    assert [settled.hand_id for settled in room.settler.settled] == [hand_id]
    assert [ended.hand_id for ended in anna.all(wire.HandEnded)] == [hand_id]
    assert room.turn().hand_id != hand_id


def test_what_was_journalled_when_the_table_froze_is_told_and_stands(room):
    """An action is done if its entry is under way; its answer and its event come though the table is frozen."""
    anna, bert = two(room)
    room.journal.hold = True
    room.act_blindly("call")
    room.table.freeze()
    assert not bert.all(wire.Acted)

    room.journal.store()
    room.journal.hold = False

    assert [acted.action for acted in bert.all(wire.Acted)] == ["call"]
    now(room.table.resume())
    room.clock.advance(0)
    assert isinstance(room.act("check"), wire.Ok)
    room.check_down()
    assert stacks(room).keys() == {anna.account, bert.account}


def test_the_freeze_outlives_the_process(room):
    """The next owner of the table finds it frozen, with its hand; told to go on, it plays that hand to its end."""
    anna, bert = two(room)
    room.act("raise", 300)
    hand_id = room.turn().hand_id
    now(room.table.freeze())

    crash(room)
    clients = come_back(room, anna, bert)
    room.clock.advance(600)

    assert (room.table.state_name, room.table.frozen_by) == ("frozen", BY_OPERATOR)
    assert room.table.game.play.hand_id() == hand_id
    assert all(client.last(wire.Snapshot).hand is None for client in clients)
    now(room.table.resume())
    room.clock.advance(0)
    assert room.turn().hand_id == hand_id
    room.act("call")
    room.check_down()
    assert room.settler.settled[0].hand_id == hand_id


def test_a_table_that_goes_on_is_not_frozen_at_its_next_owner(room):
    """The last word counts."""
    anna, bert = two(room)
    now(room.table.freeze())
    now(room.table.resume())
    room.clock.advance(0)
    room.act("call")

    crash(room)

    come_back(room, anna, bert)
    assert room.table.state_name == "playing"


def test_what_stays_frozen_after_faults_goes_on_when_the_operator_says_so(room):
    """Its faults are forgotten: it may restart by itself as often as any table."""
    two(room)
    for _ in range(restarts.RESTARTS_MAX + 1):
        room.table.mailbox.post(_raise)
        restart(room)
    assert room.table.restarts.for_good

    now(room.table.resume())
    room.clock.advance(0)

    assert (room.table.state_name, room.table.restarts.for_good) == ("playing", False)
    room.table.mailbox.post(_raise)
    restart(room)
    assert room.table.state_name == "playing"


def test_a_table_that_a_fault_has_frozen_may_be_held_before_it_starts_again(room):
    """The operator wants to look first: what had frozen it stays named, and no restart comes."""
    two(room)
    room.table.mailbox.post(_raise)
    assert refused(room.table.resume()) == "not_frozen"  # it goes on by itself in a moment

    now(room.table.freeze())
    restart(room)
    room.clock.advance(60)

    assert (room.table.state_name, room.table.frozen_by) == ("frozen", "Bug")
    now(room.table.resume())
    room.clock.advance(0)
    assert room.table.state_name == "playing"


@replaces_parts
def test_a_fault_at_a_table_that_is_held_does_not_let_it_go_on(room):
    """It is counted, and the operator still has the word."""
    anna, _ = two(room)
    now(room.table.freeze())
    with mock.patch.object(room.table.snapshots, "answer", side_effect=ZeroDivisionError):
        room.ask(anna, wire.GetSnapshot)
    restart(room)
    room.clock.advance(60)
    assert (room.table.state_name, room.counts.crashes) == ("frozen", 1)
    now(room.table.resume())
    room.clock.advance(0)
    assert room.table.state_name == "playing"


def test_a_table_that_plays_is_neither_resumed_nor_its_hand_declared_void(room):
    """Freeze it first: a hand that is being played is not taken from its players by one word."""
    two(room)
    hand_id = room.turn().hand_id
    assert refused(room.table.resume()) == "not_frozen"
    assert refused(room.table.void_hand()) == "not_frozen"
    assert room.turn().hand_id == hand_id
    assert isinstance(room.act("call"), wire.Ok)


def test_i4_a_hand_that_is_declared_void_leaves_every_stack_as_at_its_start(room):
    """Players are told when it is stored; the table stays frozen until it is told to go on, and deals another hand."""
    anna, bert = two(room)
    room.act("raise", 4_000)
    room.act("call")
    hand_id = room.turn().hand_id
    now(room.table.freeze())
    room.journal.hold = True
    done = room.table.void_hand()
    room.journal.store()
    room.journal.hold = False
    room.clock.advance(0)

    assert now(done) == hand_id
    for client in (anna, bert):
        ended = client.last(wire.HandEnded)
        assert (ended.hand_id, ended.void) == (hand_id, True)
        assert {seat.stack for seat in ended.stacks} == {10_000}
    assert (room.table.state_name, room.table.orders.voided) == ("frozen", hand_id)
    assert recovery.hand_in_progress(room.journal.kept) is None
    assert refused(room.table.void_hand()) == "no_hand"

    now(room.table.resume())
    room.clock.advance(0)
    assert room.turn().hand_id != hand_id
    assert [ended.void for ended in anna.all(wire.HandEnded)] == [True]
    assert stacks(room) == {anna.account: 10_000, bert.account: 10_000}
    assert room.settler.settled == []


def test_a_hand_is_void_only_when_the_journal_knows_it(room):
    """While the journal is away no client is told, and a second order meanwhile is refused."""
    anna, _ = two(room)
    now(room.table.freeze())
    room.journal.hold = True
    done = room.table.void_hand()
    assert refused(room.table.void_hand()) == "void_pending"
    assert not done.called
    assert not anna.all(wire.HandEnded)
    room.journal.store()
    room.journal.hold = False
    room.clock.advance(0)
    assert done.called
    assert anna.last(wire.HandEnded).void


def test_a_void_hand_keeps_the_table_frozen_at_its_next_owner(room):
    """The journal starts again, and says that the table is frozen."""
    anna, bert = two(room)
    hand_id = room.turn().hand_id
    now(room.table.freeze())
    assert now(room.table.void_hand()) == hand_id

    crash(room)

    assert (room.table.state_name, room.table.game.play.hand_id()) == ("frozen", None)
    come_back(room, anna, bert)
    now(room.table.resume())
    room.clock.advance(0)
    room.clock.advance(10)
    assert room.table.state_name == "playing"
    assert room.turn().hand_id != hand_id


@pytest.mark.parametrize("void", [False, True])
def test_a_frozen_table_is_frozen_at_every_later_owner(room, void):
    """With a hand in progress and without one, until the operator lets it go on."""
    two(room)
    now(room.table.freeze())
    if void:
        now(room.table.void_hand())
    for _ in range(3):
        crash(room)
        assert room.table.state_name == "frozen"
    now(room.table.resume())
    crash(room)
    assert room.table.state_name != "frozen"


def test_i4_a_hand_whose_betting_is_complete_is_finished_and_never_void(room):
    """I4: its result follows from the journal; whoever goes on with the table settles it."""
    anna, bert = two(room)
    hand_id = room.turn().hand_id
    room.settler.hold = True
    room.act("fold")
    now(room.table.freeze())

    assert refused(room.table.void_hand()) == "hand_complete"

    room.settler.commit()
    room.settler.hold = False
    assert refused(room.table.void_hand()) == "no_hand"
    assert [settled.hand_id for settled in room.settler.settled] == [hand_id]
    assert stacks(room) == {anna.account: 9_950, bert.account: 10_050}


def test_i4_a_hand_whose_result_no_player_can_pay_is_given_up_by_the_operator_alone(room):
    """It cannot be finished: resuming freezes the table again.

    Void at the operator's express order, with stacks as before.
    """
    anna, bert = two(room)
    hand_id = room.turn().hand_id
    room.settler.fails_with = LedgerConflict("other legs")
    room.act("fold")
    for _ in range(10):
        room.clock.advance(1)
    assert room.table.restarts.held
    now(room.table.resume())
    assert room.table.state_name == "frozen"
    now(room.table.freeze())
    with pytest.raises(OrderRefused, match="table void --complete") as default:
        now(room.table.void_hand())
    assert default.value.code == "hand_complete"
    with capture_logs() as logs:
        assert now(room.table.void_hand(complete=True)) == hand_id
    assert [one["log_level"] for one in logs if one["event"] == "hand.result_dropped"] == ["error"]
    ended = anna.last(wire.HandEnded)
    assert (ended.void, {seat.stack for seat in ended.stacks}) == (True, {10_000})
    assert refused(room.table.void_hand(complete=True)) == "no_hand"
    room.settler.fails_with = None
    crash(room)
    come_back(room, anna, bert)
    now(room.table.resume())
    room.clock.advance(10)
    assert (room.table.state_name, room.settler.settled) == ("playing", [])
    assert room.turn().hand_id != hand_id
    assert stacks(room) == {anna.account: 10_000, bert.account: 10_000}
    assert now(room.ledger.audit()).differences == ()


def test_a_result_on_its_way_to_the_ledger_is_not_given_up(room):
    """Neither while the ledger has it, nor where the table has gone on while it was asked how the hand stands."""
    anna, bert = two(room)
    room.settler.hold = True
    room.act("fold")
    now(room.table.freeze())
    assert refused(room.table.void_hand(complete=True)) == "hand_complete"
    with held(room) as answer:
        voiding = room.table.void_hand(complete=True)
        room.settler.commit()
        answer()
    assert refused(voiding) == "hand_complete"
    assert refused(room.table.void_hand(complete=True)) == "no_hand"
    assert stacks(room) == {anna.account: 9_950, bert.account: 10_050}


def test_a_hand_that_goes_on_and_stops_again_meanwhile_is_not_given_up(room):
    """What the ledger has said is of the time before."""
    anna, bert = two(room)
    room.settler.fails_with = LedgerConflict("other legs")
    room.act("fold")
    now(room.table.freeze())
    room.settler.fails_with = None
    with held(room) as answer:
        voiding = room.table.void_hand(complete=True)
        now(room.table.resume())
        now(room.table.freeze())
        answer()
    assert refused(voiding) == "hand_complete"
    assert stacks(room) == {anna.account: 9_950, bert.account: 10_050}


@contextmanager
def held(room: Room) -> Iterator[Callable[[], None]]:
    """The ledger's first word on settled hands is said now, and heard when the test says so."""
    later: Deferred[frozenset[str]] = Deferred()
    said: list[frozenset[str]] = []
    ask = room.ledger.settled_hands

    def asked(hands):
        if said:
            return ask(hands)
        said.append(now(ask(hands)))
        return later

    with mock.patch.object(room.ledger, "settled_hands", asked):
        yield lambda: later.callback(said[0])


def test_a_hand_that_cannot_be_read_is_declared_void(room):
    """As it would be at the next start; what the players were told of ends."""
    anna, _ = two(room)
    hand_id = room.turn().hand_id
    now(room.table.freeze())
    room.journal.kept[-2] = b"\xc1"
    assert now(room.table.void_hand()) == hand_id
    assert anna.last(wire.HandEnded).void
    now(room.table.resume())
    room.clock.advance(0)
    assert room.table.state_name == "playing"


@replaces_parts
@pytest.mark.parametrize("known", [True, False])
def test_a_hand_that_cannot_be_rebuilt_is_void_only_where_it_was_played(room, known):
    """The table that played it has its stacks; a later owner has nothing to declare void."""
    anna, bert = two(room)
    room.act("raise", 500)
    hand_id = room.turn().hand_id
    if not known:
        crash(room)
    now(room.table.freeze())

    with mock.patch.object(recovery, "rebuild", side_effect=UnreadableJournal("x")):
        if not known:
            crash(room)
            assert refused(room.table.void_hand()) == "no_hand"
            return
        assert now(room.table.void_hand()) == hand_id

    assert stacks(room) == {anna.account: 10_000, bert.account: 10_000}


def test_a_journal_that_cannot_be_read_holds_no_hand_to_declare_void(room):
    """Without a hand in progress the operator is told so."""
    anna = room.client("anna")
    room.sit(anna)
    now(room.table.freeze())

    with mock.patch.object(recovery, "read", side_effect=UnreadableJournal("x")):
        assert refused(room.table.void_hand()) == "no_hand"


def test_the_table_goes_on_while_its_hand_is_being_declared_void(room):
    """The operator resumes the table in between: the later order counts, and the hand is played."""
    two(room)
    hand_id = room.turn().hand_id
    now(room.table.freeze())
    room.journal.hold = True
    done = room.table.void_hand()
    now(room.table.resume())
    room.journal.store()
    room.journal.hold = False
    room.clock.advance(0)
    assert refused(done) == "not_frozen"
    room.clock.advance(0)
    assert room.turn().hand_id == hand_id
    assert room.table.state_name == "playing"


def test_a_table_that_leaves_the_node_is_not_frozen_any_more(room):
    """The order goes to the next owner, not to this table."""
    two(room)
    room.table.stop()
    assert refused(room.table.freeze()) == "table_stopped"
    assert refused(room.table.resume()) == "not_frozen"


@replaces_parts
@pytest.mark.parametrize("faulty", [False, True])
def test_a_drain_does_not_wait_for_a_table_that_the_operator_freezes(room, faulty):
    """Neither for one that plays nor for one that was about to restart: it goes on elsewhere, when it is resumed."""
    anna, _ = two(room)
    if faulty:
        with mock.patch.object(room.table.snapshots, "answer", side_effect=ZeroDivisionError):
            room.ask(anna, wire.GetSnapshot)
        assert room.table.state_name == "frozen"
    drained = room.table.drain()
    assert not drained.called

    now(room.table.freeze())

    assert drained.called


def test_a_void_that_waits_for_the_ledger_is_not_left_without_an_answer_by_a_fault(room):
    """The answer that it waits for is itself a fault of ours: the hand is void all the same."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=5_000)
    hand_id = room.turn().hand_id
    asked: Deferred[None] = Deferred()
    with mock.patch.object(room.ledger, "top_up", return_value=asked):
        room.ask(anna, wire.TopUp, amount=100)
    now(room.table.freeze())
    done = room.table.void_hand()
    assert not done.called

    asked.errback(LedgerConflict("no"))

    assert now(done) == hand_id
    now(room.table.resume())
    room.clock.advance(0)
    assert stacks(room) == {anna.account: 5_000, bert.account: 5_000}


def test_a_void_that_waits_for_the_ledger_is_refused_when_the_table_leaves_the_node(room):
    """The operator is told so at once, whether the ledger ever answers or not."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=5_000)
    asked: Deferred[None] = Deferred()
    with mock.patch.object(room.ledger, "top_up", return_value=asked):
        room.ask(anna, wire.TopUp, amount=100)
    now(room.table.freeze())
    done, again = room.table.void_hand(), room.table.void_hand()
    assert refused(again) == "void_pending"

    room.table.relinquish()

    assert refused(done) == "table_stopped"
    asked.callback(None)


def test_a_void_that_waits_for_the_ledger_is_refused_when_the_table_goes_on(room):
    """The later order counts."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=5_000)
    asked: Deferred[None] = Deferred()
    with mock.patch.object(room.ledger, "top_up", return_value=asked):
        room.ask(anna, wire.TopUp, amount=100)
    now(room.table.freeze())
    done = room.table.void_hand()
    now(room.table.resume())
    assert not done.called

    asked.callback(None)
    room.clock.advance(0)

    assert refused(done) == "not_frozen"
    assert room.table.state_name == "playing"

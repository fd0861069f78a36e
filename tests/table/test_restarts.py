"""A fault of ours at one table: it stops, loudly, and goes on from its journal and the ledger; no chip moves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pokerroom.ledger.api import LedgerConflict
from pokerroom.lobby.timeouts import TimeoutDay
from pokerroom.poker.hands import GATHER_MORE_S, GATHER_S
from pokerroom.poker.journal import VERSION
from pokerroom.table import restarts
from pokerroom_protocol import messages as wire
from tests.poker.support import Room, now


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


class Bug(Exception):  # noqa: N818 -- it stands for any
    """What a handler of ours might raise."""


def restart(room: Room) -> None:
    """Advance the clock past the pause before a restart."""
    room.clock.advance(restarts.DELAY_S)
    room.clock.advance(0)


def stacks(room: Room) -> dict[int, int]:
    return {row.account: row.stack for row in now(room.ledger.seats())}


def test_a_fault_before_the_journal_undoes_the_action_alone(room):
    """The action is refused, no viewer is told of it, and the same player is asked again with the same cards."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.act("call")
    before = anna.last(wire.Turn)
    cards = anna.last(wire.HoleCards).cards
    room.journal.fails_with = Bug()

    answer = room.act("raise", 500)

    assert (answer.code, room.table.state_name) == ("internal", "frozen")
    assert anna.last(wire.TableNotice).state == "frozen"
    assert [acted.action for acted in anna.all(wire.Acted)] == ["call"]
    room.clock.advance(restarts.DELAY_S / 2)
    assert room.answer(bert, wire.Chat, text="hm").code == "table_frozen"
    restart(room)
    assert room.table.state_name == "playing"
    assert anna.last(wire.TableNotice).state == "running"
    after = room.turn()
    assert (after.hand_id, after.seat) == (before.hand_id, before.seat)
    assert after.seq > before.seq
    assert after.deadline_ms == int(room.clock.seconds() * 1000) + 30_000
    snapshot = anna.last(wire.Snapshot)
    assert next(seat.cards for seat in snapshot.seats if seat.seat == 1) == cards
    assert [seat.cards for seat in snapshot.seats if seat.seat == 2] == [None]
    assert isinstance(room.act("raise", 500), wire.Ok)
    room.check_down()
    assert sum(stacks(room).values()) == 20_000
    assert [ended.hand_id for ended in anna.all(wire.HandEnded)] == [before.hand_id]


def test_a_card_of_a_step_that_does_not_stand_is_shown_to_no_player(room):
    """A frozen table shows no hand: a street that its fault came before is dealt only when the restart says so."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.act("call")
    room.journal.fails_with = Bug()
    room.act_blindly("check")  # deals the flop, which is not stored

    for client in (anna, bert, room.client("olga")):
        shown = room.answer(client, wire.Observe)
        assert shown.hand is None
        assert [seat.cards for seat in shown.seats] == [None, None]
        assert [seat.stack for seat in shown.seats] == [10_000, 10_000]
    restart(room)
    assert anna.last(wire.Snapshot).hand.board == []
    assert room.turn().check


def test_a_fault_after_the_journal_keeps_the_action(room):
    """What was journalled has happened: after the restart the next player is asked, and a repetition is answered."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    turn = room.turn()

    def broken() -> None:
        raise Bug

    room.counts.action = broken

    room.act_blindly("call")

    assert room.table.state_name == "frozen"
    del room.counts.action
    restart(room)
    assert room.turn().seat != turn.seat
    again = room.answer(anna, wire.Act, hand_id=turn.hand_id, seq=turn.seq, action="call")
    assert isinstance(again, wire.Ok)
    room.check_down()
    record = room.settler.settled[0].record.decode()
    assert record.count('["call",1,') == 1
    assert sum(stacks(room).values()) == 20_000


def test_a_restart_waits_for_the_ledger_and_settles_once(room):
    """A table that crashes while its hand is at the ledger hears of the commit first, and then plays the next hand."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    hand_id = room.turn().hand_id
    room.settler.hold = True
    room.act("fold")
    room.table.mailbox.post(_raise)
    restart(room)
    assert room.table.state_name == "frozen"
    assert not anna.all(wire.HandEnded)

    room.settler.commit()
    room.settler.hold = False
    room.clock.advance(0)

    assert [ended.hand_id for ended in anna.all(wire.HandEnded)] == [hand_id]
    assert [settled.hand_id for settled in room.settler.settled] == [hand_id]
    room.clock.advance(0)
    assert room.turn().hand_id != hand_id


def test_a_buy_in_under_way_is_not_lost_by_a_restart(room):
    """The restart waits for the ledger; then the newcomer has the seat and the answer."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna)
    held = []
    buy_in = room.ledger.buy_in
    room.ledger.buy_in = lambda *what: held.append(what) or room.held
    from twisted.internet.defer import Deferred

    room.held = Deferred()
    number = room.ask(bert, wire.SitDown, buy_in=5_000)
    room.table.mailbox.post(_raise)
    restart(room)
    assert room.table.state_name == "frozen"

    buy_in(*held[0]).chainDeferred(room.held)
    room.clock.advance(0)

    assert room.table.state_name == "playing"
    answer = next(message for message in bert.got if getattr(message, "re", None) == number)
    assert (answer.your_seat, answer.re) == (2, number)
    assert [seat.stack for seat in anna.last(wire.Snapshot).seats] == [10_000, 5_000]


def test_a_table_that_crashes_again_and_again_stays_frozen(room):
    """After three restarts within ten minutes it is for a person to look at; its seats stay as the ledger has them."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    for _ in range(restarts.RESTARTS_MAX):
        room.table.mailbox.post(_raise)
        restart(room)
        assert room.table.state_name == "playing"

    room.table.mailbox.post(_raise)
    room.clock.advance(3600)

    assert (room.table.state_name, room.table.restarts.for_good, room.counts.crashes) == ("frozen", True, 4)
    assert stacks(room) == {anna.account: 10_000, bert.account: 10_000}


def test_crashes_that_are_long_past_are_forgiven(room):
    """Only those of the last ten minutes count."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    for _ in range(restarts.RESTARTS_MAX + 2):
        room.table.mailbox.post(_raise)
        restart(room)
        for _ in range(restarts.WINDOW_S // 300):
            room.clock.advance(300)
    assert not room.table.restarts.for_good


def test_another_ledger_fault_freezes_for_good_without_moving_chips(room):
    """A conflict in the ledger repeats with every restart: the table ends frozen, every stack as at hand start."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.settler.fails_with = LedgerConflict("other legs")

    room.act("fold")
    for _ in range(10):
        restart(room)

    assert (room.table.state_name, room.table.restarts.for_good) == ("frozen", True)
    assert not bert.all(wire.HandEnded)
    assert stacks(room) == {anna.account: 10_000, bert.account: 10_000}


# --- another process ---------------------------------------------------------------------------------------------


def crash(room: Room) -> None:
    """The process is gone: a new table on what the journal and the ledger have."""
    room.table.stop()
    room.table = room.open()
    hand = [settled.hand_id for settled in room.settler.settled]
    room.table.restore(now(room.ledger.seats()), list(room.journal.kept), frozenset(hand))
    room.clock.advance(0)


def come_back(room: Room, *clients):
    again = [type(client)(client.name, client.account) for client in clients]
    for client in again:
        room.ask(client, wire.Observe)
    return again


def test_a_hand_is_played_on_after_a_crash_of_the_process(room):
    """Same hand, same cards, same player to act, full clock; its players need only come back."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.act("raise", 300)
    room.act("call")
    room.act("bet", 400)
    before, board = anna.last(wire.Turn), anna.last(wire.StreetDealt).cards
    cards = {client.account: client.last(wire.HoleCards).cards for client in (anna, bert)}

    crash(room)

    room.clock.advance(5)
    anna, bert = come_back(room, anna, bert)
    for client in (anna, bert):
        seen = client.last(wire.Snapshot)
        assert seen.hand.board == board
        assert {seat.seat: seat.cards for seat in seen.seats}[seen.your_seat] == cards[client.account]
        assert [seat.stack for seat in seen.seats if seat.bet] == [9_300]
    turn = anna.last(wire.Snapshot).hand.turn
    assert (turn.seat, turn.call_amount) == (before.seat, before.call_amount)
    assert turn.seq > before.seq + 2**31  # no event of the last epoch ever had it
    answer = room.answer(
        anna if turn.seat == 1 else bert, wire.Act, hand_id=before.hand_id, seq=turn.seq, action="call"
    )
    assert isinstance(answer, wire.Ok)
    room.check_down()
    assert room.settler.settled[0].hand_id == before.hand_id
    assert sum(stacks(room).values()) == 20_000


def test_an_action_repeated_after_a_crash_is_answered_and_not_taken_twice(room):
    """The client that heard no answer asks again over its new connection (C3)."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    turn = room.turn()
    room.act("call")

    crash(room)
    anna, bert = come_back(room, anna, bert)

    again = room.answer(anna, wire.Act, hand_id=turn.hand_id, seq=turn.seq, action="call")
    assert isinstance(again, wire.Ok)
    assert anna.last(wire.Snapshot).hand.turn.seat != turn.seat
    other = room.answer(anna, wire.Act, hand_id=turn.hand_id, seq=turn.seq, action="fold")
    assert other.code == "stale_seq"


def test_i4_a_hand_that_was_over_is_settled_after_a_crash(room):
    """I4: its betting was complete, so it is finished, not voided, and once."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    hand_id = room.turn().hand_id
    room.settler.hold = True
    room.act("fold")
    room.settler.waiting.clear()
    room.settler.hold = False

    crash(room)

    assert [settled.hand_id for settled in room.settler.settled] == [hand_id]
    assert stacks(room) == {anna.account: 9_950, bert.account: 10_050}


def test_a_hand_that_is_in_the_ledger_is_not_settled_again(room):
    """The process dies after the commit and before the journal hears of it."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.settler.hold = True
    room.act("fold")
    kept = list(room.journal.kept)
    room.settler.commit()
    room.settler.hold = False
    room.journal.kept[:] = kept

    crash(room)

    assert len(room.settler.settled) == 1
    assert stacks(room) == {anna.account: 9_950, bert.account: 10_050}
    assert room.table.game.play.hand_id() is None


def test_i4_without_its_journal_a_hand_is_void(room):
    """I4: every stack is as at hand start, and the table plays on."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.act("raise", 300)
    room.journal.kept.clear()

    crash(room)

    anna, bert = come_back(room, anna, bert)
    assert stacks(room) == {anna.account: 10_000, bert.account: 10_000}
    assert room.settler.settled == []
    for client in (anna, bert):
        room.ask(client, wire.SitIn)
    assert room.table.state_name == "playing"


@pytest.mark.parametrize("harm", ["key", "gap", "garbage", "version"])
def test_i4_an_unreadable_journal_voids_the_hand_and_no_more(room, harm):
    """Another key, a lost step, or bytes that mean nothing: the hand is void, the room starts all the same."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.act("call")
    room.act("check")
    room.act("check")
    kept = room.journal.kept
    match harm:
        case "key":
            room.key = bytes([7]) * 32
        case "gap":
            del kept[-2]
        case "garbage":
            kept[-1] = b"\xc1\xff"
        case "version":
            kept[0] = kept[0].replace(b"version" + bytes([VERSION]), b"version\x01", 1)

    crash(room)

    assert room.settler.settled == []
    assert stacks(room) == {anna.account: 10_000, bert.account: 10_000}
    assert room.table.game.play.hand_id() is None
    for client in come_back(room, anna, bert):
        room.ask(client, wire.SitIn)
    assert room.table.state_name == "playing"


def test_entries_stored_twice_are_read_once(room):
    """After an unknown outcome the journal may hold a step twice, or a whole flush."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.act("call")
    room.act("check")
    kept = room.journal.kept
    kept[1:] = [kept[1], kept[1], kept[2], kept[1], kept[2]]

    crash(room)

    anna, bert = come_back(room, anna, bert)
    assert anna.last(wire.Snapshot).hand.street == "flop"


def test_the_button_goes_on_after_a_restart_between_hands(room):
    """B3: no player skips or repeats the big blind because the room has restarted."""
    clients = [room.client(name) for name in ("anna", "bert", "carl")]
    room.sit_together(*clients)
    room.act("fold")
    room.act("fold")
    first = clients[0].all(wire.HandStarted)[0]
    assert room.table.state_name == "pausing"

    crash(room)

    clients = come_back(room, *clients)
    room.clock.advance(0)
    second = clients[0].last(wire.HandStarted)
    assert second.small_blind == first.big_blind
    assert second.button == first.small_blind


def test_after_a_restart_the_first_hand_waits_for_a_player_who_played_but_not_for_long(room):
    """A player that is not back in time misses the hand; the others wait no longer."""
    clients = [room.client(name) for name in ("anna", "bert", "carl")]
    room.sit_together(*clients)
    room.act("fold")
    room.act("fold")

    crash(room)
    anna, _ = come_back(room, *clients[:2])

    assert room.table.state_name == "pausing"
    assert not anna.all(wire.HandStarted)
    room.clock.advance(GATHER_MORE_S)
    assert [seat.seat for seat in anna.last(wire.HandStarted).seats] == [1, 2]


def test_after_a_restart_one_player_alone_waits_longer_for_the_others(room):
    """The time that is short begins when two are back: one plays no hand."""
    clients = [room.client(name) for name in ("anna", "bert", "carl")]
    room.sit_together(*clients)
    room.act("fold")
    room.act("fold")

    crash(room)
    (anna,) = come_back(room, clients[0])
    room.clock.advance(GATHER_S - 2 * GATHER_MORE_S)
    assert room.table.state_name == "pausing"

    come_back(room, clients[1])
    room.clock.advance(GATHER_MORE_S / 2)
    assert not anna.all(wire.HandStarted)
    room.clock.advance(GATHER_MORE_S / 2)
    assert [seat.seat for seat in anna.last(wire.HandStarted).seats] == [1, 2]


def test_after_a_restart_the_first_hand_is_dealt_when_all_are_back(room):
    """It does not wait for the rest of the time."""
    clients = [room.client(name) for name in ("anna", "bert")]
    room.sit_together(*clients)
    room.act("fold")

    crash(room)
    anna, _ = come_back(room, *clients)
    room.clock.advance(0)

    assert [seat.seat for seat in anna.last(wire.HandStarted).seats] == [1, 2]


def test_after_a_restart_pauses_between_hands_are_kept():
    """The wait for players that are not back yet ends with the first hand; a newcomer shortens no later pause."""
    room = Room(hand_pause_ms=3_000)
    clients = [room.client(name) for name in ("anna", "bert")]
    room.sit_together(*clients)
    room.act("fold")
    crash(room)
    anna, _ = come_back(room, *clients)
    room.clock.advance(0)
    hands = len(anna.all(wire.HandStarted))

    anna.wants_pause = True
    room.act("fold")
    room.sit(room.client("carl"))

    assert room.table.state_name == "pausing"
    assert len(anna.all(wire.HandStarted)) == hands
    room.clock.advance(3)
    assert len(anna.all(wire.HandStarted)) == hands + 1
    room.stop()


def test_after_a_restart_the_first_hand_does_not_wait_for_a_player_without_chips(room):
    """They can play no hand before they buy in again, here or not."""
    clients = [room.client(name) for name in ("anna", "bert", "carl")]
    room.sit_together(*clients)
    while True:
        room.act("fold")
        while room.table.game.hand.play is not None:
            most = room.turn().max_raise_to
            room.act("raise", most) if most else room.act("call")
        if not all(seat.stack for seat in room.table.game.seats.seats):
            break
        room.clock.advance(room.table.settings.hand_pause_ms / 1000)

    crash(room)
    come_back(room, *clients)
    room.clock.advance(0)

    assert room.table.state_name == "playing"


def test_h2_a_daily_allowance_counts_what_a_crashed_hand_has_used(room):
    """Uses of the clock's protection in a hand that is played on after a crash are not forgotten."""
    clients = [room.client(name) for name in ("anna", "bert", "carl")]
    room.sit_together(*clients)
    room.act("call")
    room.clock.advance(30)
    expired = clients[0].last(wire.Acted)
    assert expired.action == "clock_all_in"
    account = next(c.account for c in clients if c.last(wire.Snapshot).your_seat == expired.seat)
    assert room.timeouts.today(account) == 1
    room.timeouts = TimeoutDay(lambda: int(room.clock.seconds() * 1000))

    crash(room)

    assert room.timeouts.today(account) == 1


def _raise() -> None:
    raise Bug


@pytest.mark.parametrize("when", ["in a hand", "between hands"])
def test_a_wish_that_was_acknowledged_outlives_a_crash(room, when):
    """A player with an `ok` for sitting out sits out after the restart, too; a player who was to leave has left."""
    clients = [room.client(name) for name in ("anna", "bert", "carl", "dora")]
    room.sit_together(*clients)
    anna, bert, carl, dora = clients
    if when == "between hands":
        for _ in range(3):
            room.act("fold")
    assert isinstance(room.answer(anna, wire.SitOut), wire.Ok)
    assert isinstance(room.answer(carl, wire.SeatOptions, auto_top_up_to=9_000, muck_losing=False), wire.Ok)
    assert isinstance(room.answer(dora, wire.StandUp), wire.Ok)

    crash(room)
    anna, bert, carl = come_back(room, anna, bert, carl)
    room.ask(bert, wire.GetSnapshot)
    statuses = {seat.name: seat.status for seat in bert.last(wire.Snapshot).seats}
    assert (statuses["anna"], statuses["carl"]) == ("sitting_out", "playing")
    for _ in range(5):
        room.clock.advance(30)
    options = carl.last(wire.Snapshot).your_options
    assert (options.auto_top_up_to, options.muck_losing) == (9_000, False)
    assert dora.account not in stacks(room)


def test_wishes_between_hands_leave_one_entry_in_the_journal(room):
    """The journal of an idle table does not grow, however often a player sits in and out."""
    anna = room.client("anna")
    room.sit(anna)
    for _ in range(20):
        room.ask(anna, wire.SitOut)
        room.ask(anna, wire.SitIn)
    assert len(room.journal.kept) == 1

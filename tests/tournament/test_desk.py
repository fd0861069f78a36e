"""`pokerroom.tournament.desk`: what a table reports to its tournament, what it asks, and what its viewers are told."""

import msgpack
import pytest
from msgspec import structs
from structlog.testing import capture_logs

from pokerroom.table.restarts import DELAY_S
from pokerroom.tournament.desk import DOUBT_S, POLL_S
from pokerroom.tournament.director import LINGER_S
from pokerroom.tournament.messages import DeskReport, SeatPlan
from pokerroom_protocol import messages as wire
from tests.tournament.playing import NAME, held, level, now


def reports(room):
    return [letter for letter in room.letters if isinstance(letter, DeskReport)]


def asked(room, method):
    """From now on the requests of this kind for the ledger."""
    original, found = getattr(room.ledger, method), []

    def ask(*args, **others):
        found.append(args)
        return original(*args, **others)

    setattr(room.ledger, method, ask)
    return found


def test_a_table_that_stands_still_asks_the_ledger_only_if_the_tournament_is_silent(room):
    """Its reports go on all the time, and each is answered as long as the tournament lives."""
    room.fold_out()
    now(room.tournament.pause())
    room.fold_out()
    found = asked(room, "tournament")
    room.after(4 * DOUBT_S)
    assert found == []
    room.lost = lambda letter: isinstance(letter, SeatPlan)
    room.ask(room.players[0], wire.StandUp)
    room.after(DOUBT_S)
    assert found == [(NAME,)]
    room.after(2 * DOUBT_S)
    assert len(found) == 3


def test_a_table_with_nothing_new_to_say_asks_the_ledger_too_when_nothing_answers(room):
    """The tournament has another director since, and that one does not know a table that was closed."""
    room.fold_out()
    now(room.tournament.pause())
    room.fold_out()
    room.after(POLL_S)
    found = asked(room, "tournament")
    room.lost = lambda letter: isinstance(letter, SeatPlan)
    room.after(POLL_S)
    assert found == []
    room.after(DOUBT_S)
    assert found == [(NAME,)]


def test_a_report_is_sent_every_second_until_a_plan_answers_it_and_seldom_after_that(room):
    """A message may be lost, and a table has nothing to say most of the time."""
    now(room.tournament.pause())
    room.fold_out()
    room.letters.clear()
    room.after(4 * POLL_S)
    assert len(reports(room)) == 4
    room.lost = lambda letter: isinstance(letter, SeatPlan)
    room.ask(room.of_seat(6), wire.StandUp)
    room.letters.clear()
    room.after(4)
    assert len(reports(room)) == 4
    assert len({report.number for report in reports(room)}) == 1


def test_a_table_is_ready_only_when_it_could_deal(make):
    """It waits for its players first: no hand is ordered, and none is ordered while one is played."""
    room = make()
    room.restore()
    assert [report.ready for report in reports(room)] == [False] * len(reports(room))
    room.after(9)
    assert [letter for letter in room.letters if isinstance(letter, SeatPlan) and letter.order] == []
    room.after(2 + POLL_S)
    assert room.table.state_name == "playing"
    played = [report for report in reports(room) if report.playing]
    assert played
    assert not any(report.ready for report in played)


@pytest.mark.parametrize("journal", [True, False])
def test_a_table_that_was_taken_over_reports_its_hand(make, journal):
    """The level and the players of the hand that is played on, or that it waits for another one."""
    room = make(levels_timed=False, levels=(level(10, length=1), level(20, length=1), level(40, length=9)))
    room.begin()
    for _ in range(2):
        room.fold_out()
    room.act("call")
    order = room.table.game.seating.desk.plan.order
    room.lost = lambda letter: isinstance(letter, SeatPlan)
    room.letters.clear()
    room.restart_table(journal=journal)
    room.after(2)
    if not journal:
        assert not any(report.playing for report in reports(room))
        return
    last = reports(room)[-1]
    assert (last.playing, last.ready, last.level, last.taken, last.hands) == (True, False, 2, order.id, 2)
    assert last.plan == order.plan


def test_the_tournament_knows_who_is_away_when_a_table_has_lost_its_journal(room):
    """H5: the player is blinded off at the next owner, too."""
    room.fold_out()
    room.ask(room.of_seat(4), wire.StandUp)
    room.restart_table(journal=False)
    for player in room.players:
        if player is not room.of_seat(4):
            room.ask(player, wire.Observe)
    room.after(1)
    seats = {seat.seat: seat.status for seat in room.snapshot().seats}
    assert [seat for seat, status in seats.items() if status == "away"] == [4]


def test_the_next_hand_is_dealt_after_the_pause_and_not_before(make):
    """The pause of the offer, for viewers that want to look at the result."""
    room = make(hand_pause_ms=2_000)
    for player in room.players:
        player.wants_pause = True
    room.begin()
    hand_id = room.turn().hand_id
    while room.table.state_name == "playing" and room.table.game.play.hand_id() == hand_id:
        room.act("fold")
    room.clock.advance(1.999)
    assert room.table.state_name != "playing"
    room.clock.advance(0.0011)
    assert (room.table.state_name, room.turn().hand_id != hand_id) == ("playing", True)


def test_a_waiting_account_is_offered_no_seat(room):
    """And the list is told so, or it would wait for the answer."""
    for actor in (room.table, room.tournament):
        offered = []
        actor.offer_seat(1, lambda *found, to=offered: to.append(found))
        assert offered == [(None, 0)]


def test_after_the_end_no_player_leaves_or_returns(room):
    """The table shows the end for a moment, and its seats stay as they were."""
    room.ask(room.of_seat(5), wire.StandUp)
    now(room.tournament.roll_back())
    before = len(room.players[0].all(wire.SeatChanged))
    assert room.answer(room.of_seat(6), wire.StandUp).code == "not_playing"
    assert room.answer(room.of_seat(5), wire.SitIn).code == "already_playing"
    assert len(room.players[0].all(wire.SeatChanged)) == before
    assert (room.table.state_name, room.tournament.state_name) == ("waiting", "waiting")


def test_a_table_that_restarts_hears_of_the_end_and_shows_it(make):
    """A fault has frozen it while the last places were on their way; no second fault follows."""
    room = make(seats=2, prizes=(480,))
    room.begin()
    answer = held(room, "give_places")
    while all(entry.chips for entry in room.row().entries):
        room.all_in()
        room.clock.advance(0.01)
    room.table.mailbox.post(lambda: 1 / 0)
    assert room.table.state_name == "frozen"
    answer()
    assert (room.row().phase, room.table.state_name) == ("finished", "frozen")
    room.after(DELAY_S)
    assert room.counts.crashes == 1
    room.after(LINGER_S)
    assert (room.overs, room.tournament_overs) == (1, 1)


@pytest.mark.parametrize("journal", [True, False])
def test_the_next_owner_of_a_tournament_writes_its_state_at_once(room, journal):
    """It may die, too, before a hand is ordered: clock and button would be lost with the first journal."""
    now(room.tournament.pause())
    room.fold_out()
    room.after(7)
    clock = room.tournament.game.director.by_now().clock
    room.restart_tournament(journal=journal)
    written = len(room.tournament_journal.kept)
    assert written
    if journal:
        room.restart_tournament()
        assert room.tournament.game.director.by_now().clock == clock


def test_a_tournament_that_the_operator_froze_stays_so_at_its_next_owner(room):
    """It is no fault: it does not restart by itself, and goes on when it is let."""
    now(room.tournament.freeze())
    room.restart_tournament()
    room.after(10)
    assert (room.tournament.state_name, room.counts.crashes) == ("frozen", 0)
    now(room.tournament.resume())
    room.after(1)
    room.play_out()
    assert room.row().phase == "finished"


def test_a_tournament_that_restarts_after_a_fault_says_so(room):
    """In the log: it has no viewers of its own."""
    with capture_logs() as logs:
        room.tournament.mailbox.post(lambda: 1 / 0)
        room.after(DELAY_S + 1)
    assert [log["event"] for log in logs if log["log_level"] == "warning"] == ["table.restarted"]
    room.play_out()
    assert (room.row().phase, room.counts.crashes) == ("finished", 1)


def test_the_start_is_told_once(make):
    """By the table that deals the first hand, not by one that goes on, and not if it was rolled back before that."""
    room = make()
    room.begin()
    [row] = room.starts
    assert (row.opening.tournament, row.players) == (NAME, room.row().players)
    room.restart_table()
    for player in room.players:
        room.ask(player, wire.Observe)
    room.fold_out()
    room.restart_table(journal=False)
    assert len(room.starts) == 1
    other = make()
    other.tournament.restore([], [], frozenset())
    now(other.ledger.roll_back_tournament(NAME, other.tournament_epoch))
    other.restart(journal=False)
    assert other.starts == []


@pytest.mark.parametrize(("looks", "state"), [(False, "playing"), (True, "pausing")])
def test_a_pause_after_a_hand_is_for_players_that_look(make, looks, state):
    """One that is away, or that is not connected, waits for nothing."""
    room = make(hand_pause_ms=5_000)
    room.begin()
    gone, away = room.of_seat(5), room.of_seat(6)
    away.wants_pause = gone.wants_pause = True
    room.of_seat(1).wants_pause = looks
    room.ask(away, wire.StandUp)
    for _ in range(2):
        room.act("fold")
    gone.connected = False
    room.table.viewer_gone(gone)
    hand_id = room.table.game.play.hand_id()
    while room.table.game.play.hand_id() == hand_id:
        room.act("fold")
    room.clock.advance(0)
    assert room.table.state_name == state


def test_a_result_on_its_way_counts_before_the_tournament_ends_early(room):
    """I3: the operator's order comes while the ledger is asked for the hand."""
    room.settler.hold = True
    room.all_in()
    done = room.tournament.roll_forward()
    assert (done.called, room.table.state_name) == (False, "settling")
    room.settler.hold = False
    room.settler.commit()
    assert now(done) is None
    assert not room.players[0].last(wire.HandEnded).void
    best = max(room.row().entries, key=lambda entry: entry.chips or 0)
    assert best.chips != 1_500
    assert room.row().places[0].account == best.account


def test_an_end_that_was_not_told_is_told_by_the_next_owner(make):
    """With all places: the ledger has them, and the table has not heard of one."""
    room = make(seats=2, prizes=(480,))
    room.begin()
    room.lost = lambda letter: isinstance(letter, SeatPlan) and bool(letter.places)
    while room.row().phase == "running":
        room.all_in()
        room.clock.advance(0.01)
    assert room.players[0].all(wire.PlayerPlaced) == []
    room.lost = lambda _: False
    room.letters.clear()
    room.restart_tournament()
    assert {letter.table for letter in room.letters} == {NAME}
    assert [one.number for one in room.players[0].all(wire.PlayerPlaced)] == [2, 1]
    assert room.players[0].last(wire.TournamentEnded).phase == "finished"
    room.after(LINGER_S)
    assert (room.overs, room.tournament_overs) == (1, 1)


def test_a_hand_that_is_over_is_written_down_at_once(room):
    """Also where no hand follows: the next owner goes on with the right button."""
    now(room.tournament.pause())
    room.fold_out()
    last = msgpack.unpackb(room.tournament_journal.all[-1])
    assert (last["version"], last["entry"]) == (1, "tournament")
    assert [table[-1] for table in last["state"]["tables"]] == [1]


def test_a_table_that_opens_deals_nothing(room):
    """It does not know its seats yet, whatever lets other tables deal."""
    room.lost = lambda letter: isinstance(letter, SeatPlan)
    room.journal.kept.clear()
    room.restart_table()
    room.table.game.play.consider_next()
    room.lost = lambda _: False
    room.after(2)
    assert (room.table.state_name, room.counts.crashes) == ("pausing", 0)


def test_a_player_that_looks_before_the_table_opens_is_seen_there(make):
    """Once the ledger has said who sits here."""
    room = make()
    answer = held(room, "tournament")
    anna = room.players[0]
    room.restore()
    room.ask(anna, wire.Observe)
    assert anna.all(wire.Snapshot) == []
    answer()
    assert [one.tournament.phase for one in anna.all(wire.Snapshot)] == ["running"]
    assert {seat.name for seat in room.snapshot().seats if seat.connected} == {anna.name}
    assert anna.last(wire.Snapshot).info.closing is False


def test_h5_the_others_are_told_how_a_seat_changes(room):
    """H5: its player leaves, returns, loses the connection, and is here again."""
    anna, watcher = room.of_seat(6), room.of_seat(1)
    watcher.got.clear()
    assert room.answer(anna, wire.Unobserve).code == "seated_here"
    room.ask(anna, wire.StandUp)
    room.ask(anna, wire.SitIn)
    anna.connected = False
    room.table.viewer_gone(anna)
    anna.connected = True
    room.ask(anna, wire.Observe)
    assert [(one.seat, one.status, one.connected) for one in watcher.all(wire.SeatChanged)] == [
        (6, "away", True),
        (6, "playing", True),
        (6, "playing", False),
        (6, "playing", True),
    ]
    room.ask(anna, wire.StandUp)
    assert isinstance(room.answer(anna, wire.Unobserve), wire.Ok)


def test_a_plan_that_is_answered_needs_no_report_for_a_while(room):
    """The table has said what it had to say."""
    room.fold_out()
    room.letters.clear()
    room.clock.pump([0.5] * 9)
    assert reports(room) == []


def test_a_table_that_its_node_has_stopped_says_nothing(room):
    """Whatever is still on its way to it."""
    plan = room.table.game.seating.desk.plan
    room.table.stop()
    room.letters.clear()
    room.table.hear(structs.replace(plan, number=plan.number + 1, answers=0))
    assert reports(room) == []


def test_i3_an_order_that_comes_with_the_end_is_not_dealt(room):
    """I3: the plan that had it was lost, and the next one breaks off."""
    room.lost = lambda letter: isinstance(letter, SeatPlan) and letter.order is not None
    room.fold_out()
    assert room.table.state_name == "waiting"
    hands = len(room.players[0].all(wire.HandStarted))
    room.lost = lambda letter: isinstance(letter, SeatPlan) and not letter.break_off
    done = room.tournament.roll_back()
    room.lost = lambda _: False
    room.after(2)
    assert now(done) is None
    assert len(room.players[0].all(wire.HandStarted)) == hands


def test_who_is_out_is_not_away_before_the_place_is_told(make):
    """The ledger is asked for it: the player has no chips, and no part in the next hand."""
    room = make(seats=3, prizes=(500, 220))
    room.begin()
    answer = held(room, "give_places")
    while all(entry.chips for entry in room.row().entries):
        room.all_in()
        room.clock.advance(0.01)
    out = next(entry for entry in room.row().entries if not entry.chips)
    player = next(one for one in room.players if one.account == out.account)
    assert room.answer(player, wire.StandUp).code == "not_playing"
    answer()


def test_a_message_of_another_game_is_refused(room):
    """Nothing of Ultimate is known at a table of hold'em."""
    assert room.answer(room.players[0], wire.DealNow).code == "wrong_game"


def test_a_viewer_without_a_seat_may_come_and_go(room):
    """Nothing of the players changes."""
    watcher = room.client("watcher")
    room.players[0].got.clear()
    for leaves in (True, False):
        room.ask(watcher, wire.Observe)
        if leaves:
            assert isinstance(room.answer(watcher, wire.Unobserve), wire.Ok)
        watcher.connected = False
        room.table.viewer_gone(watcher)
        watcher.connected = True
    assert (room.players[0].all(wire.SeatChanged), room.counts.crashes) == ([], 0)

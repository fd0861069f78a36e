"""A tournament and its table apart: either is taken over alone; what they tell each other is lost, late or doubled."""

import pytest

from pokerroom.tournament.desk import DOUBT_S, POLL_S
from pokerroom.tournament.director import LINGER_S
from pokerroom.tournament.messages import DeskReport, SeatPlan
from pokerroom_protocol import messages as wire
from tests.tournament.playing import now


def watch(room):
    for player in room.players:
        room.ask(player, wire.Observe)


def played_out(room):
    """To its end, with all chips and prizes where they belong."""
    room.play_out()
    for number in (1, 2):
        now(room.ledger.pay_place("six.1", number))
    report = now(room.ledger.audit())
    assert (room.row().phase, report.differences, report.escrow) == ("finished", (), 0)
    assert [one.number for one in room.players[0].all(wire.PlayerPlaced)] == [6, 5, 4, 3, 2, 1]
    room.after(LINGER_S)
    assert (room.overs, room.tournament_overs) == (1, 1)


@pytest.mark.parametrize("journal", [True, False])
def test_the_tournament_alone_is_taken_over_in_mid_hand(room, journal):
    """Its players notice nothing: the same decision is awaited, and the hand is settled and counted."""
    room.fold_out()
    room.act("call")
    before, told = room.turn(), len(room.players[0].got)
    room.restart_tournament(journal=journal)
    assert (room.turn().hand_id, room.turn().seat) == (before.hand_id, before.seat)
    assert not [one for one in room.players[0].got[told:] if isinstance(one, wire.TableNotice)]
    played_out(room)


@pytest.mark.parametrize("journal", [True, False])
def test_the_table_alone_is_taken_over_in_mid_hand(room, journal):
    """Played on from its journal, or void (I4) and ordered again."""
    room.fold_out()
    room.act("call")
    before = room.turn().hand_id
    room.restart_table(journal=journal)
    watch(room)
    assert (room.turn().hand_id == before) is journal
    played_out(room)


@pytest.mark.parametrize("journal", [True, False])
def test_a_hand_that_was_settled_while_the_tournament_was_away_is_counted(room, journal):
    """The ledger has it; the next owner places the player that went out."""
    room.lost = lambda _: True
    while not any(entry.chips == 0 for entry in room.row().entries):
        room.all_in()
        room.clock.advance(0.01)
        if room.table.state_name == "waiting":
            break
    room.lost = lambda _: False
    room.restart_tournament(journal=journal)
    out = sum(entry.chips == 0 for entry in room.row().entries)
    assert len(room.row().places) == out
    room.after(POLL_S)
    played_out(room)


@pytest.mark.parametrize("kind", [SeatPlan, DeskReport])
def test_what_is_lost_is_made_good(room, kind):
    """Every other message is lost, one way or the other: the table asks again."""
    sent = {True: 0}

    def every_other(letter):
        sent[True] += isinstance(letter, kind)
        return isinstance(letter, kind) and sent[True] % 2 == 0

    room.lost = every_other
    for _ in range(3):
        room.fold_out()
        room.after(POLL_S + 1)
        assert room.table.state_name == "playing"
    room.lost = lambda _: False
    played_out(room)


def test_what_is_told_twice_counts_once(room):
    """Both of them get every message twice."""
    room.doubled = True
    played_out(room)


def test_a_late_plan_of_an_earlier_owner_changes_nothing(room):
    """The tournament has come to another node, and the first one still believes that it owns it."""
    room.fold_out()
    late = next(letter for letter in reversed(room.letters) if isinstance(letter, SeatPlan))
    room.restart_tournament()
    known, told = room.table.game.seating.desk.plan, len(room.players[0].got)
    room.table.hear(late)
    assert (room.table.game.seating.desk.plan, len(room.players[0].got)) == (known, told)


def test_prizes_are_given_under_the_epoch_of_the_tournament_alone(room):
    """An owner that was replaced is refused by the ledger, and stops; the table plays on for the next one."""
    while sum(entry.chips > 0 for entry in room.row().entries) == 6:
        now(room.ledger.take_table("tournament:six.1", "n2", room.tournament_epoch))
        room.all_in()
        room.clock.advance(0.01)
        if room.tournament.relinquished:
            break
        room.tournament_epoch += 1
        room.restart_tournament()
    assert (room.tournament.relinquished, room.row().places) == (True, ())
    assert room.relinquished == 1
    room.tournament_epoch += 1
    room.restart_tournament()
    assert room.row().places
    room.after(POLL_S)
    played_out(room)


def test_a_table_that_hears_nothing_finds_the_end_in_the_ledger(room):
    """The tournament was rolled back, and its owner has died before it told the table."""
    room.lost = lambda letter: isinstance(letter, SeatPlan)
    room.act("call")
    now(room.ledger.roll_back_tournament("six.1", room.tournament_epoch))
    room.tournament.stop()
    room.ask(room.of_seat(6), wire.StandUp)
    room.after(2 * DOUBT_S + 1)
    assert room.players[0].last(wire.HandEnded).void
    assert room.players[0].last(wire.TournamentEnded).phase == "rolled_back"
    room.after(LINGER_S)
    assert room.overs == 1


@pytest.mark.parametrize("hand", [True, False])
def test_a_journal_of_the_version_before_is_read(make, hand):
    """The table kept the tournament's state: button, level and absences go on, and so does the hand."""
    from msgpack import packb, unpackb

    from tests.tournament.support import in_version_before

    room = make()
    room.begin()
    room.ask(room.of_seat(6), wire.StandUp)
    room.fold_out()
    room.after(25)
    if hand:
        room.act("call")
    else:
        now(room.tournament.pause())
        room.fold_out()
    shown = room.snapshot()
    kept = in_version_before(
        *(
            [unpackb(one, strict_map_key=False) for one in one.kept]
            for one in (room.journal, room.tournament_journal)
        )
    )
    room.journal.kept[:] = [packb(one) for one in kept]
    room.tournament_journal.kept.clear()
    room.restart()
    watch_all_but(room, 6)
    if not hand:
        now(room.tournament.unpause())
        room.after(11)
    found = room.snapshot()
    assert next(seat.status for seat in found.seats if seat.seat == 6) == "away"
    assert found.hand.button == (shown.hand.button if hand else 3)
    assert found.tournament.level.level == 1
    played_out(room)


def watch_all_but(room, seat):
    for player in room.players:
        if player is not room.of_seat(seat):
            room.ask(player, wire.Observe)


def test_b9_an_order_that_comes_late_is_not_dealt_at_its_level(room):
    """B9: its plan was lost, and a level has passed: the hand that is dealt then is of the new level."""
    room.lost = lambda letter: isinstance(letter, SeatPlan) and letter.order is not None
    room.after(58)
    room.fold_out()
    assert room.table.state_name == "waiting"
    room.after(3)
    room.lost = lambda _: False
    room.after(POLL_S)
    assert room.players[0].last(wire.LevelStarted).level.level == 2
    assert [one.amount for one in room.players[0].all(wire.Posted)][-2:] == [20, 40]

"""`pokerroom.tournament.director`: what the journal hears of a break or a pause, in which no hand is played."""

import pytest
from twisted.internet.defer import Deferred

from pokerroom.ops.reports import OrderRefused
from pokerroom.tournament.director import LINGER_S
from pokerroom.tournament.play_clock import KEPT_S
from pokerroom_protocol import messages as wire
from tests.tournament.playing import level, now


def test_a_break_goes_on_near_where_it_stood_when_its_owner_dies(make):
    """The journal hears now and then how much of it is left: no more than that is rested twice."""
    room = make(levels=(level(10, break_s=30), level(20)))
    room.begin()
    room.after(61)
    room.fold_out()
    until_ms = room.players[0].last(wire.BreakStarted).until_ms
    room.after(23)
    room.restart()
    room.ask(room.players[0], wire.Observe)
    assert 0 <= room.snapshot().tournament.break_until_ms - until_ms <= KEPT_S * 1000


@pytest.mark.parametrize("journal", [True, False])
def test_a_pause_is_kept_whatever_is_lost_with_its_owner(make, journal):
    """At once: the ledger knows of it before the operator is answered."""
    room = make()
    room.begin()
    now(room.tournament.pause())
    room.restart(journal=journal)
    for player in room.players:
        room.ask(player, wire.Observe)
    if journal:
        room.fold_out()
    room.after(40)
    assert (room.table.state_name, room.snapshot().tournament.paused) == ("paused", True)
    now(room.tournament.unpause())
    room.restart(journal=journal)
    room.ask(room.players[0], wire.Observe)
    room.after(11)
    assert (room.table.state_name, room.snapshot().tournament.paused) == ("playing", False)


def test_a_redis_that_has_lost_everything_knows_the_clock_of_a_pause_again(make):
    """For the next owner: the one that has the table tells the journal now and then."""
    room = make()
    room.begin()
    now(room.tournament.pause())
    room.fold_out()
    room.journal.kept.clear()
    room.after(100)
    room.restart()
    room.ask(room.players[0], wire.Observe)
    room.after(30)
    tournament = room.snapshot().tournament
    assert (room.table.state_name, tournament.paused, tournament.level.level) == ("paused", True, 1)


def test_an_order_that_comes_while_the_ledger_is_asked_comes_after_it(make):
    """To pause and to go on are done one after the other, and each is answered."""
    room = make()
    room.begin()
    answers, pause = [], room.ledger.pause_tournament

    def slow(*args, **paused):
        answers.append(Deferred())
        return answers[-1].addCallback(lambda _: pause(*args, **paused))

    room.ledger.pause_tournament = slow
    paused, goes_on = room.tournament.pause(), room.tournament.unpause()
    assert (paused.called, goes_on.called, room.snapshot().tournament.paused) == (False, False, False)
    answers[0].callback(None)
    assert (now(paused), goes_on.called, room.snapshot().tournament.paused) == (None, False, True)
    now(room.table.freeze())
    answers[1].callback(None)
    assert (now(goes_on), room.row().paused) == (None, False)
    now(room.table.resume())
    assert (room.table.state_name, room.snapshot().tournament.paused) == ("playing", False)


def test_what_ends_while_the_ledger_is_asked_is_not_paused(make):
    """Whoever has asked is told."""
    room = make()
    room.begin()
    asked, pause = Deferred(), room.ledger.pause_tournament
    room.ledger.pause_tournament = lambda *args, **paused: asked.addCallback(lambda _: pause(*args, **paused))
    paused = room.tournament.pause()
    now(room.tournament.roll_back())
    asked.callback(None)
    with pytest.raises(OrderRefused) as refused:
        now(paused)
    assert refused.value.code == "tournament_not_running"
    room.after(LINGER_S)
    assert room.overs == 1

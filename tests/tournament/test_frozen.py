"""`pokerroom.tournament.orders`: the orders to a sit-and-go after a defect has frozen its table."""

import pytest
from twisted.internet.defer import Deferred

from pokerroom.ops.reports import OrderRefused
from pokerroom.rules.errors import InvariantBroken
from pokerroom.table.restarts import DELAY_S
from pokerroom.tournament import game
from pokerroom.tournament.desk import POLL_S
from pokerroom.tournament.director import LINGER_S, Director
from pokerroom.tournament.seating import TournamentRecovery
from pokerroom_protocol import messages as wire
from tests.compiled import replaces_parts
from tests.tournament.playing import NAME, now


@pytest.fixture
def planted(monkeypatch):
    """From now on whoever makes the table, or the tournament, again finds what cannot be."""

    def broken(*_args, **_others):
        raise InvariantBroken("planted")

    def plant(room):
        monkeypatch.setattr(TournamentRecovery, "plays_on", broken)
        monkeypatch.setattr(game, "restored", broken)

    return plant


@pytest.fixture
def refunds(monkeypatch):
    """So often the ledger was asked to roll back."""
    asked = []

    def of(room, *, held=False):
        original = room.ledger.roll_back_tournament

        def roll_back(*args):
            asked.append(args)
            if not held:
                return original(*args)
            room.waiting = Deferred()
            return room.waiting.addCallback(lambda _: original(*args))

        monkeypatch.setattr(room.ledger, "roll_back_tournament", roll_back)
        return asked

    return of


def refused(order):
    with pytest.raises(OrderRefused) as refusal:
        now(order)
    return refusal.value.code


def wallets(room):
    return [now(room.ledger.wallet(player.account)) for player in room.players]


def rolled_back(room, *, snapshots=True):
    """I3: all players have all of it back, and viewers are shown the end."""
    assert room.row().phase == "rolled_back"
    assert wallets(room) == [100_000] * 6
    assert now(room.ledger.audit()).differences == ()
    for player in room.players if snapshots else ():
        assert player.last(wire.Snapshot).tournament.phase == "rolled_back"
    assert refused(room.tournament.roll_back()) == "tournament_not_running"
    room.after(LINGER_S)
    assert (room.overs, room.tournament_overs) == (1, 1)


@replaces_parts
@pytest.mark.parametrize("which", ["table", "tournament"])
def test_i3_what_a_fault_freezes_again_and_again_is_rolled_back_while_it_is_held(
    room, planted, refunds, which
):
    """I3: exactly once, by the ledger's key; and table and tournament are over."""
    asked, frozen = refunds(room), getattr(room, which)
    room.act("call")
    planted(room)
    frozen.mailbox.post(lambda: 1 / 0)
    room.after(10)
    for _ in range(2):
        now(frozen.resume())
        room.after(10)
        assert frozen.state_name == "frozen"
    now(frozen.freeze())
    now(room.tournament.roll_back())
    assert asked == [(NAME, room.tournament_epoch)]
    if which == "table":
        notices = [notice.state for notice in room.players[0].all(wire.TableNotice)]
        assert notices[-2:] == ["frozen", "running"]
    else:
        assert room.players[0].last(wire.TournamentEnded).phase == "rolled_back"
    rolled_back(room, snapshots=which == "table")


@pytest.mark.parametrize("restarted", ["restart_table", "restart_tournament", "restart"])
def test_i3_what_cannot_be_opened_at_its_next_owner_is_rolled_back_there(room, planted, restarted):
    """I3: whatever is not known, and a viewer that asked for the table is shown its end."""
    planted(room)
    getattr(room, restarted)()
    for player in room.players:
        room.ask(player, wire.Observe)
    broken = [one for one in (room.table, room.tournament) if one.state_name == "frozen"]
    assert len(broken) == (2 if restarted == "restart" else 1)
    for one in broken:
        now(one.freeze())
    now(room.tournament.roll_back())
    if restarted == "restart_tournament":
        assert room.players[0].last(wire.TournamentEnded).phase == "rolled_back"
    rolled_back(room, snapshots=restarted != "restart_tournament")


def test_a_frozen_table_that_nobody_holds_is_not_rolled_back(room):
    """The table restarts in a moment: no order may decide for it meanwhile."""
    room.table.mailbox.post(lambda: 1 / 0)
    assert refused(room.tournament.roll_back()) == "table_frozen"
    assert room.row().phase == "running"
    now(room.table.freeze())
    assert refused(room.tournament.roll_forward()) == "table_frozen"
    now(room.table.resume())
    room.after(DELAY_S)
    room.play_out()
    assert now(room.ledger.audit()).differences == ()


def test_i3_a_held_table_is_not_rolled_back_once_a_prize_is_won(make):
    """I3 [D]: by the ledger, whatever the table knows; it stays as it is, and goes on when it is let."""
    room = make(seats=3, prizes=(400, 220, 100))
    room.begin()
    while len(room.row().places) == 0:
        room.all_in(2)
        room.clock.advance(0.01)
    assert room.row().phase == "running"
    now(room.table.freeze())
    assert refused(room.tournament.roll_back()) == "tournament_prizes_won"
    assert room.table.state_name == "frozen"
    now(room.table.resume())
    room.play_out()
    assert room.row().phase == "finished"
    assert now(room.ledger.audit()).differences == ()


def test_i3_a_prize_that_is_won_and_not_given_yet_is_not_rolled_back(make):
    """I3: the table was frozen while the ledger was asked for the last hand's result, and has asked for no places."""
    room = make(seats=2, prizes=(480,))
    room.begin()
    room.settler.hold = True
    room.all_in()
    now(room.table.freeze())
    room.settler.hold = False
    room.settler.commit()
    row = room.row()
    assert (min(entry.chips for entry in row.entries), row.places) == (0, ())
    assert refused(room.tournament.roll_back()) == "tournament_prizes_won"
    now(room.table.resume())
    room.after(DELAY_S)
    assert room.row().phase == "finished"
    assert [place.prize for place in room.row().places if place.place == 1] == [480]
    assert now(room.ledger.audit()).differences == ()


def test_i3_a_result_on_its_way_to_the_ledger_is_waited_for(room):
    """I3: it would come after the end, and be refused."""
    room.settler.hold = True
    room.all_in()
    now(room.table.freeze())
    done = room.tournament.roll_back()
    room.after(2 * POLL_S)
    assert (done.called, room.row().phase) == (False, "running")
    room.settler.hold = False
    room.settler.commit()
    assert now(done) is None
    assert not room.players[0].all(wire.HandEnded)[-1].void
    rolled_back(room)


def test_who_lets_it_go_on_meanwhile_finds_it_rolled_back(room, refunds):
    """Nothing is played before the ledger has answered; then the hand in progress is void."""
    refunds(room, held=True)
    now(room.table.freeze())
    done = room.tournament.roll_back()
    now(room.table.resume())
    assert (done.called, room.table.state_name) == (False, "waiting")
    room.waiting.callback(None)
    assert now(done) is None
    assert room.players[0].last(wire.HandEnded).void
    assert room.players[0].last(wire.TournamentEnded).phase == "rolled_back"
    rolled_back(room, snapshots=False)


def test_who_lets_it_go_on_before_it_is_asked_has_it_go_on(room):
    """A result was waited for: the later word counts."""
    room.settler.hold = True
    room.all_in()
    now(room.table.freeze())
    done = room.tournament.roll_back()
    now(room.table.resume())
    room.settler.hold = False
    room.settler.commit()
    assert refused(done) == "table_frozen"
    room.play_out()
    assert room.row().phase == "finished"
    assert now(room.ledger.audit()).differences == ()


def test_a_fault_between_the_end_and_its_telling_and_the_end_is_shown(make, monkeypatch):
    """The ledger has the last place: the tournament restarts at its end, and its table is over."""
    room = make(seats=2, prizes=(480,))
    room.begin()
    monkeypatch.setattr(Director, "_placed", lambda *_: 1 / 0)  # private: a planted fault
    while room.row().phase == "running":
        room.all_in()
        room.clock.advance(0.01)
    assert room.tournament.state_name == "frozen"
    room.after(DELAY_S)
    assert room.players[0].last(wire.TournamentEnded).phase == "finished"
    room.after(LINGER_S)
    assert room.overs == 1

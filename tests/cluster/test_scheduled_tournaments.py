"""Tournaments that start at a time, in a room of several nodes: from the announcement to the last prize."""

import pytest

from pokerroom.ledger.tournament_entries import table_and_seat
from pokerroom.ledger.tournaments import EntriesUsedUp, RegistrationClosed, table_of
from pokerroom_protocol import messages as wire
from tests.cluster.rooms import rooms as made_rooms
from tests.cluster.rooms import settings
from tests.cluster.test_tournaments import seen_turn
from tests.poker.support import now

OFFER = """
[[tournament]]
id = "sun"
name = "Sunday"
start = "*/10 * * * *"
announce_s = 600
seats_per_table = 3
players_min = 2
late_levels = {late}
entries_max = {entries}
buy_in = 300
fee = 60
guarantee = {guarantee}
starting_stack = 300
level_s = 60
hand_pause_ms = 0
levels = [ {{ small_blind = 10 }}, {{ small_blind = 20 }}, {{ small_blind = 50 }} ]
"""
NAME = "sun.1"
START_S = 1_700_000_400
"""The first start after the beginning of a room."""
FIRST_MS = 1000 * START_S


def text(*, late=0, entries=1, guarantee=0):
    return settings("t1") + OFFER.format(late=late, entries=entries, guarantee=guarantee)


@pytest.fixture
def rooms():
    yield from made_rooms()


def asked(rooms, done):
    rooms.until(lambda: done.called)
    return now(done)


def refused(rooms, done, refusal):
    failures = []
    done.addErrback(failures.append)
    rooms.until(lambda: bool(failures))
    assert isinstance(failures[0].value, refusal)


def entered(rooms, node, *names, tournament=NAME):
    """Clients with an entry each, registered at this node."""
    players = [rooms.client(name) for name in names]
    for player in players:
        asked(rooms, node.room.scheduled.register(player.account, tournament))
    return players


def row(rooms, name=NAME):
    return now(rooms.ledger.tournament(name))


def seats(rooms, name=NAME):
    """By account with chips: its table and seat."""
    return {
        entry.account: table_and_seat(entry.seat)
        for entry in row(rooms, name).entries
        if entry.counts and entry.chips
    }


def play(rooms, node, players, done, *, name=NAME, shoves=lambda _: True):
    """All players watch their tables over `node` and go all-in, or call, until `done`."""
    began = rooms.clock.seconds()
    while not done():
        assert rooms.clock.seconds() - began < 900, "it does not come to that"
        at = seats(rooms, name)
        for player in players:
            number, seat = at.get(player.account, (0, 0))
            table = table_of(name, number)
            if not number:
                continue
            if not any(isinstance(m, wire.Snapshot) and m.table == table for m in player.got):
                node.ask(player, wire.Observe, table)
                continue
            turn = seen_turn(player)
            if turn is None or turn.table != table or turn.seat != seat:
                continue
            shove = {"action": "raise" if turn.call_amount else "bet", "amount": turn.max_raise_to}
            chosen = {"action": "call" if turn.call_amount else "check"}
            if turn.max_raise_to and shoves(player):
                chosen = shove
            elif not shoves(player):
                chosen = {"action": "fold" if turn.call_amount else "check"}
            node.ask(player, wire.Act, table, hand_id=turn.hand_id, seq=turn.seq, **chosen)
        rooms.pass_s(0.2)


def finished(rooms, name=NAME):
    return lambda: row(rooms, name).phase == "finished"


def paid(rooms, name=NAME):
    """All prizes are paid, nothing is left in escrow, and the books are right."""
    rooms.pass_s(8)
    found = row(rooms, name)
    assert [place.number for place in found.places] == list(range(1, len(found.players) + 1))
    assert [place.prize for place in found.places if place.prize] == list(found.prizes)
    assert all(place.paid for place in found.places if place.prize)
    assert now(rooms.ledger.audit()).escrow == 0
    rooms.check()
    return found


def test_starts_are_announced_once_by_the_room(rooms):
    """Within the horizon, whichever node leads; each has the start of its recurrence."""
    one, two = rooms.start("a", text()), rooms.start("b", text())
    rooms.pass_s(5)
    for node in (one, two):
        listed = asked(rooms, node.room.scheduled.rows(None))
        assert [(one.tournament, one.starts_ms) for one in listed] == [(NAME, FIRST_MS)]
    rooms.pass_s(600)
    assert now(rooms.ledger.last_number("sun")) == 2


def test_it_starts_at_its_time_and_is_played_to_the_prize(rooms):
    """At one owner, with all that have entered at either node; then nothing is left of its tables."""
    one, two = rooms.start("a", text()), rooms.start("b", text())
    rooms.pass_s(5)
    players = entered(rooms, one, "p1", "p2") + entered(rooms, two, "p3", "p4")
    rooms.pass_s(START_S - rooms.clock.seconds() - 0.5)
    assert row(rooms).phase == "registering"
    rooms.until(lambda: row(rooms).phase == "running", 5)
    assert row(rooms).started_ms - FIRST_MS < 1_500
    refused(rooms, one.room.scheduled.unregister(players[0].account, NAME), RegistrationClosed)
    rooms.until(lambda: row(rooms).closed, 5)
    assert row(rooms).prizes == (960,)
    late = rooms.client("late")
    refused(rooms, two.room.scheduled.register(late.account, NAME), RegistrationClosed)
    assert sorted(seats(rooms).values()) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    play(rooms, one, players, finished(rooms))
    paid(rooms)
    rooms.pass_s(6)
    for node in rooms.nodes:
        assert [name for name in node.room.lobby.settings if "sun." in name] == []


def test_a_player_who_comes_and_goes_does_not_hold_off_the_start(rooms, monkeypatch):
    """The first draw is that of the entries, though an account leaves or enters before each try to start."""
    node = rooms.start("a", text(late=2))
    rooms.pass_s(5)
    flapping, *_ = entered(rooms, node, "p1", "p2", "p3")
    ledger, start, tries = rooms.ledger, rooms.ledger.start_tournament, []

    def start_after_a_flap(*draw):
        last = [entry for entry in row(rooms).entries if entry.account == flapping.account][-1]
        if last.returned:
            flap = ledger.enter(NAME, last.account, last.number + 1)
        else:
            flap = ledger.return_entry(NAME, last.account, last.number)
        flap.addErrback(lambda reason: tries.append(reason.type))
        return start(*draw)

    monkeypatch.setattr(ledger, "start_tournament", start_after_a_flap)
    rooms.pass_s(START_S - rooms.clock.seconds() - 0.5)
    rooms.until(lambda: row(rooms).phase == "running", 5)
    assert tries == [RegistrationClosed]
    assert len(row(rooms).entries) == 3


def test_too_few_players_get_their_money_back_at_the_start(rooms):
    """Once, and they are told; the next one is not concerned."""
    node = rooms.start("a", text(guarantee=5_000))
    rooms.pass_s(5)
    (player,) = entered(rooms, node, "p1")
    before = now(rooms.ledger.wallet(player.account))
    rooms.pass_s(START_S - rooms.clock.seconds() + 3)
    assert row(rooms).phase == "cancelled"
    assert now(rooms.ledger.wallet(player.account)) == before + 300
    assert row(rooms, "sun.2").phase == "registering"
    rooms.check()


def test_a_missed_start_is_opened_only_if_late_players_could_still_come(rooms):
    """It starts as soon as enough have entered; one without late entries is not opened any more."""
    before = rooms.start("a", text(late=2))
    rooms.pass_s(5)
    before.kill()
    rooms.clock.advance(1_025)
    node = rooms.start("b", text(late=2))
    rooms.pass_s(5)
    assert now(rooms.ledger.opened_starts("sun", 0)) == [
        FIRST_MS + later for later in (0, 600_000, 1_200_000)
    ]
    entered(rooms, node, "p1", "p2", tournament="sun.2")
    rooms.until(lambda: row(rooms, "sun.2").phase == "running", 5)


def test_a_new_offer_has_missed_no_start(rooms):
    """Only the starts after the offer came into the settings are opened, also at the next looks."""
    rooms.clock.advance(430)
    rooms.start("a", text(late=2))
    rooms.pass_s(10)
    assert now(rooms.ledger.opened_starts("sun", 0)) == [FIRST_MS + 600_000]


def test_late_players_and_re_entries_get_seats_and_the_last_place_is_told_late(rooms):
    """A table opens where no seat is free; a player out has no place until entries have closed."""
    one, two = rooms.start("a", text(late=3, entries=2)), rooms.start("b", text(late=3, entries=2))
    rooms.pass_s(5)
    players = entered(rooms, one, "p1", "p2", "p3")
    rooms.pass_s(START_S - rooms.clock.seconds())
    rooms.until(lambda: row(rooms).phase == "running", 5)
    (late,) = entered(rooms, two, "p4")
    rooms.until(lambda: late.account in seats(rooms), 5)
    assert len(row(rooms).tables) == 2
    everyone = [*players, late]

    def is_out():
        return any(entry.chips == 0 for entry in row(rooms).entries)

    play(rooms, one, everyone, is_out)
    rooms.pass_s(1)
    (out, *_) = [entry.account for entry in row(rooms).entries if entry.chips == 0]
    assert row(rooms).places == ()
    (listed, *_) = asked(rooms, one.room.scheduled.rows(out))
    assert (listed.your_status, listed.registration_open, listed.players) == ("out", True, 4)
    asked(rooms, two.room.scheduled.register(out, NAME))
    rooms.until(lambda: out in seats(rooms) or row(rooms).closed, 5)
    assert seats(rooms)[out]
    assert row(rooms).bought == 5
    play(rooms, two, everyone, finished(rooms))
    refused(rooms, one.room.scheduled.register(out, NAME), RegistrationClosed)
    found = paid(rooms)
    assert sum(found.prizes) == 5 * 240


def test_a_player_enters_no_more_often_than_allowed(rooms):
    """A freezeout with late entries takes no player twice."""
    node = rooms.start("a", text(late=3))
    rooms.pass_s(5)
    players = entered(rooms, node, "p1", "p2", "p3", "p4")
    rooms.pass_s(START_S - rooms.clock.seconds() + 1)
    play(rooms, node, players, lambda: any(entry.chips == 0 for entry in row(rooms).entries))
    (out, *_) = [entry.account for entry in row(rooms).entries if entry.chips == 0]
    if not row(rooms).closed:
        refused(rooms, node.room.scheduled.register(out, NAME), EntriesUsedUp)
    play(rooms, node, players, finished(rooms))
    paid(rooms)


def test_the_house_adds_what_the_guarantee_lacks(rooms):
    """The prizes are the guarantee, and the books add up."""
    node = rooms.start("a", text(guarantee=1_000))
    rooms.pass_s(5)
    players = entered(rooms, node, "p1", "p2")
    rooms.pass_s(START_S - rooms.clock.seconds() + 1)
    play(rooms, node, players, finished(rooms))
    assert paid(rooms).prizes == (1_000,)


@pytest.mark.parametrize("after_s", [0.1, 0.6, 3, 8])
def test_another_node_goes_on_when_the_owner_dies(rooms, after_s):
    """At the start, or while late players come: no entry is lost and no place is given twice."""
    one, two = rooms.start("a", text(late=2, entries=3)), rooms.start("b", text(late=2, entries=3))
    rooms.pass_s(5)
    players = entered(rooms, one, "p1", "p2", "p3", "p4", "p5")
    rooms.pass_s(START_S - rooms.clock.seconds() + after_s)
    home = next((node for node in rooms.nodes if f"tournament:{NAME}" in node.room.local_tables), one)
    other = two if home is one else one
    (late,) = entered(rooms, other, "late")
    home.kill()
    players.append(late)
    play(rooms, other, players, finished(rooms))
    found = paid(rooms)
    assert found.bought == 6

"""Tables that players open for their guests, in whole rooms of several nodes."""

from collections import deque

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import Deferred

from pokerroom.lobby.hosted_tables import LINGER_S
from pokerroom.lobby.operated_tables import OperatedTables
from pokerroom.ops.reports import OrderRefused
from pokerroom_protocol import messages as wire
from tests.cluster.hosting import FEW, TERMS, Party, Player, nothing_here, playing
from tests.cluster.rooms import rooms as made_rooms
from tests.cluster.rooms import settings
from tests.poker.support import now

PARTS = (
    "pokerroom.room",
    "pokerroom.cluster",
    "pokerroom.lobby",
    "pokerroom.gateway",
    "pokerroom.tournament",
)
"""What a node has beside its tables and its stores."""


def test_a_host_and_a_guest_play(rooms, party):
    """The link admits the guest. The table is in no lobby list, and the code is the host's alone."""
    node = rooms.start("a", FEW)
    alice, bob = (party.player(name, node) for name in ("alice", "bob"))
    made = party.table(alice)
    assert (made.host, made.paused, made.info.name, made.info.big_blind) == (
        "alice",
        False,
        "Friday night",
        100,
    )
    assert (made.info.min_buy_in, made.info.max_buy_in, made.info.seats) == (2_000, 10_000, 4)
    assert made.info.table not in [row.table for row in alice.ask(wire.ListTables).tables]
    found = bob.ask(wire.FindTable, code=made.code).hosted
    assert (found.code, found.info) == (None, made.info)
    for player in (alice, bob):
        assert isinstance(player.sit(made.info.table), wire.Snapshot)
    assert alice.all(wire.HandStarted)
    [seen] = bob.ask(wire.GetHostedTables).tables
    assert (seen.info.occupied, seen.code) == (2, None)
    [own] = alice.ask(wire.GetHostedTables).tables
    assert own.code == made.code


def test_host_and_guest_see_the_results(rooms, party):
    """The loser of a hand pays the winner. A guest that has not bought in sees them too, and is not among them."""
    node = rooms.start("a", FEW)
    alice, bob, carol = (party.player(name, node) for name in ("alice", "bob", "carol"))
    made = party.table(alice)
    for guest in (bob, carol):
        guest.ask(wire.FindTable, code=made.code)
    table = made.info.table
    for player in (alice, bob):
        assert isinstance(player.sit(table), wire.Snapshot)
    assert alice.all(wire.HandStarted)
    before = alice.ask(wire.GetTableResults, table=table)
    assert [(row.bought_in, row.on_table, row.net) for row in before.players] == [(5_000, 5_000, 0)] * 2
    assert before.payments == []
    loser, winner = (alice, bob) if alice.all(wire.Turn)[-1].on_timeout else (bob, alice)
    loser.fold(table)
    rooms.pass_s(1)
    names = {id(alice): "alice", id(bob): "bob"}
    for player in (alice, bob, carol):
        told = player.ask(wire.GetTableResults, table=table)
        assert told.table == table
        assert [(row.name, row.net) for row in told.players] == [
            (names[id(winner)], 50),
            (names[id(loser)], -50),
        ]
        assert told.payments == [
            wire.ResultPayment(payer=names[id(loser)], payee=names[id(winner)], amount=50)
        ]
    alice.ask(wire.ChangeHostedTable, table=table, order="close")
    rooms.until(lambda: now(rooms.ledger.hosted_versions()) == {}, 60)
    rooms.pass_s(5)
    for player in (alice, bob):
        assert len(player.ask(wire.GetTableResults, table=table).players) == 2
        assert player.code(wire.Observe, table=table) == "unknown_table"
    assert carol.code(wire.GetTableResults, table=table) == "unknown_table"


@pytest.mark.parametrize(
    ("terms", "path"),
    [
        ({"min_buy_in": 99}, "$.min_buy_in"),
        ({"min_buy_in": 6_000, "max_buy_in": 5_000}, "$.max_buy_in"),
        ({"max_buy_in": 50_001}, "$.max_buy_in"),
        ({"game": "omaha", "structure": "fixed_limit"}, "$.structure"),
        ({"name": " Friday"}, "$.name"),
        ({"name": "   "}, "$.name"),
        ({"name": "a\u0085b"}, "$.name"),
        ({"name": "a\u202eb"}, "$.name"),
        ({"name": "a\x00b"}, "$.name"),
        ({"name": "a\nb"}, "$.name"),
        ({"small_blind": 0}, "$.small_blind"),
        ({"small_blind": 10**10 + 1}, "$.small_blind"),
        ({"max_buy_in": 10**15 + 1}, "$.max_buy_in"),
        ({"seats": 11}, "$.seats"),
        ({"action_clock_s": 4}, "$.action_clock_s"),
    ],
)
def test_settings_that_no_table_can_have_are_refused(room, terms, path):
    """The error names the field, and nothing changes."""
    rooms, host = room
    before = dict(now(rooms.ledger.hosted_versions()))
    answer = host.ask(wire.CreateTable, **(TERMS | terms))
    assert (answer.code, answer.path) in {("bad_table_settings", path), ("bad_message", path)}
    assert dict(now(rooms.ledger.hosted_versions())) == before


@pytest.mark.parametrize("structure", ["no_limit", "pot_limit", "fixed_limit"])
@pytest.mark.parametrize("small_blind", [1, 7, 25, 100, 10**10])
def test_every_structure_has_its_blinds(room, structure, small_blind):
    """The big blind is two small blinds; at fixed limit the small bet is, too, and the big bet four."""
    rooms, host = room
    answer = host.ask(wire.CreateTable, name="x", small_blind=small_blind, structure=structure)
    info = answer.hosted.info
    assert (info.small_blind, info.big_blind) == (small_blind, 2 * small_blind)
    bets = (2 * small_blind, 4 * small_blind) if structure == "fixed_limit" else (None, None)
    assert (info.small_bet, info.big_bet) == bets
    host.ask(wire.ChangeHostedTable, table=info.table, order="close")
    rooms.pass_s(3)
    assert now(rooms.ledger.hosted_versions()) == {}


@pytest.fixture(scope="module")
def room():
    """A room of one node, with a host, for tests that leave nothing behind."""
    for made in made_rooms():
        yield made, Party(made).player("alice", made.start("a", FEW))


# --- what a host decides ----------------------------------------------------------------------------------------------


def to_act(*players):
    """The player with the pending decision."""
    turn = players[0].all(wire.Turn)[-1]
    seats = {player.all(wire.Snapshot)[-1].your_seat: player for player in players}
    return seats[turn.seat]


def test_a_host_changes_the_stakes(rooms, party):
    """From the next hand on, at any owner of the table; the hand in progress keeps its own, also at its next owner."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob, table, _ = playing(rooms, party, a, b)
    assert bob.code(wire.ChangeStakes, table=table, small_blind=200) == "not_host"
    refused = alice.ask(wire.ChangeStakes, table=table, small_blind=200, min_buy_in=300)
    assert (refused.code, refused.path) == ("bad_table_settings", "$.min_buy_in")
    assert alice.code(wire.ChangeStakes, table=table, small_blind=5_000) == "stakes_too_high"
    changed = alice.ask(wire.ChangeStakes, table=table, small_blind=100).hosted.info
    assert (changed.small_blind, changed.big_blind, changed.min_buy_in) == (100, 200, 4_000)
    rooms.pass_s(1)
    for player in (alice, bob):
        assert [event.big_blind for event in player.all(wire.StakesChanged)] == [200]
    owner, other = (a, b) if table in a.tables() else (b, a)
    stays = bob if owner is a else alice
    owner.kill()
    rooms.until(lambda: table in other.tables())
    rooms.until(lambda: len(stays.all(wire.Snapshot)) > 1)
    snapshot = stays.all(wire.Snapshot)[-1]
    assert snapshot.info.big_blind == 200
    assert max(seat.bet for seat in snapshot.seats) == 100
    rooms.check()


@pytest.mark.parametrize("structure", ["no_limit", "fixed_limit"])
def test_a_straddle_is_two_big_blinds_whatever_the_stakes(rooms, party, structure):
    """B6: also after the host has changed them. At fixed limit it is two small bets."""
    a = rooms.start("a", FEW)
    rooms.pass_s(2)
    alice = party.player("alice", a)
    table = party.table(alice, structure=structure, straddle=True, small_blind=50).info.table
    assert alice.ask(wire.Observe, table=table).info.straddle == 200
    assert alice.ask(wire.ChangeStakes, table=table, small_blind=25).hosted.info.straddle == 100
    rooms.pass_s(1)
    assert [event.straddle for event in alice.all(wire.StakesChanged)] == [100]
    other = party.table(alice, structure=structure, small_blind=50).info.table
    assert alice.ask(wire.ChangeStakes, table=other, small_blind=25).hosted.info.straddle == 0


@pytest.mark.parametrize("node_of_bob", ["a", "b"])
def test_a_table_that_an_operator_has_closed_takes_no_guest(rooms, party, node_of_bob):
    """Nor other stakes, at whichever node, until it is opened again."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob = party.player("alice", a), party.player("bob", {"a": a, "b": b}[node_of_bob])
    made = party.table(alice)
    table = made.info.table
    before = now(rooms.ledger.hosted_table(table))
    (a if table in a.tables() else b).table(table).close()
    rooms.pass_s(3)
    assert bob.code(wire.FindTable, code=made.code) == "table_closing"
    assert alice.code(wire.ChangeStakes, table=table, small_blind=25) == "table_closing"
    assert now(rooms.ledger.hosted_table(table)) == before
    (a if table in a.tables() else b).table(table).reopen()
    rooms.pass_s(3)
    assert isinstance(bob.ask(wire.FindTable, code=made.code), wire.HostedTable)
    assert alice.ask(wire.ChangeStakes, table=table, small_blind=25).hosted.info.small_blind == 25


def test_a_paused_table_begins_no_hand(rooms, party):
    """The hand in progress is played. The pause is told, is in snapshots, and outlives the owner of the table."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob, table, _ = playing(rooms, party, a, b)
    assert alice.ask(wire.ChangeHostedTable, table=table, order="pause").hosted.paused
    to_act(alice, bob).fold(table)
    rooms.pass_s(10)
    assert [len(player.all(wire.HandEnded)) for player in (alice, bob)] == [1, 1]
    assert [len(player.all(wire.HandStarted)) for player in (alice, bob)] == [1, 1]
    assert [event.paused for event in bob.all(wire.TablePaused)] == [True]
    assert bob.ask(wire.GetSnapshot, table=table).paused
    a.kill()
    rooms.until(lambda: table in b.tables())
    rooms.pass_s(30)
    assert bob.all(wire.Snapshot)[-1].paused
    again = Player(rooms, b)
    again.ask(wire.LogIn, name="alice", password="a password")
    assert again.ask(wire.Observe, table=table).paused
    assert not again.all(wire.HandStarted)
    assert not again.ask(wire.ChangeHostedTable, table=table, order="resume").hosted.paused
    rooms.until(lambda: again.all(wire.HandStarted))
    assert [event.paused for event in again.all(wire.TablePaused)] == [False]
    rooms.check()


def test_a_host_wins_no_pot_by_removing_its_other_player(rooms, party):
    """The guest faces a bet: the hand is shown down for the chips that are in, and the rest is the guest's."""
    alice, bob, table, _ = playing(rooms, party, *[rooms.start("a", FEW)] * 2)

    def decides(player, action, **amount):
        turn = player.all(wire.Turn)[-1]
        seq, hand_id = turn.seq, turn.hand_id
        player.ask(wire.Act, table=table, hand_id=hand_id, seq=seq, action=action, **amount)

    if to_act(alice, bob) is bob:
        decides(bob, "call")
    decides(alice, "raise", amount=5_000)
    assert to_act(alice, bob) is bob
    assert isinstance(alice.ask(wire.RemovePlayer, table=table, name="bob"), wire.Ok)
    rooms.until(lambda: alice.all(wire.HandEnded))
    seat = bob.all(wire.Snapshot)[-1].your_seat
    acts = [event.action for event in alice.all(wire.Acted) if event.seat == seat]
    assert (acts[-1], "fold" in acts) == ("clock_all_in", False)
    assert alice.all(wire.Shown)
    rooms.until(lambda: len(now(rooms.ledger.seats())) == 1)
    rooms.check()


def gone(rooms, nodes, table):
    """Nothing of the table is left at any node."""
    for node in nodes:
        room = node.room
        assert table not in room.lobby.settings
        assert room.lobby.table(table) is None
        assert table not in node.tables()
    assert now(rooms.ledger.hosted_table(table)) is None
    assert all(row.table != table for row in now(rooms.ledger.seats()))
    return True


def test_a_table_that_is_closed_is_gone_everywhere(rooms, party):
    """After the hand all chips are in the wallets. It takes no newcomer meanwhile."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob, table, code = playing(rooms, party, a, b)
    carol = party.player("carol", a)
    carol.ask(wire.FindTable, code=code)
    closed = alice.ask(wire.ChangeHostedTable, table=table, order="close").hosted
    assert closed.info.table == table
    for kind in (wire.JoinWaitlist, wire.LeaveWaitlist):
        assert carol.code(kind, table=table) == "no_waiting_list"
    assert carol.code(wire.SitDown, table=table, buy_in=5_000) == "table_closing"
    assert bob.code(wire.FindTable, code=code) == "unknown_link"
    assert alice.code(wire.ChangeHostedTable, table=table, order="pause") == "table_closing"
    to_act(alice, bob).fold(table)
    rooms.until(lambda: now(rooms.ledger.hosted_table(table)) is None)
    rooms.pass_s(1)
    assert [event.state for event in bob.all(wire.TableNotice)] == ["closing", "closed"]
    assert gone(rooms, (a, b), table)
    for player in (alice, bob, carol):
        assert nothing_here(player, table, (wire.Observe, wire.SitDown, wire.ChangeHostedTable))
        assert player.ask(wire.GetHostedTables).tables == []
    rooms.check_money()


@pytest.mark.parametrize("seated", [True, False])
def test_a_close_is_finished_by_the_next_owner(rooms, party, seated):
    """The owner dies in the hand, or when the seats are free and the ledger has not heard the end."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob, table, _ = playing(rooms, party, a, b)
    owner, other = (a, b) if table in a.tables() else (b, a)
    alice.ask(wire.ChangeHostedTable, table=table, order="close")
    if not seated:
        owner.ledger.end_hosted_table = lambda _: Deferred()  # its answer never comes
        to_act(alice, bob).fold(table)
        rooms.until(lambda: now(rooms.ledger.seats()) == [])
    owner.kill()
    rooms.until(lambda: now(rooms.ledger.hosted_table(table)) is None, 90)
    rooms.pass_s(3)
    assert gone(rooms, (other,), table)
    rooms.check_money()


def test_a_table_that_is_given_away_as_it_is_closed_for_good_is_forgotten_once(rooms, party):
    """Its owner hears that it is gone while it still waits for last messages."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob, table, _ = playing(rooms, party, a, b)
    owner = a if table in a.tables() else b
    alice.ask(wire.ChangeHostedTable, table=table, order="close")
    to_act(alice, bob).fold(table)
    with capture_logs() as logs:
        rooms.until(lambda: now(rooms.ledger.hosted_table(table)) is None)
        owner.room.drain()
        rooms.until(lambda: table not in owner.tables(), LINGER_S)
        owner.room.hosted_tables.changed(table)
        rooms.pass_s(5)
    assert [line for line in logs if line["log_level"] == "critical"] == []
    assert gone(rooms, (a, b), table)
    rooms.check_money()


def test_a_room_that_starts_again_has_its_tables(rooms, party):
    """With their seats; one that was told to close is closed, and its chips are in the wallets."""
    a = rooms.start("a", FEW)
    _, bob, table, _ = playing(rooms, party, a, a)
    closing = party.table(bob).info.table
    bob.sit(closing)
    a.ledger.end_hosted_table = lambda _: Deferred()
    bob.ask(wire.ChangeHostedTable, table=closing, order="close")
    a.kill()
    rooms.pass_s(60)
    c = rooms.start("c", FEW)
    assert table in c.tables()
    rooms.pass_s(5)
    assert gone(rooms, (c,), closing)
    again = Player(rooms, c)
    again.ask(wire.LogIn, name="alice", password="a password")
    assert isinstance(again.ask(wire.Observe, table=table), wire.Snapshot)
    assert len(now(rooms.ledger.seats())) == 2
    rooms.check()


def test_a_guest_that_comes_from_another_node_is_let_in(rooms, party):
    """That node has not heard of the table yet, or not of the guest."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob, carol = (party.player(name, a) for name in ("alice", "bob", "carol"))
    rooms.hub.losing = lambda *_: True
    made = party.table(alice)
    table = made.info.table
    for guest, name in ((bob, "bob"), (carol, "carol")):
        guest.ask(wire.FindTable, code=made.code)
        there = Player(rooms, b)
        there.ask(wire.LogIn, name=name, password="a password")
        assert not b.room.hosted_tables.admits(there.session.account, table)
        told = there.ask(wire.Observe, table=table)
        assert isinstance(told, wire.Error)
        assert told.code == "unavailable"  # the word of its owner has not come, too
        assert b.room.hosted_tables.admits(there.session.account, table)
    rooms.hub.losing = lambda *_: False
    rooms.until(lambda: isinstance(there.ask(wire.Observe, table=table), wire.Snapshot))


def test_nodes_hear_of_a_table_though_messages_are_lost(rooms, party):
    """A look finds what is new, what has changed and what is gone."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob = party.player("alice", a), party.player("bob", a)
    rooms.hub.losing = lambda *_: True
    made = party.table(alice)
    table = made.info.table
    bob.ask(wire.FindTable, code=made.code)
    rooms.pass_s(3)
    assert b.room.hosted_tables.admits(bob.session.account, table)
    alice.ask(wire.RemovePlayer, table=table, name="bob")
    rooms.pass_s(3)
    assert not b.room.hosted_tables.admits(bob.session.account, table)
    alice.ask(wire.ChangeHostedTable, table=table, order="close")
    rooms.until(lambda: now(rooms.ledger.hosted_table(table)) is None)
    rooms.pass_s(5)
    rooms.hub.losing = lambda *_: False
    rooms.pass_s(5)
    assert gone(rooms, (a, b), table)


def test_a_guest_at_another_node_may_sit_down_as_soon_as_the_link_is_answered(rooms, party):
    """Though that node has not heard yet where the table is: the answer waits until it knows."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob = party.player("alice", a), party.player("bob", b)
    rooms.hub.losing = lambda *_: True
    made = party.table(alice)
    rooms.hub.losing = lambda *_: False
    bob.ask(wire.FindTable, code=made.code)
    assert isinstance(bob.sit(made.info.table), wire.Snapshot)


def test_many_tables_leave_nothing_behind(rooms, party):
    """Settings, seats, rows, channels and waiting lists are as before the first one."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob = party.player("alice", a), party.player("bob", b)

    def cycle():
        made = party.table(alice)
        table = made.info.table
        bob.ask(wire.FindTable, code=made.code)
        bob.sit(table)
        alice.ask(wire.Observe, table=table)
        alice.ask(wire.ChangeHostedTable, table=table, order="close")
        rooms.until(lambda: now(rooms.ledger.hosted_table(table)) is None)
        rooms.pass_s(6)
        return table

    for _ in range(2):
        cycle()
    before = [remembered(node.room) for node in (a, b)]
    for _ in range(8):
        cycle()
    for node, was in zip((a, b), before, strict=True):
        grown = {place: size for place, size in remembered(node.room).items() if size > was.get(place, 0)}
        assert grown == {}


def remembered(room):
    """How many things each collection of a node has, by its place."""
    sizes, seen, places = {}, set(), [("room", room)]
    while places:
        place, thing = places.pop()
        if isinstance(thing, dict | set | list | deque):
            sizes[place] = len(thing)
        elif id(thing) not in seen and type(thing).__module__.startswith(PARTS):
            seen.add(id(thing))
            slots = {name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())}
            names = slots | set(getattr(thing, "__dict__", ()))
            places += [(f"{place}.{name}", getattr(thing, name)) for name in sorted(names)]
    return sizes


def test_a_table_without_players_closes(rooms, party):
    """After an hour, by the settings of this room; one that is played stays."""
    node = rooms.start("a", FEW)
    alice, bob = party.player("alice", node), party.player("bob", node)
    empty = party.table(alice).info.table
    played = party.table(bob).info.table
    now(
        rooms.ledger.buy_in(
            "buyin:" + 32 * "1", played, rooms.epochs()[played], 1, bob.session.account, 5_000, 9
        )
    )
    for _ in range(8):
        rooms.clock.advance(601)
        rooms.pass_s(1)
    rooms.pass_s(5)
    assert list(now(rooms.ledger.hosted_versions())) == [played]
    assert gone(rooms, (node,), empty)


def test_the_operator_sees_hosts_and_closes_their_tables(rooms, party):
    """The chips are in the wallets; the table is closed for good when its time without players is over."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice = party.player("alice", a)
    table = party.table(alice).info.table
    alice.sit(table)
    alice.ask(wire.ChangeHostedTable, table=table, order="pause")
    owner, other = (a, b) if table in a.tables() else (b, a)
    shown = {node: next(row for row in operated(node).tables() if row.table == table) for node in (a, b)}
    assert [(row.host, row.name) for row in shown.values()] == [("alice", "Friday night")] * 2
    assert (shown[owner].state, shown[other].state) == ("paused", "elsewhere")
    assert {row.host for row in operated(a).tables() if row.table == "t1"} == {None}
    now(operated(owner).order(table, "close", None))
    rooms.until(lambda: now(rooms.ledger.seats()) == [])
    assert alice.code(wire.SitDown, table=table, buy_in=5_000) == "table_closing"
    [row] = alice.ask(wire.GetHostedTables).tables
    assert row.info.closing
    for _ in range(7):
        rooms.clock.advance(601)
        rooms.pass_s(1)
    rooms.pass_s(5)
    assert gone(rooms, (a, b), table)


def operated(node):
    """What the operator asks this node."""
    room = node.room
    return OperatedTables(
        settings=room.lobby.settings,
        local=room.local_tables,
        ledger=node.ledger,
        day=room.timeouts,
        node=node.name,
        move=room.ownership.move,
        host_name=room.hosted_tables.host_name,
        end_pause=room.hosted_tables.resume,
    )


def test_an_operator_lets_a_table_go_on_that_its_host_has_paused(rooms, party):
    """The host may be gone. A table that is not paused has nothing to resume, nor one that the host closes."""
    node = rooms.start("a", FEW)
    alice, bob, table, _ = playing(rooms, party, node, node)
    tables = operated(node)

    def refusal() -> str:
        with pytest.raises(OrderRefused) as refused:
            now(tables.order(table, "resume", None))
        return refused.value.code

    assert refusal() == "not_frozen"
    alice.ask(wire.ChangeHostedTable, table=table, order="pause")
    to_act(alice, bob).fold(table)
    rooms.pass_s(10)
    assert len(bob.all(wire.HandStarted)) == 1
    assert now(tables.order(table, "resume", None)).asked == "resume"
    rooms.pass_s(10)
    assert [event.paused for event in bob.all(wire.TablePaused)] == [True, False]
    assert len(bob.all(wire.HandStarted)) > 1
    assert refusal() == "not_frozen"
    alice.ask(wire.ChangeHostedTable, table=table, order="pause")
    alice.ask(wire.ChangeHostedTable, table=table, order="close")
    assert refusal() == "not_frozen"
    rooms.check()


def test_a_seat_at_a_private_table_calls_no_waiting_player_in_vain(rooms, party):
    """The waiting lists do not know such seats: the account is called once, and the ledger counts."""
    node = rooms.start("a", FEW + "[limits]\ntables_per_account_max = 1\n")
    alice = party.player("alice", node)
    table = party.table(alice).info.table
    assert isinstance(alice.sit(table), wire.Snapshot)
    assert isinstance(alice.ask(wire.JoinWaitlist, table="t1"), wire.Waitlisted)
    rooms.until(lambda: alice.all(wire.SeatOffered))
    assert alice.code(wire.SitDown, table="t1", buy_in=5_000) == "too_many_tables"
    rooms.pass_s(70)
    assert len(alice.all(wire.SeatOffered)) == 1


# --- who may open and join --------------------------------------------------------------------------------------------


def test_the_number_of_tables_is_limited(rooms, party):
    """Of an account; a room may have none at all, and does not offer them."""
    node = rooms.start("a", FEW)
    alice = party.player("alice", node)
    first = party.table(alice).info.table
    party.table(alice)
    assert alice.code(wire.CreateTable, **TERMS) == "too_many_hosted_tables"
    alice.ask(wire.ChangeHostedTable, table=first, order="close")
    rooms.pass_s(3)
    party.table(alice)
    assert "hosted_tables" in alice.all(wire.Welcome)[0].features
    node.kill()
    rooms.pass_s(30)
    off = rooms.start("b", settings("t1") + "[hosting]\ntables_per_account = 0\n")
    bob = party.player("bob", off)
    assert "hosted_tables" not in bob.all(wire.Welcome)[0].features
    assert bob.code(wire.CreateTable, **TERMS) == bob.code(wire.FindTable, code="x" * 22) == "hosting_off"
    again = Player(rooms, off)
    again.ask(wire.LogIn, name="alice", password="a password")
    assert len(again.ask(wire.GetHostedTables).tables) == 2


def test_an_excluded_account_opens_and_joins_no_table(rooms, party):
    """It may still close its own."""
    node = rooms.start("a", FEW)
    alice, bob = party.player("alice", node), party.player("bob", node)
    own, other = party.table(alice), party.table(bob)
    alice.ask(wire.Exclude, length="week")
    assert alice.code(wire.CreateTable, **TERMS) == "excluded"
    assert alice.code(wire.FindTable, code=other.code) == "excluded"
    assert isinstance(
        alice.ask(wire.ChangeHostedTable, table=own.info.table, order="close"), wire.HostedTable
    )


def test_the_account_of_a_host_is_deleted_after_its_tables(rooms, party):
    """A table without a host could be closed by no player."""
    node = rooms.start("a", FEW)
    alice = party.player("alice", node)
    table = party.table(alice).info.table
    assert alice.code(wire.DeleteAccount, password="a password") == "account_in_use"
    alice.ask(wire.ChangeHostedTable, table=table, order="close")
    rooms.pass_s(3)
    assert alice.code(wire.DeleteAccount, password="a password") == "wallet_not_empty"

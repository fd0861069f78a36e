"""Sit-and-gos in a room of several nodes: started, played, moved, played on and over, whichever node does it."""

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.cluster.messages import TournamentMail
from pokerroom.cluster.room_bus import RoomBus
from pokerroom.ledger.tournament_entries import table_and_seat
from pokerroom.ledger.tournaments import PlaceGiven
from pokerroom_protocol import messages as wire
from tests.cluster.rooms import rooms as made_rooms
from tests.cluster.rooms import settings
from tests.poker.support import now

OFFER = """
[[sit_and_go]]
id = "three"
seats = 3
buy_in = 300
fee = 60
prizes = [500, 220]
starting_stack = 300
level_s = 60
hand_pause_ms = 0
levels = [ { small_blind = 10 }, { small_blind = 20 }, { small_blind = 50 } ]
"""
TEXT = settings("t1") + OFFER


@pytest.fixture
def rooms():
    yield from made_rooms()


def registered(rooms, *nodes, count=3, offer="three", prefix="p"):
    """Players with a seat each, registered at one node after the other."""
    players = [rooms.client(f"{prefix}{n}") for n in range(count)]
    for n, player in enumerate(players):
        done = nodes[n % len(nodes)].room.registration.register(player.account, offer)
        rooms.until(lambda done=done: done.called)
    return players


def running(rooms, *nodes, name="three.1"):
    """The players of a tournament that has started, and the node where it lives."""
    rooms.pass_s(1)  # all know of each other
    players = registered(rooms, *nodes)
    rooms.until(lambda: any(node.room.local_tables.get(name) for node in rooms.nodes), 10)
    rooms.until(lambda: now(rooms.ledger.tournament(name)).phase == "running", 5)
    rooms.pass_s(0.1)
    return players, next(node for node in rooms.nodes if node.room.local_tables.get(name))


def watched_from_afar(rooms):
    """The players of one that runs, the node where it lives, and the other one, over which all of them watch."""
    one, two = rooms.start("a", TEXT), rooms.start("b", TEXT)
    players, home = running(rooms, one, two)
    other = two if home is one else one
    for player in players:
        other.ask(player, wire.Observe, "three.1")
    rooms.pass_s(1)
    return players, home, other


def seen_turn(player):
    """Return the decision that is awaited, as this player was told."""
    for message in reversed(player.got):
        if isinstance(message, wire.Turn):
            return message
        if isinstance(message, wire.Snapshot):
            turn = None if message.hand is None else message.hand.turn
            if turn is None:
                return None
            return wire.Turn(
                table=message.table,
                hand_id=message.hand.hand_id,
                **{field: getattr(turn, field) for field in turn.__struct_fields__},
            )
        if isinstance(message, wire.HandEnded | wire.Acted):
            return None
    return None


def play(rooms, node, players, name="three.1"):
    """Go all-in at every turn, each over `node`, until the tournament is over."""
    began = rooms.clock.seconds()
    while now(rooms.ledger.tournament(name)).phase == "running":
        assert rooms.clock.seconds() - began < 600, "it does not come to its end"
        accounts = now(rooms.ledger.tournament(name)).players
        for player in players:
            turn = seen_turn(player)
            if turn is None or accounts[turn.seat - 1] != player.account:
                continue
            shove = {"action": "raise" if turn.call_amount else "bet", "amount": turn.max_raise_to}
            chosen = shove if turn.max_raise_to else {"action": "call" if turn.call_amount else "check"}
            if turn.max_raise_to and turn.check and turn.call_amount == 0 and turn.min_raise_to:
                chosen = {"action": "check"}
            node.ask(player, wire.Act, name, hand_id=turn.hand_id, seq=turn.seq, **chosen)
        rooms.pass_s(0.2)


def over(rooms, name="three.1"):
    """All is paid, and no node knows the table any more."""
    rooms.pass_s(8)
    row = now(rooms.ledger.tournament(name))
    assert row.phase == "finished"
    assert [place.number for place in row.places] == [1, 2, 3]
    assert sum(place.prize for place in row.places) == 720
    assert all(place.paid for place in row.places if place.prize)
    assert now(rooms.ledger.audit()).escrow == 0
    for node in rooms.nodes:
        assert name not in node.room.lobby.settings
        assert node.room.lobby.table(name) is None
    assert name not in rooms.owners()
    rooms.check()


def test_a_tournament_that_fills_is_started_played_and_over(rooms):
    """On one node: from registration to the prizes, and then nothing is left of its table."""
    node = rooms.start("a", TEXT)
    players, home = running(rooms, node)
    assert home is node
    for player in players:
        node.ask(player, wire.Observe, "three.1")
    play(rooms, node, players)
    over(rooms)


def test_players_of_two_nodes_play_at_one_table(rooms):
    """Registered at either, connected to either; the table is known at both, and listed at none."""
    one, two = rooms.start("a", TEXT), rooms.start("b", TEXT)
    players, home = running(rooms, one, two)
    other = two if home is one else one
    rooms.pass_s(1.5)
    for player in players:
        other.ask(player, wire.Observe, "three.1")
    rooms.pass_s(0.5)
    assert all(player.last(wire.Snapshot).tournament for player in players)
    for node in (one, two):
        assert [line.table for line in node.room.lobby.rows()] == ["t1"]
    play(rooms, other, players)
    assert all(player.all(wire.TournamentEnded) for player in players)
    over(rooms)


def test_clients_of_another_node_find_it_as_soon_as_it_has_started(rooms):
    """Before that node has looked into the ledger: its owner has told of it."""
    one, two = rooms.start("a", TEXT), rooms.start("b", TEXT)
    players, home = running(rooms, one)
    other = two if home is one else one
    assert other.room.lobby.table("three.1") is not None
    other.ask(players[0], wire.Observe, "three.1")
    rooms.pass_s(0.3)
    assert players[0].last(wire.Snapshot).table == "three.1"


def test_when_its_node_dies_in_mid_hand_another_plays_it_on(rooms):
    """The same hand and the same decision; every place once, every prize once."""
    players, home, other = watched_from_afar(rooms)
    hand_id = home.table("three.1").game.play.hand_id()
    assert hand_id is not None
    home.kill()
    rooms.until(lambda: other.room.local_tables.get("three.1"), 10)
    rooms.pass_s(1)
    assert other.table("three.1").game.play.hand_id() == hand_id
    play(rooms, other, players)
    over(rooms)


def test_a_full_tournament_whose_node_died_is_started_by_another(rooms):
    """The node that had its last entry did not live to start it."""
    one, two = rooms.start("a", TEXT), rooms.start("b", TEXT)
    one.room.registration._full = lambda _: None  # private: this node does not start what fills here
    registered(rooms, one)
    one.kill()
    rooms.until(lambda: two.room.local_tables.get("three.1"), 10)
    rooms.until(lambda: now(rooms.ledger.tournament("three.1")).phase == "running", 5)


def test_a_room_that_starts_again_plays_its_tournaments_on(rooms):
    """All nodes are gone: what runs is known from the ledger, and is taken before any client is let in."""
    node = rooms.start("a", TEXT)
    players, _ = running(rooms, node)
    for player in players:
        node.ask(player, wire.Observe, "three.1")
    rooms.pass_s(0.5)
    hand_id = node.table("three.1").game.play.hand_id()
    node.kill()
    again = rooms.start("b", TEXT)
    assert again.table("three.1").game.play.hand_id() == hand_id
    for player in players:
        again.ask(player, wire.Observe, "three.1")
    rooms.pass_s(1)
    play(rooms, again, players)
    over(rooms)


def test_a_node_that_starts_while_a_tournament_ends_elsewhere_is_ready(rooms):
    """It waits for owners at its start: a tournament that ended meanwhile will never have one."""
    node = rooms.start("a", TEXT)
    players, _ = running(rooms, node)
    node.kill()
    one, two = rooms.begin("b", TEXT), rooms.begin("c", TEXT)
    rooms.until(lambda: "three.1" in two.room.lobby.settings, 10)
    assert not two.started.called
    two.stop()
    rooms.until(lambda: one.started.called and one.room.local_tables.get("three.1"), 10)
    for player in players:
        one.ask(player, wire.Observe, "three.1")
    play(rooms, one, players)
    rooms.until(lambda: "three.1" not in rooms.owners(), 10)
    two.go_on()
    rooms.until(lambda: two.started.called, 10)
    assert two.failed == []
    over(rooms)


def test_a_client_that_watched_it_does_so_after_it_came_and_went_unopened(rooms):
    """It was given on before the ledger had said how it stands."""
    players, home, other = watched_from_afar(rooms)
    said: Deferred[None] = Deferred()
    other.ledger.tournament = lambda name: said.addCallback(lambda _: rooms.ledger.tournament(name))
    home.kill()
    rooms.until(lambda: other.room.local_tables.get("three.1"), 10)
    third = rooms.start("c", TEXT)
    rooms.pass_s(1)
    assert other.table("three.1").game.seating.view.opens()
    assert other.room.ownership.move("three.1", third.name)
    rooms.until(lambda: third.room.local_tables.get("three.1"), 10)
    said.callback(None)
    del other.ledger.tournament
    play(rooms, other, players)
    assert all(player.all(wire.TournamentEnded) for player in players)
    over(rooms)


def test_one_that_a_node_has_not_heard_of_yet_is_not_swept_away(rooms):
    """It is in the journal, no living node owns it, and this node's settings do not name it."""
    one, two = rooms.start("a", TEXT), rooms.start("b", TEXT)
    players, home = running(rooms, one)
    other = two if home is one else one
    for player in players:
        home.ask(player, wire.Observe, "three.1")
    rooms.pass_s(0.5)
    hand_id = home.table("three.1").game.play.hand_id()
    assert hand_id is not None
    del other.room.lobby.settings["three.1"]
    home.kill()
    other.room.ownership.free = lambda _: True
    sweeping = Deferred.fromCoroutine(other.room.close_retired_tables())
    rooms.pass_s(0.1)
    assert sweeping.called
    del other.room.ownership.free
    rooms.until(lambda: other.room.local_tables.get("three.1"), 10)
    rooms.pass_s(0.1)
    assert other.table("three.1").game.play.hand_id() == hand_id
    for player in players:
        other.ask(player, wire.Observe, "three.1")
    play(rooms, other, players)
    over(rooms)


def test_one_whose_end_is_still_to_be_shown_is_not_swept_away(rooms):
    """Its owner died before telling the players; a node that starts then leaves it to be shown."""
    players, home, other = watched_from_afar(rooms)
    home.kill()
    won(rooms)
    other.room.tournaments._forget("three.1")  # private: as at a node that starts after the end
    other.room.ownership.free = lambda _: True
    sweeping = Deferred.fromCoroutine(other.room.close_retired_tables())
    rooms.pass_s(0.1)
    assert sweeping.called
    del other.room.ownership.free
    rooms.until(lambda: players[0].last(wire.Snapshot).tournament.phase == "finished", 10)
    over(rooms)


def won(rooms, name="three.1"):
    """The ledger has all places, by the word of the table's owner."""
    accounts = now(rooms.ledger.tournament(name)).players
    given = [
        PlaceGiven(place=place, account=account, prize=Money(prize))
        for place, (account, prize) in enumerate(zip(accounts, (500, 220, 0), strict=True), 1)
    ]
    now(rooms.ledger.give_places(name, rooms.epochs()[name], 1, given))


def test_many_run_at_once_and_the_next_one_fills(rooms):
    """Each has its own table; without connected players they end by themselves, and all prizes are paid."""
    one, two = rooms.start("a", TEXT), rooms.start("b", TEXT)
    registered(rooms, one, two, count=12)
    rooms.until(lambda: len(now(rooms.ledger.running_tournaments())) == 4, 20)
    rooms.until(lambda: not now(rooms.ledger.running_tournaments()), 3_000)
    rooms.pass_s(8)
    report = now(rooms.ledger.audit())
    assert (report.differences, report.escrow, report.tournaments) == ((), 0, 4)
    assert list(rooms.owners()) == ["t1"]
    for node in (one, two):
        assert list(node.room.lobby.settings) == ["t1"]


def test_redis_that_is_emptied_in_mid_hand_voids_the_hand_and_no_more(rooms):
    """I4: chips, places and seats are the ledger's; it is played to its end."""
    node = rooms.start("a", TEXT)
    players, _ = running(rooms, node)
    for player in players:
        node.ask(player, wire.Observe, "three.1")
    rooms.pass_s(0.5)
    hand_id = node.table("three.1").game.play.hand_id()
    rooms.store.__init__()
    rooms.books.clear()
    node.ask(players[0], wire.StandUp, "three.1")
    rooms.pass_s(15)
    assert node.table("three.1").game.play.hand_id() not in {None, hand_id}
    play(rooms, node, players)
    over(rooms)


def test_an_end_that_its_owner_could_not_tell_is_shown_by_another_node(rooms):
    """It dies when the last place is in the ledger, before telling anyone: viewers are still shown the end."""
    players, home, _ = watched_from_afar(rooms)
    home.kill()
    won(rooms)
    rooms.until(lambda: players[0].last(wire.Snapshot).tournament.phase == "finished", 10)
    for player in players:
        shown = player.last(wire.Snapshot)
        assert (shown.tournament.phase, shown.your_seat) == ("finished", None)
        assert [place.prize for place in shown.tournament.places] == [500, 220, 0]
    rooms.pass_s(4)  # prizes are found in the ledger
    over(rooms)


def test_a_node_that_becomes_the_head_while_tournaments_run_is_one(rooms):
    """No player waits at their tables: the lists know nothing of them, wherever they live."""
    one, two = rooms.start("a", TEXT), rooms.start("b", TEXT)
    rooms.pass_s(1)
    registered(rooms, one, two, count=6)
    rooms.until(lambda: len(now(rooms.ledger.running_tournaments())) == 2, 20)
    rooms.pass_s(2)
    assert one.tables()
    assert two.tables()
    with capture_logs() as logs:
        one.kill()
        rooms.until(lambda: {"t1", "three.1", "three.2"} <= set(two.tables()), 20)
        third = rooms.start("c", TEXT)
        rooms.pass_s(3)
    assert [log for log in logs if log["log_level"] == "critical"] == []
    anna = rooms.client("anna")
    assert third.answer(anna, wire.ReserveSeat).seat == 1
    two.kill()
    rooms.until(lambda: {"t1", "three.1", "three.2"} <= set(third.tables()), 20)


# --- the tournament and its table at different nodes ------------------------------------------------------------------

ACTOR = "tournament:three.1"


def apart(rooms):
    """The players of one that runs, watching at the table's node, with the tournament itself at another node."""
    one, two, three = (rooms.start(name, TEXT) for name in "abc")
    players, home = running(rooms, one, two, three)
    other = next(node for node in (one, two, three) if node is not home)
    rooms.until(lambda: any(node.room.local_tables.get(ACTOR) for node in rooms.nodes), 5)
    if home.room.local_tables.get(ACTOR):
        rooms.until(lambda: home.room.ownership.move(ACTOR, other.name), 5)
        rooms.until(lambda: other.room.local_tables.get(ACTOR), 10)
    other = next(node for node in rooms.nodes if node.room.local_tables.get(ACTOR))
    assert home.room.local_tables.get("three.1")
    third = next(node for node in (one, two, three) if node not in {home, other})
    for player in players:
        third.ask(player, wire.Observe, "three.1")
    rooms.pass_s(1)
    return players, home, other, third


def test_a_tournament_and_its_table_begin_at_the_same_node(rooms):
    """What they tell each other need not travel; clients see the table alone."""
    one, two = rooms.start("a", TEXT), rooms.start("b", TEXT)
    rooms.pass_s(0.3)  # no node looks for running tournaments in the moment in which it starts
    _, home = running(rooms, one, two)
    assert home.room.local_tables.get(ACTOR)
    assert [node.room.lobby.table(ACTOR) for node in (one, two)] == [None, None]


def test_a_table_is_played_to_the_end_with_its_tournament_at_another_node(rooms):
    """Plans and reports go over the bus."""
    players, _, _, third = apart(rooms)
    play(rooms, third, players)
    assert all(player.all(wire.TournamentEnded) for player in players)
    over(rooms)


@pytest.mark.parametrize("victim", ["table", "tournament"])
def test_either_of_them_is_taken_over_when_its_node_dies(rooms, victim):
    """The same hand goes on; every place once, every prize once."""
    players, home, other, third = apart(rooms)
    hand_id = home.table("three.1").game.play.hand_id()
    assert hand_id is not None
    (home if victim == "table" else other).kill()
    name = "three.1" if victim == "table" else ACTOR
    left = [node for node in (home, other, third) if node is not (home if victim == "table" else other)]
    rooms.until(lambda: any(node.room.local_tables.get(name) for node in left), 10)
    rooms.pass_s(1)
    table = next(node for node in left if node.room.local_tables.get("three.1"))
    assert table.table("three.1").game.play.hand_id() == hand_id
    play(rooms, third, players)
    over(rooms)


def test_what_the_bus_loses_between_them_comes_again(rooms):
    """Each second mail to another node is dropped on the way."""
    players, home, other, third = apart(rooms)
    dropped = []
    for node in (home, other):
        sender = node.room.room_bus._sender  # private: the bus of the test loses nothing by itself
        real = sender.to

        def to(name, message, real=real):
            if isinstance(message, TournamentMail):
                dropped.append(message)
                if len(dropped) % 2:
                    return
            real(name, message)

        sender.to = to
    play(rooms, third, players)
    assert len(dropped) > 4
    over(rooms)


def test_an_owner_that_was_stopped_gives_no_place_when_it_goes_on(rooms):
    """The tournament has another owner by then; the ledger refuses the old one."""
    players, home, other, third = apart(rooms)
    other.stop()
    rooms.until(lambda: any(node.room.local_tables.get(ACTOR) for node in (home, third)), 10)
    rooms.pass_s(1)
    other.go_on()
    play(rooms, third, players)
    over(rooms)


TWO_TABLES = settings("t1") + OFFER.replace("seats = 3", "seats = 6\nseats_per_table = 3").replace(
    "prizes = [500, 220]", 'payout = "standard"'
)
TABLES = ("three.1", "three.1-2")


def places_in(rooms):
    """The table and the seat of each account, as the ledger has them."""
    return {
        entry.account: table_and_seat(entry.seat) for entry in now(rooms.ledger.tournament("three.1")).entries
    }


def shove(rooms, node, players):
    """Go all-in at every turn, each at their own table, for a moment."""
    places = places_in(rooms)
    for player in players:
        turn = seen_turn(player)
        if turn is not None and (turn.table, turn.seat) == (
            TABLES[places[player.account][0] - 1],
            places[player.account][1],
        ):
            action = {"action": "raise" if turn.call_amount else "bet", "amount": turn.max_raise_to}
            chosen = action if turn.max_raise_to else {"action": "call" if turn.call_amount else "check"}
            node.ask(player, wire.Act, turn.table, hand_id=turn.hand_id, seq=turn.seq, **chosen)
    rooms.pass_s(0.2)


@pytest.mark.parametrize("lives", [True, False])
def test_players_of_a_table_that_closed_as_its_director_died_are_told_their_seats(rooms, monkeypatch, lives):
    """The ledger has the moves, no plan has told of them, and Redis is empty. The closed table may have died, too."""
    told = []
    monkeypatch.setattr(RoomBus, "tell", lambda _, account, message: told.append((account, message)))
    one, two = rooms.start("a", TWO_TABLES), rooms.start("b", TWO_TABLES)
    rooms.pass_s(1)
    players = registered(rooms, one, two, count=6)
    rooms.until(lambda: {ACTOR, *TABLES} <= {name for node in rooms.nodes for name in node.tables()}, 10)
    owner = {name: node for node in rooms.nodes for name in node.tables()}
    director = owner[ACTOR]
    other = two if director is one else one
    for name, home in zip(TABLES, (director, other if lives else director), strict=True):
        if owner[name] is not home:
            rooms.until(lambda name=name, home=home: owner[name].room.ownership.move(name, home.name), 5)
            rooms.until(lambda name=name, home=home: home.room.local_tables.get(name), 10)
    for player in players:
        other.ask(player, wire.Observe, TABLES[places_in(rooms)[player.account][0] - 1])
    began = rooms.clock.seconds()
    # it dies before it hears of the moves
    director.ledger.move_players = lambda *moves: (rooms.ledger.move_players(*moves), Deferred())[1]
    while not any(table.closed for table in now(rooms.ledger.tournament("three.1")).tables):
        assert rooms.clock.seconds() - began < 300
        shove(rooms, other, players)
    rooms.store.__init__()
    rooms.books.clear()
    director.kill()
    rooms.until(lambda: {ACTOR, TABLES[0]} <= set(other.tables()) and TABLES[1] not in other.tables(), 30)
    rooms.until(lambda: any(isinstance(one, wire.TournamentMoved) for _, one in told), 20)
    moved = {account: one for account, one in told if isinstance(one, wire.TournamentMoved)}
    assert {(one.from_table, one.table) for one in moved.values()} == {(None, TABLES[0])}
    assert {account: (1, one.seat) for account, one in moved.items()}.items() <= places_in(rooms).items()
    watching = [player for player in players if player.account in moved]
    for player in watching if lives else ():
        notice = player.last(wire.TableNotice)
        assert (notice.state, {one.name for one in notice.moved}) == (
            "closed",
            {one.name for one in watching},
        )


def test_a_running_sit_and_go_is_one_table(rooms):
    """The tournament lives beside its table, and is not counted as one: for the operator and for the metrics."""
    one = rooms.start("a", TEXT)
    running(rooms, one)
    rooms.pass_s(1)
    [report] = one.room.nodes()
    assert (report.tables, report.tournaments) == (("t1", "three.1"), ("tournament:three.1",))
    assert sum(one.room.tables_by_state().values()) == 2

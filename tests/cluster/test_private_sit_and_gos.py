"""Private sit-and-gos in whole rooms of several nodes: from the link to the prize, and secret to all others."""

from typing import Any

import msgspec
import pytest

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom_protocol import messages as wire
from pokerroom_protocol._declarations import EXAMPLES
from tests.cluster.hosting import FEW, Party, Player, nothing_here
from tests.cluster.rooms import rooms as made_rooms
from tests.poker.support import now

TERMS: dict[str, Any] = {
    "name": "Friday final",
    "seats": 3,
    "buy_in": 1_000,
    "starting_stack": 300,
    "levels": [wire.PrivateLevel(small_blind=50, big_blind=100, length_s=60)],
    "prize_shares": [6_500, 3_500],
    "action_clock_s": 5,
}
NEVER = "private:0000000000.1"
ABOUT_ONE = (
    wire.RegisterTournament,
    wire.UnregisterTournament,
    wire.GetStandings,
    wire.GetTournament,
    wire.GetTournamentRanks,
    wire.GetTournamentTables,
    wire.ChangeSitAndGo,
    wire.BuyRebuy,
    wire.DeclineRebuy,
)


@pytest.fixture
def rooms():
    yield from made_rooms()


@pytest.fixture
def party(rooms):
    return Party(rooms)


def pass_seconds(rooms: Any, seconds: int) -> None:
    """As `Rooms.pass_s`, in steps of a second."""
    for _ in range(seconds):
        rooms.clock.advance(1)


def again(rooms: Any, node: Any, name: str) -> Player:
    """A new connection of an account: the one before was idle."""
    player = Player(rooms, node)
    assert isinstance(player.ask(wire.LogIn, name=name, password="a password"), wire.Authenticated)
    return player


def made(host: Player, **terms: Any) -> wire.PrivateSitAndGoView:
    """A new sit-and-go of this host."""
    answer = host.ask(wire.CreateSitAndGo, **(TERMS | terms))
    assert isinstance(answer, wire.PrivateSitAndGo), answer
    return answer.sit_and_go


def entered(host: Player, *guests: Player, **terms: Any) -> str:
    """A new sit-and-go that host and guests have entered; its id."""
    view = made(host, **terms)
    for player in (host, *guests):
        if player is not host:
            assert isinstance(player.ask(wire.FindTable, code=view.code), wire.PrivateSitAndGo)
        answer = player.ask(wire.RegisterTournament, tournament=view.tournament)
        assert isinstance(answer, wire.TournamentRegistered), answer
    return view.tournament


def state(player: Player, tournament: str) -> wire.TournamentState:
    return player.ask(wire.GetTournament, tournament=tournament)


def wallets(rooms: Any, players: int) -> list[int]:
    """Those of the first accounts of the room."""
    return [now(rooms.ledger.wallet(account)) for account in range(1, players + 1)]


def played(rooms: Any, players: list[Player], tournament: str) -> None:
    """All go all-in, or are all-in by the blinds, until it is over."""
    for player in players:
        assert isinstance(player.ask(wire.Observe, table=tournament), wire.Snapshot)
    rooms.until(lambda: state(players[0], tournament).phase == "finished", seconds_max=3_000)


def test_it_is_played_by_those_with_the_link(rooms, party):
    """It starts at once when it is full, at each node; the places are paid once, and no part is for the room."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    people = [party.player("alice", a), party.player("bob", b), party.player("carol", a)]
    before = wallets(rooms, 3)
    tournament = entered(*people)
    rooms.pass_s(2)
    assert all(player.all(wire.SngStarted)[-1].tournament == tournament for player in people)
    started = state(people[1], tournament)
    assert (started.phase, started.name, started.seats, started.prizes) == (
        "running",
        "Friday final",
        3,
        [1_950, 1_050],
    )
    played(rooms, people, tournament)
    rooms.pass_s(2)
    after = wallets(rooms, 3)
    assert sorted(now - then for now, then in zip(after, before, strict=True)) == [-1_000, 50, 950]
    assert now(rooms.ledger.audit()).differences == ()


def test_a_free_one_is_played_for_the_places(rooms, party):
    """No money moves and there are no prizes; the places are told and stay in the history."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    people = [party.player(name, node) for name, node in (("alice", a), ("bob", b), ("carol", a))]
    before = wallets(rooms, 3)
    free = {"buy_in": 0, "prize_shares": []}
    for terms in ({"buy_in": 0}, {"prize_shares": []}):
        answer = people[0].ask(wire.CreateSitAndGo, **(TERMS | terms))
        assert (answer.code, answer.path) == ("bad_table_settings", "$.prize_shares")
    tournament = entered(*people, **free)
    told = state(people[1], tournament)
    assert (told.buy_in, told.prizes, told.pool, told.next_payout) == (0, [], 0, None)
    played(rooms, people, tournament)
    rooms.pass_s(2)
    told = state(again(rooms, a, "alice"), tournament)
    assert (told.phase, told.prizes, told.you.prize) == ("finished", [], 0)
    places = now(rooms.ledger.tournament(tournament)).places
    assert sorted(place.account for place in places) == [1, 2, 3]
    history = again(rooms, a, "bob").ask(wire.GetHistory).entries
    assert [(entry.stake, entry.win) for entry in history if entry.game == "sit_and_go"] == [(0, 0)]
    assert wallets(rooms, 3) == before
    assert now(rooms.ledger.audit()).differences == ()


def test_the_host_starts_it_before_it_is_full(rooms, party):
    """With two at least; those who come later are too late. The prizes are of the entries that there are."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob, carol = party.player("alice", a), party.player("bob", b), party.player("carol", b)
    tournament = entered(alice)
    order = {"tournament": tournament, "order": "start"}
    assert alice.code(wire.ChangeSitAndGo, **order) == "tournament_not_full"
    code = alice.ask(wire.GetHostedTables).sit_and_gos[0].code
    for player in (bob, carol):
        player.ask(wire.FindTable, code=code)
    bob.ask(wire.RegisterTournament, tournament=tournament)
    assert bob.code(wire.ChangeSitAndGo, **order) == "not_host"
    rooms.pass_s(5)
    assert (state(carol, tournament).phase, state(carol, tournament).starts_ms) == ("registering", None)
    assert isinstance(alice.ask(wire.ChangeSitAndGo, **order), wire.PrivateSitAndGo)
    rooms.pass_s(1)
    told = state(carol, tournament)
    assert (told.phase, told.players, told.prizes) == ("running", 2, [1_300, 700])
    assert carol.code(wire.RegisterTournament, tournament=tournament) == "registration_closed"
    assert isinstance(alice.ask(wire.ChangeSitAndGo, **order), wire.PrivateSitAndGo)
    played(rooms, [alice, bob], tournament)


def test_the_start_is_decided_once_if_nodes_die(rooms, party):
    """The node that took the order dies in the instant: the other one starts it, with the same players."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob = party.player("alice", a), party.player("bob", b)
    tournament = entered(alice, bob)
    alice.say(wire.ChangeSitAndGo, tournament=tournament, order="start")
    a.kill()
    assert bob.code(wire.UnregisterTournament, tournament=tournament) == "registration_closed"
    rooms.until(lambda: state(bob, tournament).phase == "running", seconds_max=60)
    assert state(bob, tournament).players == 2


def test_to_all_others_there_is_none(rooms, party):
    """Every request gets the same answer as for one that never was, before the start and after it. No list has it."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob, eve = party.player("alice", a), party.player("bob", b), party.player("eve", b)
    tournament = entered(alice, bob)
    for order in ("new_link", "start"):
        alice.ask(wire.ChangeSitAndGo, tournament=tournament, order=order)
        rooms.pass_s(3)
        for kind in ABOUT_ONE:
            fields = msgspec.structs.asdict(EXAMPLES[kind][0])
            del fields["id"]
            told, same = (eve.ask(kind, **(fields | {"tournament": name})) for name in (tournament, NEVER))
            assert (told.code, told) == ("unknown_tournament", msgspec.structs.replace(same, re=told.re))
        assert eve.ask(wire.ListTournaments).tournaments == []
        assert eve.ask(wire.GetHostedTables).sit_and_gos == []
    assert state(bob, tournament).phase == "running"
    for name in (tournament, f"{tournament}-2"):
        assert eve.code(wire.Observe, table=name) == "unknown_table"
    assert nothing_here(eve, "host:" + tournament[8:18])
    assert all(line.table != tournament for line in eve.ask(wire.ListTables).tables)


def test_the_host_may_cancel_it_before_the_start(rooms, party):
    """All buy-ins go back; after the start the order is refused. The link leads there still."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob = party.player("alice", a), party.player("bob", b)
    before = wallets(rooms, 2)
    tournament = entered(alice, bob)
    order = {"tournament": tournament, "order": "cancel"}
    assert bob.code(wire.ChangeSitAndGo, **order) == "not_host"
    for _ in range(2):
        assert isinstance(alice.ask(wire.ChangeSitAndGo, **order), wire.PrivateSitAndGo)
    assert (wallets(rooms, 2), state(bob, tournament).phase) == (before, "cancelled")
    assert bob.all(wire.SngRefunded)[-1].amount == 1_000
    other = entered(alice, bob)
    alice.ask(wire.ChangeSitAndGo, tournament=other, order="start")
    rooms.pass_s(2)
    assert alice.code(wire.ChangeSitAndGo, tournament=other, order="cancel") == "registration_closed"


def test_a_player_may_leave_before_the_start(rooms, party):
    """The buy-in goes back, and another takes the seat."""
    node = rooms.start("a", FEW)
    alice, bob, carol = (party.player(name, node) for name in ("alice", "bob", "carol"))
    tournament = entered(alice, bob)
    assert isinstance(bob.ask(wire.UnregisterTournament, tournament=tournament), wire.Ok)
    code = alice.ask(wire.GetHostedTables).sit_and_gos[0].code
    carol.ask(wire.FindTable, code=code)
    assert isinstance(carol.ask(wire.RegisterTournament, tournament=tournament), wire.TournamentRegistered)
    assert state(alice, tournament).players == 2


def test_one_that_never_starts_is_given_up(rooms, party):
    """After the time for tables without players, here an hour; its host may open others then."""
    node = rooms.start("a", FEW)
    alice, bob = party.player("alice", node), party.player("bob", node)
    before = wallets(rooms, 2)
    tournament = entered(alice, bob)
    made(alice)
    assert alice.code(wire.CreateSitAndGo, **TERMS) == "too_many_hosted_tables"
    pass_seconds(rooms, 3_500)
    assert now(rooms.ledger.tournament(tournament)).phase == "registering"
    pass_seconds(rooms, 200)
    assert (now(rooms.ledger.tournament(tournament)).phase, wallets(rooms, 2)) == ("cancelled", before)
    bob = again(rooms, node, "bob")
    assert state(bob, tournament).phase == "cancelled"
    made(again(rooms, node, "alice"))
    pass_seconds(rooms, 5_000)
    assert again(rooms, node, "bob").code(wire.GetTournament, tournament=tournament) == "unknown_tournament"


@pytest.mark.parametrize("kind", [wire.GetTournament, wire.RegisterTournament])
def test_a_guest_that_comes_from_another_node_is_no_stranger(rooms, party, kind):
    """The node that the guest comes to has missed the word of the sit-and-go, or of the guest: the ledger knows."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob = party.player("alice", a), party.player("bob", a)
    rooms.hub.losing = lambda *_: True
    view = made(alice)
    bob.ask(wire.FindTable, code=view.code)
    there = again(rooms, b, "bob")
    assert not b.room.hosted_tables.admits(there.session.account, view.tournament)
    told = there.ask(kind, tournament=view.tournament)
    assert isinstance(told, wire.TournamentState | wire.TournamentRegistered), told


def test_where_the_ledger_is_away_no_one_hears_that_there_is_none(rooms, party):
    """A node that cannot look says so: the client asks again."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob = party.player("alice", a), party.player("bob", b)
    rooms.hub.losing = lambda *_: True
    view = made(alice)
    b.away(ledger=True)
    assert bob.code(wire.GetTournament, tournament=view.tournament) == "unavailable"
    b.away()
    assert bob.code(wire.GetTournament, tournament=view.tournament) == "unknown_tournament"


def test_it_is_no_table_that_takes_the_orders_of_one(rooms, party):
    """Its host has no stakes, pause or seats to decide about, though it has an id like that of a table."""
    node = rooms.start("a", FEW)
    alice, bob = party.player("alice", node), party.player("bob", node)
    view = made(alice)
    bob.ask(wire.FindTable, code=view.code)
    before = now(rooms.ledger.hosted_table(view.table))
    orders: list[tuple[type[wire.Request], dict[str, Any]]] = [
        (wire.ChangeStakes, {"small_blind": 50}),
        (wire.ChangeHostedTable, {"order": "pause"}),
        (wire.ChangeHostedTable, {"order": "close"}),
        (wire.AnswerSeat, {"name": "bob", "accepts": True}),
        (wire.GiveChips, {"name": "bob", "key": "12345678", "amount": 5}),
        (wire.GiveHost, {"name": "bob"}),
        (wire.GetTableResults, {}),
    ]
    for kind, fields in orders:
        assert alice.code(kind, table=view.table, **fields) == "unknown_table", kind.__name__
    assert now(rooms.ledger.hosted_table(view.table)) == before


@pytest.mark.parametrize(
    ("terms", "code", "path"),
    [
        ({"prize_shares": [5_000, 4_000]}, "bad_table_settings", "$.prize_shares"),
        ({"prize_shares": [2_500] * 4}, "bad_table_settings", "$.prize_shares"),
        ({"seats": 10, "prize_shares": [1_000] * 10, "buy_in": 1}, "bad_table_settings", "$.prize_shares"),
        (
            {
                "levels": [
                    wire.PrivateLevel(small_blind=20, big_blind=40, length_s=60),
                    wire.PrivateLevel(small_blind=10, big_blind=20, length_s=60),
                ]
            },
            "bad_table_settings",
            "$.levels",
        ),
        ({"name": " Friday"}, "bad_table_settings", "$.name"),
        ({"structure": "fixed_limit"}, "settings_not_offered", "$.game"),
        ({"seats": 5}, "settings_not_offered", "$.seats"),
        ({"buy_in": 5_001}, "settings_not_offered", "$.buy_in"),
    ],
)
def test_what_does_not_go_together_or_is_not_offered_is_refused(rooms, party, terms, code, path):
    """The answer names the field, and nothing is opened."""
    text = (
        FEW + 'games = ["holdem no_limit", "omaha pot_limit"]\nseats_max = 4\nsit_and_go_buy_in_max = 5000\n'
    )
    alice = party.player("alice", rooms.start("a", text))
    fits = {"seats": 4} if "seats" in terms and code == "bad_table_settings" else {}
    told = alice.ask(wire.CreateSitAndGo, **(TERMS | terms | fits))
    assert (told.code, told.path) == (code, path)
    assert alice.ask(wire.GetHostedTables).sit_and_gos == []
    offered = alice.ask(wire.GetHostedTables).offered
    assert (offered.sit_and_go_buy_in_max, offered.seats_max) == (5_000, 4)


@pytest.mark.parametrize("structure", ["pot_limit", "fixed_limit", "no_limit"])
def test_each_structure_is_played(rooms, party, structure):
    """With its levels as the host wrote them; at fixed limit the small blind follows from the small bet."""
    node = rooms.start("a", FEW)
    alice, bob = party.player("alice", node), party.player("bob", node)
    levels = [
        wire.PrivateLevel(small_blind=20, big_blind=40, length_s=90),
        wire.PrivateLevel(small_blind=40, big_blind=80, length_s=60, big_blind_ante=80),
    ]
    view = made(alice, structure=structure, levels=levels)
    told = state(alice, view.tournament)
    assert [(one.small_blind, one.big_blind, one.length, one.big_blind_ante) for one in told.levels] == [
        (20, 40, 90, 0),
        (40, 80, 60, 80),
    ]
    assert (told.structure, told.starting_stack, told.fee) == (structure, 300, 0)
    bob.ask(wire.FindTable, code=view.code)


def test_no_tables_no_sit_and_gos(rooms, party):
    """A room in which players open no tables opens no sit-and-gos, and does not say that it does."""
    node = rooms.start("a", FEW.replace("tables_per_account = 2", "tables_per_account = 0"))
    assert party.player("alice", node).code(wire.CreateSitAndGo, **TERMS) == "hosting_off"


def test_a_name_of_the_ledger_is_never_made_up(rooms, party):
    """What an account without the link asks the ledger itself is refused there, too (`NotInvited`)."""
    node = rooms.start("a", FEW)
    alice, eve = party.player("alice", node), party.player("eve", node)
    tournament = entered(alice)
    assert isinstance(rooms.ledger, MemoryLedger)
    row = now(rooms.ledger.tournament(tournament))
    failures: list[Any] = []
    rooms.ledger.enter(tournament, row.players[0] + 1, 1).addErrback(failures.append)
    assert failures[0].value.code == "unknown_tournament"
    assert eve.code(wire.RegisterTournament, tournament=tournament) == "unknown_tournament"

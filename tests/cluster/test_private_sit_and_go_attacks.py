"""What an attacker tries at a private sit-and-go, in whole rooms of two nodes."""

from itertools import permutations
from typing import Any

import pytest

from pokerroom.ledger.operator_log import THE_ROOM
from pokerroom_protocol import messages as wire
from tests.cluster.hosting import FEW, Party, Player
from tests.cluster.rooms import rooms as made_rooms
from tests.cluster.test_private_sit_and_gos import TERMS, entered, made, played, state, wallets
from tests.poker.support import now


@pytest.fixture
def rooms():
    yield from made_rooms()


@pytest.fixture
def party(rooms):
    return Party(rooms)


def at_two_nodes(rooms: Any, party: Party, *names: str) -> list[Player]:
    """New accounts, at one node and the other in turns."""
    nodes = [rooms.start(name, FEW) for name in ("a", "b")]
    rooms.pass_s(2)
    return [party.player(name, nodes[number % 2]) for number, name in enumerate(names)]


def answers(rooms: Any, *said: tuple[Player, type[wire.Request], dict[str, Any]]) -> list[str]:
    """What requests of one instant are answered: the code of a refusal, or the type."""
    numbers = [player.say(kind, **fields) for player, kind, fields in said]
    rooms.pass_s(1)
    found = []
    for (player, _, _), number in zip(said, numbers, strict=True):
        [answer] = [one for one in player.got if getattr(one, "re", None) == number]
        found.append(answer.code if isinstance(answer, wire.Error) else type(answer).__name__)
    return found


def sound(rooms: Any) -> None:
    assert now(rooms.ledger.audit()).differences == ()


def test_an_account_enters_once_however_often_it_asks_at_once(rooms, party):
    """By two connections at two nodes in one instant: one entry is paid."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob, again = party.player("alice", a), party.player("bob", b), Player(rooms, a, "phone")
    assert isinstance(again.ask(wire.LogIn, name="bob", password="a password"), wire.Authenticated)
    view = made(alice)
    bob.ask(wire.FindTable, code=view.code)
    before = wallets(rooms, 2)
    enter = wire.RegisterTournament, {"tournament": view.tournament}
    told = answers(rooms, (bob, *enter), (again, *enter))
    assert sorted(told) == ["TournamentRegistered", "already_registered"]
    assert wallets(rooms, 2) == [before[0], before[1] - 1_000]
    sound(rooms)


ORDERS = {
    "start": (0, wire.ChangeSitAndGo, {"order": "start"}),
    "cancel": (0, wire.ChangeSitAndGo, {"order": "cancel"}),
    "leave": (1, wire.UnregisterTournament, {}),
    "enter": (2, wire.RegisterTournament, {}),
    "remove": (0, wire.RemovePlayer, {"name": "bob"}),
}


@pytest.mark.parametrize("order", list(permutations(ORDERS, 3)), ids="-".join)
def test_what_is_said_in_one_instant_has_one_order(rooms, party, order):
    """Three of: start, cancel, leave, enter, remove. It is played with those who are in, or all have their buy-ins."""
    alice, bob, carol, dora = at_two_nodes(rooms, party, "alice", "bob", "carol", "dora")
    people, before = [alice, bob, carol, dora], wallets(rooms, 4)
    tournament = entered(alice, bob, dora, seats=4)
    view = alice.ask(wire.GetHostedTables).sit_and_gos[0]
    carol.ask(wire.FindTable, code=view.code)
    said = []
    for name in order:
        who, kind, fields = ORDERS[name]
        place = {"table": view.table} if kind is wire.RemovePlayer else {"tournament": tournament}
        said.append((people[who], kind, fields | place))
    told = dict(zip(order, answers(rooms, *said), strict=True))
    rooms.pass_s(5)
    row = now(rooms.ledger.tournament(tournament))
    paid = [then - after for then, after in zip(before, wallets(rooms, 4), strict=True)]
    sound(rooms)
    assert row.phase in {"registering", "running", "cancelled"}
    if row.phase == "cancelled":
        assert paid == [0, 0, 0, 0]
        assert told["cancel"] == "PrivateSitAndGo"
        return
    assert {account for account, sum_ in enumerate(paid, 1) if sum_} == set(row.players)
    assert set(paid) <= {0, 1_000}
    if told.get("start") == "PrivateSitAndGo":
        assert (row.phase, len(row.players) >= 2) == ("running", True)
    if told.get("cancel") == "PrivateSitAndGo":
        pytest.fail("it was cancelled, and goes on")
    assert (2 in row.players) == (told.get("leave") != "Ok" and told.get("remove") != "Ok")
    assert (3 in row.players) == (told.get("enter") == "TournamentRegistered")


def test_a_start_is_not_taken_back(rooms, party):
    """Between the order, or the last entry, and the first hand the host cannot cancel."""
    alice, bob, carol = at_two_nodes(rooms, party, "alice", "bob", "carol")
    for seats in (3, 2):
        tournament = entered(alice, bob, seats=seats, **({"prize_shares": [10_000]} if seats == 2 else {}))
        table = "host:" + tournament.removeprefix("private:").partition(".")[0]
        if seats == 3:
            now(rooms.ledger.change_hosted_sit_and_go(table, 1, "start", ""))
        order = {"tournament": tournament, "order": "cancel"}
        told = answers(rooms, (alice, wire.ChangeSitAndGo, order))
        assert told == ["registration_closed"]
        rooms.until(lambda name=tournament: state(bob, name).phase == "running", seconds_max=30)
    assert carol.ask(wire.GetHostedTables).sit_and_gos == []


def test_an_excluded_or_locked_account_neither_opens_nor_enters(rooms, party):
    """The entry of one that is excluded goes back by itself."""
    alice, bob, carol = at_two_nodes(rooms, party, "alice", "bob", "carol")
    before = wallets(rooms, 3)
    tournament = entered(alice, bob)
    code = alice.ask(wire.GetHostedTables).sit_and_gos[0].code
    carol.ask(wire.FindTable, code=code)
    for player in (bob, carol):
        player.ask(wire.Exclude, length="week")
    assert carol.code(wire.RegisterTournament, tournament=tournament) == "excluded"
    assert carol.code(wire.CreateSitAndGo, **TERMS) == "excluded"
    rooms.pass_s(15)
    assert now(rooms.ledger.tournament(tournament)).players == (1,)
    assert wallets(rooms, 3)[1:] == before[1:]
    failures: list[Any] = []
    now(rooms.ledger.lock_out(3, by=THE_ROOM))
    rooms.ledger.enter(tournament, 3, 1).addErrback(failures.append)
    assert failures
    assert now(rooms.ledger.tournament(tournament)).players == (1,)
    sound(rooms)


def test_a_host_does_not_go_with_the_money_of_guests(rooms, party):
    """The account cannot be deleted while it goes on; and a player with an entry stays, too."""
    alice, bob = at_two_nodes(rooms, party, "alice", "bob")
    for account in (1, 2):
        assert isinstance(now(rooms.ledger.wallet(account)), int)
    entered(alice, bob)
    for player in (alice, bob):
        told = player.ask(wire.DeleteAccount, password="a password")
        assert isinstance(told, wire.Error)
        assert told.code in {"account_in_use", "wallet_not_empty"}


HALF = 500_000_000  # more is refused as bad_table_settings
HUGE = [wire.PrivateLevel(small_blind=HALF, big_blind=HALF, length_s=7_200, big_blind_ante=HALF)] * 60


@pytest.mark.parametrize(
    "terms",
    [
        {"levels": HUGE, "starting_stack": 1},
        {"levels": HUGE, "starting_stack": 10**9},
        {"levels": [wire.PrivateLevel(small_blind=1, big_blind=1, length_s=10)] * 60, "starting_stack": 1},
    ],
    ids=["no chips", "all chips", "many levels"],
)
def test_the_largest_structures_are_played(rooms, party, terms):
    """To the end, with each chip where it was."""
    alice, bob = at_two_nodes(rooms, party, "alice", "bob")
    before = wallets(rooms, 2)
    tournament = entered(alice, bob, seats=2, **terms)
    rooms.pass_s(3)
    played(rooms, [alice, bob], tournament)
    rooms.pass_s(3)
    assert sum(wallets(rooms, 2)) == sum(before)
    sound(rooms)


@pytest.mark.parametrize(
    "name", ["<img src=x onerror=alert(1)>", "[/b]", "{name}", "'; DROP TABLE accounts; --"]
)
def test_a_name_is_told_as_it_is(rooms, party, name):
    """To the guest, too; nothing reads it."""
    alice, bob = at_two_nodes(rooms, party, "alice", "bob")
    view = made(alice, name=name)
    found = bob.ask(wire.FindTable, code=view.code).sit_and_go
    assert (found.name, state(bob, view.tournament).name) == (name, name)


@pytest.mark.parametrize("name", ["two\nlines", "\x1b[31mred", "\u202eright to left", ""])
def test_a_name_with_unseen_characters_is_refused(rooms, party, name):
    """As malformed: it opens nothing."""
    [alice] = at_two_nodes(rooms, party, "alice")
    assert isinstance(alice.ask(wire.CreateSitAndGo, **(TERMS | {"name": name})), wire.Error)
    assert alice.ask(wire.GetHostedTables).sit_and_gos == []

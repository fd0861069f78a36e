"""Private sit-and-gos of clubs in whole rooms: for members, in chips of the club."""

import pytest

from pokerroom_protocol import messages as wire
from tests.cluster.hosting import FEW, Party
from tests.cluster.rooms import rooms as made_rooms
from tests.cluster.test_clubs import balances, created, issue, joined
from tests.cluster.test_private_sit_and_gos import TERMS, again, played, state
from tests.poker.support import now


@pytest.fixture
def rooms():
    yield from made_rooms()


@pytest.fixture
def fellows(rooms):
    """Alice's club with Bob and Carol at two nodes, each with 10,000; Dave is a stranger."""
    party = Party(rooms)
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob, carol, dave = (
        party.player(name, node) for name, node in (("alice", a), ("bob", b), ("carol", a), ("dave", b))
    )
    club = created(alice)
    joined(club, bob, carol)
    for name in ("alice", "bob", "carol"):
        assert isinstance(issue(alice, club.club, name, 10_000), wire.Club)
    return club.club, alice, bob, carol, dave


def opened(host, club, **terms):
    """A new sit-and-go of the club; its id."""
    answer = host.ask(wire.CreateSitAndGo, **(TERMS | terms), club=club)
    assert isinstance(answer, wire.PrivateSitAndGo), answer
    assert answer.sit_and_go.club == club
    return answer.sit_and_go.tournament


def enters(player, tournament):
    """The member comes to it, and enters."""
    answer = player.ask(wire.JoinClubTable, table=tournament)
    assert isinstance(answer, wire.PrivateSitAndGo), answer
    answer = player.ask(wire.RegisterTournament, tournament=tournament)
    assert isinstance(answer, wire.TournamentRegistered), answer


def listed(player, club):
    """What the club tells of its sit-and-gos."""
    return player.ask(wire.GetClub, club=club).club.sit_and_gos


def test_members_play_one_for_chips_of_the_club(rooms, fellows):
    """From the list of the club, without the link; wallets stay, the results have prizes less buy-ins."""
    club, alice, bob, carol, _ = fellows
    wallets = [player.ask(wire.GetAccount).balance for player in (alice, bob, carol)]
    tournament = opened(bob, club)
    enters(bob, tournament)
    enters(alice, tournament)
    view = wire.ClubSitAndGoView(
        tournament=tournament, name="Friday final", host="bob", players=2, seats=3, buy_in=1_000, runs=False
    )
    assert listed(carol, club) == [view]
    assert carol.ask(wire.GetClubs).clubs[0].tables == 1
    assert balances(alice, club) == {"alice": 9_000, "bob": 9_000, "carol": 10_000}
    assert carol.ask(wire.GetClub, club=club).club.issued == 30_000
    enters(carol, tournament)
    rooms.pass_s(2)
    assert listed(carol, club)[0].runs
    assert bob.code(wire.LeaveClub, club=club) == "member_at_table"
    played(rooms, [alice, bob, carol], tournament)
    rooms.pass_s(2)
    alice, bob, carol = (again(rooms, rooms.nodes[0], name) for name in ("alice", "bob", "carol"))
    held = balances(alice, club)
    assert sorted(held.values()) == [9_000, 10_050, 10_950]
    results = carol.ask(wire.GetClubResults, club=club)
    assert {one.name: one.net for one in results.players} == {
        name: balance - 10_000 for name, balance in held.items()
    }
    assert sum(payment.amount for payment in results.payments) == 1_000
    assert listed(carol, club) == []
    assert [player.ask(wire.GetAccount).balance for player in (alice, bob, carol)] == wallets
    assert isinstance(bob.ask(wire.LeaveClub, club=club), wire.Ok)
    assert now(rooms.ledger.audit()).differences == ()


def test_others_do_not_know_of_it(rooms, fellows):
    """Not by its id, nor by the link; a member that has not come to it is no guest yet."""
    club, alice, bob, _, dave = fellows
    assert dave.code(wire.CreateSitAndGo, **TERMS, club=club) == "unknown_club"
    made = alice.ask(wire.CreateSitAndGo, **TERMS, club=club).sit_and_go
    assert dave.code(wire.FindTable, code=made.code) == "unknown_link"
    assert dave.code(wire.JoinClubTable, table=made.tournament) == "unknown_table"
    for player in (bob, dave):
        assert player.code(wire.RegisterTournament, tournament=made.tournament) == "unknown_tournament"
    assert isinstance(bob.ask(wire.FindTable, code=made.code), wire.PrivateSitAndGo)
    assert bob.ask(wire.GetHostedTables).sit_and_gos[0].club == club
    issue(alice, club, "bob", -9_999)
    assert bob.code(wire.RegisterTournament, tournament=made.tournament) == "insufficient_balance"
    assert state(bob, made.tournament).entries == 0


def test_a_manager_cancels_that_of_another_member(rooms, fellows):
    """Before the start; a member does not. The entries are in the balances again."""
    club, alice, bob, carol, _ = fellows
    tournament = opened(bob, club)
    for player in (bob, carol, alice):
        if player is alice:
            alice.ask(wire.JoinClubTable, table=tournament)
        else:
            enters(player, tournament)
    order = {"tournament": tournament, "order": "cancel"}
    assert carol.code(wire.ChangeSitAndGo, **order) == "not_host"
    assert carol.code(wire.CloseClub, club=club) == "club_role_needed"
    assert alice.code(wire.CloseClub, club=club) == "club_in_use"
    assert alice.code(wire.ChangeSitAndGo, tournament=tournament, order="start") == "not_host"
    for _ in range(2):
        assert isinstance(alice.ask(wire.ChangeSitAndGo, **order), wire.PrivateSitAndGo)
    assert balances(alice, club) == {"alice": 10_000, "bob": 10_000, "carol": 10_000}
    assert isinstance(alice.ask(wire.CloseClub, club=club), wire.Ok)
    assert now(rooms.ledger.audit()).differences == ()


def test_a_member_that_is_removed_enters_no_further_one(rooms, fellows):
    """Not until the owner gives it a role again."""
    club, alice, bob, _, _ = fellows
    first, second = opened(alice, club), opened(alice, club)
    enters(bob, first)
    bob.ask(wire.JoinClubTable, table=second)
    assert alice.code(wire.RemoveMember, club=club, name="bob") == "member_at_table"
    assert bob.code(wire.RegisterTournament, tournament=second) == "seat_not_accepted"
    assert isinstance(bob.ask(wire.UnregisterTournament, tournament=first), wire.Ok)
    assert isinstance(alice.ask(wire.RemoveMember, club=club, name="bob"), wire.Club)
    assert bob.code(wire.GetTournament, tournament=first) == "unknown_tournament"
    assert balances(alice, club) == {"alice": 10_000, "carol": 10_000}

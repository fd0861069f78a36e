"""Clubs of players, in whole rooms: requests of members, managers, owners and strangers."""

from typing import Any

import pytest

from pokerroom.gateway.code_guesses import OF_ACCOUNT
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code
from tests.cluster.hosting import FEW, TERMS, Player, nothing_here
from tests.cluster.rooms import settings
from tests.poker.support import now

NO_CLUB = "0" * 10


def created(owner: Player, name: str = "Fridays") -> wire.ClubView:
    answer = owner.ask(wire.CreateClub, name=name)
    assert isinstance(answer, wire.Club), answer
    return answer.club


def joined(club: wire.ClubView, *players: Player) -> None:
    for player in players:
        assert isinstance(player.ask(wire.JoinClub, code=club.code), wire.Club)


def issue(manager: Player, club: str, name: str, amount: int, key: str | None = None) -> Any:
    return manager.ask(
        wire.MoveClubChips, club=club, name=name, amount=amount, key=key or f"key-{name}-{amount}"
    )


def balances(player: Player, club: str) -> dict[str, int]:
    return {member.name: member.balance for member in player.ask(wire.GetClub, club=club).club.members}


@pytest.fixture
def evening(rooms, party):
    """Alice's club with Bob and Carol, each with 10,000, at a table of two nodes; Dave is a stranger."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob, carol, dave = (
        party.player(name, node) for name, node in (("alice", a), ("bob", b), ("carol", a), ("dave", b))
    )
    club = created(alice)
    joined(club, bob, carol)
    for name in ("alice", "bob", "carol"):
        assert isinstance(issue(alice, club.club, name, 10_000), wire.Club)
    return rooms, club, alice, bob, carol, dave


def test_a_club_evening(evening):
    """Members of two nodes play for chips of the club. Results sum to zero, and each balance is right to the unit."""
    rooms, club, alice, bob, carol, _ = evening
    wallets = [player.ask(wire.GetAccount).balance for player in (alice, bob, carol)]
    made = alice.ask(wire.CreateTable, **TERMS, club=club.club).hosted
    table = made.info.table
    assert made.club == club.club
    rooms.pass_s(1)
    [seen] = bob.ask(wire.GetClub, club=club.club).club.tables
    assert (seen.info.table, seen.info.name, seen.host) == (table, "Friday night", "alice")
    for player in (bob, carol):
        assert player.ask(wire.JoinClubTable, table=table).hosted.club == club.club
    for player in (alice, bob, carol):
        assert isinstance(player.sit(table), wire.Snapshot)
    assert balances(carol, club.club) == dict.fromkeys(("alice", "bob", "carol"), 5_000)
    for _ in range(3):
        rooms.until(lambda: any(player.all(wire.Turn)[-1:] for player in (alice, bob, carol)))
        _fold_to_one(rooms, table, (alice, bob, carol))
    told = [player.ask(wire.GetClubResults, club=club.club) for player in (alice, bob, carol)]
    assert told[0].players == told[1].players == told[2].players
    nets = {row.name: row.net for row in told[0].players}
    assert nets
    assert sum(nets.values()) == 0
    assert [row.net for row in told[0].players] == sorted(nets.values(), reverse=True)
    for payment in told[0].payments:
        nets[payment.payer] += payment.amount
        nets[payment.payee] -= payment.amount
    assert not any(nets.values())
    alice.ask(wire.ChangeHostedTable, table=table, order="close")
    rooms.until(lambda: not now(rooms.ledger.hosted_versions()))
    own = {row.name: row.net for row in alice.ask(wire.GetClubResults, club=club.club).players}
    view = alice.ask(wire.GetClub, club=club.club).club
    assert {member.name: member.balance for member in view.members} == {
        name: 10_000 + own.get(name, 0) for name in ("alice", "bob", "carol")
    }
    assert (view.tables, view.issued) == ([], 30_000)
    assert [player.ask(wire.GetAccount).balance for player in (alice, bob, carol)] == wallets
    assert not now(rooms.ledger.audit()).differences
    assert alice.ask(wire.GetClubResults, club=club.club, since_ms=rooms.now_ms() + 1_000).players == []


def _fold_to_one(rooms: Any, table: str, players: tuple[Player, ...]) -> None:
    """One hand in which all fold to the last one."""
    hands = len(players[0].all(wire.HandStarted))
    for _ in range(40):
        if len(players[0].all(wire.HandStarted)) > hands:
            return
        for player in players:
            turn = next((each for each in reversed(player.all(wire.Turn)) if each.table == table), None)
            if turn is not None and turn.on_timeout:
                player.ask(wire.Act, table=table, hand_id=turn.hand_id, seq=turn.seq, action="fold")
        rooms.pass_s(0.5)
    raise AssertionError("no further hand")


def test_a_club_does_not_exist_for_strangers(evening):
    """Whatever is asked, the answer is that for a club that never was; so it is for those who have left."""
    _, club, alice, bob, _, dave = evening
    orders: tuple[tuple[type[wire.Request], dict[str, Any]], ...] = (
        (wire.GetClub, {}),
        (wire.SetClubCode, {"invites": True}),
        (wire.SetClubRole, {"name": "dave", "role": "owner"}),
        (wire.SetClubRole, {"name": "alice", "role": "member"}),
        (wire.MoveClubChips, {"name": "dave", "amount": 5, "key": "12345678"}),
        (wire.RemoveMember, {"name": "alice"}),
        (wire.CloseClub, {}),
        (wire.GetClubResults, {}),
        (wire.CreateTable, TERMS),
    )
    before = alice.ask(wire.GetClub, club=club.club).club
    assert isinstance(bob.ask(wire.LeaveClub, club=club.club), wire.Ok)
    for stranger in (dave, bob):
        for kind, fields in orders:
            for name in (club.club, NO_CLUB):
                assert stranger.code(kind, **fields, club=name) == "unknown_club", kind.__name__
        for name in (club.club, NO_CLUB):
            assert isinstance(stranger.ask(wire.LeaveClub, club=name), wire.Ok)
        assert stranger.ask(wire.GetClubs).clubs == []
    after = alice.ask(wire.GetClub, club=club.club).club
    assert [member for member in before.members if member.name != "bob"] == after.members
    assert after.issued == before.issued - 10_000


def test_a_table_of_a_club_does_not_exist_for_strangers(evening):
    """Neither its link admits them, nor its id."""
    _, club, alice, _, _, dave = evening
    made = alice.ask(wire.CreateTable, **TERMS, club=club.club).hosted
    assert nothing_here(dave, made.info.table)
    for kind in (wire.JoinClubTable, wire.CloseClubTable):
        for table in (made.info.table, "host:0000000000"):
            assert dave.code(kind, table=table) == "unknown_table"
    assert dave.code(wire.FindTable, code=made.code) == "unknown_link"


def test_nobody_acts_above_the_own_role(evening):
    """What a role may not is refused, and changes nothing. Only managers and the owner are told the code."""
    _, club, alice, bob, carol, _ = evening
    alice.ask(wire.SetClubRole, club=club.club, name="bob", role="manager")
    made = carol.ask(wire.CreateTable, **TERMS, club=club.club).hosted
    before = alice.ask(wire.GetClub, club=club.club).club
    members: tuple[tuple[type[wire.Request], dict[str, Any]], ...] = (
        (wire.SetClubCode, {"invites": False}),
        (wire.MoveClubChips, {"name": "carol", "amount": 5, "key": "12345678"}),
        (wire.RemoveMember, {"name": "carol"}),
    )
    owners: tuple[tuple[type[wire.Request], dict[str, Any]], ...] = (
        (wire.SetClubRole, {"name": "carol", "role": "owner"}),
        (wire.CloseClub, {}),
        (wire.RemoveMember, {"name": "alice"}),
    )
    for kind, fields in (*members, *owners):
        assert carol.code(kind, **fields, club=club.club) == "club_role_needed"
    for kind, fields in (*owners, (wire.RemoveMember, {"name": "bob"})):
        assert bob.code(kind, **fields, club=club.club) == "club_role_needed"
    assert carol.code(wire.CloseClubTable, table=made.info.table) == "club_role_needed"
    assert alice.code(wire.LeaveClub, club=club.club) == "club_role_needed"
    assert alice.ask(wire.GetClub, club=club.club).club == before
    codes = {player: player.ask(wire.GetClub, club=club.club).club.code for player in (alice, bob, carol)}
    assert (codes[alice], codes[bob], codes[carol]) == (club.code, club.code, None)


def test_chips_are_issued_once_for_each_key(evening):
    """The same key again changes nothing; with another amount or member it is refused. A balance is never below 0."""
    _, club, alice, bob, _, _ = evening
    for _ in range(2):
        assert issue(alice, club.club, "bob", 500, "the-key-1").club.issued == 30_500
    for name, amount in (("bob", 501), ("carol", 500), ("bob", -500)):
        assert issue(alice, club.club, name, amount, "the-key-1").code == "key_used"
    assert issue(alice, club.club, "bob", -10_501).code == "insufficient_balance"
    assert issue(alice, club.club, "bob", 10**12).code == "insufficient_balance"
    assert issue(alice, club.club, "eve", 1).code == "unknown_member"
    zero = issue(alice, club.club, "bob", 0)
    assert (zero.code, zero.path) == ("bad_message", "$.amount")
    assert balances(bob, club.club) == {"alice": 10_000, "bob": 10_500, "carol": 10_000}


def test_a_member_leaves_when_no_seat_is_held(evening):
    """Nor is a member removed from a seat. A manager closes the table of a host that is away; then all may go."""
    rooms, club, alice, bob, carol, _ = evening
    table = bob.ask(wire.CreateTable, **TERMS, club=club.club).hosted.info.table
    carol.ask(wire.JoinClubTable, table=table)
    carol.sit(table)
    before = balances(alice, club.club)
    assert carol.code(wire.LeaveClub, club=club.club) == "member_at_table"
    for name in ("bob", "carol"):
        assert alice.code(wire.RemoveMember, club=club.club, name=name) == "member_at_table"
    assert alice.code(wire.CloseClub, club=club.club) == "club_in_use"
    assert balances(alice, club.club) == before
    assert isinstance(alice.ask(wire.CloseClubTable, table=table), wire.Ok)
    rooms.pass_s(5)
    assert isinstance(carol.ask(wire.LeaveClub, club=club.club), wire.Ok)
    assert alice.ask(wire.RemoveMember, club=club.club, name="bob").club.issued == 10_000
    assert isinstance(alice.ask(wire.CloseClub, club=club.club), wire.Ok)
    assert alice.code(wire.GetClub, club=club.club) == "unknown_club"
    assert not now(rooms.ledger.audit()).differences


def test_a_member_who_is_removed_watches_no_table_any_more(evening):
    """At the other node, too: the viewer is sent away."""
    rooms, club, alice, bob, _, _ = evening
    table = alice.ask(wire.CreateTable, **TERMS, club=club.club).hosted.info.table
    bob.ask(wire.JoinClubTable, table=table)
    assert isinstance(bob.ask(wire.Observe, table=table), wire.Snapshot)
    alice.ask(wire.RemoveMember, club=club.club, name="bob")
    rooms.pass_s(1)
    assert bob.all(wire.RemovedFromTable)
    assert bob.code(wire.Observe, table=table) == "unknown_table"
    assert bob.code(wire.SitDown, table=table, buy_in=5_000, post=True) == "unknown_table"


def test_an_invitation_is_the_only_way_in(evening):
    """A guess, an old code and none are refused alike; names with spaces at an end are refused."""
    _, club, alice, bob, _, dave = evening
    for code in ("x" * 22, club.code.swapcase()):
        assert dave.code(wire.JoinClub, code=code) == "unknown_club_code"
    changed = alice.ask(wire.SetClubCode, club=club.club, invites=True, valid_s=60).club
    assert changed.code_until_ms is not None
    assert dave.code(wire.JoinClub, code=club.code) == "unknown_club_code"
    closed = alice.ask(wire.SetClubCode, club=club.club, invites=False, valid_s=60).club
    assert (closed.code, closed.code_until_ms) == (None, None)
    assert dave.code(wire.JoinClub, code=changed.code) == "unknown_club_code"
    joined(alice.ask(wire.SetClubCode, club=club.club, invites=True).club, dave, bob)
    for name in (" x", "x ", "   ", "a\nb", "a\u202eb", "", "x" * 41):
        answer = bob.ask(wire.CreateClub, name=name)
        assert (answer.code, answer.path) == ("bad_message", "$.name")
    assert bob.ask(wire.CreateClub, name="x" * 40).club.name == "x" * 40
    assert [line.members for line in dave.ask(wire.GetClubs).clubs] == [4]


def test_a_table_that_an_operator_has_closed_takes_no_member(evening):
    """A member hears why, at any node; to a stranger there is still no such table."""
    rooms, club, alice, bob, carol, dave = evening
    made = alice.ask(wire.CreateTable, **TERMS, club=club.club).hosted
    table = made.info.table
    rooms.pass_s(1)
    [owner] = [node for node in rooms.nodes if table in node.tables()]
    owner.table(table).close()
    rooms.pass_s(3)
    for member in (bob, carol):
        assert member.code(wire.JoinClubTable, table=table) == "table_closing"
    assert dave.code(wire.JoinClubTable, table=table) == "unknown_table"
    assert not now(rooms.ledger.hosted_table(table)).guests
    [owner] = [node for node in rooms.nodes if table in node.tables()]
    owner.table(table).reopen()
    rooms.pass_s(3)
    assert isinstance(bob.ask(wire.JoinClubTable, table=table), wire.HostedTable)


def test_guesses_are_slowed_down(rooms, party):
    """A connection that tries many codes is refused for its rate, and an account for its guesses, as with links."""
    dave = party.player("dave", rooms.start("a", FEW))
    for _ in range(60):
        dave.say(wire.JoinClub, code="x" * 22)
    rooms.pass_s(2)
    codes = [each.code for each in dave.all(wire.Error)]
    assert set(codes) == {"unknown_club_code", "too_many_attempts", "rate_limited"}
    assert codes.count("unknown_club_code") <= OF_ACCOUNT.free + 1


@pytest.mark.parametrize("off", ["clubs_per_account = 0\n", "tables_per_account = 0\n"])
def test_a_room_may_have_no_clubs(rooms, party, off):
    """Then the feature is missing, and no club is created or joined."""
    node = rooms.start("a", settings("t1") + "[hosting]\n" + off)
    alice = party.player("alice", node)
    assert "clubs" not in Player(rooms, node).all(wire.Welcome)[0].features
    for kind, fields in ((wire.CreateClub, {"name": "x"}), (wire.JoinClub, {"code": "x" * 22})):
        assert alice.code(kind, **fields) == Code.CLUBS_OFF.value
    assert alice.ask(wire.GetClubs).clubs == []


def test_an_account_owns_as_many_clubs_as_the_settings_say(rooms, party):
    """Three by default."""
    alice = party.player("alice", rooms.start("a", FEW))
    for number in range(3):
        created(alice, f"club {number}")
    assert alice.code(wire.CreateClub, name="one more") == "too_many_clubs"
    assert [line.name for line in alice.ask(wire.GetClubs).clubs] == ["club 0", "club 1", "club 2"]

"""What every ledger keeps of orders about clubs. `OperatedClubs` is mixed into `WholeContract`."""

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.account_standing import AccountLocked
from pokerroom.ledger.clubs import ClubChips, ClubInUse, UnknownClub, UnknownClubCode, UnknownMember
from pokerroom.ledger.operated_clubs import ClubQuery, OperatedMember
from pokerroom.ledger.operator_log import THE_ROOM, Acting, LogQuery
from tests.ledger.contract import buy_in, cash_out, opened
from tests.ledger.contract_of_hosted_tables import FEW, TERMS

CLUB, OTHER, THIRD = "a" * 10, "b" * 10, "c" * 10
TABLE = "host:1"
ANN = Acting(who="ann", role="admin", reason="a complaint")


def issued(run, ledger, alice, name, amount):
    """Alice gives a member chips of the club, or takes them."""
    chips = ClubChips(club=CLUB, manager=alice, name=name, key=f"{name}{amount}", amount=amount)
    run(ledger.move_club_chips(chips))


def listed(run, ledger, **query):
    """The ids of the clubs of a query."""
    return [row.club for row in run(ledger.find_clubs(ClubQuery(**{"limit": 9, **query})))]


def lines(run, ledger):
    """The orders about clubs in the log, the first one first."""
    return [
        (line.verb, line.subject, line.named())
        for line in reversed(run(ledger.log_lines(LogQuery(verb="club"))))
    ]


class OperatedClubs:
    """Alice owns two clubs, Bob is a member of the first; Carol owns the third."""

    @pytest.fixture
    def founded(self, run, ledger):
        alice, bob, carol = opened(run, ledger, "alice", "bob", "carol")
        run(ledger.create_club(CLUB, alice, "Friday night", "code-1", 2))
        run(ledger.create_club(OTHER, alice, "Sunday", "code-2", 2))
        run(ledger.create_club(THIRD, carol, "fridays", "code-3", 2))
        run(ledger.join_club("code-1", bob))
        return alice, bob, carol

    def test_clubs_are_found_by_a_part_of_the_name_the_id_or_a_member(self, run, ledger, founded):
        """Ignoring case, the latest first, page by page."""
        assert listed(run, ledger) == [THIRD, OTHER, CLUB]
        assert listed(run, ledger, search="FRIDAY") == [THIRD, CLUB]
        assert listed(run, ledger, search="night") == [CLUB]
        assert listed(run, ledger, search=OTHER) == [OTHER]
        assert listed(run, ledger, search="%") == []
        assert listed(run, ledger, player="ALICE") == [OTHER, CLUB]
        assert listed(run, ledger, player="bob", search="sunday") == []
        assert listed(run, ledger, player="stranger") == []
        first, *_ = run(ledger.find_clubs(ClubQuery(limit=1)))
        assert listed(run, ledger, before=first.number, limit=1) == [OTHER]

    def test_a_club_is_shown_with_members_chips_and_tables(self, run, ledger, founded):
        """What its bank owes has the chips at its tables; balances have not."""
        alice, bob, _ = founded
        issued(run, ledger, alice, "bob", 900)
        run(ledger.open_hosted_table(TABLE, alice, TERMS, "link-1", FEW, club=CLUB))
        run(ledger.join_club_table(TABLE, bob))
        run(ledger.take_table(TABLE, "n1", 0))
        run(buy_in(ledger, "in", TABLE, 1, bob, 300))
        found = run(ledger.operated_club(CLUB))
        row = found.overview
        assert (row.club, row.name, row.owner, row.members, row.tables) == (
            CLUB,
            "Friday night",
            "alice",
            2,
            1,
        )
        assert (row.issued, row.closed_ms) == (Money(900), None)
        assert row in run(ledger.find_clubs(ClubQuery(limit=9)))
        assert (found.invites, found.code_until_ms, list(found.tables)) == (True, None, [TABLE])
        assert list(found.members) == [
            OperatedMember(name="alice", role="owner", balance=Money(0), leaving=False),
            OperatedMember(name="bob", role="member", balance=Money(600), leaving=False),
        ]

    def test_movements_of_the_bank_are_listed(self, run, ledger, founded):
        """With the member and who ordered each; a member that leaves gives all back."""
        alice, bob, _ = founded
        for amount in (500, 40, -100):
            issued(run, ledger, alice, "bob", amount)
        run(ledger.leave_club(CLUB, bob))
        moves = run(ledger.club_moves(CLUB, None, 9))
        assert [(move.name, move.amount, move.by) for move in moves] == [
            ("bob", -440, "bob"),
            ("bob", -100, "alice"),
            ("bob", 40, "alice"),
            ("bob", 500, "alice"),
        ]
        assert moves[0].at_ms >= moves[-1].at_ms
        assert run(ledger.club_moves(CLUB, moves[0].number, 2)) == moves[1:3]
        assert run(ledger.club_moves(OTHER, None, 9)) == []

    def test_a_club_gets_another_name(self, run, ledger, founded):
        """Its members read it; the line has both, and once more changes nothing."""
        alice, *_ = founded
        for _ in range(2):
            assert run(ledger.rename_club(CLUB, "Club 1", by=ANN)).overview.name == "Club 1"
        assert run(ledger.club(CLUB, alice)).name == "Club 1"
        assert lines(run, ledger) == [
            ("club.rename", f"club:{CLUB}", {"from": "Friday night", "to": "Club 1"})
        ]

    def test_an_invitation_is_ended(self, run, ledger, founded):
        """The code is void, and once more changes nothing; a manager may make another."""
        alice, _, carol = founded
        for _ in range(2):
            assert run(ledger.end_club_invitation(CLUB, by=ANN)).invites is False
        with pytest.raises(UnknownClubCode):
            run(ledger.join_club("code-1", carol))
        assert run(ledger.set_club_code(CLUB, alice, "code-9", None)).code == "code-9"
        assert lines(run, ledger) == [("club.end_invitation", f"club:{CLUB}", {})]

    def test_a_member_becomes_the_owner(self, run, ledger, founded):
        """Without a bound of clubs; the owner before stays as a manager, and once more changes nothing."""
        alice, bob, _ = founded
        for _ in range(2):
            found = run(ledger.set_club_owner(CLUB, "BOB", by=ANN))
            assert (found.overview.owner, [one.role for one in found.members]) == (
                "bob",
                ["manager", "owner"],
            )
        assert run(ledger.club(CLUB, alice)).members[bob].role == "owner"
        assert lines(run, ledger) == [("club.set_owner", f"club:{CLUB}", {"from": "alice", "to": "bob"})]
        assert not run(ledger.audit()).differences

    def test_only_a_member_that_may_log_in_becomes_the_owner(self, run, ledger, founded):
        """Nothing changes otherwise."""
        _, bob, _ = founded
        with pytest.raises(UnknownMember):
            run(ledger.set_club_owner(CLUB, "carol", by=ANN))
        run(ledger.lock_out(bob, by=THE_ROOM))
        with pytest.raises(AccountLocked):
            run(ledger.set_club_owner(CLUB, "bob", by=ANN))
        assert run(ledger.operated_club(CLUB)).overview.owner == "alice"
        assert lines(run, ledger) == []

    def test_a_club_is_closed_by_order(self, run, ledger, founded):
        """All balances go back to the bank; it stays in the list, and no order changes it any more."""
        alice, bob, _ = founded
        for name in ("alice", "bob"):
            issued(run, ledger, alice, name, 250)
        closed = run(ledger.close_club_by_order(CLUB, by=ANN))
        row = closed.overview
        assert (row.owner, row.members, row.issued, closed.invites) == ("", 0, Money(0), False)
        assert row.closed_ms >= row.opened_ms
        assert (list(closed.members), list(closed.tables)) == ([], [])
        assert run(ledger.find_clubs(ClubQuery(limit=9)))[-1] == row
        assert [(move.name, move.amount, move.by) for move in run(ledger.club_moves(CLUB, None, 2))] == [
            ("bob", -250, "bob"),
            ("alice", -250, "alice"),
        ]
        assert lines(run, ledger) == [("club.close", f"club:{CLUB}", {"members": 2})]
        assert [row.club for row in run(ledger.clubs_of(bob))] == []
        for order in (ledger.close_club_by_order, ledger.end_club_invitation):
            with pytest.raises(UnknownClub):
                run(order(CLUB, by=ANN))
        for order in (ledger.rename_club, ledger.set_club_owner):
            with pytest.raises(UnknownClub):
                run(order(CLUB, "bob", by=ANN))
        assert not run(ledger.audit()).differences

    def test_a_club_with_an_open_table_is_not_closed(self, run, ledger, founded):
        """Its chips may be at the table."""
        alice, bob, _ = founded
        issued(run, ledger, alice, "bob", 300)
        run(ledger.open_hosted_table(TABLE, alice, TERMS, "link-1", FEW, club=CLUB))
        run(ledger.join_club_table(TABLE, bob))
        run(ledger.take_table(TABLE, "n1", 0))
        run(buy_in(ledger, "in", TABLE, 1, bob, 300))
        with pytest.raises(ClubInUse):
            run(ledger.close_club_by_order(CLUB, by=ANN))
        assert run(ledger.operated_club(CLUB)).overview.members == 2
        run(cash_out(ledger, "out", TABLE, bob))
        assert lines(run, ledger) == []

    def test_a_club_that_there_is_not_is_refused(self, run, ledger, founded):
        """By every question about one club."""
        for asked in (lambda: ledger.operated_club("z" * 10), lambda: ledger.club_moves("z" * 10, None, 5)):
            with pytest.raises(UnknownClub):
                run(asked())

"""The part of every ledger's contract for clubs. `Clubs` is mixed into `Contract`."""

from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.account_standing import AccountInUse, AccountLocked
from pokerroom.ledger.api import InsufficientBalance, LedgerConflict
from pokerroom.ledger.clubs import (
    CLUBS_MAX,
    CLUBS_PER_DAY,
    ISSUED_MAX,
    MEMBERS_MAX,
    ClubChips,
    ClubInUse,
    ClubKeyUsed,
    ClubMember,
    ClubResult,
    ClubRoleNeeded,
    MemberAtTable,
    TooManyClubs,
    TooManyMembers,
    UnknownClub,
    UnknownClubCode,
    UnknownMember,
)
from pokerroom.ledger.hosted_tables import (
    Gift,
    SeatNotAccepted,
    UnknownGuest,
    UnknownHostedTable,
    UnknownLink,
)
from pokerroom.ledger.operator_log import THE_ROOM
from tests.ledger.contract import buy_in, cash_out, hand, opened, top_up
from tests.ledger.contract_of_hosted_tables import FEW, TERMS

CLUB, OTHER = "a" * 10, "b" * 10
TABLE = "host:1"


class Clubs:
    """Alice owns the club, Bob is a member, Carol has nothing to do with it."""

    @pytest.fixture
    def circle(self, run, ledger):
        alice, bob, carol = opened(run, ledger, "alice", "bob", "carol")
        run(ledger.create_club(CLUB, alice, "Fridays", "code-1", 2))
        run(ledger.join_club("code-1", bob))
        return alice, bob, carol

    def give(self, run, ledger, alice, name, amount, key=None):  # noqa: PLR0917 -- one line for each movement
        chips = ClubChips(club=CLUB, manager=alice, name=name, key=key or f"{name}{amount}", amount=amount)
        return run(ledger.move_club_chips(chips))

    def open_table(self, run, ledger, host, club=CLUB):
        run(ledger.open_hosted_table(TABLE, host, TERMS, "link-1", FEW, club=club))
        run(ledger.take_table(TABLE, "n1", 0))

    def is_sound(self, run, ledger):
        return not run(ledger.audit()).differences

    def test_a_club_is_known_to_its_members(self, run, ledger, circle):
        """With their roles and balances; to others it does not exist."""
        alice, bob, carol = circle
        row = run(ledger.club(CLUB, bob))
        assert (row.name, row.code, row.code_until_ms, row.issued, row.tables) == (
            "Fridays",
            "code-1",
            None,
            0,
            (),
        )
        assert row.members == {
            alice: ClubMember(name="alice", role="owner", balance=Money(0)),
            bob: ClubMember(name="bob", role="member", balance=Money(0)),
        }
        assert list(row.members) == [alice, bob]
        assert run(ledger.clubs_of(bob)) == run(ledger.clubs_of(alice)) == [row]
        assert run(ledger.clubs_of(carol)) == []
        for club, account in ((CLUB, carol), (OTHER, alice)):
            for call in (
                lambda club=club, account=account: ledger.club(club, account),
                lambda club=club, account=account: ledger.set_club_code(club, account, "x", None),
                lambda club=club, account=account: ledger.set_club_role(club, account, "bob", "manager", 2),
                lambda club=club, account=account: ledger.remove_member(club, account, "bob", "code-9"),
                lambda club=club, account=account: ledger.close_club(club, account),
                lambda club=club, account=account: ledger.club_results(club, account, 0),
                lambda club=club, account=account: ledger.open_hosted_table(
                    TABLE, account, TERMS, "link-1", FEW, club=club
                ),
            ):
                with pytest.raises(UnknownClub):
                    run(call())
        assert run(ledger.club(CLUB, bob)) == row
        assert run(ledger.hosted_versions()) == {}

    def test_an_account_owns_few_clubs(self, run, ledger, circle):
        """Those that are closed count no more. An id or a code is used once."""
        alice, bob, _ = circle
        run(ledger.create_club(OTHER, alice, "Sundays", "code-2", 2))
        with pytest.raises(TooManyClubs):
            run(ledger.create_club("c" * 10, alice, "Mondays", "code-3", 2))
        run(ledger.close_club(OTHER, alice))
        for club, code in ((CLUB, "code-3"), (OTHER, "code-3"), ("c" * 10, "code-1")):
            with pytest.raises(LedgerConflict):
                run(ledger.create_club(club, bob, "x", code, 2))
        run(ledger.create_club("c" * 10, alice, "Mondays", "code-3", 2))
        assert [row.name for row in run(ledger.clubs_of(alice))] == ["Fridays", "Mondays"]

    def test_an_account_is_in_few_clubs(self, run, ledger, circle):
        """A member of many clubs joins and creates no further one; whoever comes again to a club of theirs may."""
        _, _, carol = circle
        for number in range(CLUBS_MAX):
            if number % 10 == 0:
                (owner,) = opened(run, ledger, f"owner{number}")
            run(ledger.create_club(f"{number:010d}", owner, "x", f"c{number}", CLUBS_MAX))
            run(ledger.join_club(f"c{number}", carol))
        for call in (
            lambda: ledger.join_club("code-1", carol),
            lambda: ledger.create_club(OTHER, carol, "x", "code-2", CLUBS_MAX),
        ):
            with pytest.raises(TooManyClubs):
                run(call())
        assert len(run(ledger.clubs_of(carol))) == CLUBS_MAX
        run(ledger.join_club("c0", carol))
        run(ledger.leave_club("0" * 10, carol))
        assert carol in run(ledger.join_club("code-1", carol)).members

    def test_an_account_creates_few_clubs_in_a_day(self, run, ledger, circle, later):
        """Each leaves its row for ever, also if it is closed at once."""
        _, _, carol = circle
        for number in range(CLUBS_PER_DAY):
            run(ledger.create_club(f"{number:010d}", carol, "x", f"c{number}", 1))
            run(ledger.close_club(f"{number:010d}", carol))
        with pytest.raises(TooManyClubs):
            run(ledger.create_club(OTHER, carol, "x", "code-2", 1))
        later(86_401)
        run(ledger.create_club(OTHER, carol, "x", "code-2", 1))

    def test_an_invitation_is_replaced_and_expires(self, run, ledger, circle, later):
        """Members stay members. A club without a code takes none."""
        alice, bob, carol = circle
        with pytest.raises(ClubRoleNeeded):
            run(ledger.set_club_code(CLUB, bob, "code-2", None))
        changed = run(ledger.set_club_code(CLUB, alice, "code-2", 60))
        assert changed.code == "code-2"
        assert changed.code_until_ms is not None
        for code in ("code-1", "", "CODE-2"):
            with pytest.raises(UnknownClubCode):
                run(ledger.join_club(code, carol))
        assert run(ledger.join_club("code-2", bob)).members.keys() == changed.members.keys()
        later(61)
        with pytest.raises(UnknownClubCode):
            run(ledger.join_club("code-2", carol))
        run(ledger.set_club_code(CLUB, alice, None, None))
        assert run(ledger.club(CLUB, alice)).code is None
        run(ledger.set_club_code(CLUB, alice, "code-3", None))
        assert carol in run(ledger.join_club("code-3", carol)).members

    def test_a_club_has_a_maximum_of_members(self, run, ledger, circle):
        """One more is refused; a member who comes again is not."""
        guests = [
            run(ledger.create_account(f"g{n}", "hash", Money(0))).account for n in range(MEMBERS_MAX - 1)
        ]
        for guest in guests[:-1]:
            run(ledger.join_club("code-1", guest))
        with pytest.raises(TooManyMembers):
            run(ledger.join_club("code-1", guests[-1]))
        assert len(run(ledger.join_club("code-1", guests[0])).members) == MEMBERS_MAX

    def test_roles_give_orders(self, run, ledger, circle):
        """A manager names no manager, and removes members alone; the owner hands the club over."""
        alice, bob, carol = circle
        run(ledger.join_club("code-1", carol))
        with pytest.raises(ClubRoleNeeded):
            self.give(run, ledger, bob, "carol", 5)
        assert run(ledger.set_club_role(CLUB, alice, "BOB", "manager", 2)).members[bob].role == "manager"
        self.give(run, ledger, bob, "carol", 5)
        for call in (
            lambda: ledger.set_club_role(CLUB, bob, "carol", "manager", 2),
            lambda: ledger.remove_member(CLUB, bob, "alice", "code-9"),
            lambda: ledger.close_club(CLUB, bob),
            lambda: ledger.set_club_role(CLUB, alice, "alice", "member", 2),
            lambda: ledger.leave_club(CLUB, alice),
        ):
            with pytest.raises(ClubRoleNeeded):
                run(call())
        for call in (
            lambda: ledger.set_club_role(CLUB, alice, "dora", "manager", 2),
            lambda: ledger.remove_member(CLUB, alice, "dora", "code-9"),
        ):
            with pytest.raises(UnknownMember):
                run(call())
        assert carol not in run(ledger.remove_member(CLUB, bob, "carol", "code-9")).members
        handed = run(ledger.set_club_role(CLUB, alice, "bob", "owner", 2))
        assert {account: member.role for account, member in handed.members.items()} == {
            alice: "manager",
            bob: "owner",
        }
        assert self.is_sound(run, ledger)

    def test_each_change_of_a_role_is_in_the_books(self, run, ledger, circle):
        """A transfer for each account that joins, leaves or has another role; none where nothing has changed."""
        alice, bob, carol = circle
        changes = (
            (1, lambda: ledger.create_club(OTHER, bob, "Sundays", "code-9", 2)),
            (1, lambda: ledger.join_club("code-9", alice)),
            (0, lambda: ledger.join_club("code-9", alice)),
            (1, lambda: ledger.set_club_role(OTHER, bob, "alice", "manager", 2)),
            (0, lambda: ledger.set_club_role(OTHER, bob, "alice", "manager", 2)),
            (2, lambda: ledger.set_club_role(OTHER, bob, "alice", "owner", 2)),
            (1, lambda: ledger.leave_club(OTHER, bob)),
            (0, lambda: ledger.leave_club(OTHER, bob)),
            (1, lambda: ledger.join_club("code-9", carol)),
            (1, lambda: ledger.remove_member(OTHER, alice, "carol", "code-8")),
            (1, lambda: ledger.close_club(OTHER, alice)),
        )
        told = []
        for _, change in changes:
            before = run(ledger.audit()).transfers
            run(change())
            told.append(run(ledger.audit()).transfers - before)
        assert told == [number for number, _ in changes]
        assert run(ledger.audit()).differences == ()

    def test_chips_come_from_the_bank_and_go_back(self, run, ledger, circle):
        """Once for each key. The bank owes what members hold; wallets stay as they are."""
        alice, bob, _ = circle
        for _ in range(2):
            row = self.give(run, ledger, alice, "bob", 500, "k1")
            assert (row.issued, row.members[bob].balance) == (500, 500)
        row = self.give(run, ledger, alice, "Bob", -200, "k2")
        assert (row.issued, row.members[bob].balance) == (300, 300)
        before = row
        for amount, key, name, refusal in (
            (501, "k1", "bob", ClubKeyUsed),
            (500, "k1", "alice", ClubKeyUsed),
            (-301, "k3", "bob", InsufficientBalance),
            (ISSUED_MAX - 299, "k3", "bob", InsufficientBalance),
            (5, "k3", "carol", UnknownMember),
        ):
            with pytest.raises(refusal):
                self.give(run, ledger, alice, name, amount, key)
        assert run(ledger.club(CLUB, alice)) == before
        assert run(ledger.wallet(bob)) == 10_000
        assert self.is_sound(run, ledger)

    def test_a_manager_has_no_power_over_the_chips_of_the_owner(self, run, ledger, circle):
        """Nor over those of another manager; and it issues none to itself, but may give its own back."""
        alice, bob, carol = circle
        run(ledger.join_club("code-1", carol))
        for name in ("bob", "carol"):
            run(ledger.set_club_role(CLUB, alice, name, "manager", 2))
        for name in ("alice", "bob", "carol"):
            before = self.give(run, ledger, alice, name, 500)
        for name, amount in (
            ("alice", -500),
            ("alice", -1),
            ("carol", -500),
            ("bob", 1),
            ("bob", ISSUED_MAX),
        ):
            with pytest.raises(ClubRoleNeeded):
                self.give(run, ledger, bob, name, amount, "k1")
        assert run(ledger.club(CLUB, alice)) == before
        self.give(run, ledger, bob, "bob", -100, "k2")
        self.give(run, ledger, bob, "alice", 5, "k3")
        run(ledger.set_club_role(CLUB, alice, "carol", "member", 2))
        self.give(run, ledger, bob, "carol", -500, "k4")
        row = self.give(run, ledger, alice, "bob", -400, "k5")
        assert [row.members[account].balance for account in (alice, bob, carol)] == [505, 0, 0]
        assert self.is_sound(run, ledger)

    def test_a_table_of_a_club_is_played_for_its_chips(self, run, ledger, circle):
        """A buy-in and a top-up come from the balance, and a cash-out goes back there."""
        alice, bob, _ = circle
        for name in ("alice", "bob"):
            self.give(run, ledger, alice, name, 1_000)
        self.open_table(run, ledger, alice)
        assert run(ledger.hosted_table(TABLE)).club == CLUB
        assert run(ledger.club(CLUB, bob)).tables == (TABLE,)
        assert bob in run(ledger.join_club_table(TABLE, bob)).guests
        run(buy_in(ledger, "b1", TABLE, 1, alice, Money(400)))
        run(buy_in(ledger, "b2", TABLE, 2, bob, Money(400)))
        with pytest.raises(InsufficientBalance):
            run(top_up(ledger, "t1", TABLE, bob, Money(601)))
        run(top_up(ledger, "t2", TABLE, bob, Money(100)))
        run(ledger.settle([hand("h1", {alice: 150, bob: -150}, table=TABLE)]))
        balances = {
            account: member.balance for account, member in run(ledger.club(CLUB, bob)).members.items()
        }
        assert balances == {alice: 600, bob: 500}
        assert run(ledger.club(CLUB, bob)).issued == 2_000
        assert self.is_sound(run, ledger)
        for _ in range(2):
            assert run(cash_out(ledger, "c1", TABLE, alice)) == 550
            assert run(cash_out(ledger, "c2", TABLE, bob)) == 350
        balances = {
            account: member.balance for account, member in run(ledger.club(CLUB, bob)).members.items()
        }
        assert balances == {alice: 1_150, bob: 850}
        assert [run(ledger.wallet(account)) for account in (alice, bob)] == [10_000, 10_000]
        expected = [
            ClubResult(account=alice, name="alice", net=150),
            ClubResult(account=bob, name="bob", net=-150),
        ]
        assert run(ledger.club_results(CLUB, bob, 0)) == expected
        for never_ms in (10**13, 253_402_300_800_000, 2**53 - 1):
            assert run(ledger.club_results(CLUB, bob, never_ms)) == []
        assert self.is_sound(run, ledger)

    def test_a_table_of_a_club_admits_members_alone(self, run, ledger, circle):
        """Its link is of no use to others, nor to a member whom the host has removed."""
        alice, bob, carol = circle
        self.open_table(run, ledger, alice)
        with pytest.raises(UnknownLink):
            run(ledger.join_hosted_table("link-1", carol))
        for table in (TABLE, "host:9"):
            with pytest.raises(UnknownHostedTable):
                run(ledger.join_club_table(table, carol))
        for account in (bob, carol):
            with pytest.raises(UnknownHostedTable):
                run(buy_in(ledger, f"b{account}", TABLE, 1, account, Money(100)))
        assert bob in run(ledger.join_hosted_table("link-1", bob)).guests
        run(ledger.remove_guest(TABLE, alice, "bob"))
        with pytest.raises(UnknownHostedTable):
            run(ledger.join_club_table(TABLE, bob))
        assert run(ledger.seats()) == []

    def test_a_private_table_of_no_club_is_played_from_the_wallet(self, run, ledger, circle):
        """A member has both kinds of chips, and never mixes them. To join it as a club table is refused."""
        alice, bob, _ = circle
        self.give(run, ledger, alice, "bob", 1_000)
        self.open_table(run, ledger, alice, None)
        with pytest.raises(UnknownHostedTable):
            run(ledger.join_club_table(TABLE, bob))
        run(ledger.join_hosted_table("link-1", bob))
        run(buy_in(ledger, "b1", TABLE, 1, bob, Money(400)))
        assert run(ledger.wallet(bob)) == 9_600
        assert run(ledger.club(CLUB, bob)).members[bob].balance == 1_000

    def test_who_leaves_gives_the_chips_back(self, run, ledger, circle):
        """Not from a seat, nor as the host of a table. A second time changes nothing; who returns begins with none."""
        alice, bob, _ = circle
        self.give(run, ledger, alice, "bob", 1_000)
        self.open_table(run, ledger, alice)
        run(ledger.join_club_table(TABLE, bob))
        run(buy_in(ledger, "b1", TABLE, 1, bob, Money(400)))
        before = run(ledger.club(CLUB, alice))
        with pytest.raises(MemberAtTable):
            run(ledger.leave_club(CLUB, bob))
        assert run(ledger.club(CLUB, alice)) == before
        run(cash_out(ledger, "c1", TABLE, bob))
        run(ledger.give_host(TABLE, alice, "bob", FEW))
        with pytest.raises(MemberAtTable):
            run(ledger.leave_club(CLUB, bob))
        run(ledger.give_host(TABLE, bob, "alice", FEW))
        for _ in range(2):
            run(ledger.leave_club(CLUB, bob))
        row = run(ledger.club(CLUB, alice))
        assert (list(row.members), row.issued) == ([alice], 0)
        assert bob not in run(ledger.hosted_table(TABLE)).guests
        with pytest.raises(UnknownHostedTable):
            run(buy_in(ledger, "b2", TABLE, 1, bob, Money(1)))
        assert run(ledger.join_club("code-1", bob)).members[bob].balance == 0
        self.give(run, ledger, alice, "bob", 70)
        assert run(ledger.remove_member(CLUB, alice, "bob", "code-9")).issued == 0
        assert self.is_sound(run, ledger)

    def test_results_of_a_table_have_players_who_left_the_club(self, run, ledger, circle):
        """Without them the nets would not sum to zero, and the list of payments could not be made."""
        alice, bob, _ = circle
        for name in ("alice", "bob"):
            self.give(run, ledger, alice, name, 1_000)
        self.open_table(run, ledger, alice)
        run(ledger.join_club_table(TABLE, bob))
        run(buy_in(ledger, "b1", TABLE, 1, alice, Money(400)))
        run(buy_in(ledger, "b2", TABLE, 2, bob, Money(400)))
        run(ledger.settle([hand("h1", {alice: 150, bob: -150}, table=TABLE)]))
        run(cash_out(ledger, "c2", TABLE, bob))
        run(ledger.leave_club(CLUB, bob))
        told = run(ledger.hosted_results(TABLE, alice))
        assert [(row.account, row.bought_in, row.taken_out, row.on_table) for row in told] == [
            (alice, 400, 0, 550),
            (bob, 400, 250, 0),
        ]

    def test_a_member_that_is_removed_from_a_table_takes_no_further_seat(self, run, ledger, circle):
        """So that it cannot put off the removal, by the next table or seat. The owner may keep the member."""
        alice, bob, _ = circle
        self.give(run, ledger, alice, "bob", 1_000)
        self.open_table(run, ledger, bob)
        run(ledger.open_hosted_table("host:2", alice, TERMS, "link-2", FEW, club=CLUB))
        run(ledger.take_table("host:2", "n1", 0))
        run(ledger.join_club_table("host:2", bob))
        run(buy_in(ledger, "b1", TABLE, 1, bob, Money(400)))

        def refused(key):
            with pytest.raises(MemberAtTable):
                run(ledger.remove_member(CLUB, alice, "bob", key))
            with pytest.raises(SeatNotAccepted):
                run(buy_in(ledger, key, "host:2", 1, bob, Money(100)))
            with pytest.raises(ClubRoleNeeded):
                run(ledger.open_hosted_table("host:3", bob, TERMS, "link-3", FEW, club=CLUB))
            with pytest.raises(UnknownGuest):
                run(ledger.give_host("host:2", alice, "bob", FEW))

        refused("code-7")
        run(ledger.set_club_role(CLUB, alice, "bob", "member", 2))
        run(buy_in(ledger, "b2", "host:2", 1, bob, Money(100)))
        refused("code-8")
        run(cash_out(ledger, "c1", TABLE, bob))
        run(cash_out(ledger, "c2", "host:2", bob))
        run(ledger.close_club_table(TABLE, alice))
        assert run(ledger.end_hosted_table(TABLE))
        assert run(ledger.remove_member(CLUB, alice, "bob", "code-9")).code == "code-9"
        with pytest.raises(UnknownClubCode):
            run(ledger.join_club("code-1", bob))
        run(ledger.join_club("code-9", bob))
        self.give(run, ledger, alice, "bob", 50)
        run(ledger.join_club_table("host:2", bob))
        run(buy_in(ledger, "b3", "host:2", 1, bob, Money(50)))
        run(ledger.set_club_code(CLUB, alice, None, None))
        run(cash_out(ledger, "c3", "host:2", bob))
        assert run(ledger.remove_member(CLUB, alice, "bob", "code-10")).code is None
        assert self.is_sound(run, ledger)

    def test_an_heir_owns_few_clubs(self, run, ledger, circle):
        """As many as any account; the club stays with its owner otherwise. Nor is it given to a locked account."""
        alice, bob, _ = circle
        run(ledger.create_club(OTHER, bob, "Sundays", "code-2", 1))
        before = run(ledger.club(CLUB, alice))
        with pytest.raises(TooManyClubs):
            run(ledger.set_club_role(CLUB, alice, "bob", "owner", 1))
        assert run(ledger.club(CLUB, alice)) == before
        run(ledger.close_club(OTHER, bob))
        run(ledger.lock_out(bob, by=THE_ROOM))
        with pytest.raises(AccountLocked):
            run(ledger.set_club_role(CLUB, alice, "bob", "owner", 1))
        assert run(ledger.club(CLUB, alice)) == before

    def test_a_host_gives_no_chips_of_the_wallet_at_a_table_of_a_club(self, run, ledger, circle):
        """Wallets and chips of the club never mix: its managers issue chips."""
        alice, bob, _ = circle
        self.open_table(run, ledger, alice)
        run(ledger.join_club_table(TABLE, bob))
        with pytest.raises(ClubRoleNeeded):
            run(ledger.give_chips(Gift(table=TABLE, giver=alice, name="bob", key="k1", amount=Money(5))))
        assert [run(ledger.wallet(account)) for account in (alice, bob)] == [10_000, 10_000]

    def test_a_manager_closes_a_table_of_another_member(self, run, ledger, circle):
        """So a host that is away holds up no club. A member may not, and to others the table does not exist."""
        alice, bob, carol = circle
        self.open_table(run, ledger, bob)
        for call in (
            lambda: ledger.close_club_table(TABLE, carol),
            lambda: ledger.close_club_table("host:2", alice),
        ):
            with pytest.raises(UnknownHostedTable):
                run(call())
        run(ledger.set_club_role(CLUB, alice, "bob", "owner", 2))
        run(ledger.join_club("code-1", carol))
        with pytest.raises(ClubRoleNeeded):
            run(ledger.close_club_table(TABLE, carol))
        assert not run(ledger.hosted_table(TABLE)).closing
        closed = [run(ledger.close_club_table(TABLE, alice)) for _ in range(2)]
        assert closed[0] == closed[1]
        assert closed[0].closing
        with pytest.raises(UnknownHostedTable):
            run(ledger.join_club_table(TABLE, carol))

    def test_chips_of_a_club_keep_no_refill_back(self, run, ledger, circle):
        """What an account owns is the wallet and the stacks that came from it."""
        alice, bob, _ = circle
        owned = run(ledger.refill_state(bob)).owned
        self.give(run, ledger, alice, "bob", 1_000)
        self.open_table(run, ledger, alice)
        run(ledger.join_club_table(TABLE, bob))
        run(buy_in(ledger, "b1", TABLE, 1, bob, Money(400)))
        assert run(ledger.refill_state(bob)).owned == owned

    def test_a_club_closes_with_all_chips_in_its_bank(self, run, ledger, circle):
        """Not while a table is open. Afterwards it is as if it had never been."""
        alice, bob, carol = circle
        for name in ("alice", "bob"):
            self.give(run, ledger, alice, name, 1_000)
        self.open_table(run, ledger, alice)
        with pytest.raises(ClubInUse):
            run(ledger.close_club(CLUB, alice))
        run(ledger.change_hosted_table(TABLE, alice, "close", ""))
        assert run(ledger.end_hosted_table(TABLE))
        run(ledger.close_club(CLUB, alice))
        assert run(ledger.clubs_of(alice)) == run(ledger.clubs_of(bob)) == []
        with pytest.raises(UnknownClub):
            run(ledger.club(CLUB, alice))
        with pytest.raises(UnknownClubCode):
            run(ledger.join_club("code-1", carol))
        assert self.is_sound(run, ledger)

    def test_locked_accounts_and_members_who_are_deleted(self, run, ledger, circle):
        """A locked account creates and joins no club. A member's account stays, for the chips would be lost."""
        alice, bob, carol = circle
        (dora,) = opened(run, ledger, "dora", opening=0)
        run(ledger.join_club("code-1", dora))
        with pytest.raises(AccountInUse):
            run(ledger.delete_account(dora, None, by=THE_ROOM))
        run(ledger.leave_club(CLUB, dora))
        run(ledger.delete_account(dora, None, by=THE_ROOM))
        run(ledger.lock_out(carol, by=THE_ROOM))
        before = run(ledger.club(CLUB, bob))
        for call in (
            lambda: ledger.create_club(OTHER, carol, "x", "code-2", 2),
            lambda: ledger.join_club("code-1", carol),
        ):
            with pytest.raises(AccountLocked):
                run(call())
        assert run(ledger.club(CLUB, bob)) == before == replace(before, issued=Money(0))
        assert alice in before.members

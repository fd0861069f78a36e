"""The part of every ledger's contract for sit-and-gos of clubs. `ClubSitAndGos` is mixed into `Contract`."""

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.api import InsufficientBalance
from pokerroom.ledger.clubs import (
    ClubChips,
    ClubInUse,
    ClubResult,
    ClubRoleNeeded,
    ClubSitAndGo,
    MemberAtTable,
    UnknownClub,
)
from pokerroom.ledger.hosted_sit_and_gos import NotInvited
from pokerroom.ledger.hosted_tables import HostedLimits, SeatNotAccepted, UnknownHostedTable, UnknownLink
from pokerroom.ledger.operator_log import THE_ROOM
from pokerroom.ledger.tournaments import NotEntered, RegistrationClosed
from tests.ledger.contract import opened, take_tournament
from tests.ledger.contract_of_hosted_sit_and_gos import NAME, TABLE, opening
from tests.ledger.contract_of_scheduled_tournaments import sound, spent
from tests.ledger.contract_of_tournament_hands import hand
from tests.ledger.contract_of_tournaments import given

CLUB = "a" * 10
FEW = HostedLimits(per_account=3, in_room=5)
NAMES = ("alice", "bob", "carol", "dave")


def hosted_in_club(run, ledger, host, number=1, club=CLUB, **terms):
    """A sit-and-go for 3.00 with three seats, in chips of the club."""
    terms = opening(number, **terms)
    code = f"code-{number}"
    return run(ledger.open_hosted_sit_and_go(host, terms, {"name": "Friday"}, code, FEW, club=club))


def come(run, ledger, accounts, table=TABLE, name=NAME):
    """Members come to it, and enter."""
    for account in accounts:
        run(ledger.join_club_table(table, account))
        run(ledger.enter(name, account, 1))


def played(run, ledger, prizes, *accounts, name=NAME):
    """It starts with these accounts, which end in this order; the prizes are paid."""
    started(run, ledger, accounts, prizes, name=name)
    winner, *others = accounts
    deltas = {winner: 1_500 * len(others), **dict.fromkeys(others, -1_500)}
    run(ledger.settle([hand(f"h-{name}", deltas, table=name)]))
    places = [
        given(place, account, prize)
        for place, (account, prize) in enumerate(
            zip(accounts, [*prizes, *[0] * (len(accounts) - len(prizes))], strict=True), 1
        )
    ]
    run(ledger.give_places(name, 1, 1, places))


def started(run, ledger, accounts, prizes, name=NAME):
    """All of these have entered; the host says that it starts, if they are not enough to fill it."""
    take_tournament(run, ledger, name)
    run(ledger.start_tournament(name, 1, list(accounts), 1_500))
    run(ledger.close_entries(name, 1, len(accounts), [Money(prize) for prize in prizes]))


def paid(run, ledger, *numbers, name=NAME):
    for number in numbers:
        for _ in range(2):  # once, however often it is asked
            run(ledger.pay_place(name, number))


class ClubSitAndGos:
    """Alice owns the club, Bob and Carol are members with 10.00 each, Dave has nothing to do with it."""

    @pytest.fixture
    def fellows(self, run, ledger):
        alice, bob, carol, dave = opened(run, ledger, *NAMES)
        run(ledger.create_club(CLUB, alice, "Fridays", "invitation", 2))
        for account in (bob, carol):
            run(ledger.join_club("invitation", account))
        for name in NAMES[:3]:
            run(
                ledger.move_club_chips(
                    ClubChips(club=CLUB, manager=alice, name=name, key=f"first-{name}", amount=1_000)
                )
            )
        return alice, bob, carol, dave

    def held(self, run, ledger, reader):
        """The balances of the members of the club."""
        return {
            member.name: int(member.balance) for member in run(ledger.club(CLUB, reader)).members.values()
        }

    def test_it_is_played_in_chips_of_the_club(self, run, ledger, fellows):
        """Entries come from the balances and prizes go there; no wallet moves, and the bank owes as before."""
        alice, bob, carol, dave = fellows
        row = hosted_in_club(run, ledger, bob)
        assert (row.club, row.tournament) == (CLUB, NAME)
        come(run, ledger, [alice, bob])
        assert self.held(run, ledger, alice) == {"alice": 700, "bob": 700, "carol": 1_000}
        club = run(ledger.club(CLUB, carol))
        assert (club.issued, club.tables, club.hosted) == (3_000, (), [TABLE])
        line = ClubSitAndGo(
            table=TABLE,
            tournament=NAME,
            name="Friday",
            host_name="bob",
            seats=3,
            players=2,
            buy_in=Money(300),
            runs=False,
        )
        assert club.sit_and_gos == (line,)
        come(run, ledger, [carol])
        sound(run, ledger)
        played(run, ledger, [600, 300], carol, alice, bob)
        assert run(ledger.club_results(CLUB, bob, 0)) == [
            ClubResult(account=alice, name="alice", net=0),
            ClubResult(account=bob, name="bob", net=-300),
            ClubResult(account=carol, name="carol", net=300),
        ]
        paid(run, ledger, 1, 2, 3)
        assert self.held(run, ledger, alice) == {"alice": 1_000, "bob": 700, "carol": 1_300}
        assert spent(run, ledger, [alice, bob, carol, dave]) == [0, 0, 0, 0]
        club = run(ledger.club(CLUB, carol))
        assert (club.issued, club.sit_and_gos) == (3_000, ())
        sound(run, ledger)

    def test_an_entry_costs_what_the_member_has(self, run, ledger, fellows):
        """However much is in the wallet."""
        alice, bob, _, _ = fellows
        run(ledger.move_club_chips(ClubChips(club=CLUB, manager=alice, name="bob", key="k", amount=-701)))
        hosted_in_club(run, ledger, alice)
        run(ledger.join_club_table(TABLE, bob))
        with pytest.raises(InsufficientBalance):
            run(ledger.enter(NAME, bob, 1))
        assert run(ledger.tournament(NAME)).entries == ()
        assert self.held(run, ledger, alice)["bob"] == 299
        sound(run, ledger)

    def test_entries_go_back_to_the_members(self, run, ledger, fellows):
        """Each of them once: by leaving, and by the end before the start."""
        alice, bob, carol, _ = fellows
        hosted_in_club(run, ledger, alice)
        come(run, ledger, [alice, bob])
        for _ in range(2):
            run(ledger.return_entry(NAME, bob, 1))
        assert self.held(run, ledger, alice) == {"alice": 700, "bob": 1_000, "carol": 1_000}
        with pytest.raises(NotEntered):
            run(ledger.return_entry(NAME, carol, 1))
        run(ledger.enter(NAME, bob, 2))
        for _ in range(2):
            run(ledger.cancel_tournament(NAME))
        assert self.held(run, ledger, alice) == {"alice": 1_000, "bob": 1_000, "carol": 1_000}
        assert run(ledger.club_results(CLUB, bob, 0)) == []
        assert spent(run, ledger, [alice, bob, carol]) == [0, 0, 0]
        sound(run, ledger)

    def test_a_member_that_the_host_removes_has_the_entry_back(self, run, ledger, fellows):
        """In chips of the club; it comes to this one no more, and to others it does."""
        alice, bob, _, _ = fellows
        hosted_in_club(run, ledger, alice)
        come(run, ledger, [bob])
        run(ledger.remove_guest(TABLE, alice, "bob"))
        assert self.held(run, ledger, alice)["bob"] == 1_000
        with pytest.raises(UnknownHostedTable):
            run(ledger.join_club_table(TABLE, bob))
        hosted_in_club(run, ledger, alice, 2)
        come(run, ledger, [bob], "host:2", "private:2.1")
        sound(run, ledger)

    def test_an_operator_returns_them_while_it_runs(self, run, ledger, fellows):
        """Also to one that is out already; the results do not have it."""
        alice, bob, carol, _ = fellows
        hosted_in_club(run, ledger, alice)
        come(run, ledger, [alice, bob, carol])
        started(run, ledger, (alice, bob, carol), [900])
        run(ledger.settle([hand("h1", {alice: 1_500, bob: -1_500}, table=NAME)]))
        run(ledger.give_places(NAME, 1, 3, [given(3, bob, 0)]))
        with pytest.raises(MemberAtTable):
            run(ledger.leave_club(CLUB, bob))
        for _ in range(2):
            run(ledger.roll_back_tournament(NAME, 1))
        assert self.held(run, ledger, alice) == {"alice": 1_000, "bob": 1_000, "carol": 1_000}
        assert run(ledger.club_results(CLUB, bob, 0)) == []
        sound(run, ledger)

    def test_members_alone_come_to_it(self, run, ledger, fellows):
        """By the list of the club or by the link; to others it does not exist."""
        alice, bob, carol, dave = fellows
        with pytest.raises(UnknownClub):
            hosted_in_club(run, ledger, dave)
        with pytest.raises(LookupError):
            run(ledger.tournament(NAME))
        hosted_in_club(run, ledger, alice)
        assert set(run(ledger.join_hosted_table("code-1", bob)).guests) == {bob}
        with pytest.raises(UnknownLink):
            run(ledger.join_hosted_table("code-1", dave))
        with pytest.raises(UnknownHostedTable):
            run(ledger.join_club_table(TABLE, dave))
        for account in (carol, dave):
            with pytest.raises(NotInvited):
                run(ledger.enter(NAME, account, 1))
        run(ledger.leave_club(CLUB, bob))
        with pytest.raises(NotInvited):
            run(ledger.enter(NAME, bob, 1))
        run(ledger.join_club("invitation", bob))
        with pytest.raises(NotInvited):
            run(ledger.enter(NAME, bob, 1))
        sound(run, ledger)

    def test_a_member_that_is_removed_enters_none(self, run, ledger, fellows):
        """While it is in one; the owner may let it stay."""
        alice, bob, _, _ = fellows
        hosted_in_club(run, ledger, alice)
        hosted_in_club(run, ledger, alice, 2)
        come(run, ledger, [bob])
        run(ledger.join_club_table("host:2", bob))
        with pytest.raises(MemberAtTable):
            run(ledger.remove_member(CLUB, alice, "bob", "code-9"))
        with pytest.raises(SeatNotAccepted):
            run(ledger.enter("private:2.1", bob, 1))
        with pytest.raises(ClubRoleNeeded):
            hosted_in_club(run, ledger, bob, 3)
        assert run(ledger.tournament("private:2.1")).entries == ()
        run(ledger.set_club_role(CLUB, alice, "bob", "member", 2))
        run(ledger.enter("private:2.1", bob, 1))
        sound(run, ledger)

    def test_a_member_stays_until_it_is_over_and_paid(self, run, ledger, fellows):
        """Then it leaves with the prize in its balance; what it has won is still told."""
        alice, bob, carol, _ = fellows
        hosted_in_club(run, ledger, alice)
        come(run, ledger, [alice, bob, carol])

        def refused(*calls):
            for call in calls:
                with pytest.raises((MemberAtTable, ClubInUse)):
                    run(call())

        def leaves():
            return ledger.leave_club(CLUB, bob)

        def closes():
            return ledger.close_club(CLUB, alice)

        def closed_by_order():
            return ledger.close_club_by_order(CLUB, by=THE_ROOM)

        refused(leaves, closes, closed_by_order)
        played(run, ledger, [900], bob, alice, carol)
        refused(leaves, closes, closed_by_order)
        run(ledger.leave_club(CLUB, carol))  # without a prize
        paid(run, ledger, 1)
        run(ledger.leave_club(CLUB, bob))
        row = run(ledger.club(CLUB, alice))
        assert (list(row.members), row.issued) == ([alice], 700)
        assert [one.net for one in run(ledger.club_results(CLUB, alice, 0))] == [-300, 600, -300]
        sound(run, ledger)
        run(ledger.close_club(CLUB, alice))
        sound(run, ledger)

    def test_its_host_stays_until_it_is_over(self, run, ledger, fellows):
        """Also without an entry; it may leave at once then, while the guests still look at the result."""
        _, bob, _, _ = fellows
        hosted_in_club(run, ledger, bob)
        with pytest.raises(MemberAtTable):
            run(ledger.leave_club(CLUB, bob))
        run(ledger.cancel_tournament(NAME))
        run(ledger.leave_club(CLUB, bob))
        assert run(ledger.hosted_table(TABLE)) is not None
        sound(run, ledger)

    def test_a_manager_does_not_close_it_as_a_table(self, run, ledger, fellows):
        """Players would be at a table that is gone."""
        alice, bob, _, _ = fellows
        row = hosted_in_club(run, ledger, bob)
        with pytest.raises(UnknownHostedTable):
            run(ledger.close_club_table(TABLE, alice))
        assert run(ledger.hosted_table(TABLE)) == row

    def test_no_entry_comes_between_the_start_and_the_prizes(self, run, ledger, fellows):
        """Its owner has begun it, and not yet closed the entries."""
        alice, bob, carol, _ = fellows
        hosted_in_club(run, ledger, alice)
        come(run, ledger, [alice, bob])
        run(ledger.join_club_table(TABLE, carol))
        run(ledger.change_hosted_sit_and_go(TABLE, alice, "start", ""))
        take_tournament(run, ledger, NAME)
        run(ledger.start_tournament(NAME, 1, [alice, bob], 1_500))
        with pytest.raises(RegistrationClosed):
            run(ledger.enter(NAME, carol, 1))
        assert self.held(run, ledger, alice)["carol"] == 1_000
        sound(run, ledger)

    def test_results_are_of_a_period(self, run, ledger, fellows, later):
        """One counts when it has ended: with all of it, or not at all."""
        alice, bob, carol, _ = fellows
        for number, winner in ((1, alice), (2, bob)):
            name = f"private:{number}.1"
            hosted_in_club(run, ledger, alice, number)
            come(run, ledger, [alice, bob, carol], f"host:{number}", name)
            others = [account for account in (alice, bob, carol) if account != winner]
            played(run, ledger, [900], winner, *others, name=name)
            paid(run, ledger, 1, name=name)
            if number == 1:
                later(3_600)
        ended_ms = [run(ledger.tournament(f"private:{number}.1")).ended_ms for number in (1, 2)]
        nets = [
            [one.net for one in run(ledger.club_results(CLUB, bob, since_ms))]
            for since_ms in (0, ended_ms[0] + 1, ended_ms[1] + 1)
        ]
        assert nets == [[300, 300, -600], [-300, 600, -300], []]

    def test_a_free_one_is_not_in_the_results(self, run, ledger, fellows):
        """It moves no chips; its players stay in the club until it is over all the same."""
        alice, bob, carol, _ = fellows
        hosted_in_club(run, ledger, alice, buy_in=0)
        come(run, ledger, [alice, bob, carol])
        with pytest.raises(MemberAtTable):
            run(ledger.leave_club(CLUB, bob))
        played(run, ledger, [0], alice, bob, carol)
        assert run(ledger.club_results(CLUB, bob, 0)) == []
        assert self.held(run, ledger, alice) == {"alice": 1_000, "bob": 1_000, "carol": 1_000}
        run(ledger.leave_club(CLUB, bob))
        sound(run, ledger)

    def test_it_keeps_no_refill_back(self, run, ledger, fellows):
        """What an account owns is in no club; a limit of losses counts chips of clubs, too."""
        alice, bob, _, _ = fellows
        owned = run(ledger.refill_state(bob)).owned
        hosted_in_club(run, ledger, alice)
        come(run, ledger, [bob])
        assert run(ledger.refill_state(bob)).owned == owned

    def test_operators_see_it_among_the_tables_of_the_club(self, run, ledger, fellows):
        """While it fills and runs."""
        _, bob, _, _ = fellows
        hosted_in_club(run, ledger, bob)
        club = run(ledger.operated_club(CLUB))
        assert (club.tables, club.overview.tables) == ([NAME], 1)
        run(ledger.cancel_tournament(NAME))
        club = run(ledger.operated_club(CLUB))
        assert (club.tables, club.overview.tables) == ([], 0)

"""The part of the ledger's contract that keeps sit-and-gos: entries, places, payouts, each exactly once.

`Tournaments` is mixed into `Contract`.
"""

from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.api import InsufficientBalance, LedgerConflict, NotOwner
from pokerroom.ledger.tournament_entries import EntryRow
from pokerroom.ledger.tournaments import (
    AlreadyEntered,
    EntryOver,
    NotEntered,
    NotFull,
    NotRunning,
    Opening,
    PlaceGiven,
    PlaceRow,
    PrizesWon,
    RegistrationClosed,
    TournamentFull,
    TournamentRow,
)
from tests.ledger.contract import buy_in, opened, take_tournament

TERMS = b'{"starting_stack": 1500,  "levels": [1, 2]}'


def opening(tournament="six.1", *, seats=3, prizes=(500, 220), buy_in=300, fee=60, terms=TERMS):
    """A tournament of three for 7.20, unless told otherwise."""
    offer, _, number = tournament.rpartition(".")
    return Opening(
        tournament=tournament,
        offer=offer,
        number=int(number),
        seats=seats,
        buy_in=Money(buy_in),
        fee=Money(fee),
        prizes=tuple(Money(prize) for prize in prizes),
        terms=terms,
    )


def given(place, account, prize):
    return PlaceGiven(place=place, account=account, prize=Money(prize))


def entered(run, ledger, *names, tournament="six.1", **terms):
    """Accounts of these names, all in a new tournament."""
    accounts = opened(run, ledger, *names)
    run(ledger.open_tournament(opening(tournament, **terms)))
    for account in accounts:
        run(ledger.enter(tournament, account, 1))
    return accounts


def started(run, ledger, tournament="six.1", **terms):
    """Three accounts in a tournament that its first owner has started, in seats 1 to 3."""
    accounts = entered(run, ledger, "alice", "bob", "carol", tournament=tournament, **terms)
    assert take_tournament(run, ledger, tournament, "n1", 0) == 1
    run(ledger.start_tournament(tournament, 1, accounts, 1_500))
    return accounts


def finished(run, ledger, tournament="six.1"):
    """Alice has won before bob and carol; nothing is paid."""
    alice, bob, carol = accounts = started(run, ledger, tournament)
    run(ledger.give_places(tournament, 1, 3, [given(3, carol, 0)]))
    run(ledger.give_places(tournament, 1, 1, [given(1, alice, 500), given(2, bob, 220)]))
    return accounts


def wallets(run, ledger, accounts):
    return [run(ledger.wallet(account)) - 10_000 for account in accounts]


class Tournaments:
    """Sit-and-gos; wallets begin with 10,000."""

    def test_a_buy_in_is_owned_until_its_tournament_gives_a_place(self, run, ledger):
        """Each entry for itself: a place in one tournament ends nothing in another, nor for another account."""
        alice, bob, carol = started(run, ledger)
        run(ledger.open_tournament(opening("six.2")))
        run(ledger.enter("six.2", carol, 1))

        def owned():
            return [run(ledger.refill_state(account)).owned - 10_000 for account in (alice, bob, carol)]

        assert owned() == [0, 0, 0]
        run(ledger.give_places("six.1", 1, 3, [given(3, carol, 0)]))
        assert owned() == [0, 0, -300]
        run(ledger.return_entry("six.2", carol, 1))
        assert owned() == [0, 0, -300]
        run(ledger.give_places("six.1", 1, 1, [given(1, alice, 500), given(2, bob, 220)]))
        assert owned() == [-300, -300, -300]

    # --- what there is

    def test_a_tournament_is_what_it_was_opened_as(self, run, ledger):
        """With its terms to the byte; opening it again changes nothing."""
        for _ in range(2):
            run(ledger.open_tournament(opening()))
        row = run(ledger.tournament("six.1"))
        assert row == TournamentRow(
            opening=opening(), phase="registering", entries=(), places=(), opened_ms=row.opened_ms
        )
        assert run(ledger.audit()).tournaments == 1

    def test_the_entry_of_an_account_is_found_in_every_phase(self, run, ledger):
        """Not one that was returned, nor that of another account or tournament."""
        alice, bob, carol = entered(run, ledger, "alice", "bob", "carol")
        run(ledger.open_tournament(opening("six.2")))
        assert run(ledger.entry_of("six.1", alice)) == ("registering", 1)
        run(ledger.return_entry("six.1", alice, 1))
        assert run(ledger.entry_of("six.1", alice)) == ("registering", None)
        run(ledger.enter("six.1", alice, 2))
        assert run(ledger.entry_of("six.1", alice)) == ("registering", 2)
        assert run(ledger.entry_of("six.2", alice)) == ("registering", None)
        take_tournament(run, ledger, "six.1", "n1", 0)
        run(ledger.start_tournament("six.1", 1, [alice, bob, carol], 1_500))
        assert run(ledger.entry_of("six.1", bob)) == ("running", 1)
        with pytest.raises(LookupError):
            run(ledger.entry_of("six.3", bob))

    @pytest.mark.parametrize(
        "other", [{"prizes": (720,)}, {"fee": 30, "prizes": (590, 220)}, {"terms": b"{}"}]
    )
    def test_a_tournament_is_not_opened_on_other_terms(self, run, ledger, other):
        """It stays what it was."""
        run(ledger.open_tournament(opening()))
        with pytest.raises(LedgerConflict):
            run(ledger.open_tournament(opening(**other)))
        assert run(ledger.tournament("six.1")).opening == opening()
        with pytest.raises(LedgerConflict):
            run(ledger.open_tournament(replace(opening(), tournament="six.x")))

    def test_prizes_that_are_not_the_pool_open_nothing(self, run, ledger):
        """I1: to the unit."""
        for wrong in ((500, 221), (500,)):
            with pytest.raises(LedgerConflict):
                run(ledger.open_tournament(opening(prizes=wrong)))
        assert run(ledger.last_number("six")) == 0

    def test_an_offers_tournaments_that_go_on_are_listed(self, run, ledger):
        """In the order of their numbers; those that are over are not, but they count."""
        for number in (2, 10, 9):
            run(ledger.open_tournament(opening(f"six.{number}")))
        run(ledger.open_tournament(opening("ten.3")))
        run(ledger.cancel_tournament("six.10"))
        assert [row.opening.number for row in run(ledger.tournaments("six"))] == [2, 9]
        assert [run(ledger.last_number(offer)) for offer in ("six", "ten", "two")] == [10, 3, 0]

    def test_what_was_never_opened_is_a_bug_of_the_caller(self, run, ledger):
        """Nothing can be asked of it."""
        (alice,) = opened(run, ledger, "alice")
        for ask in (
            lambda: ledger.tournament("six.9"),
            lambda: ledger.enter("six.9", alice, 1),
            lambda: ledger.return_entry("six.9", alice, 1),
            lambda: ledger.cancel_tournament("six.9"),
            lambda: ledger.start_tournament("six.9", 1, [alice], 1_500),
            lambda: ledger.give_places("six.9", 1, 1, [given(1, alice, 5)]),
            lambda: ledger.roll_back_tournament("six.9", 1),
            lambda: ledger.pay_place("six.9", 1),
        ):
            with pytest.raises(LookupError):
                run(ask())

    # --- entries

    def test_an_entry_moves_the_buy_in_once(self, run, ledger):
        """From the wallet to the escrow, however often it is repeated."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.open_tournament(opening()))
        for _ in range(3):
            run(ledger.enter("six.1", alice, 1))
        assert wallets(run, ledger, [alice]) == [-300]
        assert run(ledger.audit()).escrow == 300
        assert run(ledger.tournament("six.1")).entries == (
            EntryRow(account=alice, number=1, returned=False, seat=None),
        )

    def test_an_account_that_unregisters_has_its_buy_in_back_and_may_come_again(self, run, ledger):
        """Each entry has its number, and goes back once."""
        (alice,) = entered(run, ledger, "alice")
        for _ in range(2):
            run(ledger.return_entry("six.1", alice, 1))
        assert wallets(run, ledger, [alice]) == [0]
        run(ledger.enter("six.1", alice, 1))
        assert wallets(run, ledger, [alice]) == [0], "that entry is over"
        run(ledger.enter("six.1", alice, 2))
        run(ledger.return_entry("six.1", alice, 1))
        assert wallets(run, ledger, [alice]) == [-300]
        entries = run(ledger.tournament("six.1")).entries
        assert [(entry.number, entry.returned) for entry in entries] == [(1, True), (2, False)]

    def test_entries_that_cannot_be_are_refused_and_move_nothing(self, run, ledger):
        """Twice at once, one seat too many, too poor, after the start: each has its refusal."""
        alice, bob = entered(run, ledger, "alice", "bob", seats=2, prizes=(480,))
        carol, dave = opened(run, ledger, "carol"), opened(run, ledger, "dave", opening=299)
        with pytest.raises(AlreadyEntered):
            run(ledger.enter("six.1", alice, 2))
        with pytest.raises(TournamentFull):
            run(ledger.enter("six.1", *carol, 1))
        run(ledger.return_entry("six.1", bob, 1))
        with pytest.raises(InsufficientBalance):
            run(ledger.enter("six.1", *dave, 1))
        with pytest.raises(LookupError):
            run(ledger.enter("six.1", 99, 1))
        with pytest.raises(NotEntered):
            run(ledger.return_entry("six.1", bob, 2))
        with pytest.raises(NotEntered):
            run(ledger.return_entry("six.1", *carol, 1))
        run(ledger.enter("six.1", *carol, 1))
        take_tournament(run, ledger, "six.1", "n1", 0)
        run(ledger.start_tournament("six.1", 1, [*carol, alice], 1_500))
        for late in (ledger.enter("six.1", bob, 3), ledger.return_entry("six.1", alice, 1)):
            with pytest.raises(RegistrationClosed):
                run(late)
        assert wallets(run, ledger, [alice, bob, *carol]) == [-300, 0, -300]
        assert run(ledger.wallet(*dave)) == 299

    def test_an_account_is_in_one_tournament_of_an_offer_before_it_starts(self, run, ledger):
        """[D] The next one is open to it once that has started, or it has left; other offers always are."""
        alice, bob, carol = entered(run, ledger, "alice", "bob", "carol")
        for name in ("six.2", "ten.1"):
            run(ledger.open_tournament(opening(name)))
        with pytest.raises(AlreadyEntered):
            run(ledger.enter("six.2", alice, 1))
        run(ledger.enter("ten.1", alice, 1))
        run(ledger.return_entry("six.1", alice, 1))
        run(ledger.enter("six.2", alice, 1))
        with pytest.raises(AlreadyEntered):
            run(ledger.enter("six.1", alice, 2))
        run(ledger.return_entry("six.2", alice, 1))
        run(ledger.enter("six.1", alice, 2))
        take_tournament(run, ledger, "six.1", "n1", 0)
        run(ledger.start_tournament("six.1", 1, [alice, bob, carol], 1_500))
        run(ledger.enter("six.2", bob, 1))

    def test_sit_and_gos_do_not_count_among_an_accounts_tables(self, run, ledger):
        """[D] An account that has paid for a seat must be able to play when the tournament fills."""
        alice, *_ = started(run, ledger)
        run(ledger.open_tournament(opening("six.2")))
        run(ledger.enter("six.2", alice, 1))
        run(ledger.take_table("T1", "a", 0))
        run(buy_in(ledger, "k1", "T1", 1, alice, Money(100), tables_max=1))
        run(ledger.open_tournament(opening("ten.1")))
        run(ledger.enter("ten.1", alice, 1))
        assert run(ledger.audit()).differences == ()

    def test_an_entry_that_was_given_up_cannot_come_after_the_next(self, run, ledger):
        """An entry that was delayed does not enter an account that has a later number."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.open_tournament(opening()))
        run(ledger.enter("six.1", alice, 2))
        run(ledger.return_entry("six.1", alice, 2))
        with pytest.raises(EntryOver):
            run(ledger.enter("six.1", alice, 1))
        assert wallets(run, ledger, [alice]) == [0]

    def test_i3_cancelled_before_the_start_all_is_refunded_once(self, run, ledger):
        """I3: from any node, any number of times; no entry is taken afterwards."""
        alice, bob, carol = entered(run, ledger, "alice", "bob", "carol")
        run(ledger.return_entry("six.1", carol, 1))
        for _ in range(2):
            run(ledger.cancel_tournament("six.1"))
        assert wallets(run, ledger, [alice, bob, carol]) == [0, 0, 0]
        assert run(ledger.audit()).escrow == 0
        row = run(ledger.tournament("six.1"))
        assert (row.phase, row.players) == ("cancelled", ())
        run(ledger.enter("six.1", alice, 1))
        for late in (ledger.enter("six.1", alice, 2), ledger.start_tournament("six.1", 1, [], 1_500)):
            with pytest.raises(RegistrationClosed):
                run(late)

    def test_a_tournament_without_entries_is_cancelled_too(self, run, ledger):
        """Nothing moves."""
        run(ledger.open_tournament(opening()))
        run(ledger.cancel_tournament("six.1"))
        assert run(ledger.tournaments("six")) == []

    # --- the start

    def test_i1_at_the_start_the_fees_are_the_houses(self, run, ledger):
        """I1: once, and the escrow holds the prizes; seats are kept as they were drawn."""
        alice, bob, carol = entered(run, ledger, "alice", "bob", "carol")
        take_tournament(run, ledger, "six.1", "n1", 0)
        for _ in range(2):
            run(ledger.start_tournament("six.1", 1, [carol, alice, bob], 1_500))
        assert run(ledger.audit()).escrow == 720
        row = run(ledger.tournament("six.1"))
        assert (row.phase, row.players) == ("running", (carol, alice, bob))
        assert {entry.account: entry.seat for entry in row.entries} == {carol: 1, alice: 2, bob: 3}
        assert run(ledger.tournaments("six")) == [row]

    def test_a_tournament_without_fee_starts_too(self, run, ledger):
        """Its prizes are all that was paid."""
        started(run, ledger, fee=0, prizes=(600, 300))
        assert run(ledger.audit()).escrow == 900

    def test_a_start_that_cannot_be_is_refused_and_changes_nothing(self, run, ledger):
        """Players missing, another node's, other players than have entered, another draw."""
        alice, bob, carol = entered(run, ledger, "alice", "bob", "carol")
        take_tournament(run, ledger, "six.1", "n1", 0)
        with pytest.raises(NotOwner):
            run(ledger.start_tournament("six.1", 2, [alice, bob, carol], 1_500))
        for wrong in ([alice, bob, 99], [alice, bob, bob], [alice, bob]):
            with pytest.raises(LedgerConflict):
                run(ledger.start_tournament("six.1", 1, wrong, 1_500))
        run(ledger.return_entry("six.1", carol, 1))
        with pytest.raises(NotFull):
            run(ledger.start_tournament("six.1", 1, [alice, bob], 1_500))
        run(ledger.enter("six.1", carol, 2))
        run(ledger.start_tournament("six.1", 1, [alice, bob, carol], 1_500))
        take_tournament(run, ledger, "six.1", "n2", 1)
        for epoch, refusal in ((1, NotOwner), (2, LedgerConflict)):
            with pytest.raises(refusal):
                run(ledger.start_tournament("six.1", epoch, [bob, alice, carol], 1_500))
        run(ledger.start_tournament("six.1", 1, [alice, bob, carol], 1_500))
        assert run(ledger.tournament("six.1")).players == (alice, bob, carol)

    # --- places and prizes

    def test_places_are_given_from_the_last_one_up_and_paid_once(self, run, ledger):
        """By any node, in any order, any number of times; then the escrow is empty."""
        accounts = finished(run, ledger)
        alice, bob, carol = accounts
        assert run(ledger.unpaid_places()) == [("six.1", 1), ("six.1", 2)]
        assert run(ledger.audit()).escrow == 720
        for _ in range(3):
            assert [run(ledger.pay_place("six.1", n)).prize for n in (2, 3, 1)] == [220, 0, 500]
        assert wallets(run, ledger, accounts) == [200, -80, -300]
        assert run(ledger.unpaid_places()) == []
        assert run(ledger.audit()).escrow == 0
        row = run(ledger.tournament("six.1"))
        assert row.phase == "finished"
        assert row.places == tuple(
            PlaceRow(number=n, place=n, account=account, prize=Money(prize), paid=prize > 0)
            for n, account, prize in ((1, alice, 500), (2, bob, 220), (3, carol, 0))
        )

    def test_a_place_is_paid_while_the_others_play_on(self, run, ledger):
        """As soon as it is given."""
        alice, _bob, _carol = started(run, ledger, prizes=(400, 220, 100))
        run(ledger.give_places("six.1", 1, 3, [given(3, alice, 100)]))
        assert run(ledger.pay_place("six.1", 3)).prize == 100
        assert (run(ledger.audit()).escrow, run(ledger.tournament("six.1")).phase) == (620, "running")
        with pytest.raises(LookupError):
            run(ledger.pay_place("six.1", 2))

    def test_i2_accounts_that_tie_share_the_prizes_of_their_places(self, run, ledger):
        """I2: the sum is that of the places; the odd unit is the caller's to give."""
        alice, bob, carol = accounts = started(run, ledger, prizes=(469, 151, 100))
        run(
            ledger.give_places(
                "six.1", 1, 1, [given(1, carol, 469), given(2, alice, 126), given(2, bob, 125)]
            )
        )
        for number in (1, 2, 3):
            run(ledger.pay_place("six.1", number))
        assert wallets(run, ledger, accounts) == [-174, -175, 169]

    def test_places_given_again_are_the_same_places(self, run, ledger):
        """The same places again change nothing; another result is a bug, or from a past owner."""
        alice, bob, carol = finished(run, ledger)
        last, top = [given(3, carol, 0)], [given(1, alice, 500), given(2, bob, 220)]
        assert take_tournament(run, ledger, "six.1", "n2", 1) == 2
        for epoch in (1, 2):
            run(ledger.give_places("six.1", epoch, 3, last))
            run(ledger.give_places("six.1", epoch, 1, top))
        for epoch, refusal in ((1, NotOwner), (2, LedgerConflict)):
            for best, other in (
                (3, [given(3, bob, 0)]),
                (1, [given(1, bob, 500), given(2, alice, 220)]),
                (1, [given(1, alice, 720)]),
            ):
                with pytest.raises(refusal):
                    run(ledger.give_places("six.1", epoch, best, other))
            with pytest.raises(refusal):
                run(ledger.give_places("six.1", epoch, 1, top, rolled_forward=True))
        assert [place.account for place in run(ledger.tournament("six.1")).places] == [alice, bob, carol]

    def test_places_that_cannot_be_are_refused(self, run, ledger):
        """Not the next ones, with other prizes, for a stranger or twice for one, by another node, too early or late."""
        alice, bob, carol = entered(run, ledger, "alice", "bob", "carol")
        (dave,) = opened(run, ledger, "dave")
        take_tournament(run, ledger, "six.1", "n1", 0)
        with pytest.raises(NotRunning):
            run(ledger.give_places("six.1", 1, 3, [given(3, carol, 0)]))
        run(ledger.start_tournament("six.1", 1, [alice, bob, carol], 1_500))
        with pytest.raises(NotOwner):
            run(ledger.give_places("six.1", 2, 3, [given(3, carol, 0)]))
        for best, wrong in (
            (2, [given(2, carol, 220)]),
            (4, [given(4, carol, 0)]),
            (0, [given(1, alice, 500), given(1, bob, 220), given(1, carol, 0)]),
            (3, [given(3, carol, 1)]),
            (3, [given(4, carol, 0)]),
            (3, [given(0, carol, 0)]),
            (3, [given(3, dave, 0)]),
            (3, [given(3, carol, 0), given(3, bob, 0)]),
            (2, [given(2, carol, 110), given(2, carol, 110)]),
            (3, []),
        ):
            with pytest.raises(LedgerConflict):
                run(ledger.give_places("six.1", 1, best, wrong))
        with pytest.raises(LedgerConflict):
            run(ledger.give_places("six.1", 1, 3, [given(3, carol, 0)], rolled_forward=True))
        assert run(ledger.tournament("six.1")).places == ()
        run(ledger.give_places("six.1", 1, 3, [given(3, carol, 0)]))
        with pytest.raises(LedgerConflict):
            run(ledger.give_places("six.1", 1, 2, [given(2, carol, 220)]))
        run(ledger.give_places("six.1", 1, 1, [given(1, alice, 500), given(2, bob, 220)]))
        with pytest.raises(NotRunning):
            run(ledger.roll_back_tournament("six.1", 1))

    # --- by an operator

    def test_i3_rolled_back_every_account_has_its_buy_in_back_once(self, run, ledger):
        """I3: fees, too; by the owner, as long as no prize is won."""
        accounts = started(run, ledger)
        run(ledger.give_places("six.1", 1, 3, [given(3, accounts[0], 0)]))
        with pytest.raises(NotOwner):
            run(ledger.roll_back_tournament("six.1", 2))
        for epoch in (1, 1, 2):
            run(ledger.roll_back_tournament("six.1", epoch))
        assert wallets(run, ledger, accounts) == [0, 0, 0]
        report = run(ledger.audit())
        assert (report.escrow, run(ledger.tournament("six.1")).phase) == (0, "rolled_back")
        with pytest.raises(NotRunning):
            run(ledger.give_places("six.1", 1, 1, [given(1, accounts[1], 500), given(2, accounts[2], 220)]))

    def test_a_pause_is_its_owners_and_stays_until_the_owner_ends_it(self, run, ledger):
        """As long as it runs; the same again is no error."""
        entered(run, ledger, "dave", tournament="six.2")
        with pytest.raises(NotRunning):
            run(ledger.pause_tournament("six.2", 1, paused=True))
        accounts = started(run, ledger)
        assert not run(ledger.tournament("six.1")).paused
        with pytest.raises(NotOwner):
            run(ledger.pause_tournament("six.1", 2, paused=True))
        for paused in (True, True, False, True):
            run(ledger.pause_tournament("six.1", 1, paused=paused))
            assert run(ledger.tournament("six.1")).paused is paused
        assert take_tournament(run, ledger, "six.1", "n2", 1) == 2
        assert run(ledger.tournament("six.1")).paused
        with pytest.raises(NotOwner):
            run(ledger.pause_tournament("six.1", 1, paused=False))
        run(ledger.roll_back_tournament("six.1", 2))
        with pytest.raises(NotRunning):
            run(ledger.pause_tournament("six.1", 2, paused=False))
        assert wallets(run, ledger, accounts) == [0, 0, 0]
        assert run(ledger.audit()).differences == ()

    def test_the_times_of_start_and_end_are_kept(self, run, ledger):
        """By the ledger's clock, and each once."""
        entered(run, ledger, "dave", tournament="six.2")
        row = run(ledger.tournament("six.2"))
        assert (row.started_ms, row.ended_ms) == (None, None)
        started(run, ledger)
        row = run(ledger.tournament("six.1"))
        assert (row.started_ms is not None, row.ended_ms) == (True, None)
        run(ledger.roll_back_tournament("six.1", 1))
        row = run(ledger.tournament("six.1"))
        assert row.ended_ms is not None
        assert row.started_ms is not None
        assert row.ended_ms >= row.started_ms

    def test_i3_rolling_back_is_refused_once_a_prize_is_won(self, run, ledger):
        """I3 [D]: whether it is paid or not."""
        alice, _, _ = accounts = started(run, ledger, prizes=(400, 220, 100))
        run(ledger.give_places("six.1", 1, 3, [given(3, alice, 100)]))
        with pytest.raises(PrizesWon):
            run(ledger.roll_back_tournament("six.1", 1))
        assert wallets(run, ledger, accounts) == [-300, -300, -300]

    def test_i3_rolled_forward_all_who_are_left_share_what_is_left(self, run, ledger):
        """I3: once, in any shares that add up; then it is over."""
        alice, bob, carol = accounts = started(run, ledger)
        shares = [given(1, bob, 300), given(2, carol, 220), given(3, alice, 200)]
        for _ in range(2):
            run(ledger.give_places("six.1", 1, 1, shares, rolled_forward=True))
        for number in (1, 2, 3, 1, 2, 3):
            run(ledger.pay_place("six.1", number))
        assert wallets(run, ledger, accounts) == [-100, 0, -80]
        assert run(ledger.tournament("six.1")).phase == "rolled_forward"
        with pytest.raises(LedgerConflict):
            run(ledger.give_places("six.1", 1, 1, shares))

    def test_tournaments_do_not_touch_each_other(self, run, ledger):
        """Two of an offer with the same players: each has its own escrow, keys and places."""
        accounts = started(run, ledger)
        run(ledger.open_tournament(opening("six.2")))
        for account in accounts:
            run(ledger.enter("six.2", account, 1))
        run(ledger.roll_back_tournament("six.1", 1))
        assert run(ledger.audit()).escrow == 900
        run(ledger.cancel_tournament("six.2"))
        assert wallets(run, ledger, accounts) == [0, 0, 0]

"""The part of the ledger's contract for bounties: the head of each entry, paid by the hand that takes its last chips.

`Bounties` is mixed into `Contract`.
"""

import json
from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.api import Knockout, LedgerConflict
from pokerroom.ledger.statistics import HandTally, Months, TournamentStatistics
from pokerroom.ledger.tournaments import (
    BountyRow,
    LateSeat,
    PrizesWon,
    RegistrationClosed,
)
from tests.ledger.contract import opened, take_tournament
from tests.ledger.contract_of_scheduled_tournaments import NAME, scheduled, sound, spent, told
from tests.ledger.contract_of_statistics import forgotten
from tests.ledger.contract_of_tournament_hands import hand
from tests.ledger.contract_of_tournaments import given

PLAYERS = ("alice", "bob", "carol", "dave")


def with_heads(bounty=101, cash_bps=5_000, **terms):
    """For 3.00, of which 0.60 is the fee and 1.01 the head."""
    return replace(scheduled(**terms), bounty=Money(bounty), bounty_cash_bps=cash_bps)


def played(run, ledger, terms=None, *, late=False):
    """Four players of 10,000 each in seats 1 to 4; prizes are fixed unless entries stay open."""
    accounts = opened(run, ledger, *PLAYERS)
    terms = terms or with_heads()
    run(ledger.open_tournament(terms))
    for account in accounts:
        run(ledger.enter(NAME, account, 1))
    take_tournament(run, ledger, NAME)
    run(ledger.start_tournament(NAME, 1, accounts, 1_500))
    if not late:
        run(ledger.close_entries(NAME, 1, 4, (Money(4 * terms.part),)))
    return accounts


def knocked_out(hand_id, deltas, outs):
    """A hand, and who won the heads of those that are out."""
    knockouts = tuple(Knockout(account=account, winners=tuple(by)) for account, by in outs.items())
    seats = [{"account": each, "stack": 9_000, "end": 9_000 + won} for each, won in deltas.items()]
    record = json.dumps({"seats": seats}).encode()
    return replace(hand(hand_id, deltas, table=NAME, record=record), knockouts=knockouts)


def heads(run, ledger):
    return [entry.head for entry in run(ledger.tournament(NAME)).entries]


def won(*rows):
    return tuple(
        BountyRow(account=account, number=number, winner=winner, cash=Money(cash), on_head=Money(on_head))
        for account, number, winner, cash, on_head in rows
    )


class Bounties:
    """Tournaments with heads; wallets begin with 10,000."""

    def test_a_head_goes_back_with_its_entry(self, run, ledger):
        """Of an entry that is given back, and of a tournament that is cancelled."""
        alice, bob = opened(run, ledger, "alice", "bob")
        run(ledger.open_tournament(with_heads()))
        for account in (alice, bob):
            run(ledger.enter(NAME, account, 1))
        assert heads(run, ledger) == [101, 101]
        assert run(ledger.audit()).escrow == 2 * 199
        for _ in range(2):
            run(ledger.return_entry(NAME, alice, 1))
        assert (spent(run, ledger, [alice, bob]), heads(run, ledger)) == ([0, 300], [0, 101])
        run(ledger.cancel_tournament(NAME))
        assert (spent(run, ledger, [alice, bob]), heads(run, ledger)) == ([0, 0], [0, 0])
        sound(run, ledger)

    def test_other_heads_are_other_terms(self, run, ledger):
        """A tournament keeps its bounty, and the part of it that is cash."""
        run(ledger.open_tournament(with_heads()))
        assert run(ledger.tournament(NAME)).opening == with_heads()
        for other in (with_heads(bounty=100), with_heads(cash_bps=10_000), scheduled()):
            with pytest.raises(LedgerConflict):
                run(ledger.open_tournament(other))

    def test_a_progressive_head_is_half_cash_and_half_head(self, run, ledger):
        """Once, however often the hand is settled; at the end the winner gets the own head, and nothing is left."""
        alice, bob, carol, dave = accounts = played(run, ledger)
        first = knocked_out("h1", {alice: 1_500, bob: -1_500}, outs={bob: [alice]})
        for _ in range(3):
            run(ledger.settle([first]))
        assert heads(run, ledger) == [152, 0, 101, 101]
        assert spent(run, ledger, accounts) == [250, 300, 300, 300]
        both = {alice: 3_000, carol: -1_500, dave: -1_500}
        run(ledger.settle([knocked_out("h2", both, outs={carol: [alice], dave: [alice]})]))
        assert heads(run, ledger) == [254, 0, 0, 0]
        places = [given(1, alice, 4 * 139), given(2, carol, 0), given(2, dave, 0), given(4, bob, 0)]
        for _ in range(2):
            run(ledger.give_places(NAME, 1, 4, places[3:]))
            run(ledger.give_places(NAME, 1, 1, places[:3]))
        run(ledger.pay_place(NAME, 1))
        assert heads(run, ledger) == [0, 0, 0, 0]
        assert spent(run, ledger, accounts) == [300 - 404 - 556, 300, 300, 300]
        row = run(ledger.tournament(NAME))
        assert row.bounties == won(
            (bob, 1, alice, 50, 51),
            (carol, 1, alice, 50, 51),
            (dave, 1, alice, 50, 51),
            (alice, 1, alice, 254, 0),
        )
        assert row.bounties_won(alice) == 404
        sound(run, ledger)

    def test_a_knockout_head_is_shared_to_the_last_unit(self, run, ledger):
        """The first left of the button gets the odd unit, and all of it is cash."""
        alice, bob, carol, dave = played(run, ledger, with_heads(cash_bps=10_000))
        deltas = {alice: 500, bob: 500, carol: 500, dave: -1_500}
        run(ledger.settle([knocked_out("h1", deltas, outs={dave: [carol, alice, bob]})]))
        assert run(ledger.tournament(NAME)).bounties == won(
            (dave, 1, carol, 34, 0), (dave, 1, alice, 34, 0), (dave, 1, bob, 33, 0)
        )
        assert heads(run, ledger) == [101, 101, 101, 0]
        assert spent(run, ledger, [alice, bob, carol, dave]) == [266, 267, 266, 300]
        sound(run, ledger)

    def test_all_heads_of_a_hand_count_as_before_it(self, run, ledger):
        """What goes on a winner's head counts for the next one that knocks the winner out."""
        alice, bob, carol, dave = played(run, ledger)
        deltas = {alice: 1_500, bob: 1_500, carol: -1_500, dave: -1_500}
        run(ledger.settle([knocked_out("h1", deltas, outs={dave: [alice, bob], carol: [bob]})]))
        # dave's 1.01: 0.51 for alice (0.25 cash) and 0.50 for bob (0.25); carol's 1.01: 0.50 cash for bob
        assert heads(run, ledger) == [101 + 26, 101 + 25 + 51, 0, 0]
        assert spent(run, ledger, [alice, bob]) == [275, 225]
        run(ledger.settle([knocked_out("h2", {alice: 3_000, bob: -3_000}, outs={bob: [alice]})]))
        assert heads(run, ledger) == [127 + 89, 0, 0, 0]
        assert spent(run, ledger, [alice, bob]) == [275 - 88, 225]
        sound(run, ledger)

    def test_nothing_may_go_on_heads_or_be_cash(self, run, ledger):
        """With no part in cash a transfer moves nothing, and the head is won all the same."""
        alice, bob, _carol, _dave = played(run, ledger, with_heads(cash_bps=0))
        run(ledger.settle([knocked_out("h1", {alice: 1_500, bob: -1_500}, outs={bob: [alice]})]))
        assert (heads(run, ledger), spent(run, ledger, [alice])) == ([202, 0, 101, 101], [300])
        assert run(ledger.is_booked(f"sng:{NAME}:bounty:{bob}:1"))
        sound(run, ledger)

    def test_a_hand_says_who_won_each_head(self, run, ledger):
        """One that names none, another one, a player twice, or one that is out or has chips is refused."""
        alice, bob, carol, dave = played(run, ledger)
        deltas = {alice: 3_000, bob: -1_500, carol: -1_500}
        for outs in (
            {},
            {bob: [alice]},
            {bob: [alice], carol: []},
            {bob: [alice], carol: [bob]},
            {bob: [alice], carol: [dave]},
            {bob: [alice], carol: [alice, alice]},
            {bob: [alice], carol: [alice], dave: [alice]},
            {bob: [alice], carol: [alice], alice: [alice]},
        ):
            with pytest.raises(LedgerConflict):
                run(ledger.settle([knocked_out("h1", deltas, outs=outs)]))
        assert heads(run, ledger) == [101] * 4
        assert run(ledger.settled_hands(["h1"])) == frozenset()
        run(ledger.settle([knocked_out("h1", deltas, outs={bob: [alice], carol: [alice]})]))
        assert heads(run, ledger) == [203, 0, 0, 101]
        sound(run, ledger)

    def test_a_re_entry_has_a_new_head(self, run, ledger):
        """The head of the entry before was paid, and is not paid again."""
        alice, bob, carol, _dave = played(run, ledger, late=True)
        run(ledger.settle([knocked_out("h1", {alice: 1_500, bob: -1_500}, outs={bob: [alice]})]))
        run(ledger.enter(NAME, bob, 2))
        assert heads(run, ledger) == [152, 0, 101, 101, 101]
        run(ledger.seat_entries(NAME, 1, [LateSeat(account=bob, number=2, seat=2)]))
        run(ledger.settle([knocked_out("h2", {carol: 1_500, bob: -1_500}, outs={bob: [carol]})]))
        assert run(ledger.tournament(NAME)).bounties == won((bob, 1, alice, 50, 51), (bob, 2, carol, 50, 51))
        assert spent(run, ledger, [alice, bob, carol]) == [250, 600, 250]
        sound(run, ledger)

    def test_no_roll_back_once_a_bounty_is_won(self, run, ledger):
        """Before that every buy-in goes back with its head."""
        alice, bob, _carol, _dave = accounts = played(run, ledger)
        run(ledger.settle([knocked_out("h1", {alice: 1_500, bob: -1_500}, outs={bob: [alice]})]))
        with pytest.raises(PrizesWon):
            run(ledger.roll_back_tournament(NAME, 1))
        assert heads(run, ledger) == [152, 0, 101, 101]
        assert spent(run, ledger, accounts) == [250, 300, 300, 300]

    def test_a_roll_back_returns_the_heads(self, run, ledger):
        """Wallets are as before, and nothing is left in any account of the tournament."""
        accounts = played(run, ledger)
        run(ledger.roll_back_tournament(NAME, 1))
        assert (heads(run, ledger), spent(run, ledger, accounts)) == ([0] * 4, [0] * 4)
        with pytest.raises(RegistrationClosed):
            run(ledger.enter(NAME, accounts[0], 2))
        sound(run, ledger)

    def test_a_roll_forward_pays_each_the_own_head(self, run, ledger):
        """With all that it has grown to."""
        alice, bob, carol, dave = accounts = played(run, ledger)
        run(ledger.settle([knocked_out("h1", {alice: 1_500, bob: -1_500}, outs={bob: [alice]})]))
        run(ledger.give_places(NAME, 1, 4, [given(4, bob, 0)]))
        rest = [given(1, alice, 556), given(2, carol, 0), given(2, dave, 0)]
        run(ledger.give_places(NAME, 1, 1, rest, rolled_forward=True))
        assert (heads(run, ledger), spent(run, ledger, accounts)) == ([0] * 4, [250 - 152, 300, 199, 199])
        sound(run, ledger)

    def test_bounties_are_part_of_what_a_tournament_gave(self, run, ledger):
        """In the history, the statistics and the limits of a player."""
        alice, bob, carol, dave = played(run, ledger)
        deltas = {alice: 4_500, bob: -1_500, carol: -1_500, dave: -1_500}
        outs = {bob: [alice], carol: [alice], dave: [alice]}
        run(ledger.settle([knocked_out("h1", deltas, outs=outs)]))
        rest = [given(2, each, 0) for each in (bob, carol, dave)]
        run(ledger.give_places(NAME, 1, 1, [given(1, alice, 556), *rest]))
        run(ledger.pay_place(NAME, 1))
        assert [entry.prize for entry in told(run, ledger, alice)] == [556 + 404]
        assert [entry.prize for entry in told(run, ledger, bob)] == [0]
        run(ledger.count_statistics(lambda _: HandTally()))
        assert run(ledger.tournament_statistics(alice, Months())) == [
            TournamentStatistics(Money(300), entries=1, in_the_money=1, returned=Money(960))
        ]
        forgotten(run, ledger)

"""The part of the ledger's contract for deals: what each player left gets with the place, fixed once (L15).

`Deals` is mixed into `Contract`.
"""

from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerConflict, NotOwner
from pokerroom.ledger.tournaments import DealRow, NotRunning, PrizesWon
from tests.ledger.contract import take_tournament
from tests.ledger.contract_of_bounties import knocked_out, played, with_heads
from tests.ledger.contract_of_scheduled_tournaments import NAME, scheduled, sound, spent
from tests.ledger.contract_of_tournaments import given

PRIZES = (Money(500), Money(300), Money(160))
"""Of four entries of 3.00 with a fee of 0.60."""


def deal(accounts, stacks, amounts, *, aside=0, hands=1):
    """A deal that the first of the accounts has proposed."""
    return DealRow(
        proposer=accounts[0],
        kind="icm",
        for_the_winner=Money(aside),
        hands=hands,
        accounts=tuple(accounts),
        stacks=tuple(stacks),
        amounts=tuple(map(Money, amounts)),
        accepted_ms=tuple(range(1_000, 1_000 + len(accounts))),
    )


def three_left(run, ledger, terms=None, prizes=PRIZES):
    """Dave is out and placed; the others have 3,000, 1,500 and 1,500 chips."""
    accounts = played(run, ledger, terms or scheduled(), late=True)
    alice, _, _, dave = accounts
    run(ledger.close_entries(NAME, 1, 4, prizes))
    won = {alice: 1_500, dave: -1_500}
    heads = {dave: [alice]} if terms else {}
    run(ledger.settle([knocked_out("h1", won, outs=heads)]))
    run(ledger.give_places(NAME, 1, 4, [given(4, dave, 0)]))
    return accounts


class Deals:
    """Deals at the final table; wallets begin with 10,000."""

    def test_a_deal_fixes_what_each_player_gets_and_moves_nothing(self, run, ledger):
        """Once; then the places pay it, to each player once."""
        alice, bob, carol, _ = accounts = three_left(run, ledger)
        made = deal([bob, carol, alice], [1_500, 1_500, 3_000], [290, 290, 380])
        assert run(ledger.tournament(NAME)).deal is None
        for _ in range(2):
            run(ledger.agree_deal(NAME, 1, made))
        row = run(ledger.tournament(NAME))
        assert (row.deal, row.phase) == (made, "running")
        assert spent(run, ledger, accounts) == [300, 300, 300, 300]
        with pytest.raises(LedgerConflict):
            run(
                ledger.give_places(
                    NAME, 1, 1, [given(1, alice, 500), given(2, bob, 300), given(3, carol, 160)]
                )
            )
        for _ in range(2):
            run(
                ledger.give_places(
                    NAME, 1, 1, [given(1, alice, 380), given(2, bob, 290), given(2, carol, 290)]
                )
            )
        assert run(ledger.tournament(NAME)).phase == "finished"
        for number in (1, 2, 3, 1, 2, 3):
            run(ledger.pay_place(NAME, number))
        assert spent(run, ledger, accounts) == [300 - 380, 300 - 290, 300 - 290, 300]
        run(ledger.agree_deal(NAME, 1, made))  # said again
        sound(run, ledger)

    def test_what_is_left_goes_to_the_winner_of_the_play_that_goes_on(self, run, ledger):
        """Who goes out later gets the own amount, whichever place it is."""
        alice, bob, carol, _ = accounts = three_left(run, ledger)
        run(
            ledger.agree_deal(
                NAME, 1, deal([bob, carol, alice], [1_500, 1_500, 3_000], [250, 250, 360], aside=100)
            )
        )
        run(ledger.settle([knocked_out("h2", {alice: -3_000, bob: 3_000}, outs={})]))
        with pytest.raises(LedgerConflict):
            run(ledger.give_places(NAME, 1, 3, [given(3, alice, 160)]))
        run(ledger.give_places(NAME, 1, 3, [given(3, alice, 360)]))
        run(ledger.settle([knocked_out("h3", {bob: -1_500, carol: 1_500}, outs={})]))
        run(ledger.settle([knocked_out("h4", {bob: -3_000, carol: 3_000}, outs={})]))
        with pytest.raises(LedgerConflict):
            run(ledger.give_places(NAME, 1, 1, [given(1, carol, 250), given(2, bob, 350)]))
        run(ledger.give_places(NAME, 1, 1, [given(1, carol, 350), given(2, bob, 250)]))
        for number in (1, 2, 3):
            run(ledger.pay_place(NAME, number))
        assert spent(run, ledger, accounts) == [300 - 360, 300 - 250, 300 - 350, 300]
        sound(run, ledger)

    def test_play_that_ends_early_shares_what_was_left(self, run, ledger):
        """The operator ends it: together it is what was unpaid, and nothing else may be."""
        alice, bob, carol, _ = three_left(run, ledger)
        run(
            ledger.agree_deal(
                NAME, 1, deal([bob, carol, alice], [1_500, 1_500, 3_000], [250, 250, 360], aside=100)
            )
        )
        with pytest.raises(PrizesWon):
            run(ledger.roll_back_tournament(NAME, 1))
        for wrong in (411, 409):
            places = [given(1, alice, wrong), given(2, bob, 275), given(2, carol, 275)]
            with pytest.raises(LedgerConflict):
                run(ledger.give_places(NAME, 1, 1, places, rolled_forward=True))
        places = [given(1, alice, 410), given(2, bob, 275), given(2, carol, 275)]
        run(ledger.give_places(NAME, 1, 1, places, rolled_forward=True))
        assert run(ledger.tournament(NAME)).phase == "rolled_forward"
        for number in (1, 2, 3):
            run(ledger.pay_place(NAME, number))
        sound(run, ledger)

    def test_heads_are_no_part_of_a_deal(self, run, ledger):
        """At the end each player left gets the own head."""
        terms = with_heads()
        alice, bob, carol, _ = accounts = three_left(run, ledger, terms, (Money(300), Money(150), Money(106)))
        run(ledger.agree_deal(NAME, 1, deal([bob, carol, alice], [1_500, 1_500, 3_000], [170, 170, 216])))
        run(ledger.give_places(NAME, 1, 1, [given(1, alice, 216), given(2, bob, 170), given(2, carol, 170)]))
        for number in (1, 2, 3):
            run(ledger.pay_place(NAME, number))
        # alice: 0.50 of dave's head in cash, 0.51 on the own one
        assert spent(run, ledger, accounts) == [300 - 50 - 152 - 216, 300 - 101 - 170, 300 - 101 - 170, 300]
        sound(run, ledger)

    def test_only_a_deal_of_the_players_left_and_of_what_is_unpaid_is_made(self, run, ledger):
        """Any other is refused, and nothing has changed."""
        alice, bob, carol, dave = three_left(run, ledger)
        right = deal([bob, carol, alice], [1_500, 1_500, 3_000], [290, 290, 380])
        wrong = (
            deal([bob, alice], [1_500, 3_000], [400, 400]),
            deal([bob, dave, alice], [1_500, 1_500, 3_000], [290, 290, 380]),
            deal([bob, bob, alice], [1_500, 1_500, 3_000], [290, 290, 380]),
            deal([bob, carol, alice], [1_500, 1_501, 2_999], [290, 290, 380]),
            deal([bob, carol, alice], [1_500, 1_500, 3_000], [290, 290, 381]),
            deal([bob, carol, alice], [1_500, 1_500, 3_000], [290, 290, 379], aside=0),
            deal([bob, carol, alice], [1_500, 1_500, 3_000], [220, 220, 319], aside=201),
            deal([bob, carol, alice], [1_500, 1_500, 3_000], [-1, 580, 381]),
            replace(right, hands=2),
            replace(right, proposer=dave),
        )
        for one in wrong:
            with pytest.raises(LedgerConflict):
                run(ledger.agree_deal(NAME, 1, one))
        assert run(ledger.tournament(NAME)).deal is None
        run(ledger.agree_deal(NAME, 1, right))
        with pytest.raises(LedgerConflict):
            run(ledger.agree_deal(NAME, 1, replace(right, proposer=carol)))
        assert run(ledger.tournament(NAME)).deal == right

    def test_only_the_owner_makes_a_deal_while_the_tournament_runs(self, run, ledger):
        """An owner that was replaced, or a player that is out and has no place yet: no deal."""
        alice, bob, carol, dave = played(run, ledger, scheduled(), late=True)
        four = deal([alice, bob, carol, dave], [1_500] * 4, [240] * 4, hands=0)
        with pytest.raises(LedgerConflict):
            run(ledger.agree_deal(NAME, 1, four))  # no prizes are fixed
        run(ledger.close_entries(NAME, 1, 4, PRIZES))
        run(ledger.settle([knocked_out("h1", {alice: 1_500, dave: -1_500}, outs={})]))
        made = deal([bob, carol, alice], [1_500, 1_500, 3_000], [290, 290, 380])
        with pytest.raises(LedgerConflict):
            run(ledger.agree_deal(NAME, 1, made))  # dave has no place
        run(ledger.give_places(NAME, 1, 4, [given(4, dave, 0)]))
        take_tournament(run, ledger, NAME, "n2", last_epoch=1)
        with pytest.raises(NotOwner):
            run(ledger.agree_deal(NAME, 1, made))
        run(ledger.give_places(NAME, 2, 1, [given(1, alice, 500), given(2, bob, 300), given(3, carol, 160)]))
        with pytest.raises(NotRunning):
            run(ledger.agree_deal(NAME, 2, made))

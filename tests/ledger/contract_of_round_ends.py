"""The part of every ledger's contract that ends rounds against the house: results, meter, tronc, and void rounds.

`RoundEnds` is mixed into `Contract`.
"""

from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.api import BankEmpty, LedgerConflict, NotOwner
from pokerroom.ledger.transfers import GENESIS
from tests.ledger.contract import opened
from tests.ledger.contract_of_rounds import bets, end, stake, void, wallets


class RoundEnds:
    """`settle_round`, `void_round` and the meter of `pokerroom.ledger.rounds.RoundLedger`."""

    # --- the end

    def test_the_end_of_a_round_moves_everything_at_once(self, run, ledger):
        """What players, house, meter and tronc have more or less is together nothing; the table is empty."""
        alice, bob, carol = opened(run, ledger, "alice", "bob", "carol")
        assert run(ledger.open_bank("T1", 1, Money(1_000))) == 1_000
        run(ledger.close_bets(bets({alice: 200, bob: 300, carol: 100})))
        run(ledger.add_stake(stake(alice, 400)))
        run(ledger.add_stake(stake(carol, 25, key="round:r1:tip:1", kind="tip")))
        before = run(ledger.audit()).transfers
        run(ledger.settle_round(end({alice: 500, bob: -300, carol: -25}, before=1_000, fed=15, tronc=25)))
        assert wallets(run, ledger, alice, bob, carol) == [10_500, 9_700, 9_975]
        assert run(ledger.open_round("T1")) is None
        assert run(ledger.open_rounds()) == {}
        assert run(ledger.ended_rounds(["r1", "r2"])) == frozenset({"r1"})
        assert run(ledger.audit()).transfers == before + 1
        assert run(ledger.open_bank("T1", 1, Money(0))) == 1_015

    def test_a_round_is_settled_once_whoever_tries(self, run, ledger):
        """Past owner and present one may both repeat it; other results are a bug, or those of a past owner."""
        alice, bob = opened(run, ledger, "alice", "bob")
        run(ledger.close_bets(bets({alice: 200, bob: 300})))
        run(ledger.settle_round(end({alice: 200, bob: -300})))
        assert run(ledger.take_table("T1", "n2", 1)) == 2
        for epoch in (1, 2):
            run(ledger.settle_round(end({alice: 200, bob: -300}, epoch=epoch)))
        for epoch, refusal in ((1, NotOwner), (2, LedgerConflict)):
            with pytest.raises(refusal):
                run(ledger.settle_round(end({alice: -200, bob: -300}, epoch=epoch)))
            with pytest.raises(refusal):
                run(ledger.settle_round(end({alice: 200, bob: -300}, epoch=epoch, fed=5, house=95)))
            with pytest.raises(refusal):
                run(ledger.void_round(void(epoch=epoch)))
        assert wallets(run, ledger, alice, bob) == [10_200, 9_700]

    @pytest.mark.parametrize(
        "wrong",
        [
            lambda a, b: end({a: 100, b: -300}, house=201),
            lambda a, b: end({a: 100}),
            lambda a, b: end({a: 100, b: -300, 99: 0}),
            lambda a, b: end({a: 100, b: -301}),
            lambda a, b: replace(end({a: 100, b: -300}), deltas=((a, 50), (a, 50), (b, -300))),
            lambda a, b: end({a: 100, b: -300}, before=1),
            lambda a, b: end({a: 100, b: -300}, tronc=1),
            lambda a, b: end({a: 100, b: -300}, fed=-1),
            lambda a, b: end({a: 100, b: -300}, paid=1),
            lambda a, b: end({a: 100, b: -300}, round_id="r2"),
            lambda a, b: end({a: 100, b: -300}, table="T2"),
            lambda a, b: end({a: 100, b: -300}, record=b'{"board":'),
        ],
        ids=[
            "not zero", "too few", "a stranger", "more than staked", "twice", "another meter", "no such tip",
            "negative", "an empty meter", "no round", "another table", "no JSON",
        ],
    )  # fmt: skip
    def test_an_end_that_cannot_be_is_a_conflict_and_nothing_moves(self, run, ledger, wrong):
        """The round stays in progress, and ends rightly or is void after that."""
        alice, bob = opened(run, ledger, "alice", "bob")
        run(ledger.close_bets(bets({alice: 200, bob: 300})))
        with pytest.raises(LedgerConflict) as refused:
            run(ledger.settle_round(wrong(alice, bob)))
        assert "board" not in str(refused.value)
        assert run(ledger.open_round("T1")).round_id == "r1"
        assert wallets(run, ledger, alice, bob) == [9_800, 9_700]

    def test_a_void_round_gives_every_bet_back_exactly_once(self, run, ledger):
        """Bets and Plays; a tip stays given. Again it moves nothing, and it is not settled any more."""
        alice, bob = opened(run, ledger, "alice", "bob")
        run(ledger.close_bets(bets({alice: 200, bob: 300})))
        run(ledger.add_stake(stake(alice, 400)))
        run(ledger.add_stake(stake(bob, 25, key="round:r1:tip:1", kind="tip")))
        assert run(ledger.take_table("T1", "n2", 1)) == 2
        with pytest.raises(NotOwner):
            run(ledger.void_round(void()))
        for epoch in (2, 2, 1):
            run(ledger.void_round(void(epoch=epoch)))
        assert wallets(run, ledger, alice, bob) == [10_000, 9_975]
        assert run(ledger.open_round("T1")) is None
        assert run(ledger.ended_rounds(["r1"])) == frozenset({"r1"})
        for epoch, refusal in ((1, NotOwner), (2, LedgerConflict)):
            with pytest.raises(refusal):
                run(ledger.settle_round(end({alice: 0, bob: -25}, epoch=epoch, tronc=25)))

    @pytest.mark.parametrize("way", ["taken", "released"])
    def test_an_owner_whose_epoch_is_over_gets_every_write_of_a_round_refused(self, run, ledger, way):
        """Bets, Play, end and void: nothing moves, and the next owner does it with the same keys."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.close_bets(bets({alice: 200})))
        if way == "released":
            run(ledger.release_table("T1", 1))
        else:
            run(ledger.take_table("T1", "n2", 1))
        before = run(ledger.audit())
        for write in (
            lambda: ledger.close_bets(bets({alice: 100}, round_id="r2")),
            lambda: ledger.add_stake(stake(alice, 400)),
            lambda: ledger.settle_round(end({alice: 100})),
            lambda: ledger.void_round(void()),
            lambda: ledger.open_bank("T1", 1, Money(100)),
        ):
            with pytest.raises(NotOwner):
                run(write())
        assert run(ledger.audit()) == before
        epoch = 2 if way == "taken" else run(ledger.take_table("T1", "n2", 1))
        run(ledger.add_stake(stake(alice, 400, epoch=epoch)))
        run(ledger.settle_round(end({alice: 600}, epoch=epoch)))
        assert wallets(run, ledger, alice) == [10_600]

    # --- the meter

    def test_a_meter_that_holds_its_seed_takes_nothing_from_the_bank(self, run, ledger):
        """Nor does one that needs no seed; one that lacks a unit is filled, once in an epoch."""
        opened(run, ledger)
        before = run(ledger.audit()).transfers
        assert run(ledger.open_bank("T1", 1, Money(0))) == 0
        assert run(ledger.audit()).transfers == before
        assert run(ledger.open_bank("T1", 1, Money(1_000))) == 1_000
        assert run(ledger.open_bank("T1", 1, Money(2_000))) == 1_000
        run(ledger.take_table("T1", "n2", 1))
        assert run(ledger.open_bank("T1", 2, Money(1_000))) == 1_000
        assert run(ledger.audit()).transfers == before + 1
        assert run(ledger.open_bank("T1", 2, Money(1_001))) == 1_001
        assert run(ledger.audit()).transfers == before + 2
        with pytest.raises(ValueError, match="amount"):
            run(ledger.open_bank("T1", 2, Money(-1)))

    def test_the_bank_fills_a_meter_with_its_last_unit(self, run, ledger):
        """And not with one more."""
        opened(run, ledger, "alice", opening=1)
        with pytest.raises(BankEmpty):
            run(ledger.open_bank("T1", 1, Money(GENESIS)))
        assert run(ledger.open_bank("T1", 1, Money(GENESIS - 1))) == GENESIS - 1

    def test_the_meter_is_filled_to_its_seed_before_the_first_round(self, run, ledger):
        """Once in an epoch, and only up to the seed."""
        opened(run, ledger)
        for _ in range(2):
            assert run(ledger.open_bank("T1", 1, Money(1_000))) == 1_000
        assert run(ledger.open_bank("T1", 1, Money(700))) == 1_000
        run(ledger.take_table("T1", "n2", 1))
        assert run(ledger.open_bank("T1", 2, Money(1_500))) == 1_500
        with pytest.raises(NotOwner):
            run(ledger.open_bank("T1", 1, Money(2_000)))
        with pytest.raises(BankEmpty):
            run(ledger.open_bank("T2", 1, Money(GENESIS)))

    def test_the_meter_is_fed_pays_and_is_filled_again_in_the_transfer_of_the_round(self, run, ledger):
        """The royal flush takes all of it; the house puts the seed back."""
        alice, bob = opened(run, ledger, "alice", "bob")
        run(ledger.open_bank("T1", 1, Money(1_000)))
        run(ledger.close_bets(bets({alice: 200, bob: 200})))
        run(
            ledger.settle_round(
                end({alice: 1_020, bob: -200}, before=1_000, fed=20, paid=1_020, reseeded=1_000)
            )
        )
        assert wallets(run, ledger, alice, bob) == [11_020, 9_800]
        assert run(ledger.open_bank("T1", 1, Money(0))) == 1_000
        run(ledger.close_bets(bets({alice: 200}, round_id="r2")))
        with pytest.raises(LedgerConflict):  # more than the meter holds
            run(ledger.settle_round(end({alice: 1_001}, round_id="r2", before=1_000, paid=1_001)))
        run(ledger.settle_round(end({alice: -200}, round_id="r2", before=1_000, fed=10)))

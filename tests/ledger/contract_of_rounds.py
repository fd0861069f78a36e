"""The part of every ledger's contract that opens rounds against the house: places, bets, Plays and tips.

`Rounds` is mixed into `Contract`; how a round ends is in `contract_of_round_ends`.
"""

from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.api import (
    AlreadySeated,
    BankEmpty,
    BetsNotCovered,
    InsufficientBalance,
    LedgerConflict,
    NotOwner,
    NotSeated,
    SeatOccupied,
    SeatRow,
    TooManyTables,
)
from pokerroom.ledger.rounds import OpenRound, RoundBets, RoundEnd, RoundStake, StakeRow, VoidRound
from pokerroom.ledger.transfers import GENESIS
from tests.ledger.contract import buy_in, cash_out, key_of, opened, top_up

STARTED_MS = 1_700_000_000_123
ENDED_MS = 1_700_000_030_456


def bets(stakes, *, round_id="r1", table="T1", epoch=1, exposure=5_000):
    """The bets of a round; `stakes` maps accounts to amounts."""
    return RoundBets(
        round_id=round_id,
        table=table,
        epoch=epoch,
        started_ms=STARTED_MS,
        stakes=tuple(stakes.items()),
        exposure=exposure,
    )


def stake(account, amount, *, key="round:r1:play:1", kind="play", round_id="r1", table="T1", epoch=1):
    """A Play, or a tip."""
    return RoundStake(
        key=key, round_id=round_id, table=table, epoch=epoch, kind=kind, account=account, amount=amount
    )


def end(deltas, *, round_id="r1", table="T1", epoch=1, before=0, fed=0, paid=0, reseeded=0, tronc=0, **rest):
    """The end of a round; what the house has follows, unless it is said."""
    house = -sum(deltas.values()) - (fed - paid + reseeded) - tronc
    return RoundEnd(
        round_id=round_id,
        table=table,
        epoch=epoch,
        ended_ms=ENDED_MS,
        deltas=tuple(deltas.items()),
        house=rest.get("house", house),
        meter_before=before,
        meter_fed=fed,
        meter_paid=paid,
        meter_reseeded=reseeded,
        tronc=tronc,
        record=rest.get("record", b'{"board": []}'),
    )


def void(*, round_id="r1", table="T1", epoch=1, record=b'{"void": true}'):
    """A round that does not count."""
    return VoidRound(round_id=round_id, table=table, epoch=epoch, ended_ms=ENDED_MS, record=record)


def wallets(run, ledger, *accounts):
    """What these hold, in their order."""
    return [run(ledger.wallet(account)) for account in accounts]


class Rounds:
    """`pokerroom.ledger.rounds.RoundLedger`, but for ends and meter."""

    # --- places

    def test_a_place_is_a_seat_whose_holder_keeps_their_chips(self, run, ledger):
        """It is listed among the seats without a stack, and counts among the tables of its account."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.take_place(key_of("place", "k1"), "T1", 1, 3, alice, 9))
        run(ledger.take_place(key_of("place", "k1"), "T1", 1, 3, alice, 9))
        assert run(ledger.seats()) == [
            SeatRow(table="T1", seat=3, account=alice, name="alice", stack=Money(0))
        ]
        assert run(ledger.tables_of(alice)) == ["T1"]
        assert wallets(run, ledger, alice) == [10_000]

    def test_a_place_is_refused_as_a_seat_is(self, run, ledger):
        """To a second holder, to an account with a seat here or at too many tables, and to a past owner."""
        alice, bob = opened(run, ledger, "alice", "bob")
        run(ledger.take_place(key_of("place", "k1"), "T1", 1, 1, alice, 1))
        with pytest.raises(SeatOccupied):
            run(ledger.take_place(key_of("place", "k2"), "T1", 1, 1, bob, 9))
        with pytest.raises(AlreadySeated):
            run(ledger.take_place(key_of("place", "k3"), "T1", 1, 2, alice, 9))
        with pytest.raises(TooManyTables):
            run(ledger.take_place(key_of("place", "k4"), "T2", 1, 1, alice, 1))
        with pytest.raises(TooManyTables):
            run(buy_in(ledger, "k5", "T2", 1, alice, Money(100), tables_max=1))
        with pytest.raises(NotOwner):
            run(ledger.take_place(key_of("place", "k6"), "T1", 2, 2, bob, 9))
        with pytest.raises(LedgerConflict):
            run(buy_in(ledger, "place:k1", "T2", 1, bob, Money(100)))
        with pytest.raises(LookupError):
            run(ledger.take_place(key_of("place", "k7"), "T1", 1, 5, 99, 9))
        used = key_of("buyin", "k8")
        run(buy_in(ledger, "k8", "T2", 1, bob, Money(100)))
        with pytest.raises(LedgerConflict):
            run(ledger.take_place(used, "T1", 1, 5, bob, 9))

    def test_a_place_is_given_up_as_a_seat_is(self, run, ledger):
        """Nothing goes to the wallet, and the place is free; it takes no chips while it is held."""
        alice, bob = opened(run, ledger, "alice", "bob")
        run(ledger.take_place(key_of("place", "k1"), "T1", 1, 1, alice, 9))
        with pytest.raises(NotSeated):
            run(top_up(ledger, "k2", "T1", alice, Money(100)))
        assert run(cash_out(ledger, "out", "T1", alice)) == 0
        assert run(cash_out(ledger, "out", "T1", alice)) == 0
        assert run(ledger.seats()) == []
        assert run(ledger.left_with("T1", alice, 3_600)) is None
        run(ledger.take_place(key_of("place", "k3"), "T1", 1, 1, bob, 9))

    # --- the count of rounds, wallets

    def test_rounds_are_counted_and_no_number_is_given_twice(self, run, ledger):
        """From 1 on, each larger than the last."""
        numbers = [run(ledger.next_round()) for _ in range(3)]
        assert numbers == sorted(set(numbers))
        assert numbers[0] >= 1

    def test_wallets_are_read_together(self, run, ledger):
        """Of the accounts that exist."""
        alice, bob = opened(run, ledger, "alice", "bob")
        run(buy_in(ledger, "k1", "T2", 1, bob, Money(400)))
        assert run(ledger.wallets([bob, 99, alice])) == {alice: 10_000, bob: 9_600}
        assert run(ledger.wallets([])) == {}

    # --- betting closes

    def test_the_bets_of_all_go_to_the_table_in_one_transfer(self, run, ledger):
        """Wallets have less by their bets, and the round is in progress with them."""
        alice, bob = opened(run, ledger, "alice", "bob")
        before = run(ledger.audit()).transfers
        run(ledger.close_bets(bets({alice: 400, bob: 250})))
        assert wallets(run, ledger, alice, bob) == [9_600, 9_750]
        key = "round:r1:bets"
        assert run(ledger.open_round("T1")) == OpenRound(
            round_id="r1",
            started_ms=STARTED_MS,
            stakes=(
                StakeRow(key=key, kind="bets", account=alice, amount=Money(400)),
                StakeRow(key=key, kind="bets", account=bob, amount=Money(250)),
            ),
        )
        assert run(ledger.open_round("T2")) is None
        assert run(ledger.open_rounds()) == {"T1": "r1"}
        assert run(ledger.audit()).transfers == before + 1
        assert run(ledger.audit()).rounds == 1

    def test_a_player_who_cannot_pay_their_bets_is_named_and_nothing_moves(self, run, ledger):
        """With the balance; without this account the other bets are taken under the same key."""
        alice, bob, carol = opened(run, ledger, "alice", "bob", "carol", opening=300)
        with pytest.raises(BetsNotCovered) as refused:
            run(ledger.close_bets(bets({alice: 301, bob: 300, carol: 1_000})))
        assert refused.value.balances == {alice: 300, carol: 300}
        assert refused.value.code == "insufficient_balance"
        assert wallets(run, ledger, alice, bob, carol) == [300, 300, 300]
        assert run(ledger.open_round("T1")) is None
        run(ledger.close_bets(bets({bob: 300})))
        assert wallets(run, ledger, alice, bob, carol) == [300, 0, 300]

    def test_bets_closed_again_are_the_same_bets(self, run, ledger):
        """Repeating moves nothing, also when the round is over; with other bets it is a bug, or a past owner."""
        alice, bob = opened(run, ledger, "alice", "bob")
        for _ in range(2):
            run(ledger.close_bets(bets({alice: 400, bob: 100})))
        run(ledger.settle_round(end({alice: -400, bob: 100})))
        run(ledger.close_bets(bets({bob: 100, alice: 400})))
        assert run(ledger.open_round("T1")) is None
        for other in (
            bets({alice: 400}),
            bets({alice: 400, bob: 101}),
            bets({alice: 400, bob: 100}, table="T2"),
        ):
            with pytest.raises(LedgerConflict):
                run(ledger.close_bets(other))
        with pytest.raises(NotOwner):
            run(ledger.close_bets(bets({alice: 401}, epoch=2)))
        assert wallets(run, ledger, alice, bob) == [9_600, 10_100]

    def test_a_table_has_one_round_at_a_time(self, run, ledger):
        """The next one is refused until the first is over; other tables have theirs."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.close_bets(bets({alice: 100})))
        with pytest.raises(LedgerConflict):
            run(ledger.close_bets(bets({alice: 100}, round_id="r2")))
        run(ledger.close_bets(bets({alice: 50}, round_id="r3", table="T2")))
        run(ledger.void_round(void()))
        run(ledger.close_bets(bets({alice: 100}, round_id="r2")))
        assert run(ledger.open_round("T1")).round_id == "r2"
        assert wallets(run, ledger, alice) == [9_850]

    @pytest.mark.parametrize(
        "wrong",
        [
            lambda a: bets({}),
            lambda a: replace(bets({}), stakes=((a, 100), (a, 50))),
            lambda a: bets({a: 0}),
            lambda a: bets({a: -5}),
            lambda a: bets({99: 100}),
            lambda a: bets({a: 100}, exposure=-1),
        ],
        ids=["none", "twice", "nothing", "negative", "unknown", "exposure"],
    )
    def test_bets_that_cannot_be_are_a_conflict(self, run, ledger, wrong):
        """No caller's wish should ever come to it, and nothing moves."""
        (alice,) = opened(run, ledger, "alice")
        with pytest.raises(LedgerConflict):
            run(ledger.close_bets(wrong(alice)))
        assert run(ledger.open_round("T1")) is None
        assert wallets(run, ledger, alice) == [10_000]

    # --- the house

    def test_the_house_can_pay_whatever_the_round_may_cost(self, run, ledger):
        """The bank puts up what is missing before a card is dealt, so that the dearest end is paid."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.close_bets(bets({alice: 100}, exposure=5_000)))
        run(ledger.settle_round(end({alice: 5_000})))
        assert wallets(run, ledger, alice) == [15_000]
        run(ledger.close_bets(bets({alice: 100}, round_id="r2", exposure=10)))
        with pytest.raises(LedgerConflict):
            run(ledger.settle_round(end({alice: 11}, round_id="r2")))
        run(ledger.settle_round(end({alice: 10}, round_id="r2")))
        assert wallets(run, ledger, alice) == [15_010]

    def test_the_bank_puts_up_a_single_unit(self, run, ledger):
        """Where the house lacks no more than that; and nothing where it has enough."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.close_bets(bets({alice: 100}, exposure=1)))
        run(ledger.settle_round(end({alice: 1})))
        run(ledger.close_bets(bets({alice: 100}, round_id="r2", exposure=0)))
        run(ledger.settle_round(end({alice: -100}, round_id="r2")))
        run(ledger.close_bets(bets({alice: 100}, round_id="r3", exposure=100)))
        run(ledger.settle_round(end({alice: 100}, round_id="r3")))
        run(ledger.close_bets(bets({alice: 100}, round_id="r4", exposure=0)))
        with pytest.raises(LedgerConflict):  # nothing is left of what the house had
            run(ledger.settle_round(end({alice: 1}, round_id="r4")))
        assert wallets(run, ledger, alice) == [9_901]

    def test_all_of_a_wallet_may_be_bet(self, run, ledger):
        """And not a unit more; a player that lacks all of it is named with what is left: nothing."""
        alice, bob = opened(run, ledger, "alice", "bob", opening=100)
        run(ledger.close_bets(bets({alice: 100, bob: 100})))
        assert wallets(run, ledger, alice, bob) == [0, 0]
        run(ledger.void_round(void()))
        with pytest.raises(BetsNotCovered) as refused:
            run(ledger.close_bets(bets({alice: 101, bob: 100}, round_id="r2")))
        assert (refused.value.balances, refused.value.limited) == ({alice: 100}, frozenset())

    def test_a_round_that_the_bank_cannot_back_does_not_begin(self, run, ledger):
        """It is refused, with all its bets where they were."""
        (alice,) = opened(run, ledger, "alice", opening=GENESIS - 4_999)
        with pytest.raises(BankEmpty) as refused:
            run(ledger.close_bets(bets({alice: 100}, exposure=5_000)))
        assert refused.value.code == "house_limit"
        assert wallets(run, ledger, alice) == [GENESIS - 4_999]
        run(ledger.close_bets(bets({alice: 100}, exposure=4_999)))

    # --- during the round

    def test_a_play_and_a_tip_join_the_bets_once(self, run, ledger):
        """Each under its key: repeated it moves nothing, with another amount it is a bug."""
        alice, bob = opened(run, ledger, "alice", "bob")
        run(ledger.close_bets(bets({alice: 200, bob: 200})))
        for _ in range(2):
            run(ledger.add_stake(stake(alice, 400)))
            run(ledger.add_stake(stake(bob, 30, key="round:r1:tip:1", kind="tip")))
        assert wallets(run, ledger, alice, bob) == [9_400, 9_770]
        assert run(ledger.open_round("T1")).stakes[2:] == (
            StakeRow(key="round:r1:play:1", kind="play", account=alice, amount=Money(400)),
            StakeRow(key="round:r1:tip:1", kind="tip", account=bob, amount=Money(30)),
        )
        for other in (
            stake(alice, 300),
            stake(bob, 400),
            stake(alice, 400, kind="tip"),
            stake(alice, 400, table="T2"),
        ):
            with pytest.raises(LedgerConflict):
                run(ledger.add_stake(other))

    def test_bets_are_owned_until_the_round_ends_and_a_tip_is_not(self, run, ledger):
        """What an account owns decides on its refills."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.close_bets(bets({alice: 200})))
        run(ledger.add_stake(stake(alice, 400)))
        assert run(ledger.refill_state(alice)).owned == 10_000
        run(ledger.add_stake(stake(alice, 30, key="round:r1:tip:1", kind="tip")))
        assert run(ledger.refill_state(alice)).owned == 9_970
        run(ledger.settle_round(end({alice: -630}, tronc=30)))
        assert run(ledger.refill_state(alice)).owned == 9_370

    def test_a_play_that_cannot_be_paid_is_refused(self, run, ledger):
        """Nothing moves, and its key is free."""
        (alice,) = opened(run, ledger, "alice", opening=500)
        run(ledger.close_bets(bets({alice: 200})))
        with pytest.raises(InsufficientBalance):
            run(ledger.add_stake(stake(alice, 301)))
        run(ledger.add_stake(stake(alice, 300)))
        assert wallets(run, ledger, alice) == [0]

    def test_a_play_needs_its_round_in_progress(self, run, ledger):
        """Not before it, not after it, not at another table; a past owner is refused."""
        (alice,) = opened(run, ledger, "alice")
        with pytest.raises(LedgerConflict):
            run(ledger.add_stake(stake(alice, 100)))
        run(ledger.close_bets(bets({alice: 100})))
        for wrong in (stake(alice, 100, round_id="r2"), stake(alice, 100, table="T2")):
            with pytest.raises(LedgerConflict):
                run(ledger.add_stake(wrong))
        with pytest.raises(NotOwner):
            run(ledger.add_stake(stake(alice, 100, epoch=2)))
        with pytest.raises(LookupError):
            run(ledger.add_stake(stake(99, 100)))
        for amount in (0, -1):
            with pytest.raises(ValueError, match="amount"):
                run(ledger.add_stake(stake(alice, amount)))
        run(ledger.settle_round(end({alice: 0})))
        with pytest.raises(LedgerConflict):
            run(ledger.add_stake(stake(alice, 100)))
        assert wallets(run, ledger, alice) == [10_000]

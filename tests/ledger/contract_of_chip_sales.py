"""The part of the ledger's contract for rebuys and add-ons: `ChipSaleLedger`.

`ChipSales` is mixed into `Contract`.
"""

import json
from dataclasses import replace

import pytest

from pokerroom.chips import Chips, Money
from pokerroom.ledger.api import InsufficientBalance, LedgerConflict, NotOwner
from pokerroom.ledger.chip_sales import (
    ChipPurchase,
    ChipSale,
    PurchasePending,
    PurchaseRow,
    PurchasesUsedUp,
    SaleClosed,
    SalesNow,
    StackTooLarge,
)
from pokerroom.ledger.tournaments import (
    AlreadyEntered,
    NotEntered,
    NotRunning,
    OtherEntries,
    RegistrationClosed,
)
from tests.ledger.contract import opened, take_tournament
from tests.ledger.contract_of_scheduled_tournaments import NAME, out, scheduled, sound, spent, told
from tests.ledger.contract_of_tournament_hands import hand
from tests.ledger.contract_of_tournaments import given

REBUY = ChipSale(kind="rebuy", prize=Money(200), fee=Money(20), chips=Chips(1_500), most=2)
ADD_ON = ChipSale(kind="add_on", prize=Money(150), fee=Money(0), chips=Chips(2_000), most=1)


def selling(sales=(ADD_ON, REBUY), **terms):
    """Entries for 3.00, rebuys for 2.20 and an add-on for 1.50."""
    return replace(scheduled(**terms), sales=sales)


def begun(run, ledger, *on_sale, **terms):
    """Alice, bob and carol play with 1,500 each, in seats 1 to 3; dave has not entered."""
    accounts = opened(run, ledger, "alice", "bob", "carol", "dave")
    run(ledger.open_tournament(selling(**terms)))
    for account in accounts[:3]:
        run(ledger.enter(NAME, account, 1))
    take_tournament(run, ledger, NAME)
    run(ledger.start_tournament(NAME, 1, accounts[:3], 1_500))
    if on_sale:
        run(ledger.set_sales(NAME, 1, ["entry", *on_sale]))
    return accounts


def rebuy(account, number=1):
    return ChipPurchase(account=account, kind="rebuy", number=number)


def add_on(account, number=1):
    return ChipPurchase(account=account, kind="add_on", number=number)


def settled(run, ledger, hand_id, deltas):
    seats = [{"account": account, "stack": 9_000, "end": 9_000 + won} for account, won in deltas.items()]
    record = json.dumps({"seats": seats}).encode()
    run(ledger.settle([hand(hand_id, deltas, table=NAME, record=record)]))


def chips(run, ledger):
    return [entry.chips for entry in run(ledger.tournament(NAME)).entries]


def refused(run, ledger, refusal, *purchases):
    before = run(ledger.tournament(NAME))
    for purchase in purchases:
        with pytest.raises(refusal):
            run(ledger.buy_chips(NAME, purchase))
    assert run(ledger.tournament(NAME)) == before


class ChipSales:
    """A tournament that sells rebuys and add-ons; wallets begin with 10,000."""

    def test_what_is_sold_is_part_of_the_terms(self, run, ledger):
        """A tournament is opened once, and its row has what it sells."""
        for _ in range(2):
            run(ledger.open_tournament(selling()))
        assert run(ledger.tournament(NAME)).opening == selling()
        for other in ((), (REBUY,), (ADD_ON, replace(REBUY, fee=Money(21)))):
            with pytest.raises(LedgerConflict):
                run(ledger.open_tournament(replace(selling(), sales=other)))

    def test_a_rebuy_is_paid_once_and_its_chips_come_once(self, run, ledger):
        """However often either is said; the fee goes to the house at once."""
        alice, bob, carol, _ = accounts = begun(run, ledger, "rebuy")
        settled(run, ledger, "h1", {alice: -200, bob: 200})
        for _ in range(2):
            run(ledger.buy_chips(NAME, rebuy(alice)))
        assert spent(run, ledger, accounts) == [520, 300, 300, 0]
        assert run(ledger.audit()).escrow == 3 * 240 + 200
        assert chips(run, ledger) == [1_300, 1_700, 1_500]
        assert run(ledger.sales_now(NAME)) == SalesNow(
            on_sale=frozenset({"entry", "rebuy"}), ordered=(rebuy(alice),), undecided=frozenset()
        )
        sound(run, ledger)
        for _ in range(2):
            run(ledger.add_chips(NAME, 1, [rebuy(alice)]))
        row = run(ledger.tournament(NAME))
        assert [(entry.chips, entry.bought) for entry in row.entries] == [
            (2_800, 1_500),
            (1_700, 0),
            (1_500, 0),
        ]
        assert row.purchases == (PurchaseRow(purchase=rebuy(alice), entry=1, table=1, hands=1),)
        assert (row.brought, row.paid_by(alice), row.bought_of("rebuy")) == (920, 520, 1)
        sound(run, ledger)
        refused(run, ledger, StackTooLarge, rebuy(alice, 2), rebuy(bob))
        settled(run, ledger, "h2", {alice: -2_800, carol: 2_800})
        assert chips(run, ledger) == [0, 1_700, 4_300]
        sound(run, ledger)

    def test_a_rebuy_is_for_few_chips_by_the_terms(self, run, ledger):
        """After the last settled hand, whatever its buyer has read before. What is bought is answered again."""
        alice, bob, carol, _ = begun(run, ledger, "rebuy", terms=b'{"rebuy_below": 700, "late": 2}')
        refused(run, ledger, StackTooLarge, rebuy(alice), rebuy(bob))
        settled(run, ledger, "h1", {alice: -800, bob: 800})
        run(ledger.buy_chips(NAME, rebuy(alice)))
        settled(run, ledger, "h2", {bob: -2_300, alice: 700, carol: 1_600})
        run(ledger.add_chips(NAME, 1, [rebuy(alice)]))
        assert chips(run, ledger) == [2_900, 0, 3_100]
        run(ledger.buy_chips(NAME, rebuy(alice)))
        refused(run, ledger, StackTooLarge, rebuy(alice, 2), rebuy(carol))
        run(ledger.buy_chips(NAME, rebuy(bob)))
        sound(run, ledger)

    def test_a_player_without_chips_comes_back_in_the_same_seat(self, run, ledger):
        """Until then the player can enter no other way, and the last rebuy is the last."""
        alice, bob, _, _ = begun(run, ledger, "rebuy")
        for number in (1, 2):
            out(run, ledger, alice, bob, f"h{number}")
            assert run(ledger.sales_now(NAME)).undecided == {alice}
            run(ledger.buy_chips(NAME, rebuy(alice, number)))
            refused(run, ledger, PurchasePending, rebuy(alice, number + 1))
            with pytest.raises(AlreadyEntered):
                run(ledger.enter(NAME, alice, 2))
            run(ledger.let_out(NAME, 1, [alice]))  # too late: it is paid
            run(ledger.add_chips(NAME, 1, [rebuy(alice, number)]))
        entry = run(ledger.tournament(NAME)).entries[0]
        assert (entry.chips, entry.seat, entry.out_in, entry.bought) == (1_500, 1, None, 3_000)
        refused(run, ledger, PurchasesUsedUp, rebuy(alice, 3))
        sound(run, ledger)

    @pytest.mark.parametrize("way", ["decline", "owner"])
    def test_a_player_that_is_let_out_buys_no_rebuy(self, run, ledger, way):
        """By the player's own word, or by the owner; the player may enter again."""
        alice, bob, _, _ = begun(run, ledger, "rebuy")
        with pytest.raises(NotEntered):
            run(ledger.decline_rebuy(NAME, alice))
        out(run, ledger, alice, bob)
        for _ in range(2):
            run(
                ledger.decline_rebuy(NAME, alice)
                if way == "decline"
                else ledger.let_out(NAME, 1, [alice, bob])
            )
        assert [entry.gone for entry in run(ledger.tournament(NAME)).entries] == [True, False, False]
        assert run(ledger.sales_now(NAME)).undecided == frozenset()
        refused(run, ledger, SaleClosed, rebuy(alice))
        run(ledger.enter(NAME, alice, 2))
        sound(run, ledger)

    def test_nothing_is_sold_that_is_not_on_sale(self, run, ledger):
        """The owner says what is; a tournament sells nothing before its start, and nothing it has not."""
        alice, bob, carol, dave = accounts = begun(run, ledger)
        refused(run, ledger, SaleClosed, rebuy(alice), add_on(alice))
        run(ledger.set_sales(NAME, 1, ["add_on"]))
        refused(run, ledger, SaleClosed, rebuy(alice))
        refused(run, ledger, NotEntered, add_on(dave))
        out(run, ledger, alice, bob)
        refused(run, ledger, SaleClosed, add_on(alice))
        run(ledger.buy_chips(NAME, add_on(bob)))
        run(ledger.buy_chips(NAME, add_on(carol)))
        run(ledger.add_chips(NAME, 1, [add_on(bob), add_on(carol)]))
        assert chips(run, ledger) == [0, 5_000, 3_500]
        refused(run, ledger, PurchasesUsedUp, add_on(bob, 2))
        assert spent(run, ledger, accounts) == [300, 450, 450, 0]
        run(ledger.open_tournament(scheduled(2)))
        with pytest.raises(SaleClosed):
            run(ledger.buy_chips("sun.2", rebuy(bob)))
        sound(run, ledger)

    def test_late_entries_end_before_rebuys(self, run, ledger):
        """Where the owner no longer offers them."""
        _, _, _, dave = begun(run, ledger)
        run(ledger.set_sales(NAME, 1, ["rebuy"]))
        with pytest.raises(RegistrationClosed):
            run(ledger.enter(NAME, dave, 1))
        assert run(ledger.tournament(NAME)).on_sale == {"rebuy"}
        run(ledger.set_sales(NAME, 1, ["entry"]))
        run(ledger.enter(NAME, dave, 1))
        sound(run, ledger)

    def test_only_the_owner_gives_chips_and_says_what_is_on_sale(self, run, ledger):
        """An epoch that is over changes nothing; neither do chips that were not bought."""
        alice, _, carol, _ = begun(run, ledger, "rebuy")
        run(ledger.buy_chips(NAME, rebuy(alice)))
        before = run(ledger.tournament(NAME))
        for attempt in (
            lambda: ledger.add_chips(NAME, 2, [rebuy(alice)]),
            lambda: ledger.set_sales(NAME, 2, []),
            lambda: ledger.let_out(NAME, 2, [alice]),
        ):
            with pytest.raises(NotOwner):
                run(attempt())
        for unbought in ([rebuy(carol)], [rebuy(alice), rebuy(carol)], [rebuy(alice, 2)]):
            with pytest.raises(LedgerConflict):
                run(ledger.add_chips(NAME, 1, unbought))
        assert run(ledger.tournament(NAME)) == before

    def test_a_rebuy_costs_what_the_wallet_must_hold(self, run, ledger):
        """A player without the money buys nothing."""
        alice, *_ = begun(run, ledger, "rebuy", sales=(replace(REBUY, prize=Money(9_681)),))
        refused(run, ledger, InsufficientBalance, rebuy(alice))

    def test_the_pool_has_all_that_was_bought(self, run, ledger):
        """Entries close when all chips are given, and the prizes are of entries, rebuys and add-ons."""
        alice, bob, carol, _ = accounts = begun(run, ledger, "rebuy", "add_on", guarantee=1_000)
        run(ledger.buy_chips(NAME, rebuy(alice)))
        with pytest.raises(OtherEntries):
            run(ledger.close_entries(NAME, 1, 3, [Money(1_000)]))
        run(ledger.add_chips(NAME, 1, [rebuy(alice)]))
        run(ledger.buy_chips(NAME, add_on(bob)))
        run(ledger.add_chips(NAME, 1, [add_on(bob)]))
        with pytest.raises(LedgerConflict):
            run(ledger.close_entries(NAME, 1, 3, [Money(1_000)]))
        run(ledger.close_entries(NAME, 1, 3, [Money(1_070)]))
        refused(run, ledger, SaleClosed, rebuy(bob), add_on(alice))
        settled(run, ledger, "h1", {alice: 3_500, bob: -3_500})
        settled(run, ledger, "h2", {alice: 1_500, carol: -1_500})
        run(ledger.give_places(NAME, 1, 1, [given(1, alice, 1_070), given(2, carol, 0), given(3, bob, 0)]))
        run(ledger.pay_place(NAME, 1))
        assert spent(run, ledger, accounts) == [520 - 1_070, 450, 300, 0]
        assert [(one.stake, one.prize) for one in told(run, ledger, alice)] == [(520, 1_070)]
        with pytest.raises(NotRunning):
            run(ledger.set_sales(NAME, 1, ["rebuy"]))
        sound(run, ledger)

    def test_a_roll_back_returns_what_was_bought(self, run, ledger):
        """With its fees, also of chips that were not given yet."""
        alice, bob, carol, _ = accounts = begun(run, ledger, "rebuy", "add_on")
        run(ledger.buy_chips(NAME, rebuy(alice)))
        run(ledger.add_chips(NAME, 1, [rebuy(alice)]))
        run(ledger.buy_chips(NAME, add_on(bob)))
        out(run, ledger, carol, bob)
        run(ledger.enter(NAME, carol, 2))
        for _ in range(2):
            run(ledger.roll_back_tournament(NAME, 1))
        assert spent(run, ledger, accounts) == [0, 0, 0, 0]
        assert run(ledger.audit()).escrow == 0
        assert [(one.stake, one.prize) for one in told(run, ledger, carol)] == [(600, 600)]
        sound(run, ledger)

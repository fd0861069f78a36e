"""The operator's wallet from end to end: whatever its server does, money is neither lost nor doubled."""

import pytest

from pokerroom.ledger.api import InsufficientBalance, SeatOccupied
from pokerroom.ledger.chip_sales import SaleClosed
from pokerroom.ledger.operator_wallet import REFUSALS_MAX, WalletBusy, WalletRefused
from pokerroom.operator_wallet import funding
from pokerroom.operator_wallet.client import WalletClient
from tests.ledger.contract import take_tournament
from tests.ledger.contract_of_chip_sales import NAME, add_on, rebuy, selling
from tests.ledger.contract_of_club_sit_and_gos import CLUB, hosted_in_club
from tests.operator_wallet.conftest import HAS
from tests.operator_wallet.server import FAULTS

pytestmark = pytest.mark.services

UNKNOWN = ("lost", "unanswered", "error", "error after", "page", "other id", "late")
"""Faults that leave the outcome of a call unknown."""


def test_a_buy_in_brings_what_is_lacking_and_leaving_returns_it(room):
    """While the table holds the stack, the operator's wallet has so much less."""
    room.buy_in(4_000)
    assert (room.server.balances["p-1"], room.server.moved) == (6_000, {"wallet.debit": 1})
    room.check()
    assert room.cash_out() == 4_000
    room.all_sent()
    assert (room.server.total, room.states) == (HAS, [("debit", "done"), ("credit", "done")])
    room.check()


def test_the_room_tells_what_each_call_is_for(room):
    """Player, amount and currency; never the room's own account."""
    room.buy_in(4_000)
    (call,) = room.server.calls
    assert call["type"] == "wallet.debit"
    assert call["data"] == {"player": "p-1", "currency": "EUR", "amount": 4_000}
    assert call["room"] == "test"


def test_a_second_buy_in_uses_what_is_there_first(room):
    """Only the difference is debited."""
    room.buy_in(4_000)
    room.cash_out()
    room.buy_in(5_000, table="T2")
    assert [call["data"]["amount"] for call in room.server.calls] == [4_000, 1_000]
    room.check()


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("times", [1, 3])
def test_a_fault_of_a_debit_loses_and_doubles_nothing(used_room, fault, times):
    """One fault is retried with the same id. After three the player is told, and the debit is rolled back."""
    room = used_room
    room.server.faults.extend([fault] * times)
    if fault in UNKNOWN and times == 3:
        with pytest.raises(WalletBusy):
            room.buy_in(4_000)
        room.all_sent()
        assert (room.states, room.server.total) == ([("debit", "undone"), ("rollback", "done")], HAS)
    else:
        room.buy_in(4_000)
        assert (room.states, room.server.total) == ([("debit", "done")], HAS - 4_000)
        assert len({call["id"] for call in room.server.calls}) == 1
    room.check()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_credit_loses_and_doubles_nothing(used_room, fault):
    """It is sent with the same id until it is done, however often its outcome is unknown."""
    room = used_room
    room.buy_in(4_000)
    room.cash_out()
    room.server.faults.extend([fault] * 3)
    room.all_sent()
    assert (room.server.total, room.server.moved["wallet.credit"]) == (HAS, 1)
    assert len({call["id"] for call in room.server.calls if call["type"] == "wallet.credit"}) == 1
    room.check()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_rollback_loses_and_doubles_nothing(used_room, fault):
    """Also if the debit comes after its rollback: the server refuses it then."""
    room = used_room
    room.server.faults.extend(["lost", "late", "late", fault, fault])
    with pytest.raises(WalletBusy):
        room.buy_in(4_000)
    room.all_sent()
    assert (room.server.total, room.states) == (HAS, [("debit", "undone"), ("rollback", "done")])
    room.check()


def test_a_refused_debit_is_told_and_leaves_nothing(used_room):
    """The player may buy in for less at once."""
    room = used_room
    with pytest.raises(WalletRefused):
        room.buy_in(HAS + 1)
    assert room.states == [("debit", "refused")]
    assert room.server.total == HAS
    room.buy_in(HAS)
    room.check()


def test_a_refusal_is_told_again_without_a_call_and_a_row(used_room):
    """A player with too little there asks a hundred times, at two tables and for other amounts."""
    room = used_room
    for number in range(100):
        with pytest.raises(WalletRefused):
            room.buy_in(HAS + 1 + number % 7, table=("T1", "T2")[number % 2])
    assert (len(room.server.calls), room.states) == (1, [("debit", "refused")])
    room.time_passes()
    with pytest.raises(WalletRefused):
        room.buy_in(HAS + 1)
    assert len(room.server.calls) == 2
    room.check()


def test_refusals_of_smaller_and_smaller_amounts_end(used_room):
    """A player that asks for a little less each time has a few calls, and then waits."""
    room = used_room
    for less in range(100):
        with pytest.raises(WalletRefused):
            room.buy_in(HAS + 200 - less)
    assert len(room.server.calls) == len(room.states) == REFUSALS_MAX
    room.time_passes()
    room.buy_in(HAS)
    room.check()


def test_a_debit_that_its_buy_in_does_not_use_goes_back(room, run):
    """The seat was taken meanwhile: the money is credited as soon as it is free."""
    other = run(room.ledger.create_account("bob", "hash", 5_000)).account
    run(room.ledger.buy_in(room.key("buyin"), "T1", 1, 1, other, 5_000, 9))
    with pytest.raises(SeatOccupied):
        room.buy_in(4_000)
    room.all_sent()
    assert room.server.total == HAS
    room.check()


def test_an_account_without_a_link_plays_as_before(room, run):
    """Its refusal is that of the ledger, and the operator's server is not asked."""
    bob = run(room.ledger.create_account("bob", "hash", 100)).account
    with pytest.raises(InsufficientBalance):
        run(room.funded.buy_in(room.key("buyin"), "T1", 1, 1, bob, 101, 9))
    run(room.funded.buy_in(room.key("buyin"), "T1", 1, 1, bob, 100, 9))
    assert (room.server.calls, run(room.funded.wallet(bob))) == ([], 0)


def test_the_balance_that_a_player_sees_is_that_of_both(room, run):
    """Without an answer it is that of the room alone."""
    room.buy_in(4_000)
    room.cash_out()
    assert run(room.funded.wallet(room.account)) == HAS
    room.server.faults.append("lost")
    assert run(room.funded.wallet(room.account)) == 4_000
    room.server.faults.append("page")
    assert run(room.funded.wallet(room.account)) == 4_000


class Killed(BaseException):
    """The node dies here."""


@pytest.mark.parametrize(
    "step", ["before the call", "after the call", "before the answer is booked", "after it"]
)
def test_a_node_that_dies_within_a_buy_in_loses_and_doubles_nothing(room, monkeypatch, step):
    """Another node finds the row: what was not booked is rolled back, what was booked goes back with a credit."""
    ledger = room.ledger

    def dies(*_, **__):
        raise Killed

    if step == "before the call":
        monkeypatch.setattr(WalletClient, "debit", dies)
    elif step == "after the call":
        monkeypatch.setattr(WalletClient, "debit", _dies_behind(WalletClient.debit))
    elif step == "before the answer is booked":
        monkeypatch.setattr(ledger, "end_wallet_debit", dies)
    else:
        monkeypatch.setattr(funding.WalletFunding, "bring", _dies_behind(funding.WalletFunding.bring))
    with pytest.raises(Killed):
        room.buy_in(4_000)
    monkeypatch.undo()
    room.begin()
    room.all_sent()
    assert room.server.total == HAS
    expected = ("debit", "done") if step == "after it" else ("debit", "undone")
    assert room.states[0] == expected
    room.check()
    room.buy_in(4_000)
    room.check()


def _dies_behind(method):
    async def dies(*args):
        await method(*args)
        raise Killed

    return dies


@pytest.mark.parametrize("done", [False, True])
def test_a_node_that_dies_within_a_credit_sends_it_again(room, monkeypatch, done):
    """Before or after the operator's server has carried it out: the id is the same."""
    room.buy_in(4_000)
    room.cash_out()

    def dies(*_, **__):
        raise Killed

    if done:
        monkeypatch.setattr(room.ledger, "end_wallet_transfer", dies)
    else:
        monkeypatch.setattr(WalletClient, "send", dies)
    room.time_passes()
    room.run(room.queue.run())
    assert room.server.moved["wallet.credit"] == done
    monkeypatch.undo()
    room.begin()
    room.all_sent()
    assert (room.server.total, room.server.moved["wallet.credit"]) == (HAS, 1)
    room.check()


def test_entries_rebuys_and_prizes_pass_through_the_wallet(room):
    """A tournament takes its price from what the player has there; what it pays goes back."""
    others = [room.run(room.ledger.create_account(name, "hash", 10_000)).account for name in ("bob", "carol")]
    room.run(room.ledger.open_tournament(selling()))
    assert room.run(room.funded.enter(NAME, room.account, 1)) is False  # no ticket has paid it
    for other in others:
        room.run(room.ledger.enter(NAME, other, 1))
    take_tournament(room.run, room.ledger, NAME)
    room.run(room.ledger.start_tournament(NAME, 1, [room.account, *others], 1_500))
    room.run(room.ledger.set_sales(NAME, 1, ["add_on"]))
    bought = add_on(room.account)
    room.run(room.funded.buy_chips(NAME, bought))
    assert [call["data"]["amount"] for call in room.server.calls] == [300, 150]
    room.check()
    room.run(room.ledger.roll_back_tournament(NAME, 1))
    room.all_sent()
    assert room.server.total == HAS
    room.check()
    with pytest.raises(SaleClosed):
        room.run(room.funded.buy_chips(NAME, rebuy(room.account)))


def test_an_entry_in_chips_of_a_club_asks_for_no_debit(room):
    """The player has money at the operator's, and no chips of the club: the entry is refused, and nothing moves."""
    room.run(room.ledger.create_club(CLUB, room.account, "Fridays", "invitation", 2))
    tournament = hosted_in_club(room.run, room.ledger, room.account).tournament
    with pytest.raises(InsufficientBalance):
        room.run(room.funded.enter(tournament, room.account, 1))
    assert (room.server.calls, room.server.total) == ([], HAS)
    room.check()

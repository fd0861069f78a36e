"""How many accounts an address opens, at all nodes together."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from pokerroom.coordination.memory import MemoryLogInAttempts
from pokerroom.gateway.addresses import AddressPolicy, networks
from pokerroom.gateway.openings import AccountOpenings
from pokerroom.gateway.passwords import AuthenticationRefused
from pokerroom.ops.observer import Observer
from pokerroom_protocol import messages as wire
from tests.gateway.session_parties import Line, made_sessions
from tests.lobby.support import Cardroom

AT_ONCE = 5
WITH_MONEY = 7


class Bench:
    """Two nodes that share a store."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.with_money: list[bool] = []
        counts: dict[str, tuple[int, float, float]] = {}
        self.stores = [MemoryLogInAttempts(counts, self.clock) for _ in range(2)]
        policy = AddressPolicy(per_address=9, unlimited=networks(["127.0.0.0/8"]))
        self.nodes = [AccountOpenings(store, policy, AT_ONCE, WITH_MONEY) for store in self.stores]

    def opens(self, address: str = "192.0.2.1", node: int = 0) -> int:
        """0, or how long the address has to wait, in ms."""
        found: list[int] = []

        def refused(failure) -> None:
            failure.trap(AuthenticationRefused)
            assert failure.value.code == "too_many_accounts"
            found.append(failure.value.retry_after_ms)

        begun = Deferred.fromCoroutine(self.nodes[node].begin(address))
        begun.addCallbacks(lambda with_money: found.append(0) or self.with_money.append(with_money), refused)
        [wait_ms] = found
        return wait_ms


def test_after_some_each_waits_longer():
    """At whichever node; in an hour an address opens a dozen more, and after a silent hour as at first."""
    bench = Bench()
    assert [bench.opens(node=number % 2) for number in range(AT_ONCE)] == [0] * AT_ONCE
    assert (bench.opens(), bench.opens(node=1)) == (1_000, 1_000)
    opened = 0
    for _ in range(3600):
        bench.clock.advance(1)
        opened += bench.opens(node=1) == 0
    assert opened == 11
    bench.clock.advance(7200)
    assert [bench.opens() for _ in range(AT_ONCE + 1)] == [0] * AT_ONCE + [1_000]


def test_the_first_accounts_of_a_day_get_money():
    """At whichever node; an account that was not opened is not counted, nor one of an address without a bound."""
    bench = Bench()
    for number in range(20):
        bench.opens(node=number % 2)
        bench.clock.advance(3601)
    assert bench.with_money == [True] * WITH_MONEY + [False] * (20 - WITH_MONEY)
    bench.with_money.clear()
    bench.opens("127.0.0.1")
    bench.opens("192.0.2.2")
    bench.clock.advance(24 * 3600 + 1)
    bench.opens()
    Deferred.fromCoroutine(bench.nodes[0].take_back("192.0.2.1"))
    for _ in range(WITH_MONEY):
        bench.clock.advance(3601)
        bench.opens()
    assert bench.with_money == [True] * (WITH_MONEY + 3)


def test_other_addresses_do_not_wait():
    """A /64 of IPv6 is one address; this machine has no bound."""
    bench = Bench()
    with capture_logs() as logs:
        assert [bench.opens(f"2001:db8::{number}") for number in range(AT_ONCE + 1)] == [0] * AT_ONCE + [
            1_000
        ]
    assert [(line["event"], line["address"]) for line in logs] == [("account.delayed", "2001:db8::5")]
    assert bench.opens("2001:db8:0:1::1") == 0
    assert {bench.opens("127.0.0.1") for _ in range(10 * AT_ONCE)} == {0}


def test_while_the_store_is_away_accounts_are_opened():
    """The queue for passwords bounds them."""
    bench = Bench()
    bench.stores[0].away = True
    assert {bench.opens() for _ in range(3 * AT_ONCE)} == {0}


@pytest.mark.parametrize("taken", [True, False])
def test_a_name_that_is_taken_counts_for_nothing(taken):
    """A registration that opens no account is taken back; one that does counts."""
    room = Cardroom()
    sessions = made_sessions(room, Observer(), accounts_at_once=2)
    assert isinstance(
        Line(sessions).ask(wire.Register, name="anna", password="correct horse"), wire.Authenticated
    )
    line = Line(sessions)
    for number in range(10):
        name = "anna" if taken else f"bert{number}"
        answer = line.ask(wire.Register, name=name, password="correct horse")
        if isinstance(answer, wire.Authenticated):
            line = Line(sessions)
    assert isinstance(answer, wire.Error)
    assert answer.code == ("name_taken" if taken else "too_many_accounts")
    assert (answer.retry_after_ms or 0) == (0 if taken else 1_000)


def test_an_account_beyond_those_with_money_begins_with_nothing():
    """It can play for what it is given at the cashier."""
    sessions = made_sessions(Cardroom(), Observer(), with_money=1)
    balances = []
    for name in ("anna", "bert"):
        line = Line(sessions)
        line.ask(wire.Register, name=name, password="correct horse")
        balances.append(line.ask(wire.GetAccount).balance)
    assert balances[0] > balances[1] == 0

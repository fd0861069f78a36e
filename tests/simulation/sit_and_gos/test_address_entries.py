"""Entries of players that share addresses, in whole rooms in virtual time; and planted bugs are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from twisted.internet.defer import Deferred, succeed

from pokerroom.coordination.memory import MemoryRegistrations
from pokerroom.ops.config_tournament import ScheduledTournamentConfig
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.faults import ALL, NONE
from pokerroom.simulation.run import run
from pokerroom.simulation.sit_and_gos.scenario import mtt_scenario
from tests.simulation.planted import plant

SEED = 49
"""A seed of a tournament that lets two accounts of an address in, and of few players."""


def first_line() -> str:
    """What is found broken first at this seed, which is of permits."""
    first, *_ = run(SEED, 15, NONE, game="mtt").violations
    assert first.kind is Kind.PLACES
    return first.line


def test_some_seeds_have_addresses_with_more_accounts_than_may_enter() -> None:
    """The seed decides. The others have no addresses, as before."""
    bounded = 0
    for seed in range(1, 60, 2):
        plan = mtt_scenario(seed)
        allowed = {
            offer.seats_per_address
            for offer in plan.config.tournaments
            if isinstance(offer, ScheduledTournamentConfig)
        }
        addresses = [client.address for client in plan.people]
        assert (set(addresses) == {""}) is (allowed == {0})
        bounded += any(addresses.count(one) > max(allowed) for one in addresses if one)
    assert 10 <= bounded <= 20


@pytest.mark.slow
def test_with_every_fault_no_promise_is_broken() -> None:
    """Nodes die, and devices take over, while accounts of one address ask for entries."""
    outcome = run(SEED, 15, ALL, game="mtt")
    assert outcome.violations == ()
    assert outcome.hands >= 15


def test_a_permit_that_is_not_taken_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The room lets everybody in. Without the bug no promise is broken at this seed."""
    assert run(SEED, 15, NONE, game="mtt").violations == ()

    def let_in(
        _: Callable[..., Any],
        store: MemoryRegistrations,
        tournament: str,
        address: str,
        account: int,
        **rest: Any,
    ) -> Deferred[Mapping[int, int]]:
        return succeed({account: 0})

    plant(monkeypatch, MemoryRegistrations, "take_permit", let_in)
    assert first_line() == "3 accounts of one address have entries, 2 may"


def test_a_permit_that_is_never_freed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry was returned, or refused, and its permit stays taken."""

    def keep(_: Callable[..., Any], *rest: Any) -> Deferred[None]:
        return succeed(None)

    plant(monkeypatch, MemoryRegistrations, "free_permits", keep)
    assert "is refused, and 1 of 2 of its address may have a permit" in first_line()

"""Deals in simulated rooms: players make some, past every fault; and planted bugs are found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from pokerroom.rules.tournament import deal_making
from pokerroom.simulation.checks.deals import DealChecker
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.faults import ALL, NONE, Fault
from pokerroom.simulation.run import run
from tests.simulation.planted import plant

run_field = partial(run, game="mtt")
SEED = 40
"""A small seed at which players make a deal."""
HANDS = 5


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The deals that the checker has seen."""
    found: list[Any] = []

    def noted(real: Callable[..., Any], self: DealChecker, name: str, deal: Any, *rest: Any) -> Any:
        found.append(deal)
        return real(self, name, deal, *rest)

    plant(monkeypatch, DealChecker, "wrong", noted)
    return found


@pytest.mark.parametrize("faults", [NONE, frozenset({Fault.CRASH, Fault.DISCONNECT}), ALL])
def test_players_make_deals_whatever_fails(made: list[Any], faults: frozenset[Fault]) -> None:
    """L15: each is accepted by all, fixed once, and paid."""
    assert run_field(SEED, HANDS, faults).violations == ()
    assert made


def test_a_deal_that_not_all_have_accepted_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """L15: the first player who accepts does so for all."""

    def for_all(real: Callable[..., Any], tournament: Any, account: int, now_ms: int) -> Any:
        found = real(tournament, account, now_ms)
        return replace(found, deal=replace(found.deal, accepted=dict.fromkeys(found.deal.accounts, now_ms)))

    plant(monkeypatch, deal_making, "accepted", for_all)
    found = run_field(160, HANDS, NONE).violations[0]
    assert found.kind is Kind.DEAL
    assert "accepted" in found.line


def test_amounts_of_other_players_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """L15: they come to the same sum, which is all that the ledger knows."""
    plant(
        monkeypatch,
        deal_making,
        "deal_amounts",
        lambda real, *args, **rest: tuple(reversed(real(*args, **rest))),
    )
    found = run_field(SEED, HANDS, NONE).violations[0]
    assert found.kind is Kind.DEAL
    assert "shared" in found.line

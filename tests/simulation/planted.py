"""Planting bugs in the real room, and what is found of them."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isfunction
from typing import Any

import pytest

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.poker.hands import HandRunner
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.faults import NONE, Fault
from pokerroom.simulation.run import run
from pokerroom.table.announcer import Announcer
from pokerroom.ultimate.rounds import RoundRunner
from tests.compiled import COMPILED
from tests.effort import times

SEEDS = range(4)
HANDS = 40


def kinds_found(faults: frozenset[Fault] = NONE, seeds: range = SEEDS) -> set[Kind]:
    """The promises found broken first, over the first two of the seeds; `make soak` takes all."""
    found: set[Kind] = set()
    for seed in seeds[: times(2)]:
        violations = run(seed, HANDS, faults).violations
        if violations:
            found.add(violations[0].kind)
    return found


def finds(kind: Kind, faults: frozenset[Fault] = NONE, seeds: range = SEEDS) -> bool:
    """Whether the promise is the one found broken first at any of the seeds; stops at that one."""
    outcomes = (run(seed, HANDS, faults) for seed in seeds)
    return any(outcome.violations and outcome.violations[0].kind is kind for outcome in outcomes)


def first_found(faults: frozenset[Fault] = NONE, seeds: range = SEEDS) -> Kind | None:
    """The promise found broken first at the first seed where any is: enough where no other seed can find more."""
    for seed in seeds:
        violations = run(seed, HANDS, faults).violations
        if violations:
            return violations[0].kind
    return None


def add_chip(ledger: MemoryLedger, account: int) -> None:
    """Adds a chip to a wallet; no account has one less."""
    ledger._balances[f"wallet:{account}"] += 1  # private: a ledger that loses track of money is the fault


def announcer(runner: HandRunner | RoundRunner) -> Announcer:
    """What a runner tells its events with."""
    return runner._announcer  # private: a runner that tells its end at the wrong time is the fault


def plant(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, bug: Callable[..., Any]) -> None:
    """Puts `bug` in place of a method or function; it gets the real one first. Skips the test if that is compiled."""
    real = getattr(owner, name)
    if COMPILED and not isfunction(real):
        pytest.skip("compiled parts call each other directly")
    monkeypatch.setattr(owner, name, lambda *args, **kwargs: bug(real, *args, **kwargs))


def paid_too_much(real: Callable[..., Any], ledger: MemoryLedger, tournament: str, number: int) -> Any:
    """Pay a place of a tournament, and a chip that comes from nowhere."""
    ledger._balances["wallet:1"] += 1  # private: a planted chip
    return real(ledger, tournament, number)

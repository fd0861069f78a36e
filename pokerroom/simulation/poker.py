"""Poker in a simulated room: cash tables of one variant."""

from __future__ import annotations

from functools import partial

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.transfers import GENESIS
from pokerroom.simulation.checks.poker_referee import PokerReferee
from pokerroom.simulation.client import SimulatedClient
from pokerroom.simulation.clock import VirtualClock
from pokerroom.simulation.faulty_dependencies import hand_seal
from pokerroom.simulation.game import SimulatedGame
from pokerroom.simulation.ledger import answer_of
from pokerroom.simulation.operator import SimulatedOperator
from pokerroom.simulation.scenario import Scenario, scenario
from pokerroom.simulation.settings import checked_offer, checked_settings, private_settings

FOR_EVER_MS = 10**15
"""After the end of every run."""


def poker(variant: str) -> SimulatedGame[PokerReferee]:
    """Return the game of a variant of `scenario.STRUCTURES`."""
    return SimulatedGame(
        scenario=partial(scenario, game=variant),
        referee=_referee,
        seal=lambda referee: hand_seal(referee.dealt),
        client=SimulatedClient,
        client_stream="person",
        operator=SimulatedOperator[PokerReferee],
        operator_stream="floor",
        audit=_audit,
    )


def _referee(plan: Scenario, clock: VirtualClock, strict: bool) -> PokerReferee:
    return PokerReferee(
        clock=clock,
        terms=checked_settings(plan.config),
        private=private_settings,
        offered=checked_offer(plan.config),
        total=GENESIS,
        strict=strict,
    )


def _audit(referee: PokerReferee, ledger: MemoryLedger) -> None:
    rakes = answer_of(ledger.rake_by_day(0, FOR_EVER_MS))
    referee.audited(answer_of(ledger.audit()), answer_of(ledger.seats()), rakes)
    for club, owner in referee.books.clubs.owners:
        referee.books.clubs.told(answer_of(ledger.club(club, owner)))

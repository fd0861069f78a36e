"""A swarm of bots in the sit-and-gos of a running room: tournaments from registration to the last prize.

This process reads the offers, starts the worker processes, and adds up their tallies. `sng_bot` and `sng_player` say
what a bot does.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, Final

from pokerroom.bots.load import (
    LoadReport,
    SwarmFailed,
    SwarmLoad,
    SwarmProgress,
    look_at_room,
    played_s,
    rate_of,
)
from pokerroom.bots.sng_bot import SngOffer
from pokerroom.bots.tally import SwarmTally
from pokerroom.bots.worker import SNG_LEAVE_S, SngWork, sng_work_in_process
from pokerroom.bots.worker_pool import WorkerPool
from pokerroom_protocol import PokerClient
from pokerroom_protocol import messages as m

NO_PROGRESS_S: Final = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SngOptions(SwarmLoad):
    """The options: the number of tournaments, and their offers in turn (by default all offers of the room)."""

    tournaments: int
    offers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SngReport(LoadReport):
    """The report. Amounts are in the smallest unit; `prizes_expected` follows from the finished tournaments."""

    wanted: int
    finished: int
    prizes_expected: int
    prizes_paid: int
    phases: dict[str, int]
    hands: int
    hands_void: int
    actions: int
    unregistered: int
    left: int
    dropped: int
    timeouts: int

    @property
    def is_complete(self) -> bool:
        """Tell whether all tournaments have finished and every prize is paid."""
        return self.finished >= self.wanted and self.prizes_paid == self.prizes_expected

    def as_json(self) -> dict[str, Any]:
        return {
            "tournaments": self.wanted,
            "finished": self.finished,
            "prizes_expected": self.prizes_expected,
            "prizes_paid": self.prizes_paid,
            "errors": self.errors,
            "seconds": round(self.seconds, 3),
            "phases": self.phases,
            "hands": self.hands,
            "hands_per_s": rate_of(self.hands, self.seconds),
            "hands_void": self.hands_void,
            "actions": self.actions,
            "errors_by_code": self.errors_by_code,
            "races_by_code": self.races_by_code,
            "unregistered": self.unregistered,
            "left": self.left,
            "dropped": self.dropped,
            "disconnects": self.disconnects,
            "timeouts": self.timeouts,
            "gaps": self.gaps,
            "problem": self.problem,
        }


def run_sng_swarm(options: SngOptions, progress: Callable[[SwarmProgress], None]) -> SngReport:
    """Play until all tournaments have ended, and return the report. Raise `SwarmFailed` if it cannot start."""
    works = _works(options, look_at_room(options, partial(_offers, options)))
    pool, began = WorkerPool(sng_work_in_process, works), monotonic()

    def told() -> SwarmTally:
        tally = pool.total()
        progress(
            SwarmProgress(
                doing="sit-and-gos", seconds=monotonic() - began, tally=tally, wanted=options.tournaments
            )
        )
        return tally

    try:
        pool.play(
            told,
            # bots that still wait for players then are told to leave
            enough=lambda tally: len(tally.results) >= options.tournaments,
            steps=lambda tally: (tally.hands, tally.registered, len(tally.results)),
            quiet_s_max=NO_PROGRESS_S,
        )
        pool.leave(SNG_LEAVE_S + 5, told)
        return _report(options, pool.total(), pool.problem)
    finally:
        pool.end()


async def _offers(options: SngOptions, client: PokerClient) -> list[SngOffer]:
    """Return the offers to play; raise `SwarmFailed` for an offer that the room does not have."""
    lines = (await client.request(m.ListSitAndGos(id=0), m.SitAndGos)).sit_and_gos
    known = {line.offer: SngOffer(offer=line.offer, seats=line.seats) for line in lines}
    if not known:
        raise SwarmFailed("The room offers no sit-and-gos.")
    for name in options.offers:
        if name not in known:
            raise SwarmFailed(f"The room offers no sit-and-go {name}. Use one of: {', '.join(known)}.")
    return [known[name] for name in options.offers or known]


def _works(options: SngOptions, offers: Sequence[SngOffer]) -> list[SngWork]:
    """Divide tournaments and bots, so that each process can fill a tournament with its own bots."""
    largest = max(offers, key=lambda offer: offer.seats)
    if options.bots < largest.seats:
        raise SwarmFailed(
            f"{options.bots} bots are too few: a tournament of {largest.offer} needs {largest.seats}."
        )
    processes = max(1, min(options.processes, options.bots // largest.seats, options.tournaments))
    tournaments = [offers[number % len(offers)] for number in range(options.tournaments)]
    run = secrets.token_hex(3)
    return [
        SngWork(
            host=options.host,
            port=options.port,
            tournaments=tuple(
                offer
                for at, offer in enumerate(tournaments)
                if at // len(offers) % processes == number  # all offers to every process
            ),
            bots=len(range(number, options.bots, processes)),
            name_prefix=f"sng-{run}-{number}-",
            seed=options.seed * 1_000_003 + number * 100_003,
            think_s=options.think_ms / 1000,
            rate=options.rate / processes,
        )
        for number in range(processes)
    ]


def _report(options: SngOptions, tally: SwarmTally, problem: str | None) -> SngReport:
    results = tally.results.values()
    phases = sorted({result.phase for result in results})
    return SngReport(
        wanted=options.tournaments,
        finished=len(tally.results),
        prizes_expected=sum(result.expected for result in results),
        prizes_paid=sum(result.paid for result in results),
        phases={phase: sum(result.phase == phase for result in results) for phase in phases},
        seconds=played_s(tally),
        hands=tally.hands,
        hands_void=tally.hands_void,
        actions=tally.actions,
        errors_by_code=dict(sorted(tally.errors.items())),
        races_by_code=dict(sorted(tally.races.items())),
        unregistered=tally.unregistered,
        left=tally.left,
        dropped=tally.dropped,
        disconnects=tally.disconnects,
        timeouts=tally.timeouts,
        gaps=tally.gaps,
        problem=problem,
    )

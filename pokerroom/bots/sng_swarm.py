"""A swarm of bots in sit-and-gos against a running room: tournaments from registration to the last prize.

This process reads what is offered, starts the worker processes, and adds up what they tell. What a bot does is in
`sng_bot` and `sng_player`.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from pokerroom.bots.crew import Crew
from pokerroom.bots.sng_bot import Offer
from pokerroom.bots.swarm import SwarmFailed, default_processes, played_s, rate_of
from pokerroom.bots.tally import Tally
from pokerroom.bots.worker import SNG_LEAVE_S, SngWork, sng_work_in_process
from pokerroom_protocol import ConnectionEnded, PokerClient, Refused
from pokerroom_protocol import messages as m

NO_PROGRESS_S: Final = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SngOptions:
    """What is asked of it: so many tournaments of these offers in turn (all that the room has, if none is named)."""

    tournaments: int
    bots: int
    offers: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: int = 4190
    think_ms: int = 0
    rate: int = 0
    seed: int = 1
    processes: int = field(default_factory=default_processes)


@dataclass(frozen=True, slots=True, kw_only=True)
class SngReport:
    """What came of it. Amounts in the smallest unit; `prizes_expected` by the tables of those that have finished."""

    wanted: int
    finished: int
    prizes_expected: int
    prizes_paid: int
    phases: dict[str, int]
    seconds: float
    hands: int
    hands_void: int
    actions: int
    errors_by_code: dict[str, int]
    races_by_code: dict[str, int]
    unregistered: int
    left: int
    dropped: int
    disconnects: int
    timeouts: int
    gaps: int
    problem: str | None

    @property
    def errors(self) -> int:
        """Refusals that no race explains, and whatever else should not have happened."""
        return sum(self.errors_by_code.values())

    @property
    def is_good(self) -> bool:
        """Whether all tournaments have finished, and every prize is paid, without an error."""
        paid = self.prizes_paid == self.prizes_expected
        return self.errors == 0 and self.problem is None and self.finished >= self.wanted and paid

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SngProgress:
    """How far it has come. `seconds` since its start."""

    seconds: float
    tally: Tally
    wanted: int


def run_sng_swarm(options: SngOptions, progress: Callable[[SngProgress], None]) -> SngReport:
    """Plays until all tournaments have ended, and reports. Raises `SwarmFailed` when it cannot start."""
    try:
        offers = asyncio.run(_offers(options))
    except (OSError, ConnectionEnded, Refused) as failure:
        raise SwarmFailed(f"no room answers at {options.host}:{options.port}: {failure}") from failure
    works = _works(options, offers)
    crew, began = Crew(sng_work_in_process, works), monotonic()

    def told() -> Tally:
        tally = crew.total()
        progress(SngProgress(seconds=monotonic() - began, tally=tally, wanted=options.tournaments))
        return tally

    try:
        _play(crew, options.tournaments, told)
        crew.leave(SNG_LEAVE_S + 5, told)
        return _report(options, crew.total(), crew.problem)
    finally:
        crew.end()


async def _offers(options: SngOptions) -> list[Offer]:
    """Those that are to be played; raises `SwarmFailed` for one that the room does not have."""
    client = await PokerClient.connect(options.host, options.port, client="pokerroom swarm", pause=False)
    try:
        found = (await client.request(m.ListSitAndGos(id=0), m.SitAndGos)).sit_and_gos
    finally:
        client.close()
    known = {line.offer: Offer(offer=line.offer, seats=line.seats) for line in found}
    if not known:
        raise SwarmFailed("the room offers no sit-and-gos")
    for name in options.offers:
        if name not in known:
            raise SwarmFailed(f"the room offers no sit-and-go {name}; it has {', '.join(known)}")
    return [known[name] for name in options.offers or known]


def _works(options: SngOptions, offers: Sequence[Offer]) -> list[SngWork]:
    """Tournaments and bots, shared out: each process can fill a tournament with its own bots."""
    largest = max(offers, key=lambda offer: offer.seats)
    if options.bots < largest.seats:
        raise SwarmFailed(
            f"{options.bots} bots are not enough: a tournament of {largest.offer} needs {largest.seats}"
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


def _play(crew: Crew, wanted: int, told: Callable[[], Tally]) -> None:
    """Until all have ended, nothing moves any more, or somebody interrupts."""
    moved_at, before = monotonic(), (0, 0, 0)
    try:
        while crew.at_work and crew.problem is None:
            crew.listen()
            tally = told()
            if len(tally.results) >= wanted:
                return  # who still waits for players, where others were registered before, is told to leave
            now = (tally.hands, tally.registered, len(tally.results))
            if now != before:
                moved_at, before = monotonic(), now
            elif monotonic() - moved_at > NO_PROGRESS_S:
                crew.problem = f"no hand has ended for {NO_PROGRESS_S:.0f} s"
    except KeyboardInterrupt:
        crew.problem = "interrupted"


def _report(options: SngOptions, tally: Tally, problem: str | None) -> SngReport:
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

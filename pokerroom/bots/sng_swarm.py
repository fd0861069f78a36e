"""A swarm of bots in the sit-and-gos of a running room, or in one field: from registration to the last prize.

This process reads the offers, starts the worker processes, and adds up their tallies. `sng_bot` and `sng_player` say
what a bot does.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic, sleep, time
from typing import Any, Final, TypeVar

from pokerroom.bots.load import (
    LoadReport,
    SwarmFailed,
    SwarmLoad,
    SwarmProgress,
    look_at_room,
    play_swarm,
    rate_of,
)
from pokerroom.bots.sng_bot import SngOffer
from pokerroom.bots.worker import SNG_LEAVE_S, SngWork, sng_work_in_process
from pokerroom.bots.worker_pool import WorkerPool
from pokerroom_protocol import PokerClient
from pokerroom_protocol import messages as m

NO_PROGRESS_S: Final = 120.0

TABLE_SEATS_MAX: Final = 10
"""A tournament with more seats has several tables."""
ANNOUNCED_S: Final = 5
"""So long the bots look for a tournament: a room that has just started has not announced one yet."""
READY_S: Final = 30
"""Bots need some time to open accounts and to register: a tournament that leaves them so long is preferred."""
START_S_MAX: Final = 600
"""Tournaments that start later are not waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SngOptions(SwarmLoad):
    """The options: the number of tournaments, and their offers in turn (by default all offers of the room)."""

    tournaments: int
    offers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MttOptions(SngOptions):
    """The options of one tournament of several tables, with as many bots as it has seats."""

    tournaments: int = 1


class SngReport(LoadReport):
    """The report of tournaments. Amounts are in the smallest unit."""

    @property
    def prizes(self) -> tuple[int, int]:
        """Return the sum of the prizes that are paid, and the sum that follows from the finished tournaments."""
        results = self.final.results.values()
        return sum(result.paid for result in results), sum(result.expected for result in results)

    @property
    def bounties(self) -> tuple[int, int]:
        """Return the same of the bounties: they come in play, and to who is left."""
        results = self.final.results.values()
        return sum(result.bounties_paid for result in results), sum(
            result.bounties_expected for result in results
        )

    @property
    def phases(self) -> dict[str, int]:
        """Return in how many tournaments each phase was the last that the bots saw."""
        phases = [result.phase for result in self.final.results.values()]
        return dict(sorted(Counter([*phases, *("running" for _ in range(self.running))]).items()))

    @property
    def running(self) -> int:
        """Return how many tournaments other players play on, after all bots are out."""
        final = self.final
        return len(final.outlasted.keys() - final.results.keys() - final.abandoned.keys())

    @property
    def is_complete(self) -> bool:
        """Tell whether the bots are done with all tournaments, and those that ended have paid prizes and bounties."""
        whole = all(paid == expected for paid, expected in (self.prizes, self.bounties))
        return whole and len(self.final.results) + self.running >= self.wanted

    def as_json(self) -> dict[str, Any]:
        final, (paid, expected) = self.final, self.prizes
        return super().as_json() | {
            "tournaments": self.wanted,
            "finished": len(final.results),
            "running": self.running,
            "prizes_expected": expected,
            "prizes_paid": paid,
            "phases": self.phases,
            "hands": final.hands,
            "hands_per_s": rate_of(final.hands, self.seconds),
            "hands_void": final.hands_void,
            "actions": final.actions,
            "unregistered": final.unregistered,
            "left": final.left,
            "dropped": final.dropped,
            "timeouts": final.timeouts,
        }


class MttReport(SngReport):
    """The report of a tournament of several tables."""

    @property
    def registration_s(self) -> float:
        """Return the seconds from the first request for an entry to the last entry."""
        final = self.final
        return 0.0 if final.first_entry_at is None else max(0.0, final.last_entry_at - final.first_entry_at)

    def as_json(self) -> dict[str, Any]:
        final, (paid, expected) = self.final, self.bounties
        return super().as_json() | {
            "bounties_expected": expected,
            "bounties_paid": paid,
            "entries": final.entries,
            "registration_s": round(self.registration_s, 3),
            "moves": final.moves,
            "rebuys": final.rebuys,
            "add_ons": final.add_ons,
            "deals": final.deals,
            "tickets": final.tickets,
            "latency_ms": final.latency.as_json(),
        }


def run_mtt_swarm(options: MttOptions, progress: Callable[[SwarmProgress], None]) -> MttReport:
    """Play one field to its end, and return the report. Raise `SwarmFailed` if it cannot start."""
    field, starts_ms = _found_field(options)
    processes = max(1, min(options.processes, field.seats))
    waits_s = max(0.0, starts_ms / 1000 - time())
    return _played(options, _shares(options, field, processes), progress, MttReport, waits_s)


def _found_field(options: MttOptions) -> tuple[SngOffer, int]:
    """Return what `_field` finds; a room that has just started announces its tournaments within `ANNOUNCED_S`."""
    give_up = monotonic() + ANNOUNCED_S
    while True:
        lines, rows = look_at_room(options, _lobby)
        try:
            return _field(options, lines, rows, round(time() * 1000))
        except SwarmFailed:
            if monotonic() > give_up:
                raise
        sleep(0.5)


async def _lobby(client: PokerClient) -> tuple[Sequence[m.SitAndGoInfo], Sequence[m.ScheduledTournament]]:
    lines = (await client.request(m.ListSitAndGos(id=0), m.SitAndGos)).sit_and_gos
    return lines, (await client.request(m.ListTournaments(id=0), m.Tournaments)).tournaments


def _field(
    options: MttOptions,
    lines: Sequence[m.SitAndGoInfo],
    rows: Sequence[m.ScheduledTournament],
    now_ms: int,
) -> tuple[SngOffer, int]:
    """Return the field to play, and when it starts: the next tournament that starts soon, with all bots.

    One that starts within `READY_S` is played if there is no later one.

    Without one, the largest sit-and-go of several tables that the bots can fill, at once.
    """
    named = set(options.offers)
    unknown = named.difference([line.offer for line in lines], [row.offer for row in rows])
    if unknown:
        raise SwarmFailed(f"The room offers no tournament {min(unknown)}.")
    soon = [
        (
            row.starts_ms,
            SngOffer(offer=row.offer, seats=min(options.bots, row.players_max), scheduled=row.tournament),
        )
        for row in rows
        if (not named or row.offer in named)
        and row.phase == "registering"
        and row.players + options.bots >= row.players_min
        and row.starts_ms - now_ms <= START_S_MAX * 1000
    ]
    if soon:
        starts_ms, offer = min(soon, key=lambda found: (found[0] < now_ms + READY_S * 1000, found[0]))
        return offer, starts_ms
    fields = [
        SngOffer(offer=line.offer, seats=line.seats, since=line.next)
        for line in lines
        if (not named or line.offer in named) and TABLE_SEATS_MAX < line.seats <= options.bots
    ]
    if not fields:
        raise SwarmFailed(
            f"No tournament that {options.bots} bots can fill starts within {START_S_MAX // 60} minutes. Wait, add a"
            " [[tournament]], set seats and seats_per_table of a sit-and-go, or --bots."
        )
    return max(fields, key=lambda offer: offer.seats), now_ms


def _shares(options: MttOptions, field: SngOffer, processes: int) -> list[SngWork]:
    """Divide the seats of a field over the processes."""
    shares = [len(range(number, field.seats, processes)) for number in range(processes)]
    return [
        _work(options, number, processes, (replace(field, seats=seats),), seats, moving=True)
        for number, seats in enumerate(shares)
    ]


def run_sng_swarm(options: SngOptions, progress: Callable[[SwarmProgress], None]) -> SngReport:
    """Play until all tournaments have ended, and return the report. Raise `SwarmFailed` if it cannot start."""
    works = _works(options, look_at_room(options, partial(_offers, options)))
    return _played(options, works, progress, SngReport)


Report = TypeVar("Report", bound=SngReport)


def _played(
    options: SngOptions,
    works: Sequence[SngWork],
    progress: Callable[[SwarmProgress], None],
    report: type[Report],
    waits_s: float = 0.0,
) -> Report:
    pool = WorkerPool(sng_work_in_process, works)
    _, final = play_swarm(
        pool,
        progress,
        wanted=options.tournaments,
        doing=lambda *_: "sit-and-gos",
        # bots that still wait for players then are told to leave; those of a field may have a ticket, and play on
        enough=lambda tally: (
            len(tally.results.keys() | tally.outlasted.keys()) >= options.tournaments and not tally.playing
        ),
        steps=lambda tally: (tally.hands, tally.registered, tally.entries, len(tally.results)),
        quiet_s_max=waits_s + NO_PROGRESS_S,
        leave_s=SNG_LEAVE_S,
    )
    return report(wanted=options.tournaments, measured=final, final=final, problem=pool.problem)


async def _offers(options: SngOptions, client: PokerClient) -> list[SngOffer]:
    """Return the offers to play; raise `SwarmFailed` for an offer that the room does not have."""
    lines = (await client.request(m.ListSitAndGos(id=0), m.SitAndGos)).sit_and_gos
    known = {line.offer: SngOffer(offer=line.offer, seats=line.seats, since=line.next) for line in lines}
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
    return [
        _work(
            options,
            number,
            processes,
            tuple(
                offer
                for at, offer in enumerate(tournaments)
                if at // len(offers) % processes == number  # all offers to every process
            ),
            len(range(number, options.bots, processes)),
        )
        for number in range(processes)
    ]


def _work(
    options: SngOptions,
    number: int,
    processes: int,
    tournaments: tuple[SngOffer, ...],
    bots: int,
    *,
    moving: bool = False,
) -> SngWork:
    """Return the work of the process with this number."""
    return SngWork(
        host=options.host,
        port=options.port,
        tournaments=tournaments,
        bots=bots,
        name_prefix=f"sng-{secrets.token_hex(3)}-{number}-",
        seed=options.seed * 1_000_003 + number * 100_003,
        think_s=options.think_ms / 1000,
        rate=options.rate / processes,
        moving=moving,
    )

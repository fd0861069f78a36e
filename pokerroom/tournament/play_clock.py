"""The clock of one tournament at its owner: what counts for levels and breaks, and when something is due (L10).

Time passes by the clock of the reactor. The breaks of the hour follow the clock of the wall, which all tournaments of
the room share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from twisted.internet.interfaces import IReactorTime

from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.deal_stages import OpenDeal
from pokerroom.rules.tournament.hourly_break import break_end, level_ms, next_change
from pokerroom.rules.tournament.schedule import LengthUnit
from pokerroom.rules.tournament.state import Tournament, TournamentPhase
from pokerroom.tournament import views

KEPT_S: Final = 5.0
"""[D] Seconds between two journal entries while no hand is played (break or pause).

A node that dies loses no more of a break than this, and a Redis that has lost all data soon knows the clock of a pause.
"""


class PlayClock:
    """The tournament is the caller's, which asks for it as of now. `now_ms` is the clock of the wall."""

    def __init__(self, clock: IReactorTime, now_ms: Callable[[], int]) -> None:
        self._clock = clock
        self._now_ms = now_ms
        self._since = 0.0
        """The time up to which the clock has been counted."""
        self._hours_from_ms: int | None = None
        """The start of a tournament that has the breaks of the hour."""
        self.on_break = False
        """Whether a break has begun and the tables have been told."""

    def begin(self, tournament: Tournament, started_ms: int) -> None:
        """Count from now on; the tournament started then."""
        self.counted()
        self._hours_from_ms = started_ms if tournament.terms.hourly_breaks else None
        self.on_break = self.break_until_ms(tournament) is not None

    def counted(self) -> None:
        """Count from now on: what has passed is in the tournament, or does not count."""
        self._since = self._clock.seconds()

    def by_now(self, tournament: Tournament) -> Tournament:
        """Return the tournament with the time that has passed since the last count."""
        elapsed_ms = round((self._clock.seconds() - self._since) * 1000)
        if elapsed_ms <= 0 or tournament.phase is not TournamentPhase.running:
            return tournament
        if tournament.clock.break_left_ms and self.on_break:
            return rules.break_time(tournament, elapsed_ms)
        if self._hours_from_ms is not None:
            now_ms = self._now_ms()
            elapsed_ms = level_ms(now_ms - elapsed_ms, now_ms, start_ms=self._hours_from_ms)
        return rules.play_time(tournament, elapsed_ms)

    def follow(self, tournament: Tournament) -> None:
        """Begin a break that is due, once no table plays, or end one that is over."""
        if tournament.phase is TournamentPhase.running and self.break_until_ms(tournament) is not None:
            self.on_break = True
        elif not tournament.clock.break_left_ms and self._hour_until_ms() is None:
            self.on_break = False

    def deals(self) -> bool:
        """Return whether no break keeps the tables from dealing."""
        return not self.on_break and self._hour_until_ms() is None

    def break_until_ms(self, tournament: Tournament) -> int | None:
        """Return the end of the break, of the level or of the hour; None without one, or while its clock stands.

        Both may go on at once, and the later end counts; also that of a break of the hour in which the other one ends.
        """
        if not tournament.between_hands or tournament.paused:
            return None
        until_ms = views.break_until_ms(tournament, self._now_ms())
        if until_ms is None:
            return self._hour_until_ms()
        hour = None
        if self._hours_from_ms is not None:
            hour = break_end(until_ms, start_ms=self._hours_from_ms)
        return until_ms if hour is None else hour

    def due_s(self, tournament: Tournament) -> float | None:
        """Return in how many seconds level or break end, or another journal entry is due; None: never."""
        left_ms = self._left_ms(tournament)
        if self._hours_from_ms is not None:
            now_ms = self._now_ms()
            hour_ms = next_change(now_ms) - now_ms
            left_ms = hour_ms if left_ms is None else min(left_ms, hour_ms)
        return None if left_ms is None else max(0, self._since + left_ms / 1000 - self._clock.seconds())

    def _left_ms(self, tournament: Tournament) -> int | None:
        schedule, clock = tournament.terms.schedule, tournament.clock
        if tournament.paused:
            return round(KEPT_S * 1000)
        if clock.break_left_ms:
            return min(clock.break_left_ms, round(KEPT_S * 1000)) if self.on_break else None
        if isinstance(tournament.deal, OpenDeal):
            return None  # the level waits for the answers
        return schedule.left(clock) if schedule.unit is LengthUnit.ms else None

    def _hour_until_ms(self) -> int | None:
        """Return the end of the break of the hour, if it is time for one."""
        if self._hours_from_ms is None:
            return None
        return break_end(self._now_ms(), start_ms=self._hours_from_ms)

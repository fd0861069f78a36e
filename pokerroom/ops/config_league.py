"""Leagues of a settings file: tables of players over the tournaments of some offers, one table for each period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, assert_never, cast, get_args
from zoneinfo import ZoneInfo

from pokerroom.ledger.leagues import LeagueScore
from pokerroom.ops.config_reader import Section
from pokerroom.ops.config_tournament_play import OFFER_ID

LeagueSpan = Literal["week", "month", "year", "ever"]

_OFFERS_MAX: Final = 100
_FIRST_MS: Final = 0
_LAST_MS: Final = 253_402_300_799_000  # the last second of the year 9999


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueConfig:
    """One league. Tournaments of the `offers` count in the period in which they end; periods begin in the `zone`.

    Of each player the `best` highest scores of a period count; 0: all.
    """

    id: str
    name: str
    offers: tuple[str, ...]
    span: LeagueSpan
    zone: str
    score: LeagueScore
    best: int

    def period(self, now_ms: int, back: int) -> tuple[int, int]:
        """Return when a period begins and the next one does, Unix milliseconds: `back` periods before the current one.

        A league without periods has one, for ever. Raises ValueError for a period before 1970.
        """
        if self.span == "ever":
            return _FIRST_MS, _LAST_MS
        now = datetime.fromtimestamp(now_ms // 1000, ZoneInfo(self.zone))
        return _midnight(self._first_day(now, back), self.zone), _midnight(
            self._first_day(now, back - 1), self.zone
        )

    def _first_day(self, now: datetime, back: int) -> datetime:
        match self.span:
            case "week":
                day = datetime(now.year, now.month, now.day, tzinfo=UTC)
                return day - timedelta(days=day.weekday() + 7 * back)
            case "month":
                months = now.year * 12 + now.month - 1 - back
                return datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)
            case "year":
                return datetime(now.year - back, 1, 1, tzinfo=UTC)
            case "ever":
                raise AssertionError("it has no first day")
            case _:
                assert_never(self.span)


def _midnight(day: datetime, zone: str) -> int:
    at_ms = 1000 * int(day.replace(tzinfo=ZoneInfo(zone)).timestamp())
    if at_ms < _FIRST_MS:
        raise ValueError("no period begins before 1970")
    return at_ms


def leagues(sections: Sequence[Section]) -> tuple[LeagueConfig, ...]:
    """Read all leagues, in order; problems are noted in their sections."""
    found: list[LeagueConfig] = []
    for section in sections:
        league = _league(section)
        if league.id and league.id in {other.id for other in found}:
            section.problem("id", f'"{league.id}" is the id of another league: choose a different one')
        found.append(league)
        section.finish()
    return tuple(found)


def _league(section: Section) -> LeagueConfig:
    league = section.text("id", None, 24)
    if league and not OFFER_ID.fullmatch(league):
        section.problem("id", "should be small letters, digits and hyphens")
    offers = section.texts("tournaments", 24)
    if section.is_sound("tournaments") and not 1 <= len(set(offers)) == len(offers) <= _OFFERS_MAX:
        section.problem(
            "tournaments", f"should list the ids of 1 to {_OFFERS_MAX} tournaments or sit-and-gos, each once"
        )
    return LeagueConfig(
        id=league,
        name=section.text("name", None, 40),
        offers=offers,
        span=cast("LeagueSpan", section.choice("period", "month", get_args(LeagueSpan))),
        zone=section.zone("zone", "UTC"),
        score=cast("LeagueScore", section.choice("score", "points", get_args(LeagueScore))),
        best=section.integer("best", 0, 0, 1_000),
    )

"""Leagues in the terminal: the text of a table."""

from __future__ import annotations

from datetime import UTC, datetime

from pokerroom.terminal.amounts import CHIPS, in_credits
from pokerroom.terminal.hosting import signed
from pokerroom.terminal.texts import t
from pokerroom_protocol import messages as m

BEST = 15
"""The number of players that are shown."""


def league_text(answer: m.League) -> str:
    """Return the table: the period, the players of the page, and the player's own rank if it is not among them."""
    if not answer.ranks:
        return t("league.none")
    wide = max(len(rank.name) for rank in answer.ranks)
    lines = [_line(answer.league, rank, wide) for rank in answer.ranks]
    if answer.you is not None and answer.you not in answer.ranks:
        lines += ["", _line(answer.league, answer.you, wide)]
    best = answer.league.best
    counts = t("league.best", count=best) if best else t("league.all")
    return "\n".join([*_period(answer), counts, "", *lines])


def _period(answer: m.League) -> list[str]:
    """A period begins at midnight of a zone that the player need not live in: its middle is in the same month."""
    if answer.from_ms is None or answer.until_ms is None:
        return []
    middle = _day((answer.from_ms + answer.until_ms) // 2)
    match answer.league.period:
        case "week":
            return [t("league.week", day=f"{_day(answer.from_ms + 43_200_000):%Y-%m-%d}")]
        case "month":
            return [f"{middle:%Y-%m}"]
        case "year":
            return [f"{middle:%Y}"]
        case "ever":
            return []


def _day(ms: int) -> datetime:
    return datetime.fromtimestamp(ms // 1000, UTC)


def _line(league: m.LeagueLine, rank: m.LeagueRank, wide: int) -> str:
    score = signed(rank.score) if league.score == "net" else in_credits(rank.score)
    rest = t("league.played", counted=rank.counted, played=rank.played, wins=rank.wins)
    return f"{CHIPS.text(rank.rank):>5}.  {rank.name.ljust(wide)}  {score:>10}   {rest}"

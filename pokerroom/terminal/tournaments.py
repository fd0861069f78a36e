"""Texts of sit-and-gos: the line above the table, the log lines, and the result."""

from __future__ import annotations

from collections.abc import Iterable

from pokerroom.terminal.amounts import CHIPS, in_credits
from pokerroom.terminal.texts import t
from pokerroom.terminal.words import blinds, stakes
from pokerroom_protocol import messages as m


def headline(table: m.Snapshot, tournament: m.TournamentView, now_ms: float) -> str:
    """Return two lines: level, blinds, next level; players left and prizes, at `now_ms` of the room's clock."""
    if tournament.phase != "running":
        return f"{table.info.name}   {t('sng.end')}"
    upper = [
        table.info.name,
        t("sng.level", level=tournament.level.level, blinds=stakes(table.info, CHIPS)),
        _next_level(tournament, now_ms),
    ]
    lower = [
        t("sng.left", left=len(table.seats), seats=tournament.seats),
        t("sng.prizes", prizes=prizes(tournament.prizes)),
    ]
    return "\n".join("   ".join(filter(None, parts)) for parts in (upper, lower))


def prizes(amounts: Iterable[int]) -> str:
    """Return the prizes, best first."""
    return " · ".join(map(in_credits, amounts))


def finished(place: m.PlayerPlaced | m.SngPlace) -> str:
    """Return the player's own place and prize."""
    said = t("sng.finished", place=place.place)
    return f"{said} {t('sng.won_prize', prize=in_credits(place.prize))}" if place.prize else said


def result(tournament: m.TournamentView) -> str:
    """Return the places with their prizes."""
    return "\n".join(
        t("sng.place", place=one.place, name=one.name, prize=in_credits(one.prize))
        for one in tournament.places
        if one.prize or one.place == 1
    )


def tournament_line(event: m.Event) -> str | None:
    """Return the log line of an event of a tournament, or None."""
    match event:
        case m.LevelStarted():
            return t("sng.level", level=event.level.level, blinds=blinds(event.level, CHIPS))
        case m.BreakStarted():
            return t("sng.break_started")
        case m.BreakEnded():
            return t("sng.break_ended")
        case m.TournamentPaused():
            return t("sng.paused")
        case m.TournamentResumed():
            return t("sng.resumed")
        case m.PlayerPlaced():
            text = "sng.placed_prize" if event.prize else "sng.placed"
            return t(text, name=event.name, place=event.place, prize=in_credits(event.prize))
        case m.TournamentEnded():
            return t("sng.end")
        case _:
            return None


def _next_level(tournament: m.TournamentView, now_ms: float) -> str:
    level = tournament.level
    if tournament.paused:
        return t("sng.paused")
    if tournament.break_until_ms is not None:
        return t("sng.break", time=_clock(tournament.break_until_ms - now_ms))
    if level.ends_ms is not None:
        return t("sng.next_level", time=_clock(level.ends_ms - now_ms))
    return "" if level.hands_left is None else t("sng.hands_left", n=level.hands_left)


def _clock(left_ms: float) -> str:
    minutes, seconds = divmod(max(0, round(left_ms / 1000)), 60)
    return f"{minutes}:{seconds:02}"

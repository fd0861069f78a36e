"""The style sheets: a class that one of them defines on its own means nothing else in another."""

from __future__ import annotations

import re
from pathlib import Path

import pokerroom.web

STYLES = Path(pokerroom.web.__file__).parent / "static" / "style"
SHARED = {"base.css", "dialog.css"}
"""Sheets for all pages: what they define may be refined anywhere."""


def selectors(sheet: Path) -> list[str]:
    """All selectors of a sheet, one by one."""
    text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = re.findall(r"(?:^|[{}])\s*([^{}@]+?)\s*(?=\{)", text)
    return [each.strip() for group in found for each in re.split(r",(?![^(]*\))", group)]


def test_a_class_means_one_thing():
    """A class with a rule of its own (`.box {…}`) is the subject of no selector in another game's sheet.

    The boxes of Ultimate once made grey blocks of the pre-actions of hold'em.
    """
    sheets = [sheet for sheet in sorted(STYLES.glob("*.css")) if sheet.name not in SHARED]
    alone = {
        sheet: {each[1:] for each in selectors(sheet) if re.fullmatch(r"\.[a-z][\w-]*", each)}
        for sheet in sheets
    }
    subjects = {
        sheet: {
            name for each in selectors(sheet) for name in re.findall(r"\.([a-z][\w-]*)", each.split()[-1])
        }
        for sheet in sheets
    }
    twice = {
        f"{name}: {sheet.name} and {other.name}"
        for sheet in sheets
        for other in sheets
        if other != sheet
        for name in alone[sheet] & (alone[other] | (subjects[other] - PARTS))
    }
    assert twice == set()


PARTS = {"card", "cards", "chips", "board", "dock", "deeds", "tag", "table-head"}
"""Parts that every table has, and that a game may size for itself."""


def test_only_dots_stand_without_their_label_on_a_phone():
    """Prizes of a sit-and-go once stood there as two bare numbers. Dots show what they count."""
    hidden = re.findall(
        r"([^{}]+::before)\s*\{\s*display: none", (STYLES / "lobby.css").read_text(encoding="utf-8")
    )
    assert [each.strip() for each in hidden] == [".tables td:has(.dots)::before"]


def test_an_empty_seat_says_so_in_plain_sight():
    """It was a blank pill; only a screen reader found its text."""
    felt = (STYLES.parent / "app" / "felt.js").read_text(encoding="utf-8")
    idle = next(line for line in felt.splitlines() if '"free idle"' in line)
    assert ('"table.free"' in idle, "unseen" in idle) == (True, False)

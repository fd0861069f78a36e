"""Charts as inline SVG, each with its title and a table of the same numbers; plain text in, HTML out.

Places across are parts of the width and sizes of letters are pixels, so a chart is as readable on a phone as on a wide
screen. Colours are classes (`s0` to `s3`) of the page's style sheet. Lines differ in their dashes, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count

BAR, GAP, LABEL = 15, 4, 19
"""Heights in pixels: of a bar, after it, and of the label above the bars of a row."""
WIDTH_MOST = 70.0
"""The longest bar, in percent of the width; its number stands beside it."""
PLOT_HEIGHT, PLOT_TOP, PLOT_LEFT, PLOT_WIDTH = 230, 8, 14.0, 84.0
"""Of the plot of `curves`: pixels from top to bottom, percent from left to right."""
COURSE_HEIGHT, COURSE_LEFT = 130, 18.0
"""Of the plot of `course`: pixels, and percent for the numbers at its left."""
NINES = ((0.0, "0"), (math.log10(2), "50"), (1.0, "90"), (2.0, "99"), (3.0, "99.9"), (4.0, "99.99"))
"""Percentiles with a line of their own, by their number of nines."""

COLORS = 4
"""So many series can be told from one another."""

_ids = count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The numbers of a chart; the first cell of each row names it."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def html(self, caption: str) -> str:
        """In a frame of its own that can be moved sideways, also with the keyboard."""
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in self.head)
        body = "".join(
            f'<tr><th scope="row">{escape(row[0])}</th>'
            + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
            + "</tr>"
            for row in self.rows
        )
        return (
            f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(caption)}"><table>'
            f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )


def number(value: float | None) -> str:
    """Three digits where they say something; "?" for what is not known."""
    if value is None:
        return "?"
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def figure(
    title: str, how: str, picture: str, table: Table, series: Sequence[str] = (), *, lines: bool = False
) -> str:
    """A picture under its title, with what it shows, a legend where it has several series, and its numbers."""
    keys = legend(series, lines=lines) if len(series) > 1 else ""
    return (
        f"<figure><figcaption><h3>{escape(title)}</h3><p>{escape(how)}</p></figcaption>{keys}{picture}"
        f"<details><summary>The numbers</summary>{table.html(title)}</details></figure>"
    )


def legend(series: Sequence[str], *, lines: bool) -> str:
    """Names of series beside their colours."""
    items = "".join(
        f'<li><svg width="30" height="12" aria-hidden="true">{_swatch(place % COLORS, lines=lines)}</svg>'
        f"{escape(name)}</li>"
        for place, name in enumerate(series)
    )
    return f'<ul class="legend">{items}</ul>'


def _swatch(place: int, *, lines: bool) -> str:
    if lines:
        return f'<line class="line s{place}" x1="0" x2="30" y1="6" y2="6"/>'
    return f'<rect class="bar s{place}" width="30" height="12"/>'


def _svg(
    title: str, height: float, parts: Sequence[str], more: str = "The numbers are in the table below."
) -> str:
    name = f"chart-{next(_ids)}"
    return (
        f'<svg class="chart" role="img" aria-labelledby="{name}" width="100%" height="{height:g}">'
        f'<title id="{name}">{escape(title)}. {more}</title>{"".join(parts)}</svg>'
    )


def bars(
    title: str, rows: Sequence[tuple[str, Sequence[float | None]]], unit: str, unknown: str = "not measured"
) -> str:
    """For each row a label and under it a bar for each series, all from zero; `unknown` in place of a value of None."""
    most = max((value for _, values in rows for value in values if value is not None), default=0) or 1
    parts, y = list[str](), 0
    for label, values in rows:
        parts.append(f'<text x="0" y="{y + 14}">{escape(label)}</text>')
        y += LABEL
        for place, value in enumerate(values):
            width = max(0.3, (value or 0) / most * WIDTH_MOST)
            told = unknown if value is None else f"{number(value)} {unit}".strip()
            if value is not None:
                parts.append(
                    f'<rect class="bar s{place}" x="0" y="{y}" width="{width:.2f}%" height="{BAR}"/>'
                )
            x = f'x="{width:.2f}%" dx="6"' if value is not None else 'x="0"'
            parts.append(f'<text class="value" {x} y="{y + 12}">{escape(told)}</text>')
            y += BAR + GAP
        y += GAP
    return _svg(title, y, parts)


def stacks(title: str, rows: Sequence[tuple[str, Sequence[float]]], unit: str) -> str:
    """For each row a label and under it one bar of all series, one behind the other."""
    most = max((sum(values) for _, values in rows), default=0) or 1
    parts, y = list[str](), 0
    for label, values in rows:
        parts.append(f'<text x="0" y="{y + 14}">{escape(label)}</text>')
        y += LABEL
        x = 0.0
        for place, value in enumerate(values):
            width = value / most * WIDTH_MOST
            parts.append(
                f'<rect class="bar s{place}" x="{x:.2f}%" y="{y}" width="{width:.2f}%" height="{BAR}"/>'
            )
            x += width
        told = f"{number(sum(values))} {unit}"
        parts.append(f'<text class="value" x="{x:.2f}%" dx="6" y="{y + 12}">{escape(told)}</text>')
        y += BAR + GAP + GAP
    return _svg(title, y, parts)


def curves(title: str, lines: Sequence[Sequence[tuple[float, float]]], low: float, high: float) -> str:
    """Values in milliseconds by percentile: both axes are logarithmic, across by the number of nines.

    `low` and `high` are the ends of the upright axis, so that charts beside one another have the same.
    """
    bottom, top = math.log10(low), math.log10(high)

    def up(value: float) -> float:
        return 1 - (math.log10(min(high, max(low, value))) - bottom) / (top - bottom)

    parts = list[str]()
    for value in ticks(low, high):
        y = PLOT_TOP + up(value) * PLOT_HEIGHT
        parts += [
            f'<line class="grid" x1="{PLOT_LEFT}%" x2="{PLOT_LEFT + PLOT_WIDTH}%" y1="{y:.1f}" y2="{y:.1f}"/>',
            f'<text class="tick" x="{PLOT_LEFT - 1.5}%" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>',
        ]
    for nines, name in NINES:
        x = PLOT_LEFT + nines / NINES[-1][0] * PLOT_WIDTH
        y = PLOT_TOP + PLOT_HEIGHT
        anchor = "end" if nines == NINES[-1][0] else "middle"
        parts += [
            f'<line class="grid" x1="{x:.2f}%" x2="{x:.2f}%" y1="{PLOT_TOP}" y2="{y}"/>',
            f'<text class="tick" x="{x:.2f}%" y="{y + 16}" text-anchor="{anchor}">{name}</text>',
        ]
    drawn = "".join(
        f'<polyline class="line s{place}" points="'
        + " ".join(f"{nines / NINES[-1][0] * 1000:.0f},{up(value) * 1000:.1f}" for nines, value in points)
        + '"/>'
        for place, points in enumerate(lines)
    )
    parts.append(
        f'<svg x="{PLOT_LEFT}%" y="{PLOT_TOP}" width="{PLOT_WIDTH}%" height="{PLOT_HEIGHT}" '
        f'viewBox="0 0 1000 1000" preserveAspectRatio="none">{drawn}</svg>'
    )
    return _svg(title, PLOT_TOP + PLOT_HEIGHT + 24, parts)


def course(title: str, lines: Sequence[Sequence[tuple[float, float]]], told: Callable[[float], str]) -> str:
    """Values from zero up over time, in seconds; `told` writes a value on the upright axis."""
    times = [when for line in lines for when, _ in line]
    begin, end = min(times), max(*times, min(times) + 1)
    most = max(0.0, *(value for line in lines for _, value in line)) or 1.0
    parts = list[str]()
    for part in (0, 0.5, 1):
        y = PLOT_TOP + (1 - part) * COURSE_HEIGHT
        parts += [
            f'<line class="grid" x1="{COURSE_LEFT}%" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>',
            (
                f'<text class="tick" x="{COURSE_LEFT - 1.5}%" y="{y + 4:.1f}" text-anchor="end">'
                f"{escape(told(part * most))}</text>"
            ),
        ]
    drawn = "".join(
        f'<polyline class="line s{place % COLORS}" points="'
        + " ".join(
            f"{(when - begin) / (end - begin) * 1000:.0f},{(1 - value / most) * 1000:.1f}"
            for when, value in line
        )
        + '"/>'
        for place, line in enumerate(lines)
    )
    parts.append(
        f'<svg x="{COURSE_LEFT}%" y="{PLOT_TOP}" width="{100 - COURSE_LEFT}%" height="{COURSE_HEIGHT}" '
        f'viewBox="0 0 1000 1000" preserveAspectRatio="none">{drawn}</svg>'
    )
    told_s = f"the last {end - begin:.0f} s"
    y = PLOT_TOP + COURSE_HEIGHT + 16
    parts.append(f'<text class="tick" x="100%" y="{y}" text-anchor="end">{told_s}</text>')
    return _svg(title, y + 6, parts, "A course over time.")


def ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 of each power of ten from `low` to `high`; only the powers where there would be more than ten."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    fine = [value for power in powers for step in (1, 2, 5) if low <= (value := step * 10.0**power) <= high]
    return fine if len(fine) <= 10 else [10.0**power for power in powers if low <= 10.0**power <= high]

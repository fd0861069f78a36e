"""A picture of the run: actions and finished hands per second, with the faults and their recoveries over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

_WIDTH: Final = 1400
_PLOT: Final = 240
_LEFT: Final = 60
_ROW: Final = 15
_COLORS: Final = (
    "#c0392b", "#8e44ad", "#2471a3", "#117864", "#b9770e", "#784212",
    "#1b4f72", "#6c3483", "#943126", "#0e6655", "#7d6608", "#424949",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """A fault: from when to when, and until when it was recovered from; None if never."""

    kind: str
    began_s: float
    healed_s: float
    recovered_s: float | None


def per_second(times: Sequence[float], seconds: float) -> list[int]:
    """How many of `times` lie in each second."""
    counts = [0] * (int(seconds) + 1)
    for at in times:
        if 0 <= at < len(counts):
            counts[int(at)] += 1
    return counts


def draw(actions: Sequence[float], ends: Sequence[float], bands: Sequence[Band], seconds: float) -> str:
    """The SVG document."""
    kinds = sorted({band.kind for band in bands})
    color = {kind: _COLORS[number % len(_COLORS)] for number, kind in enumerate(kinds)}
    bottom = 40 + _PLOT
    height = bottom + 40 + _ROW * len(kinds) + 20
    scale_x = (_WIDTH - _LEFT - 20) / max(1.0, seconds)

    def x(at: float) -> float:
        return round(_LEFT + at * scale_x, 1)

    size = f'width="{_WIDTH}" height="{height}"'
    title = "Actions per second (area) and hands per second (line)"
    legend = "faults: dark while they last, light until every table has told a new prompt"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">',
        f'<rect {size} fill="white"/>',
        f'<text x="{_LEFT}" y="20" font-size="14">{title}; {legend}</text>',
    ]
    for band in bands:
        fill = color[band.kind]
        end = band.recovered_s if band.recovered_s is not None else seconds
        for begin, until, opacity in ((band.began_s, band.healed_s, 0.35), (band.healed_s, end, 0.15)):
            if until > begin or opacity == 0.35:
                width = max(1.5, x(until) - x(begin)) if opacity == 0.35 else x(until) - x(begin)
                parts.append(
                    f'<rect x="{x(begin)}" y="40" width="{width:.1f}" height="{_PLOT}" '
                    f'fill="{fill}" opacity="{opacity}"/>'
                )
    action_counts, end_counts = per_second(actions, seconds), per_second(ends, seconds)
    most, most_ends = max([1, *action_counts]), max([1, *end_counts])
    area = " ".join(
        f"{x(second + 0.5)},{bottom - _PLOT * count / most:.1f}" for second, count in enumerate(action_counts)
    )
    parts.append(
        f'<polygon points="{x(0.5)},{bottom} {area} {x(len(action_counts) - 0.5)},{bottom}" '
        'fill="#5d6d7e" opacity="0.55"/>'
    )
    line = " ".join(
        f"{x(second + 0.5)},{bottom - _PLOT * count / most_ends:.1f}"
        for second, count in enumerate(end_counts)
    )
    parts += [
        f'<polyline points="{line}" fill="none" stroke="#145a32" stroke-width="1"/>',
        f'<line x1="{_LEFT}" y1="{bottom}" x2="{_WIDTH - 20}" y2="{bottom}" stroke="black"/>',
        f'<text x="4" y="50">{most} actions</text>',
        f'<text x="4" y="64" fill="#145a32">{most_ends} hands</text>',
        f'<text x="40" y="{bottom}">0</text>',
    ]
    step = next(step for step in (5, 10, 30, 60, 120, 300, 600, 3600) if seconds / step <= 25 or step == 3600)
    parts += [
        f'<text x="{x(at)}" y="{bottom + 14}" text-anchor="middle">{at} s</text>'
        for at in range(0, int(seconds) + 1, step)
    ]
    for row, kind in enumerate(kinds):
        y = bottom + 40 + row * _ROW
        parts.append(
            f'<rect x="{_LEFT}" y="{y - 9}" width="10" height="10" fill="{color[kind]}" opacity="0.6"/>'
        )
        of_kind = [band for band in bands if band.kind == kind]
        parts.append(f'<text x="{_LEFT + 16}" y="{y}">{escape(kind)}: {len(of_kind)}</text>')
        parts += [
            f'<circle cx="{x(band.began_s)}" cy="{y - 4}" r="3" fill="{color[kind]}"/>' for band in of_kind
        ]
    return "\n".join([*parts, "</svg>"])

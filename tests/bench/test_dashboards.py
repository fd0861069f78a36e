"""How the pages of `make dashboards` tell what Prometheus answers."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.bench.dashboards import page, told


class Answers:
    """As `Prometheus`, of two nodes."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def now(self, expression: str) -> list[dict[str, Any]]:
        self.asked.append(expression)
        return [] if expression == "gone" else [{"value": [0, "12"]}]

    def since(self, expression: str, _seconds: float) -> list[dict[str, Any]]:
        self.asked.append(expression)
        values = [[1.0, "NaN"], [2.0, "3"]] if expression != "never" else [[1.0, "NaN"]]
        return [{"metric": {"instance": f"<node {n}>"}, "values": values} for n in (1, 2)]


def panel(kind: str, title: str, expression: str) -> dict[str, Any]:
    targets = [{"expr": expression, "legendFormat": "at {{instance}}"}]
    place = {"x": 0, "y": 0, "w": 8, "h": 8}
    return {
        "type": kind,
        "title": title,
        "fieldConfig": {"defaults": {}},
        "targets": targets,
        "gridPos": place,
    }


def test_a_page_names_the_panels_without_a_value():
    """And every series by its labels; what Prometheus says is no HTML here."""
    answers = Answers()
    panels = [
        panel("stat", "Players", "players"),
        panel("stat", "Gone", "gone"),
        panel("timeseries", "Frames", "rate(frames[$__rate_interval])"),
        panel("timeseries", "Never", "never"),
    ]
    html, empty = page({"title": "Room", "panels": panels}, answers, 60)  # type: ignore[arg-type]  # it asks no more
    assert empty == ["Gone", "Never"]
    assert "rate(frames[5s])" in answers.asked
    assert "at &lt;node 1&gt;" in html
    assert "<node 1>" not in html
    assert '<p class="stat">12</p>' in html


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0, "s", "0"),
        (0.000_5, "s", "500 µs"),
        (0.023_4, "s", "23.4 ms"),
        (90.0, "s", "90 s"),
        (600.0, "s", "10 min"),
        (86_400.0, "s", "24 h"),
        (2**20, "bytes", "1 MiB"),
        (61.0, "short", "61"),
        (1_336.4, "short", "1,336"),
        (0.951_3, "short", "0.951"),
        (math.nan, "short", "no value"),
    ],
)
def test_values_have_the_units_of_the_panel(value, unit, text):
    """With three digits where they say something."""
    assert told(value, unit) == text

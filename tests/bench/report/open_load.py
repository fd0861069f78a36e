"""Latency and processor time at parts of the room's capacity: one node, two nodes, and one compiled node.

The capacity is what players without think time get done. Then actions arrive at times of their own (see `arrivals`),
at parts of that rate, with the same players at the same tables. Passwords are hashed at almost no cost: that players
open accounts is not measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.bench import latency
from tests.bench.field import QuickAccounts, TwoQuickNodes
from tests.bench.nodes import ROOM
from tests.bench.peers import COMPILED
from tests.bench.printing import note
from tests.bench.windows import Side, Window, side_of
from tests.integration.support import RunningRoom

TABLES = 20
SEATS = 6
PERCENTS = (25, 50, 75, 90)
"""Parts of the capacity."""
WARM_UP_S = 2
"""Of a room that has just started, before its capacity is measured."""


class CompiledRules(QuickAccounts):
    """The room that `make compiled` leaves."""

    tree = COMPILED


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form of the room: its name in the report, and what runs."""

    name: str
    kind: type[RunningRoom]
    compiled: bool = False


FORMS = (
    Form(name="one node", kind=QuickAccounts),
    Form(name="two nodes", kind=TwoQuickNodes),
    Form(name="one node, compiled", kind=CompiledRules, compiled=True),
)


def measure(seconds: float) -> dict[str, Any]:
    """All forms that are there, one after the other; `seconds` of each measured window."""
    forms = [form for form in FORMS if COMPILED.exists() or not form.compiled]
    return {
        "tables": TABLES,
        "players": TABLES * SEATS,
        "seconds": seconds,
        "forms": [_measured(form, seconds) for form in forms],
    }


def _measured(form: Form, seconds: float) -> dict[str, Any]:
    with side_of(form.name, [form.kind], ROOM.format(tables=TABLES), TABLES, 1) as side:
        side.play(WARM_UP_S)
        note(f"{form.name}: its capacity, {seconds:g} s without think time")
        side.play(seconds)
        full = side.windows[-1]
        capacity = full.actions / full.took_s
        levels = [_level(side, form, percent, capacity, seconds) for percent in PERCENTS]
    return {
        "form": form.name,
        "nodes": form.kind.nodes,
        "compiled": form.compiled,
        "capacity_per_s": round(capacity, 1),
        "cpu_us": cpu_us(full),
        "levels": levels,
        "differences": sum(audit["differences"] for audit in side.audits),
    }


def _level(side: Side, form: Form, percent: int, capacity: float, seconds: float) -> dict[str, Any]:
    rate = capacity * percent / 100
    note(f"{form.name}: {percent} % of it, {rate:.0f} actions/s offered for {seconds:g} s")
    window, answers = side.play_open(rate, seconds)
    return {"percent": percent, "rate_per_s": round(rate, 1), "cpu_us": cpu_us(window), **told(answers)}


def told(answers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What all processes of players have found, as one."""
    found = latency.merged(answer["latency"] for answer in answers)
    counted = {
        name: sum(answer[name] for answer in answers) for name in ("offered", "done", "refused", "unfinished")
    }
    return {
        **counted,
        "latency_ms": latency.figures(found),
        "answer_ms": latency.figures(latency.merged(answer["answer"] for answer in answers)),
        "curve": latency.curve(found),
        "histogram": latency.encoded(found),
    }


def cpu_us(window: Window) -> dict[str, float]:
    """Microseconds of processor time for each action: of all nodes, of PostgreSQL, and of Redis."""
    postgres_s = window.services_cpu_s.get("postgres", 0.0)
    redis_s = sum(window.services_cpu_s.values()) - postgres_s
    found = {"node": window.cpu_s, "postgres": postgres_s, "redis": redis_s}
    return {name: round(used_s / max(1, window.actions) * 1e6, 1) for name, used_s in found.items()}

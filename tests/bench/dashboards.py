"""`make dashboards`: the dashboards of `deploy`, filled by Prometheus from a room of two nodes in which players play.

There is no Grafana among the packages of Debian. So each panel's expressions are put to Prometheus, as Grafana does,
and drawn in the places that the dashboard has for them. Panels without a value are named: an expression may ask for a
metric that the room does not have.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

from tests.bench.field import TwoQuickNodes
from tests.bench.printing import note
from tests.bench.report.charts import course, legend
from tests.bench.report.style import STYLE
from tests.bench.windows import ROOT, side_of

FOLDER: Final = ROOT / "deploy" / "dashboards"
TABLES: Final = 10
SCRAPE_S: Final = 1
RATE_S: Final = 5
"""`$__rate_interval`: over so many seconds a rate is counted."""
POINTS: Final = 120
ROOM: Final = """
[limits]
messages_per_s = 100000
message_burst = 100000
[[tables]]
id = "six"
count = {tables}
seats = 6
small_blind = 50
hand_pause_ms = 0
rake_bps = 250
rake_cap = {{ 2 = 300 }}
"""
EMPTY: Final = frozenset({"Certificate expires in"})
"""Panels without a value in a room without TLS."""

_LABEL: Final = re.compile(r"{{(\w+)}}")
_GRID: Final = """
.board { display: grid; grid-template-columns: repeat(24, minmax(0, 1fr)); gap: 10px; }
.board section { min-width: 0; padding: 10px 12px; border: 1px solid var(--line); border-radius: 10px;
  background: var(--panel); }
.board h2 { margin: 0 0 4px; font-size: .92rem; }
.board .stat { margin: 0; font-size: 1.6rem; font-weight: 700; font-variant-numeric: tabular-nums; }
@media (max-width: 900px) { .board section { grid-column: 1 / -1 !important; }
  .board .few { grid-column: span 12 !important; } }
"""


class Prometheus:
    """The answers of a Prometheus on loopback."""

    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}"

    def ready(self) -> bool:
        """Return whether it answers questions."""
        try:
            with urlopen(f"{self._url}/-/ready", timeout=1):
                return True
        except (URLError, TimeoutError, ConnectionError):
            return False

    def now(self, expression: str) -> list[dict[str, Any]]:
        """Return the series of an expression with their last values."""
        return self._asked("query", query=expression)

    def since(self, expression: str, seconds: float) -> list[dict[str, Any]]:
        """Return the series of an expression with their values of the last seconds."""
        end = time.time()
        step = max(1, seconds / POINTS)
        return self._asked("query_range", query=expression, start=end - seconds, end=end, step=step)

    def _asked(self, what: str, **asked: object) -> list[dict[str, Any]]:
        with urlopen(f"{self._url}/api/v1/{what}?{urlencode(asked)}", timeout=10) as answer:
            found: list[dict[str, Any]] = json.load(answer)["data"]["result"]
        return found


@contextmanager
def prometheus(ports: Sequence[int]) -> Iterator[Prometheus]:
    """Prometheus while it asks the operations ports of nodes."""
    program = shutil.which("prometheus")
    if program is None:
        raise SystemExit("this machine has no Prometheus: apt install prometheus")
    with socket.socket() as free, tempfile.TemporaryDirectory() as folder:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        settings = Path(folder) / "prometheus.yml"
        nodes = [f"127.0.0.1:{port}" for port in ports]
        job = {"job_name": "pokerroom", "static_configs": [{"targets": nodes}]}
        asks = {"scrape_interval": f"{SCRAPE_S}s", "scrape_timeout": f"{SCRAPE_S}s"}
        settings.write_text(json.dumps({"global": asks, "scrape_configs": [job]}))  # JSON is YAML
        process = subprocess.Popen(
            [
                program,
                f"--config.file={settings}",
                f"--storage.tsdb.path={folder}/data",
                f"--web.listen-address=127.0.0.1:{port}",
                "--log.level=error",
            ]
        )
        try:
            found, until = Prometheus(port), time.monotonic() + 30
            while not found.ready():
                if time.monotonic() > until or process.poll() is not None:
                    raise SystemExit("Prometheus does not start")
                time.sleep(0.2)
            yield found
        finally:
            process.terminate()
            process.wait(30)


def told(value: float, unit: str) -> str:
    """Return a value as Grafana shows it: seconds and bytes with a prefix, other numbers with three digits."""
    if math.isnan(value):
        return "no value"
    if value == 0:
        return "0"
    if unit == "s":
        for most, factor, name in ((1e-3, 1e6, "µs"), (1, 1e3, "ms"), (120, 1, "s"), (7_200, 1 / 60, "min")):
            if abs(value) < most:
                return f"{value * factor:.3g} {name}"
        return f"{value / 3_600:,.0f} h"
    if unit == "bytes":
        return f"{value / 2**20:,.4g} MiB"
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1_000 else f"{value:.3g}"


def _panel(asked: Prometheus, panel: dict[str, Any], seconds: float) -> tuple[str, bool]:
    """Return a panel as HTML, and whether it has a value."""
    unit = panel["fieldConfig"]["defaults"].get("unit", "short")
    expressions = [
        (one["expr"].replace("$__rate_interval", f"{RATE_S}s"), one.get("legendFormat", ""))
        for one in panel["targets"]
    ]
    title, at = panel["title"], panel["gridPos"]
    place = f"grid-column: {at['x'] + 1} / span {at['w']}"
    if panel["type"] == "stat":
        values = [
            float(series["value"][1]) for expression, _ in expressions for series in asked.now(expression)
        ]
        body = f'<p class="stat">{escape(told(values[0], unit) if values else "no value")}</p>'
        return f'<section class="few" style="{place}"><h2>{escape(title)}</h2>{body}</section>', bool(values)
    names, lines = list[str](), list[list[tuple[float, float]]]()
    for expression, name in expressions:
        for series in asked.since(expression, seconds):
            points = [(float(when), float(value)) for when, value in series["values"]]
            lines.append([point for point in points if not math.isnan(point[1])])
            names.append(_LABEL.sub(lambda found, of=series["metric"]: of.get(found[1], ""), name))
    body = course(title, lines, lambda value: told(value, unit)) if any(lines) else "<p>no value</p>"
    keys = legend(names, lines=True) if len(names) > 1 or names[:1] != [""] else ""
    return f'<section style="{place}"><h2>{escape(title)}</h2>{body}{keys}</section>', any(lines)


def page(board: dict[str, Any], asked: Prometheus, seconds: float) -> tuple[str, list[str]]:
    """Return a dashboard as a page, and the titles of its panels without a value."""
    panels = [(panel["title"], *_panel(asked, panel, seconds)) for panel in board["panels"]]
    body = "".join(html for _, html, _ in panels)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(board['title'])}</title><style>{STYLE}{_GRID}</style></head><body>"
        f'<h1>{escape(board["title"])}</h1><main class="board">{body}</main></body></html>\n'
    ), [title for title, _, has_value in panels if not has_value]


def main() -> int:
    """Play, write a page for each dashboard, and tell which panels have no value."""
    parser = ArgumentParser(prog="make dashboards", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="so long players play (default: 60)")
    parser.add_argument("--to", type=Path, default=ROOT / "build" / "dashboards", help="where the pages go")
    asked = parser.parse_args()
    asked.to.mkdir(parents=True, exist_ok=True)
    empty = dict[str, list[str]]()
    with side_of("dashboards", [TwoQuickNodes], ROOM.format(tables=TABLES), TABLES, 1) as side:
        with prometheus(side.rooms[0].ops_ports) as answers:
            side.go_on()
            note(f"players play for {asked.seconds} s")
            time.sleep(asked.seconds)
            for file in sorted(FOLDER.glob("*.json")):
                html, missing = page(json.loads(file.read_text(encoding="utf-8")), answers, asked.seconds)
                (asked.to / f"{file.stem}.html").write_text(html, encoding="utf-8")
                empty[file.stem] = missing
            side.stop()
        side.go_on()
    differences = sum(audit["differences"] for audit in side.audits)
    print(json.dumps({"pages": str(asked.to), "empty": empty, "differences": differences}))
    return 1 if {title for titles in empty.values() for title in titles} - EMPTY or differences else 0


if __name__ == "__main__":
    sys.exit(main())

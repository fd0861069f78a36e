"""A run of the report: part after part, each kept when it has ended; then the page of all that are kept."""

from __future__ import annotations

import argparse
import os
import subprocess
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.bench.printing import note
from tests.bench.report import store
from tests.bench.report.page import SECTIONS, page

Measure = Callable[[argparse.Namespace], dict[str, Any]]

FAILURES = (SystemExit, AssertionError, OSError, ValueError, KeyError, subprocess.SubprocessError)
"""What a part that cannot be measured raises. The part that was there before is kept."""


def run(measures: Mapping[str, Measure], wanted: Sequence[str], asked: argparse.Namespace) -> int:
    """Measures, writes the page, and prints the last line; 1 if a part has failed, 130 after Ctrl-C."""
    folder: Path = asked.out
    folder.mkdir(parents=True, exist_ok=True)
    failed, interrupted = list[str](), False
    for name in wanted:
        note(f"report, {name}")
        try:
            store.write(folder, name, _measured(measures[name], asked))
        except KeyboardInterrupt:
            interrupted = True
            break
        except FAILURES:
            traceback.print_exc()
            failed.append(name)
    parts = store.read(folder, list(SECTIONS))
    index = folder / "index.html"
    index.write_text(page(parts))
    print(store.last_line(index, parts, failed, interrupted=interrupted))
    return 130 if interrupted else int(bool(failed))


def _measured(measure: Measure, asked: argparse.Namespace) -> dict[str, Any]:
    head = {
        "revision": store.revision(),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "load_at_start": round(os.getloadavg()[0], 2),
    }
    began_s = time.monotonic()
    result = measure(asked)
    return {**head, "took_s": round(time.monotonic() - began_s, 1), "result": result}

"""The files of the report: one of JSON for each part, and the main figures of all of them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.bench.windows import ROOT

Parts = dict[str, dict[str, Any]]
"""By its name, each part that there is: `result`, and when and of which revision it was measured."""

SHOWN_PERCENTS = (50, 90)
"""Parts of the capacity that the main figures have."""


def revision() -> str:
    """The commit, with a plus if files were changed since; "unknown" without git."""
    try:
        commit = _git("rev-parse", "--short", "HEAD")
        return f"{commit}+" if _git("status", "--porcelain", "--untracked-files=no") else commit
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def write(folder: Path, name: str, part: dict[str, Any]) -> None:
    """In place of an earlier one."""
    (folder / f"{name}.json").write_text(json.dumps(part, indent=1))


def read(folder: Path, names: list[str]) -> Parts:
    """Those that there are."""
    files = {name: folder / f"{name}.json" for name in names}
    return {name: json.loads(file.read_text()) for name, file in files.items() if file.exists()}


def last_line(index: Path, parts: Parts, failed: list[str], *, interrupted: bool) -> str:
    """The path of the page, the parts that it has, those that have failed now, and the main figures."""
    told = {"page": str(index), "parts": list(parts), "failed": failed, "interrupted": interrupted}
    return json.dumps(told | main_figures(parts))


def main_figures(parts: Parts) -> dict[str, Any]:
    """What the page begins with and the last line of the output has; null where a part is missing.

    `capacity_per_s`: actions/s by form of the room. `p99_ms`: by form and part of the capacity, from the intended
    time. `times_pokerkit`: hands/s of the rules in Python beside PokerKit. `recovery_s_max`: of all faults.
    `siege_p99_ratio`: an honest player's 99th percentile under the worst attack beside quiet. `violations` of the
    chaos run, and `differences` of all audits.
    """
    found = {name: part["result"] for name, part in parts.items()}
    forms = found["load"]["forms"] if "load" in found else None
    engines = found["engines"]["engines"] if "engines" in found else {}
    chaos, siege = found.get("chaos"), found.get("siege")
    pure, pokerkit = engines.get("pure"), engines.get("pokerkit")
    audits = [form["differences"] for form in forms or ()]
    audits += [chaos["audit_differences"]] if chaos and chaos["audit_differences"] is not None else []
    audits += [siege["differences"]] if siege else []
    return {
        "capacity_per_s": forms and {form["form"]: form["capacity_per_s"] for form in forms},
        "p99_ms": forms
        and {
            form["form"]: {
                str(level["percent"]): level["latency_ms"]["p99"]
                for level in form["levels"]
                if level["percent"] in SHOWN_PERCENTS
            }
            for form in forms
        },
        "times_pokerkit": round(pure["hands_per_s"] / pokerkit["hands_per_s"], 1)
        if pure and pokerkit
        else None,
        "recovery_s_max": chaos and _worst_recovery(chaos),
        "violations": chaos and chaos["violations"],
        "siege_p99_ratio": siege and siege["p99_ratio"],
        "differences": sum(audits) if audits else None,
    }


def _worst_recovery(chaos: dict[str, Any]) -> float | None:
    """None if a fault was never recovered from, or there was none."""
    times = [fault["recovery_s_max"] for fault in chaos["faults"]]
    return None if None in times else max(times, default=None)

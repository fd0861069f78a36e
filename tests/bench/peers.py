"""The rules engine beside its peers; `tests.bench.engines` says what each plays and how.

Each engine has three turns, one after the other in rotation, and its best counts: what else runs on the machine only
ever slows one down.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from typing import Any

from tests.bench.printing import note, row
from tests.bench.windows import ROOT

COMPILED = ROOT / "build/compiled/package"
"""Where `make compiled` leaves the compiled form."""
TURNS = 3
ENGINES = {
    "pure": ("ours", None),
    "compiled": ("ours", None),
    "pokerkit": ("on_pokerkit", "pokerkit"),
    "clubs": ("on_clubs", "clubs"),
    "pokers": ("on_pokers", "pokers"),
}
"""Our two forms and the peers: the module that plays, and the package it needs."""
GOALS = (("pure", "pokerkit", 25), ("pure", "clubs", 2), ("compiled", "pokers", 1))
"""How many times as fast as whom each form is to be."""


def measure(seconds: float) -> dict[str, Any]:
    """The best turn of each engine: its name, hands/s, actions/s and actions a hand; None for one not installed."""
    best: dict[str, Any] = dict.fromkeys(ENGINES)
    for turn in range(1, TURNS + 1):
        for engine, (module, package) in ENGINES.items():
            if package is not None and importlib.util.find_spec(package) is None:
                continue
            if engine == "compiled" and not COMPILED.exists():
                continue
            note(f"{engine}, turn {turn} of {TURNS}")
            found = _turn(engine, module, seconds)
            if best[engine] is None or found["hands_per_s"] > best[engine]["hands_per_s"]:
                best[engine] = found
    return best


def _turn(engine: str, module: str, seconds: float) -> dict[str, Any]:
    # With a safe path the checkout comes last, by the editable install, and PYTHONPATH decides which form is played.
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    environment.pop("PYTHONPATH", None)
    if engine == "compiled":
        environment["PYTHONPATH"] = str(COMPILED)
    command = [sys.executable, "-m", "tests.bench.engines", module, "--seconds", str(seconds)]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{engine} failed:\n{done.stdout}{done.stderr}")
    result = json.loads(done.stdout)
    return {
        "name": result["name"],
        "hands_per_s": round(result["hands"] / result["seconds"], 1),
        "actions_per_s": round(result["actions"] / result["seconds"]),
        "actions_per_hand": round(result["actions"] / result["hands"], 2),
    }


def tell(engines: dict[str, Any]) -> None:
    """Prints the table and what became of the goals."""
    print(f"\nSix-handed no-limit hold'em, 100 big blinds, one core; best of {TURNS} turns")
    print(f"  {'':38} {'hands/s':>9} {'actions/s':>10} {'a hand':>7}")
    for engine, found in engines.items():
        if found is None:
            print(f"  {engine:38} not there{': run `make compiled`' if engine == 'compiled' else ''}")
            continue
        columns = (
            f"{found['hands_per_s']:>9.0f} {found['actions_per_s']:>10} {found['actions_per_hand']:>7.1f}"
        )
        print(f"  {found['name']:38} {columns}")
    for form, peer, times in GOALS:
        if engines[form] and engines[peer]:
            ratio = engines[form]["hands_per_s"] / engines[peer]["hands_per_s"]
            row(f"{form} / {peer} (goal: {times})", f"{ratio:.2f}")

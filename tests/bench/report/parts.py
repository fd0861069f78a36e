"""The parts of the report: each measures one thing and gives plain data, which `store` keeps as a file of JSON."""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pokerroom.ops.embedded.binaries import find_postgres, find_redis
from pokerroom.ops.embedded.places import ServerUser
from tests.bench import peers, room, scale
from tests.bench.report import open_load
from tests.bench.report.page import FAULTS
from tests.bench.windows import ROOT

TABLES_ALONE = ("--sng-bots", "--field-bots", "--house-bots", "--parties")
CLEAN_UP_S = 60.0
"""So long an interrupted run may take to end what it has started."""
BASELINE_S = 5
INTERRUPTED = 130
"""The exit code after Ctrl-C."""

Options = argparse.Namespace


def machine(_: Options) -> dict[str, Any]:
    """Processor, memory, and the versions of what runs."""
    postgres, redis = find_postgres(ServerUser()), find_redis(ServerUser())
    return {
        "processor": _line_of("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_mb": int((_line_of("/proc/meminfo", "MemTotal") or "0").split()[0]) // 1024,
        "system": (_line_of("/etc/os-release", "PRETTY_NAME", "=") or platform.system()).strip('"'),
        "kernel": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "postgres": f"{postgres.product} {postgres.version}",
        "redis": f"{redis.product} {redis.version}",
        "compiled": peers.COMPILED.exists(),
    }


def _line_of(file: str, name: str, sign: str = ":") -> str | None:
    """The value of the first line `name: value`; None without the file or the line."""
    with suppress(OSError):
        for line in Path(file).read_text().splitlines():
            key, _, value = line.partition(sign)
            if key.strip() == name:
                return value.strip()
    return None


def load(asked: Options) -> dict[str, Any]:
    """Latency and cost under open arrivals."""
    return open_load.measure(asked.seconds)


def growth(_: Options) -> dict[str, Any]:
    """What one node needs for an action, and at rest, with more and more busy tables."""
    return {"rate_per_s": scale.RATE, "tables": scale.busy_tables()}


def engines(asked: Options) -> dict[str, Any]:
    """The rules beside other engines, and the bare fan-out server, if its folder is named."""
    return {"engines": peers.measure(asked.engine_seconds), "fan_out": room.baseline(BASELINE_S)}


def chaos(asked: Options) -> dict[str, Any]:
    """A short run of faults."""
    command = [sys.executable, "-m", "tests.chaos", "--seconds", str(asked.chaos_seconds)]
    command += ["--seed", "1", "--nodes", "2", "--crowd", "100", "--faults", ",".join(FAULTS)]
    command += [word for name in TABLES_ALONE for word in (name, "0")]
    found = _last_json([*command, "--out", str(asked.out / "chaos-run")])
    kept = ("violations", "hands", "actions", "hands_void", "audit_differences", "seconds", "seed", "faults")
    return {name: found[name] for name in kept}


def siege(asked: Options) -> dict[str, Any]:
    """Every attack once, for so many seconds."""
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "siege.json"
        command = [sys.executable, "-m", "tests.siege", "--seconds", str(asked.siege_seconds)]
        _last_json([*command, "--out", str(figures)])
        found: dict[str, Any] = json.loads(figures.read_text())
    return found


def _last_json(command: Sequence[str]) -> dict[str, Any]:
    """What a command tells in the last line of its output.

    An exit code other than 0 says that something was found, which the line has. Raises ValueError if there is none.
    Ctrl-C reaches the command, too, which ends what it has started and is waited for; raises KeyboardInterrupt then.
    """
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            output, _ = process.communicate()
        except KeyboardInterrupt:
            with suppress(subprocess.TimeoutExpired):
                process.wait(CLEAN_UP_S)
            process.kill()
            raise
    if process.returncode in {INTERRUPTED, -signal.SIGINT}:
        raise KeyboardInterrupt
    lines = output.strip().splitlines()
    if not lines:
        raise ValueError(f"{' '.join(command[1:3])} has told nothing; exit code {process.returncode}")
    found: dict[str, Any] = json.loads(lines[-1])
    return found


PARTS: dict[str, Callable[[Options], dict[str, Any]]] = {
    "machine": machine,
    "load": load,
    "growth": growth,
    "engines": engines,
    "chaos": chaos,
    "siege": siege,
}
"""In the order in which they are measured."""

"""What `test_supervisor` starts: a parent of nodes that are no rooms, and these.

    python supervised_nodes.py parent DIRECTORY COUNT     a `Supervisor` of so many children
    python supervised_nodes.py child DIRECTORY NUMBER:FD  one of them; DIRECTORY/NUMBER has a word for each start

Every child leaves its process id in DIRECTORY/pids. Words: `serves` (until SIGTERM), `deaf` (SIGTERM does not end it),
`patient` (only a second one does), `dies`, `dies-later` (when DIRECTORY/die is there), `refuses`, `silent` (serves, and
never says that it is ready), `ends-badly` (at SIGTERM, with code 3).
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

from pokerroom.parent_process import ParentProcess


def child(directory: Path, option: str) -> int:
    parent = ParentProcess.of_option(option)
    words = (directory / str(parent.number)).read_text().split()
    with (directory / "pids").open("a") as pids:
        pids.write(f"{parent.number} {threading.get_native_id()}\n")
    began = (directory / "pids").read_text().split("\n")
    starts = sum(line.startswith(f"{parent.number} ") for line in began)
    word = words[min(starts, len(words)) - 1]
    asked = []
    signal.signal(signal.SIGTERM, lambda *_: asked.append(1))
    if word == "dies":
        return 7
    if word == "refuses":
        parent.refused("the moon is full")
        return 1
    if word != "silent":
        parent.ready([f"game of {parent.number}", f"operations of {parent.number}"])
    enough = {"deaf": 1000, "patient": 2}.get(word, 1)
    while len(asked) < enough:
        parent.beat()
        if word == "dies-later" and (directory / "die").exists():
            (directory / "die").unlink()
            return 7
        time.sleep(0.02)
    return 3 if word == "ends-badly" else 0


def parent(directory: Path, count: str) -> int:
    import click

    from pokerroom import supervisor  # a child needs none of these, which take a quarter of a second
    from pokerroom.ops import logs

    def command(number: int, fd: int) -> tuple[list[str], dict[str, str]]:
        return [sys.executable, __file__, "child", str(directory), f"{number}:{fd}"], {**os.environ}

    logs.configure()
    supervisor.DELAY_S = 0.01
    supervisor.HURRY_S = 2.0
    supervisor.HANG_S = 2.0
    return supervisor.Supervisor(
        int(count),
        command,
        ready=lambda lines: click.echo("|".join(["ready", *supervisor.as_lines(lines)])),
        refused=lambda reason: click.echo(f"refused|{reason}"),
    ).run()


if __name__ == "__main__":
    what, where, which = sys.argv[1:]
    sys.exit((parent if what == "parent" else child)(Path(where), which))

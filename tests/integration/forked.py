"""`pokerroom` commands in processes that do not import the room again.

Importing the room takes longer than most commands run. `multiprocessing`'s fork server imports it once per test
session; each command is a fork of that server, in a session of its own, with its own environment and output. A room
without data copies the cluster of PostgreSQL that the test run has made (see `tests.clusters`). Tests of the start
itself (`test_serve_nodes`, `test_wheel`) run `python -m pokerroom` instead.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from signal import SIGKILL, SIGTERM
from typing import Literal, Self, TextIO

from tests import clusters
from tests.integration.support import RunningRoom

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["pokerroom.app", "pokerroom.audit", "pokerroom.cli", __name__])


Errors = Literal["merged", "apart", "dropped"]
"""Where the standard error of a command goes: with its output, into a pipe of its own, or nowhere."""


def _main(
    arguments: tuple[str, ...], environment: dict[str, str], output: Connection, errors: Connection | None
) -> None:
    os.setsid()
    os.dup2(output.fileno(), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY) if errors is None else errors.fileno(), 2)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["pokerroom", *arguments]
    from pokerroom.cli import main

    with clusters.copied():
        main()


class ForkedCommand:
    """A running command, with the methods of `subprocess.Popen` that the tests use."""

    def __init__(self, arguments: tuple[str, ...], environment: dict[str, str], errors: Errors) -> None:
        output, output_end = _FORKS.Pipe(duplex=False)
        apart, apart_end = _FORKS.Pipe(duplex=False) if errors == "apart" else (None, None)
        self._process = _FORKS.Process(
            target=_main,
            args=(arguments, environment, output_end, output_end if errors == "merged" else apart_end),
        )
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid
        output_end.close()
        self.stdout = _text_of(output)
        self.stderr = None
        if apart is not None and apart_end is not None:
            apart_end.close()
            self.stderr = _text_of(apart)

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            raise subprocess.TimeoutExpired("pokerroom", timeout or 0)
        return code

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Waits for the end of the command; returns its output and what it has printed apart from that."""
        with ThreadPoolExecutor(2) as readers:
            files = [self.stdout] if self.stderr is None else [self.stdout, self.stderr]
            read = [readers.submit(file.read) for file in files]
            try:
                self.wait(timeout)
            except subprocess.TimeoutExpired:
                self.kill()
                raise
            output, *apart = [each.result() for each in read]
        return output, "".join(apart)

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(SIGTERM)

    def kill(self) -> None:
        self.send_signal(SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()
        self.stdout.close()
        if self.stderr is not None:
            self.stderr.close()


def _text_of(pipe: Connection) -> TextIO:
    with pipe:
        return os.fdopen(os.dup(pipe.fileno()), encoding="utf-8")


def run_command(
    arguments: tuple[str, ...], environment: dict[str, str], timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    """As `subprocess.run` with the output and the errors captured."""
    with ForkedCommand(arguments, environment, "apart") as command:
        output, errors = command.communicate(timeout)
    return subprocess.CompletedProcess(arguments, command.wait(), output, errors)


class ForkedRoom(RunningRoom):
    """A `RunningRoom` whose processes are forks; a room of several nodes starts them itself, from nothing."""

    def launch(self, *arguments: str) -> ForkedCommand:
        return ForkedCommand(arguments, self.environment(), "merged")

    def command(
        self, *arguments: str, timeout: float = 120, port: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        return run_command(arguments, self.environment(port), timeout)

    def start_command(self, *arguments: str) -> ForkedCommand:
        return ForkedCommand(arguments, self.environment(), "dropped")

"""One server process of the room's own: started, found again after a crash of the room, stopped.

Every server holds a lock file from its first instant to its last (it inherits the descriptor, and so do its children).
So a second server never starts beside one that still runs. A process id is signalled only if the lock is held and that
process was started for this very directory. `postgres` and `redis` hold the details of each server.
"""

from __future__ import annotations

import os
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from signal import Signals
from typing import IO, ClassVar

from pokerroom.ops.embedded.locks import Lock, shared_on_directory
from pokerroom.ops.embedded.places import EmbeddedError, ServiceDirectories

START_S_MAX = 60.0
ATTACH_S_MAX = 5.0  # a server left running answers at once, or after a short recovery
STOP_S_MAX = 20.0
ASK_AGAIN_S = 1.0
NAME_S_MAX = 2.0
FORCED_STOP_S_MAX = 2.0  # for one that does not answer, and for each harsher signal
_POLL_S = 0.01

# The server's process id is in its lock file before the server exists. Its lock stays open as an inherited
# descriptor when standard output (the lock file, here) becomes the log.
_NAME_YOURSELF_AND_BECOME = 'echo $$; exec "$@" >&2'

Log = Callable[[str], None]


class Server(ABC):
    """Base of both servers. Order of calls: `launch`, `wait_ready`; later `ask_to_stop`, `wait_stopped`."""

    name: ClassVar[str]
    stop_signals: ClassVar[tuple[Signals, ...]]  # gentlest first; the last one must be SIGKILL

    def __init__(self, places: ServiceDirectories, log: Log) -> None:
        self.places = places
        self.log = log
        self._lock = Lock(places.home / f"{self.name.lower()}.lock")
        self._log_path = places.home / f"{self.name.lower()}.log"
        self._child: subprocess.Popen[bytes] | None = None
        self._present = False
        self._asked_to_stop = False

    @abstractmethod
    def command(self) -> list[str | Path]:
        """Prepares the server's files and answers the command that runs it in the foreground."""

    @abstractmethod
    def marker(self) -> str:
        """An argument of `command` that no other program on this machine has."""

    @abstractmethod
    def answers(self) -> bool:
        """Whether the server answers on its socket now. Takes no longer than a few seconds."""

    @abstractmethod
    def working_directory(self) -> Path:
        """Where the server is started; one it may reach by itself."""

    @property
    def lock_descriptor(self) -> int:
        """The open lock, for a helper that `command` runs on the server's files."""
        return self._lock.descriptor

    def launch(self) -> None:
        """Attaches to the server that an earlier room left running, or starts one; does not wait for it."""
        if not self._lock.acquire():
            if self._attach():
                self._present = True
                return
            if not self._lock.held:
                self._evict()
        try:
            self._spawn(self.command())
        finally:
            self._lock.release()

    def wait_ready(self) -> None:
        """Returns when the server answers. Raises `EmbeddedError` with the end of its log if it does not."""
        deadline = time.monotonic() + START_S_MAX
        while not self.answers():
            if self._child is not None and self._child.poll() is not None:
                raise EmbeddedError(f"{self.name} did not start; {self._log_tail()}")
            if time.monotonic() > deadline:
                raise EmbeddedError(f"{self.name} did not answer in time; {self._log_tail()}")
            time.sleep(_POLL_S)

    def revive(self) -> None:
        """Start the server again if it has ended by itself; do nothing while it runs, or after `ask_to_stop`.

        Blocks until it answers. Raises `EmbeddedError` if it does not.
        """
        if not self._present or self._asked_to_stop:
            return
        ended = self._lock.acquire() if self._child is None else self._child.poll() is not None
        if not ended:
            return
        self.log(f"{self.name} has ended by itself; starting it again")
        self._child = None
        self._present = False
        self.launch()
        self.wait_ready()

    def ask_to_stop(self) -> None:
        """Sends the gentlest signal; does nothing if there is no server of ours."""
        self._asked_to_stop = True
        if self._present:
            self._await_name()
            self._signal(self.stop_signals[0])

    def wait_stopped(self) -> None:
        """Returns when the server and its children are gone; after `STOP_S_MAX` harsher signals follow."""
        if not self._present:
            return
        deadline = time.monotonic() + STOP_S_MAX
        while not (gone := self._gone(ASK_AGAIN_S)) and time.monotonic() < deadline:
            self._signal(self.stop_signals[0])  # one that was just being started may have missed the first
        if not gone:
            self.log(f"{self.name} did not stop within {STOP_S_MAX:.0f} s; stopping it harder")
            self._force(self.stop_signals[1:])
        self._lock.release()
        if self._child is not None:
            self._child.wait()
        self._present = False

    def _attach(self) -> bool:
        """Whether the server that holds the lock answers. If it goes instead, the lock is ours on return."""
        deadline = time.monotonic() + ATTACH_S_MAX
        while time.monotonic() < deadline:
            if self.answers():
                self.log(
                    f"{self.name} of an earlier room still runs (process {self._lock.holder()}): using it"
                )
                return True
            if self._lock.acquire(within_s=_POLL_S):
                return False
        return False

    def _evict(self) -> None:
        self.log(f"{self.name} still runs (process {self._lock.holder()}) but does not answer: restarting it")
        self._force(self.stop_signals)

    def _force(self, signals: tuple[Signals, ...]) -> None:
        """Signals, each harsher than the one before, until the lock is ours."""
        for signal in signals:
            self._signal(signal)
            if self._gone(FORCED_STOP_S_MAX):
                return
        raise EmbeddedError(
            f"processes of {self.name} still hold {self.places.home} and cannot be stopped (the last was "
            f"{self._lock.holder()}): end them by hand."
        )

    def _gone(self, within_s: float) -> bool:
        """Whether the lock could be taken, which is when no process of the server is left."""
        return self._lock.acquire(within_s=within_s)

    def _await_name(self) -> None:
        """Waits until a server that was started without our seeing its process has written its number."""
        deadline = time.monotonic() + NAME_S_MAX
        while self._child is None and self._lock.holder() is None and time.monotonic() < deadline:
            if self._gone(_POLL_S):
                self._lock.release()
                return

    def _signal(self, signal: Signals) -> None:
        if self._child is not None:
            self._child.send_signal(signal)  # does nothing if it has ended and its id may be another's
            return
        pid = self._lock.holder()
        if pid is not None and runs_with_argument(pid, self.marker()):
            os.kill(pid, signal)

    def _spawn(self, command: list[str | Path]) -> None:
        inherited = [self._lock.descriptor]
        if self.places.shelter.exists():
            inherited.append(shared_on_directory(self.places.shelter))
        self._present = (
            True  # before it is: a signal may end the room between the fork and the next statement
        )
        try:
            with self._opened_log() as log_file:
                user = self.places.user
                self._child = subprocess.Popen(  # noqa: S603 -- our own command line
                    ["/bin/sh", "-c", _NAME_YOURSELF_AND_BECOME, "sh", *command],
                    stdin=subprocess.DEVNULL,
                    stdout=self._lock.descriptor,
                    stderr=log_file,
                    pass_fds=inherited,
                    cwd=self.working_directory(),
                    env=server_environment(),
                    # A session of its own: Ctrl-C ends the room, which stops its servers when it has flushed.
                    start_new_session=True,
                    umask=0o077,
                    user=user.uid,
                    group=user.gid,
                    extra_groups=user.groups,
                )
        except OSError:
            self._present = False
            raise
        finally:
            for descriptor in inherited[1:]:
                os.close(descriptor)

    def _opened_log(self) -> IO[bytes]:
        """A new log; the one before is kept under another name, so that two runs bound what piles up.

        Private: a server may quote what it was sent. Logs of older builds become so, too.
        """
        if self._log_path.exists():
            self._log_path.chmod(0o600)
            self._log_path.replace(self._log_path.with_suffix(".log.old"))
        return os.fdopen(os.open(self._log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")

    def _log_tail(self) -> str:
        lines = self._log_path.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join([f"the end of {self._log_path}:", *lines[-15:]])


def server_environment() -> dict[str, str]:
    """The servers' environment: none of our variables, which hold secrets."""
    kept = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
    return {"PATH": os.defpath, "LC_ALL": "C"} | {
        name: os.environ[name] for name in kept if name in os.environ
    }


def runs_with_argument(pid: int, marker: str) -> bool:
    """Whether `pid` is a process that was started with this argument: a number alone may be another
    program's.
    """
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except FileNotFoundError:
        if Path("/proc/self").exists():
            return False  # there is a /proc, and no such process in it
        done = subprocess.run(  # noqa: S603 -- where there is no /proc
            ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        return marker in done.stdout
    return os.fsencode(marker) in arguments

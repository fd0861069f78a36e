"""Where the files of the embedded services lie, and as which user the servers run.

PostgreSQL refuses to run as root. Under root both servers run as the user `nobody`, which may not be able to enter the
directories above the data directory (a home of mode 0700). Then the servers' files lie in a *shelter*: a directory
below /var/tmp that is named for the data directory. The choice is written down once: money that lies in one place must
not seem lost because a mode was changed. Knows no server and starts nothing.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

from pokerroom.ops.embedded.locks import Lock

# Owner and mode of what we use there are checked. Not /tmp, which is emptied at boot.
SHELTERS = Path("/var/tmp")  # noqa: S108 -- see above
_SOCKET_PATH_BYTES_MAX = 103  # sun_path on macOS less its NUL; Linux has four more
LONGEST_SOCKET = ".s.PGSQL.5432"
_OPERATIONS = "operations"
_NOTE = "services.place"
_HERE = "."  # in the note: the data directory itself, so that it may be moved


class EmbeddedError(Exception):
    """The embedded services are not available. The message tells the operator what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerUser:
    """As whom the servers run; all fields None for ourselves, as `subprocess` takes them."""

    uid: int | None = None
    gid: int | None = None
    groups: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceDirectories:
    """The directories of one room's services.

    `home` holds everything that lasts, `sockets` both Unix sockets, `shelter` the binaries that `user` could
    not reach elsewhere (and home or sockets where they must). `user` is whom the servers run as.
    """

    home: Path
    sockets: Path
    shelter: Path
    user: ServerUser

    def own(self, directory: Path) -> None:
        """Makes `directory`, if it is not there, one that only the servers' user may enter."""
        directory.mkdir(mode=0o700, exist_ok=True)
        if self.user.uid is not None and self.user.gid is not None:
            os.chown(directory, self.user.uid, self.user.gid)

    def make_shelter(self) -> Path:
        """The shelter, made if it is not there. Raises `EmbeddedError` if another could write to it."""
        return _make_shelter(self.shelter)


def default_data_dir() -> Path:
    """`$POKERROOM_DATA_DIR`, else `$XDG_DATA_HOME/pokerroom`, else `~/.local/share/pokerroom`."""
    if chosen := os.environ.get("POKERROOM_DATA_DIR"):
        return Path(chosen).expanduser()
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "pokerroom"


def make_data_dir(data_dir: Path) -> Path:
    """Makes the data directory if it is not there, and answers its real path."""
    try:
        data_dir.parent.mkdir(parents=True, exist_ok=True)
        # Under root the servers' user must pass it; what it holds is closed to others one by one.
        data_dir.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, exist_ok=True)
    except OSError as error:
        raise EmbeddedError(f"cannot make the data directory {data_dir}: {error.strerror}") from error
    return data_dir.resolve()


def operations_socket(data_dir: Path, port: int) -> Path:
    """Where the Unix socket of the operations port of this number is (`local_socket`), whether it is there or not."""
    return socket_place(data_dir.resolve(), f"{port}.sock")


def socket_place(data_dir: Path, name: str) -> Path:
    """Where a Unix socket of this name is, whether it is there or not; for a real data directory."""
    path = data_dir / _OPERATIONS / name
    if len(os.fsencode(path)) <= _SOCKET_PATH_BYTES_MAX:
        return path
    return shelter_of(data_dir) / _OPERATIONS / name


def make_operations_socket_dir(data_dir: Path, port: int) -> Path:
    """As `operations_socket`; makes its directory. Raises `EmbeddedError` unless that is ours alone."""
    return make_socket_dir(data_dir, f"{port}.sock")


def make_socket_dir(data_dir: Path, name: str) -> Path:
    """Where a Unix socket of this name is; makes its directory. Raises `EmbeddedError` unless that is ours alone."""
    real = make_data_dir(data_dir)
    path = socket_place(real, name)
    directory = path.parent
    if directory.parent != real:
        _make_shelter(shelter_of(real))
    directory.mkdir(mode=0o700, exist_ok=True)
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise EmbeddedError(f"{directory} should be a directory that only user {os.geteuid()} may enter.")
    return path


def places_of(data_dir: Path) -> ServiceDirectories | None:
    """The places chosen at the first start for this (real) data directory; None if there was none."""
    note = data_dir / _NOTE
    try:
        owner = note.stat().st_uid
    except FileNotFoundError:
        return None
    except PermissionError as error:
        raise EmbeddedError(
            f"{data_dir} belongs to another user: run this as the user of the room."
        ) from error
    if owner != os.geteuid():  # root too: the servers' files would change hands
        raise EmbeddedError(f"{data_dir} is used by the room of user {owner}: run this as that user.")
    text = note.read_text(encoding="utf-8").rstrip("\n")
    home = data_dir / text  # an absolute text replaces the data directory
    if not home.is_dir():
        raise EmbeddedError(
            f"the databases of {data_dir} were kept in {home}, which is gone. Restore it; or, to start again "
            f"with an empty ledger, remove {note}."
        )
    return _places(data_dir, data_dir if text == _HERE else home)


def choose_places(data_dir: Path) -> ServiceDirectories:
    """As `places_of`; makes the choice and writes it down if there is none yet."""
    known = places_of(data_dir)
    if known is not None:
        return known
    user = _server_user()
    home = data_dir if reachable(data_dir, user) else _make_shelter(shelter_of(data_dir))
    write_atomically(data_dir / _NOTE, f"{_HERE if home == data_dir else home}\n")
    return _places(data_dir, home)


def _places(data_dir: Path, home: Path) -> ServiceDirectories:
    shelter = shelter_of(data_dir) if home == data_dir else _make_shelter(home)
    sockets = home / "run"
    if len(os.fsencode(sockets / LONGEST_SOCKET)) > _SOCKET_PATH_BYTES_MAX:
        sockets = _make_shelter(shelter) / "run"
    return ServiceDirectories(home=home, sockets=sockets, shelter=shelter, user=_server_user())


def shelter_of(data_dir: Path) -> Path:
    """Where the shelter of this (real) data directory is, whether it is needed or not."""
    return SHELTERS / f"pokerroom-{hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]}"


def _make_shelter(shelter: Path) -> Path:
    """Anybody may make names in /var/tmp: what another made, or may write to, is not ours to trust."""
    mode = 0o711 if os.geteuid() == 0 else 0o700
    if not os.path.lexists(shelter):
        shelter.mkdir(mode=mode)
        shelter.chmod(mode)  # whatever our umask
    found = shelter.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise EmbeddedError(
            f"{shelter} should be a directory that only user {os.geteuid()} may write to, but it belongs to "
            f"user {found.st_uid} with mode {stat.filemode(found.st_mode)}. Find out which user made it, and remove it."
        )
    return shelter


def _server_user() -> ServerUser:
    if os.geteuid() != 0:
        return ServerUser()
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError as error:
        raise EmbeddedError(
            "PostgreSQL does not run as root, and there is no user `nobody` to run it as."
        ) from error
    return ServerUser(uid=entry.pw_uid, gid=entry.pw_gid, groups=())


def reachable(path: Path, user: ServerUser) -> bool:
    """Whether `user` may execute the file or enter the directory: the kernel is asked, as that user."""
    done = subprocess.run(  # noqa: S603 -- a fixed command; the path is an argument of its own
        ["/bin/sh", "-c", 'test -x "$1"', "sh", path],
        check=False,
        cwd="/",
        user=user.uid,
        group=user.gid,
        extra_groups=user.groups,
    )
    return done.returncode == 0


def write_atomically(path: Path, text: str) -> None:
    """Writes the file whole or not at all, readable by its owner only."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(
        os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
    ) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def remove_data(data_dir: Path) -> None:
    """Deletes a data directory with all money in it, and its shelter; does nothing if there is none.

    Raises `EmbeddedError` while it is in use.
    """
    real = data_dir.resolve()
    homes = [home for home in (shelter_of(real), real) if home.is_dir()]
    for path in [home / name for home in homes for name in ("room.lock", "postgres.lock", "redis.lock")]:
        lock = Lock(path)
        if path.exists() and not lock.acquire():
            raise EmbeddedError(f"{data_dir} is in use: process {lock.holder()} holds {path.name}.")
        lock.release()
    for home in homes:
        shutil.rmtree(_make_shelter(home) if home != real else home)

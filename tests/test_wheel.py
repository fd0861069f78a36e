"""The wheel: it has every file that the room reads, and a room runs from it without the checkout."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import urllib.request
import zipfile
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from pokerroom.ops.embedded import remove_data
from pokerroom.web.files import web_pages
from tests.integration.support import RunningRoom

ROOT = Path(__file__).parents[1]

# What lies where in the checkout, and in the wheel.
PLACES = {
    "pokerroom": "pokerroom",
    "protocol/python/pokerroom_protocol": "pokerroom_protocol",
    "protocol/javascript": "pokerroom/web/client",
    "deploy/room.toml": "pokerroom/ops/room.toml",
}
NOT_PACKED = {".pyc", ".so"}
OWN = {"pokerroom", "pokerroom_protocol"}
BROUGHT = {"hiredis": "redis", "psycopg-pool": "psycopg", "zope-interface": "twisted"}
"""By an extra of a dependency, or as a part of its own interface."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the checkout as it is now."""
    directory = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    pip += ["--no-deps", "--no-build-isolation", "--wheel-dir", str(directory), str(ROOT)]
    made = subprocess.run(pip, check=False, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    [found] = directory.glob("pokerroom-*.whl")
    return found


@pytest.fixture(scope="module")
def unpacked(wheel: Path) -> Path:
    """The folder of an installation."""
    folder = wheel.parent / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


class InstalledRoom(RunningRoom):
    """A room from the unpacked wheel; `python -m` does not see the checkout it is started in."""

    def __init__(self, data_dir: Path, installed: Path) -> None:
        super().__init__(data_dir)
        self._installed = installed

    def environment(self) -> dict[str, str]:
        return super().environment() | {"PYTHONPATH": str(self._installed), "PYTHONSAFEPATH": "1"}

    def command(self, *arguments: str) -> str:
        """What Python says, run as the room is."""
        made = subprocess.run(
            [sys.executable, *arguments], check=False, capture_output=True, text=True, env=self.environment()
        )
        assert made.returncode == 0, made.stderr
        return made.stdout


@pytest.fixture
def room(tmp_path: Path, unpacked: Path) -> Iterator[InstalledRoom]:
    made = InstalledRoom(tmp_path / "data", unpacked)
    yield made
    remove_data(made.data_dir)


def packed() -> dict[str, Path]:
    """Each file that belongs into the wheel, by its name there."""
    files = {}
    for place, name in PLACES.items():
        source = ROOT / place
        for path in [source] if source.is_file() else source.rglob("*"):
            if path.is_file() and path.suffix not in NOT_PACKED:
                files["/".join([name, *path.relative_to(source).parts])] = path
    return files


def test_every_file_is_in_the_wheel_and_no_other(wheel):
    """Code, pages, scripts, SQL, styles and settings are there as they are in the checkout; tests are not."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        expected = packed()
        assert names == set(expected)
        assert [name for name, path in expected.items() if archive.read(name) != path.read_bytes()] == []


@pytest.mark.services
def test_a_room_runs_from_the_wheel(room, unpacked):
    """It says its version, makes its tables, serves every page, and its books are in order."""
    where = room.command(
        "-c", "import pokerroom, pokerroom_protocol as p; print(pokerroom.__file__, p.__file__)"
    )
    assert all(Path(path).is_relative_to(unpacked) for path in where.split())
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert version in room.command("-m", "pokerroom", "--version")
    room.start()
    try:
        for path, page in web_pages().items():
            with urllib.request.urlopen(f"http://127.0.0.1:{room.http_port}{path}", timeout=10) as answer:
                assert answer.read() == page.body, path
        room.command("-m", "pokerroom", "audit")
    finally:
        assert room.stop() == 0


def test_what_is_imported_is_declared():
    """Every distribution that a module of the wheel imports is a dependency, or one of an extra for players."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = project["dependencies"] + [
        each for name in extras if name not in {"dev", "bench"} for each in extras[name]
    ]
    declared = {normal(re.split(r"[\[<>=;\s]", each)[0]) for each in wanted}
    declared |= {name for name, by in BROUGHT.items() if by in declared}
    providers = packages_distributions()
    missing = {
        (module, name)
        for module, path in packed().items()
        if path.suffix == ".py"
        for name in imported(path) - OWN - sys.stdlib_module_names
        if not declared & {normal(one) for one in providers.get(name, [])}
    }

    assert missing == set()


def imported(path: Path) -> set[str]:
    """The top-level packages of a module's imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            found.add(node.module.partition(".")[0])
    return found


def normal(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()

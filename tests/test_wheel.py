"""The two wheels: they have every file that the room reads, and a room runs from them without the checkout."""

from __future__ import annotations

import ast
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from pokerroom.ops.embedded import EmbeddedError, remove_data
from pokerroom.web.files import web_pages
from tests.integration.support import RunningRoom

ROOT = Path(__file__).parents[1]

# Where a distribution's project lies in the checkout; what it packs from where, under which name.
PROJECTS = {"pokerroom": ROOT, "pokerroom_protocol": ROOT / "protocol" / "python"}
PLACES = {
    "pokerroom": {
        "pokerroom": "pokerroom",
        "protocol/javascript": "pokerroom/web/client",
        "deploy/room.toml": "pokerroom/ops/room.toml",
    },
    "pokerroom_protocol": {"pokerroom_protocol": "pokerroom_protocol"},
}
NOT_PACKED = {".pyc", ".so"}
BROUGHT = {"hiredis": "redis", "psycopg-pool": "psycopg", "zope-interface": "twisted"}
"""By an extra of a dependency, or as a part of its own interface."""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both wheels of the checkout as it is now, by distribution."""
    directory = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    pip += ["--no-deps", "--no-build-isolation", "--wheel-dir", str(directory), *map(str, PROJECTS.values())]
    made = subprocess.run(pip, check=False, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    found = {path.name.partition("-")[0]: path for path in directory.glob("*.whl")}
    assert set(found) == set(PROJECTS)
    return found


@pytest.fixture(scope="module")
def unpacked(wheels: dict[str, Path]) -> Path:
    """The folder of an installation: the two wheels side by side."""
    folder = wheels["pokerroom"].parent / "installed"
    for wheel in wheels.values():
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    return folder


class InstalledRoom(RunningRoom):
    """A room from the unpacked wheel; `python -m` does not see the checkout it is started in."""

    def __init__(self, data_dir: Path, installed: Path) -> None:
        super().__init__(data_dir)
        self._installed = installed

    def environment(self, ops_port: int | None = None) -> dict[str, str]:
        return super().environment(ops_port) | {"PYTHONPATH": str(self._installed), "PYTHONSAFEPATH": "1"}

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


def packed(distribution: str) -> dict[str, Path]:
    """Each file that belongs into a wheel, by its name there."""
    files = {}
    for place, name in PLACES[distribution].items():
        source = PROJECTS[distribution] / place
        for path in [source] if source.is_file() else source.rglob("*"):
            if path.is_file() and path.suffix not in NOT_PACKED:
                files["/".join([name, *path.relative_to(source).parts])] = path
    return files


@pytest.mark.parametrize("distribution", PROJECTS)
def test_every_file_is_in_its_wheel_and_no_other(wheels, distribution):
    """Code, pages, scripts, SQL, styles and settings are packed unchanged, each in one wheel; tests are not."""
    with zipfile.ZipFile(wheels[distribution]) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        expected = packed(distribution)
        assert names == set(expected)
        assert [name for name, path in expected.items() if archive.read(name) != path.read_bytes()] == []


@pytest.mark.slow  # the files of both wheels are compared every day
@pytest.mark.services
def test_a_room_runs_from_the_wheels(room, unpacked):
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


@pytest.fixture(scope="module")
def index(wheels: dict[str, Path]) -> str:
    """The address of a package index that has the two wheels alone."""
    folder = wheels["pokerroom"].parent / "index"
    for name, wheel in wheels.items():
        project = folder / normal(name)
        project.mkdir(parents=True)
        (project / wheel.name).write_bytes(wheel.read_bytes())
        (project / "index.html").write_text(f'<!DOCTYPE html><a href="{wheel.name}">{wheel.name}</a>')
    return folder.as_uri()


class PackagedRoom(RunningRoom):
    """A room that a tool for packages has installed; `program` is its command."""

    program: list[str]
    launched: subprocess.Popen[str] | None = None

    def launch(self, *arguments: str) -> subprocess.Popen[str]:
        self.launched = subprocess.Popen(
            [*self.program, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self.environment(),
            cwd=self.data_dir.parent,
            start_new_session=True,
        )
        return self.launched

    def environment(self, ops_port: int | None = None) -> dict[str, str]:
        return super().environment(ops_port) | {"UV_COMPILE_BYTECODE": "1"}  # as pip does

    def end(self) -> None:
        """Whatever is left of it: uvx runs the room as a child of its own, which ends some time after the signal."""
        if self.launched is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.launched.pid, signal.SIGKILL)
            self.launched.wait(10)
        until = time.monotonic() + 10
        while True:
            try:
                remove_data(self.data_dir)
            except EmbeddedError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)
            else:
                return


@pytest.mark.slow  # it downloads all that the room needs
@pytest.mark.timeout(600)
@pytest.mark.parametrize("tool", ["pip", "uvx"])
def test_a_room_is_installed_from_an_index(tmp_path, index, tool):
    """By `pip install 'pokerroom[embedded]'` in an empty environment, or by `uvx` alone; it is ready, and ends well."""
    room = PackagedRoom(tmp_path / "data")
    if tool == "pip":
        place = tmp_path / "venv"
        pip = [place / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for command in (
            [sys.executable, "-m", "venv", place],
            [*pip, "--extra-index-url", index, "pokerroom[embedded]"],
        ):
            subprocess.run(command, check=True, env=room.environment())
        room.program = [str(place / "bin/pokerroom")]
    elif uvx := shutil.which("uvx"):
        cached = ["--cache-dir", str(tmp_path / "cache"), "--extra-index-url", index]
        room.program = [uvx, "--quiet", *cached, "--from", "pokerroom[embedded]", "pokerroom"]
    else:
        pytest.skip("uv is not installed")
    subprocess.run([*room.program, "--version"], check=True, env=room.environment())  # uvx downloads here
    try:
        room.start()
        with urllib.request.urlopen(f"http://127.0.0.1:{room.http_port}/", timeout=10) as answer:
            assert answer.status == 200
        assert room.stop() == 0
    finally:
        room.end()


@pytest.mark.parametrize("distribution", PROJECTS)
def test_what_is_imported_is_declared(distribution):
    """Every distribution that a module of a wheel imports is a dependency, or one of an extra for players."""
    project = tomllib.loads((PROJECTS[distribution] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = project["dependencies"] + [
        each for name in extras if name not in {"dev", "bench"} for each in extras[name]
    ]
    declared = {normal(re.split(r"[\[<>=;\s]", each)[0]) for each in wanted}
    declared |= {name for name, by in BROUGHT.items() if by in declared}
    providers = {**packages_distributions(), **{package: [package] for package in PROJECTS}}
    missing = {
        (module, name)
        for module, path in packed(distribution).items()
        if path.suffix == ".py"
        for name in imported(path) - {distribution} - sys.stdlib_module_names
        if not declared & {normal(one) for one in providers.get(name, [])}
    }

    assert missing == set()


def test_the_room_pins_the_protocol_of_its_own_tree():
    """Both projects have one version, and the room depends on exactly that of the protocol package."""
    room, protocol = (
        tomllib.loads((project / "pyproject.toml").read_text())["project"] for project in PROJECTS.values()
    )

    assert protocol["version"] == room["version"]
    assert f"pokerroom-protocol=={protocol['version']}" in room["dependencies"]


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

"""The protocol package as a distribution: it needs msgspec and msgpack, and nothing else that is installed."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[2] / "protocol" / "python"

# Runs in a fresh interpreter. Every import from outside the standard library and the allowed packages fails there.
IMPORT_ALL = """
import importlib, pkgutil, sys

allowed = {"pokerroom_protocol", "msgspec", "msgpack", *sys.stdlib_module_names}


class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in allowed:
            raise ImportError(f"{name} is no dependency")


sys.meta_path.insert(0, Refuse())
import pokerroom_protocol

for module in pkgutil.iter_modules(pokerroom_protocol.__path__):
    if module.name not in sys.argv[1:]:
        importlib.import_module(f"pokerroom_protocol.{module.name}")
"""


def run(*left_out: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-c", IMPORT_ALL, *left_out],
        check=False,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(PROJECT)},
    )


def test_the_package_imports_with_msgspec_and_msgpack_alone():
    """Every module but the Twisted driver works where only the two dependencies are installed."""
    made = run("twisted_client")

    assert made.returncode == 0, made.stderr


def test_the_twisted_driver_is_the_one_that_needs_more():
    """`twisted_client` needs the extra `twisted`."""
    assert "twisted" in run().stderr


def test_the_declared_dependencies_are_those_two():
    """The distribution declares msgpack and msgspec, and Twisted as an extra."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert {each.partition(">")[0] for each in project["dependencies"]} == {"msgpack", "msgspec"}
    assert [each.partition(">")[0] for each in project["optional-dependencies"]["twisted"]] == ["twisted"]

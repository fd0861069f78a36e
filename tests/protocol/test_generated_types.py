"""Types that ordinary generators make of the schema: they compile, and each message has one under its own name.

`make types` installs the generators in build/types, and runs this.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import get_args

import pytest

from pokerroom_protocol.messages import ClientMessage, ServerMessage

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / "build" / "types" / "node_modules" / ".bin"
SCHEMA = ROOT / "protocol" / "schema" / "protocol.v1.json"
NAMES = {kind.__name__ for kind in get_args(ClientMessage) + get_args(ServerMessage)}


def tool(name: str) -> str:
    """A generator or compiler that `make types` has installed; skips without it."""
    if not (TOOLS / name).exists() or shutil.which("node") is None:
        pytest.skip(f"{name} is not installed: make types")
    return str(TOOLS / name)


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def generated(language: str, path: Path, *options: str) -> str:
    """All definitions as types of a language."""
    quicktype = tool("quicktype")
    run(
        *(quicktype, "--src-lang", "schema", "--lang", language, *options),
        *("--out", path, f"{SCHEMA}#/$defs/"),
        cwd=path.parent,
    )
    return path.read_text(encoding="utf-8")


def check_typescript(path: Path) -> None:
    run(tool("tsc"), "--strict", "--noEmit", "--target", "es2022", path.name, cwd=path.parent)


def test_typescript_of_quicktype_compiles(tmp_path):
    """Strictly, and with an interface for each message."""
    source = generated("typescript", tmp_path / "wire.ts")

    check_typescript(tmp_path / "wire.ts")
    assert set(re.findall(r"^export interface (\w+)", source, re.MULTILINE)) >= NAMES
    assert re.search(
        r"^export interface Snapshot \{.*?\bseats:\s+SeatView\[\];", source, re.MULTILINE | re.DOTALL
    )


def test_typescript_with_unions_compiles(tmp_path):
    """json-schema-to-typescript makes unions with the type as discriminator, and no type twice."""
    run(tool("json2ts"), "-i", SCHEMA, "-o", tmp_path / "unions.ts", cwd=tmp_path)
    source = (tmp_path / "unions.ts").read_text(encoding="utf-8")
    exported = set(re.findall(r"^export (?:interface|type) (\w+)", source, re.MULTILINE))

    check_typescript(tmp_path / "unions.ts")
    assert exported >= NAMES | {"ClientMessage", "ServerMessage", "Street", "SeatStatus"}
    assert {name for name in exported if name[:-1] in exported and name[-1].isdigit()} == set()


def test_go_compiles(tmp_path):
    """`go vet` takes it where Go is installed; a field that the room always sends is no pointer."""
    source = generated("go", tmp_path / "wire.go", "--package", "wire")

    if shutil.which("go") is not None:
        run("go", "vet", "wire.go", cwd=tmp_path)
    assert set(re.findall(r"^type (\w+) struct", source, re.MULTILINE)) >= NAMES
    assert re.search(r"^type Snapshot struct \{.*?\bSeats +\[\]SeatView ", source, re.MULTILINE | re.DOTALL)
    assert re.search(r"^type SeatView struct \{.*?\bInHand +bool ", source, re.MULTILINE | re.DOTALL)


def test_rust_has_every_message(tmp_path):
    """A struct for each message, and enums under the names of the schema."""
    source = generated("rust", tmp_path / "wire.rs")

    # `Ok` is a name of Rust's own, so quicktype makes another of it
    assert set(re.findall(r"^pub struct (\w+)", source, re.MULTILINE)) >= NAMES - {"Ok"}
    assert set(re.findall(r"^pub enum (\w+)", source, re.MULTILINE)) >= {"Street", "SeatStatus"}

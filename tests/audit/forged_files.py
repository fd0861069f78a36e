"""Forged files of archives, as the owner of the tables can make them: the hash in the ledger and the log fit."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from tests.audit.forgeries import Forgery

Lines = list[bytes]

_HIDDEN: Final = re.compile(rb'"hidden": (\["([0-9a-f]{16})", "([^"]+)"\]), ')


def of_files(folder: Path) -> list[Forgery]:
    """Each change in the first file of a directory in which it finds something to change."""
    found = dict[str, Forgery]()
    for path in sorted(folder.glob("records-*")):
        header, *lines = gzip.decompress(path.read_bytes()).splitlines()
        for name, changed in _changed(json.loads(header), lines):
            if name not in found:
                found[name] = _forgery(name, path, changed)
    return list(found.values())


def _forgery(name: str, path: Path, content: bytes) -> Forgery:
    number, digest = path.name.split("-")[1], sha256(content)
    new = f"records-{number}-{digest.hexdigest()[:16]}.jsonl.gz"
    named = f"{number}, '{path.name}', '{new}', '\\x{digest.hexdigest()}'"
    return Forgery(
        name=f"archive file {name}",
        statements=(
            "SET LOCAL session_replication_role = origin",  # the log hashes its line
            f"SELECT 1 FROM archive_again({named}, ROW('mallory', 'admin', '', '')::acting)",
        ),
        files={path.name: None, new: content},
    )


def _changed(header: dict[str, Any], lines: Lines) -> Iterator[tuple[str, bytes]]:
    yield "unreadable", b"no file"
    for name, value in header.items():
        if name != "pokerroom_archive":
            other = value + 1 if isinstance(value, int) else "0" * 16
            yield f"header {name} other", _content(header | {name: other}, lines)
    yield "line removed", _content(header | {"records": len(lines) - 1}, lines[1:])
    yield "line doubled", _content(header | {"records": len(lines) + 1}, [*lines, lines[0]])
    for name, change in _OF_LINES.items():
        for place, line in enumerate(lines):
            other = change(line, lines)
            if other != line:
                yield name, _content(header, [*lines[:place], other, *lines[place + 1 :]])
                break


def _content(header: dict[str, Any], lines: Lines) -> bytes:
    return gzip.compress(b"\n".join([json.dumps(header).encode(), *lines, b""]))


def _in_cards(group: int, new: bytes) -> Callable[[bytes, Lines], bytes]:
    def change(line: bytes, _: Lines) -> bytes:
        found = _HIDDEN.search(line)
        return line if found is None else line[: found.start(group)] + new + line[found.end(group) :]

    return change


def _of_another_hand(line: bytes, lines: Lines) -> bytes:
    here = _HIDDEN.search(line)
    others = (found[1] for other in lines if other != line and (found := _HIDDEN.search(other)))
    other = next(others, None)
    return line if here is None or other is None else line.replace(here[1], other)


_OF_LINES: Final[dict[str, Callable[[bytes, Lines], bytes]]] = {
    "cards of an unknown key": _in_cards(1, b'["%b", "%b"]' % (b"0" * 16, b"A" * 88)),
    "key other": _in_cards(2, b"0" * 16),
    "cards other": _in_cards(3, b"A" * 88),
    "cards removed": _in_cards(0, b""),
    "cards of another hand": _of_another_hand,
    "cards added": lambda line, _: (
        line
        if _HIDDEN.search(line)
        else line.replace(b'"betting": ', b'"hidden": ["%b", "%b"], "betting": ' % (b"0" * 16, b"A" * 88), 1)
    ),
    "record changed": lambda line, _: re.sub(rb'("ended_ms": \d+)', rb"\g<1>1", line),
    "transfer other": lambda line, _: re.sub(rb'^(\{"transfer":\d+)', rb"\g<1>0", line),
    "round inverted": lambda line, _: line.replace(b'"round":false', b'"round":true'),
    "digest other": lambda line, _: re.sub(rb'"digest":"........', b'"digest":"00000000', line),
}

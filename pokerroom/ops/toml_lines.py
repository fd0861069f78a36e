"""The line of each table and key in a TOML text. Knows nothing of what they mean.

The standard library's parser returns values without positions. Instead of parsing TOML a second time, this module gives
the same parser one statement after another: a statement is the fewest lines that the parser accepts, so that quoted and
dotted keys, strings over several lines and arrays need no code here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

TomlPath = tuple[str | int, ...]
"""The place of a value: `("tables", 2, "seats")` is the key `seats` of the third `[[tables]]`."""


def lines_of(text: str) -> dict[TomlPath, int]:
    """Return the line (from 1) of every table header and key of a text that `tomllib` accepts as a whole."""
    found: dict[TomlPath, int] = {}
    array_sizes: dict[TomlPath, int] = {}
    table: TomlPath = ()
    for line, statement in _statements(text):
        parsed = tomllib.loads(statement)
        if statement.lstrip().startswith("["):
            table = _header_path(parsed, array_sizes)
            found.setdefault(table, line)
        else:
            for path in _key_paths(parsed, table):
                found.setdefault(path, line)
    return found


def line_of_error(error: tomllib.TOMLDecodeError, text: str) -> int:
    """Return the line that the parser's message names; the last one if it names the end of the document."""
    match = re.search(r"at line (\d+)", str(error))
    return int(match[1]) if match else max(1, len(text.rstrip("\n").split("\n")))


def _statements(text: str) -> Iterator[tuple[int, str]]:
    start, collected = 0, ""
    for number, line in enumerate(text.split("\n"), start=1):
        if not collected and not line.partition("#")[0].strip():
            continue
        start = start if collected else number
        collected += line + "\n"
        try:
            tomllib.loads(collected)
        except tomllib.TOMLDecodeError:
            continue  # an array or string that goes on
        yield start, collected
        collected = ""


def _header_path(parsed: dict[str, Any], array_sizes: dict[TomlPath, int]) -> TomlPath:
    """Return the path of a header. `parsed` is the header alone: nested tables, or an array of one table at the end."""
    path: TomlPath = ()
    inner: Any = parsed
    while inner:
        if isinstance(inner, list):
            array_sizes[path] = array_sizes.get(path, 0) + 1
            return (*path, array_sizes[path] - 1)
        if path in array_sizes:
            path = (*path, array_sizes[path] - 1)  # a table inside the last element so far
        key, inner = next(iter(inner.items()))
        path = (*path, key)
    return path


def _key_paths(value: Any, path: TomlPath) -> Iterator[TomlPath]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from _key_paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield (*path, index)
            yield from _key_paths(inner, (*path, index))

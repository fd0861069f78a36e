"""Cut files of hands into documents: `.phh` is one hand, `.phhs` a TOML table for each, read one after the other.

This module knows TOML, not hands.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from pokerroom.history.phh import UnreadableHand

Document = Mapping[str, Any] | UnreadableHand
"""A hand's TOML document, or the error in it."""

_HEADER = re.compile(r"""^\s*\[\s*("[^"]*"|'[^']*'|[A-Za-z0-9_-]+)\s*\]\s*(#.*)?$""")
_MARK = re.compile(r'''"""|\'{3}|"(?:[^"\\]|\\.)*"|'[^']*'|\#.*|[\[\]]''')
"""The parts of a line that open, close or hide others: texts, comments, brackets."""
_TEXT_END = {
    '"""': re.compile(
        r'(?:[^"\\]++|\\.|"{1,2}(?!"))*"{3,5}', re.DOTALL
    ),  # up to two quotes may be the text's own
    "'''": re.compile(r"(?:[^']++|'{1,2}(?!'))*'{3,5}", re.DOTALL),
}


class _Open:
    """Whether the lines so far end inside a text or an array, where a line in brackets is no header."""

    def __init__(self) -> None:
        self._quotes = ""
        self._brackets = 0

    def __bool__(self) -> bool:
        return bool(self._quotes) or self._brackets > 0

    def read(self, line: str) -> None:
        """Read the next line."""
        at = 0
        while found := (_TEXT_END[self._quotes].match if self._quotes else _MARK.search)(line, at):
            at, mark = found.end(), found.group()
            if self._quotes:
                self._quotes = ""
            elif mark in _TEXT_END:
                self._quotes = mark
            elif mark in "[]":
                self._brackets += 1 if mark == "[" else -1


def documents(path: Path) -> Iterator[tuple[str | None, Document]]:
    """Yield (name, document) of each hand in a file.

    The file is cut at its table headers: a long file needs little memory, and a broken hand spoils only itself.
    Raises UnreadableHand when the file cannot be read at all.
    """
    name: str | None = None
    lines: list[str] = []
    inside = _Open()
    single = path.suffix.lower() == ".phh"
    try:
        with path.open(encoding="utf-8-sig") as file:
            for line in file:
                header = None if single or inside else _HEADER.match(line)
                if header is None:
                    lines.append(line)
                    inside.read(line)
                    continue
                if name is not None or _says_something(lines):
                    yield from _documents(name, lines)
                name, lines, inside = _named(header), [], _Open()
    except OSError as error:
        raise UnreadableHand("unreadable", error.strerror or "cannot be read") from None
    except UnicodeDecodeError:
        raise UnreadableHand("not_toml", "the file is not UTF-8 text") from None
    if name is None and not _says_something(lines):
        raise UnreadableHand("no_hand", "the file is empty")
    yield from [_document(name, lines)] if single else _documents(name, lines)


def _named(header: re.Match[str]) -> str:
    return header.group(1).strip("\"'")


def _says_something(lines: list[str]) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in lines)


def _documents(name: str | None, lines: list[str]) -> Iterator[tuple[str, Document]]:
    """Yield the hand of these lines. A hand that leaves a text or an array open has swallowed the hands after it.

    They are cut off then: every line that looks like a header counts as one.
    """
    whole = _document(name, lines)
    headers = [at for at, line in enumerate(lines) if _HEADER.match(line)]
    if not isinstance(whole[1], UnreadableHand) or not headers:
        yield whole
        return
    yield _document(name, lines[: headers[0]])
    for start, end in zip(headers, [*headers[1:], len(lines)], strict=True):
        header = _HEADER.match(lines[start])
        assert header is not None
        yield _document(_named(header), lines[start + 1 : end])


def _document(name: str | None, lines: list[str]) -> tuple[str, Document]:
    try:
        document = tomllib.loads("".join(lines), parse_float=Decimal)
    except (ValueError, RecursionError, InvalidOperation) as error:
        return name or "1", UnreadableHand("not_toml", str(error) or "nested too deeply")
    return name or str(document.get("hand", "1")), document

"""Reads typed settings from parsed TOML and collects every problem, with its line. Knows no setting by name."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pokerroom.ops.toml_lines import TomlPath

AMOUNT_MAX: Final = 10**15
"""Far below the 2**63 that PostgreSQL's bigint and the wire can carry, sums of many included."""

UNWRITTEN: Final = "unwritten"
"""In the metadata of a field: its value where the settings do not have it, if that is not the default.

The default is then what tournaments have that earlier versions stored. Nodes compare their settings by this one.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigProblem:
    """One thing wrong with the settings. `line` counts from 1; None if there is no line to name."""

    line: int | None
    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.key}: {self.message}" if self.key else self.message


class ConfigError(Exception):
    """The settings cannot be used: the operator's mistake. `problems` holds all that were found, in order."""

    def __init__(self, problems: Sequence[ConfigProblem], source: str) -> None:
        self.problems = tuple(problems)
        self.source = source
        super().__init__("\n".join(self._text(problem) for problem in self.problems))

    def _text(self, problem: ConfigProblem) -> str:
        place = self.source if problem.line is None else f"{self.source}:{problem.line}"
        return f"{place}: {problem}"


class Section:
    """One table of the settings. Each reader returns the value, or the default if it is absent or wrong.

    Problems are noted, so that all of them are reported at once; the caller must not use the values if there are any.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        path: TomlPath,
        lines: Mapping[TomlPath, int],
        problems: list[ConfigProblem],
    ) -> None:
        self._values = values
        self._path = path
        self._lines = lines
        self._problems = problems
        self._known: list[str] = []
        self._unsound: set[str] = set()

    @property
    def written(self) -> Mapping[str, Any]:
        """The values as they are written, unchecked."""
        return self._values

    def has(self, key: str) -> bool:
        """Return whether the key is given."""
        return key in self._values

    def is_sound(self, key: str) -> bool:
        """Return whether no problem was found with the key so far. What follows from a wrong key need
        not be reported.
        """
        return key not in self._unsound

    def problem(self, key: str, message: str) -> None:
        """Note a problem with a key of this table, or with the table itself if the key is empty."""
        self._unsound.add(key)
        path = (*self._path, key) if key else self._path
        line = self._lines.get(path, self._lines.get(self._path))
        self._problems.append(ConfigProblem(line=line, key=_dotted(path), message=message))

    def refuse(self, key: str, message: str) -> None:
        """Note a problem with a key that has no place here, if it is given."""
        if self.has(key):
            self._known.append(key)
            self.problem(key, message)

    def integer(self, key: str, default: int | None, low: int, high: int) -> int:
        """Read a whole number from `low` to `high`; a default of None makes the key required."""
        value = self._take(key, default)
        if value is None:
            return low
        if isinstance(value, bool) or not isinstance(value, int):
            self.problem(key, f"should be a whole number from {low} to {high}, not {_shown(value)}")
        elif not low <= value <= high:
            self.problem(key, f"should be from {low} to {high}, not {value}")
        else:
            return value
        return low if default is None else default

    def amount(self, key: str, default: int | None, low: int, high: int) -> int:
        """Read an amount in 1/100 credit: as `integer`, with a hint about units for a value written in credits."""
        value = self._values.get(key)
        if key in self._values and (isinstance(value, bool) or not isinstance(value, int)):
            self._take(key, default)
            self.problem(key, f"amounts are whole numbers of 1/100 credit (2.50 is 250), not {_shown(value)}")
            return low if default is None else default
        return self.integer(key, default, low, high)

    def boolean(self, key: str, *, default: bool) -> bool:
        """Read `true` or `false`."""
        value = self._take(key, default)
        if not isinstance(value, bool):
            self.problem(key, f"should be true or false, not {_shown(value)}")
            return default
        return value

    def text(self, key: str, default: str | None, length_max: int) -> str:
        """Read a text of one line, not empty; a default of None makes the key required."""
        value = self._take(key, default)
        if isinstance(value, str) and 0 < len(value) <= length_max and value.isprintable():
            return value
        if key in self._values:
            self.problem(key, f"should be a text of 1 to {length_max} characters, not {_shown(value)}")
        return default or ""

    def text_or_time(self, key: str) -> str | datetime:
        """Read a text of one line, or a time with its offset from UTC; required."""
        value = self._values.get(key)
        if isinstance(value, datetime) and value.tzinfo is not None:
            self._take(key, None)
            return value
        if isinstance(value, date):  # also a time without an offset
            self._take(key, None)
            self.problem(key, "should be a time with its offset from UTC, as 2026-12-24T20:00:00+01:00")
            return ""
        return self.text(key, None, 200)

    def zone(self, key: str, default: str) -> str:
        """Read the name of a time zone, as "Europe/Berlin"."""
        name = self.text(key, default, 60)
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            self.problem(key, f'should be the name of a time zone, as "Europe/Berlin", not {_shown(name)}')
            return default
        return name

    def path(self, key: str) -> str:
        """Read the absolute path of a file; empty, which is the default, for none."""
        value = self._take(key, "")
        if isinstance(value, str) and value.isprintable() and (not value or Path(value).is_absolute()):
            return value
        self.problem(key, f'should be an absolute path, or "" for none, not {_shown(value)}')
        return ""

    def texts(self, key: str, length_max: int) -> tuple[str, ...]:
        """Read a list of texts of one line, none by default."""
        value = self._take(key, [])
        if isinstance(value, list) and all(
            isinstance(text, str) and 0 < len(text) <= length_max and text.isprintable() for text in value
        ):
            return tuple(value)
        self.problem(key, f"should be a list of texts of 1 to {length_max} characters")
        return ()

    def networks(self, key: str, default: Sequence[str]) -> tuple[str, ...]:
        """Read a list of networks, `192.0.2.0/24` or a single address."""
        value = self._take(key, list(default))
        try:
            return tuple(str(ip_network(text)) for text in value)
        except (TypeError, ValueError):
            self.problem(key, 'should be a list of networks or addresses, as "192.0.2.0/24" or "2001:db8::1"')
            return ()

    def amounts(self, key: str, default: Sequence[int], count: int, high: int) -> tuple[int, ...]:
        """Read a list of `count` amounts in 1/100 credit, each larger than the one before, from 1 to `high`."""
        value = self._take(key, list(default))
        if (
            isinstance(value, list)
            and len(value) == count
            and all(type(amount) is int and 1 <= amount <= high for amount in value)
            and sorted(set(value)) == value
        ):
            return tuple(value)
        self.problem(key, f"should be a list of {count} amounts in 1/100 credit, the smallest first")
        return tuple(default)

    def integers(self, key: str, low: int, high: int) -> tuple[int, ...]:
        """Read a list of whole numbers from `low` to `high`, none by default."""
        value = self._take(key, [])
        if isinstance(value, list) and all(
            isinstance(number, int) and not isinstance(number, bool) and low <= number <= high
            for number in value
        ):
            return tuple(value)
        self.problem(key, f"should be a list of whole numbers from {low} to {high}")
        return ()

    def choice(self, key: str, default: str, options: Sequence[str]) -> str:
        """Read one of `options`."""
        value = self._take(key, default)
        if value in options:
            return str(value)
        self.problem(key, f"should be {_or(options)}, not {_shown(value)}{_meant(value, options)}")
        return default

    def section(self, key: str, what: str | None = None) -> Section:
        """Read the table of this name; an empty one if it is absent. `what` says what another value should be."""
        value = self._take(key, {})
        if not isinstance(value, dict):
            self.problem(key, f"should be {what or f'a table, [{_dotted((*self._path, key))}]'}")
            value = {}
        return Section(value, (*self._path, key), self._lines, self._problems)

    def sections(self, key: str) -> Iterator[Section]:
        """Read the tables `[[key]]` in order."""
        value = self._take(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.problem(key, f"should be tables, each headed [[{_dotted((*self._path, key))}]]")
            value = []
        for index, item in enumerate(value):
            yield Section(item, (*self._path, key, index), self._lines, self._problems)

    def finish(self) -> None:
        """Note every key that was not read. Call it last."""
        for key in self._values:
            if key not in self._known:
                self.problem(key, f"is not a setting here{_meant(key, self._known)}")

    def _take(self, key: str, default: Any) -> Any:
        self._known.append(key)
        if key not in self._values and default is None:
            self._unsound.add(key)
            self.problem("", f"{key} is missing")
        return self._values.get(key, default)


def _dotted(path: TomlPath) -> str:
    """Format a path with numbers from 1: the first table is `tables[1]`."""
    text = ""
    for part in path:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return repr(value)
    return (
        "an array" if isinstance(value, list) else "a table" if isinstance(value, dict) else "a date or time"
    )


def _or(options: Sequence[str]) -> str:
    quoted = [f'"{option}"' for option in options]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]]) if len(quoted) > 1 else quoted[0]


def _meant(word: Any, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1) if isinstance(word, str) else []
    return f'; did you mean "{close[0]}"?' if close else ""

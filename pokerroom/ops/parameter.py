"""A parameter of the operator API: what it may be, and how it is read of a request's query. Knows no web server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pokerroom.ledger.operator_log import legible
from pokerroom.ops.reports import OrderRefused


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of the query: a line of `longest` characters, a number from 1 to `most`, or else a flag (`1`)."""

    name: str
    help: str
    longest: int = 0
    most: int = 0
    refusal: str = "bad_parameter"

    def read(self, query: Mapping[bytes, Sequence[bytes]]) -> str | int | bool | None:
        """Return its value in a request's query; None without one. Raises `OrderRefused`."""
        try:
            given: list[str] = [one.decode() for one in query.get(self.name.encode(), [])]
        except UnicodeDecodeError:
            given = ["\0"]
        text = given[0] if given else ""
        if len(given) > 1:
            raise OrderRefused(self.refusal, f"Give `{self.name}` once.")
        if self.most:
            return number_of(text, self.most, self.name) if text else None
        if self.longest:
            if len(text) > self.longest or not text.isprintable():
                raise OrderRefused(
                    self.refusal, f"`{self.name}` is one line of at most {self.longest} characters."
                )
            return text or None
        if text not in {"", "1"}:
            raise OrderRefused(self.refusal, f"`{self.name}` is `1`, or is not given.")
        return text == "1"


def number_of(text: str, most: int, name: str) -> int:
    """Return a number from 1 to `most`. Raises `OrderRefused`."""
    if not (len(text) <= 16 and text.isascii() and text.isdigit() and 1 <= int(text) <= most):
        raise OrderRefused("bad_parameter", f"`{legible(name)}` is a number from 1 to {most}.")
    return int(text)

"""A page of the operator API, a request for it, and who answers: what `operator_api` lists and the pages take."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from twisted.web.server import Request

from pokerroom.ledger.operator_log import REASON_MAX, Acting, legible
from pokerroom.ledger.operators import acting_as
from pokerroom.ops.operator_access import Asker
from pokerroom.ops.reports import OrderRefused

QUERY: Final = "GET, HEAD"
ORDER: Final = "POST"
"""The methods of queries and orders."""

LISTED_MAX: Final = 200
"""The longest page of a list."""

NUMBER_MAX: Final = 2**53 - 1
"""The largest number that a path or a parameter may have: JSON's, for every client."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of the query: a line of `longest` characters, a number from 1 to `most`, or else a flag (`1`)."""

    name: str
    help: str
    longest: int = 0
    most: int = 0
    refusal: str = "bad_parameter"

    def read(self, request: Request) -> str | int | bool | None:
        """Return the value of a request; None without one. Raises `OrderRefused`."""
        try:
            given: list[str] = [one.decode() for one in request.args.get(self.name.encode(), [])]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiPage:
    """A page: `path` is below `API`, and `{name}` in it stands for a part that the client chooses.

    `is_booked`: the ledger carries the order out, writes its line of the operators' log in the same transaction, and
    does it once however often it is asked. `is_secret`: the answer is told once, and kept nowhere. `has_csv`: with the
    flag `csv` the answer is CSV.
    """

    verb: str
    path: str
    help: str
    answer: Any
    is_order: bool = False
    status: HTTPStatus = HTTPStatus.OK
    parameters: tuple[Parameter, ...] = ()
    is_booked: bool = False
    is_secret: bool = False
    has_csv: bool = False

    @property
    def methods(self) -> str:
        """The methods with which it is asked."""
        return ORDER if self.is_order else QUERY

    @property
    def operation(self) -> str:
        """A name of this page alone: its verb, and what its path names beyond the subject (`table.move.node`)."""
        chosen = [part.strip("{}") for part in self.path.split("/") if part.startswith("{")]
        return ".".join([self.verb, *chosen[1:]])

    @property
    def is_money(self) -> bool:
        """Whether it moves money: the key of such an order is kept for ever."""
        return self.is_order and self.verb.startswith("cashier.")

    def match(self, parts: list[str]) -> Mapping[str, str] | None:
        """Return the parts that the client chose; None if the path is another one."""
        own = self.path.split("/")[1:]
        if len(own) != len(parts):
            return None
        chosen = {}
        for wanted, part in zip(own, parts, strict=True):
            if wanted.startswith("{"):
                chosen[wanted.strip("{}")] = part
            elif wanted != part:
                return None
        return chosen if all(chosen.values()) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCall:
    """A request for a page, with role and parameters checked. `args` are the parts of its path.

    `key` is that of an order (`Idempotency-Key`), empty without one.
    """

    page: ApiPage
    asker: Asker
    args: Mapping[str, str]
    values: Mapping[str, str | int | bool | None] = field(default_factory=dict)
    key: str = ""

    def text(self, name: str) -> str:
        """Return a line of text; empty without one."""
        value = self.values.get(name)
        return value if isinstance(value, str) else ""

    def number(self, name: str) -> int | None:
        """Return a number; None without one."""
        value = self.values.get(name)
        return value if isinstance(value, int) else None

    def flag(self, name: str) -> bool:
        """Return whether a flag is given."""
        return self.values.get(name) is True

    @property
    def by(self) -> Acting:
        """Who gives the order, as the operators' log names them."""
        return acting_as(self.asker.operator, self.asker.reason, self.asker.address)


Handler = Callable[[ApiCall], Awaitable[object]]
"""Answers a page: with a value that becomes JSON, or an `HttpAnswer`. May raise `OrderRefused`, `LedgerUnavailable`."""


REASON: Final = Parameter(
    name="reason", help="Why, for the operators' log.", longest=REASON_MAX, refusal="bad_reason"
)
"""A parameter of every page; an order writes it to the operators' log."""

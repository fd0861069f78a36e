"""A page of the operator API, a request for it, and who answers: what `operator_api` lists and the pages take."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from pokerroom.ledger.operator_log import REASON_MAX, Acting
from pokerroom.ledger.operators import acting_as
from pokerroom.ops.operator_access import Asker
from pokerroom.ops.parameter import Parameter

QUERY: Final = "GET, HEAD"
ORDER: Final = "POST"
"""The methods of queries and orders."""

LISTED_MAX: Final = 200
"""The longest page of a list."""

NUMBER_MAX: Final = 2**53 - 1
"""The largest number that a path or a parameter may have: JSON's, for every client."""


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

"""What a path of the operations port stands for: a query or an order, its verb, and who answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from twisted.web.server import Request

from pokerroom.ledger.operator_log import legible
from pokerroom.ops import http_answers as answers
from pokerroom.ops.http_answers import HttpAnswer
from pokerroom.ops.operator_access import Asker
from pokerroom.ops.reports import OrderRefused

QUERY: Final = "GET, HEAD"
ORDER: Final = "POST"


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorPage:
    """What a path stands for. `args` name what an order is about.

    `is_booked`: the ledger carries the order out, and writes its line of the operators' log in the same transaction.
    """

    verb: str
    methods: str
    answer: Callable[[Asker], Awaitable[HttpAnswer]]
    args: Mapping[str, str] = field(default_factory=dict)
    is_booked: bool = False

    @property
    def is_order(self) -> bool:
        """Whether it is an order, not a query."""
        return self.methods == ORDER


def query_page(verb: str, ask: Callable[[Asker], Awaitable[object]]) -> OperatorPage:
    """Return the page of a question that is answered in JSON."""

    async def answer(asker: Asker) -> HttpAnswer:
        return answers.as_json(await ask(asker))

    return OperatorPage(verb=verb, methods=QUERY, answer=answer)


def line_of(request: Request, name: str, longest: int, code: str = "bad_parameter") -> str:
    """Return a parameter of the query that is one line of text, empty without one. Raises `OrderRefused`."""
    try:
        text: str = request.args.get(name.encode(), [b""])[0].decode()
    except UnicodeDecodeError:
        text = "\0"
    if len(text) > longest or not text.isprintable():
        raise OrderRefused(code, f"`{name}` is one line of at most {longest} characters.")
    return text


def number_of(text: str, most: int, name: str) -> int:
    """Return a number from 1 to `most`. Raises `OrderRefused`."""
    if not (len(text) <= 16 and text.isascii() and text.isdigit() and 1 <= int(text) <= most):
        raise OrderRefused("bad_parameter", f"`{legible(name)}` is a number from 1 to {most}.")
    return int(text)

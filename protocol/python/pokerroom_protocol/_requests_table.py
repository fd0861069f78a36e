"""What the README's table of requests says of each: who may send it, what answers it, which refusals are its own.

That table is written by hand; the AsyncAPI document repeats it, and tests hold it against what rooms do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["RequestRow", "request_rows"]

_ROW: Final = re.compile(r"^\| `(\w+)` \| ([^|]*) \| (`[^|]*`) \|([^|]*)\|$", re.MULTILINE)
_NAME: Final = re.compile(r"`(\w+)`")
_REFERENCE: Final = "## Reference: requests"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRow:
    """One line of the table. `refusals` are codes; those that any request can get are not in it."""

    sender: str
    answers: tuple[str, ...]
    refusals: tuple[str, ...]


def request_rows(readme: str) -> Mapping[str, RequestRow]:
    """By the request's `type`, in the table's order.

    Where a line leaves its refusals to the prose, they are those of the sentence "Refusals of `…`: …".
    """
    prose = readme.split(_REFERENCE, maxsplit=1)[0]
    return {
        kind: RequestRow(
            sender=sender.strip(),
            answers=tuple(_NAME.findall(answers)),
            refusals=tuple(_NAME.findall(refusals) or _in_prose(kind, prose)),
        )
        for kind, sender, answers, refusals in _ROW.findall(prose)
    }


def _in_prose(kind: str, prose: str) -> list[str]:
    sentence = re.search(rf"Refusals of `{kind}`: (.*?)\.", prose, re.DOTALL)
    return [] if sentence is None else _NAME.findall(sentence[1])

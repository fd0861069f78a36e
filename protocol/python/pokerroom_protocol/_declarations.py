"""What is declared beside each message class: examples, the rules of a request, the changes of an event.

The vectors, the AsyncAPI document and the reference of requests and events follow from these declarations. The
fields' `Meta` descriptions follow into the schema and the reference. `schema` writes all of them; a message without a
declaration is an error there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from .errors import Code

__all__ = [
    "CASH_KEY",
    "CHANGES",
    "EXAMPLES",
    "HAND",
    "LOGGED_IN",
    "NOW_MS",
    "REQUESTS",
    "ROUND",
    "SEATED",
    "TABLE",
    "ULTIMATE_TABLE",
    "RequestRules",
    "declare",
    "declare_event",
    "declare_request",
]

# Values that many examples share.
TABLE: Final = "nl-6max-1"
HAND: Final = "01J8ZQ4M3T7K9V2X5B6N8C0DEF"
ROUND: Final = "20260101-00:00:00-000042"
ULTIMATE_TABLE: Final = "ultimate-live-1"
CASH_KEY: Final = "5f0c2a9e-77aa-4f6e-9d6b-0c1d2e3f4a5b"
NOW_MS: Final = 1_767_225_600_000

LOGGED_IN: Final = "logged in"
SEATED: Final = "with a seat at the table"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRules:
    """Which client may send a request, the types of its answers, and the codes of its own refusals.

    Refusals that any request can get are not listed.
    """

    sender: str
    answers: tuple[str, ...]
    refusals: tuple[Code, ...]


_examples: dict[type[Struct], tuple[Struct, ...]] = {}
_requests: dict[str, RequestRules] = {}
_changes: dict[str, str] = {}

EXAMPLES: Final[Mapping[type[Struct], tuple[Struct, ...]]] = MappingProxyType(_examples)
"""The examples of each message class."""
REQUESTS: Final[Mapping[str, RequestRules]] = MappingProxyType(_requests)
"""The rules of each request, by its type."""
CHANGES: Final[Mapping[str, str]] = MappingProxyType(_changes)
"""What each event changes in the state of its table, by its type."""


def declare(*examples: Struct) -> None:
    """Declare the examples of one message class; they become its test vectors."""
    [kind] = {type(example) for example in examples}
    assert kind not in _examples, f"{kind.__name__} is declared twice"
    _examples[kind] = examples


def declare_event(*examples: Struct, changes: str) -> None:
    """Declare an event: examples, and what a client changes in the state of the table."""
    declare(*examples)
    _changes[str(type(examples[0]).__struct_config__.tag)] = changes


def declare_request(*examples: Struct, sender: str, answers: str, refusals: str = "") -> None:
    """Declare a request: examples, its sender, and types of answers and codes of refusals, separated by spaces."""
    declare(*examples)
    kind = str(type(examples[0]).__struct_config__.tag)
    _requests[kind] = RequestRules(
        sender=sender, answers=tuple(answers.split()), refusals=tuple(map(Code, refusals.split()))
    )

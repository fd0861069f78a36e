"""Bodies as clients get them, read to messages, with every card that stands in one. Knows the protocol alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from pokerroom_protocol import Encoding, decode_server
from pokerroom_protocol import messages as m

_CARDS: Final = re.compile(rb"(?<![A-Za-z0-9])(?:[2-9TJQKA][cdhs])+(?![A-Za-z0-9])")
_CARDS_TEXT: Final = re.compile(r"(?<![A-Za-z0-9])(?:[2-9TJQKA][cdhs])+(?![A-Za-z0-9])")
_NO_CARDS: Final = frozenset({"token", "hand_id", "table", "name", "server", "type"})
_MEMO_MAX: Final = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A message, with every text of a card in it."""

    message: m.ServerMessage
    cards: tuple[str, ...]


class Reader:
    """Bodies to messages; what many clients are told alike is read once."""

    def __init__(self) -> None:
        self._memo: dict[bytes, Heard] = {}

    def read(self, body: bytes) -> Heard:
        """Raises `CodecError`."""
        heard = self._memo.get(body)
        if heard is None:
            message = decode_server(body, Encoding.MSGPACK)
            cards = tuple(_cards(msgspec.to_builtins(message))) if _CARDS.search(body) else ()
            heard = Heard(message=message, cards=cards)
            if len(self._memo) >= _MEMO_MAX:
                self._memo.clear()
            self._memo[body] = heard
        return heard


def _cards(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        for run in _CARDS_TEXT.findall(value):
            yield from (run[at : at + 2] for at in range(0, len(run), 2))
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in _NO_CARDS:
                yield from _cards(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _cards(inner)

"""A whole room on a virtual clock, with fixed decks, and clients that follow a script: where transcripts come from.

The room is the real one on memory adapters. Only cards, times and a session's secret are not as in life: cards are laid
ready, times follow from the script, and the secret is replaced by the examples'.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self
from unittest import mock

from pokerroom.rules.cards import DECK, Card, parse_cards
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import Encoding
from pokerroom_protocol.errors import Code
from tests.cluster.rooms import Node, Rooms

BEGIN_S = 1_767_225_600  # the first of January 2026
CLOCK_S = 1_700_000_000  # where the rooms' clock begins
TOKEN = "q8Zl0c1yQm2rT5uVwX9aBd3EfGhJkLnP"
PASSWORD = "correct horse"
THINKS_S = 1.5

Entry = dict[str, Any]


def deck(holes: list[str], board: str) -> tuple[Card, ...]:
    """A deck that deals these: hole cards from the first left of the button on, then the board."""
    hands = [parse_cards(hole) for hole in holes]
    five = parse_cards(board)
    used = {card for hand in hands for card in hand} | set(five)
    burns = iter([card for card in DECK if card not in used])
    dealt = [hand[turn] for turn in (0, 1) for hand in hands]
    dealt += [next(burns), *five[:3], next(burns), five[3], next(burns), five[4]]
    return (*dealt, *burns)


def round_deck(holes: list[str], board: str) -> tuple[Card, ...]:
    """A deck that deals these against the house: the boxes' hands, the bank's, then the board in two."""
    dealt = deck(holes, board)
    river_burn = 2 * len(holes) + 6
    return (*dealt[:river_burn], *dealt[river_burn + 1 :], dealt[river_burn])


class Script:
    """One client and what passes over its connections; as a link it is the room's end of the present one."""

    encoding = Encoding.JSON
    kind = "websocket"
    peer = "script"

    def __init__(self, house: House, name: str) -> None:
        self.name = name
        self.entries: list[Entry] = []
        self._house = house
        self._token = ""
        self.connect()

    def connect(self) -> None:
        """A new connection; the one before is lost."""
        if self.entries:
            self.session.lost("closed by the client")
            self.entries.append({"from": "note", "message": "the connection is lost; a new one is opened"})
        self._number = 0
        self.session = self._house.node.room.sessions.make(self)

    def send(self, outgoing: Outgoing | Bundle) -> None:
        """See `Link`."""
        for part in outgoing.parts:
            message = json.loads(part.body(Encoding.JSON))
            if message["type"] == "authenticated":
                self._token, message["token"] = message["token"], TOKEN
            self.entries.append({"from": "room", "message": message})

    def close(self, code: Code) -> None:
        """See `Link`."""
        raise AssertionError(f"the room closes the connection of {self.name}: {code}")

    def ask(self, kind: str, **fields: Any) -> Entry:
        """Sends a request, and returns its answer."""
        self._number += 1
        number = self._number
        message = {"type": kind, "id": number, **fields}
        self.entries.append({"from": "client", "message": message})
        real = {**message, "token": self._token} if kind == "resume" else message
        self.session.received(json.dumps(real).encode())
        self._house.pass_s(0.1)
        [answer] = [message for message in self.heard() if message.get("re") == number][-1:]
        return answer

    def heard(self) -> list[Entry]:
        """What the room has said so far."""
        return [entry["message"] for entry in self.entries if entry["from"] == "room"]

    def last(self, kind: str) -> Entry:
        """The last message of a type."""
        return [message for message in self.heard() if message["type"] == kind][-1]

    def enter(self) -> Self:
        """Greets and opens an account."""
        self.ask("hello", version=1, client="example 1.0")
        self.ask("register", name=self.name, password=PASSWORD)
        return self

    def act(self, action: str, **fields: Any) -> Entry:
        """Answers the last turn, after some thought."""
        self._house.pass_s(THINKS_S)
        turn = self.last("turn")
        return self.ask(
            "act", table=turn["table"], hand_id=turn["hand_id"], seq=turn["seq"], action=action, **fields
        )

    def decide(self, decision: str, **fields: Any) -> Entry:
        """Answers the last question about the one box that is asked, after some thought."""
        self._house.pass_s(THINKS_S)
        asked = self.last("decisions")
        [box] = asked["boxes"]
        return self.ask(
            "decide",
            table=asked["table"],
            round_id=asked["round_id"],
            seq=asked["seq"],
            box=box,
            decision=decision,
            **fields,
        )


class House:
    """The room. `config` is its settings as an operator writes them."""

    def __init__(self, config: str) -> None:
        self._rooms = Rooms()
        self._rooms.clock.advance(BEGIN_S - CLOCK_S)
        self.node: Node = self._rooms.start("node", config)
        self._decks: list[tuple[Card, ...]] = []

    def lay_ready(self, *decks: tuple[Card, ...]) -> None:
        """The decks of the next hands and rounds."""
        self._decks += decks

    def take(self, _deck: object, _random_bytes: object) -> tuple[Card, ...]:
        return self._decks.pop(0)

    def client(self, name: str) -> Script:
        """A new client, connected and logged in."""
        return Script(self, name).enter()

    def pass_s(self, seconds: float) -> None:
        self._rooms.pass_s(seconds)

    def end(self) -> None:
        """In good order: all decks were dealt, and no chip is missing."""
        assert not self._decks
        self._rooms.check_money()


@contextmanager
def house(config: str) -> Iterator[House]:
    """A room for the time of a script."""
    made = House(config)
    with (
        mock.patch("pokerroom.poker.hands.shuffled", made.take),
        mock.patch("pokerroom.ultimate.bet_closing.shuffled", made.take),
    ):
        yield made
    made.end()

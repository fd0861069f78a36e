"""Registration for sit-and-gos over sessions at two nodes: requests, answers, and what an account is told where."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, Literal

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.tournaments import PlaceGiven, owned_as
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding, decode_server, encode
from pokerroom_protocol.errors import Code
from tests.cluster.rooms import Node, Rooms, rooms, settings
from tests.poker.support import now

OFFER = """
[[sit_and_go]]
id = "duel"
seats = 2
buy_in = 300
fee = 60
prizes = [480]
level_hands = 10
levels = [{ small_blind = 10 }]
"""
APART = OFFER.replace('"duel"', '"apart"\nseats_per_address = 1')
TEXT = settings("t1") + OFFER + APART


class Line:
    """A client of one node."""

    kind: Literal["tcp", "websocket"] = "tcp"
    peer = "192.0.2.1:40000"

    def __init__(self, house: Rooms, node: Node, encoding: Encoding = Encoding.MSGPACK) -> None:
        self.encoding = encoding
        self.got: list[wire.ServerMessage] = []
        self._rooms = house
        self._id = 0
        self._session = node.room.sessions.make(self)
        self.ask(wire.Hello, version=wire.PROTOCOL_VERSION)

    def send(self, outgoing: Outgoing | Bundle) -> None:
        for part in outgoing.parts:
            self.got.append(decode_server(part.body(self.encoding), self.encoding))

    def close(self, code: Code) -> None:
        self._session.lost(code)

    def say(self, kind: type[wire.Request], **fields: Any) -> int:
        """A request; returns its number."""
        self._id += 1
        self._session.received(encode(kind(id=self._id, **fields), self.encoding))
        return self._id

    def answers(self, number: int) -> list[Any]:
        """What came in answer to it so far."""
        return [message for message in self.got if getattr(message, "re", None) == number]

    def ask(self, kind: type[wire.Request], **fields: Any) -> Any:
        """Sends a request as bytes and returns the one answer to it."""
        number = self.say(kind, **fields)
        self._rooms.pass_s(0.2)
        [answer] = self.answers(number)
        return answer

    def all(self, kind: type[wire.Answer]) -> list[Any]:
        return [message for message in self.got if isinstance(message, kind)]


class House:
    """Two nodes and their clients."""

    def __init__(self, made: Rooms) -> None:
        self.rooms = made
        self.nodes = [made.start(name, TEXT) for name in "ab"]

    def player(
        self, name: str, node: int, balance: int = 1_000, encoding: Encoding = Encoding.MSGPACK
    ) -> Line:
        """A new account, logged in."""
        token = f"token of {name} for the tests"
        account = now(self.rooms.ledger.create_account(name, "x", Money(balance))).account
        now(self.rooms.ledger.open_session(account, hashlib.sha256(token.encode()).digest()))
        line = Line(self.rooms, self.nodes[node], encoding)
        assert line.ask(wire.Resume, token=token).account == account
        return line

    def line(self, client: Line) -> wire.SitAndGoInfo:
        offer, _ = client.ask(wire.ListSitAndGos).sit_and_gos
        return offer


@pytest.fixture
def house() -> Iterator[House]:
    made = rooms()
    yield House(next(made))
    with pytest.raises(StopIteration):
        next(made)


def test_a_client_registers_and_leaves_again(house):
    """The buy-in goes and comes back; the lobby and the standings know of it at both nodes."""
    anna, bert = house.player("anna", 0), house.player("bert", 1, encoding=Encoding.JSON)
    registered = anna.ask(wire.RegisterSng, offer="duel")
    assert (registered.tournament, registered.offer, registered.buy_in) == ("duel.1", "duel", 300)
    assert anna.ask(wire.GetAccount).balance == 700
    house.rooms.pass_s(1)
    assert house.line(anna).your_tournament == "duel.1"
    assert (house.line(bert).filling, house.line(bert).your_tournament) == (
        [wire.SngFilling(tournament="duel.1", taken=1)],
        None,
    )
    standings = bert.ask(wire.GetStandings, tournament="duel.1")
    assert (standings.phase, [player.name for player in standings.players]) == ("registering", ["anna"])
    assert isinstance(anna.ask(wire.UnregisterSng, offer="duel"), wire.Ok)
    assert anna.ask(wire.GetAccount).balance == 1_000


def test_accounts_of_one_address_register_apart(house):
    """Through any node, and the address itself is not kept where nodes share the registrations."""
    anna, bert = house.player("anna", 0), house.player("bert", 1)
    assert anna.ask(wire.RegisterSng, offer="apart").tournament == "apart.1"
    assert bert.ask(wire.RegisterSng, offer="apart").code == "address_seated"
    assert bert.ask(wire.GetAccount).balance == 1_000
    assert "192.0.2.1" not in str(now(house.nodes[0].registrations.read("apart")))


def test_refusals_have_their_codes(house):
    """And change nothing."""
    anna, poor = house.player("anna", 0), house.player("poor", 1, balance=299)
    anna.ask(wire.RegisterSng, offer="duel")
    for client, kind, fields, code in (
        (anna, wire.RegisterSng, {"offer": "duel"}, "already_registered"),
        (anna, wire.RegisterSng, {"offer": "none"}, "unknown_offer"),
        (anna, wire.UnregisterSng, {"offer": "none"}, "unknown_offer"),
        (poor, wire.RegisterSng, {"offer": "duel"}, "insufficient_balance"),
        (poor, wire.UnregisterSng, {"offer": "duel"}, "not_registered"),
        (poor, wire.GetStandings, {"tournament": "duel.9"}, "unknown_tournament"),
    ):
        assert client.ask(kind, **fields).code == code
    house.rooms.pass_s(1)
    assert house.line(poor).filling == [wire.SngFilling(tournament="duel.1", taken=1)]


def test_a_client_that_is_not_logged_in_sees_what_is_offered_and_no_more(house):
    """The list is as open as that of the tables."""
    stranger = Line(house.rooms, house.nodes[0])
    assert house.line(stranger).offer == "duel"
    for kind, fields in (
        (wire.RegisterSng, {"offer": "duel"}),
        (wire.UnregisterSng, {"offer": "duel"}),
        (wire.GetStandings, {"tournament": "duel.1"}),
    ):
        assert stranger.ask(kind, **fields).code == "not_authenticated"


def test_without_redis_no_client_is_registered_and_the_client_is_told(house):
    """The client may try again; without the ledger it waits, and is registered when the ledger is back."""
    anna = house.player("anna", 0)
    house.nodes[0].registrations.away = True
    assert anna.ask(wire.RegisterSng, offer="duel").code == "unavailable"
    assert anna.ask(wire.ListSitAndGos).code == "unavailable"
    house.nodes[0].registrations.away = False
    house.nodes[0].away(ledger=True)
    number = anna.say(wire.RegisterSng, offer="duel")
    house.rooms.pass_s(1)
    assert anna.answers(number) == []
    house.nodes[0].away()
    house.rooms.pass_s(3)
    [registered] = anna.answers(number)
    assert registered.tournament == "duel.1"


def test_an_account_that_logged_out_meanwhile_gets_no_answer(house):
    """The next log-in over the connection does not get the earlier account's answer."""
    anna = house.player("anna", 0)
    house.nodes[0].away(ledger=True)
    register = anna.say(wire.RegisterSng, offer="duel")
    house.nodes[0].away()
    assert isinstance(anna.ask(wire.LogOut), wire.Ok)
    house.rooms.pass_s(3)
    assert anna.answers(register) == []


def test_a_prize_is_told_to_its_winner_at_whatever_node_they_are(house):
    """Another node pays it, and the winner alone is told."""
    anna, bert = house.player("anna", 0), house.player("bert", 1)
    ledger = house.rooms.ledger
    players = [anna.ask(wire.GetAccount).account, bert.ask(wire.GetAccount).account]
    for node in house.nodes:
        node.room.registration._full = lambda _: None  # private: the room starts what this test plays
    anna.ask(wire.RegisterSng, offer="duel")
    bert.ask(wire.RegisterSng, offer="duel")
    epoch = now(ledger.take_table(owned_as("duel.1"), "a", 0))
    now(ledger.start_tournament("duel.1", epoch, players, 1_500))
    for place, account, prize in ((2, players[1], 0), (1, players[0], 480)):
        given = PlaceGiven(place=place, account=account, prize=Money(prize))
        now(ledger.give_places("duel.1", epoch, place, [given]))
    house.nodes[1].room.payouts.publish("duel.1", 1)
    house.rooms.pass_s(1)
    assert anna.all(wire.SngPrizePaid) == [wire.SngPrizePaid(tournament="duel.1", place=1, prize=480)]
    assert bert.all(wire.SngPrizePaid) == []
    assert anna.ask(wire.GetAccount).balance == 1_180


def test_a_cancelled_tournament_is_told_to_a_client_that_was_in_it(house):
    """At both nodes, with what each has got back."""
    anna, bert = house.player("anna", 0), house.player("bert", 1)
    anna.ask(wire.RegisterSng, offer="duel")
    now(house.nodes[1].room.registration.cancel("duel.1"))
    house.rooms.pass_s(0.5)
    assert anna.all(wire.SngRefunded) == [
        wire.SngRefunded(tournament="duel.1", amount=300, reason="cancelled")
    ]
    assert bert.all(wire.SngRefunded) == []
    assert anna.ask(wire.GetAccount).balance == 1_000


def test_nodes_with_other_offers_are_no_room(house):
    """As with other tables: the second is refused."""
    other = house.rooms.begin("c", TEXT.replace("fee = 60", "fee = 50").replace("480", "500"))
    house.rooms.until(lambda: other.failed)
    assert "other" in str(other.failed[0].value)
    house.rooms.nodes.remove(other)

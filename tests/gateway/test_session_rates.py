"""Greedy input costs its sender: what messages cost, when a connection is closed, and how many requests are asked."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from twisted.internet.defer import Deferred

from pokerroom.gateway.limits import REFUSALS_AT_ONCE
from pokerroom.gateway.passwords import OF_NAME
from pokerroom.gateway.sessions import Sessions
from pokerroom.gateway.slow_requests import AT_ONCE, SLOW_REQUESTS_MAX, ConnectionClosed, SlowRequests
from pokerroom.ops.slots import Slots
from pokerroom_protocol import messages as wire
from pokerroom_protocol._declarations import EXAMPLES
from pokerroom_protocol.errors import Code
from tests.gateway.session_parties import LIMITS, Counting, Line, made_sessions, player
from tests.lobby.support import Cardroom


class HeldLedger:
    """Holds what wallets are asked for, until the test lets them go."""

    def __init__(self, ledger: Any) -> None:
        self._ledger = ledger
        self.held: list[Deferred[int]] = []
        self.holds = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def wallet(self, account: int) -> Deferred[int]:
        if not self.holds:
            found: Deferred[int] = self._ledger.wallet(account)
            return found
        self.held.append(Deferred())
        return self.held[-1]


def answered(line: Line, kind: type[wire.Request], count: int) -> int:
    """How many of `count` requests at once are not refused for their rate."""
    before = len(line.all(wire.Error))
    for _ in range(count):
        line.say(kind)
    return count - len([error for error in line.all(wire.Error)[before:] if error.code == "rate_limited"])


def test_a_dear_request_costs_more_than_a_ping(room: Cardroom, sessions: Sessions) -> None:
    """`message_burst` allows 47 requests to the cashier at once, or a thousand pings, and time gives them back."""
    line = player(sessions, "anna")
    room.clock.advance(10)
    assert answered(line, wire.GetCashier, 55) == LIMITS.message_burst // 21
    assert answered(line, wire.Ping, 1) == 1
    room.clock.advance(10)
    assert answered(line, wire.Ping, LIMITS.message_burst + 1) == LIMITS.message_burst


def test_to_move_chips_of_a_club_costs_as_a_gift_of_a_host() -> None:
    """Each leaves rows for ever, so an account can order five in a second."""
    moved = wire.MoveClubChips(id=1, club="4m7q0x2kw9", name="bob", amount=5, key="12345678")
    given = wire.GiveChips(id=1, table="host:7k2mq0xw94", name="bob", amount=5, key="12345678")
    prices = [LIMITS.price(message, stranger=False) for message in (moved, given)]
    assert prices[0] == prices[1] == LIMITS.message_burst // 10


def test_each_order_of_a_host_has_its_price() -> None:
    """A flood of openings or orders is refused before the ledger: each costs a fiftieth of what is allowed, or more."""
    kinds = get_args(wire.HostingMessage | wire.TablePasswordMessage)
    prices = {kind: LIMITS.price(EXAMPLES[kind][0], stranger=False) for kind in kinds}
    assert {kind for kind, price in prices.items() if price < LIMITS.message_burst // 50} == set()


def test_a_stranger_pays_more(room: Cardroom, sessions: Sessions) -> None:
    """Before the log-in a list costs four times as much."""
    player_, stranger = player(sessions, "anna"), Line(sessions)
    room.clock.advance(10)
    assert answered(player_, wire.ListTables, 100) == LIMITS.message_burst // 11
    assert answered(stranger, wire.ListTables, 100) == LIMITS.message_burst // 41


@pytest.mark.parametrize("body", [b"", b"\x80", b"\xc1" * 1000])
def test_a_flood_is_cut_off(room: Cardroom, sessions: Sessions, body: bytes) -> None:
    """After so many refusals the connection is closed, and nothing more that it sends is looked at."""
    line = Line(sessions)
    for _ in range(LIMITS.message_burst + 10 * REFUSALS_AT_ONCE):
        line.session.received(body)
    assert line.closed == "rate_limited"
    assert isinstance(line.got[-1], wire.Goodbye)
    refused = [error for error in line.all(wire.Error) if error.code == "rate_limited"]
    assert len(refused) == REFUSALS_AT_ONCE


def test_a_flood_of_dear_requests_is_cut_off(sessions: Sessions) -> None:
    """Refusals for the price of a request are counted, too."""
    line = player(sessions, "anna")
    answered(line, wire.GetCashier, LIMITS.message_burst // 21 + REFUSALS_AT_ONCE + 1)
    assert line.closed == "rate_limited"


def test_a_client_that_slows_down_is_not_cut_off(room: Cardroom, sessions: Sessions) -> None:
    """A client that stops at the first refusal may go over its rate again and again."""
    line = player(sessions, "anna")
    for _ in range(20):
        answered(line, wire.Ping, LIMITS.message_burst + 50)
        room.clock.advance(10)
    assert line.closed is None


def test_a_large_message_costs_more(room: Cardroom, sessions: Sessions) -> None:
    """A kilobyte costs as much as a message, before anything is decoded."""
    line = Line(sessions)
    room.clock.advance(10)
    for _ in range(LIMITS.message_burst // 4):
        line.session.received(b"\xc1" * 3072)
    assert {error.code for error in line.all(wire.Error)} == {"bad_encoding"}
    line.session.received(b"\xc1" * 3072)
    assert line.all(wire.Error)[-1].code == "rate_limited"


def test_slow_requests_are_asked_one_at_a_time(room: Cardroom) -> None:
    """One of each connection, a few of the node; answers come in the order of the requests."""
    ledger = HeldLedger(room.world.ledger)
    sessions = made_sessions(room, Counting(), ledger)
    lines = [player(sessions, f"player{number}") for number in range(AT_ONCE + 2)]
    ledger.holds = True
    for line in lines:
        for _ in range(3):
            line.say(wire.GetAccount)
    assert len(ledger.held) == AT_ONCE
    assert lines[0].all(wire.Account) == []
    assert isinstance(lines[0].ask(wire.Ping), wire.Pong)  # it waits for none of them

    answers = 0
    while ledger.held:
        ledger.held.pop(0).callback(5)
        answers += 1
        assert len(ledger.held) <= AT_ONCE
    assert answers == 3 * len(lines)
    for line in lines:
        ids = [account.re for account in line.all(wire.Account)]
        assert ids == sorted(ids)
        assert len(ids) == 3


def test_requests_of_a_closed_connection_are_not_asked(room: Cardroom) -> None:
    """A client that asks much and hangs up costs the one request that is under way."""
    ledger = HeldLedger(room.world.ledger)
    sessions = made_sessions(room, Counting(), ledger)
    line, other = player(sessions, "anna"), player(sessions, "bob")
    ledger.holds = True
    for _ in range(30):
        line.say(wire.GetAccount)
    line.session.lost("closed by the client")
    (first,) = ledger.held
    first.callback(5)
    assert ledger.held == [first]
    other.say(wire.GetAccount)
    assert len(ledger.held) == 2


def test_a_crowd_that_hangs_up_takes_no_slot_along() -> None:
    """A thousand connections that ask and hang up at once leave all slots to the others."""
    slots, gate, asked = Slots(AT_ONCE), Deferred[None](), []

    async def held() -> None:
        asked.append(True)
        await gate

    crowd = [SlowRequests(slots) for _ in range(1000)]
    answers = [one.ask(held).addErrback(lambda failure: failure.trap(ConnectionClosed)) for one in crowd]
    for one in crowd:
        one.close()
    gate.callback(None)
    assert len(asked) == AT_ONCE
    assert all(answer.called for answer in answers)
    gate = Deferred()
    for _ in range(AT_ONCE):
        SlowRequests(slots).ask(held)
    assert len(asked) == 2 * AT_ONCE


@pytest.mark.parametrize("hangs_up", [True, False])
def test_requests_that_fail_at_once_take_no_slot_along(hangs_up: bool) -> None:
    """Each of many requests of one connection has its own failure, and its slot is free again."""
    slots, gate = Slots(1), Deferred[None]()
    greedy, other = SlowRequests(slots), SlowRequests(slots)
    failures: list[type[BaseException]] = []

    async def held() -> None:
        await gate

    async def fails() -> None:
        raise ConnectionError

    first = greedy.ask(held)
    for _ in range(SLOW_REQUESTS_MAX):
        greedy.ask(fails).addErrback(lambda failure: failures.append(failure.type))
    if hangs_up:
        greedy.close()
    gate.callback(None)
    assert first.called
    assert failures == [ConnectionClosed if hangs_up else ConnectionError] * SLOW_REQUESTS_MAX
    assert other.ask(held).called


def test_no_more_requests_wait_than_a_node_can_hold(room: Cardroom) -> None:
    """While a store does not answer, a client that goes on to ask is refused. What has waited is answered then."""
    ledger = HeldLedger(room.world.ledger)
    line = player(made_sessions(room, Counting(), ledger), "anna")
    ledger.holds = True
    for _ in range(3 * SLOW_REQUESTS_MAX):
        room.clock.advance(1)
        line.say(wire.GetAccount)
    assert [error.code for error in line.all(wire.Error)] == ["rate_limited"] * (2 * SLOW_REQUESTS_MAX - 1)
    while ledger.held:
        ledger.held.pop(0).callback(5)
    assert len(line.all(wire.Account)) == SLOW_REQUESTS_MAX + 1


@pytest.mark.parametrize("kind", [wire.Ping, wire.GetCashier])
def test_a_refusal_for_the_rate_says_when_to_ask_again(
    room: Cardroom, sessions: Sessions, kind: type[wire.Request]
) -> None:
    """After `retry_after_ms` the same request is taken, and not a little earlier."""
    line = player(sessions, "anna")
    room.clock.advance(10)
    answered(line, kind, LIMITS.message_burst)
    line.say(kind)
    wait_ms = line.all(wire.Error)[-1].retry_after_ms
    assert wait_ms
    room.clock.advance(wait_ms / 1000 + 0.001)
    assert answered(line, kind, 1) == 1


def test_a_guesser_is_told_how_long_to_wait(sessions: Sessions) -> None:
    """After too many wrong passwords `log_in_delayed` has the wait as a field."""
    player(sessions, "anna")
    line = Line(sessions)
    answers = [line.ask(wire.LogIn, name="anna", password="a wrong one") for _ in range(OF_NAME.free + 1)]
    assert [answer.code for answer in answers[:-1]] == ["bad_credentials"] * OF_NAME.free
    assert (answers[-1].code, answers[-1].retry_after_ms) == ("log_in_delayed", 1_000)
    assert Code(answers[-1].code).kind == "retry"

"""Work with passwords: few at a time, in turns between addresses, and slower after each wrong guess."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from argon2 import PasswordHasher
from structlog.testing import capture_logs
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock

from pokerroom.coordination.memory import MemoryLogInAttempts
from pokerroom.gateway.password_queue import (
    AT_ONCE,
    WAITING_IN_ALL,
    WAITING_OF_ADDRESS,
    ClientGone,
    PasswordQueue,
    QueueFull,
)
from pokerroom.gateway.passwords import OF_ADDRESS, OF_NAME, AuthenticationRefused, Passwords
from pokerroom.ledger.api import AccountRow, LedgerUnavailable
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import RARE_PER_HOUR, SAME_PER_HOUR, LoggedAct, LogLine, LogQuery
from pokerroom.ops.metrics import Metrics
from tests.poker.support import now

RIGHT, WRONG = "correct horse", "wrong horse"
QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
STORED = QUICK.hash(RIGHT)


class Client:
    def __init__(self, address: str = "192.0.2.1") -> None:
        self.address = address
        self.connected = True


class Crowd:
    """Clients in a queue; `served` are those who have had their turn, in order."""

    def __init__(self) -> None:
        self.queue = PasswordQueue()
        self.served: list[Client] = []
        self.gone: list[Client] = []

    def come(self, address: str) -> Client:
        client = Client(address)
        self.queue.enter(client).addCallbacks(
            lambda _: self.served.append(client),
            lambda failure: (failure.trap(ClientGone), self.gone.append(client)),
        )
        return client


def test_few_at_a_time():
    """The others wait, and each that ends gives the next its turn."""
    crowd = Crowd()
    clients = [crowd.come("a") for _ in range(AT_ONCE + 3)]
    assert crowd.served == clients[:AT_ONCE]
    for _ in clients:
        crowd.queue.leave()
    assert crowd.served == clients
    crowd.come("b")
    assert len(crowd.served) == len(clients) + 1


def test_addresses_take_turns():
    """A client of another address waits for one of each address before it, not for all that they have sent."""
    crowd = Crowd()
    for _ in range(AT_ONCE + WAITING_OF_ADDRESS):
        crowd.come("greedy")
    player = crowd.come("player")
    crowd.queue.leave()
    crowd.queue.leave()
    assert crowd.served[-1] is player


def test_a_network_of_one_owner_is_one_address():
    """A /64 of IPv6 waits in one queue, and its wrong guesses are counted together."""
    crowd = Crowd()
    for number in range(AT_ONCE + WAITING_OF_ADDRESS):
        crowd.come(f"2001:db8::{number:x}")
    with pytest.raises(QueueFull):
        crowd.come("2001:db8::ffff")
    crowd.come("2001:db8:0:1::1")
    bench = Bench()
    says = [bench.says(WRONG, address=f"2001:db8::{number:x}") for number in range(OF_NAME.free + 1)]
    assert says == ["bad_credentials"] * OF_NAME.free + ["log_in_delayed"]
    assert bench.says(RIGHT, address="2001:db8:0:1::1") == "ok"


def test_a_full_queue_is_said_at_once():
    """Of one address some may wait, and some in all."""
    crowd = Crowd()
    for _ in range(AT_ONCE + WAITING_OF_ADDRESS):
        crowd.come("a")
    with pytest.raises(QueueFull):
        crowd.come("a")
    for number in range(WAITING_IN_ALL - WAITING_OF_ADDRESS):
        crowd.come(f"b{number}")
    with pytest.raises(QueueFull):
        crowd.come("c")
    crowd.queue.leave()
    crowd.come("c")


@pytest.mark.parametrize("address", ["a", "c"])
def test_a_hang_up_gives_the_place_back(address):
    """Its place is free for the next client at once, and its turn goes to the next."""
    crowd = Crowd()
    for _ in range(AT_ONCE):
        crowd.come("first")
    waiting = [crowd.come("a") for _ in range(WAITING_OF_ADDRESS)]
    waiting += [crowd.come(f"b{number}") for number in range(WAITING_IN_ALL - WAITING_OF_ADDRESS)]
    with pytest.raises(QueueFull):
        crowd.come(address)
    for number, client in enumerate(waiting):
        client.connected = False
        crowd.queue.gone(client)
        assert crowd.gone == waiting[: number + 1], (
            "each is told by itself, not all in one turn of the reactor"
        )
        crowd.queue.gone(client)
    assert len(crowd.queue) == 0
    player = crowd.come(address)
    crowd.queue.leave()
    assert crowd.served[-1] is player


def test_a_client_that_has_hung_up_gets_no_turn():
    """It may hang up while its request is still on the way to the queue."""
    queue, client = PasswordQueue(), Client()
    client.connected = False
    assert isinstance(queue.enter(client).addErrback(lambda failure: failure.value).result, ClientGone)
    assert all(queue.enter(Client()).called for _ in range(AT_ONCE))


def test_turns_that_end_at_once_are_all_given_back():
    """While the stores are away each client is refused as its turn comes; none of them takes the place along."""
    queue, refused = PasswordQueue(), []

    async def attempt(client: Client) -> None:
        await queue.enter(client)
        try:
            raise ConnectionError
        finally:
            queue.leave()

    for number in range(AT_ONCE):
        queue.enter(Client(f"first{number}"))
    for number in range(WAITING_IN_ALL):
        Deferred.fromCoroutine(attempt(Client(f"b{number}"))).addErrback(lambda one: refused.append(one.type))
    for _ in range(AT_ONCE):
        queue.leave()
    assert refused == [ConnectionError] * WAITING_IN_ALL
    assert all(queue.enter(Client()).called for _ in range(AT_ONCE))


class Bench:
    """The passwords of two nodes that share a store of failures."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.looked = 0
        self.metrics = Metrics()
        self.ledger: Any = MemoryLedger(self.clock.seconds)
        failures: dict[str, tuple[int, float, float]] = {}
        self.stores = [MemoryLogInAttempts(failures, self.clock) for _ in range(2)]
        self.nodes = [Passwords(self._work, store, self.metrics, self.ledger, QUICK) for store in self.stores]

    def lines(self) -> list[LogLine]:
        """The operators' log, oldest first."""
        return now(self.ledger.log_lines(LogQuery(limit=10_000)))[::-1]

    def _work(self, work: Callable[..., Any], *what: Any) -> Deferred[Any]:
        self.looked += 1
        done: Deferred[Any] = Deferred()
        done.callback(work(*what))
        return done

    def says(self, password: str, address: str = "192.0.2.1", name: str = "anna", node: int = 0) -> str:
        """`ok`, or the code of the refusal."""
        row = AccountRow(account=1, name=name, password_hash=STORED) if name == "anna" else None
        asked = self.nodes[node].check(Client(address), name, password, lambda: succeed(row))
        found: list[str] = []

        def refused(failure: Any) -> None:
            failure.trap(AuthenticationRefused)
            found.append(failure.value.code.value)

        Deferred.fromCoroutine(asked).addCallbacks(lambda _: found.append("ok"), refused)
        (answer,) = found
        return answer


def test_guessing_is_slow():
    """After five wrong passwords the next waits a second, then two; the wait costs no look at the password."""
    bench = Bench()
    assert [bench.says(WRONG) for _ in range(OF_NAME.free)] == ["bad_credentials"] * OF_NAME.free
    assert bench.says(RIGHT) == "log_in_delayed"
    assert bench.looked == OF_NAME.free
    guesses = 0
    for _ in range(600):
        bench.clock.advance(1)
        guesses += bench.says(WRONG, node=1) == "bad_credentials"
    assert guesses == 9  # 1 + 2 + 4 + ... s
    bench.clock.advance(300)
    assert bench.says(RIGHT) == "ok"
    assert bench.says(WRONG) == "bad_credentials"
    assert bench.says(RIGHT) == "ok"


def test_a_stranger_locks_no_account():
    """The owner logs in from another address at once, and from the same address others log in to their accounts."""
    bench = Bench()
    for _ in range(OF_NAME.free + 1):
        bench.says(WRONG, address="198.51.100.7")
    assert bench.says(RIGHT, address="198.51.100.7") == "log_in_delayed"
    assert bench.says(RIGHT) == "ok"


def test_many_names_from_one_address():
    """Trying one password on many names is slowed for the address."""
    bench = Bench()
    answers = [bench.says(WRONG, name=f"name{number}") for number in range(OF_ADDRESS.free + 5)]
    assert answers == ["bad_credentials"] * OF_ADDRESS.free + ["log_in_delayed"] * 5
    assert bench.says(RIGHT) == "log_in_delayed"
    assert bench.says(RIGHT, address="192.0.2.2") == "ok"


def test_a_crowd_of_right_passwords_is_never_slowed():
    """A bot match of one address logs in as often as it likes."""
    bench = Bench()
    assert {bench.says(RIGHT) for _ in range(4 * OF_ADDRESS.free)} == {"ok"}


def test_without_the_store_players_log_in():
    """While Redis is away no attempt is counted."""
    bench = Bench()
    for store in bench.stores:
        store.away = True
    assert {bench.says(WRONG) for _ in range(2 * OF_NAME.free)} == {"bad_credentials"}
    assert bench.says(RIGHT) == "ok"


def test_failures_are_logged_with_the_address():
    """One line each, for programs that block addresses; it has neither the name nor the password."""
    bench = Bench()
    with capture_logs() as logs:
        for _ in range(OF_NAME.free + 1):
            bench.says(WRONG, address="2001:db8::1")
    assert [line["event"] for line in logs] == ["log_in.failed"] * OF_NAME.free + ["log_in.delayed"]
    assert {line["address"] for line in logs} == {"2001:db8::1"}
    assert "anna" not in str(logs)
    count = bench.metrics.registry.get_sample_value
    results = [count("pokerroom_log_ins_total", {"result": result}) for result in ("failed", "delayed")]
    assert results == [OF_NAME.free, 1]
    assert WRONG not in str(logs)


def test_a_wait_that_begins_or_grows_is_in_the_operators_log():
    """Not each failure. The line has the account, a shortened address and the wait, and no name and no password."""
    bench = Bench()
    for _ in range(OF_NAME.free - 1):
        bench.says(WRONG)
    assert bench.lines() == []
    for wait_s in (1, 2, 4):
        bench.says(WRONG)
        bench.says(WRONG)  # it has to wait, and is not counted
        bench.clock.advance(wait_s)
    lines = bench.lines()
    assert [line.named() for line in lines] == [{"name_wait_s": wait_s} for wait_s in (1, 2, 4)]
    assert {(line.verb, line.subject, line.by.who, line.by.address) for line in lines} == {
        ("log_in.delayed", "account:1", "stranger", "192.0.2.*")
    }
    for number in range(OF_ADDRESS.free):
        bench.says(WRONG, name=f"name{number}", address="2001:db8::1")
    assert (bench.lines()[-1].named(), bench.lines()[-1].subject) == ({"address_wait_s": 1}, "")
    assert not any(text in repr(bench.lines()) for text in ("anna", "name4", WRONG))


def test_a_storm_of_guesses_writes_few_lines():
    """From one address for one account while each wait is observed; and from addresses all over the world."""
    bench = Bench()
    for _ in range(200):
        bench.says(WRONG)
        bench.clock.advance(OF_NAME.wait_s_max)
    hours = 200 * OF_NAME.wait_s_max // 3_600 + 1
    assert len(bench.lines()) <= SAME_PER_HOUR * hours
    before, begun_s = len(bench.lines()), bench.clock.seconds()
    for number in range(4 * RARE_PER_HOUR):
        for _ in range(OF_NAME.free + 1):
            bench.says(WRONG, address=f"10.{number // 200}.{number % 200}.1")
    assert bench.clock.seconds() == begun_s
    assert 0 < len(bench.lines()) - before <= RARE_PER_HOUR


def test_a_failure_that_the_ledger_cannot_note_is_a_failure_all_the_same():
    """The player is told that the password is wrong, and the wait begins."""
    bench = Bench()

    def cut(_: LoggedAct) -> Deferred[int | None]:
        return fail(LedgerUnavailable("cut"))

    bench.ledger.record_rarely = cut
    says = [bench.says(WRONG) for _ in range(OF_NAME.free + 1)]
    assert says == ["bad_credentials"] * OF_NAME.free + ["log_in_delayed"]


def test_a_ledger_that_is_away_costs_no_attempt():
    """An attempt that was not looked at is no wrong password."""
    bench = Bench()
    away = lambda: fail(LedgerUnavailable("away"))  # noqa: E731 -- shorter than a function
    for _ in range(2 * OF_NAME.free):
        asked = Deferred.fromCoroutine(bench.nodes[0].check(Client(), "anna", RIGHT, away))
        asked.addErrback(lambda failure: failure.trap(LedgerUnavailable))
    assert bench.says(RIGHT) == "ok"
    assert bench.says(WRONG) == "bad_credentials"

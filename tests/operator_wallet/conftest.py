"""A room's ledger with an operator's wallet, and the reference server of that wallet."""

import itertools
from contextlib import contextmanager

import psycopg
import pytest
from twisted.internet import task

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.operator_wallet.client import WalletClient
from pokerroom.operator_wallet.funding import WalletFunding, funded_ledger
from pokerroom.operator_wallet.queue import WalletQueue
from pokerroom.ops.observer import Observer
from pokerroom.webhooks.post import Poster
from tests.databases import copied_database
from tests.operator_wallet.server import WalletServer

SECRET = b"s" * 24
POST_S = 0.15
ANN = Acting(who="ann", role="admin", reason="a test")
HAS = 10_000


class NoPauses(task.Clock):
    """A clock on which each pause is over at once."""

    def callLater(self, delay, callable, *args, **kw):  # noqa: A002, N802 -- as in IReactorTime
        from twisted.internet import reactor

        return reactor.callLater(0, callable, *args, **kw)


class FundedRoom:
    """One player with an account at both sides; a new node on the same database is another `node`."""

    def __init__(self, run, addresses, server):
        self.run = run
        self._addresses = addresses
        self._keys = itertools.count()
        self.server = server
        self._connection = psycopg.connect(addresses[1], autocommit=True)
        self._seen = 0
        self.ledger = None
        self.begin()
        for table in ("T1", "T2"):
            run(self.ledger.take_table(table, "n1", 0))
        self.account = run(self.ledger.create_account("alice", "hash", Money(0))).account
        run(self.ledger.link_wallet(self.account, "p-1", by=ANN))

    def begin(self):
        """A node starts, without anything that an earlier one had in memory."""
        self.end()
        self.ledger = PostgresLedger(*self._addresses, wait_s=50)
        self.run(self.ledger.open())
        poster = Poster(("127.0.0.0/8",), post_s=POST_S)

        def exchange(url, headers, body):
            return deferred(poster.exchange(url, headers, body))

        client = WalletClient(
            self.server.url, SECRET, exchange, currency="EUR", room="test", now_ms=lambda: 1_700_000_000_000
        )
        observer = Observer()
        funding = WalletFunding(self.ledger, client, NoPauses(), observer, lambda size: b"r" * size)
        self.queue = WalletQueue(self.ledger, client, sends=lambda: True, observer=observer)
        self.funded = funded_ledger(self.ledger, funding)

    def end(self):
        if self.ledger is not None:
            self.run(self.ledger.close())
            self.ledger = None

    def close(self):
        self.end()
        self._connection.close()

    def sql(self, statement, *values):
        """A raw statement of the owner, at once."""
        return self._connection.execute(statement, values or None)

    def rest(self):
        """Begin with no transfers and no calls, and with nothing in the room."""
        self.server.faults.clear()
        self.server.calls.clear()
        self.server.moved.clear()
        (self._seen,) = self.sql("SELECT coalesce(max(number), 0) FROM wallet_transfers").fetchone()

    def leave(self):
        """Return all money to the server."""
        self.server.faults.clear()
        for seat in self.run(self.ledger.seats()):
            self.cash_out(table=seat.table)
        self.all_sent()
        assert self.server.total == HAS

    @property
    def states(self):
        """Kind and state of all transfers since then, oldest first."""
        query = "SELECT kind, state FROM wallet_transfers WHERE number > %s ORDER BY number"
        return self.sql(query, self._seen).fetchall()

    def key(self, kind):
        return f"{kind}:{next(self._keys):032x}"

    def buy_in(self, amount, *, table="T1"):
        what = (self.key("buyin"), table, 1, 1, self.account, Money(amount), 9)
        return self.run(self.funded.buy_in(*what))

    def cash_out(self, *, table="T1"):
        return self.run(self.funded.cash_out(self.key("cashout"), table, 1, self.account))

    def waits(self):
        """Whether a debit waits for its end."""
        return self.sql(
            "SELECT count(*) FROM wallet_transfers WHERE state = 'asked' AND kind = 'debit'"
        ).fetchone() != (0,)

    def time_passes(self):
        """What waits is due, and money of a debit is no longer about to be used."""
        self.sql("SET session_replication_role = replica")  # past the trigger that keeps terms
        self.sql("UPDATE wallet_transfers SET due = now() WHERE state = 'asked'")
        self.sql("UPDATE wallet_transfers SET ended = ended - interval '1 hour' WHERE kind = 'debit'")

    def all_sent(self):
        """Let the queue work until nothing waits, and the account holds nothing."""
        for _ in range(20):
            self.time_passes()
            self.run(self.queue.run())
            (waiting,) = self.sql("SELECT count(*) FROM wallet_transfers WHERE state = 'asked'").fetchone()
            if not waiting and not self.run(self.ledger.wallet(self.account)):
                return
        raise AssertionError("the wallet still waits")

    def check(self):
        """The books of both sides together are constant, and the room's own book adds up."""
        (external,) = self.sql("SELECT balance FROM ledger_accounts WHERE code = 'external'").fetchone()
        (open_credits,) = self.sql(
            "SELECT coalesce(sum(amount), 0) FROM wallet_transfers WHERE kind = 'credit' AND state = 'asked'"
        ).fetchone()
        assert self.server.total - external + open_credits == HAS
        assert not self.run(self.ledger.audit()).differences


@contextmanager
def funded_room(run, addresses):
    """A room and its server; the player has 100.00 there."""
    server = WalletServer(SECRET, **{"p-1": HAS})
    run(deferred(server.open()))
    room = FundedRoom(run, addresses, server)
    try:
        yield room
    finally:
        room.close()
        run(deferred(server.close()))


@pytest.fixture
def room(run, own_rows):
    """A new room."""
    with funded_room(run, own_rows) as made:
        yield made


@pytest.fixture(scope="module")
def lasting_room(run, services, ledger_template):
    with (
        copied_database(services, ledger_template, "test_wallet") as addresses,
        funded_room(run, addresses) as made,
    ):
        yield made


@pytest.fixture
def used_room(lasting_room):
    """A room for one test after another: after each all money is at the server again."""
    lasting_room.rest()
    yield lasting_room
    lasting_room.leave()

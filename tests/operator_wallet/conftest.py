"""A room's ledger with an operator's wallet, and the reference server of that wallet."""

import itertools

import psycopg
import pytest
from twisted.internet import task

from pokerroom.chips import Money
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.operator_wallet.client import WalletClient
from pokerroom.operator_wallet.funding import WalletFunding, funded_ledger
from pokerroom.operator_wallet.queue import WalletQueue
from pokerroom.ops.bridge import deferred
from pokerroom.ops.observer import Observer
from pokerroom.webhooks.post import Poster
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

    def key(self, kind):
        return f"{kind}:{next(self._keys):032x}"

    def buy_in(self, amount, *, table="T1"):
        what = (self.key("buyin"), table, 1, 1, self.account, Money(amount), 9)
        return self.run(self.funded.buy_in(*what))

    def cash_out(self, *, table="T1"):
        return self.run(self.funded.cash_out(self.key("cashout"), table, 1, self.account))

    def waits(self, sql):
        """Whether a debit waits for its end."""
        return sql(
            "SELECT count(*) FROM wallet_transfers WHERE state = 'asked' AND kind = 'debit'"
        ).fetchone() != (0,)

    def time_passes(self, sql):
        """What waits is due, and money of a debit is no longer about to be used."""
        sql("SET session_replication_role = replica")  # past the trigger that keeps terms
        sql("UPDATE wallet_transfers SET due = now() WHERE state = 'asked'")
        sql("UPDATE wallet_transfers SET ended = ended - interval '1 hour' WHERE kind = 'debit'")

    def all_sent(self, sql):
        """Let the queue work until nothing waits, and the account holds nothing."""
        for _ in range(20):
            self.time_passes(sql)
            self.run(self.queue.run())
            (waiting,) = sql("SELECT count(*) FROM wallet_transfers WHERE state = 'asked'").fetchone()
            if not waiting and not self.run(self.ledger.wallet(self.account)):
                return
        raise AssertionError("the wallet still waits")

    def check(self, sql, server_has=HAS):
        """The books of both sides together are constant, and the room's own book adds up."""
        (external,) = sql("SELECT balance FROM ledger_accounts WHERE code = 'external'").fetchone()
        (open_credits,) = sql(
            "SELECT coalesce(sum(amount), 0) FROM wallet_transfers WHERE kind = 'credit' AND state = 'asked'"
        ).fetchone()
        assert self.server.total - external + open_credits == server_has
        assert not self.run(self.ledger.audit()).differences


@pytest.fixture
def server(run):
    """The operator's server; the player has 100.00 there."""
    made = WalletServer(SECRET, **{"p-1": HAS})
    run(deferred(made.open()))
    yield made
    run(deferred(made.close()))


@pytest.fixture
def sql(own_database):
    """Raw statements of the owner, each at once."""
    with psycopg.connect(own_database[1], autocommit=True) as connection:
        yield lambda statement, *values: connection.execute(statement, values or None)


@pytest.fixture
def room(run, own_database, server):
    made = FundedRoom(run, own_database, server)
    yield made
    made.end()

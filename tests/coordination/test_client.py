"""Which addresses are understood, and that the room works over Sentinel and over a Cluster."""

from __future__ import annotations

import traceback
from contextlib import ExitStack
from functools import partial
from threading import Thread

import pytest
import redis
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.connection import SSLConnection, UnixDomainSocketConnection
from redis.asyncio.sentinel import SentinelConnectionPool
from redis.exceptions import RedisError
from twisted.internet.defer import Deferred

from pokerroom.coordination.api import Sealed, UnusableAddress
from pokerroom.coordination.redis.bus import RedisBus
from pokerroom.coordination.redis.client import redis_client
from pokerroom.coordination.redis.directory import RedisDirectory
from pokerroom.coordination.redis.journal import RedisJournal
from tests.chaos.redis_cluster import move_slot
from tests.coordination.support import SEALED, Server, free_port, later, turns, until


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://h:1/2", {"host": "h", "port": 1, "db": 2}),
        ("redis://h", {"host": "h"}),
        ("redis://u:p%40@[::1]:1", {"host": "::1", "port": 1, "username": "u", "password": "p@"}),
        ("rediss://h:1", {"host": "h", "port": 1}),
        ("unix:///run/redis.sock", {"path": "/run/redis.sock"}),
    ],
)
def test_one_server(url, expected):
    """The forms that redis-py knows, over TCP, TLS and a Unix socket, without timeouts for a read."""
    client = redis_client(url)

    assert isinstance(client, Redis)
    made = client.connection_pool.connection_kwargs
    assert {key: made.get(key) for key in expected} == expected
    assert made["socket_timeout"] is None
    assert (client.connection_pool.connection_class is SSLConnection) == url.startswith("rediss")
    assert (client.connection_pool.connection_class is UnixDomainSocketConnection) == url.startswith("unix")


def test_sentinels():
    """Hosts with and without a port, the service, and the database; credentials are the servers'."""
    client = redis_client("redis+sentinel://u:p%2F@one,two:7,[::1]:8/room%20one/3")

    pool = client.connection_pool
    assert isinstance(pool, SentinelConnectionPool)
    assert pool.service_name == "room one"
    assert pool.is_master
    asked = [sentinel.connection_pool.connection_kwargs for sentinel in pool.sentinel_manager.sentinels]
    assert [(one["host"], one["port"]) for one in asked] == [("one", 26379), ("two", 7), ("::1", 8)]
    assert [one.get("password") for one in asked] == [None] * 3
    made = pool.connection_kwargs
    assert (made["db"], made["username"], made["password"]) == (3, "u", "p/")


def test_a_cluster():
    """Hosts with and without a port."""
    client = redis_client("redis+cluster://:p@one,two:7")

    assert isinstance(client, RedisCluster)
    assert sorted(client.nodes_manager.startup_nodes) == ["one:6379", "two:7"]
    assert client.connection_kwargs["password"] == "p"
    assert isinstance(redis_client("rediss+cluster://one"), RedisCluster)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "h:1",
        "http://secret@h",
        "redis+else://secret@h",
        "redis+sentinel://secret@h:1",
        "redis+sentinel://secret@h:1/service/zero",
        "redis+sentinel://secret@h:1,/service",
        "redis+cluster://secret@h:1/0",
        "redis+cluster://",
        "redis+cluster://secret@h:port",
        "redis://:secret/0@h:1",
        "redis://h?db=secret",
    ],
)
def test_other_addresses_are_refused(url):
    """The error says what is wrong and repeats nothing that may be a password."""
    with pytest.raises(UnusableAddress, match=r"\w") as refused:
        redis_client(url)

    assert "secret" not in "".join(traceback.format_exception(refused.value))


# --- with real servers ------------------------------------------------------------------------------------------


class Node:
    """A node of the room over one client."""

    def __init__(self, client, name: str) -> None:
        from twisted.internet import reactor

        self.sealed: list[str] = []
        self.heard: list[object] = []
        self.cuts = 0
        self.journal = RedisJournal(client, reactor, sealed=self.sealed.append)
        self.directory = RedisDirectory(client)
        self.bus = RedisBus(
            client,
            reactor,
            node=name,
            heard=lambda sender, message: self.heard.append((sender, message)),
            lost=self.heard.append,
            cut=self._cut,
            **SEALED,
        )

    def _cut(self) -> None:
        self.cuts += 1

    def appended(self, table: str, entry: bytes) -> Deferred[None]:
        done: Deferred[None] = Deferred()
        self.journal.append(table, entry, lambda: done.callback(None))
        return done


@pytest.fixture
def node(client, run):
    """Makes nodes of a room at an address."""
    made = []

    def make(url, name):
        node = Node(client(url), name)
        made.append(node)
        run(node.bus.start())
        return node

    yield make
    for one in made:
        run(one.bus.stop())
        one.journal.stop()
    turns(run)


@pytest.mark.services
def test_sentinel_leads_to_the_next_master(home, node, client, run):
    """The master dies in mid-hand; its replica is promoted, and journal, directory and bus go on with it."""
    ports = [free_port() for _ in range(3)]
    with ExitStack() as stack:
        master = Server(home / "m", port=ports[0])
        replica = Server(
            home / "r", port=ports[1], replicaof=f"127.0.0.1 {ports[0]}", repl_diskless_sync_delay="0"
        )
        config = home / "sentinel.conf"
        config.write_text(
            f"sentinel monitor room 127.0.0.1 {ports[0]} 1\nsentinel down-after-milliseconds room 300\n"
            "sentinel failover-timeout room 2000\n"
        )
        sentinel = Server(home / "s", port=ports[2], sentinel=config)
        for server in (master, replica, sentinel):
            stack.callback(server.kill)
            server.start()
        until(run, lambda: b"master_link_status:up" in replica.ask("INFO", "replication"))
        until(run, lambda: b"slaves=1" in sentinel.ask("INFO", "sentinel"))
        a, b = (node(f"redis+sentinel://127.0.0.1:{ports[2]}/room", name) for name in "ab")
        run(a.journal.take("t", 1))
        run(a.appended("t", b"deal"))
        run(later(lambda: client(master.url).wait(1, 5000)))

        master.kill()
        run(a.appended("t", b"step"))
        until(run, lambda: a.cuts and b.cuts)
        a.bus.send("b", b"hello")
        until(run, lambda: b.heard)

        assert run(a.journal.entries("t")) == [b"deal", b"step"]
        assert run(b.directory.tell("b", b"1")) == {"b": b"1"}
        assert a.sealed == []
        assert b"role:master" in replica.ask("INFO", "replication")


@pytest.fixture
def cluster(home, run):
    """Three servers, each with a third of the slots, that know each other."""
    servers = []
    with ExitStack() as stack:
        for number in range(3):
            port, bus = free_port(), free_port()
            options = {"cluster_enabled": "yes", "cluster_port": str(bus), "cluster_node_timeout": "10000"}
            server = Server(home / str(number), port=port, appendonly="yes", appendfsync="always", **options)
            stack.callback(server.kill)
            server.start()
            first, last = 5461 * number, 16383 if number == 2 else 5461 * (number + 1) - 1
            assert server.ask("CLUSTER", "ADDSLOTSRANGE", str(first), str(last)) == b"+OK\r\n"
            assert server.ask("CLUSTER", "SET-CONFIG-EPOCH", str(number + 1)) == b"+OK\r\n"
            if servers:
                assert servers[0].ask("CLUSTER", "MEET", "127.0.0.1", str(port), str(bus)) == b"+OK\r\n"
            servers.append(server)
        for server in servers:
            until(run, lambda server=server: b"cluster_state:ok" in server.ask("CLUSTER", "INFO"))
            # to and from both others: what is published over a link that one side has not taken is lost with it
            until(run, lambda server=server: server.ask("CLUSTER", "LINKS").startswith(b"*4\r\n"))
            assert server.ask("CLUSTER", "NODES").count(b" connected ") == 3
        yield servers


@pytest.fixture
def two_nodes(cluster, node):
    """Two nodes of the room that know two nodes of the Cluster."""
    url = f"redis+cluster://127.0.0.1:{cluster[0].port},127.0.0.1:{cluster[1].port}"
    return node(url, "a"), node(url, "b")


@pytest.mark.services
def test_a_cluster_keeps_tables_on_all_its_nodes(cluster, two_nodes, run):
    """Entries lie on several servers and are flushed to each; owners, directory and bus work as ever."""
    a, b = two_nodes
    tables = sorted(f"t{number}" for number in range(20))
    for table in tables:
        assert run(a.journal.take(table, 1)) == []
    told = []
    for number in range(3):
        for table in tables:
            a.journal.append(table, b"%d" % number, lambda step=(table, number): told.append(step))
    until(run, lambda: len(told) == 60)
    assert told == [(table, number) for number in range(3) for table in tables]
    held = [server.ask("DBSIZE") for server in cluster]
    assert all(size != b":0\r\n" for size in held), held

    assert run(b.journal.tables()) == tables
    assert run(b.journal.take("t1", 2)) == [b"0", b"1", b"2"]
    a.journal.append("t1", b"late", lambda: pytest.fail("called durable"))
    run(a.appended("t2", b"3"))
    until(run, lambda: a.sealed)
    assert a.sealed == ["t1"]
    with pytest.raises(Sealed):
        run(a.journal.take("t1", 1))
    assert run(a.journal.entries("t2")) == [b"0", b"1", b"2", b"3"]

    for number in range(20):
        a.bus.send("b", b"%d" % number)
        a.bus.send_all(b"all %d" % number)
    until(run, lambda: len(b.heard) == 40)
    assert b.heard == [("a", word % number) for number in range(20) for word in (b"%d", b"all %d")]
    assert run(a.directory.tell("a", b"1")) == {"a": b"1"}
    assert run(b.directory.tell("b", b"2")) == {"a": b"1", "b": b"2"}


@pytest.mark.services
def test_a_server_of_a_cluster_goes_and_comes_back(cluster, two_nodes, run):
    """Entries of its tables wait and are stored once when it is back; the bus goes on over the other servers."""
    a, b = two_nodes
    tables = [f"t{number}" for number in range(20)]
    for table in tables:
        run(a.journal.take(table, 1))
        run(a.appended(table, b"deal"))
    cluster[2].kill()
    pending = [a.appended(table, b"step") for table in tables]
    until(run, lambda: not a.journal.healthy())
    assert not any(done.called for done in pending)
    until(run, lambda: a.bus.send("b", b"x") or len(b.heard) > 20)
    cluster[2].start()
    for done in pending:
        run(done)

    assert max(a.cuts, b.cuts) <= 1, "only a node connected to that server was cut off, and once"
    assert a.sealed == []
    for table in tables:
        assert run(a.journal.entries(table)) == [b"deal", b"step"]


@pytest.fixture
def sides(cluster):
    """Clients of the first two servers, by which slots move from one to the other."""
    sides = [redis.Redis(port=server.port) for server in cluster[:2]]
    yield sides
    for side in sides:
        side.close()


KEYS = [f"{{t{number}}}:kept" for number in range(40)]


def lies_at(side, key: str) -> bool:
    """Whether this server has the key's slot."""
    try:
        side.get(key)
    except redis.exceptions.MovedError:
        return False
    return True


@pytest.fixture
def kept(cluster, client, run):
    """A client of the Cluster; each key has itself as its value."""
    own = client(f"redis+cluster://127.0.0.1:{cluster[0].port}")
    for key in KEYS:
        run(later(lambda key=key: own.set(key, key)))
    return own


@pytest.mark.services
def test_a_key_that_has_moved_before_its_slot_is_found(cluster, sides, kept, run):
    """The server sends its clients on; also one that has several connections to the other server."""
    here, there = sides
    key = next(key for key in KEYS if lies_at(here, key))
    others = [key for key in KEYS if lies_at(there, key)]
    slot = here.cluster("keyslot", key)
    both = [later(lambda key=key: kept.get(key)) for key in others[:2]]
    for one in both:
        run(one)

    there.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", here.cluster("myid"))
    here.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", there.cluster("myid"))
    here.migrate("127.0.0.1", cluster[1].port, [key], 0, 5000)

    assert run(later(lambda: kept.get(key))) == key.encode()
    assert run(later(lambda: kept.pipeline(transaction=False).get(key).execute())) == [key.encode()]


@pytest.mark.services
def test_a_key_that_moves_to_a_new_server_is_found(cluster, sides, kept, home, run):
    """A server without slots joins: the Cluster does not name it to clients before it has its first slot."""
    here, _ = sides
    key = next(key for key in KEYS if lies_at(here, key))
    slot = here.cluster("keyslot", key)
    port, bus = free_port(), free_port()
    new = Server(home / "new", port=port, cluster_enabled="yes", cluster_port=str(bus))
    new.start()
    try:
        assert cluster[0].ask("CLUSTER", "MEET", "127.0.0.1", str(port), str(bus)) == b"+OK\r\n"
        until(run, lambda: b"cluster_state:ok" in new.ask("CLUSTER", "INFO"))
        until(run, lambda: new.ask("CLUSTER", "NODES").count(b" connected") == 4)
        with redis.Redis(port=port) as there:
            there.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", here.cluster("myid"))
            here.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", there.cluster("myid"))
        here.migrate("127.0.0.1", port, [key], 0, 5000)

        assert run(later(lambda: kept.get(key))) == key.encode()
        assert run(later(lambda: kept.pipeline(transaction=False).get(key).execute())) == [key.encode()]
    finally:
        new.kill()


@pytest.mark.services
def test_slots_that_have_moved_disturb_no_command_in_flight(cluster, sides, kept, run):
    """However many: a client learns where they are, one by one."""
    here, there = sides
    moved = [key for key in KEYS if lies_at(here, key)][:10]
    stays = next(key for key in KEYS if lies_at(there, key))
    waiting = later(lambda: kept.blpop([stays.replace("kept", "list")], timeout=20))
    for slot in {here.cluster("keyslot", key) for key in moved}:
        move_slot(here, there, slot, cluster[1].port)

    for key in moved:
        assert run(later(lambda key=key: kept.get(key))) == key.encode()
    run(later(lambda: kept.rpush(stays.replace("kept", "list"), "come")))
    assert run(waiting)[1] == b"come"


@pytest.mark.slow  # the tests above move keys and slots one by one
@pytest.mark.services
def test_tables_play_on_while_their_slots_move(cluster, two_nodes, run):
    """Entries are stored once and in order, whatever server has a stream in that moment. The bus is not cut."""
    a, b = two_nodes
    tables = [f"t{number}" for number in range(30)]
    for table in tables:
        run(a.journal.take(table, 1))
    sent = dict.fromkeys(tables, 0)
    stored = []

    def step() -> None:
        for table in tables:
            a.journal.append(table, b"%d" % sent[table], partial(stored.append, table))
            sent[table] += 1

    def move(source: int, target: int) -> None:
        clients = [redis.Redis(port=cluster[number].port) for number in (source, target)]
        for slot in sorted({clients[0].cluster("keyslot", table) for table in tables}):
            if clients[0].cluster("countkeysinslot", slot):
                move_slot(*clients, slot, cluster[target].port)

    for source, target in ((0, 1), (1, 2), (2, 0)):
        moving = Thread(target=move, args=(source, target))
        moving.start()
        while moving.is_alive():
            step()
            assert run(a.directory.tell("a", b"1"))["a"] == b"1"
            run(b.journal.peek(tables[0]))
        moving.join()
    until(run, lambda: len(stored) == sum(sent.values()))
    assert a.sealed == []
    for table in tables:
        assert run(a.journal.entries(table)) == [b"%d" % number for number in range(sent[table])]
    assert sorted(run(b.journal.tables())) == sorted(tables)
    assert a.cuts + b.cuts == 0


@pytest.mark.services
def test_a_service_that_the_sentinels_do_not_know_is_waited_for(home, client, run):
    """Without a master there is nothing to connect to, which is told as any other absence."""
    sentinel_config = home / "sentinel.conf"
    sentinel_config.write_text("")
    port = free_port()
    sentinel = Server(home / "s", port=port, sentinel=sentinel_config)
    sentinel.start()
    try:
        directory = RedisDirectory(client(f"redis+sentinel://127.0.0.1:{port}/room"))
        with pytest.raises(ConnectionError) as away:
            run(directory.read())
        assert not isinstance(away.value, RedisError)
    finally:
        sentinel.kill()

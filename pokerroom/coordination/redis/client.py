"""Makes the Redis client for an address: one server, the master that Sentinel names, or a Cluster.

    redis://host:6379/0   rediss://host:6379/0   unix:///path/redis.sock
    redis+sentinel://[user:password@]host1:26379,host2:26379/service[/0]      (rediss+sentinel: TLS to the servers)
    redis+cluster://[user:password@]host1:6379,host2:6379                     (rediss+cluster: TLS)

User and password are those of the servers, percent-encoded; Sentinels are asked without. With Sentinel or Cluster a
failover may lose the last writes, as their documentation says. The journal notices that (see `journal`), and the hands
with missing entries are void then. Slots of a Cluster may move at any time.
"""

from __future__ import annotations

import socket
from typing import Any, TypeAlias, cast
from urllib.parse import unquote, urlsplit

from redis.asyncio import Redis, RedisCluster, Sentinel
from redis.asyncio.cluster import ClusterNode, PipelineCommand
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import SentinelConnectionPool
from redis.backoff import NoBackoff
from redis.cluster import PRIMARY

from pokerroom.coordination.api import UnusableAddress

Client: TypeAlias = Redis | RedisCluster

_CONNECT_S_MAX = 2.0
_SENTINEL_S_MAX = 1.0
_ASKING = "ASKING"
_PORTS = {"sentinel": 26379, "cluster": 6379}
_KEEPALIVE = {socket.TCP_KEEPIDLE: 5, socket.TCP_KEEPINTVL: 2, socket.TCP_KEEPCNT: 3}


class _MasterClient(Redis):
    """The client of a master behind Sentinels. It closes their connections too."""

    async def aclose(self, close_connection_pool: bool | None = None) -> None:
        await super().aclose(close_connection_pool)
        await cast("SentinelConnectionPool", self.connection_pool).sentinel_manager.aclose()


class _RedirectedNode:
    """The node to which a Cluster redirects a command with ASK, while the slot of its key moves there.

    redis-py sends ASKING and the command on two connections, and the node refuses the command then. This sends both on
    one connection.
    """

    def __init__(self, node: ClusterNode) -> None:
        self._node = node

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)

    async def execute_command(self, *command: Any, asking: bool = False, **options: Any) -> Any:
        del asking  # every command here is
        if command == (_ASKING,):
            return None  # goes with the next command
        both = [PipelineCommand(0, _ASKING), PipelineCommand(1, *command, **options)]
        await self._node.execute_pipeline(both)
        result = both[1].result
        if isinstance(result, Exception):
            raise result
        return result


class _ClusterClient(RedisCluster):
    """The client of a Cluster; its slots may move."""

    def get_node(self, host: str | None = None, port: int | None = None, node_name: str | None = None) -> Any:
        """As of redis-py, which calls it with a name to redirect a command with ASK.

        A server that gets its first slots is not known yet: the Cluster names only servers with slots.
        """
        node = super().get_node(host, port, node_name)
        if node_name is None:
            return node
        return _RedirectedNode(self._new_node(node_name) if node is None else node)

    def _new_node(self, name: str) -> ClusterNode:
        host, _, port = name.rpartition(":")
        nodes = self.nodes_manager
        node = ClusterNode(host, int(port), PRIMARY, **nodes.connection_kwargs)
        nodes.set_nodes(nodes.nodes_cache, {node.name: node})
        return node


def redis_client(url: str) -> Client:
    """A client that is not connected yet. Raises `UnusableAddress`.

    It returns bytes and uses RESP2, in which messages of channels are plain lists. It has no timeout, which would cost
    time for each read: `connections` waits as long as each purpose allows. It does not wait between attempts: its users
    know when to try again.
    """
    try:
        return _client(url)
    except UnusableAddress:
        raise
    except ValueError:  # an error of a library may quote part of a password
        raise UnusableAddress("it is not the address of a Redis server") from None


def _client(url: str) -> Client:
    common: dict[str, Any] = {"protocol": 2, "socket_timeout": None, "socket_connect_timeout": _CONNECT_S_MAX}
    once_more = Retry(
        NoBackoff(), 1
    )  # a connection that was idle when the server went finds it out by failing
    if url.startswith("unix://"):
        return Redis.from_url(url, **common, retry=once_more)
    common |= {"socket_keepalive": True, "socket_keepalive_options": _KEEPALIVE}
    scheme, _, kind = urlsplit(url).scheme.partition("+")
    if scheme not in {"redis", "rediss"} or kind not in {"", *_PORTS}:
        raise UnusableAddress("it is not the address of a Redis server")
    if not kind:
        return Redis.from_url(url, **common, retry=once_more)
    parts = urlsplit(url)
    common |= {
        "ssl": scheme == "rediss",
        "username": unquote(parts.username) if parts.username else None,
        "password": unquote(parts.password) if parts.password else None,
    }
    addresses = _addresses(parts.netloc.rpartition("@")[2], _PORTS[kind])
    if kind == "cluster":
        if parts.path.strip("/"):
            raise UnusableAddress("a Redis Cluster has one database: remove the number")
        nodes = [ClusterNode(host, port) for host, port in addresses]
        # redis-py would close all connections after five slots that have moved, also those in use
        return _ClusterClient(
            startup_nodes=nodes, retry=Retry(NoBackoff(), 0), reinitialize_steps=0, **common
        )
    service, _, database = parts.path.strip("/").partition("/")
    if not service or not (database or "0").isdecimal():
        raise UnusableAddress(
            "an address of Sentinels must end with the name of the service: /service or /service/0"
        )
    timeouts = {"socket_timeout": _SENTINEL_S_MAX, "socket_connect_timeout": _SENTINEL_S_MAX}
    sentinels = Sentinel(
        addresses, sentinel_kwargs={**timeouts, "protocol": 2, "retry": Retry(NoBackoff(), 0)}
    )
    client: Redis = sentinels.master_for(
        unquote(service), redis_class=_MasterClient, db=int(database or 0), retry=once_more, **common
    )
    return client


def _addresses(hosts: str, port_default: int) -> list[tuple[str, int]]:
    return [_address(host, port_default) for host in hosts.split(",")]


def _address(text: str, port_default: int) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise UnusableAddress("the address has no host")
    return parts.hostname, port_default if parts.port is None else parts.port

"""The port numbers of a room of several processes on one machine: two that they share, and one each for operations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pokerroom.gateway.listen import ReservedPort, why_not
from pokerroom.ops.config import ListenConfig
from pokerroom.ops.config_reader import ConfigError, ConfigProblem


@contextmanager
def shared_ports(listen: ListenConfig, nodes: int) -> Iterator[list[dict[str, str]]]:
    """Yield the variables that tell each process its ports, in order; the shared ports stay reserved meanwhile.

    The operations port of the first process is that of the settings, those of the others are the next numbers; if the
    system is to choose, it chooses for each. Raises `ConfigError` if a number is in use or not a port.
    """
    with (
        _reserved("game_port", listen.host, listen.game_port) as game,
        _reserved("http_port", listen.host, listen.http_port) as http,
    ):
        yield [
            {
                "POKERROOM_GAME_PORT": str(game.port),
                "POKERROOM_HTTP_PORT": str(http.port),
                "POKERROOM_OPS_PORT": str(port),
            }
            for port in _ops_ports(listen, nodes, {game.port: "game_port", http.port: "http_port"})
        ]


def _ops_ports(listen: ListenConfig, nodes: int, others: dict[int, str]) -> list[int]:
    if listen.ops_port == 0:
        return [0] * nodes
    ports = list(range(listen.ops_port, listen.ops_port + nodes))
    for port in ports:
        if port in others:
            raise _problem(
                "ops_port",
                f"{port} would be the port of one of {nodes} nodes, but is the {others[port]}: set it apart",
            )
    if ports[-1] > 65_535:
        raise _problem("ops_port", f"should leave {nodes} port numbers up to 65535, one for each node")
    return ports


def _reserved(setting: str, host: str, port: int) -> ReservedPort:
    try:
        return ReservedPort(host, port)
    except OSError as error:
        raise _problem(setting, why_not(error, setting, host, port)) from error


def _problem(setting: str, message: str) -> ConfigError:
    return ConfigError([ConfigProblem(line=None, key=setting, message=message)], "the ports of the room")

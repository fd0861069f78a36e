"""The ports of several processes on one machine."""

from __future__ import annotations

import socket

import pytest

from pokerroom.ops.config import ListenConfig
from pokerroom.ops.config_reader import ConfigError
from pokerroom.ports import shared_ports


def listen(**ports):
    return ListenConfig(
        host="127.0.0.1", ops_host="127.0.0.1", **{"game_port": 0, "http_port": 0, "ops_port": 0, **ports}
    )


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


def test_all_share_two_ports_and_have_one_each():
    """The operations ports follow that of the settings."""
    with shared_ports(listen(game_port=(game := free_port()), ops_port=40_000), 3) as ports:
        assert {one["POKERROOM_GAME_PORT"] for one in ports} == {str(game)}
        (http,) = {one["POKERROOM_HTTP_PORT"] for one in ports}
        assert int(http) > 0
        assert [one["POKERROOM_OPS_PORT"] for one in ports] == ["40000", "40001", "40002"]


def test_a_port_that_the_system_chooses_is_the_same_for_all_but_for_operations():
    """Each node has its own there, which the directory knows."""
    with shared_ports(listen(), 2) as (one, two):
        assert one == two
        assert one["POKERROOM_OPS_PORT"] == "0"
        assert one["POKERROOM_GAME_PORT"] != one["POKERROOM_HTTP_PORT"]


def test_a_number_that_is_in_use_is_refused():
    """Before anything is started."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(ConfigError, match=f"on 127.0.0.1:{port} .*set POKERROOM_GAME_PORT to a free port"),
            shared_ports(listen(game_port=port), 2),
        ):
            pass


@pytest.mark.parametrize(
    ("ops_port", "nodes", "sentence"),
    [
        (65_535, 2, "should leave 2 port numbers"),
        ("next", 2, "would be the port of one of 2 nodes, but is the http_port"),
    ],
)
def test_operations_ports_that_cannot_be_are_refused(ops_port, nodes, sentence):
    """They are numbered from the setting, and may not run into the others."""
    http = free_port()
    if ops_port == "next":
        ops_port = http - 1
    with (
        pytest.raises(ConfigError, match=sentence),
        shared_ports(listen(http_port=http, ops_port=ops_port), nodes),
    ):
        pass

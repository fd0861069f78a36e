"""Players with their money at an operator's server: two nodes, one of which is killed, and the books of both sides."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.operator_wallet.server import WalletServer

pytestmark = [pytest.mark.services, pytest.mark.timeout(240)]

MINUTE_AGO = "UPDATE wallet_transfers SET ended = ended - interval '1 minute' WHERE state = 'done'"
"""Money of a debit stays for half a minute, for the buy-in that has asked for it: here that is over at once."""

SECRET = b"s" * 24
CONFIG = """
[listen]
move_clients = false  # players of the node that is killed would lose their connections
[room]
name = "test"
[play_money]
opening_balance = 0
[webhooks]
networks = ["127.0.0.0/8"]
[wallet]
url = "{url}"
secret_file = "{secret_file}"
timeout_s = 1
[[tables]]
id = "t1"
small_blind = 50
"""


@contextmanager
def serving(server: WalletServer) -> Iterator[None]:
    """Serve in a thread: the rooms are other processes."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(server.open(), loop).result(10)
    try:
        yield
    finally:
        asyncio.run_coroutine_threadsafe(server.close(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def test_money_returns_to_the_operators_server_though_a_node_dies(rooms, tmp_path):
    """Both balances are told as one, and a refusal is told; the stack of a dead node's table comes back, too."""
    secret = tmp_path / "secret"
    secret.write_text("whsec_" + base64.b64encode(SECRET).decode())
    server = WalletServer(SECRET, **{"p-1": 10_000, "p-2": 10_000})
    with serving(server):
        config = CONFIG.format(url=server.url, secret_file=secret)
        first, second = (rooms.started(config) for _ in range(2))
        with second.tcp() as alice, second.tcp() as bob:
            for name, player, wallet in (("alice", alice, "p-1"), ("bob", bob, "p-2")):
                assert player.enter(name)["balance"] == 0
                second.command("wallet", "link", name, wallet, port=second.ops_port)
                assert player.ask("get_account")["balance"] == 10_000
            refused = alice.ask("sit_down", table="t1", buy_in=10_001)
            assert (refused["type"], refused["code"]) == ("error", "buy_in_too_large")
            server.balances["p-2"] = 4_000
            assert bob.ask("sit_down", table="t1", buy_in=5_000)["code"] == "wallet_refused"
            server.balances["p-2"] = 10_000
            server.faults.append("unanswered")
            assert alice.ask("sit_down", table="t1", buy_in=5_000)["type"] == "snapshot"
            assert server.total == 15_000
            first.kill()
            until = time.monotonic() + 60
            while alice.ask("stand_up", table="t1")["type"] == "error":
                assert time.monotonic() < until, "the table does not come back"
                time.sleep(0.2)
            rooms.change_the_past(MINUTE_AGO)
            until = time.monotonic() + 60
            while server.total < 20_000:
                assert time.monotonic() < until, "the money does not return"
                time.sleep(0.2)
        told = second.command("wallet", "list", "--waiting", "--json", port=second.ops_port).stdout
        assert json.loads(told) == []
        assert "[]" in told
        assert server.total == 20_000
        second.audit()

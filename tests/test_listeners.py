"""What a node tells at its doors."""

import re
from functools import partial
from types import SimpleNamespace
from typing import Any, cast
from urllib.request import urlopen

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread

from pokerroom.gateway.addresses import AddressPolicy
from pokerroom.gateway.front_page import CONNECT_PATH
from pokerroom.listeners import Listeners
from pokerroom.ops.config import parse
from pokerroom.ops.observer import Observer
from pokerroom.room import Room

CONFIG = """
[listen]
game_port = 0
http_port = 0
[[tables]]
id = "t"
name = "Low stakes"
small_blind = 50
[[ultimate]]
id = "u"
name = "The house"
"""


def read(url):
    with urlopen(url) as answer:
        return answer.read().decode()


def test_the_page_for_programs_names_every_table(run):
    """Of hold'em, and of Ultimate."""
    from twisted.internet import reactor

    room = cast(
        "Room",
        SimpleNamespace(
            sessions=SimpleNamespace(
                make=None, context=SimpleNamespace(addresses=AddressPolicy(per_address=9))
            )
        ),
    )
    clock = cast("Any", reactor)
    soon = partial(clock.callLater, 0)
    doors = Listeners(parse(CONFIG), room, reactor=clock, soon=soon, shared=False, observer=Observer())
    web = doors.open_to_players()[1].split()[3].rstrip("/")
    page = run(deferToThread(read, web + CONNECT_PATH))
    assert ("<li>Low stakes</li>" in page, "<li>The house</li>" in page) == (True, True)
    run(Deferred.fromCoroutine(doors.close_to_players()))


@pytest.mark.parametrize("address", ["192.0.2.7", None], ids=["in a network", "without"])
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_the_address_of_a_room_is_one_to_send_to_a_friend(run, monkeypatch, host, address):
    """A room that listens everywhere names its machine, and its address for devices that do not know the name."""
    from twisted.internet import reactor

    monkeypatch.setattr("socket.getfqdn", lambda: "cards.example")
    monkeypatch.setattr("pokerroom.listeners.network_address", lambda _: address)
    name = "127.0.0.1" if host == "127.0.0.1" else "cards.example"
    sessions = SimpleNamespace(make=None, context=SimpleNamespace(addresses=AddressPolicy(per_address=9)))
    clock = cast("Any", reactor)
    config = parse(CONFIG.replace("[listen]", f'[listen]\nhost = "{host}"'))
    doors = Listeners(
        config,
        cast("Room", SimpleNamespace(sessions=sessions)),
        reactor=clock,
        soon=partial(clock.callLater, 0),
        shared=False,
        observer=Observer(),
    )
    game, web = doors.open_to_players()
    run(Deferred.fromCoroutine(doors.close_to_players()))
    assert re.fullmatch(rf"game protocol over TCP   {name}:\d+", game)
    assert re.match(rf"web and WebSocket        http://{name}:\d+/  \(WebSocket at /ws", web)
    assert ("at each of its addresses" in web) == (host == "0.0.0.0")
    assert bool(re.search(r"; .*: http://192\.0\.2\.7:\d+/\)$", web)) == (
        host == "0.0.0.0" and address is not None
    )

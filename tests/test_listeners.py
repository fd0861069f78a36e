"""What a node tells at its doors."""

from functools import partial
from types import SimpleNamespace
from typing import Any, cast
from urllib.request import urlopen

from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread

from pokerroom.gateway.addresses import AddressPolicy
from pokerroom.gateway.front_page import CONNECT_PATH
from pokerroom.listeners import Listeners
from pokerroom.ops.config import parse
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
        "Room", SimpleNamespace(sessions=SimpleNamespace(make=None, addresses=AddressPolicy(per_address=9)))
    )
    clock = cast("Any", reactor)
    soon = partial(clock.callLater, 0)
    doors = Listeners(parse(CONFIG), room, reactor=clock, soon=soon, shared=False)
    web = doors.open_to_players()[1].split()[3].rstrip("/")
    page = run(deferToThread(read, web + CONNECT_PATH))
    assert ("<li>Low stakes</li>" in page, "<li>The house</li>" in page) == (True, True)
    run(Deferred.fromCoroutine(doors.close_to_players()))

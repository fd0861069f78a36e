"""Every message of the room, as the vectors have it, through the session and both drivers: none is lost on the way."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from pokerroom_protocol import Answered, ClientSession, Encoding, PokerClient, RequestRefused, decode_server
from pokerroom_protocol import messages as m
from tests.protocol import test_client, test_twisted_client, transcripts

VECTORS = json.loads((transcripts.DIRECTORY.parent / "vectors" / "server.json").read_text(encoding="utf-8"))
MESSAGES = [decode_server(json.dumps(vector["json"]).encode(), Encoding.JSON) for vector in VECTORS]
EVENTS = [message for message in MESSAGES if isinstance(message, m.TableEvent)]
ANSWERS = [message for message in MESSAGES if getattr(message, "re", None) is not None]
TOLD = [
    message
    for message in MESSAGES
    if not hasattr(message, "re") and not isinstance(message, m.TableEvent | m.Goodbye)
]


def before(event: m.TableEvent) -> m.Snapshot | m.UltimateSnapshot:
    """A snapshot of such a table, of the moment before it."""
    kind = m.Snapshot if isinstance(event, m.HoldemEvent | m.TournamentEvent) else m.UltimateSnapshot
    shown = next(message for message in MESSAGES if isinstance(message, kind))
    return replace(shown, table=event.table, seq=event.seq - 1, re=None)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_a_session_follows_every_event(event):
    """It is told, its table has its number, and no snapshot is asked for."""
    session = ClientSession(Encoding.JSON)
    session.take(before(event))

    assert session.take(event) == [event]
    assert {**session.tables, **session.ultimate_tables}[event.table].seq == event.seq
    assert session.bodies_to_send() == []


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: type(answer).__name__)
def test_a_session_gives_every_answer_to_its_request(answer):
    """Whatever the answer is, it belongs to the request of its number."""
    session = ClientSession(Encoding.JSON)
    number = session.request(m.Ping(id=0))
    happened = session.take(replace(answer, re=number))

    assert [one.request.id for one in happened if isinstance(one, Answered)] == [number]


def script() -> Callable[[m.ClientMessage], list[Any]]:
    """A room that says everything at the first `ping`, and gives one answer after the other.

    What the session asks by itself, as when its player is moved, gets no answer.
    """
    left = list(ANSWERS)
    loose = [message for event in EVENTS for message in (before(event), event)] + TOLD

    def answers(request: m.ClientMessage) -> list[Any]:
        if isinstance(request, m.Hello):
            return [m.Welcome(re=request.id, **test_client.WELCOME)]
        if not isinstance(request, m.Ping):
            return []
        said = [*loose, replace(left.pop(0), re=request.id)]
        loose.clear()
        return said

    return answers


def expected() -> list[str]:
    """The kinds of what happens, in order; a snapshot that answers happens, too."""
    kinds = [type(message).__name__ for event in EVENTS for message in (before(event), event)]
    kinds += [type(message).__name__ for message in TOLD]
    return kinds + [
        type(answer).__name__ for answer in ANSWERS if isinstance(answer, m.Snapshot | m.UltimateSnapshot)
    ]


async def ask_for_all(client: Any) -> list[str]:
    """The kinds of the answers."""
    got = []
    for answer in ANSWERS:
        try:
            got.append(type(await client.request(m.Ping(id=0), type(answer))).__name__)
        except RequestRefused:
            got.append("Error")
    return got


def test_the_asyncio_driver_hands_on_everything():
    """Answers go to their callers, everything else comes in order."""

    async def scenario(port):
        client = await PokerClient.connect("127.0.0.1", port)
        answers = await ask_for_all(client)
        happened = [type(await anext(client)).__name__ for _ in expected()]
        client.close()
        return answers, happened

    answers, happened = test_client.played(script(), scenario)

    assert answers == [type(answer).__name__ for answer in ANSWERS]
    assert happened == expected()


def test_the_twisted_driver_hands_on_everything(run, monkeypatch):
    """As the one for asyncio."""
    monkeypatch.setattr(test_twisted_client, "script", script())

    answers, happened, _ = test_twisted_client.played(run, ask_for_all)

    assert answers == [type(answer).__name__ for answer in ANSWERS]
    assert [type(message).__name__ for message in happened] == expected()

"""The transcripts: what the real room plays today, and what a client makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pokerroom_protocol import Answered, ClientSession, Encoding, decode_request, decode_server, encode
from pokerroom_protocol._declarations import REQUESTS
from pokerroom_protocol.messages import Error, Snapshot
from tests.protocol import transcripts

# What any request can be refused with.
COMMON = {"bad_message", "rate_limited", "unavailable", "internal", "unknown_table", "table_frozen"}


def entries(name: str) -> list[dict[str, Any]]:
    lines = (transcripts.DIRECTORY / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def names() -> list[str]:
    return sorted(path.stem for path in transcripts.DIRECTORY.glob("*.jsonl"))


def played(name: str) -> Iterator[tuple[ClientSession, list[Any]]]:
    """The session and what has happened, after each message of the room; a new connection has a new session."""
    session = ClientSession(Encoding.JSON)
    for entry in entries(name):
        if entry["from"] == "note":
            session = ClientSession(Encoding.JSON)
            continue
        body = json.dumps(entry["message"]).encode()
        if entry["from"] == "client":
            request = decode_request(body, Encoding.JSON)
            assert request.id == session.request(request)
            assert [request] == [decode_request(sent, Encoding.JSON) for sent in session.bodies_to_send()]
        else:
            yield session, session.receive(body)


def test_the_stories_are_what_the_room_plays_today():
    """Played again, every story gives the same file to the letter, and there is no file without a story."""
    assert names() == sorted(transcripts.STORIES)
    for name in transcripts.STORIES:
        path = transcripts.DIRECTORY / f"{name}.jsonl"
        assert path.read_text(encoding="utf-8") == transcripts.transcript(name), (
            f"{path.name}: run python -m tests.protocol.transcripts"
        )


@pytest.mark.parametrize("name", names())
def test_a_session_takes_every_message(name):
    """Every request is valid and in turn, every message of the room is an answer or an event that is taken."""
    happenings = []
    for _, taken in played(name):
        assert taken
        happenings += taken

    requests = [entry for entry in entries(name) if entry["from"] == "client"]
    assert len(requests) == sum(isinstance(happening, Answered) for happening in happenings)


@pytest.mark.parametrize("name", names())
def test_answers_are_the_declared_ones(name):
    """Each request is declared with its answers and refusals."""
    for _, taken in played(name):
        for happening in taken:
            if isinstance(happening, Answered):
                rules = REQUESTS[happening.request.__struct_config__.tag]
                if isinstance(happening.answer, Error):
                    assert happening.answer.code in {*rules.refusals, *COMMON}
                else:
                    assert happening.answer.__struct_config__.tag in rules.answers


@pytest.mark.parametrize("name", names())
def test_the_room_sends_every_field(name):
    """What the room says has all fields of its message, also those with a default."""
    for entry in entries(name):
        if entry["from"] == "room":
            message = decode_server(json.dumps(entry["message"]).encode(), Encoding.JSON)
            assert entry["message"] == json.loads(encode(message, Encoding.JSON))


@pytest.mark.parametrize("name", sorted({*transcripts.STORIES} - {"one_round"}))
def test_no_chip_is_lost_in_a_hand(name):
    """A2: while a hand is played, stacks, bets and pots add up to what was brought to it."""
    totals: dict[str, set[int]] = {}
    for session, _ in played(name):
        for table in session.tables.values():
            if table.hand is not None:
                totals.setdefault(table.hand.hand_id, set()).add(_chips(table))

    assert totals
    assert all(len(found) == 1 for found in totals.values()), totals


def _chips(table: Snapshot) -> int:
    assert table.hand is not None
    return sum(seat.stack + seat.bet for seat in table.seats) + sum(pot.amount for pot in table.hand.pots)


def test_a_side_pot_is_told():
    """F2: the story with a side pot has two pots of different winners, and an uncalled bet."""
    kinds = [entry["message"] for entry in entries("side_pot") if entry["from"] == "room"]
    awarded = [message for message in kinds if message["type"] == "pot_awarded" and message["amount"] > 200]

    assert [message["pot"] for message in awarded] == [1, 0]
    assert len({share["seat"] for message in awarded for share in message["shares"]}) == 2
    assert any(message["type"] == "uncalled_bet" for message in kinds)


def test_a_player_who_comes_back_has_their_cards_and_more_time():
    """H4: after the reconnection the snapshot has one's own cards, and the decision a later deadline."""
    messages = [entry["message"] for entry in entries("reconnect") if entry["from"] == "room"]
    [before] = [m for m in messages if m["type"] == "turn" and m["seat"] == 1 and m["call_amount"] == 400]
    after = next(m for m in reversed(messages) if m["type"] == "snapshot")

    assert after["hand"]["turn"]["seq"] > before["seq"]
    assert after["hand"]["turn"]["deadline_ms"] > before["deadline_ms"]
    assert [seat["cards"] for seat in after["seats"] if seat["seat"] == 1] == [["As", "Td"]]


def rooms_messages(name: str, kind: str) -> list[dict[str, Any]]:
    """What the room has said of a type."""
    said = [entry["message"] for entry in entries(name) if entry["from"] == "room"]
    return [message for message in said if message["type"] == kind]


def end_of(name: str) -> ClientSession:
    """The session after everything."""
    *_, (session, _) = played(name)
    return session


def test_the_worked_tournament_pays_what_was_paid_in():
    """I1: prizes and fee add up to all buy-ins, each prize goes to its place, and the winner's wallet has the prize."""
    [standings] = rooms_messages("sit_and_go", "standings")
    [account] = rooms_messages("sit_and_go", "account")
    [opening] = rooms_messages("sit_and_go", "authenticated")
    told = [
        (one["name"], one["place"], one["prize"]) for one in rooms_messages("sit_and_go", "player_placed")
    ]

    assert sum(standings["prizes"]) == standings["seats"] * (standings["buy_in"] - standings["fee"])
    assert [one["prize"] for one in standings["places"]] == [*standings["prizes"], 0]
    assert told == [(one["name"], one["place"], one["prize"]) for one in reversed(standings["places"])]
    assert account["balance"] == opening["balance"] - standings["buy_in"] + standings["prizes"][0]
    assert [one["level"]["level"] for one in rooms_messages("sit_and_go", "level_started")] == [2]
    assert [table.tournament.phase for table in end_of("sit_and_go").tables.values()] == ["finished"]


def test_the_worked_rounds_keep_every_unit():
    """What goes back for the bets of each round, less what they were, is what the wallet has gained."""
    [opening] = rooms_messages("one_round", "authenticated")
    [account] = rooms_messages("one_round", "account")
    rounds = [message["boxes"][0] for message in rooms_messages("one_round", "round_ended")]
    gains = [sum(bet["paid"] - bet["staked"] for bet in box["bets"]) for box in rounds]

    assert [box["outcome"] for box in rounds] == ["won", "folded"]
    assert gains == [600, -1_000]
    assert account["balance"] == opening["balance"] + sum(gains)
    table = end_of("one_round").ultimate_tables["uth-1"]
    assert (table.round, table.your_box, [place.box for place in table.places]) == (None, None, [4])

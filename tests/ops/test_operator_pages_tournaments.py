"""The operator's pages for sit-and-gos: what they show, which orders they take, and which node carries them out."""

from __future__ import annotations

import json

import msgspec
import pytest

from tests.ops.fake_rooms import OPERATOR, Asked, FakeRoom, FakeRooms, forwarded, node, token
from tests.ops.fake_tournaments import DETAIL, FILLING, RUNNING, FakeSitAndGos

ASKED = ["cancel", "roll_back", "roll_forward", "pause", "resume"]


class AskedSng(Asked):
    """One request to the pages of a node with sit-and-gos."""

    def __init__(self, request, sit_and_gos, headers=None, rooms=None):
        super().__init__(request, FakeRoom(), headers, rooms=rooms, tournaments=sit_and_gos)


@pytest.fixture
def sit_and_gos():
    return FakeSitAndGos()


def plain(value):
    return json.loads(msgspec.json.encode(value))


def test_what_fills_and_what_runs_is_told_with_where(sit_and_gos):
    """What runs has its node and what its table does."""
    status, found = AskedSng("GET /v1/sit_and_gos", sit_and_gos).json
    assert status == 200
    assert found == [plain(FILLING), {**plain(RUNNING), "node": "n1", "state": "betting"}]


def test_one_is_told_whole(sit_and_gos):
    """With entries and places; one that never was is refused by its code."""
    status, found = AskedSng("GET /v1/sit_and_gos/one", sit_and_gos).json
    assert status == 200
    assert found == {**plain(DETAIL), "report": {**plain(RUNNING), "node": "n1", "state": "betting"}}
    status, refused = AskedSng("GET /v1/sit_and_gos/six.9", sit_and_gos).json
    assert (status, refused["code"]) == (404, "unknown_tournament")


def test_an_id_is_text_that_the_ledger_can_look_up(sit_and_gos):
    """PostgreSQL has no zero byte."""
    asked, one = [], sit_and_gos.one
    sit_and_gos.one = lambda tournament: asked.append(tournament) or one(tournament)
    assert AskedSng("GET /v1/sit_and_gos/%00one", sit_and_gos).json[0] == 404
    assert asked == ["?one"]


@pytest.mark.parametrize("what", ASKED)
def test_what_is_asked_is_done(sit_and_gos, what):
    """And answered when it is done."""
    answer = AskedSng(f"POST /v1/sit_and_gos/one/{what}", sit_and_gos, OPERATOR)
    assert answer.json == (200, {"tournament": "one", "asked": what})
    assert sit_and_gos.asked == [(what, "one")]


def test_a_refusal_is_a_conflict_with_its_code(sit_and_gos):
    """As for tables."""
    sit_and_gos.refuses = "tournament_prizes_won"
    status, refused = AskedSng("POST /v1/sit_and_gos/one/roll_back", sit_and_gos, OPERATOR).json
    assert (status, refused["code"]) == (409, "tournament_prizes_won")


@pytest.mark.parametrize(
    ("request_line", "headers", "expected"),
    [
        ("POST /v1/sit_and_gos/one/cancel", {"Authorization": None}, (401, "token_missing")),
        ("POST /v1/sit_and_gos/one/cancel", token("viewer"), (403, "not_permitted")),
        (
            "POST /v1/sit_and_gos/one/cancel",
            {**OPERATOR, "Origin": "http://evil.example"},
            (403, "origin_refused"),
        ),
        ("GET /v1/sit_and_gos/one/cancel", OPERATOR, (405, "method_not_allowed")),
        ("POST /v1/sit_and_gos/one", OPERATOR, (405, "method_not_allowed")),
        ("POST /v1/sit_and_gos", OPERATOR, (405, "method_not_allowed")),
        ("POST /v1/sit_and_gos/one/explode", OPERATOR, (404, "not_found")),
        ("POST /v1/sit_and_gos/one/cancel/now", OPERATOR, (404, "not_found")),
    ],
)
def test_no_other_account_and_nothing_else_is_heard(sit_and_gos, request_line, headers, expected):
    """Web pages and typing errors change nothing."""
    status, refused = AskedSng(request_line, sit_and_gos, headers).json
    assert (status, refused["code"]) == expected
    assert sit_and_gos.asked == []


def test_what_runs_elsewhere_is_passed_on_to_its_owner(sit_and_gos):
    """Once: a node that gets a forwarded order answers for itself."""
    rooms = FakeRooms(node("n1", "one"), node("n2", tournaments=("tournament:far",)))
    rooms.answers["n2:4192"] = 200, b'{"tournament": "far", "asked": "pause"}'
    answer = AskedSng("POST /v1/sit_and_gos/far/pause", sit_and_gos, OPERATOR, rooms)
    assert answer.json == (200, {"tournament": "far", "asked": "pause"})
    assert rooms.asked == [("n2:4192", "POST", "/v1/sit_and_gos/far/pause", "admin-1")]
    path = "/v1/sit_and_gos/far/pause"
    again = AskedSng(f"POST {path}", sit_and_gos, forwarded("POST", path), rooms)
    assert again.json[1]["code"] == "table_elsewhere"
    assert len(rooms.asked) == 1


def test_one_that_no_node_has_at_the_moment_is_said_to_be_so(sit_and_gos):
    """Its owner has died; in a moment it is another's."""
    status, refused = AskedSng("POST /v1/sit_and_gos/far/pause", sit_and_gos, OPERATOR).json
    assert (status, refused["code"]) == (409, "table_unowned")

"""Operating a room of several nodes from any of them."""

from __future__ import annotations

import json

import pytest
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.task import Clock

from pokerroom.ledger.operators import Operator, Role
from pokerroom.ops.neighbours import ANSWER_S, Neighbours, http_ask, told_address
from tests.ops.fake_rooms import (
    OPERATOR,
    Asked,
    FakeRoom,
    FakeRooms,
    counted_minutes,
    forwarded,
    node,
    operator_site,
    passes,
    token,
)


@pytest.fixture
def room():
    return FakeRoom()


@pytest.fixture
def rooms():
    return FakeRooms(node("n1", "one", "two"), node("n2", "far", leader=False))


def table(name="far", **changes):
    told = {
        "table": name, "node": "n2", "name": "Table far", "state": "betting", "closing": False, "hand_id": "h9",
        "seats": 6, "occupied": 3, "connected": 3, "waiting": 1, "crashes": 0, "frozen": None, "host": None,
    }  # fmt: skip
    return {**told, **changes}


def test_the_tables_of_all_nodes_are_told(room, rooms):
    """In the order of the settings, each as its owner tells it; the owner is asked for its own alone."""
    rooms.answers["n2:4192"] = 200, json.dumps([table("one"), table()]).encode()
    status, told = Asked("GET /v1/tables", room, rooms=rooms).json
    assert status == 200
    assert [(one["table"], one["node"], one["state"]) for one in told] == [
        ("one", "n1", "betting"),
        ("two", "n1", "frozen"),
        ("far", "n2", "betting"),
    ]
    assert told[2] == table()
    assert rooms.asked == [("n2:4192", "GET", "/v1/tables", "admin-1")]


@pytest.mark.parametrize(
    "answer",
    [ConnectionRefusedError(), TimeoutError(), (500, b"{}"), (200, b"<p>"), (200, b'[{"table": 1}]')],
    ids=["refused", "late", "error", "text", "other JSON"],
)
def test_a_node_that_does_not_answer_holds_nothing_up(room, rooms, answer):
    """Its tables are told as unreachable, with where they live; all others are told."""
    rooms.answers["n2:4192"] = answer
    status, told = Asked("GET /v1/tables", room, rooms=rooms).json
    assert (status, [one["state"] for one in told]) == (200, ["betting", "frozen", "unreachable"])
    assert told[2]["node"] == "n2"


def test_what_answers_at_the_address_of_another_node_is_not_believed(room, rooms):
    """A loopback address of another machine is this machine's: an answer names its node."""
    rooms.answers["n2:4192"] = 200, json.dumps([table(node="n1")]).encode()
    assert Asked("GET /v1/tables", room, rooms=rooms).json[1][2]["state"] == "unreachable"


def test_a_table_that_no_node_has_is_told(room, rooms):
    """Its last owner is gone, and no node has taken it yet."""
    rooms.known[1] = node("n2", "far", living=False)
    told = Asked("GET /v1/tables", room, rooms=rooms).json[1][2]
    assert (told["node"], told["state"]) == (None, "unowned")
    assert rooms.asked == []


def test_a_node_that_is_asked_by_another_tells_of_its_own_tables(room, rooms):
    """Nobody else is asked, so that no question goes in a circle."""
    told = Asked("GET /v1/tables", room, forwarded("GET", "/v1/tables"), rooms=rooms).json[1]
    assert [one["state"] for one in told] == ["betting", "frozen", "elsewhere"]
    assert rooms.asked == []


@pytest.mark.parametrize("what", ["close", "open", "freeze", "resume", "void"])
def test_what_is_asked_of_a_table_elsewhere_is_passed_on_to_its_owner(room, rooms, what):
    """For the operator who asks, with the reason; what the owner answers is the answer."""
    rooms.answers["n2:4192"] = 409, b'{"code":"not_frozen","message":"No."}\n'
    path = f"/v1/tables/far/{what}?reason=a+%C3%BC%26b"
    asked = Asked(f"POST {path}", room, token("floor"), rooms=rooms)
    assert asked.json == (409, {"code": "not_frozen", "message": "No."})
    assert rooms.asked == [("n2:4192", "POST", path, "floor-1")]


def test_one_table_elsewhere_is_asked_of_its_owner(room, rooms):
    """With its path written as a path is."""
    rooms.answers["n2:4192"] = 200, json.dumps({"report": table(), "seats": []}).encode()
    assert Asked("GET /v1/tables/far", room, token("viewer"), rooms=rooms).json[1]["report"] == table()
    assert rooms.asked == [("n2:4192", "GET", "/v1/tables/far", "viewer-1")]
    again = Asked("GET /v1/tables/far", room, forwarded("GET", "/v1/tables/far"), rooms=rooms).json
    assert (again[0], again[1]["code"]) == (409, "table_elsewhere")


def test_what_all_nodes_tell_of_themselves(room, rooms):
    """One that does not answer, or that is another node, is left out; a node that is asked asks no other."""
    other = {
        "node": "n2",
        "at_ms": 5,
        "reasons": [],
        "hands": 9,
        "rounds": 0,
        "actions": 30,
        "connections": {},
    }
    for answer, told in (
        ((200, json.dumps([other]).encode()), ["n1", "n2"]),
        ((200, json.dumps([{**other, "node": "n3"}]).encode()), ["n1"]),
        (TimeoutError(), ["n1"]),
    ):
        rooms.answers["n2:4192"] = answer
        assert [one["node"] for one in Asked("GET /v1/now", room, rooms=rooms).json[1]] == told
    rooms.asked.clear()
    told = Asked("GET /v1/now", room, forwarded("GET", "/v1/now"), rooms=rooms).json[1]
    assert ([one["node"] for one in told], rooms.asked) == (["n1"], [])


def test_the_charts_of_all_nodes(room, rooms):
    """One that does not answer, as one of an earlier version, is left out; a node that is asked asks no other."""
    other = {**json.loads(Asked("GET /v1/charts?minutes=2&step=1", room).answer[2])[0], "node": "n2"}
    for answer, told in (
        ((200, json.dumps([other]).encode()), ["n1", "n2"]),
        ((200, json.dumps([{**other, "node": "n3"}]).encode()), ["n1"]),
        ((404, b'{"code": "not_found", "message": "There is no such page."}'), ["n1"]),
        (TimeoutError(), ["n1"]),
    ):
        rooms.answers["n2:4192"] = answer
        found = Asked("GET /v1/charts?minutes=2&step=1", room, token("viewer"), rooms=rooms).json[1]
        assert [one["node"] for one in found] == told
    assert {path for *_, path, _ in rooms.asked} == {"/v1/charts?minutes=2&step=1"}
    rooms.asked.clear()
    headers = forwarded("GET", "/v1/charts?minutes=2")
    found = Asked("GET /v1/charts?minutes=2", room, headers, rooms=rooms).json[1]
    assert ([one["node"] for one in found], rooms.asked) == (["n1"], [])


WEEK_MS = 7 * 24 * 60 * 60_000


@pytest.mark.parametrize(
    ("wrong", "left_out"),
    [
        (lambda told: {}, False),
        (lambda told: {name: told[name] + 120_000 for name in ("first_ms", "until_ms")}, False),
        (lambda told: {name: told[name] - 180_000 for name in ("first_ms", "until_ms")}, True),
        (lambda told: {name: told[name] + WEEK_MS for name in ("first_ms", "until_ms")}, True),
        (lambda told: {"first_ms": 0}, True),
        (lambda told: {"until_ms": told["until_ms"] + 60_000}, True),
        (lambda told: {name: told[name] + 1 for name in ("first_ms", "until_ms")}, True),
        (lambda told: {"step": 2}, True),
        (lambda told: {"minutes": [0, 0, 0], "hands": [None, None, 3]}, True),
        (lambda told: {"minutes": [0, 1, 2]}, True),
        (lambda told: {"hands": [1]}, True),
        (lambda told: {"hands": [None, None, None]}, True),
        (lambda told: {"hands": [None, 1, -1]}, True),
        (lambda told: {"hands": [None, 1, "2"]}, True),
        (lambda told: {"processor": [None, None, 4]}, False),
    ],
    ids=["as it is", "two steps ahead", "three behind", "a week ahead", "since 1970", "longer", "between steps",
         "other steps", "a number of no minute", "more minutes than a step", "shorter", "a gap in known minutes",
         "less than 0", "a text", "no load known"],
)  # fmt: skip
def test_charts_that_do_not_fit_are_left_out(room, rooms, wrong, left_out):
    """As those of a node that does not answer; without that a clock of 1970 makes millions of columns."""
    minutes = counted_minutes(1, 2)
    told = json.loads(Asked("GET /v1/charts?minutes=3&step=1", room, minutes=minutes).answer[2])[0]
    other = {**told, "node": "n2"}
    rooms.answers["n2:4192"] = 200, json.dumps([{**other, **wrong(other)}]).encode()
    found = Asked("GET /v1/charts?minutes=3&step=1", room, rooms=rooms, minutes=minutes).json[1]
    assert [one["node"] for one in found] == (["n1"] if left_out else ["n1", "n2"])


@pytest.mark.parametrize(
    ("headers", "code"), [({"Authorization": None}, "token_missing"), (token("viewer"), "not_permitted")]
)
def test_nothing_is_passed_on_for_those_who_may_not(room, rooms, headers, code):
    """The node that is asked lends its own rights to no client."""
    assert Asked("POST /v1/tables/far/close", room, headers, rooms=rooms).json[1]["code"] == code
    assert rooms.asked == []


def test_what_was_passed_on_is_not_passed_on_again(room, rooms):
    """The table has moved in between: where it is now is told, to be asked again."""
    headers = forwarded("POST", "/v1/tables/far/close")
    status, error = Asked("POST /v1/tables/far/close", room, headers, rooms=rooms).json
    assert (status, error["code"]) == (409, "table_elsewhere")
    assert "n2 (n2:4192)" in error["message"]
    assert rooms.asked == []


@pytest.mark.parametrize("ops", ["n2:4192", ""])
def test_an_owner_that_does_not_answer_is_told_with_where_the_table_is(room, rooms, ops):
    """502; it may have heard."""
    rooms.known[1] = node("n2", "far", ops=ops)
    rooms.answers["n2:4192"] = TimeoutError("no answer in time")
    status, error = Asked("POST /v1/tables/far/freeze", room, OPERATOR, rooms=rooms).json
    assert (status, error["code"]) == (502, "node_unreachable")
    assert "Node n2" in error["message"]


def test_a_table_without_an_owner_cannot_be_asked(room, rooms):
    """409, to be tried again: a node takes it in a moment."""
    rooms.known.pop()
    status, error = Asked("POST /v1/tables/far/freeze", room, OPERATOR, rooms=rooms).json
    assert (status, error["code"]) == (409, "table_unowned")


def test_the_nodes_are_told_as_the_directory_knows_them(room, rooms):
    """By any of them; a node that lives no longer is listed until it is forgotten."""
    rooms.known.append(node("n3", living=False, leader=False))
    status, told = Asked("GET /v1/nodes", room, rooms=rooms).json
    assert status == 200
    assert [(one["node"], one["here"], one["living"]) for one in told] == [
        ("n1", True, True),
        ("n2", False, True),
        ("n3", False, False),
    ]
    assert told[1] == {
        "node": "n2", "here": False, "living": True, "leader": False, "draining": False, "suspended": False,
        "tournaments": [], "tables": ["far"], "seats": 7, "ops": "n2:4192", "uptime_s": 3725,
    }  # fmt: skip


def test_a_table_is_moved_to_the_node_that_is_named(room, rooms):
    """Its owner is told; one that lives elsewhere is passed on with the node."""
    assert Asked("POST /v1/tables/one/move/n2", room, OPERATOR, rooms=rooms).json == (
        202,
        {"table": "one", "asked": "move", "node": "n2", "hand_id": None},
    )
    assert room.asked == [("move", "one", "n2")]
    rooms.answers["n2:4192"] = 202, b"{}\n"
    Asked("POST /v1/tables/far/move", room, OPERATOR, rooms=rooms)
    assert [path for _, _, path, _ in rooms.asked] == ["/v1/tables/far/move/n1"]


def test_a_table_moves_to_the_node_with_the_fewest_tables_if_none_is_named(room, rooms):
    """Of those that live and stay, and never to where it is."""
    rooms.known += [node("n3", "a", "b"), node("n4"), node("n5", draining=True), node("n0", living=False)]
    Asked("POST /v1/tables/one/move", room, OPERATOR, rooms=rooms)
    assert room.asked == [("move", "one", "n4")]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("one/move/n9", 404, "unknown_node"),
        ("one/move/n3", 404, "unknown_node"),
        ("one/move/n4", 409, "node_draining"),
        ("one/move/n1", 409, "already_there"),
        ("far/move/n2", 409, "already_there"),
        ("none/move/n2", 404, "unknown_table"),
        ("none/move", 404, "unknown_table"),
    ],
)
def test_a_table_that_cannot_move_there_stays(room, rooms, path, status, code):
    """The node must live and stay; no owner is asked."""
    rooms.known += [node("n3", living=False), node("n4", draining=True)]
    answered = Asked(f"POST /v1/tables/{path}", room, OPERATOR, rooms=rooms).json
    assert (answered[0], answered[1]["code"]) == (status, code)
    assert rooms.asked == []


def test_a_room_of_one_node_has_nowhere_to_move_a_table(room):
    """409."""
    status, error = Asked("POST /v1/tables/one/move", room, OPERATOR).json
    assert (status, error["code"]) == (409, "no_other_node")


# --- over HTTP --------------------------------------------------------------------------------------------------------


@pytest.fixture
def listening(run):
    """Makes a site listen; returns its address."""
    from twisted.internet import reactor

    ports = []

    def listen(site):
        ports.append(reactor.listenTCP(0, site, interface="127.0.0.1"))
        return f"127.0.0.1:{ports[-1].getHost().port}"

    yield listen
    for port in ports:
        run(maybeDeferred(port.stopListening))


def test_one_node_asks_another_over_http(run, listening, room):
    """Status and body come as they are, with the headers that let it through."""
    from twisted.internet import reactor

    address = listening(operator_site(room))
    ask, path = http_ask(reactor), "/v1/tables/two/freeze?reason=why"
    status, body = run(ask(address, "POST", path, forwarded("POST", path)))
    assert (status, json.loads(body)["asked"]) == (202, "freeze")
    assert room.asked == [("freeze", "two")]
    assert run(ask(address, "POST", "/v1/tables/two/freeze", {}))[0] == 401
    assert run(ask(address, "GET", "/v1/tables", forwarded("GET", "/v1/tables")))[0] == 200


def test_the_charts_of_another_node_come_over_http(run, listening, room):
    """The pass is for the path with its query. An answer in another node's name is left out."""
    from twisted.internet import reactor

    address = listening(operator_site(room, minutes=counted_minutes(1, 2)))
    rooms = FakeRooms(node("n1", here=False, ops=address), node("n2", here=True))
    neighbours = Neighbours(lambda: rooms.known, http_ask(reactor), passes("n2"))
    own = counted_minutes(7, node="n2").charts(3, 1)
    (told,) = run(Deferred.fromCoroutine(neighbours.charts(Operator("ann", Role.VIEWER), 3, own)))
    assert (told.node, told.hands, told.connections) == ("n1", (None, 1, 2), (None, 5, 5))


def test_no_node_at_the_address_is_an_error_of_connections(run, listening):
    """As `Ask` documents."""
    import socket

    from twisted.internet import reactor

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    rooms = FakeRooms(node("n1"), node("n2", "far", ops=f"127.0.0.1:{port}"))
    neighbours = Neighbours(lambda: rooms.known, http_ask(reactor), passes("n1"))
    assert run(Deferred.fromCoroutine(neighbours.tables(Operator("ann", Role.VIEWER)))) == {}


def test_a_node_that_does_not_answer_is_not_waited_for_longer_than_agreed(run, listening, room):
    """`TimeoutError` after `ANSWER_S`, though the connection stands."""
    from twisted.internet import reactor

    room.waits = Deferred()
    address = listening(operator_site(room))
    clock = Clock()

    class Reactor:
        """The real one, with time that the test lets pass."""

        def __getattr__(self, name):
            return getattr(clock if name in {"callLater", "seconds"} else reactor, name)

    asked = http_ask(Reactor())(address, "GET", "/v1/timeouts", OPERATOR)
    outcome = []
    asked.addBoth(outcome.append)
    clock.advance(ANSWER_S - 1)
    assert outcome == []
    clock.advance(1)
    assert outcome[0].check(TimeoutError)
    room.waits.callback(None)


@pytest.mark.parametrize(
    ("host", "told"),
    [("127.0.0.1", "127.0.0.1:4192"), ("::1", "[::1]:4192"), ("ops.example", "ops.example:4192")],
)
def test_the_address_that_is_told_is_the_one_listened_on(host, told):
    """As in a URL."""
    assert told_address(host, 4192) == told


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a_node_that_listens_everywhere_is_told_by_the_machines_name(monkeypatch, host):
    """Another machine cannot reach an address that stands for all."""
    monkeypatch.setattr("socket.getfqdn", lambda: "node7.example")
    assert told_address(host, 4192) == "node7.example:4192"

"""Orders to nodes at the operations port: a node gives up its tables, also where another one is asked."""

import json

import pytest

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.operators import Role
from pokerroom.ops.operator_commands import QUERIES
from pokerroom.ops.operator_roles import VERBS
from tests.ops.fake_rooms import Asked, FakeRoom, FakeRooms, forwarded, node, token

HERE = "POST /v1/nodes/n1/drain?reason=new+build"


@pytest.fixture
def rooms():
    """Two nodes that take tables."""
    return FakeRooms(node("n1", "one", "two"), node("n2", "far"))


def test_a_node_is_told_to_give_up_its_tables(run, rooms):
    """It has begun when the answer comes; the order has its lines of the log."""
    room, ledger = FakeRoom(), MemoryLedger()
    assert Asked(HERE, room, rooms=rooms, log=ledger).json == (202, {"node": "n1", "asked": "drain"})
    assert room.asked == [("drain", "n1")]
    assert rooms.asked == []
    done, ordered = run(ledger.log_lines(LogQuery(verb="node.drain")))
    assert [(line.subject, line.by.reason) for line in (done, ordered)] == [("n1", "new build")] * 2
    assert (ordered.result, done.result) == ("ordered", "done")


def test_another_node_is_asked(rooms):
    """With the name of the operator and the reason; its answer is passed on."""
    room = FakeRoom()
    rooms.answers["n2:4192"] = 202, b'{"node":"n2","asked":"drain"}'
    asked = Asked("POST /v1/nodes/n2/drain?reason=new+build", room, rooms=rooms)
    assert asked.json == (202, {"node": "n2", "asked": "drain"})
    assert rooms.asked == [("n2:4192", "POST", "/v1/nodes/n2/drain?reason=new+build", "admin-1")]
    assert room.asked == []


def test_a_node_takes_the_order_from_another_one(rooms):
    """It checks the role again, and the one that was asked first logs."""
    room, ledger = FakeRoom(), MemoryLedger()
    path = HERE.split()[1]
    status, _ = Asked(HERE, room, forwarded("POST", path), rooms=rooms, log=ledger).json
    assert (status, room.asked) == (202, [("drain", "n1")])


def test_a_node_that_does_not_answer_may_have_the_order(rooms):
    """The operator is told so."""
    status, error = Asked("POST /v1/nodes/n2/drain", FakeRoom(), rooms=rooms).json
    assert (status, error["code"]) == (502, "node_unreachable")


@pytest.mark.parametrize(
    ("others", "line", "code"),
    [
        ([], HERE, "no_other_node"),
        ([node("n2", draining=True)], HERE, "no_other_node"),
        ([node("n2", living=False)], HERE, "no_other_node"),
        ([node("n2")], "POST /v1/nodes/n9/drain", "unknown_node"),
        ([node("n2", living=False)], "POST /v1/nodes/n2/drain", "unknown_node"),
    ],
)
def test_tables_stay_where_no_other_node_takes_them(others, line, code):
    """Nothing is done, and the code says why."""
    room = FakeRoom()
    status, error = Asked(line, room, rooms=FakeRooms(node("n1", "one"), *others)).json
    assert (status, error["code"]) == (404 if code == "unknown_node" else 409, code)
    assert room.asked == []


@pytest.mark.parametrize("role", Role)
def test_the_order_is_for_its_roles(rooms, role):
    """A role without the verb drains nothing."""
    room = FakeRoom()
    status = Asked(HERE, room, token(role), rooms=rooms).json[0]
    assert status == (202 if role in VERBS["node.drain"] else 403)
    assert bool(room.asked) is (status == 202)


@pytest.mark.parametrize(
    ("tables", "tournaments", "words"),
    [(("one",), (), "living, draining"), ((), ("six.1",), "living, draining"), ((), (), "living, drained")],
)
def test_the_list_of_nodes_says_when_one_is_drained(tables, tournaments, words):
    """When it has neither tables nor tournaments left."""
    (table,) = QUERIES["nodes"].show([node("n2", *tables, draining=True, tournaments=tournaments)])
    assert table.rows[0][1] == words


def test_a_node_tells_how_much_of_a_processor_it_has_used():
    """In milliseconds, which only grow."""
    first, second = (json.loads(Asked("GET /v1/now", FakeRoom()).answer[2])[0] for _ in range(2))
    assert 0 < first["processor_ms"] <= second["processor_ms"]

"""Orders of operators in the operators' log: before they are carried out, and with their result."""

from dataclasses import replace

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import Deferred, fail

from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import SAME_PER_HOUR, LogQuery
from pokerroom.ledger.operators import Operator, Role
from pokerroom.ops.operator_roles import OperatorAct
from pokerroom.ops.order_log import OrderLog
from tests.ops.fake_rooms import OPERATOR, Asked, FakeRoom, FakeRooms, forwarded, node, token
from tests.poker.support import now

UNAVAILABLE = {
    "code": "unavailable",
    "message": "PostgreSQL does not answer, so the order cannot be logged and is not carried out. Try again.",
}


class Watched(FakeRoom):
    """A room that remembers the last line of the log when it was given an order."""

    def __init__(self, log):
        super().__init__()
        self._log = log
        self.seen = []

    def order(self, table, asked, node):
        self.seen.append(now(self._log.log_head()).n)
        return super().order(table, asked, node)


class Cut(MemoryLedger):
    """A ledger that does not answer after so many lines."""

    def __init__(self, lines):
        super().__init__()
        self._left = lines

    def record(self, act):
        self._left -= 1
        return super().record(act) if self._left >= 0 else fail(LedgerUnavailable("cut"))

    def record_rarely(self, act):
        return fail(LedgerUnavailable("cut"))


@pytest.fixture
def log():
    return MemoryLedger()


def lines(log):
    """All lines, oldest first."""
    return now(log.log_lines(LogQuery(limit=10_000)))[::-1]


def test_an_order_is_logged_before_it_is_carried_out(log):
    """With the operator, the role, the reason, the address and the arguments; then with its result."""
    room, rooms = Watched(log), FakeRooms(node("n1", "one", "two"), node("n2", leader=False))
    Asked("POST /v1/tables/one/move/n2?reason=the+disk", room, token("floor"), rooms=rooms, log=log)
    ordered, done = lines(log)
    assert room.seen == [1]
    for line in (ordered, done):
        by = line.by
        assert (by.who, by.role, by.reason, by.address) == ("floor-1", "floor", "the disk", "192.168.1.1")
        assert (line.verb, line.subject) == ("table.move", "one")
    assert (ordered.result, ordered.named()) == ("ordered", {"node": "n2"})
    assert (done.result, done.named()) == ("done", {"node": "n2", "ordered": 1})


@pytest.mark.parametrize(("refuses", "result"), [(None, "done"), ("not_frozen", "refused: not_frozen")])
def test_the_result_of_an_order_has_its_line(log, refuses, result):
    """Also a refusal by the table."""
    room = FakeRoom()
    room.refuses = refuses
    Asked("POST /v1/tables/one/resume", room, log=log)
    assert [line.result for line in lines(log)] == ["ordered", result]


def test_an_order_that_cannot_be_logged_is_not_carried_out():
    """503, and the table hears nothing."""
    room = FakeRoom()
    assert Asked("POST /v1/tables/one/freeze", room, log=Cut(0)).json == (503, UNAVAILABLE)
    assert room.asked == []


def test_a_result_that_cannot_be_logged_does_not_undo_the_order():
    """The operator is told that it is done. The room's own log says which line has no result."""
    room = FakeRoom()
    with capture_logs() as logs:
        assert Asked("POST /v1/tables/one/freeze", room, log=Cut(1)).answer[0] == 202
    assert [entry["event"] for entry in logs] == ["operator.ordered", "operator_log.no_result"]


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ((202, b"{}"), "done"),
        ((409, b'{"code": "no_hand", "message": ""}'), "refused: no_hand"),
        ((500, b"?"), "unknown: 500"),
        (TimeoutError("late"), "unknown: node_unreachable"),
    ],
    ids=["done", "refused", "fault", "late"],
)
def test_an_order_to_a_table_of_another_node_is_logged_once(log, answer, result):
    """By the node that the operator asked; where the outcome is not known, the line says so."""
    rooms = FakeRooms(node("n1", "one", "two"), node("n2", "far", leader=False))
    rooms.answers["n2:4192"] = answer
    Asked("POST /v1/tables/far/freeze", FakeRoom(), rooms=rooms, log=log)
    assert [(line.subject, line.result) for line in lines(log)] == [("far", "ordered"), ("far", result)]
    there = MemoryLedger()
    Asked("POST /v1/tables/one/freeze", FakeRoom(), forwarded("POST", "/v1/tables/one/freeze"), log=there)
    assert lines(there) == []


def test_questions_are_not_logged(log):
    """They change nothing."""
    Asked("GET /v1/tables", FakeRoom(), log=log)
    Asked("GET /v1/nodes", FakeRoom(), token("viewer"), log=log)
    assert lines(log) == []


def test_a_storm_of_refusals_writes_few_lines(log):
    """The token that was tried is in none of them."""
    for _ in range(2 * SAME_PER_HOUR):
        asked = Asked("POST /v1/tables/one/freeze", FakeRoom(), {"Authorization": "Bearer stolen"}, log=log)
        assert asked.answer[0] == 401
    for role in ("viewer", "support", "cashier"):
        for number in range(2 * SAME_PER_HOUR):
            Asked(f"POST /v1/tables/{number}/freeze", FakeRoom(), token(role), log=log)
    found = lines(log)
    assert len(found) == 4 * SAME_PER_HOUR
    assert {(line.by.who, line.verb, line.subject, line.result) for line in found} == {
        ("stranger", "operator.refused", "table.freeze", "refused: token_refused"),
        *(
            (f"{role}-1", "operator.refused", "table.freeze", "refused: not_permitted")
            for role in ("viewer", "support", "cashier")
        ),
    }
    assert "stolen" not in repr(found)


def test_while_a_refusal_is_written_strangers_are_not(log):
    """A flood of them takes one connection of the ledger; each is answered at once."""
    act = OperatorAct(operator=None, verb="nodes", args={}, reason="", result="token_missing")
    written, slow = [], Deferred()
    log.record_rarely = lambda line: written.append(line.by.who) or slow
    orders = OrderLog(log)
    first, second, third = (
        Deferred.fromCoroutine(orders.refused(one))
        for one in (act, act, replace(act, operator=Operator("ann", Role.VIEWER)))
    )
    assert (first.called, second.called, third.called) == (False, True, False)
    slow.callback(1)
    assert written == ["stranger", "ann"]
    Deferred.fromCoroutine(orders.refused(act))
    assert written == ["stranger", "ann", "stranger"]


def test_a_refusal_is_told_while_the_ledger_is_away():
    """Nothing is done, so nothing needs a line."""
    assert Asked("POST /v1/tables/one/freeze", FakeRoom(), token("viewer"), log=Cut(0)).answer[0] == 403


def test_an_order_that_ends_in_a_fault_has_a_line_that_says_so(log):
    """It is unknown how far it came."""
    room = FakeRoom()
    room.order = lambda *_: fail(ZeroDivisionError())
    with capture_logs():
        assert Asked("POST /v1/tables/one/freeze", room, OPERATOR, log=log).answer[0] == 500
    assert lines(log)[-1].result == "unknown: internal"


def test_text_of_a_request_fits_into_a_line(log):
    """However long and odd it is."""
    Asked(f"POST /v1/tables/{'%00x' * 200}\x7f/freeze", FakeRoom(), OPERATOR, log=log)
    ordered, ended = lines(log)
    assert (len(ordered.subject), ended.result) == (200, "refused: unknown_table")


def test_an_order_waits_for_its_line(log):
    """The table hears of it only when the line is written."""
    room, slow = FakeRoom(), Deferred()
    log.record = lambda _: slow
    asked = Asked("POST /v1/tables/one/freeze", room, OPERATOR, log=log)
    assert (room.asked, asked.answered) == ([], False)
    slow.callback(1)
    assert room.asked == [("freeze", "one")]

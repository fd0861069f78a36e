"""The operator's pages of the operations port, and what stands between them and a web page."""

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import Deferred, fail
from twisted.internet.error import ConnectionDone
from twisted.python.failure import Failure

from pokerroom.chips import Money
from pokerroom.ledger.api import HandSettlement, LedgerUnavailable
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import Acting, LoggedAct
from pokerroom.ledger.operators import Role
from pokerroom.lobby.operated_tables import timeout_counts
from pokerroom.ops.operator_roles import VERBS
from pokerroom.ops.reports import AccountTimeouts
from tests.ops.fake_rooms import METRICS, NOW_MS, OPERATOR, Asked, FakeRoom, counted_minutes, token


@pytest.fixture
def room():
    return FakeRoom()


def test_tables_are_told_with_what_an_operator_asks_of_them(room):
    """One object per table: its state, its seats, how often it crashed and why it is frozen."""
    assert Asked("GET /v1/tables", room).json == (
        200,
        [
            {
                "table": "one", "node": "n1", "name": "Table [bold]Ünö", "state": "betting", "closing": False,
                "hand_id": "h7", "seats": 6, "occupied": 5, "connected": 4, "waiting": 0, "crashes": 0, "frozen": None,
                "host": None,
            },
            {
                "table": "two", "node": "n1", "name": "Table two", "state": "frozen", "closing": True, "hand_id": None,
                "seats": 6, "occupied": 2, "connected": 0, "waiting": 0, "crashes": 3, "frozen": "AssertionError",
                "host": None,
            },
            {
                "table": "far", "node": None, "name": "Table far", "state": "unowned", "closing": False,
                "hand_id": None, "seats": 6, "occupied": 0, "connected": 0, "waiting": 0, "crashes": 0, "frozen": None,
                "host": None,
            },
        ],
    )  # fmt: skip


def test_h2_the_uses_of_the_clocks_protection_are_told_by_account(room):
    """Today's and all there ever were, with the name."""
    assert Asked("GET /v1/timeouts", room).json == (
        200,
        [{"account": 12, "name": "alice", "today": 2, "total": 31}],
    )


def test_the_ledger_is_waited_for_without_holding_anything_up(room):
    """The answer comes when the ledger has answered, and others are answered meanwhile."""
    room.waits = Deferred()
    asked = Asked("GET /v1/timeouts", room)
    assert not asked.answered
    assert Asked("GET /v1/tables", room).json[0] == 200
    room.waits.callback(None)
    assert asked.json[0] == 200


def test_an_answer_for_a_client_that_has_gone_is_dropped(room):
    """Nothing is written, and nothing fails."""
    room.waits = Deferred()
    asked = Asked("GET /v1/timeouts", room)
    asked.channel.connectionLost(Failure(ConnectionDone()))
    room.waits.callback(None)
    assert not asked.answered


@pytest.mark.parametrize("what", ["close", "open", "freeze", "resume", "void"])
def test_a_table_is_asked(room, what):
    """The room is told which table and what; of a void hand its id is told. The log says what was asked."""
    with capture_logs() as logged:
        asked = Asked(f"POST /v1/tables/two/{what}", room, OPERATOR)
    hand_id = "h7" if what == "void" else None
    assert asked.json == (202, {"table": "two", "asked": what, "node": None, "hand_id": hand_id})
    assert room.asked == [(what, "two")]
    assert [(line["event"], line["verb"], line["table"], line["operator"]) for line in logged] == [
        ("operator.ordered", f"table.{what}", "two", "admin-1")
    ]


@pytest.mark.parametrize("code", ["not_frozen", "no_hand", "hand_complete", "void_pending", "table_stopped"])
def test_what_a_table_refuses_is_told_with_its_code(room, code):
    """409: it conflicts with how the table stands; nothing has changed, and the log says who asked."""
    room.refuses = code
    with capture_logs() as logged:
        assert Asked("POST /v1/tables/one/void", room, OPERATOR).json == (
            409,
            {"code": code, "message": "Not now."},
        )
    assert [(line["event"], line["code"], line["verb"], line["operator"]) for line in logged] == [
        ("operator.refused", code, "table.void", "admin-1")
    ]


@pytest.mark.parametrize("table", ["three", "ONE", "%256fne", "%2Fone", "%FF"])
def test_an_unknown_table_is_told(room, table):
    """404 with the protocol's own code; ids are taken as they are written."""
    status, error = Asked(f"POST /v1/tables/{table}/close", room, OPERATOR).json
    assert (status, error["code"]) == (404, "unknown_table")


@pytest.mark.parametrize("table", ["%6fne", "on%65"])
def test_a_path_may_be_percent_encoded(room, table):
    """The command line and browsers write the colon of `tournament:six.1` so."""
    assert Asked(f"POST /v1/tables/{table}/close", room, OPERATOR).answer[0] == 202
    assert room.asked == [("close", "one")]


def test_one_table_is_told_with_its_seats_and_no_card(room):
    """Seats, stacks, bets, and the player to act."""
    status, told = Asked("GET /v1/tables/one", room, token("viewer")).json
    assert (status, told["report"]["table"], told["pot"], told["in_chips"]) == (200, "one", 450, False)
    assert [(seat["seat"], seat["stack"], seat["acts"]) for seat in told["seats"]] == [
        (2, 9_950, True),
        (5, None, False),
    ]
    assert not {name for seat in told["seats"] for name in seat if "card" in name}
    assert Asked("GET /v1/tables/three", room).json[1]["code"] == "unknown_table"


def test_an_operator_is_told_who_the_room_takes_them_for(room):
    """Name, role, and just the verbs of the role."""
    for role in Role:
        status, told = Asked("GET /v1/whoami", room, token(role)).json
        assert (status, told["operator"], told["role"]) == (200, f"{role}-1", role)
        assert told["verbs"] == sorted(verb for verb, roles in VERBS.items() if role in roles)


def test_a_node_tells_of_itself(room):
    """Why it is not ready, its connected clients, and counters from which a rate follows."""
    before = Asked("GET /v1/now", room).json[1][0]
    METRICS.hand()
    METRICS.connection_opened("websocket")
    (told,) = Asked("GET /v1/now", room, reasons=["draining"]).json[1]
    METRICS.connection_closed("websocket")
    assert (told["node"], told["at_ms"], told["reasons"]) == ("n1", NOW_MS, ["draining"])
    assert told["hands"] == before["hands"] + 1
    assert told["connections"]["websocket"] == before["connections"].get("websocket", 0) + 1


def test_a_node_tells_what_it_counted(room):
    """In the steps that are asked for; by default a day, and no longer period or step."""
    minutes = counted_minutes(3, 0, 4)
    (told,) = Asked("GET /v1/charts?minutes=5&step=1", room, minutes=minutes).json[1]
    assert (told["node"], told["hands"]) == ("n1", [None, None, 3, 0, 4])
    assert (told["connections"], told["seats"]) == ([None, None, 5, 5, 5], [None, None, 2, 2, 2])
    assert (told["first_ms"], told["step"]) == (NOW_MS // 60_000 * 60_000 - 300_000, 1)
    (told,) = Asked("GET /v1/charts", room, token("viewer"), minutes=minutes).json[1]
    assert (told["step"], len(told["hands"]), told["hands"][-1], told["minutes"][-1]) == (30, 49, 7, 3)
    (told,) = Asked("GET /v1/charts?minutes=1440&step=1", room, minutes=minutes).json[1]
    assert len(told["hands"]) == 1_440
    for wrong in ("minutes=0", "minutes=1441", "minutes=x", "step=61", "step=-1", "step=1&step=2"):
        status, error = Asked(f"GET /v1/charts?{wrong}", room).json
        assert (status, error["code"]) == (400, "bad_parameter"), wrong


def test_the_log_is_told_newest_first_and_paged(room, run):
    """Only to an admin; `before` continues where a page ended, and a bad number is refused."""
    log = MemoryLedger()
    for number in range(5):
        run(log.record(LoggedAct(by=Acting(who="ann"), verb="table.freeze", subject=f"t{number}")))
    told = Asked("GET /v1/operator_log?limit=2", room, log=log).json[1]
    assert [line["subject"] for line in told] == ["t4", "t3"]
    told = Asked(f"GET /v1/operator_log?before={told[-1]['n']}", room, log=log).json[1]
    assert [line["subject"] for line in told] == ["t2", "t1", "t0"]
    assert Asked("GET /v1/operator_log?who=bob&verb=table", room, log=log).json == (200, [])
    for wrong in (
        "limit=0",
        "limit=201",
        "before=-1",
        "before=x",
        "who=%00",
        "verb=%FF",
        "limit=%C2%B2",
        "before=99999999999999999999",
    ):
        status, error = Asked(f"GET /v1/operator_log?{wrong}", room, log=log).json
        assert (status, error["code"]) == (400, "bad_parameter")
    assert Asked("GET /v1/operator_log", room, token("floor"), log=log).json[1]["code"] == "not_permitted"
    assert Asked("GET /v1/operator_log/1", room, log=log).answer[0] == 404


@pytest.mark.parametrize(
    "origin", ["http://127.0.0.1:4192", "https://evil.example", "http://localhost:81", "null", ""]
)
@pytest.mark.parametrize(
    "request_line", ["POST /v1/tables/one/close", "GET /v1/tables", "GET /v1/timeouts", "GET /v1/nodes"]
)
def test_what_comes_from_a_web_page_is_refused(room, request_line, origin):
    """Whatever else it sends: browsers name the origin of a request that a script makes. This port's is another one."""
    status, error = Asked(request_line, room, {**OPERATOR, "Origin": origin}).json
    assert (status, error["code"]) == (403, "origin_refused")
    assert room.asked == []


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost", "http://localhost"),
        ("localhost:9000", "http://localhost:9000"),  # ssh -L 9000:...
        ("127.0.0.1:4192", "http://127.0.0.1:4192"),
        ("[::1]:4192", "http://[::1]:4192"),
        ("localhost", "https://localhost"),  # a proxy with TLS
        ("127.0.0.1:4192", "https://127.0.0.1:4192"),
    ],
)
def test_a_page_of_this_port_is_answered_if_it_sends_a_token(room, host, origin):
    """Its origin is that of the `Host` header, which is trusted; without a token it is refused like any client."""
    page = {"Host": host, "Origin": origin}
    assert Asked("POST /v1/tables/one/close", room, {**OPERATOR, **page}).answer[0] == 202
    room.asked = []
    without = Asked("POST /v1/tables/one/close", room, {**page, "Authorization": None})
    assert (without.json[0], without.json[1]["code"], room.asked) == (401, "token_missing", [])


@pytest.mark.parametrize("origin", ["http://evil.example", "http://evil.example:80"])
def test_a_page_that_points_its_name_here_is_no_page_of_this_port(room, origin):
    """Its origin is that of its `Host`, so `Host` must be trusted (DNS rebinding)."""
    page = {**OPERATOR, "Host": "evil.example", "Origin": origin}
    assert Asked("POST /v1/tables/one/close", room, page).json[1]["code"] == "host_refused"
    assert room.asked == []


def test_a_preflight_is_never_granted(room):
    """A browser asks whether a page may send the header: no answer has what would allow it."""
    preflight = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    preflight = {**preflight, "Authorization": None}
    for headers in (preflight, {**preflight, "Origin": "https://evil.example"}):
        status, answered, _ = Asked("OPTIONS /v1/tables/one/close", room, headers).answer
        assert status in {401, 403}
        assert not [name for name in answered if name.startswith("access-control-")]


@pytest.mark.parametrize(
    ("request_line", "allowed"),
    [
        ("GET /v1/tables/one/close", "post"),
        ("GET /v1/tables/one/void", "post"),
        ("GET /v1/tables/one/move/n2", "post"),
        ("POST /v1/nodes", "get, head"),
        ("HEAD /v1/tables/one/open", "post"),
        ("POST /v1/tables", "get, head"),
        ("DELETE /v1/tables", "get, head"),
        ("PUT /v1/timeouts", "get, head"),
    ],
)
def test_a_page_is_asked_in_its_own_way(room, request_line, allowed):
    """What changes something is posted, what tells something is got."""
    status, headers, _ = Asked(request_line, room, OPERATOR).answer
    assert (status, headers["allow"]) == (405, allowed)
    assert room.asked == []


def test_head_is_get_without_a_body(room):
    """HEAD has the length of what GET would send."""
    status, headers, body = Asked("HEAD /v1/tables", room).answer
    assert (status, body) == (200, b"")
    assert int(headers["content-length"]) == len(Asked("GET /v1/tables", room).answer[2])


@pytest.mark.parametrize(
    "path",
    [
        "/tables/",
        "/tables//close",
        "/tables/one/thaw",
        "/tables/one/close/",
        "/tables/one/void/n2",
        "/nodes/n1",
        "/timeouts/12",
    ],
)
def test_other_paths_are_not_found(room, path):
    """There is nothing else below the operator's pages, and the error is JSON too."""
    status, error = Asked(f"POST /v1{path}", room, OPERATOR).json
    assert (status, error["code"]) == (404, "not_found")
    assert room.asked == []


def test_a_ledger_that_is_away_is_told(room):
    """503, to be asked again."""
    room.timeouts = lambda: fail(LedgerUnavailable("the database cannot be reached: secret host"))
    status, error = Asked("GET /v1/timeouts", room).json
    assert (status, error["code"]) == (503, "unavailable")
    assert "secret" not in error["message"]


def test_a_fault_of_ours_is_logged_and_not_told(room):
    """The operator learns that it was not their mistake, and nothing of the details."""

    def broken():
        raise ZeroDivisionError("inside")

    room.tables = broken
    with capture_logs() as logged:
        asked = Asked("GET /v1/tables", room)
    status, error = asked.json
    assert (status, error["code"]) == (500, "internal")
    assert b"inside" not in asked.answer[2]
    assert [(line["event"], type(line["exc_info"])) for line in logged] == [
        ("operator.fault", ZeroDivisionError)
    ]


def test_a_site_without_a_room_has_no_operators_pages():
    """Nothing is there to be operated."""
    for path in ("/v1/tables", "/v1/nodes", "/v1/timeouts"):
        assert Asked(f"GET {path}", None).answer[0] == 404


def test_h2_todays_uses_are_joined_with_those_of_the_ledger(run):
    """Accounts of today, in hands that are not settled yet, are listed with all others; most uses first."""
    ledger = MemoryLedger()
    alice, bob, carol, _ = [
        run(ledger.create_account(name, "hash", Money(1_000))).account
        for name in ("alice", "bob", "carol", "dora")
    ]
    assert run(ledger.take_table("T1", "n1", 0)) == 1
    for seat, account in enumerate((alice, bob), 1):
        run(ledger.buy_in(f"buyin:{seat:032x}", "T1", 1, seat, account, Money(100), 4))
    for n, by_clock in enumerate([(alice,), (alice, bob), (alice,)]):
        run(
            ledger.settle(
                [
                    HandSettlement(
                        hand_id=f"h{n}", table="T1", epoch=1, started_ms=1, ended_ms=2, record=b"{}",
                        deltas=((alice, 0), (bob, 0)), timeout_all_ins=by_clock,
                    )
                ]
            )
        )  # fmt: skip
    assert run(timeout_counts(ledger, {carol: 1, bob: 1})) == [
        AccountTimeouts(account=bob, name="bob", today=1, total=1),
        AccountTimeouts(account=carol, name="carol", today=1, total=0),
        AccountTimeouts(account=alice, name="alice", today=0, total=3),
    ]

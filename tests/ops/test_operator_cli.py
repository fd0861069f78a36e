"""`pokerroom table` and `pokerroom timeouts`, against an operations port that listens, and against others."""

import json
import socket
from dataclasses import replace

import pytest
from click.testing import CliRunner
from structlog.testing import capture_logs
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.threads import deferToThread
from twisted.web.resource import Resource
from twisted.web.server import Site

from pokerroom.cli import main
from pokerroom.ops.health import make_ops_site
from pokerroom.ops.metrics import Metrics
from tests.ops.fake_rooms import FakeRoom, FakeRooms, counted_minutes, node, operator_site


class Operations:
    """A listening site, and the command run beside it as a process would be."""

    def __init__(self, run, site):
        from twisted.internet import reactor

        self._run = run
        self._listening = reactor.listenTCP(0, site, interface="127.0.0.1")
        self.port = self._listening.getHost().port

    def pokerroom(self, *arguments, **variables):
        env = {
            "POKERROOM_OPS_PORT": str(self.port),
            "POKERROOM_OPS_HOST": "127.0.0.1",
            "POKERROOM_OPERATOR_TOKEN": "admin-token",
            **variables,
        }
        with capture_logs():  # the room's log has the same stdout here
            return self._run(deferToThread(CliRunner(env=env).invoke, main, arguments))

    def stop(self):
        return maybeDeferred(self._listening.stopListening)


@pytest.fixture
def room():
    return FakeRoom()


@pytest.fixture
def listening(run):
    """Makes `Operations` of a site; they stop after the test."""
    made = []

    def listen(site):
        made.append(Operations(run, site))
        return made[-1]

    yield listen
    for operations in made:
        run(operations.stop())


@pytest.fixture
def operations(listening, room):
    return listening(operator_site(room))


def test_tables_are_printed_one_to_a_line(operations):
    """Every column of every table, names as they are written."""
    result = operations.pokerroom("table", "list")
    assert result.exit_code == 0
    head, one, two, far = result.stdout.splitlines()
    assert head.split() == [
        "table", "name", "node", "state", "hand", "seats", "connected", "waiting", "crashes", "frozen"
    ]  # fmt: skip
    assert one.split() == ["one", "Table", "[bold]Ünö", "n1", "betting", "h7", "5/6", "4", "0", "0"]
    assert two.split() == [
        "two",
        "Table",
        "two",
        "n1",
        "frozen,",
        "closing",
        "2/6",
        "0",
        "0",
        "3",
        "AssertionError",
    ]
    assert far.split() == ["far", "Table", "far", "unowned", "0/6", "0", "0", "0"]


def test_a_table_that_every_player_has_left_is_closed(operations, room):
    """Closing is a state of its own until the last seat is free."""
    one, *_ = room.tables()
    room.tables = lambda: [
        replace(one, closing=True),
        replace(one, closing=True, occupied=0, state="waiting"),
    ]
    closing, closed = operations.pokerroom("table", "list").stdout.splitlines()[1:]
    assert " betting, closing " in closing
    assert " closed " in closed
    assert "waiting" not in closed


def test_a_table_for_any_number_has_no_maximum(operations, room):
    """At a common hand only the present players are counted."""
    one, *_ = room.tables()
    room.tables = lambda: [replace(one, seats=None)]
    assert " 5 " in operations.pokerroom("table", "list").stdout.splitlines()[1]
    assert json.loads(operations.pokerroom("table", "list", "--json").stdout)[0]["seats"] is None


def test_timeouts_are_printed_by_account(operations):
    """Account, name, today's uses and all."""
    result = operations.pokerroom("timeouts")
    assert [line.split() for line in result.stdout.splitlines()] == [
        ["account", "name", "today", "total"],
        ["12", "alice", "2", "31"],
    ]


@pytest.mark.parametrize(
    ("arguments", "key"),
    [(("table", "list"), "table"), (("timeouts",), "account"), (("nodes",), "tables")],
    ids=["tables", "timeouts", "nodes"],
)
def test_json_is_what_the_room_answered(operations, arguments, key):
    """With `--json` stdout is one JSON value, for programs."""
    result = operations.pokerroom(*arguments, "--json")
    assert result.exit_code == 0
    assert key in json.loads(result.stdout)[0]


def test_one_table_is_printed_with_its_seats(operations):
    """Stacks in credits, and what is special about a seat; no card."""
    result = operations.pokerroom("table", "show", "one")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[1].split()[0] == "one"
    assert lines[2] == "pot 4.50"
    assert lines[4].split() == ["2", "[bold]Ünö", "99.50", "0.50", "playing", "to", "act"]
    assert lines[5].split() == ["5", "Bot.Ada", "0.00", "sitting_out", "not", "connected,", "house", "bot"]


def test_an_operator_sees_their_role(operations):
    """And what it may do."""
    result = operations.pokerroom("whoami", POKERROOM_OPERATOR_TOKEN="viewer-token")
    assert result.stdout.startswith(
        "viewer-1, role viewer\n"
        "may announcement.list, charts, nodes, now, offer.history, offer.list, offer.show, report.activity, "
    )


def test_every_node_is_printed_with_its_readiness(listening, room):
    """And why it is not ready."""
    result = listening(operator_site(room, reasons=["draining"])).pokerroom("now")
    assert result.stdout.splitlines()[1].split()[:3] == ["n1", "no:", "draining"]


def test_the_last_day_is_printed_as_lines_of_blocks(listening, room):
    """A line for what all nodes count together, and one of each node for its load; a gap is no zero."""
    operations = listening(operator_site(room, minutes=counted_minutes(8, 0, 4)))
    result = operations.pokerroom("charts", "--minutes", "5", "--step", "1")
    assert result.exit_code == 0
    period, head, connections, seats, hands, *_, settlement = result.stdout.splitlines()
    assert period == "2023-11-14 22:08 to 2023-11-14 22:13 UTC, 1 min a column; \u00b7 is not known"
    assert head.split() == ["node", "least", "most", "last", "course"]
    assert connections.split() == ["connections", "all", "5", "5", "5", "\u00b7\u00b7\u2588\u2588\u2588"]
    assert seats.split()[:3] == ["seats", "taken", "all"]
    assert hands.split() == ["hands", "a", "minute", "all", "0", "8", "4", "\u00b7\u00b7\u2588\u2581\u2585"]
    assert settlement.split() == ["settlement", "ms", "n1", "\u00b7" * 5]
    for line in operations.pokerroom("charts").stdout.splitlines()[1:]:
        assert len(line) <= 100, line
    minutes = operations.pokerroom("charts", "--step", "1").stdout.splitlines()
    assert "22:13 UTC, 8 min a column" in minutes[0]  # as many as fit a line in a pipe
    assert minutes[2].endswith("\u00b7\u2588")
    assert json.loads(operations.pokerroom("charts", "--json").stdout)[0]["step"] == 30


@pytest.mark.parametrize("option", [("--minutes", "0"), ("--minutes", "1441"), ("--step", "61")])
def test_a_chart_of_too_long_a_time_is_a_mistake_of_usage(operations, option):
    """The command names the bounds; the room is not asked."""
    result = operations.pokerroom("charts", *option)
    assert result.exit_code == 2
    assert "is not in the range" in result.output


def test_the_actor_of_a_sit_and_go_is_named_as_it_is_listed(operations, room):
    """With its colon, which a path may write in two ways."""
    one, *_ = room.tables()
    room.tables = lambda: [replace(one, table="tournament:six.1")]
    result = operations.pokerroom("table", "show", "tournament:six.1", "--json")
    assert json.loads(result.stdout)["report"]["table"] == "tournament:six.1"


@pytest.mark.parametrize("what", ["close", "open", "freeze", "resume", "void"])
def test_a_table_is_told_what_to_do(operations, room, what):
    """The room is asked for that table, and the operator is told that it was."""
    result = operations.pokerroom("table", what, "two")
    assert (result.exit_code, room.asked) == (0, [(what, "two")])
    assert result.stdout.startswith("two ")
    assert ("h7" in result.stdout) == (what == "void")
    result = operations.pokerroom("table", what, "one", "--json")
    told = json.loads(result.stdout)
    assert (told["table"], told["asked"]) == ("one", what)


def test_a_result_is_given_up_expressly(operations, room):
    """`void --complete` is another order than `void`."""
    result = operations.pokerroom("table", "void", "two", "--complete")
    assert (result.exit_code, room.asked) == (0, [("void_complete", "two")])


@pytest.mark.parametrize("named", [(), ("n2",)])
def test_a_table_is_moved(listening, room, named):
    """To the node that was named, or to the one with the fewest tables; the operator is told where."""
    rooms = FakeRooms(node("n1", "one", "two"), node("n2"), node("n3", "far"))
    result = listening(operator_site(room, rooms)).pokerroom("table", "move", "one", *named)
    assert (result.exit_code, room.asked) == (0, [("move", "one", "n2")])
    assert result.stdout == "one moves to n2 when its hand is finished\n"


def test_nodes_are_printed_one_to_a_line(listening, room):
    """Those that live no more stand there until they are forgotten; the leader is named."""
    rooms = FakeRooms(
        node("n0", living=False, leader=False, ops="", seats=0, uptime_s=0),
        node("n1", "one", "two"),
        node("n2", leader=False, draining=True, suspended=True, uptime_s=200_000),
    )
    result = listening(operator_site(room, rooms)).pokerroom("nodes")
    assert [line.split() for line in result.stdout.splitlines()] == [
        ["node", "state", "tables", "seats", "operations", "uptime"],
        ["n0", "gone", "0", "0", "0:00:00"],
        ["n1", "living,", "leader", "2", "7", "n1:4192", "1:02:05"],
        ["n2", "living,", "drained,", "suspended", "0", "7", "n2:4192", "2d", "7:33:20"],
    ]


@pytest.mark.parametrize(
    ("code", "exit_code"), [("not_frozen", 1), ("unavailable", 2), ("node_unreachable", 2)]
)
def test_the_exit_code_tells_a_refusal_from_a_room_that_was_not_asked(operations, room, code, exit_code):
    """1: the answer is no; 2: it may be asked again."""
    room.refuses = code
    result = operations.pokerroom("table", "resume", "one")
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert result.stderr == f"{code}: Not now.\n"


@pytest.mark.parametrize("table", ["three", "../timeouts", "one/open?", "ü"])
def test_an_unknown_table_is_told(operations, table):
    """Exit code 1: the room refused. Whatever the id is, it stays one part of the path."""
    result = operations.pokerroom("table", "close", table)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "unknown_table: There is no such table.\n"


def test_the_port_may_come_from_the_settings(operations, tmp_path):
    """As for `serve`: the settings file says where, unless the environment does."""
    settings = tmp_path / "room.toml"
    settings.write_text(
        f'[listen]\nops_host = "0.0.0.0"\nops_port = {operations.port}\n[[tables]]\nid = "t"\nsmall_blind = 1\n'
    )
    result = operations.pokerroom(
        "table", "list", "--config", str(settings), POKERROOM_OPS_PORT="", POKERROOM_OPS_HOST=""
    )
    assert (result.exit_code, result.stderr) == (0, "")


def test_a_proxy_of_the_environment_is_not_asked(operations):
    """The operations port is on this machine or near: never through a proxy."""
    result = operations.pokerroom("table", "list", http_proxy="http://127.0.0.1:9", no_proxy="")
    assert result.exit_code == 0


def test_no_room_that_runs_is_told(operations):
    """Exit code 2, with the address that was tried."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    result = operations.pokerroom("table", "list", POKERROOM_OPS_PORT=str(port))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"no room answers at the operations port 127.0.0.1:{port}: ")


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"POKERROOM_OPS_PORT": "0"}, "set POKERROOM_OPS_PORT"),
        ({"POKERROOM_OPS_PORT": "many"}, "should be a port from 0 to 65535"),
    ],
)
def test_an_address_that_cannot_be_is_told(operations, variables, sentence):
    """Exit code 2, before anything is asked."""
    result = operations.pokerroom("timeouts", **variables)
    assert (result.exit_code, result.stdout) == (2, "")
    assert sentence in result.stderr


class Page(Resource):
    """Answers everything alike."""

    isLeaf = True  # noqa: N815 -- Twisted's name

    def __init__(self, status, body):
        super().__init__()
        self._status, self._body = status, body

    def render(self, request):
        request.setResponseCode(self._status)
        return self._body


@pytest.mark.parametrize(
    "site",
    [
        lambda: Site(Page(200, b"<p>hello")),
        lambda: Site(Page(200, b'[{"table": 5}]')),
        lambda: Site(Page(404, b"<p>not found")),
        lambda: Site(Page(500, b"[]")),
        lambda: make_ops_site(Metrics(), list),
    ],
    ids=["text", "other JSON", "not found", "an error", "a room without operator's pages"],
)
def test_what_is_no_room_is_told(listening, site):
    """Exit code 2: the port is that of something else."""
    web = listening(site())
    for arguments in (("table", "list"), ("table", "close", "one")):
        result = web.pokerroom(*arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "does not answer as" in result.stderr


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({"POKERROOM_OPERATOR_TOKEN": ""}, "token_missing"),
        ({"POKERROOM_OPERATOR_TOKEN": "pko_of-a-player"}, "token_refused"),
        ({"POKERROOM_OPERATOR_TOKEN": "viewer-token"}, "not_permitted"),
    ],
)
def test_a_command_that_may_not_be_given_is_refused(operations, room, tmp_path, variables, code):
    """Exit code 1, with what to do."""
    result = operations.pokerroom("table", "close", "one", POKERROOM_DATA_DIR=str(tmp_path), **variables)
    assert (result.exit_code, result.stdout, room.asked) == (1, "", [])
    assert result.stderr.startswith(f"{code}: ")


def test_the_token_may_be_in_a_file(operations, room, tmp_path):
    """A file that cannot be read, or that holds no token, is told before anything is asked."""
    file = tmp_path / "token"
    variables = {"POKERROOM_OPERATOR_TOKEN": "", "POKERROOM_OPERATOR_TOKEN_FILE": str(file)}
    assert "cannot be read" in operations.pokerroom("nodes", **variables).stderr
    file.write_text("one\ntwo")
    assert "holds no token" in operations.pokerroom("nodes", **variables).stderr
    file.write_text("floor-token\n")
    assert operations.pokerroom("table", "close", "one", **variables).exit_code == 0
    assert room.asked == [("close", "one")]


def test_a_reason_goes_to_the_log_of_the_room(listening, room, monkeypatch):
    """As it was written."""
    told = []
    monkeypatch.setattr("pokerroom.ops.operator_pages._log.info", lambda *_, **facts: told.append(facts))
    listening(operator_site(room)).pokerroom("table", "close", "one", "--reason", "Tisch & Stühle")
    assert told == [
        {
            "verb": "table.close",
            "operator": "admin-1",
            "role": "admin",
            "table": "one",
            "reason": "Tisch & Stühle",
        }
    ]


def test_a_ledger_that_is_away_is_told(operations, room):
    """Exit code 2: the room could not be asked; it may be asked again."""
    from pokerroom.ledger.api import LedgerUnavailable

    room.waits = Deferred()
    room.waits.errback(LedgerUnavailable("away"))
    result = operations.pokerroom("timeouts")
    assert result.exit_code == 2
    assert result.stderr.startswith("unavailable: ")

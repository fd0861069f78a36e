"""The room from outside: real processes, real PostgreSQL and Redis, clients over the wire."""

from __future__ import annotations

import contextlib
import itertools
import json
import time
from collections.abc import Iterator
from http.client import HTTPConnection

import msgpack
import pytest

from pokerroom.ops.embedded import Addresses
from tests.effort import times
from tests.integration.conftest import rooms_in
from tests.integration.forked import ForkedRoom
from tests.integration.support import CONFIG, RunningRoom, TcpClient, play_hand, running_room

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

_numbers = itertools.count(1)


def new_name() -> str:
    return f"player{next(_numbers)}"


@pytest.fixture(scope="module")
def room(
    tmp_path_factory: pytest.TempPathFactory, services, ledger_template: Addresses
) -> Iterator[RunningRoom]:
    with rooms_in(tmp_path_factory.mktemp("room"), services, ledger_template) as rooms:
        yield rooms.started(CONFIG)


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
def test_two_websocket_clients_play_a_hand(room, encoding):
    """Over each subprotocol two clients sit down, play a hand to the showdown, and the stacks are in the ledger."""
    with room.web_socket(encoding) as anna, room.web_socket(encoding) as bert:
        for client in (anna, bert):
            client.enter(new_name())
        seat_a = anna.ask("sit_down", table="duel", buy_in=5_000)["your_seat"]
        seat_b = bert.ask("sit_down", table="duel", buy_in=5_000)["your_seat"]

        ended = play_hand({seat_a: anna, seat_b: bert}, anna)

        assert not ended["void"]
        assert sum(seat["stack"] for seat in ended["stacks"]) == 10_000
        mine = [m["cards"] for m in anna.got if m["type"] == "hole_cards"]
        assert len(mine[0]) == 2
        bert.wait_for(lambda message: message["type"] == "hand_ended")
        for client in (anna, bert):
            assert client.ask("stand_up", table="duel")["type"] == "ok"
        for name in (anna.name, bert.name):
            anna.heard(lambda m, name=name: m["type"] == "seat_left" and m["name"] == name)
    assert room.audit()["hands"] >= 1


def test_tcp_and_websocket_play_at_one_table(room):
    """The transports meet at the same table and hear the same events under the same numbers."""
    with room.tcp() as anna, room.web_socket("json") as bert:
        anna.enter(new_name())
        bert.enter(new_name())
        seat_a = anna.ask("sit_down", table="six-1", buy_in=5_000)["your_seat"]
        seat_b = bert.ask("sit_down", table="six-1", buy_in=5_000)["your_seat"]

        play_hand({seat_a: anna, seat_b: bert}, anna)
        ended = bert.event("hand_ended")

        def told(client):
            return {
                m["seq"]: m["type"]
                for m in client.got
                if "seq" in m and m["type"] != "snapshot" and m["seq"] <= ended["seq"]
            }

        common = told(anna).keys() & told(bert).keys()
        assert len(common) > 10
        assert all(told(anna)[seq] == told(bert)[seq] for seq in common)
        for client in (anna, bert):
            client.ask("stand_up", table="six-1")


def test_a_resumed_session_gets_its_cards_and_plays_on(room):
    """After a lost connection the token brings the player back to their seat, their cards and their turn."""
    with room.tcp() as bert:
        anna = room.tcp()
        token = anna.enter(new_name())["token"]
        bert.enter(new_name())
        anna.ask("sit_down", table="six-2", buy_in=5_000)
        bert.ask("sit_down", table="six-2", buy_in=5_000)
        cards = anna.event("hole_cards")["cards"]
        anna.close()
        assert not bert.event("seat_changed")["connected"]

        with room.tcp() as again:
            again.ask("hello", version=1)
            answer = again.ask("resume", token=token)
            assert answer["tables"] == ["six-2"]
            snapshot = again.ask("observe", table="six-2")
            seat = snapshot["your_seat"]
            assert next(s for s in snapshot["seats"] if s["seat"] == seat)["cards"] == cards
            turn = snapshot["hand"]["turn"]
            assert turn["seat"] == seat
            hand_id = snapshot["hand"]["hand_id"]
            answer = again.ask("act", table="six-2", hand_id=hand_id, seq=turn["seq"], action="fold")
            assert answer["type"] == "ok"
            again.ask("stand_up", table="six-2")
        bert.ask("stand_up", table="six-2")


def test_a_second_connection_of_an_account_takes_over(room):
    """The first connection is told why and closed."""
    with room.tcp() as first, room.tcp() as second:
        token = first.enter(new_name())["token"]
        second.ask("hello", version=1)

        assert second.ask("resume", token=token)["type"] == "authenticated"

        assert first.event("goodbye")["code"] == "taken_over"
        with pytest.raises(EOFError):
            first.receive()


BAD_FRAMES = [
    (b"\xc1", "bad_encoding"),
    (b"\x81\xa4type", "bad_encoding"),
    (msgpack.packb([1, 2, 3]), "bad_message"),
    (msgpack.packb({"type": "no_such_message", "id": 1}), "unknown_message"),
    (msgpack.packb({"type": "ping"}), "bad_message"),
    (msgpack.packb({"type": "ping", "id": "1"}), "bad_message"),
    (msgpack.packb({"type": "ping", "id": 1.0}), "bad_message"),
    (msgpack.packb({"type": "ping", "id": True}), "bad_message"),
    (msgpack.packb({"type": "ping", "id": 2**40}), "bad_message"),
    (msgpack.packb({"type": "ping", "id": 1, "extra": 1}), "bad_message"),
    (msgpack.packb({"type": "sit_down", "id": 1, "table": "six-3", "buy_in": float("nan")}), "bad_message"),
    (b"\x82\xa4type\xa4ping\xa4type\xa4ping", "bad_encoding"),
    (msgpack.packb({"type": "ping", "id": 1}) + b"\x00", "bad_encoding"),
    (b"", "bad_encoding"),
]


def test_bad_frames_get_a_code_and_the_connection_stays(room):
    """Whatever is in a frame, the answer is a stable code and the next message is served."""
    with room.tcp() as client:
        client.enter(new_name())
        for body, code in BAD_FRAMES:
            client.send_frame(body)
            answer = client.event("error")
            assert (answer["code"], body) == (code, body)
        assert client.ask("ping")["type"] == "pong"


def test_an_oversized_frame_closes_the_connection_with_a_reason(room):
    """The frame stream cannot be read on: goodbye, then the end; others do not notice."""
    with room.tcp() as other, room.tcp() as client:
        other.ask("hello", version=1)
        client.ask("hello", version=1)
        client.socket.sendall(b"\x7f\xff\xff\xff")

        assert client.event("goodbye")["code"] == "frame_too_large"
        with pytest.raises(EOFError):
            client.receive()
        assert other.ask("ping")["type"] == "pong"


def test_refusals_over_the_wire(room):
    """Order of messages, unknown tables, bad buy-ins and the like each have their code."""
    with room.tcp() as client:
        assert client.ask("list_tables")["code"] == "hello_first"
        refused = client.ask("hello", version=2)
        assert (refused["code"], refused["versions"]) == ("unsupported_version", [1])
        client.ask("hello", version=1)
        assert client.ask("hello", version=1)["code"] == "already_greeted"
        assert client.ask("observe", table="six-3")["code"] == "not_authenticated"
        assert client.ask("resume", token="x" * 43)["code"] == "session_unknown"
        name = new_name()
        assert client.ask("log_in", name=name, password="whatever1")["code"] == "bad_credentials"
        assert client.ask("register", name=name, password="correct horse")["type"] == "authenticated"
        assert client.ask("register", name=name, password="correct horse")["code"] == "already_authenticated"
        assert client.ask("observe", table="nowhere")["code"] == "unknown_table"
        assert client.ask("sit_down", table="six-3", buy_in=1)["code"] == "buy_in_too_small"
        assert client.ask("sit_down", table="six-3", buy_in=10_001)["code"] == "buy_in_too_large"
        assert client.ask("sit_down", table="six-3", buy_in=5_000)["type"] == "snapshot"
        assert client.ask("sit_down", table="six-3", buy_in=5_000)["code"] == "already_seated"
        assert client.ask("act", table="six-3", hand_id="x", seq=0, action="fold")["code"] == "no_hand"
        assert client.ask("get_account")["balance"] == 995_000
        client.ask("stand_up", table="six-3")
        client.event("seat_left")
        assert client.ask("get_account")["balance"] == 1_000_000
    with room.tcp() as client:
        client.ask("hello", version=1)
        assert client.ask("register", name=name.upper(), password="correct horse")["code"] == "name_taken"
        assert client.ask("log_in", name=name, password="wrong horse")["code"] == "bad_credentials"
        assert client.ask("log_in", name=name, password="correct horse")["type"] == "authenticated"


def test_a_client_that_stops_reading_is_cut_and_resyncs(room):
    """Past its bounded buffer it loses the connection and nothing else: its seat and chips are there on return."""
    with room.tcp() as talker, contextlib.ExitStack() as cleanup:
        sleeper = TcpClient(room.game_port, receive_buffer_bytes=4096)
        cleanup.callback(sleeper.close)
        token = sleeper.enter(new_name())["token"]
        talker.enter(new_name())
        sleeper.ask("sit_down", table="six-4", buy_in=5_000)
        sleeper.ask("sit_out", table="six-4")
        talker.ask("sit_down", table="six-4", buy_in=6_000)  # alone: no hand is dealt
        for _ in range(300):  # far more than the buffers of both sides hold
            for _ in range(100):
                talker.send("sit_out", table="six-4")
                talker.send("sit_in", table="six-4")
            talker.got.clear()
            talker.ask("ping")
            time.sleep(0.1)  # within its rate: who floods is closed
            if any(m["type"] == "seat_changed" and not m["connected"] for m in talker.got):
                break
        else:
            pytest.fail("the client that does not read is still connected")
        with room.tcp() as again:
            again.ask("hello", version=1)
            again.ask("resume", token=token)
            snapshot = again.ask("observe", table="six-4")
            assert [seat["stack"] for seat in snapshot["seats"]] == [5_000, 6_000]
            again.ask("stand_up", table="six-4")
            again.event("seat_left")
            talker.ask("stand_up", table="six-4")


def test_the_clock_decides_for_a_silent_player(room):
    """H1-H3 over the wire: the small blind says nothing and is all-in for what is in, keeping their stack."""
    with room.tcp() as anna, room.tcp() as bert:
        anna.enter(new_name())
        bert.enter(new_name())
        anna.ask("sit_down", table="fast", buy_in=5_000)
        bert.ask("sit_down", table="fast", buy_in=5_000)

        turn = bert.event("turn")
        started = time.monotonic()
        acted = bert.event("acted")

        assert time.monotonic() - started > 1.5
        assert turn["deadline_ms"] - turn["countdown_ms"] == 1_000
        assert (acted["action"], acted["by_clock"], acted["stack"]) == ("clock_all_in", True, 4_950)
        ended = bert.event("hand_ended")
        assert sum(seat["stack"] for seat in ended["stacks"]) == 10_000
        for client in (anna, bert):
            client.ask("stand_up", table="fast")


def test_operations_port_tells_health_and_counts(room):
    """`/livez`, `/readyz` and `/metrics` answer, and the metrics have counted the hand that was played."""
    with room.tcp() as anna, room.tcp() as bert:
        for client in (anna, bert):
            client.enter(new_name())
        play_hand({c.ask("sit_down", table="duel", buy_in=5_000)["your_seat"]: c for c in (anna, bert)}, anna)
        for client in (anna, bert):
            client.ask("stand_up", table="duel")
        for name in (anna.name, bert.name):
            anna.heard(lambda m, name=name: m["type"] == "seat_left" and m["name"] == name)
    assert room.get("/livez") == "ok\n"
    assert json.loads(room.get("/readyz")) == {"ready": True, "reasons": []}
    text = room.get("/metrics")
    for name in ("hands_total", "actions_total", "journal_flushes_total", "settlement_hands_total"):
        value = next(line for line in text.splitlines() if line.startswith(f"pokerroom_{name} "))
        assert float(value.split()[1]) > 0


def asked_over_tcp(room, method: str, path: str, token: str) -> tuple[int, str]:
    """Status and code of the operations port for a client with this token."""
    with contextlib.closing(HTTPConnection("127.0.0.1", room.ops_port, timeout=10)) as connection:
        connection.request(method, path, headers={"Authorization": f"Bearer {token}"} if token else {})
        answer = connection.getresponse()
        found = json.loads(answer.read())
        return answer.status, found["code"] if answer.status >= 400 else ""


def test_an_operator_has_a_token_and_a_role(room):
    """Over TCP every order needs them; a player's token is none. The user of the room needs no token."""
    freeze = "POST", "/v1/tables/six-1/freeze"
    with room.tcp() as anna:
        players = anna.enter(new_name())["token"]
    tokens = {
        role: room.command("operator", "add", f"{role}-1", "--role", role).stdout.strip()
        for role in ("viewer", "floor")
    }
    assert asked_over_tcp(room, *freeze, "") == (401, "token_missing")
    assert asked_over_tcp(room, *freeze, players) == (401, "token_refused")
    assert asked_over_tcp(room, *freeze, tokens["viewer"]) == (403, "not_permitted")
    assert asked_over_tcp(room, "GET", "/v1/tables", tokens["viewer"]) == (200, "")
    assert asked_over_tcp(room, *freeze, tokens["floor"]) == (202, "")
    assert room.command("operator", "revoke", "floor-1").returncode == 0
    assert asked_over_tcp(room, *freeze, tokens["floor"]) == (401, "token_refused")
    resumed = room.command("table", "resume", "six-1", "--reason", "a test", port=room.ops_port)
    assert resumed.returncode == 0, resumed.stderr
    deadline = time.monotonic() + 10
    while not any('"table.resume"' in line for line in room.output):
        assert time.monotonic() < deadline, "the log has not told it"
        time.sleep(0.05)
    told = [json.loads(line) for line in room.output if '"operator.' in line and "six-1" in line]
    known = [line for line in told if "operator" in line]
    assert [(line["event"], line["operator"].split(":")[0], line["verb"]) for line in known] == [
        ("operator.refused", "viewer-1", "table.freeze"),
        ("operator.ordered", "floor-1", "table.freeze"),
        ("operator.ordered", "local", "table.resume"),
    ]
    assert not any(token in line for line in room.output for token in tokens.values())
    lines = json.loads(room.command("operator", "log", "--verb", "table", "--json").stdout)
    assert [(line["verb"], line["who"].split(":")[0], line["result"], line["reason"]) for line in lines] == [
        ("table.freeze", "floor-1", "ordered", ""),
        ("table.freeze", "floor-1", "done", ""),
        ("table.resume", "local", "ordered", "a test"),
        ("table.resume", "local", "done", "a test"),
    ]
    assert (lines[0]["role"], lines[0]["address"]) == ("floor", "127.0.0.1")
    # a line is known by its hash for ever
    head = f"{lines[-1]['n']}:{lines[-1]['hash']}"
    assert room.command("audit", "--log-head", head).returncode == 0
    changed = room.command("audit", "--log-head", head[:-1] + ("1" if head[-1] == "0" else "0"))
    assert (changed.returncode, "the operators' log has no line" in changed.stderr) == (1, True)


def without_ids(line: str) -> str:
    """A line of the log without its random names, in which two letters may look like a card by chance."""
    if not line.startswith("{"):
        return line
    fields = json.loads(line)
    return json.dumps({name: value for name, value in fields.items() if name not in ("session", "hand_id")})


def test_no_card_and_no_secret_is_in_the_log(room):
    """What the room prints names no token, no password and no player's cards."""
    with room.tcp() as anna, room.tcp() as bert:
        tokens = [client.enter(new_name())["token"] for client in (anna, bert)]
        seats = {
            client.ask("sit_down", table="duel", buy_in=5_000)["your_seat"]: client for client in (anna, bert)
        }
        play_hand(seats, anna)
        for client in (anna, bert):
            client.ask("stand_up", table="duel")
        for name in (anna.name, bert.name):
            anna.heard(lambda m, name=name: m["type"] == "seat_left" and m["name"] == name)
        hands = [
            m["cards"]
            for client in (anna, bert)
            for m in client.got
            if m["type"] == "hole_cards" and m["cards"]
        ]
    text = "".join(without_ids(line) for line in room.output)

    assert len(hands) >= 2
    for first, second in hands:
        assert f"{first}{second}" not in text
        assert f"'{first}', '{second}'" not in text
        assert f'"{first}", "{second}"' not in text
    assert not any(token in text for token in tokens)
    assert "correct horse" not in text


def swarm(room: RunningRoom, bots: int, tables: int, hands: int) -> dict[str, object]:
    result = room.command(
        "swarm", "--bots", str(bots), "--tables", str(tables), "--hands", str(hands), "--port", str(room.game_port),
        "--json",
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    report: dict[str, object] = json.loads(result.stdout)
    return report


def test_swarm_then_restart_finds_all_money_where_it_was(tmp_path):
    """Bots play over the wire without an error; the totals are the same after a stop and a second start."""
    with running_room(tmp_path / "data", kind=ForkedRoom) as room:
        report = swarm(room, 12, 2, times(50))
        assert (report["errors"], report["disconnects"]) == (0, 0)
        assert report["hands"] >= times(50)
        before = room.audit()
        assert before["hands"] >= times(50)

        assert room.stop() == 0
        assert room.audit() == before  # with nothing running, the services are started for it
        room.start()

        assert room.audit() == before


def test_kill_in_the_middle_of_a_swarm_loses_no_chip(tmp_path):
    """After kill -9 in mid-play the room starts again, the audit finds nothing, and players can go on."""
    with running_room(tmp_path / "data", kind=ForkedRoom) as room:
        port = str(room.game_port)
        with room.start_command(
            "swarm", "--bots", "12", "--tables", "2", "--hands", "1000000", "--port", port, "--think", "100"
        ) as bots:  # who think, so that hands are nearly always in progress
            try:
                deadline = time.monotonic() + 30
                while "pokerroom_hands_total 0.0" in room.get("/metrics"):
                    assert time.monotonic() < deadline
                    time.sleep(0.05)
                time.sleep(1)
                room.kill()
            finally:
                bots.terminate()
        room.audit()  # beside the servers that the killed room left running

        room.start()

        report = room.audit()
        assert report["hands"] > 0
        assert any("hand.resumed" in line for line in room.output)
        assert not any("hand.void" in line for line in room.output)
        with room.tcp() as client:
            client.enter(new_name())
            seats = {table["table"]: table["occupied"] for table in client.ask("list_tables")["tables"]}
            assert sum(seats.values()) == 12  # kept for their holders
        room.kill()
        later = room.audit()
        for by_time in "checkpoints", "checkpoint_ms", "transfers_signed", "transfers_unsigned":
            del report[by_time], later[by_time]
        assert later == {
            **report,
            "accounts": report["accounts"] + 1,
            "transfers": report["transfers"] + 1,
            "last_transfer": report["last_transfer"] + 1,
        }

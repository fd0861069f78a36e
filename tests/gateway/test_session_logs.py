"""What the log says of connections: a line for each with an account, none at the usual level for all others."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from pokerroom.bots import house_turns
from pokerroom.gateway.sessions import Sessions
from pokerroom.table.house_bots import HOUSE_BOT_CLIENT
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code
from tests.gateway.session_parties import Line


def levels(sessions: Sessions, client: str, register: str | None = None) -> list[str]:
    """The levels of what the log says of one connection, from greeting to end."""
    with capture_logs() as logs:
        line = Line(sessions, client)
        if register is not None:
            line.ask(wire.Register, name=register, password="a password")
        line.session.lost("the client went")
    told = {"connection.greeted", "connection.lost"}
    found = [(entry["event"], entry["log_level"]) for entry in logs if entry["event"] in told]
    assert [event for event, _ in found] == sorted(told)
    return [level for _, level in found]


def test_the_end_of_an_account_s_connection_is_logged(sessions: Sessions) -> None:
    """With the client that it named in its greeting."""
    assert levels(sessions, "a browser", register="anna") == ["debug", "info"]
    with capture_logs() as logs:
        line = Line(sessions, "a browser")
        line.ask(wire.Register, name="bert", password="a password")
        line.session.lost("the client went")
    assert [entry["client"] for entry in logs if entry["event"] == "connection.lost"] == ["a browser"]


def test_connections_without_an_account_are_a_detail(sessions: Sessions) -> None:
    """A stranger can open and close thousands of them."""
    assert levels(sessions, "a browser") == ["debug", "debug"]


def test_connections_of_house_bots_are_a_detail(sessions: Sessions) -> None:
    """The room opens many at its start; they say by their client what they are."""
    assert house_turns.CLIENT == HOUSE_BOT_CLIENT
    assert levels(sessions, HOUSE_BOT_CLIENT) == ["debug", "debug"]


def test_a_player_who_poses_as_a_house_bot_is_logged(sessions: Sessions) -> None:
    """No player can have the name of one."""
    assert levels(sessions, HOUSE_BOT_CLIENT, register="mallory")[-1] == "info"


@pytest.mark.parametrize("defect", ["authenticated", "left"])
def test_a_defect_behind_a_log_in_or_a_log_out_is_loud(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch, defect: str
) -> None:
    """It ends the connection, with a goodbye, because nothing says what holds of its account."""

    def fails_once(*_: object) -> None:
        monkeypatch.undo()
        raise ZeroDivisionError

    line = Line(sessions)
    monkeypatch.setattr(sessions.context.connections, defect, fails_once)
    with capture_logs() as logs:
        line.say(wire.Register, name="anna", password="a password")
        line.say(wire.LogOut)
    faults = [(entry["event"], entry["log_level"]) for entry in logs if entry["log_level"] == "critical"]
    assert faults == [("session.fault", "critical")]
    assert line.closed is Code.INTERNAL
    assert isinstance(line.got[-1], wire.Goodbye)

"""`pokerroom webhook`: what it asks the operations port, and what it prints."""

import json

import msgspec
import pytest
from click.testing import CliRunner

from pokerroom.cli import main

ROW = {
    "number": 3, "url": "https://example.org/h", "kinds": ["hand.ended"], "note": "books", "big_win": None,
    "is_on": False, "why_off": "it answered 410 Gone", "created_ms": 0, "delivered": 7, "delivered_ms": None,
    "failed_ms": 60_000, "failure": "HTTP 410", "waiting": 2, "dead": 1,
}  # fmt: skip
DEAD = {
    "number": 9, "id": "msg_a", "kind": "hand.ended", "reference": "h1", "at_ms": 0, "tries": 8, "failure": "HTTP 500",
}  # fmt: skip


@pytest.fixture
def said(monkeypatch):
    """Runs a command; `asked` is the method and path, `answer` what the room answers."""

    def run(*arguments, answer, code=0):
        asked = []

        def fake(_config, path, expected, *, post=False):
            asked.append(f"{'POST' if post else 'GET'} {path}")
            return msgspec.json.decode(json.dumps(answer), type=expected)

        monkeypatch.setattr("pokerroom.webhook_commands.asked", fake)
        result = CliRunner().invoke(main, ["webhook", *arguments])
        assert result.exit_code == code, result.output
        return asked[0], result.output

    return run


def test_the_secret_of_a_new_webhook_is_printed(said):
    """What is asked has each option."""
    asked, told = said(
        "add", "https://example.org/h", "--kind", "hand.ended", "--kind", "significant", "--big-win", "100",
        "--note", "books", "--reason", "why", answer={"number": 3, "secret": "whsec_x"},
    )  # fmt: skip
    assert asked == (
        "POST /v1/webhooks/add?url=https%3A%2F%2Fexample.org%2Fh&kinds=hand.ended%2Csignificant"
        "&note=books&big_win=100&reason=why"
    )
    assert told == "webhook 3 is added. Its secret, which is not shown again:\nwhsec_x\n"


def test_webhooks_are_listed_and_shown(said):
    """With what is wrong with them."""
    asked, told = said("list", answer=[ROW])
    assert asked == "GET /v1/webhooks"
    assert "off: it answered 410 Gone" in told
    asked, told = said("show", "3", answer=ROW)
    assert asked == "GET /v1/webhooks/3"
    assert "1970-01-01 00:01 HTTP 410" in told
    assert json.loads(said("show", "3", "--json", answer=ROW)[1]) == ROW


def test_dead_messages_are_listed_tried_again_and_dropped(said):
    """All, or one of them."""
    asked, told = said("dead", "3", "--before", "10", answer=[DEAD])
    assert asked == "GET /v1/webhooks/3/dead?before=10"
    assert "HTTP 500" in told
    decided = {"number": 3, "messages": 1}
    assert said("retry", "3", answer=decided) == (
        "POST /v1/webhooks/3/retry",
        "1 messages are tried again\n",
    )
    assert said("drop", "3", "--message", "9", answer=decided) == (
        "POST /v1/webhooks/3/drop?message=9",
        "1 messages are dropped\n",
    )
    assert said("remove", "3", answer=decided) == (
        "POST /v1/webhooks/3/remove",
        "webhook 3 is removed, with 1 messages\n",
    )


def test_a_webhook_is_switched_and_tested(said):
    """A test that is not taken ends with 1."""
    assert said("enable", "3", "--reason", "r", answer=ROW)[0] == "POST /v1/webhooks/3/enable?reason=r"
    assert said("disable", "3", answer=ROW)[0] == "POST /v1/webhooks/3/disable"
    tested = {"number": 3, "is_delivered": True, "result": "HTTP 204"}
    assert said("test", "3", answer=tested) == (
        "POST /v1/webhooks/3/test",
        "webhook 3 took the message: HTTP 204\n",
    )
    refused = {"number": 3, "is_delivered": False, "result": "HTTP 500"}
    assert "HTTP 500" in said("test", "3", answer=refused, code=1)[1]

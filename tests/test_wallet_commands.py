"""`pokerroom wallet`: what it asks the operations port, and what it prints."""

import json

import msgspec
import pytest
from click.testing import CliRunner

from pokerroom.cli import main

ROW = {
    "number": 3, "id": "wt_a", "account": 7, "name": "alice", "kind": "rollback", "amount": 500, "state": "asked",
    "asked_ms": 0, "ended_ms": None, "due_ms": 60_000, "tries": 4, "failure": "HTTP 500", "undoes": 2,
}  # fmt: skip
LINK = {"player": "alice", "account": 7, "wallet": "p-1"}


@pytest.fixture
def said(monkeypatch):
    """Runs a command; the method and path that it asks, and what it prints."""

    def run(*arguments, answer):
        asked = []

        def fake(_config, path, expected, *, post=False):
            asked.append(f"{'POST' if post else 'GET'} {path}")
            return msgspec.json.decode(json.dumps(answer), type=expected)

        monkeypatch.setattr("pokerroom.wallet_commands.asked", fake)
        result = CliRunner().invoke(main, ["wallet", *arguments])
        assert result.exit_code == 0, result.output
        return asked[0], result.output

    return run


def test_transfers_are_listed(said):
    """With their last failure, or as JSON."""
    asked, told = said("list", "--waiting", "--player", "al ice", "--before", "9", answer=[ROW])
    assert asked == "GET /v1/wallet_transfers?player=al+ice&waiting=1&limit=50&before=9"
    assert "HTTP 500" in told
    asked, told = said("list", "--json", answer=[ROW])
    assert asked == "GET /v1/wallet_transfers?limit=50"
    assert json.loads(told) == [ROW]


def test_a_transfer_is_shown_and_retried(said):
    """With the id by which the operator's server knows it."""
    asked, told = said("show", "3", answer=ROW)
    assert asked == "GET /v1/wallet_transfers/3"
    assert "wt_a" in told
    assert "rollback of 2" in told
    assert "1970-01-01 00:01" in told
    assert json.loads(said("show", "3", "--json", answer=ROW)[1]) == ROW
    asked, told = said("retry", "3", "--reason", "why", answer={**ROW, "state": "done", "ended_ms": 0})
    assert asked == "POST /v1/wallet_transfers/3/retry?reason=why"
    assert "done" in told


def test_a_player_is_linked_and_unlinked(said):
    """The name and the id are quoted in the path."""
    asked, told = said("player", "a/b", answer=LINK)
    assert (asked, told) == (
        "GET /v1/players/a%2Fb/wallet",
        "alice (account 7) is linked with p-1\n",
    )
    assert json.loads(said("player", "alice", "--json", answer=LINK)[1]) == LINK
    asked, _ = said("link", "alice", "p&1", "--reason", "why", answer=LINK)
    assert asked == "POST /v1/players/alice/link?wallet=p%261&reason=why"
    asked, told = said("unlink", "alice", "--reason", "why", answer={**LINK, "wallet": None})
    assert asked == "POST /v1/players/alice/unlink?reason=why"
    assert told == "alice (account 7) is not linked\n"

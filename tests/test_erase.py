"""`pokerroom erase`: the retention of the settings, at once."""

import psycopg
import pytest
from click.testing import CliRunner

from pokerroom.cli import main

pytestmark = pytest.mark.services


def test_an_operator_erases_what_the_settings_keep_no_longer(own_rows, tmp_path):
    """The days come from the settings file; the line of the log names the operator and the reason."""
    room, owner = own_rows
    settings = tmp_path / "room.toml"
    settings.write_text('[retention]\nhands_days = 30\n[[tables]]\nid = "t"\nsmall_blind = 50\n')
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute(
            "WITH made AS (INSERT INTO transfers (key, kind, created)"
            " VALUES ('hand:h1', 'hand', now() - interval '40 days') RETURNING id)"
            " INSERT INTO hands SELECT id, 'h1', 't', now(), now(), '{\"hidden\": 1}', 1 FROM made"
        )

        def said(environment):
            command = ["erase", "--config", str(settings), "--reason", "a request"]
            return CliRunner().invoke(main, command, env=environment)

        alone = {
            "POKERROOM_DATABASE_URL": room,
            "POKERROOM_REDIS_URL": "redis://h",
            "POKERROOM_OWNER_DATABASE_URL": "",
        }
        refused = said(alone)
        assert (refused.exit_code, "POKERROOM_OWNER_DATABASE_URL" in refused.stderr) == (1, True)
        result = said(alone | {"POKERROOM_OWNER_DATABASE_URL": owner})
        told = "0 log-ins, 0 messages of webhooks and 0 refused debits were removed"
        assert (result.exit_code, result.stdout) == (0, f"1 hands have lost their hidden cards, {told}\n")
        assert connection.execute("SELECT record FROM hands").fetchall() == [({},)]
        lines = connection.execute(
            "SELECT verb, args, reason, who LIKE 'local:%' FROM operator_log"
        ).fetchall()
    assert lines == [("retention.hands", {"hands": 1}, "a request", True)]

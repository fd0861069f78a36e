"""The order of the lobby's tables."""

from __future__ import annotations

import msgspec

from pokerroom.terminal.lobby import games_first
from tests.protocol.test_session import INFO


def test_a_new_player_sees_first_where_something_happens():
    """A closing table is last, even with players; equals keep the order of the room."""
    rows = [
        ("closing", 3, True),
        ("empty", 0, False),
        ("bots", 4, False),
        ("free", 0, False),
        ("one", 1, False),
    ]
    tables = [
        msgspec.structs.replace(INFO, table=table, players=players, closing=closing)
        for table, players, closing in rows
    ]

    assert [info.table for info in games_first(tables)] == ["bots", "one", "empty", "free", "closing"]

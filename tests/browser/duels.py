"""Tournaments of two players that start in a moment, for what happens in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.browser.conftest import CONFIG
from tests.browser.players import Player
from tests.browser.test_other_games import tab
from tests.integration.support import RunningRoom, running_room

AHEAD_S = 90
"""The room is up, and both have registered, long before that."""

TOURNAMENT = """
[[tournament]]
id = "duel"
name = "Duel"
start = {start}
announce_s = 86_400
players_max = 2
{more}
buy_in = 1_100
fee = 100
level_s = 600
action_clock_s = 20
countdown_s = 20
hand_pause_ms = 300
levels = [{{ small_blind = 50 }}]

[[league]]
id = "duels"
name = "Duels"
tournaments = ["duel"]
"""


@contextmanager
def room_with_a_duel(data: Path, more: str) -> Iterator[RunningRoom]:
    """A room of its own; `more` are settings of the tournament."""
    start = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=AHEAD_S)
    with running_room(data, CONFIG + TOURNAMENT.format(start=start.isoformat(), more=more)) as running:
        yield running


def seated(new_player: Callable[[], Player]) -> tuple[Player, Player]:
    """Two guests that have registered, and sit at the table."""
    players = new_player().enter(), new_player().enter()
    for player in players:
        tab(player, "Tournaments")
        player.page.get_by_role("button", name="Register: Duel #1").click()
        player.page.get_by_role("button", name="Unregister: Duel #1").wait_for()
    for player in players:
        player.page.locator(".place.own").wait_for(timeout=(AHEAD_S + 30) * 1_000)
    return players

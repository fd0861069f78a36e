"""The tables that a room hosts: the settings of all of them, and the game of each.

This is the one place that asks which game is played at a table. All other modules know a table by its shell
(`table.actor`), so that another game is a line here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pokerroom.ops.config import RoomConfig
from pokerroom.ops.table_settings import TableSettings
from pokerroom.ops.ultimate_settings import UltimateSettings
from pokerroom.poker.cash.seating import cash_game
from pokerroom.table import actor
from pokerroom.table.actor import TableActor
from pokerroom.table.api import ActorSettings
from pokerroom.table.context import TableContext
from pokerroom.table.game import MakeGame
from pokerroom.tournament.actor import TournamentActor
from pokerroom.tournament.settings import TournamentActorSettings, TournamentSettings
from pokerroom.tournament.table import TournamentTableActor
from pokerroom.ultimate.game import ultimate_game

FORM: Final = "Python" if actor.__file__.endswith(".py") else "compiled"
"""How tables run: by their sources, or compiled to C by mypyc."""

_GAMES: Final[dict[type[ActorSettings], Callable[[Any], MakeGame]]] = {
    TableSettings: cash_game,
    UltimateSettings: ultimate_game,
}
"""By the type of a table's settings, which are the first thing that its game is made of."""


def all_settings(config: RoomConfig) -> dict[str, ActorSettings]:
    """Return the tables of the configuration by their ids, in its order."""
    found: list[ActorSettings] = [*config.tables, *config.ultimate]
    return {settings.table: settings for settings in found}


def make_table(settings: ActorSettings, context: TableContext) -> TableActor:
    """Return the actor of one table."""
    if isinstance(settings, TournamentActorSettings):
        return TournamentActor(settings, context)
    if isinstance(settings, TournamentSettings):
        return TournamentTableActor(settings, context)
    return TableActor(settings, context, _GAMES[type(settings)](settings))

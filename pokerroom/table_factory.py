"""The kinds of tables that a room hosts: the settings of all its tables, and the actor of each.

This is the only place that distinguishes games. Everything else knows a table by what all tables have in common
(`table.api`), so that another kind is one line here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pokerroom.lobby.table_settings import table_settings, ultimate_settings
from pokerroom.ops.config import RoomConfig
from pokerroom.poker.cash.table import CashTable
from pokerroom.poker.settings import TableSettings
from pokerroom.table.api import ActorSettings, TableActor
from pokerroom.table.context import TableContext
from pokerroom.tournament.settings import TournamentSettings
from pokerroom.tournament.table import TournamentTable
from pokerroom.ultimate.actor import UltimateTable
from pokerroom.ultimate.settings import UltimateSettings

_ACTORS: Final[dict[type[ActorSettings], Callable[[Any, TableContext], TableActor]]] = {
    TableSettings: CashTable,
    TournamentSettings: TournamentTable,
    UltimateSettings: UltimateTable,
}
"""The class of the actor by the type of a table's settings, which are its first argument."""


def all_settings(config: RoomConfig) -> dict[str, ActorSettings]:
    """Return the settings of all tables of the configuration by their ids, in its order."""
    found: list[ActorSettings] = [table_settings(table) for table in config.tables]
    found += [ultimate_settings(table) for table in config.ultimate]
    return {settings.table: settings for settings in found}


def make_table(settings: ActorSettings, context: TableContext) -> TableActor:
    """Make the actor of one table."""
    return _ACTORS[type(settings)](settings, context)

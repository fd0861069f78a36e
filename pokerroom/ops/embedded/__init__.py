"""PostgreSQL and Redis of the room's own, for a machine where no URL of either is set.

`services` is the entry: `EmbeddedServices` for a room, `running` and `attached` for a command beside it. The other
modules each know one thing: where programs are found (`binaries`), where files lie and which user owns them (`places`),
how a server is started, found again and stopped (`server`), and the details of each server (`postgres`, `redis`).
"""

from pokerroom.ops.embedded.binaries import find_dump_tool, find_newest_dump_tool
from pokerroom.ops.embedded.places import EmbeddedError, default_data_dir, remove_data
from pokerroom.ops.embedded.secret import check_journal_key, journal_keys, known_journal_keys
from pokerroom.ops.embedded.services import Addresses, EmbeddedServices, attached, running, running_database

__all__ = [
    "Addresses",
    "EmbeddedError",
    "EmbeddedServices",
    "attached",
    "check_journal_key",
    "default_data_dir",
    "find_dump_tool",
    "find_newest_dump_tool",
    "journal_keys",
    "known_journal_keys",
    "remove_data",
    "running",
    "running_database",
]

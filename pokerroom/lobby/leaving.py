"""Makes players sit out or leave tables of this node, when the room no longer lets them play. Knows no reasons."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pokerroom.table.actor import TableActor
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.table.viewer import THE_ROOM
from pokerroom_protocol import messages as wire


class LeavingTable:
    """A table of this node, to which the room sends requests in place of players."""

    def __init__(self, actor: TableActor) -> None:
        self._actor = actor
        self.table = actor.settings.table

    def seated(self) -> list[int]:
        """Return the accounts with a seat."""
        return self._actor.seated()

    def send_away(self, account: int) -> None:
        """Let the account sit out from the next hand on. If it cannot, or does so already, it leaves."""
        self._actor.request(
            _Asker(account, partial(self.leave, account)), wire.SitOut(id=1, table=self.table)
        )

    def leave(self, account: int) -> None:
        """Let the account leave: now, or after the hand."""
        self._actor.request(_Asker(account, lambda: None), wire.StandUp(id=1, table=self.table))


class _Asker:
    """A `Viewer` that watches nothing, and asks for an account. `refused` is called if the table refuses."""

    name = ""
    instance = THE_ROOM
    address_group = ""
    wants_pause = False
    connected = True

    def __init__(self, account: int, refused: Callable[[], None]) -> None:
        self.account: int | None = account
        self._refused = refused

    def deliver(self, outgoing: Outgoing | Bundle) -> None:
        if any(isinstance(part.message, wire.Error) for part in outgoing.parts):
            self._refused()

"""Who counts what passes the gateway: handed to the sessions, which know nothing more of it."""

from __future__ import annotations

from typing import Protocol


class GatewayObserver(Protocol):
    """See the module."""

    def connection_opened(self, transport: str) -> None:
        """A connection was made."""

    def connection_closed(self, transport: str) -> None:
        """A connection is gone."""

    def frames_in(self) -> None:
        """A frame came from a client."""

    def refusal(self, code: str) -> None:
        """A message was refused."""

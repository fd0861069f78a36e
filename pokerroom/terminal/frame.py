"""The frame of a screen: header, problem of the connection, and the keys in the player's language."""

from __future__ import annotations

from dataclasses import replace

from textual.app import ComposeResult
from textual.binding import ActiveBinding
from textual.screen import Screen
from textual.widgets import Footer, Header

from pokerroom.terminal.texts import t
from pokerroom.terminal.widgets import Banner


class FramedScreen(Screen[None]):
    """A screen with a frame. Its class describes its keys by the keys of their texts."""

    def compose(self) -> ComposeResult:
        """See `Screen`."""
        yield Header(icon="♠")
        yield Banner()
        yield from self.content()
        yield Footer()

    def content(self) -> ComposeResult:
        """Yield what the frame contains."""
        yield from ()

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """See `Screen`."""
        return {
            key: active._replace(binding=replace(active.binding, description=t(text, text)))
            for key, active in super().active_bindings.items()
            for text in [active.binding.description]
        }

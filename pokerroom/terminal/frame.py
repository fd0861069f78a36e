"""The frame of a screen: header, problem of the connection, and the keys in the player's language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from textual.app import ComposeResult
from textual.binding import ActiveBinding
from textual.screen import Screen
from textual.widgets import Footer, Header

from pokerroom.terminal.texts import t
from pokerroom.terminal.widgets import Banner


class Keys(Footer):
    """A footer that is composed again only for other keys: that costs as much as the rest of a screen."""

    _shown: Mapping[str, ActiveBinding] | None = None

    def bindings_changed(self, screen: Screen[Any]) -> None:
        """See `Footer`."""
        if self._shown is None or screen.active_bindings != self._shown:
            self._shown = {}
            super().bindings_changed(screen)

    def compose(self) -> ComposeResult:
        """See `Footer`."""
        if self._shown is not None:
            self._shown = self.screen.active_bindings
        yield from super().compose()


class FramedScreen(Screen[None]):
    """A screen with a frame. Its class describes its keys by the keys of their texts."""

    def compose(self) -> ComposeResult:
        """See `Screen`."""
        yield Header(icon="♠")
        yield Banner()
        yield from self.content()
        yield Keys()

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

"""The frame of a screen: header, problem of the connection, and the keys in the player's language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import ActiveBinding
from textual.containers import HorizontalGroup
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, Header
from textual.widgets._footer import FooterKey  # private: Textual exports it nowhere else

from pokerroom.terminal.texts import t
from pokerroom.terminal.widgets import Banner


class Keys(Footer):
    """The keys, in as many lines as they need.

    It is composed again only for other keys or another width: that costs as much as the rest of a screen.
    """

    DEFAULT_CSS = "Keys { layout: vertical; height: auto; }"

    _shown: Mapping[str, ActiveBinding] | None = None
    _width = 0

    def bindings_changed(self, screen: Screen[Any]) -> None:
        """See `Footer`."""
        if self._shown is None or screen.active_bindings != self._shown:
            self._shown = {}
            super().bindings_changed(screen)

    def compose(self) -> ComposeResult:
        """See `Footer`."""
        if self._shown is not None:
            self._shown = self.screen.active_bindings
        self._width = left = self.app.size.width
        lines: list[list[Widget]] = [[]]
        for key in super().compose():
            assert isinstance(key, FooterKey)
            cells = cell_len(f" {key.key_display} {key.description} ")
            if cells > left:
                lines.append([])
                left = self._width
            left -= cells
            lines[-1].append(key)
        for line in lines:
            with HorizontalGroup():
                yield from line

    async def on_resize(self) -> None:
        """See `Widget`."""
        if self._shown and self.app.size.width != self._width:
            await self.recompose()


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

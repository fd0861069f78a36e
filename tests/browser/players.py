"""Somebody at a browser: clicks, types, reads the page, and notes what goes wrong in it."""

from __future__ import annotations

import contextlib
import re
import time
from pathlib import Path
from typing import Any

STEP_S = 0.05
HAND_S = 45


class Player:
    """One page of the client. `problems` are console errors and uncaught exceptions, `foreign` requests elsewhere."""

    def __init__(self, page: Any, url: str, name: str, artefacts: Path) -> None:
        self.page = page
        self.url = url
        self.name = name
        self.problems: list[str] = []
        self.foreign: list[str] = []
        self._artefacts = artefacts
        page.on("console", lambda message: self._said(message.type, message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self._asked(request.url))
        page.goto(url)

    def _said(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"}:
            self.problems.append(f"{kind}: {text}")

    def _asked(self, url: str) -> None:
        if not url.startswith((self.url, "data:", self.url.replace("http:", "ws:"))):
            self.foreign.append(url)

    def shot(self, name: str) -> None:
        """A picture for people to look at."""
        self._artefacts.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=self._artefacts / f"{name}.png", animations="disabled")

    # --- going in ---------------------------------------------------------------------------------------------

    def enter(self) -> Player:
        """As a guest, or registered where there is a name: one that no other test uses, for they share a room."""
        if self.name:
            form = self.page.locator("pr-entrance form")
            form.locator("input[name=name]").fill(self.name)
            form.locator("input[name=password]").fill("correct horse")
            form.locator("button.primary").click()
        else:
            self.page.click("#guest")
        self.page.locator("pr-lobby tbody tr, pr-entrance .problem:not(:empty)").first.wait_for()
        assert not (refused := self.page.locator("pr-entrance .problem").all_inner_texts()), refused
        return self

    def row(self, table: str) -> Any:
        """A table's line in the lobby."""
        return self.page.locator("pr-lobby tbody tr").filter(has=self.page.get_by_text(table, exact=True))

    def sit_down(self, table: str) -> Player:
        """From the lobby to a seat, by the window for the buy-in."""
        self.to_lobby()
        self.row(table).locator("button.primary").click()
        self.page.locator("dialog button.primary").click()
        self.table(table).locator(".place.own").wait_for()
        return self

    def to_lobby(self) -> None:
        self.page.locator(".bar nav a").first.click()
        self.page.locator("pr-lobby tbody tr").first.wait_for()

    def table(self, name: str) -> Any:
        """The region of an open table."""
        return self.page.locator(f'pr-table[aria-label="{name}"]')

    # --- playing ----------------------------------------------------------------------------------------------

    def is_asked(self) -> bool:
        return self.page.locator(".dock.deciding button.deed-call:not([disabled])").count() > 0

    def wait_for_turn(self, others: tuple[Player, ...] = ()) -> None:
        """Until it is our turn; the others check and call meanwhile."""
        until = time.monotonic() + HAND_S
        while not self.is_asked():
            assert time.monotonic() < until, "it never is our turn"
            for other in others:
                other.call_if_asked()
            time.sleep(STEP_S)

    def call_if_asked(self) -> bool:
        """Checks or calls by the key, where that is asked."""
        if not self.is_asked():
            return False
        self.page.keyboard.press("c")
        return True

    def call(self) -> None:
        """Checks or calls, and reads in the log that it was done."""
        done = self.page.locator(".lines .acted").filter(
            has_text=re.compile(rf"^{self.shown_name()} (checks|calls)")
        )
        before = done.count()
        self.page.keyboard.press("c")
        until = time.monotonic() + HAND_S
        while done.count() == before:
            assert time.monotonic() < until, "the decision is not told"
            time.sleep(STEP_S)

    def shown_name(self) -> str:
        """As the bar has it."""
        return str(self.page.locator(".bar .me .name").inner_text())

    def lines(self, table: str) -> list[str]:
        """What the log of a table says."""
        return self.table(table).locator(".lines li").all_inner_texts()

    def own_cards(self) -> str:
        """As a screen reader says them; empty without any."""
        cards = self.page.locator(".place.own .hole.open")
        return str(cards.first.get_attribute("aria-label")) if cards.count() else ""

    def stand_up(self) -> None:
        """Leaves the one table that is shown, and fails if that is not possible."""
        self.page.locator(".menu > button").click()
        self.page.locator(".menu .items button").last.click()
        self.page.locator("dialog button.primary").click()

    def leave_tables(self) -> None:
        """Gives seats up, so that nobody waits for who has gone; what cannot be left any more is left to the clock."""
        with contextlib.suppress(Exception):
            while self.page.locator("dialog[open]").count():
                self.page.keyboard.press("Escape")
            if (tabs := self.page.locator(".bar nav a")).count() > 1:
                tabs.nth(1).click(timeout=500)
            for button in self.page.locator("pr-ultimate .tools button:last-child").all():
                button.click(timeout=500)
            for button in self.page.locator(".menu > button").all():
                button.click(timeout=500)
                self.page.locator(".menu .items button").last.click(timeout=500)
                self.page.locator("dialog button.primary").click(timeout=500)

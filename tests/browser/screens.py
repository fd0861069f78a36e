"""The main screens of the client in made-up states that are the same at each run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.browser.players import Player

HERE = Path(__file__).parent
STATES = (HERE / "states.js").read_text(encoding="utf-8")
SCENES = (HERE / "scenes.js").read_text(encoding="utf-8")
FROZEN = "Date.now = () => Date.UTC(2026, 0, 2, 20, 30);"

CODE = "q8Zl0c1yQm2rT5uVwX9aBd"
WIDE, PHONE = (1280, 720), (390, 844)
SCREENS = {
    "entrance": (WIDE, "entrance", None),
    "phone-invited": (PHONE, "invited", None),
    "lobby-cash": (WIDE, "lobby", 0),
    "lobby-private": (WIDE, "lobby-private", 0),
    "lobby-sit-and-gos": (WIDE, "lobby", 1),
    "lobby-ultimate": (WIDE, "lobby", 2),
    "table-waiting": (WIDE, "waiting", 1),
    "table-turn": (WIDE, "turn", 1),
    "table-won": (WIDE, "won", 1),
    "four-tables": (WIDE, "turn", 4),
    "phone-turn": (PHONE, "turn", 1),
    "ultimate-decision": (WIDE, "ultimate", None),
}
"""Each screen: the size of the window, the scene, and which tab or how many tables."""


def show(new_player: Callable[..., Player], name: str, scheme: str) -> Player:
    """Open a page that shows one of the screens."""
    size, scene, number = SCREENS[name]
    player = new_player(
        size=size,
        script=FROZEN,
        color_scheme=scheme,
        reduced_motion="reduce",
        timezone_id="UTC",
        bypass_csp=True,
    )
    page = player.page
    if scene == "invited":
        page.goto(f"{player.url}#table={CODE}")
        page.locator("#join button:not([disabled])").wait_for()
        page.locator("#join input").fill("Ada")
    else:
        page.locator("#guest:not([disabled])").wait_for()
    made_up = scene in {"waiting", "turn", "won"}
    if scene not in {"entrance", "invited"}:
        player.enter()
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby" if made_up else scene})
    if made_up:
        fields = {"count": number, "seats": 6, "cards": 2, "state": scene, "button": 2}
        page.evaluate(f"(fields) => ({STATES})(fields)", fields)
    elif number is not None:
        page.locator(".lobby-head .tabs button").nth(number).click()
    page.mouse.move(0, size[1] - 1)  # nothing is under the pointer
    page.evaluate("document.activeElement.blur()")
    return player

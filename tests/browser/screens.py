"""The main screens of the client in made-up states that are the same at each run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.browser.players import Player

HERE = Path(__file__).parent
STATES = (HERE / "states.js").read_text(encoding="utf-8")
SCENES = (HERE / "scenes.js").read_text(encoding="utf-8")
WINDOWS = (HERE / "windows.js").read_text(encoding="utf-8")
VECTORS = json.loads((HERE.parents[1] / "protocol" / "vectors" / "server.json").read_text(encoding="utf-8"))
EXAMPLES = {vector["type"]: vector["json"] for vector in reversed(VECTORS)}
"""The protocol's own examples of what the room says, by type."""

COUNTED = """async (counts) => {
  const { room } = await import("/app/room.js");
  const { settings } = await import("/app/settings.js");
  const ask = room.client.request.bind(room.client);
  const opponents = (players) => players.map((player, index) => ({ player, ...counts[index % counts.length] }));
  room.client.request = async (message) =>
    message.type === "get_opponents" ? { opponents: opponents(message.players) } : ask(message);
  settings.set("table_statistics", true);
}"""
"""Shows statistics of other players at their seats, each of `counts` in turns."""

SEEN = {"hands": 1_234, "vpip_chances": 1_200, "vpip": 1_200, "pfr": 264}
"""Statistics as long as they get."""

FROZEN = "Date.now = () => Date.UTC(2026, 0, 2, 20, 30);"

CODE = "q8Zl0c1yQm2rT5uVwX9aBd"
WIDE, TABLET, PHONE, SIDEWAYS = (1280, 720), (820, 1180), (390, 844), (844, 390)
SCREENS = {
    "entrance": (WIDE, "entrance", None),
    "phone-invited": (PHONE, "invited", None),
    "lobby-cash": (WIDE, "lobby", 0),
    "lobby-private": (WIDE, "lobby-private", 0),
    "lobby-sit-and-gos": (WIDE, "lobby", 1),
    "lobby-tournaments": (WIDE, "lobby", 2),
    "phone-lobby-tournaments": (PHONE, "lobby", 2),
    "lobby-ultimate": (WIDE, "lobby", 3),
    "table-waiting": (WIDE, "waiting", 1),
    "table-turn": (WIDE, "turn", 1),
    "table-won": (WIDE, "won", 1),
    "four-tables": (WIDE, "turn", 4),
    "phone-turn": (PHONE, "turn", 1),
    "table-tournament": (WIDE, "tournament", 1),
    "tablet-tournament": (TABLET, "tournament", 1),
    "phone-tournament": (PHONE, "tournament", 1),
    "ultimate-decision": (WIDE, "ultimate", None),
    "table-statistics": (WIDE, "counted", 1),
    "tablet-statistics": (TABLET, "counted", 1),
    "phone-statistics": (PHONE, "counted", 1),
    "window-download": (WIDE, "window", "download"),
    "window-share-hand": (WIDE, "window", "share-hand"),
    "window-links": (WIDE, "window", "links"),
    "phone-window-links": (PHONE, "window", "links"),
    "window-graph": (WIDE, "window", "statistics"),
    "window-notes": (WIDE, "window", "notes"),
    "window-tournament": (WIDE, "window", "tournament"),
    "phone-window-tournament": (PHONE, "window", "tournament"),
    "window-tournament-prizes": (WIDE, "window", "tournament-prizes"),
    "phone-window-tournament-prizes": (PHONE, "window", "tournament-prizes"),
    "window-tournament-again": (WIDE, "window", "tournament-again"),
    "phone-window-tournament-again": (PHONE, "window", "tournament-again"),
    "window-tournament-over": (WIDE, "window", "tournament-over"),
    "phone-window-tournament-over": (PHONE, "window", "tournament-over"),
    "window-leagues": (WIDE, "window", "leagues"),
    "phone-window-leagues": (PHONE, "window", "leagues"),
    "window-deal-propose": (WIDE, "window", "deal-propose"),
    "window-deal": (WIDE, "window", "deal"),
    "window-deal-agreed": (WIDE, "window", "deal-agreed"),
    "phone-window-deal-propose": (PHONE, "window", "deal-propose"),
    "phone-window-deal": (PHONE, "window", "deal"),
    "phone-window-deal-de": (PHONE, "window", "deal"),
    "phone-window-deal-pl": (PHONE, "window", "deal"),
    "phone-window-deal-agreed": (PHONE, "window", "deal-agreed"),
    "window-rebuy": (WIDE, "window", "rebuy"),
    "phone-window-rebuy": (PHONE, "window", "rebuy"),
    "phone-window-rebuy-de": (PHONE, "window", "rebuy"),
    "phone-window-rebuy-pl": (PHONE, "window", "rebuy"),
    "phone-window-rebuy-dear": (PHONE, "window", "rebuy-dear"),
    "window-add-on": (WIDE, "window", "add-on"),
    "window-history": (WIDE, "window", "history"),
    "tablet-window-history": (TABLET, "window", "history"),
    "phone-window-history": (PHONE, "window", "history"),
    "window-hand": (WIDE, "window", "hand-decision"),
    "sideways-window-hand": (SIDEWAYS, "window", "hand-decision"),
    "phone-window-hand": (PHONE, "window", "hand-decision"),
    "window-rules": (WIDE, "window", "rules-tournament"),
    "phone-window-rules": (PHONE, "window", "rules-tournament"),
    "window-tickets": (WIDE, "window", "tickets"),
    "phone-window-tickets": (PHONE, "window", "tickets"),
    "window-clubs": (WIDE, "window", "clubs"),
    "window-club": (WIDE, "window", "club"),
    "phone-window-club": (PHONE, "window", "club"),
    "sideways-window-club": (SIDEWAYS, "window", "club"),
    "window-club-results": (WIDE, "window", "club-results"),
    "phone-window-club-results": (PHONE, "window", "club-results"),
    "phone-window-club-chips": (PHONE, "window", "club-chips"),
    "tablet-window-graph": (TABLET, "window", "statistics"),
    "phone-window-download": (PHONE, "window", "download"),
    "phone-window-share-hand": (PHONE, "window", "share-hand"),
    "phone-window-graph": (PHONE, "window", "statistics"),
    "phone-window-note": (PHONE, "window", "note"),
}
"""Each screen: the size of the window, the scene, and which tab, how many tables or which window."""

LOCALES = {"-de": "de-DE", "-pl": "pl-PL"}
"""The locale of a screen, by the end of its name."""


def show(new_player: Callable[..., Player], name: str, scheme: str) -> Player:
    """Open a page that shows one of the screens."""
    size, scene, number = SCREENS[name]
    player = new_player(
        size=size,
        locale=LOCALES.get(name[-3:], "en-GB"),
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
    made_up = scene in {"waiting", "turn", "won", "counted", "tournament"}
    if scene not in {"entrance", "invited"}:
        player.enter()
    page.evaluate(
        f"(fields) => ({SCENES})(fields)", {"scene": "lobby" if made_up or scene == "window" else scene}
    )
    if made_up:
        if scene == "counted":
            page.evaluate(COUNTED, [SEEN, SEEN | {"hands": 12, "vpip": 9, "pfr": 1, "vpip_chances": 11}])
        fields = {"count": number, "seats": 6, "cards": 2, "state": scene, "button": 2}
        if scene in {"counted", "tournament"}:
            fields |= {"state": "turn", "tournament": scene == "tournament"}
        page.evaluate(f"(fields) => ({STATES})(fields)", fields)
        if scene == "counted":
            page.locator(".seen-play").first.wait_for()
    elif scene == "window":
        fields = {"count": 1, "seats": 6, "cards": 2, "state": "turn"}
        page.evaluate(f"(fields) => ({STATES})(fields)", fields)
        page.evaluate(f"(fields) => ({WINDOWS})(fields)", {"name": number, "examples": EXAMPLES})
    elif number is not None:
        page.locator(".lobby-head .tabs button").nth(number).click()
    page.mouse.move(0, size[1] - 1)  # nothing is under the pointer
    page.evaluate("document.activeElement.blur()")
    return player

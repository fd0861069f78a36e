"""The table at every size of the window: your cards are wholly visible, nothing covers chips, nothing jumps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.screens import COUNTED, SCENES, SEEN

HERE = Path(__file__).parent
STATES = (HERE / "states.js").read_text(encoding="utf-8")
LAYOUT = (HERE / "layout.js").read_text(encoding="utf-8")
RECTS = """() => [...document.querySelectorAll("pr-table .felt, pr-table .dock, pr-table .plate")].map((element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  return [element.className, Math.round(x), Math.round(y), Math.round(width), Math.round(height)];
})"""

LANGUAGES = ("de", "pl", "en")
RANKS = ["three_of_a_kind", "straight", "full_house", "straight_flush", "high_card", "four_of_a_kind"]
"""The hands with the longest names, one for each seat."""

WINDOWS = {
    "1440": (1440, 900, 1),
    "1280": (1280, 720, 1),
    "two": (1280, 720, 2),
    "four": (1280, 720, 4),
    "four-1440": (1440, 900, 4),
    "tablet": (1024, 768, 1),
    "tablet-two": (1024, 768, 2),
    "tablet-four": (1180, 820, 4),
    "tablet-upright-two": (820, 1180, 2),
    "phone": (360, 720, 1),
    "phone-short": (360, 640, 1),
    "phone-usual": (390, 844, 1),
    "phone-large": (412, 915, 1),
    "sideways": (844, 390, 1),
    "sideways-two": (844, 390, 2),
    "sideways-small": (720, 360, 1),
}


@pytest.fixture(params=WINDOWS)
def window(request, new_player):
    """A player with made-up tables in a window of each size: shows a state, and returns what is wrong with it."""
    width, height, count = WINDOWS[request.param]
    player = new_player(size=(width, height)).enter()

    def show(state: str, *, seats: int = 6, cards: int = 2, **more: object) -> list[str]:
        fields = {"count": count, "seats": seats, "cards": cards, "state": state, **more}
        player.page.evaluate(f"(fields) => ({STATES})(fields)", fields)
        problems = player.page.evaluate(LAYOUT)
        if problems:
            player.shot(f"layout-{request.param}-{seats}-{cards}-{state}")
        return problems

    show.player = player
    return show


def test_cards_and_chips_are_in_view(window):
    """On your turn and when the pots are given out, with any number of seats, four cards, side pots; and before it."""
    states = [(seats, 2, state) for seats in range(2, 11) for state in ("turn", "won")]
    states += [(6, 4, "turn"), (6, 4, "won"), (6, 2, "waiting"), (10, 2, "waiting")]
    found = {
        (seats, cards, state): problems
        for seats, cards, state in states
        if (problems := window(state, seats=seats, cards=cards))
    }
    assert found == {}
    with_side_pots = {
        seats: window("turn", seats=seats, pots=[123_456, 54_321, 9_900]) for seats in (5, 6, 7, 9)
    }
    assert not any(with_side_pots.values()), with_side_pots


def test_statistics_at_seats_cover_nothing(window):
    """Neither names and stacks nor bets, with any number of seats, also while another player decides."""
    window.player.page.evaluate(COUNTED, [SEEN])
    shown = [(seats, cards, "turn", 1) for seats in (3, 6, 8, 10) for cards in (2, 4)]
    shown += [(seats, 2, "countdown", acts) for seats in (6, 10) for acts in (2, 4, seats)]
    shown += [(seats, 2, "won", 1) for seats in (6, 10)]
    found = {
        (seats, cards, state, acts): problems
        for seats, cards, state, acts in shown
        if (problems := window(state, seats=seats, cards=cards, acts=acts))
        if (problems := [each for each in problems if "statistics" in each])
    }
    assert found == {}
    window("turn")
    assert window.player.page.locator(".seen-play").count() % 5 == 0


def test_the_countdown_covers_nothing(window):
    """Beside the seconds stands what the room does when they are over."""
    found = {
        (seats, cards): problems
        for seats, cards in ((2, 2), (6, 2), (10, 2), (6, 4))
        if (
            problems := [
                each for each in window("countdown", seats=seats, cards=cards) if "countdown" in each
            ]
        )
    }
    assert found == {}


def test_the_countdown_of_other_players_covers_nothing(window):
    """Their stacks and bets are in view while they decide, wherever they sit."""
    found = {
        (seats, acts): problems
        for seats in (6, 10)
        for acts in range(2, seats + 1)
        if (problems := [each for each in window("countdown", seats=seats, acts=acts) if "countdown" in each])
    }
    assert found == {}


def test_no_name_is_cut(window):
    """Neither that of a hand nor that of a table in the head, at any size and in any language; head and dock hold
    their buttons, and the whole name of the table is there for a pointer and a screen reader.
    """
    name = "Heads-up with a bot 0.50/1.00"
    page = window.player.page
    found = {}
    for language in LANGUAGES:
        page.evaluate("language => import('/app/i18n.js').then(({ speak }) => speak(language))", language)
        for seats, state in ((6, "won"), (10, "won"), (6, "waiting"), (10, "waiting")):
            problems = window(state, seats=seats, name=name, ranks=RANKS)
            if cut := [each for each in problems if "cut" in each or "out of" in each]:
                found[language, seats, state] = cut
    assert found == {}
    head = page.locator("pr-table h2").first
    assert head.get_attribute("title") == head.text_content() == f"{name} 1"


def test_the_button_hides_nothing(window):
    """Wherever the button is, it lies beside the board, and no name or stack is under it."""
    found = {
        (seats, button): problems
        for seats in (2, 6, 8, 9)
        for button in range(1, seats + 1)
        if (problems := [each for each in window("waiting", seats=seats, button=button) if "button" in each])
    }
    assert found == {}


def test_nothing_jumps_when_the_turn_comes(window):
    """Felt, plates and dock keep their places and sizes between waiting, deciding and watching a result."""
    rects = []
    for state in ("waiting", "turn", "won"):
        window(state)
        shown = window.player.page.evaluate(RECTS)
        rects.append([[name.split()[0], *numbers] for name, *numbers in shown])
    assert rects[0] == rects[1] == rects[2]


HOUSE = {360: 640, 844: 390, 768: 1024}
"""Widths and heights of a page with a table of the house."""

TOO_WIDE = """() => [...document.querySelectorAll("pr-ultimate h2, .spot, .spot-name")]
  .filter((element) => element.scrollWidth > element.clientWidth
    || element.getBoundingClientRect().width > element.parentElement.clientWidth)
  .map((element) => element.textContent)"""
BETTING = """async () => {
  const { room } = await import("/app/room.js");
  const { snapshot } = room.model("uth");
  Object.assign(snapshot, { round: null, light: { light: "green", closes_ms: null } });
  room.dispatchEvent(new Event("change"));
}"""


@pytest.mark.parametrize(
    "window", ["phone-short", "phone", "sideways", "sideways-small", "four", "tablet-four"], indirect=True
)
def test_a_tournament_has_room(window):
    """The level takes nothing from cards and chips."""
    found = {
        seats: problems
        for seats in (2, 5, 6, 7, 9)
        if (problems := window("turn", seats=seats, tournament=True))
    }
    assert found == {}


DEAL = {"deal": 2, "proposer": "Ada", "kind": "icm", "for_the_winner": 0, "until_ms": None, "shares": []}
FINAL = [123_456_700, 81_234_500, 53_210_000, 31_234_500, 20_000_000, 15_000_000]
HEAD = """() => [...document.querySelectorAll(".table-head")].flatMap((head) => {
  const [all, tools] = [head, head.querySelector(".tools")].map((each) => each.getBoundingClientRect());
  const parts = [...head.querySelectorAll("h2, .tournament > *, .tools")].filter((each) => each.checkVisibility());
  const cut = parts.filter((each) => {
    const { left, right, top, bottom, width } = each.getBoundingClientRect();
    const across = right > tools.left + 1 && left < tools.right;
    const meets = !each.matches(".tools") && across && bottom > tools.top && top < tools.bottom;
    return width < 20 || left < all.left || right > all.right + 1 || meets;
  });
  return cut.map((each) => `${each.localName} “${each.textContent.slice(0, 20)}”`);
})"""


@pytest.mark.parametrize("locale", ["en-GB", "de-DE", "pl-PL"])
def test_the_head_has_room_for_a_deal(new_player, locale):
    """With large prizes and the button of the deal: the name of the table and all buttons are in the head."""
    player = new_player(locale=locale).enter()
    page = player.page
    fields = {"count": 1, "seats": 6, "cards": 2, "state": "waiting", "tournament": True, "prizes": FINAL}
    found = {}
    for width in (360, 390, 600, 844, 1024, 1180, 1280, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        for deal in (DEAL, DEAL | {"deal": None}):
            page.evaluate(f"(fields) => ({STATES})(fields)", fields | {"deal": deal})
            if problems := page.evaluate(HEAD):
                player.shot(f"layout-deal-{locale}-{width}")
                found[width, deal["deal"]] = problems
    assert found == {}


PHONES = {"phone-short": (360, 640), "sideways": (844, 390)}


@pytest.mark.parametrize("size", PHONES)
def test_the_dock_keeps_its_width_beside_the_chat(new_player, size):
    """On a phone, upright and held sideways, in a tournament."""
    width, height = PHONES[size]
    player = new_player(size=(width, height)).enter()
    page = player.page
    fields = {"count": 1, "seats": 6, "cards": 2, "state": "turn", "tournament": True}
    page.evaluate(f"(fields) => ({STATES})(fields)", fields)
    page.get_by_role("button", name="Chat and log").click()
    player.shot(f"layout-{size}-tournament-chat")
    dock, talk = page.locator(".dock").bounding_box(), page.locator(".talk").bounding_box()
    assert round(dock["width"]) >= width - 2
    assert talk["y"] + talk["height"] <= dock["y"] + 1


def test_a_low_page_shows_bank_board_and_your_box(new_player):
    """At a table of Ultimate on a phone held sideways, without scrolling."""
    player = new_player(size=PHONES["sideways"]).enter()
    page = player.page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "ultimate"})
    page.locator(".boxes > .box.own").wait_for()
    player.shot("layout-sideways-ultimate")
    stage, bank, own = (
        page.locator(selector).bounding_box() for selector in (".bank-table", ".bank", ".boxes > .box.own")
    )
    assert bank["y"] >= stage["y"]
    assert bank["y"] + bank["height"] <= own["y"]
    assert own["y"] + own["height"] <= stage["y"] + stage["height"]


@pytest.mark.parametrize("width", HOUSE)
def test_a_table_of_the_house_has_room(new_player, width):
    """For its name, the names of its bets in the longest language, and the chips to choose from, in one line."""
    page = new_player(size=(width, HOUSE[width]), locale="pl-PL").enter().page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "ultimate"})
    assert page.evaluate(TOO_WIDE) == []
    page.evaluate(BETTING)
    assert page.evaluate(TOO_WIDE) == []
    assert len({rack.bounding_box()["y"] for rack in page.locator(".rack").all()}) == 1


def test_the_title_says_that_it_is_your_turn(window):
    """Also in the tab of a page that is not looked at."""
    window("turn")
    assert window.player.page.title().startswith("● Your turn")
    window("waiting")
    assert "Your turn" not in window.player.page.title()


LONG_NAMES = """async () => {
  const { room } = await import("/app/room.js");
  const { noted } = await import("/app/hosting.js");
  const info = { ...room.lobby.tables[0], table: "long", name: "Wednesday evening with the neighbours" };
  noted({ info, host: "Ottilie.von.Hohenstein.1", paused: false, code: null });
  room.dispatchEvent(new Event("change"));
}"""
OVERLAPS = """() => [...document.querySelectorAll(".private tbody tr")].flatMap((row) => {
  const cells = [...row.cells].map((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return [cell.textContent, range.getBoundingClientRect()];
  });
  return cells.flatMap(([text, box], index) => cells.slice(index + 1)
    .filter(([, { x, y }]) => x < box.right && y < box.bottom && x >= box.x && y >= box.y)
    .map(([other]) => `${text} / ${other}`));
})"""


@pytest.mark.parametrize("locale", ["en-GB", "de-DE", "pl-PL"])
def test_a_private_table_with_long_names_fits_a_phone(new_player, locale):
    """In the lobby the names of the table and of its host are whole, and nothing lies on anything."""
    page = new_player(size=PHONES["phone-short"], locale=locale).enter().page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby-private"})
    page.evaluate(LONG_NAMES)
    page.get_by_text("Ottilie.von.Hohenstein.1").wait_for()
    assert page.evaluate(OVERLAPS) == []


TOURNAMENT_LIST = """() => {
  const wide = document.documentElement.scrollWidth - innerWidth;
  const problems = wide > 0 ? [`${wide} px too wide`] : [];
  for (const row of document.querySelectorAll("pr-lobby tbody tr")) {
    const [name, , , entries, guarantee] = row.cells;
    const top = (cell) => Math.round(cell.getBoundingClientRect().top);
    if (innerWidth <= 900 && top(entries) !== top(guarantee)) problems.push(`misplaced: ${name.textContent}`);
    const cut = [...row.cells].filter((cell) => cell.scrollWidth > cell.clientWidth + 1);
    problems.push(...cut.map((cell) => `cut: ${cell.textContent}`));
  }
  return problems;
}"""


@pytest.mark.parametrize("locale", ["en-GB", "de-DE", "pl-PL"])
def test_the_list_of_tournaments_fits(new_player, locale):
    """With one that the operator has rolled back and one with bounties.

    The page is not wider than the window, and on a phone entries and guarantee are side by side.
    """
    player = new_player(locale=locale).enter()
    page = player.page
    page.evaluate(f"(fields) => ({SCENES})(fields)", {"scene": "lobby"})
    page.locator(".lobby-head .tabs button").nth(2).click()
    found = {}
    for width in (360, 390, 768, 901, 1024, 1180, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        player.shot(f"layout-tournaments-{locale}-{width}")
        if problems := page.evaluate(TOURNAMENT_LIST):
            found[width] = problems
    assert found == {}

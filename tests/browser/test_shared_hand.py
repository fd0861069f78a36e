"""The page of a shared hand: made by a player, opened by a stranger, looked at, framed, and read from a file."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ARTEFACTS
from tests.browser.pictures import compare, same_fonts
from tests.browser.players import HAND_S
from tests.browser.screens import FROZEN, PHONE, WIDE
from tests.browser.test_axe import violations

CODE = "Vx0d3kR8mQz1bN5tYc7L2w"
HAND = json.loads((Path(__file__).parent / "shared_hand.json").read_text(encoding="utf-8"))
"""A hand of five at six seats: one folds a hand that was seen, two go to the showdown."""
WELCOME = {
    "type": "welcome", "version": 1, "server": "test", "server_time_ms": 0, "frame_bytes_max": 65_536, "idle_s": 60,
    "features": [],
}  # fmt: skip
SIZES = [(360, 640), (390, 844), (768, 1024), (844, 390), (1280, 720), (1920, 1080)]
SCREENS = {"shared-hand": (WIDE, "dark"), "phone-shared-hand": (PHONE, "light")}


def made_up(socket: Any) -> None:
    """Answers as a room that has one link."""

    def answer(text: str) -> None:
        message = json.loads(text)
        answers = {
            "hello": WELCOME,
            "get_shared_hand": {"type": "shared_hand", "hand": HAND}
            if message.get("code") == CODE
            else {"type": "error", "code": "unknown_hand_link", "message": ""},
        }
        if message["type"] in answers:
            socket.send(json.dumps({**answers[message["type"]], "re": message["id"]}))

    socket.on_message(answer)


def opened(
    new_player: Any,
    size: tuple[int, int],
    scheme: str = "dark",
    *,
    query: str = "",
    code: str = CODE,
    **context: Any,
) -> Any:
    """The page of the made-up hand."""
    options = {"reduced_motion": "reduce", "timezone_id": "UTC", "bypass_csp": True} | context
    player = new_player(size=size, script=FROZEN, color_scheme=scheme, **options)
    page = player.page
    page.route_web_socket("**/ws", made_up)
    page.goto(f"{player.url}hand{query}#{code}")
    page.locator(".hand-replay, .problem:not(:empty)").first.wait_for()
    return page


def step_of(page: Any) -> str:
    return str(page.get_by_role("slider").get_attribute("aria-valuetext"))


def test_a_stranger_sees_what_the_player_shares(new_player):
    """The player makes the link in the history; without an account it shows the hand, and no other name."""
    player = new_player("Sharing").enter().sit_down("Home")
    page = player.page
    player.wait_for_turn()
    names = [
        name for name in page.locator(".place .name").all_inner_texts() if name not in {"You", "Sharing"}
    ]
    assert names
    page.keyboard.press("f")
    player.to_lobby()
    page.click("#history")
    page.locator("dialog .records tbody tr button").first.click(timeout=1000 * HAND_S)
    page.get_by_role("button", name="Share the hand").click()
    window = page.locator("dialog").last
    window.get_by_role("button", name="Make a link").click()
    link = window.get_by_label("Link to the hand").input_value()
    assert "/hand#" in link

    stranger = new_player()
    heard: list[str] = []
    stranger.page.on(
        "websocket", lambda socket: socket.on("framereceived", lambda text: heard.append(str(text)))
    )
    stranger.page.goto(link)
    stranger.page.locator(".hand-replay").wait_for()
    expect(stranger.page.locator(".place .name").filter(has_text="Sharing")).to_have_count(1)
    (told,) = [json.loads(text) for text in heard if "shared_hand" in text]
    assert [seat["name"] for seat in told["hand"]["seats"] if seat["name"]] == ["Sharing"]
    seen = stranger.page.locator("body").inner_text()
    assert not [name for name in names if name in seen or name in str(told)]

    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.click("#hand-links")
    window = page.locator("dialog").last
    expect(window.get_by_label("Link to the hand")).to_have_value(link)
    expect(window.get_by_role("link", name="Open")).to_have_attribute("href", link)
    expect(window.locator(".hand-links b")).to_have_text(
        re.compile(r"^Home · No-limit Hold'em · 0\.50 / 1 · .*20\d\d")
    )
    expect(window.locator(".hand-links b .mini")).to_have_count(2)
    window.get_by_role("button", name="Revoke links").click()
    expect(window.get_by_text("are revoked")).to_be_visible()
    expect(window.get_by_text("You share no hand")).to_be_visible()
    stranger.page.reload()
    expect(stranger.page.locator(".problem")).to_contain_text("leads to no hand")


def test_keys_step_through_the_hand(new_player):
    """Arrows, Home and End; the space bar plays and pauses; the list of steps goes to each of them."""
    page = opened(new_player, WIDE)
    last = f"Step {len(HAND['steps']) + 3} of {len(HAND['steps']) + 3}"
    assert step_of(page).startswith("Step 1 of")
    page.keyboard.press("ArrowRight")
    assert step_of(page).startswith("Step 2 of")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    assert step_of(page) == last
    page.keyboard.press("Home")
    assert step_of(page).startswith("Step 1 of")
    page.locator(".speed select").select_option("4")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.wait_for_function("Number(document.querySelector('input[type=range]').value) > 2")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.get_by_text("All steps").click()
    page.locator(".step-list button").last.click()
    expect(page.locator(".step-list [aria-current=step]")).to_have_count(1)
    expect(page.locator(".heap.won")).not_to_have_count(0)
    expect(page.get_by_role("status").first).to_have_text("The hand ends. Won: Seat 2 (201.50).")


def at_the_call(page: Any) -> None:
    """Go before the last call of the hand: it has pot odds, and two known hands."""
    page.get_by_text("All steps").click()
    page.locator(".step-list button", has_text="calls").last.click()
    page.get_by_role("button", name="Previous step").click()
    page.get_by_text("All steps").click()
    page.locator(".equity:not([aria-busy])").wait_for()
    page.evaluate("document.activeElement.blur(), scrollTo(0, 0)")


def test_odds_and_equity_are_told(new_player):
    """At a call: what it costs, what is in the middle, the equity that it needs, and the hands that are known."""
    page = opened(new_player, WIDE)
    at_the_call(page)
    expect(page.locator(".hand-facts p")).to_contain_text("Seat 2 decides: 92 to call")
    expect(page.locator(".hole.open")).to_have_count(2)
    shares = page.locator(".equity .sum").all_inner_texts()
    assert len(shares) == 2
    assert sum(float(share.rstrip("%")) for share in shares) == pytest.approx(100, abs=0.2)


def test_text_and_picture_are_made_for_a_post(new_player):
    """The text has every step in words and no "you"; the picture is a PNG file."""
    page = opened(new_player, WIDE)
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.click("#copy-text")
    expect(page.get_by_text("The text is copied")).to_be_visible()
    text = page.evaluate("window.copied")
    assert text.startswith("No-limit Hold'em · 0.50 / 1 · 1 Jan 2026")
    assert "Ada" in text
    assert "Seat 3" in text
    assert "You" not in text
    with page.expect_download() as saving:
        page.click("#save-picture")
    picture = Path(saving.value.path()).read_bytes()
    assert picture.startswith(b"\x89PNG")
    (ARTEFACTS / "shared-hand-post.png").write_bytes(picture)


def test_a_file_is_replayed_and_asks_the_room_nothing(new_player):
    """Our own PHH with two hands, and a file that holds none."""
    player = new_player(size=WIDE)
    page = player.page
    sockets: list[str] = []
    page.goto("about:blank")  # the room's own page has a connection
    page.on("websocket", lambda socket: sockets.append(socket.url))
    page.goto(f"{player.url}hand")
    phh = (
        "variant = 'NT'\nantes = [0, 0]\nblinds_or_straddles = [50, 100]\nmin_bet = 100\n"
        "starting_stacks = [1000, 2000]\nfinishing_stacks = [900, 2100]\nplayers = ['ann', 'bob']\n"
        "actions = ['d dh p1 AsAd', 'd dh p2 ????', 'p2 cbr 300', 'p1 f']\n"
    )
    files = page.locator("input[type=file]")
    files.set_input_files(
        {"name": "hands.phhs", "mimeType": "text/plain", "buffer": f"[1]\n{phh}\n[2]\n{phh}".encode()}
    )
    expect(page.locator(".place .name").filter(has_text="ann")).to_have_count(1)
    expect(page.locator(".files .hands li")).to_have_count(2)
    files.set_input_files({"name": "x.phh", "mimeType": "text/plain", "buffer": b"no hand"})
    expect(page.locator(".problem")).to_contain_text("no hand that can be replayed")
    assert sockets == []


def test_a_dropped_file_is_replayed(new_player):
    """Dropped anywhere on the page; of many hands the player chooses one, and the others wait."""
    player = new_player(size=WIDE)
    page = player.page
    page.goto(f"{player.url}hand")
    page.locator(".drop").wait_for()
    phh = (
        "variant = 'NT'\nantes = [0, 0]\nblinds_or_straddles = [50, 100]\nmin_bet = 100\n"
        "starting_stacks = [1000, 2000]\nplayers = ['ann', '{}']\nactions = ['p2 cbr 300', 'p1 f']\n"
    )
    text = "\n".join(f"[{number}]\n{phh.format(f'bob{number}')}" for number in range(1, 4))
    page.evaluate(
        """(text) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([text], "hands.phhs"));
          for (const type of ["dragover", "drop"])
            document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
        }""",
        text,
    )
    hands = page.locator(".files .hands button")
    expect(hands).to_have_count(3)
    for number in (1, 3):
        hands.nth(number - 1).click()
        expect(page.locator(".files .hands [aria-current=true]")).to_have_count(1)
        expect(page.locator(".place .name").filter(has_text=f"bob{number}")).to_have_count(1)


PHH = (
    "variant = 'NT'\nantes = [0, 0]\nblinds_or_straddles = [50, 100]\nmin_bet = 100\n"
    "starting_stacks = [1000, 2000]\nplayers = ['ann', 'bob']\nactions = ['p2 cbr 300', 'p1 f']\n"
)
COUNTED_FORMATS = """
globalThis.formats = 0;
for (const name of ["DateTimeFormat", "NumberFormat"])
  Intl[name] = class extends Intl[name] { constructor(...given) { super(...given); globalThis.formats += 1; } };
"""


def test_a_step_in_a_file_of_many_hands_is_cheap(new_player):
    """The list of a thousand hands is not written again at each step: that took as long as a step at full speed."""
    player = new_player(size=WIDE, script=COUNTED_FORMATS)
    page = player.page
    page.goto(f"{player.url}hand")
    many = "\n".join(f"[{number}]\n{PHH}" for number in range(1, 1001))
    page.locator("input[type=file]").set_input_files(
        {"name": "many.phhs", "mimeType": "text/plain", "buffer": many.encode()}
    )
    expect(page.locator(".files .hands li")).to_have_count(1000)
    before = page.evaluate("formats")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('input[type=range]').value === '1'")
    assert page.evaluate("formats") - before < 100


def test_a_file_that_cannot_be_read_is_refused(new_player):
    """Such as a folder, or a file that is gone: the page says so, and shows the hand as before."""
    player = new_player(size=WIDE)
    page = player.page
    page.goto(f"{player.url}hand")
    files = page.locator("input[type=file]")
    files.set_input_files({"name": "one.phh", "mimeType": "text/plain", "buffer": PHH.encode()})
    page.locator(".hand-replay").wait_for()
    page.evaluate(
        "() => { Blob.prototype.text = async () => { throw new DOMException('gone', 'NotReadableError'); }; }"
    )
    files.set_input_files({"name": "two.phh", "mimeType": "text/plain", "buffer": PHH.encode()})
    expect(page.locator(".problem")).to_contain_text("no hand that can be replayed")
    expect(page.locator(".hand-replay")).to_be_visible()


def test_a_link_that_leads_nowhere_shows_no_other_hand(new_player):
    """The address and the hand on the page belong together."""
    page = opened(new_player, WIDE)
    page.evaluate("location.hash = 'x'.repeat(22)")
    expect(page.locator(".problem")).to_contain_text("leads to no hand")
    expect(page.locator(".hand-replay, .posting")).to_have_count(0)


def test_a_late_answer_replaces_nothing(new_player):
    """The player has opened another link, or a file, before the room answers."""
    waiting: list[Any] = []

    def slow(socket: Any) -> None:
        def answer(text: str) -> None:
            message = json.loads(text)
            if message["type"] == "hello":
                socket.send(json.dumps({**WELCOME, "re": message["id"]}))
            elif message["code"] == CODE:
                waiting.append((socket, message["id"]))
            else:
                other = {**HAND, "small_blind": 5_000, "big_blind": 10_000}
                socket.send(json.dumps({"type": "shared_hand", "hand": other, "re": message["id"]}))

        socket.on_message(answer)

    player = new_player(size=WIDE)
    page = player.page
    page.route_web_socket("**/ws", slow)
    page.goto(f"{player.url}hand#{CODE}")
    until = time.monotonic() + HAND_S
    while not waiting and time.monotonic() < until:
        page.wait_for_timeout(50)
    page.evaluate("location.hash = 'y'.repeat(22)")
    expect(page.locator("h1")).to_contain_text("50 / 100")
    ((socket, number),) = waiting
    socket.send(json.dumps({"type": "shared_hand", "hand": HAND, "re": number}))
    page.wait_for_timeout(500)
    expect(page.locator("h1")).to_contain_text("50 / 100")


def test_a_room_that_turns_the_page_away_is_told(new_player):
    """Its reason is in words; the page does not wait for ever."""

    def full(socket: Any) -> None:
        socket.on_message(
            lambda _: (
                socket.send(json.dumps({"type": "goodbye", "code": "unsupported_version", "message": "old"})),
                socket.close(),
            )
        )

    player = new_player(size=WIDE)
    page = player.page
    page.route_web_socket("**/ws", full)
    page.goto(f"{player.url}hand#{CODE}")
    expect(page.locator(".problem")).not_to_be_empty()
    expect(page.locator(".wait")).to_have_count(0)


def test_other_pages_may_frame_the_hand_alone(new_player):
    """Embedded it is the replay without bar and tools; every other page of the room refuses a frame."""
    player = new_player(size=WIDE)
    page = player.page
    page.route_web_socket("**/ws", made_up)
    page.route("**/framing", lambda route: route.fulfill(content_type="text/html", body="<iframe></iframe>"))
    page.goto("http://localhost.example/framing".replace("http://localhost.example/", player.url))
    frame = page.frame_locator("iframe")
    page.evaluate(
        "(url) => { document.querySelector('iframe').src = url; }", f"{player.url}hand?embed=1#{CODE}"
    )
    frame.locator(".hand-replay").wait_for()
    expect(frame.locator(".bar, .posting, .files")).to_have_count(0)
    page.evaluate("(url) => { document.querySelector('iframe').src = url; }", player.url)
    page.wait_for_timeout(300)
    assert frame.locator("pr-app").count() == 0
    assert [problem for problem in player.problems if "frame-ancestors" in problem]
    player.problems.clear()


@pytest.mark.parametrize("name", SCREENS)
def test_the_page_looks_as_approved(new_player, name):
    """At the last call, with odds and equity."""
    size, scheme = SCREENS[name]
    page = opened(new_player, size, scheme)
    same_fonts(page)
    at_the_call(page)
    compare(page.screenshot(animations="disabled"), name, ARTEFACTS)


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_the_page_has_no_violation(new_player, scheme):
    """axe, with the list of steps open."""
    page = opened(new_player, WIDE, scheme)
    at_the_call(page)
    page.get_by_text("All steps").click()
    assert violations(page) == []


@pytest.mark.parametrize("locale", ["de-DE", "pl-PL"])
@pytest.mark.parametrize("size", SIZES)
def test_the_page_fits(new_player, size, locale):
    """Nothing is beside the page; the felt and its buttons are in view together."""
    page = opened(new_player, size, locale=locale)
    page.keyboard.press("End")
    wide = """[...document.querySelectorAll('pr-hand :not(.felt *, svg *, .unseen)')]
      .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth + 0.5)
      .map((each) => each.outerHTML.slice(0, 90))"""
    assert page.evaluate(wide) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = page.locator(".hand-replay .row").first.bounding_box()
    assert box["y"] + box["height"] <= size[1]
    page.screenshot(path=ARTEFACTS / f"shared-hand-{size[0]}x{size[1]}-{locale[:2]}.png")

"""What makes a long evening pleasant: signals at your turn, sizes, links, windows, staying logged in, the rules."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.players import HAND_S, STEP_S
from tests.browser.screens import show
from tests.browser.test_axe import violations
from tests.browser.test_other_games import tab
from tests.browser.test_ultimate import at_the_house

SIGNALS = """
window.notified = [];
window.spoken = [];
window.Notification = class {
  static permission = "granted";
  static requestPermission = async () => "granted";
  constructor(title, { body }) { window.notified.push(`${title}: ${body}`); }
  close() {}
};
Object.defineProperty(document, "hidden", { get: () => window.covered ?? false });
speechSynthesis.getVoices = () => [
  { lang: "en-GB", localService: false, name: "far" }, { lang: "en-GB", localService: true, name: "near" },
];
speechSynthesis.speak = ({ text, volume, voice }) => window.spoken.push(`${voice.name} ${volume} ${text}`);
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
"""


def until(condition, what: str, seconds: float = HAND_S) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(STEP_S)


def test_a_covered_page_notifies_of_the_turn_only_where_it_is_wished(new_player):
    """Off at first; with the setting a notification names the table, and none comes while the page is looked at."""
    ulla = new_player(script=SIGNALS).enter()
    page = ulla.page
    ulla.sit_down("Home")
    page.evaluate("window.covered = true")
    ulla.wait_for_turn()
    assert page.evaluate("window.notified") == []
    page.evaluate("window.covered = false")
    page.keyboard.press("s")
    page.get_by_label("Notify me").check()
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.evaluate("window.covered = true")
    until(lambda: page.evaluate("window.notified.length") > 0, "no notification")
    assert page.evaluate("window.notified[0]") == "Your turn: Home"


def test_any_bet_is_called_in_advance(new_player):
    """The choice is shown; the page calls as soon as the turn comes, and the choice is over."""
    vito = new_player().enter()
    vito.sit_down("Home")
    page = vito.page
    waiting = page.locator(".dock.waiting .pre")
    called = page.locator(".lines .acted").filter(
        has_text=re.compile(rf"^{vito.shown_name()} (checks|calls|is all-in)")
    )
    end = time.monotonic() + 3 * HAND_S
    while not called.count():
        assert time.monotonic() < end, "no call in advance was taken"
        if vito.is_asked():
            page.keyboard.press("f")  # another hand: the turn came before the choice
        elif waiting.count() and page.locator(".pre[aria-pressed=true]").count() == 0:
            page.keyboard.press("v")
        time.sleep(STEP_S)
    expect(page.locator(".pre[aria-pressed=true]")).to_have_count(0)


def test_one_choice_in_advance_folds(new_player):
    """With a price it is told as a fold; F sends it, and it names no price that a raise makes void."""
    page = show(new_player, "table-waiting", "dark").page
    choices = page.locator(".dock.waiting .pre")
    expect(choices).to_have_text(["Fold", "Call 5", "Call any"])
    page.evaluate("""async () => {
      const { room } = await import("/app/room.js");
      window.sent = [];
      room.client.request = async (message) => (window.sent.push(message), { type: "ok" });
    }""")
    page.keyboard.press("f")
    expect(choices.first).to_have_attribute("aria-pressed", "true")
    sent = page.evaluate("window.sent.filter(({ type }) => type === 'pre_act')")
    assert [(each["action"], each["call_amount"]) for each in sent] == [("fold_to_any_bet", None)]
    page.evaluate("""async () => {
      const { room } = await import("/app/room.js");
      for (const seat of room.model("1").snapshot.seats) seat.bet = 0;
      room.dispatchEvent(new Event("change"));
    }""")
    expect(choices).to_have_text(["Check / fold", "Check", "Call any"])


def test_a_phone_tells_the_stakes_in_the_menu(new_player):
    """The head of the table has no room for them there."""
    page = show(new_player, "phone-turn", "dark").page
    page.locator(".menu > button").click()
    expect(page.locator(".menu .items .hint").first).to_have_text("0.50 / 1 No-limit")


def test_own_sizes_of_bets(new_player):
    """Set in the settings, each has a button and a key."""
    page = show(new_player, "table-turn", "dark").page
    expect(page.locator(".preset")).to_have_text(["⅓", "½", "⅔", "Pot", "Max"])
    page.keyboard.press("s")
    field = page.get_by_label("Own bet sizes")
    field.fill("75, 150 %")
    field.press("Tab")
    page.keyboard.press("Escape")
    own = page.locator(".preset.own")
    expect(own).to_have_text(["75 %", "150 %"])
    raising = page.locator(".deed-raise")
    for key, button in (("5", own.first), ("6", own.last)):
        page.keyboard.press(key)
        expect(button).to_have_attribute("aria-pressed", "true")
    chosen = raising.inner_text()
    page.keyboard.press("7")  # there is no third
    assert raising.inner_text() == chosen
    expect(page.locator(".rank-now")).to_have_text("High card")


def test_the_time_is_seen_before_the_countdown(new_player):
    """A line runs out from the turn on; the number comes with the countdown."""
    wanda = new_player().enter()
    wanda.sit_down("Home")
    wanda.wait_for_turn()
    clock = wanda.page.locator(".place.own pr-clock")
    left = "(clock) => Number(clock.firstChild.style.getPropertyValue('--left'))"
    expect(clock.locator("i")).to_be_visible()
    expect(clock.locator("b")).to_have_text("")
    first = clock.evaluate(left)
    until(lambda: clock.evaluate(left) < first, "the line does not move", 3)
    assert 0 < first <= 1


def test_each_button_of_a_menu_can_be_reached_on_a_phone_held_sideways(new_player):
    """The menu scrolls where it is longer than the screen."""
    xena = new_player().enter()
    page = xena.page
    xena.sit_down("Home")
    page.set_viewport_size({"width": 844, "height": 300})
    page.locator(".menu > button").click()
    last = page.locator(".menu .items button").last
    last.scroll_into_view_if_needed()
    box = last.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 300


def test_escape_closes_a_menu_and_never_leaves_the_table(new_player):
    """Also with nothing open; L shows the lobby."""
    xena = new_player().enter()
    page = xena.page
    xena.sit_down("Home")
    page.locator(".menu > button").click()
    expect(page.locator(".menu .items")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".menu .items")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(xena.table("Home")).to_be_visible()
    page.keyboard.press("l")
    expect(page.locator("pr-lobby")).to_be_visible()


def test_a_hand_has_a_link_and_cards_are_pictograms(new_player):
    """The link in the log opens the replay, and the page stays at the table."""
    yuri = new_player().enter()
    page = yuri.page
    yuri.sit_down("Home")
    yuri.wait_for_turn()
    expect(page.locator(".lines .hole_cards .mini")).to_have_count(2)
    assert re.search(r" of ", page.locator(".lines .mini").first.get_attribute("aria-label"))
    begun = page.locator(".lines .hand_started")
    hand, hands = begun.last.locator("a").get_attribute("href"), begun.count()
    page.keyboard.press("f")
    until(lambda: begun.count() > hands or yuri.call_if_asked() > 1, "the hand does not end")
    page.locator(f'.lines a[href="{hand}"]').click()
    replay = page.locator("dialog")
    expect(replay.locator(f'a[href="{hand}"]')).to_be_visible()
    assert page.evaluate("location.hash") == "#tables"


def test_a_player_stays_logged_in_where_wished(new_player):
    """Another tab goes on as the same player; after a log-out it does not."""
    zora = new_player()
    page = zora.page
    form = page.locator("pr-entrance form")
    form.locator("input[name=name]").fill("zora-e2e")
    form.locator("input[name=password]").fill("correct horse")
    page.get_by_label("Stay logged in").check()
    form.locator("button.primary").click()
    page.locator("pr-lobby tbody tr").first.wait_for()
    second = page.context.new_page()
    second.goto(zora.url)
    expect(second.locator(".bar .me .name")).to_have_text("zora-e2e")
    second.keyboard.press("s")
    second.get_by_role("button", name="Log out").click()
    expect(second.locator("pr-entrance")).to_be_visible()
    third = page.context.new_page()
    third.goto(zora.url)
    expect(third.locator("#guest:not([disabled])")).to_be_visible()


def test_a_table_opened_in_another_window_leaves_the_first(new_player):
    """The other tables of the first window stay; from its lobby the player takes the table back."""
    wanda = new_player()
    page = wanda.page
    form = page.locator("pr-entrance form")
    form.locator("input[name=name]").fill("wanda-e2e")
    form.locator("input[name=password]").fill("correct horse")
    page.get_by_label("Stay logged in").check()
    form.locator("button.primary").click()
    page.locator("pr-lobby tbody tr").first.wait_for()
    wanda.sit_down("Home")
    wanda.to_lobby()
    wanda.row("Mixed").get_by_role("button", name="Watch: Mixed").click()
    wanda.table("Mixed").wait_for()
    second = page.context.new_page()
    second.goto(wanda.url)
    expect(second.locator(".notices")).to_contain_text("Home was opened in another window")
    row = second.locator("pr-lobby tbody tr").filter(has=second.get_by_text("Home", exact=True))
    row.get_by_role("button", name="Go to the table: Home").click()
    second.locator('pr-table[aria-label="Home"] .place.own').wait_for()
    expect(wanda.table("Home")).to_have_count(0)
    expect(wanda.table("Mixed")).to_be_visible()
    expect(page.locator(".notices")).to_contain_text("Home was opened in another window")
    wanda.shot("table-taken")
    wanda.to_lobby()
    wanda.row("Home").get_by_role("button", name="Go to the table: Home").click()
    wanda.table("Home").locator(".place.own").wait_for()
    expect(second.locator('pr-table[aria-label="Home"]')).to_have_count(0)
    second.close()


def test_the_page_can_be_installed_and_fill_the_screen(new_player):
    """The manifest has no error; the button enters full screen and leaves it."""
    page = new_player().page
    manifest = page.context.new_cdp_session(page).send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert manifest["url"].endswith("/manifest.webmanifest")
    page.locator("#fullscreen").click()
    expect(page.locator("#fullscreen")).to_have_attribute("aria-pressed", "true")
    page.locator("#fullscreen").click()
    expect(page.locator("#fullscreen")).to_have_attribute("aria-pressed", "false")


def test_the_chat_is_a_window_that_is_moved_and_resized(new_player):
    """By the pointer and by keys; its place outlives a reload, and it goes back beside the table."""
    alva = new_player().enter()
    page = alva.page
    alva.row("Home").get_by_role("button", name="Watch").click()
    talk = page.locator(".talk")
    page.get_by_role("button", name="Chat in a window of its own").click()
    handle = talk.locator(".handle")
    expect(handle).to_be_visible()
    before = talk.bounding_box()
    grip = handle.bounding_box()
    page.mouse.move(grip["x"] + 20, grip["y"] + 10)
    page.mouse.down()
    page.mouse.move(grip["x"] - 280, grip["y"] - 190, steps=4)
    page.mouse.up()
    moved = talk.bounding_box()
    assert (round(before["x"] - moved["x"]), round(before["y"] - moved["y"])) == (300, 200)
    corner = talk.locator(".corner").bounding_box()
    page.mouse.move(corner["x"] + 10, corner["y"] + 10)
    page.mouse.down()
    page.mouse.move(corner["x"] + 70, corner["y"] + 50, steps=4)
    page.mouse.up()
    handle.focus()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowDown")
    larger = talk.bounding_box()
    assert (round(larger["width"] - moved["width"]), round(larger["height"] - moved["height"])) == (76, 40)
    assert round(larger["y"] - moved["y"]) == 16
    alva.shot("chat-window")
    page.reload()
    page.locator(".bar nav a").nth(1).click()
    expect(handle).to_be_visible()
    assert talk.bounding_box() == larger
    page.get_by_role("button", name="Chat beside the table").click()
    expect(handle).to_have_count(0)
    expect(talk).to_be_visible()


RULES = {
    "en-GB": ("Rules", "96.50", "If you do not decide in time", "Royal flush"),
    "de-DE": ("Regeln", "96,50", "Entscheidest du nicht rechtzeitig", "Royal Flush"),
    "pl-PL": ("Zasady", "96,50", "Jeśli nie zdecydujesz na czas", "Poker królewski"),
}


@pytest.mark.parametrize("locale", RULES)
def test_the_rules_are_told_in_each_language(new_player, locale):
    """Course, outcomes, ranking, pay tables and return to player of Ultimate; and the other games beside it."""
    title, percent, late, best = RULES[locale]
    bert = new_player(locale=locale, bypass_csp=True).enter()
    page = bert.page
    page.locator(".lobby-head .tabs button").nth(2).click()
    page.locator("pr-lobby tbody tr").first.locator("button").last.click()
    page.locator("pr-ultimate .tools").get_by_role("button", name=title).click()
    rules = page.locator("dialog .rules")
    expect(rules).to_contain_text(late)
    expect(rules.locator(".ranking tr")).to_have_count(10)
    expect(rules.locator(".ranking tr").first).to_contain_text(best)
    main = percent.replace("96", "99").replace("50", "41")
    expect(rules.locator(".rtp")).to_contain_text([main, percent, "%"])
    expect(rules.locator(".pays:not(.ranking)")).to_have_count(3)
    assert violations(page) == []
    rules.locator(".rtp").first.scroll_into_view_if_needed()
    bert.shot(f"rules-{locale[:2]}")
    for number in (0, 1):
        page.locator("dialog .tabs button").nth(number).click()
        expect(rules.locator("h3").first).to_be_visible()
        assert violations(page) == []


def test_the_dealer_speaks_at_the_volume_of_the_announcements(new_player):
    """By a voice of the device; silent with volume 0 or at a table that is silenced. Trips blinks after the Ante."""
    carla = new_player(script=SIGNALS).enter()
    page = carla.page
    page.keyboard.press("s")
    page.get_by_label("Announcements").fill("40")
    page.keyboard.press("Escape")
    own = at_the_house(carla)
    expect(page.locator("pr-ultimate .table-head")).to_contain_text("Trips 1")
    expect(own.locator(".spot.offered")).to_have_count(0)
    own.locator("button.spot.ante").click()
    expect(own.locator(".spot.trips.offered")).to_be_visible()
    own.locator("button.spot.trips").click()
    expect(own.locator(".spot.offered")).to_have_count(0)
    page.keyboard.press("Meta+z")
    expect(own.locator(".spot.trips.offered")).to_be_visible()
    until(lambda: "near 0.4 No more bets" in page.evaluate("window.spoken"), "the dealer is silent")
    page.locator("pr-ultimate").get_by_role("button", name="Silence this table").click()
    page.evaluate("window.spoken = []")
    page.locator(".dock.deciding").wait_for(timeout=60_000)
    assert page.evaluate("window.spoken") == []
    tab(carla, "Ultimate")
    expect(page.get_by_role("button", name="Go to the table: Against the house")).to_be_visible()
    expect(page.get_by_role("button", name="Take a place: Against the house")).to_have_count(0)


def test_a_tournament_has_a_page_before_and_while_it_runs(new_player):
    """Players, levels, prizes, and then stacks and the clock."""
    dina, emma = new_player("dina-e2e").enter(), new_player("emma-e2e").enter()
    for player in (dina, emma):
        tab(player, "Sit-and-gos")
    page = dina.page
    page.get_by_role("button", name="Details: Two players").click()
    window = page.locator("dialog")
    expect(window).to_contain_text("No player has registered yet")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Register: Two players").click()
    page.get_by_role("button", name="Details: Two players").click()
    expect(window).to_contain_text("Starts when full · Registration is open")
    expect(window.locator(".ranks tbody")).to_contain_text("dina-e2e")
    expect(window.get_by_role("button", name="Unregister: Two players")).to_be_visible()
    dina.shot("tournament-page")
    window.get_by_role("button", name="Structure").click()
    expect(window.locator(".ladder li").first).to_contain_text("0")
    window.get_by_role("button", name="Prizes").click()
    expect(window.locator(".ladder")).to_contain_text("4.80")
    page.keyboard.press("Escape")
    emma.page.get_by_role("button", name="Register: Two players").click()
    page.locator(".tournament").wait_for()
    page.locator(".tournament").get_by_role("button", name="Details").click()
    expect(window).to_contain_text("In progress")
    expect(window.locator(".ranks tbody tr")).to_have_count(2)
    expect(window.locator(".figures")).to_contain_text("2 of 2")
    expect(window.locator(".clock-line pr-until")).to_have_text(re.compile(r"^\d+:\d\d$"))
    dina.shot("tournament-page-running")
    window.get_by_role("button", name="Structure").click()
    expect(window.locator(".ladder .now")).to_have_count(1)
    window.get_by_role("button", name="Players").click()
    window.get_by_role("button", name="Watch emma-e2e at table 1").click()
    expect(window).to_have_count(0)


def test_the_clock_says_what_follows(new_player):
    """The time bank at a table that has one; the room's decision where it is certain."""
    page = show(new_player, "table-turn", "dark").page
    running = """async (fields) => {
      const { room } = await import("/app/room.js");
      const { snapshot } = room.model("1");
      Object.assign(snapshot.hand.turn, { seq: 10, countdown_ms: Date.now() - 1_000, deadline_ms: Date.now() + 9_000 });
      Object.assign(snapshot.hand.turn, fields.turn);
      room.dispatchEvent(new Event("change"));
    }"""
    number = page.locator(".place.own pr-clock b")
    page.evaluate(running, {"turn": {}})
    expect(number).to_have_text("9")
    page.evaluate(running, {"turn": {"time_bank_ms": 30_000}})
    expect(number).to_have_text("9 \u2192 +30")
    for decision, word in (("fold", "Fold"), ("check", "Check"), ("all_in", "Stay in")):
        page.evaluate(running, {"turn": {"time_bank_ms": 0, "on_timeout": decision}})
        expect(number).to_have_text(f"9 \u2192 {word}")
    page = show(new_player, "ultimate-decision", "dark").page
    expect(page.locator(".dock .status")).to_contain_text("then the room checks for you")


def test_winners_are_animated_unless_motion_is_unwelcome(new_player):
    """At a table of poker and against the house."""
    found = []
    for name, winner in (("table-won", ".winner .plate"), ("ultimate-decision", ".box.own")):
        page = show(new_player, name, "dark").page
        look = "winner => { winner.classList.add('won'); return getComputedStyle(winner).animationName; }"
        for motion in ("no-preference", "reduce"):
            page.emulate_media(reduced_motion=motion)
            found.append(page.locator(winner).first.evaluate(look))  # at once: a redraw removes the class
    assert found == ["win", "none", "won", "none"]


def test_bets_of_a_hidden_page_are_refused_at_the_close(new_player):
    """At a table that asks for presence: no bet is played, and the player is told why when they are back."""
    gerd = new_player(script=SIGNALS).enter()
    page = gerd.page
    own = at_the_house(gerd, "One hand for all")
    own.locator("button.spot.ante").click()
    expect(page.locator(".betting")).to_contain_text("Total 2")
    cover = "covered => { window.covered = covered; document.dispatchEvent(new Event('visibilitychange')); }"
    page.evaluate(cover, True)
    expect(page.locator(".notices")).to_contain_text("You were away when betting closed", timeout=30_000)
    page.wait_for_timeout(7_000)
    page.evaluate(cover, False)
    expect(page.locator(".notices")).to_contain_text("You were away when betting closed")
    expect(page.locator(".bar .wallet")).to_have_text("10,000")


@pytest.mark.parametrize("is_answered", [False, True])
def test_a_guest_enters_over_the_next_connection(new_player, is_answered):
    """The connection is lost when the room has the registration, or before: the page sends it again by itself."""
    registered: list[str] = []

    def flaky(socket: Any) -> None:
        server = socket.connect_to_server()

        def sent(text: str) -> None:
            is_first = '"register"' in text and not registered
            if '"register"' in text:
                registered.append(json.loads(text)["name"])
            if not is_first or is_answered:
                server.send(text)
            if is_first and not is_answered:
                socket.close(code=4000)

        def told(text: str) -> None:
            if '"authenticated"' in text and len(registered) == 1 and is_answered:
                registered.append("lost")
                socket.close(code=4000)
            else:
                socket.send(text)

        socket.on_message(sent)
        server.on_message(told)

    player = new_player()
    player.page.route_web_socket("**/ws", flaky)
    player.page.goto(player.url)
    player.enter()
    assert registered[0] == player.shown_name()
    assert len(registered) > 1

"""People at browsers play real hands at a real room, with each other and with the house's bots."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import expect

from tests.browser.players import HAND_S, STEP_S


def test_two_people_and_two_bots_play_to_the_showdown(new_player):
    """Both see the same hand: its board, who shows what, and who wins; the bots are marked as such."""
    anna, bert = new_player("anna-e2e").enter(), new_player("bert-e2e").enter()
    anna.sit_down("Mixed")
    bert.sit_down("Mixed")
    expect(anna.page.locator(".bot")).to_have_count(2)
    until = time.monotonic() + 2 * HAND_S

    def told() -> list[str]:
        """The hands that were shown down before both, from the deal to the pot."""
        logs = ["\n".join(player.lines("Mixed")) for player in (anna, bert)]
        hands = [
            {hand for hand in log.split("New hand; ")[1:] if "shows" in hand and "The pot goes to" in hand}
            for log in logs
        ]
        return [hand for hand in hands[0] if any(_public(hand) == _public(other) for other in hands[1])]

    while not any("River" in hand for hand in told()):
        assert time.monotonic() < until, anna.lines("Mixed")
        anna.call_if_asked()
        bert.call_if_asked()
        time.sleep(STEP_S)
    anna.shot("showdown")
    anna.page.keyboard.press("h")
    expect(anna.page.locator("dialog .hands li").first).to_be_visible()
    anna.page.locator("dialog .hands button").first.click()
    anna.page.locator("dialog").get_by_role("button", name="Next step").click()
    anna.page.locator("dialog").get_by_role("button", name="Go to the end").click()
    expect(anna.page.locator("dialog .status")).not_to_be_empty()
    anna.shot("replay")
    anna.page.locator("dialog").get_by_role("button", name="Download").click()
    with anna.page.expect_download() as saved:
        anna.page.locator("dialog").last.get_by_role("button", name="PHH").click()
    assert "variant = " in saved.value.path().read_text()


def _public(hand: str) -> list[str]:
    """Without what only one of them is told."""
    return [line for line in hand.splitlines() if not line.startswith("Your cards")]


def test_a_reload_in_mid_hand_goes_on(new_player):
    """After a reload the same player is at the same decision with the same cards, and takes it."""
    carl = new_player().enter()
    carl.sit_down("Home")
    carl.wait_for_turn()
    cards, chips = carl.own_cards(), carl.page.locator(".place.own .stack").inner_text()
    assert cards.startswith("Your cards: ")
    carl.page.reload()
    carl.wait_for_turn()
    assert (carl.own_cards(), carl.page.locator(".place.own .stack").inner_text()) == (cards, chips)
    carl.call()


SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...around) { super(...around); window.sockets.push(this); }
};
"""


def test_a_lost_line_comes_back_by_itself(new_player):
    """The page says that the line is lost, comes back, and is at the same decision with the same cards."""
    vera = new_player(script=SOCKETS).enter()
    vera.sit_down("Home")
    vera.wait_for_turn()
    cards = vera.own_cards()
    vera.page.evaluate("window.sockets.at(-1).close()")
    expect(vera.page.locator(".line")).to_contain_text("The connection is lost")
    vera.wait_for_turn()
    expect(vera.page.locator(".line")).to_have_count(0)
    assert vera.own_cards() == cards
    assert vera.page.evaluate("window.sockets.length") > 1
    vera.call()


SILENT = """
window.WebSocket = class extends WebSocket {
  set onmessage(work) { super.onmessage = (event) => window.silent || work(event); }
  send(body) { if (!window.silent) super.send(body); }
};
"""


def test_a_line_that_dies_without_a_word_is_noticed(new_player):
    """Nothing comes and nothing closes: the page says so within five seconds, and comes back."""
    saul = new_player(script=SILENT).enter()
    saul.page.evaluate("window.silent = true")
    began = time.monotonic()
    expect(saul.page.locator(".line")).to_contain_text("The connection is lost", timeout=10_000)
    took = time.monotonic() - began
    saul.page.evaluate("window.silent = false")
    expect(saul.page.locator(".line")).to_have_count(0, timeout=10_000)
    assert took <= 5.5, took  # and the time to look at the page


LOSING_LINE = """
window.WebSocket = class extends WebSocket {
  send(body) {
    const lost = window.losing && JSON.parse(body).type === "act" ? window.losing : null;
    if (lost !== "request") super.send(body);
    if (lost === null) return;
    window.losing = null;
    window.lost = JSON.parse(body);
    this.close();
  }
};
"""


@pytest.mark.parametrize("losing", ["request", "answer"])
def test_a_decision_that_was_on_its_way_counts_once(new_player, losing):
    """The line dies with the request, or after it with the answer: the decision is taken, and not twice."""
    rita = new_player(script=LOSING_LINE).enter()
    rita.sit_down("Home")
    rita.wait_for_turn()
    done = rita.page.locator(".lines .acted").filter(
        has_text=re.compile(rf"^{rita.shown_name()} (checks|calls|is all-in)")
    )
    before = done.count()
    rita.page.evaluate("losing => { window.losing = losing; }", losing)
    rita.page.keyboard.press("c")
    expect(rita.page.locator(".line")).to_contain_text("The connection is lost")
    expect(rita.page.locator(".dock")).to_contain_text("Your decision is sent again")
    expect(rita.page.locator(".dock pr-until")).to_have_text(re.compile(r"^0:\d\d$"))
    expect(rita.page.locator(".line")).to_have_count(0)
    expect(rita.page.locator(".dock pr-until")).to_have_count(0)
    still_asked = """async () => {
      const { room } = await import("/app/room.js");
      const model = room.model("home");
      return model.ownTurn?.seq === window.lost.seq || room.isUnanswered("home");
    }"""
    until = time.monotonic() + 5  # before the clock would decide
    while rita.page.evaluate(still_asked):
        assert time.monotonic() < until, "the decision was lost with the line"
        time.sleep(STEP_S)
    if losing == "request":  # its event came by the new line
        expect(done).to_have_count(before + 1)
    assert rita.page.locator(".notices .refused").count() == 0


@pytest.mark.parametrize("losing", ["request", "answer"])
def test_a_bet_against_the_house_that_was_on_its_way_counts_once(new_player, losing):
    """The line dies with the request, or after it with the answer: the chips lie on the spot once."""
    script = LOSING_LINE.replace('"act"', '"place_bet"')
    ruth = new_player(script=script).enter()
    page = ruth.page
    page.locator(".lobby-head .tabs").get_by_role("button", name="Ultimate").click()
    page.get_by_role("button", name="Take a place: Against the house").click()
    ante = page.locator(".box.own button.spot.ante")
    ante.wait_for(timeout=60_000)
    page.keyboard.press("1")
    page.evaluate("losing => { window.losing = losing; }", losing)
    ante.click()
    expect(page.locator(".line")).to_contain_text("The connection is lost")
    expect(page.locator(".line")).to_have_count(0)
    expect(page.locator(".betting")).to_contain_text("Total 2")
    assert page.locator(".notices .refused").count() == 0


def test_a_bet_is_sized_by_slider_field_and_keys(new_player):
    """Shares of the pot, all-in and the arrows change what a raise would be; Enter bets the amount."""
    dora = new_player().enter()
    dora.sit_down("Home")
    dora.wait_for_turn()
    field, raise_button = dora.page.locator(".sizes .amount"), dora.page.locator(".deed-raise")
    sizes = []
    for key in "1234":
        dora.page.keyboard.press(key)
        expect(dora.page.locator(".preset[aria-pressed=true]").first).to_be_visible()
        sizes.append(float(field.input_value()))
    assert sizes == sorted(sizes)
    dora.page.keyboard.press("0")
    smallest = field.input_value()
    dora.page.keyboard.press("ArrowUp")
    expect(field).not_to_have_value(smallest)
    dora.page.keyboard.press("a")
    expect(raise_button).to_contain_text("All-in")
    dora.page.keyboard.press("1")
    expect(raise_button).to_contain_text(re.compile("Raise|Bet"))
    field.fill("3,5")
    expect(raise_button).to_contain_text("3.50")
    field.press("Enter")
    expect(dora.page.locator(".lines .acted").filter(has_text=re.compile("3.50"))).not_to_have_count(0)


def test_a_copy_of_a_page_takes_over(new_player):
    """A copied tab has the name of the first, which says so and waits; asked to, the first takes the play back."""
    twin = "sessionStorage.setItem('pokerroom.instance', 'twin');"
    first, second = new_player("emil-e2e", script=twin).enter(), new_player("emil-e2e", script=twin)
    second.page.get_by_role("button", name="Log in").first.click()
    second.page.fill("input[name=name]", "emil-e2e")
    second.page.fill("input[name=password]", "correct horse")
    second.page.locator("pr-entrance form button.primary").click()
    second.page.locator("pr-lobby tbody tr").first.wait_for()
    expect(first.page.locator(".line.ended")).to_contain_text("another window")
    first.page.locator(".line.ended button").click()
    expect(second.page.locator(".line.ended")).to_be_visible()
    expect(first.page.locator("pr-lobby tbody tr").first).to_be_visible()


def test_a_waiting_list_leads_to_a_seat(new_player):
    """Who waits for a full table is told his place, called when a seat is free, and sits down."""
    one, two, third = (new_player().enter() for _ in range(3))
    one.sit_down("Duel")
    two.sit_down("Duel")
    third.row("Duel").get_by_role("button", name="Wait for a seat").click()
    expect(third.row("Duel")).to_contain_text("Place 1")
    one.stand_up()
    two.stand_up()
    third.page.locator(".bar nav a").nth(1).click()
    offer = third.table("Duel").locator(".dock")
    expect(offer).to_contain_text("Your turn on the waiting list", timeout=40_000)
    offer.locator("button.primary").click()
    third.page.locator("dialog button.primary").click()
    expect(third.table("Duel").locator(".place.own")).to_be_visible()


def test_who_waits_may_think_better_of_it(new_player):
    """A waiting list is left where it was joined; a seat at any table of the kind is offered at once, and told."""
    one, two, third = (new_player().enter() for _ in range(3))
    one.sit_down("Duel")
    two.sit_down("Duel")
    row = third.row("Duel")
    row.get_by_role("button", name="Wait for a seat").click()
    expect(row).to_contain_text("Place 1")
    row.get_by_role("button", name="Leave the waiting list").click()
    expect(row).not_to_contain_text("Place 1")
    row.get_by_role("button", name="Any table").click()
    expect(third.page.locator(".notices")).to_contain_text("is reserved for you")
    third.page.locator(".bar nav a").nth(1).click()
    third.page.get_by_role("button", name="Release the seat").click()
    expect(third.page.locator(".dock")).not_to_contain_text("Your turn on the waiting list")


def test_the_lobby_is_filtered(new_player):
    """By betting, by size, without full and without empty tables; where nothing is left it says so."""
    player = new_player().enter()
    rows = player.page.locator("pr-lobby tbody tr")
    everything = rows.count()
    player.page.get_by_label("Table size").select_option("heads_up")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Duel")
    player.page.get_by_label("Empty tables").uncheck()
    player.page.get_by_label("Betting").select_option("fixed_limit")
    expect(rows).to_have_count(0)
    expect(player.page.locator("pr-lobby")).to_contain_text("No table matches")
    player.page.get_by_label("Table size").select_option("any")
    player.page.get_by_label("Betting").select_option("any")
    player.page.get_by_label("Empty tables").check()
    expect(rows).to_have_count(everything)


def test_chat_is_said_and_hidden(new_player):
    """What one says the other reads; hidden, it shows how many lines are new."""
    gina, hans = new_player("gina-e2e").enter(), new_player("hans-e2e").enter()
    for player in (gina, hans):
        player.row("Home").get_by_role("button", name="Watch").click()
        player.table("Home").locator(".talk").wait_for()
    gina.page.keyboard.press("m")
    expect(gina.page.locator(".talk")).to_have_count(0)
    hans.page.locator(".talk input").fill("<b>good luck</b>")
    hans.page.locator(".talk form button").click()
    expect(gina.page.locator(".badge")).to_have_text("1")
    gina.page.keyboard.press("m")
    expect(gina.page.locator(".lines .said")).to_contain_text("hans-e2e: <b>good luck</b>")

"""Private tables: a host creates one, friends join by its link, and the host decides what goes on there."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from playwright.sync_api import expect

from pokerroom.ledger.operators import Role
from tests.browser.console import OperatorPage
from tests.browser.players import HAND_S, STEP_S, Player
from tests.browser.test_axe import violations
from tests.browser.test_looks import no_sideways_scrolling

CHECKED = {"bypass_csp": True}
"""For axe, which is a script that the page does not allow."""
PHONE = {"size": (390, 844), "has_touch": True, "is_mobile": True, **CHECKED}


NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"
"""As in a page without TLS that is not of this machine."""


COPIES = """Object.defineProperty(navigator, "clipboard", {
  value: { writeText: async (text) => { window.copied = text; } },
})"""
"""A clipboard that the test can read."""


SELECTED = """() => {
  const { value, selectionStart, selectionEnd } = document.querySelector(".table-link");
  return value.slice(selectionStart, selectionEnd);
}"""


def create(host: Player, game: str = "holdem", *, straddle: bool = False) -> str:
    """Create a table with what is proposed, perhaps with straddles; return its link."""
    page = host.page
    page.click("#create-table")
    page.locator("#new-table select[name=game]").select_option(game)
    page.locator("#new-table input[name=straddle]").set_checked(straddle)
    page.locator("#new-table button.primary").click()
    return str(page.locator("dialog .table-link").input_value())


def open_link(player: Player, link: str) -> Player:
    """Open the link as from a message, in a page of its own."""
    player.page.goto("about:blank")
    player.page.goto(link)
    return player


def join(guest: Player, link: str) -> str:
    """Open the link and sit down: two clicks. Return the name of the guest."""
    page = open_link(guest, link).page
    name = str(page.locator("#join input").input_value())
    page.locator("#join button.primary").click()
    page.locator("dialog button.primary").click()
    page.locator(".place.own").wait_for()
    return name


def looks_right(player: Player, what: str) -> None:
    """The page has no fault that axe knows, and scrolls in one way."""
    assert violations(player.page) == [], what
    no_sideways_scrolling(player)
    player.shot(f"hosted-{what}")


def play_a_hand(*players: Player) -> None:
    """All check and call until a pot is awarded; the first one shows the log."""
    awarded = players[0].page.locator(".lines .pot_awarded")
    before = awarded.count()
    until = time.monotonic() + HAND_S
    while awarded.count() == before:
        assert time.monotonic() < until, "no hand is played"
        for player in players:
            player.call_if_asked()
        time.sleep(STEP_S)


def controls(host: Player) -> None:
    """Open the window of the host."""
    host.page.locator(".menu > button").click()
    host.page.get_by_role("button", name="Host's controls").click()
    host.page.locator("#pause").wait_for()


def results(player: Player) -> list[list[str]]:
    """Open the window with the results; return the cells of its players."""
    player.page.locator(".menu > button").click()
    player.page.get_by_role("button", name="Results").click()
    rows = player.page.locator(".results tbody tr")
    rows.first.wait_for()
    return [row.locator("th, td").all_inner_texts() for row in rows.all()]


def test_friends_see_the_results(new_player):
    """The host and a guest on a small phone see what each has won and who pays whom, and copy it as text."""
    host = new_player("Mathilde", script=COPIES, **CHECKED).enter()
    link = create(host, straddle=True)
    host.page.locator("dialog button.primary").last.click()
    host.page.locator("dialog .chooser").wait_for()
    host.page.locator("dialog button.primary").click()
    phone = new_player(**PHONE | {"size": (360, 640)}, script=NO_CLIPBOARD)
    guest = join(phone, link)
    host.page.locator(".menu > button").click()
    host.page.get_by_role("button", name="Seat options").click()
    expect(host.page.get_by_label("Straddle when possible")).to_be_visible()
    host.page.keyboard.press("Escape")
    play_a_hand(host, phone)
    name = host.page.locator(".plate .name", has_text="Guest-")
    assert name.evaluate("name => name.scrollWidth <= name.clientWidth")  # a guest's name is whole on a desk
    host.page.locator(".menu > button").click()
    host.page.get_by_role("button", name="Host's controls").click()
    host.page.click("#pause")
    host.page.keyboard.press("Escape")
    until = time.monotonic() + HAND_S
    while not host.page.locator(".middle .pot", has_text="Paused").count():
        assert time.monotonic() < until, "the table does not pause"
        for player in (host, phone):
            player.call_if_asked()
        time.sleep(STEP_S)
    rows = results(host)
    assert {row[0] for row in rows} == {"Mathilde", guest}
    nets = [row[-1] for row in rows]
    told = host.page.locator(".payments").inner_text() if host.page.locator(".payments").count() else None
    if told is None:
        assert nets == ["0", "0"]
    else:
        won, amount = rows[0][0], nets[0].removeprefix("+")
        lost = rows[1][0]
        assert nets == [f"+{amount}", f"−{amount}"]  # noqa: RUF001 -- the sign of the page
        assert told == f"{lost} pays {won} {amount}"
    looks_right(host, "results")
    host.page.click("#copy-results")
    expect(host.page.locator("dialog .status")).to_have_text("The results are copied.")
    copied = host.page.evaluate("window.copied").splitlines()
    assert copied[:3] == ["Mathilde's table: Results", *(f"{row[0]} {row[-1]}" for row in rows)]
    assert copied[3:] == ([] if told is None else ["", told])

    assert results(phone) == rows
    looks_right(phone, "results-phone")
    phone.page.click("#copy-results")
    expect(phone.page.locator("dialog .status")).not_to_be_empty()
    assert phone.page.locator(".results-text").input_value().splitlines() == copied


def test_friends_play_at_a_private_table(new_player):
    """Two friends join by the link, one on a phone; the host pauses, resumes, removes one, and closes the table."""
    host = new_player("Ottilie", **CHECKED).enter()
    link = create(host, "omaha")
    assert link.startswith(f"{host.url}#table=")
    looks_right(host, "share")
    host.page.locator("dialog .copy").click()
    expect(host.page.locator("dialog .status")).to_have_text("The link is copied.")
    host.page.locator("dialog button.primary").last.click()
    host.page.locator("dialog .chooser").wait_for()
    host.page.locator("dialog button.primary").click()
    friend, phone = new_player(), new_player(**PHONE)
    removed = join(friend, link)
    looks_right(open_link(phone, link), "invited")
    join(phone, link)
    assert phone.page.url == f"{phone.url}#tables", "the secret stays not in the address bar"
    assert violations(phone.page) == []
    no_sideways_scrolling(phone)
    play_a_hand(host, friend, phone)

    controls(host)
    looks_right(host, "controls")
    host.page.click("#pause")
    expect(host.page.locator("#pause")).to_have_text("Resume")
    host.page.keyboard.press("Escape")
    paused = phone.page.locator(".middle .pot", has_text="Paused")
    until = time.monotonic() + HAND_S
    while not paused.count():
        assert time.monotonic() < until, "the table does not pause"
        for player in (host, friend, phone):
            player.call_if_asked()
        time.sleep(STEP_S)
    expect(phone.page.locator(".dock .status")).to_contain_text("The host has paused the table.")
    expect(friend.page.locator(".table-head")).to_contain_text("Host: Ottilie")
    looks_right(phone, "paused")
    phone.page.locator(".menu > button").click()
    expect(phone.page.locator(".menu .items")).to_contain_text("Host: Ottilie")
    assert phone.page.get_by_role("button", name="Host's controls").count() == 0
    phone.page.keyboard.press("Escape")

    controls(host)
    host.page.locator("#new-stakes").select_option(label="1 / 2")
    host.page.click("#change-stakes")
    expect(phone.page.locator(".table-head, .stakes").filter(has_text="1 / 2").first).to_be_visible()
    host.page.get_by_role("button", name=f"Remove {removed}").click()
    host.page.locator("dialog button.primary").last.click()
    expect(friend.page.locator(".notices")).to_contain_text("The host has removed you")
    assert friend.page.locator("pr-table").count() == 0
    open_link(friend, link)
    expect(friend.page.locator(".notices .refused")).to_contain_text("does not admit you")
    host.page.click("#pause")
    host.page.keyboard.press("Escape")
    play_a_hand(host, phone)

    controls(host)
    host.page.click("#close-table")
    host.page.locator("dialog button.primary").last.click()
    until = time.monotonic() + HAND_S
    while phone.page.locator(".place.own").count():
        assert time.monotonic() < until, "the table does not close"
        for player in (host, phone):
            player.call_if_asked()
        time.sleep(STEP_S)
    for player in (host, phone):
        expect(player.page.locator(".dock .status")).to_have_text("The table is closed.", timeout=20_000)
        assert player.page.locator(".place:not(.taken)").count() == 0
        assert player.page.locator(".notices", has_text="lost your seat").count() == 0
    host.page.locator(".dock button").click()
    host.page.locator("pr-lobby tbody tr").first.wait_for()
    expect(host.page.locator(".private tbody tr")).to_have_count(0, timeout=20_000)


def test_a_player_with_an_account_goes_straight_to_the_table(new_player):
    """The link opens the table and offers a seat; the lobby lists it for the host and for the guest.

    Without a clipboard the link is selected, so that the host can copy it.
    """
    host = new_player("Wilhelm", script=NO_CLIPBOARD, **CHECKED).enter()
    link = create(host)
    host.page.locator("dialog .copy").click()
    expect(host.page.locator("dialog .status")).not_to_be_empty()
    assert host.page.evaluate(SELECTED) == link
    host.page.keyboard.press("Escape")
    host.to_lobby()
    expect(host.row("Wilhelm's table")).to_contain_text("You")
    looks_right(host, "lobby")
    guest = open_link(new_player("Elfriede", **PHONE).enter(), link)
    guest.page.locator("dialog .chooser").wait_for()
    guest.page.keyboard.press("Escape")
    guest.to_lobby()
    expect(guest.row("Wilhelm's table")).to_contain_text("Wilhelm")
    assert guest.row("Wilhelm's table").get_by_role("button", name="Share").count() == 0
    looks_right(guest, "lobby-phone")


@pytest.mark.parametrize("code", ["AAAAAAAAAAAAAAAAAAAAAA", "short"])
def test_a_link_that_is_not_valid_leads_to_the_lobby(new_player, code):
    """The player is told to ask the host; the code leaves the address bar."""
    player = new_player().enter()
    open_link(player, f"{player.url}#table={code}")
    expect(player.page.locator(".notices .refused")).to_contain_text("Ask your host")
    player.page.locator("pr-lobby tbody tr").first.wait_for()
    assert player.page.url == f"{player.url}#lobby"


def test_the_host_decides_about_guests(new_player):
    """A guest on a phone asks for a seat, waits, sits down, gets chips, and is the host at last."""
    host = new_player("Edeltraud", **CHECKED).enter()
    link = create(host)
    host.page.keyboard.press("Escape")
    controls(host)
    host.page.click("#approve-seats")
    expect(host.page.locator("#approve-seats")).to_have_text("Open seats to all")
    host.page.keyboard.press("Escape")
    phone = open_link(new_player(**PHONE), link)
    name = str(phone.page.locator("#join input").input_value())
    phone.page.locator("#join button.primary").click()
    phone.page.locator("#ask-seat").wait_for()
    looks_right(phone, "ask-seat-phone")
    phone.page.click("#ask-seat")
    expect(phone.page.locator("dialog")).to_contain_text("Wait for the host's answer")
    phone.page.keyboard.press("Escape")
    expect(phone.page.locator(".dock .status")).to_contain_text("Wait for the host's answer")
    expect(host.page.locator(".notices")).to_contain_text(f"{name} asks for a seat")
    controls(host)
    host.page.locator(".guests li").scroll_into_view_if_needed()
    looks_right(host, "guests")
    host.page.set_viewport_size({"width": 390, "height": 844})
    looks_right(host, "guests-phone")
    host.page.set_viewport_size({"width": 844, "height": 390})
    looks_right(host, "guests-sideways")
    host.page.set_viewport_size({"width": 1280, "height": 800})
    host.page.get_by_role("button", name=f"Let {name} sit down").click()
    expect(phone.page.locator(".notices")).to_contain_text("You may sit down")
    host.page.get_by_role("button", name=f"Give chips to {name}").click()
    host.page.locator("dialog .amount").fill("5")
    looks_right(host, "give")
    host.page.locator("dialog button.primary").last.click()
    expect(phone.page.locator(".notices")).to_contain_text("has given you 5")
    phone.page.locator(".dock button.primary").click()
    phone.page.locator("dialog .chooser").wait_for()
    phone.page.locator("dialog button.primary").click()
    phone.page.locator(".place.own").wait_for()
    expect(host.page.locator(".guests li")).to_contain_text("seat")
    host.page.get_by_role("button", name=f"Make {name} the host").click()
    host.page.locator("dialog button.primary").last.click()
    expect(phone.page.locator(".notices")).to_contain_text("You are the host")
    controls(phone)
    expect(phone.page.locator(".guests li")).to_contain_text("Edeltraud")


def offer(desk: OperatorPage, order: str, terms: dict[str, Any] | None = None) -> None:
    """Give an order about private tables at the console, perhaps with new terms; the room follows at once."""
    page = desk.page
    page.locator("tbody tr").filter(has_text="private_tables").get_by_role("button", name=order).click()
    if terms is not None:
        page.locator("dialog textarea").fill(json.dumps(terms))
    page.locator("dialog input[name=reason]").fill("a quiet week")
    page.locator("dialog button.primary").click()
    page.locator("dialog").wait_for(state="detached")


def test_the_operator_decides_what_a_host_may_choose(new_player, new_page, token):
    """The form has what is offered, also after a change while it is open, and says what to do about the rest."""
    desk = new_page().open().sign_in(token(Role.ADMIN))
    desk.go("tournaments")
    expect(desk.page.locator("tbody tr").filter(has_text="private_tables")).to_contain_text("Private tables")
    terms = {"tables_per_account": 1, "games": ["omaha pot_limit"], "small_blind_max": 25, "seats_max": 4}
    offer(desk, "Change terms", terms)
    host = new_player("Swanhild", **CHECKED).enter()
    page = host.page
    page.click("#create-table")
    for name, offered in (("game", 1), ("structure", 1), ("small_blind", 3), ("seats", 3)):
        expect(page.locator(f"#new-table select[name={name}] option")).to_have_count(offered)
    expect(page.locator("#new-table select[name=small_blind]")).to_have_value("25")
    for width, height in ((360, 740), (844, 390), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        looks_right(host, f"offered-{width}")
    offer(desk, "Change terms", terms | {"seats_max": 3})
    page.locator("#new-table button.primary").click()
    expect(page.locator("#new-table .problem")).to_contain_text("Choose another game, other stakes or fewer")
    expect(page.locator("#new-table select[name=seats]")).to_have_attribute("aria-invalid", "true")
    looks_right(host, "not-offered")
    page.locator("#new-table select[name=seats]").select_option("3")
    page.locator("#new-table button.primary").click()
    page.locator("dialog .table-link").wait_for()
    page.keyboard.press("Escape")
    host.to_lobby()
    page.click("#create-table")
    page.locator("#new-table button.primary").click()
    expect(page.locator("#new-table .problem")).to_contain_text("Close one first")
    page.keyboard.press("Escape")
    offer(desk, "Retire")
    page.click("#create-table")
    expect(page.locator(".notices")).to_contain_text("This room has no private tables")
    offer(desk, "Use the terms of the settings")
    page.click("#create-table")
    expect(page.locator("#new-table select[name=game] option")).to_have_count(2)

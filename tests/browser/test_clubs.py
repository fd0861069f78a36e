"""An evening of a club at browsers: members join by its invitation, play for its chips, and settle."""

from __future__ import annotations

import re
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WAIT_MS
from tests.browser.players import HAND_S, STEP_S, Player
from tests.browser.test_axe import violations
from tests.browser.test_hosted import CHECKED, open_link, play_a_hand
from tests.browser.test_looks import no_sideways_scrolling

PHONE = {"size": (360, 740), "has_touch": True, "is_mobile": True, **CHECKED}
SIDEWAYS = {"size": (844, 390), "has_touch": True, "is_mobile": True, **CHECKED}


pytestmark = pytest.mark.timeout(300)


def looks_right(player: Player, what: str) -> None:
    """The page has no fault that axe knows, and scrolls in one way."""
    player.shot(f"club-{what}")
    assert violations(player.page) == [], what
    no_sideways_scrolling(player)


def club_of(player: Player) -> Any:
    """Open the window of the player's one club."""
    player.to_lobby()
    player.page.click("#clubs")
    player.page.get_by_role("button", name="Open Fridays").click()
    player.page.locator("#club-results").wait_for()
    return player.page


def issue(owner: Player, name: str, amount: str) -> None:
    """Issue chips to a member."""
    page = owner.page
    page.get_by_role("button", name=f"Chips of {name}", exact=True).click()
    page.locator("#club-chips input").fill(amount)
    page.locator("#club-chips button.primary").click()
    page.locator("#club-chips").wait_for(state="detached")


def signed(text: str) -> Decimal:
    """A net as the page shows it."""
    return Decimal(text.replace("−", "-").replace("+", "").replace(",", ""))  # noqa: RUF001 -- the sign of the page


def balances(page: Any) -> dict[str, Decimal]:
    """The chips of each member, as the window of the club shows them."""
    rows = page.locator("#members li").all()
    return {
        str(row.locator("b").inner_text()): Decimal(row.locator(".sum").inner_text().replace(",", ""))
        for row in rows
    }


def sheet(page: Any) -> tuple[dict[str, Decimal], list[tuple[str, str, Decimal]]]:
    """The nets of the results that are shown, and who pays whom."""
    page.locator("#nets li").first.wait_for()
    rows = [row.locator("b, span").all_inner_texts() for row in page.locator("#nets li").all()]
    paid = [
        re.fullmatch(r"(\S+) pays (\S+) ([\d.,]+)", line)
        for line in page.locator(".payments li").all_inner_texts()
    ]
    payments = [(each[1], each[2], Decimal(each[3].replace(",", ""))) for each in paid if each]
    assert len(payments) == len(paid)
    return {row[0]: signed(row[1]) for row in rows}, payments


def test_an_evening_of_a_club(new_player):
    """Two members join, one on a phone; chips are issued, hands played, and the settlement is right to the unit."""
    owner = new_player("Leopoldine", **CHECKED).enter()
    page = owner.page
    page.click("#clubs")
    page.locator("#create-club").wait_for()
    looks_right(owner, "none")
    page.locator("#create-club input").fill("Fridays")
    page.locator("#create-club button").click()
    link = str(page.locator("dialog .table-link").input_value())
    assert link.startswith(f"{owner.url}#club=")
    phone = open_link(new_player(**PHONE), link)
    guest = str(phone.page.locator("#join input").input_value())
    expect(phone.page.locator("h1")).to_have_text("You are invited to a club")
    expect(phone.page.locator("form.panel ~ section #join")).to_have_count(
        1
    )  # an account that stays comes first
    tops = [tab.bounding_box()["y"] for tab in phone.page.locator("form.panel .tab").all()]
    assert tops == [tops[0]] * 2  # side by side
    phone.page.set_viewport_size({"width": 844, "height": 390})
    expect(phone.page.get_by_role("button", name="Play as a guest")).to_be_in_viewport(ratio=1)
    looks_right(phone, "invited-sideways")
    phone.page.set_viewport_size({"width": 1280, "height": 800})
    looks_right(phone, "invited-desk")
    phone.page.set_viewport_size({"width": 360, "height": 740})
    looks_right(phone, "invited-phone")
    phone.page.locator("#join button.primary").click()
    expect(phone.page.locator("dialog h2")).to_have_text("Join a club?")  # any page can have such a link
    expect(page.locator("#members li")).to_have_count(1)
    phone.page.locator("dialog button.primary").click()
    phone.page.locator("#club-results").wait_for()
    friend = new_player("Adelgunde", **SIDEWAYS).enter()
    friend.page.click("#clubs")
    friend.page.locator("#join-club input").fill("x" * 22)
    friend.page.locator("#join-club button").click()
    expect(friend.page.locator("dialog .problem")).to_have_text(
        re.compile("^This invitation does not admit you")
    )
    friend.page.locator("#join-club input").fill(link)
    friend.page.locator("#join-club button").click()
    friend.page.locator("#club-results").wait_for()
    assert not friend.page.locator("dialog .table-link").count()  # members invite no one

    names = ["Leopoldine", guest, "Adelgunde"]
    expect(page.locator("#members li")).to_have_count(3)
    for name in names:
        issue(owner, name, "200")
    looks_right(owner, "owner")
    page.click("#create-club-table")
    page.locator("#new-table select[name=action_clock_s]").select_option("10")
    page.locator("#new-table button.primary").click()
    page.locator("dialog .table-link").wait_for()
    page.locator("dialog button.primary").last.click()
    for player in (owner, phone, friend):
        if player is not owner:
            player.page.get_by_role("button", name=re.compile("^Go to ")).click()
        expect(player.page.locator("dialog .hint", has_text="Your chips of the club: 200")).to_be_visible()
        player.page.locator("dialog button.primary").click()
        player.page.locator(".place.own").wait_for()
    for _ in range(2):
        play_a_hand(owner, phone, friend)
    page = club_of(owner)
    looks_right(owner, "table")
    page.get_by_role("button", name=re.compile("^Close .*table")).click()
    page.locator("dialog button.primary").last.click()
    until = time.monotonic() + HAND_S
    while not page.get_by_text("No table is open.").count():
        assert time.monotonic() < until, "the table does not close"
        for player in (phone, friend):
            player.call_if_asked()
        time.sleep(STEP_S)
    expect(page.locator("dialog p").filter(has_text="The bank has issued 600.")).to_be_visible()

    page.click("#club-results")
    nets, payments = sheet(page)
    looks_right(owner, "results")
    with page.expect_download() as started:
        page.click("#save-csv")
    assert started.value.suggested_filename == "Fridays.csv"
    lines = Path(started.value.path()).read_text(encoding="utf-8").splitlines()
    assert lines[0] == "player,net"
    assert {(name, Decimal(net)) for name, net in (line.split(",") for line in lines[1:])} == set(
        nets.items()
    )
    page.keyboard.press("Escape")
    held = balances(page)
    assert held == {("You" if name == "Leopoldine" else name): 200 + nets.get(name, 0) for name in names}
    assert sum(nets.values()) == 0
    assert len(payments) < max(len(nets), 1)
    for payer, payee, amount in payments:
        nets[payer] += amount
        nets[payee] -= amount
    assert not any(nets.values())

    for player, what in ((phone, "phone"), (friend, "sideways")):
        club_of(player).click("#club-results")
        assert sheet(player.page)[1] == payments
        looks_right(player, f"results-{what}")
        player.page.keyboard.press("Escape")
        looks_right(player, what)
    page.get_by_role("button", name="Remove Adelgunde").click()
    page.locator("dialog button.primary").last.click()
    expect(page.locator("#members li")).to_have_count(2)
    expect(friend.page.locator("dialog")).to_have_count(0, timeout=WAIT_MS)
    for player in (owner, phone, friend):
        assert (player.problems, player.foreign) == ([], [])

"""A private sit-and-go of a club at three browsers: made and entered in the club, played, and in its results."""

from __future__ import annotations

import re
import time
from decimal import Decimal

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WAIT_MS
from tests.browser.players import HAND_S, STEP_S, Player
from tests.browser.test_clubs import (
    CHECKED,
    PHONE,
    SIDEWAYS,
    balances,
    club_of,
    issue,
    looks_right,
    sheet,
)

pytestmark = pytest.mark.timeout(300)


def join(player: Player, link: str) -> None:
    """Join the club by the link."""
    player.page.click("#clubs")
    player.page.locator("#join-club input").fill(link)
    player.page.locator("#join-club button").click()
    player.page.locator("#club-results").wait_for()


def issue_from_club(owner: Player, name: str) -> None:
    """Issue chips from the window of the club."""
    club_of(owner)
    issue(owner, name, "200")
    owner.page.keyboard.press("Escape")


def test_members_play_one(new_player):
    """Three enter with chips of the club, whatever is in the wallet; the places are in the club's results."""
    owner = new_player("Roswitha", **CHECKED).enter()
    page = owner.page
    page.click("#clubs")
    page.locator("#create-club input").fill("Fridays")
    page.locator("#create-club button").click()
    link = str(page.locator("dialog .table-link").input_value())
    phone = new_player("Kunigunde", **PHONE).enter()
    friend = new_player("Ermelinde", **SIDEWAYS).enter()
    for player in (phone, friend):
        join(player, link)
    expect(page.locator("#members li")).to_have_count(3)
    for name in ("Roswitha", "Kunigunde"):
        issue(owner, name, "200")
    page.click("#create-club-table")
    page.click("#create-sit-and-go")
    form = page.locator("#new-sit-and-go")
    expect(form.locator("select[name=club] option:checked")).to_have_text("Chips of Fridays")
    form.locator("select[name=seats]").select_option("3")
    form.locator("select[name=buy_in]").select_option("2500")
    form.locator("input[name=starting_stack]").fill("20")  # a big blind
    looks_right(owner, "sit-and-go-form")
    form.locator("button.primary").click()
    expect(page.locator("dialog .hint", has_text="Your chips of the club: 200")).to_be_visible()
    expect(page.locator("dialog div.share")).to_contain_text("It admits members alone")
    page.get_by_role("button", name=re.compile("^Register: ")).click()
    expect(page.locator("dialog .hint", has_text="Your chips of the club: 175")).to_be_visible()
    looks_right(owner, "sit-and-go-host")
    expect(page.locator(".private tbody tr")).to_contain_text("Buy-in: 25 Sit-and-go chips of the club")
    for player in (phone, friend):
        expect(player.page.locator("dialog li", has_text="Buy-in: 25")).to_contain_text(
            "1/3", timeout=WAIT_MS
        )
        looks_right(player, f"sit-and-go-list-{'phone' if player is phone else 'sideways'}")
        player.page.get_by_role("button", name=re.compile("^Go to ")).click()
        entry = player.page.get_by_role("button", name=re.compile("^Register: "))
        entry.wait_for()
        if player is friend:
            expect(entry).to_be_disabled()  # without chips of the club, rich as the wallet is
            page.keyboard.press("Escape")
            issue_from_club(owner, "Ermelinde")
            expect(entry).to_be_enabled(timeout=WAIT_MS)
            names = player.page.locator("dialog .figures dt").all()
            assert len({name.bounding_box()["height"] for name in names}) == 1  # one line each
        looks_right(player, f"sit-and-go-guest-{'phone' if player is phone else 'sideways'}")
        entry.click()
    for player in (owner, phone, friend):
        player.page.locator(".place.own").wait_for()
    page = club_of(owner)
    expect(page.locator("dialog li", has_text="Buy-in: 25")).to_contain_text(
        "3/3 · Host: Roswitha · In progress"
    )
    expect(page.get_by_role("button", name=re.compile("^Cancel the sit-and-go: Roswitha"))).to_have_count(0)
    expect(page.locator("dialog p").filter(has_text="The bank has issued 600.")).to_be_visible()
    assert set(balances(page).values()) == {Decimal(175)}
    page.keyboard.press("Escape")
    page.goto(f"{owner.url}#tables")
    until = time.monotonic() + 3 * HAND_S
    while not page.locator(".lines li", has_text="finishes at place 1 and wins").count():
        assert time.monotonic() < until, "the sit-and-go does not end"
        for player in (owner, phone, friend):
            player.call_if_asked()
        time.sleep(STEP_S)
    page = club_of(owner)
    expect(page.get_by_text("No table is open.")).to_be_visible(timeout=WAIT_MS)
    page.click("#club-results")
    nets, payments = sheet(page)
    looks_right(owner, "sit-and-go-results")
    assert max(nets.values()) == Decimal(
        "23.75"
    )  # 65 % of three entries; two that are out in one hand share the rest
    assert (sum(nets.values()), len(nets)) == (0, 3)
    assert sum(amount for _, payee, amount in payments if nets[payee] == max(nets.values())) == Decimal(
        "23.75"
    )
    page.keyboard.press("Escape")
    held = balances(page)
    assert held == {("You" if name == "Roswitha" else name): 200 + net for name, net in nets.items()}
    for player in (owner, phone, friend):
        assert (player.problems, player.foreign) == ([], [])


@pytest.mark.parametrize("look", [CHECKED, PHONE, SIDEWAYS], ids=["desk", "phone", "sideways"])
def test_a_free_one_has_no_prizes(new_player, look, request):
    """The form asks for none, and the page says what it is played for."""
    host = new_player(**look).enter()
    page, where = host.page, request.node.callspec.id
    page.click("#create-table")
    page.click("#create-sit-and-go")
    form = page.locator("#new-sit-and-go")
    form.locator("select[name=buy_in]").select_option("0")
    expect(form.locator("select[name=places]")).to_have_count(0)
    looks_right(host, f"free-form-{where}")
    form.locator("button.primary").click()
    expect(page.locator("dialog .hint").first).to_contain_text("Free entry, played for the places alone")
    expect(page.get_by_role("button", name="Prizes")).to_have_count(0)
    page.get_by_role("button", name=re.compile("^Register: ")).click()
    expect(page.get_by_role("button", name=re.compile("^Unregister: "))).to_be_visible()
    expect(page.locator("dialog .ranks thead")).not_to_contain_text("Prize")
    looks_right(host, f"free-{where}")

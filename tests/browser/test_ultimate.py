"""What a table against the house offers beside a plain round: extra boxes, side bets, keys that are held, the chat."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.test_looks import PHONE, accessible, no_sideways_scrolling
from tests.browser.test_other_games import play_a_round, tab


def at_the_house(player, table: str = "Against the house"):
    """At a place, with betting open; returns the own box."""
    tab(player, "Ultimate")
    player.page.get_by_role("button", name=f"Take a place: {table}").click()
    own = player.page.locator(".box.own")
    own.locator("button.spot.ante").wait_for(timeout=60_000)  # others' round may be in progress
    return own


def test_an_extra_box_is_played_blind_beside_the_own(new_player):
    """Its Ante, its Play before the deal, and the round's number, result and lines in both histories."""
    lena = new_player("lena-e2e").enter()
    page = lena.page
    own = at_the_house(lena)
    page.keyboard.press("2")
    own.locator("button.spot.ante").click()
    expect(own.locator("button.spot.ante")).to_contain_text("5")
    extra = page.locator(".box.extra").last
    expect(extra.locator("button.spot")).to_have_count(1)
    extra.locator("button.spot.ante").click()
    expect(page.locator(".dock .lacking")).to_contain_text("Choose the Play of box")
    expect(extra.locator("button.spot")).to_have_count(3)
    extra.get_by_role("button", name="Play 4\u00d7").click()
    expect(extra.get_by_role("button", name="Play 4\u00d7")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".dock .lacking")).to_have_count(0)
    expect(page.locator(".betting")).to_contain_text("Total 40")
    own.locator("button.spot.progressive").click()
    expect(page.locator(".betting")).to_contain_text("Total 41")
    accessible(lena, "bets on two boxes")
    lena.shot("ultimate-extra-box")
    play_a_round(lena)
    expect(page.locator(".table-head")).to_contain_text(re.compile(r"Round \d{8}-\d\d:\d\d:\d\d-\d+"))
    expect(page.locator(".box.ours")).to_have_count(2)
    expect(page.locator(".dock [role=status]")).to_contain_text(re.compile("You win|You lose|You get back"))
    lena.to_lobby()
    page.click("#history")
    line = page.locator("dialog .records tbody tr").first
    expect(line).to_contain_text("Against the house: round")
    line.locator("button").click()
    replay = page.locator("dialog").last
    replay.get_by_role("button", name="Go to the end").click()
    expect(replay.locator(".bank")).to_contain_text("qualif")
    expect(replay.locator(".box.ours")).to_have_count(2)


def test_bets_by_keys_and_all_taken_back_by_delete_held(new_player):
    """Space is for the bets although a spot was clicked; Ctrl+Z takes one back, Delete for three seconds takes all."""
    nils = new_player("nils-e2e").enter()
    page = nils.page
    own = at_the_house(nils)
    total = page.locator(".betting strong").last
    page.keyboard.press("1")
    page.keyboard.press("a")
    expect(own.locator("button.spot.ante")).to_contain_text("1")
    own.locator("button.spot.ante").click()
    expect(page.locator(".betting")).to_contain_text("Total 4")
    page.keyboard.press("Control+z")
    expect(page.locator(".betting")).to_contain_text("Total 2")
    own.locator("button.spot.ante").click()
    page.keyboard.press(" ")
    expect(page.locator(".betting")).to_contain_text("Total 8")
    page.keyboard.down("Delete")
    expect(total).to_have_text("4")
    expect(total).to_have_text("0", timeout=6_000)
    page.keyboard.up("Delete")
    page.keyboard.press("Escape")
    expect(page.locator("pr-lobby")).to_be_visible()


def test_talk_at_the_table_and_side_bets_that_are_not_wanted(new_player):
    """The chat can be hidden; without side bets there are no spots for them, on the next device neither."""
    otto = new_player("otto-e2e").enter()
    page = otto.page
    own = at_the_house(otto)
    page.fill(".talk input", "good evening")
    page.locator(".talk form button").click()
    expect(page.locator(".lines .said")).to_contain_text("otto-e2e: good evening")
    page.locator(".bank").click()
    page.keyboard.press("m")
    expect(page.locator(".talk")).to_have_count(0)
    expect(own.locator("button.spot.trips")).to_be_visible()
    page.keyboard.press("s")
    page.locator("dialog").get_by_label("Offer side bets").uncheck()
    page.keyboard.press("Escape")
    expect(own.locator("button.spot.ante")).to_be_visible()
    expect(own.locator("button.spot.trips")).to_have_count(0)
    other = new_player("otto-e2e")
    other.page.get_by_role("button", name="Log in").first.click()
    other.enter()
    tab(other, "Ultimate")
    other.page.get_by_role("button", name="Go to the table: Against the house").click()
    expect(page.locator("pr-ultimate")).to_have_count(0)
    expect(other.page.locator("pr-ultimate")).to_have_attribute("aria-label", "Against the house")
    expect(other.page.locator(".box.own button.spot.ante")).to_be_visible()
    expect(other.page.locator(".box.own button.spot.trips")).to_have_count(0)
    expect(other.page.locator(".talk")).to_have_count(0)


def test_a_phone_has_room_for_a_round(new_player):
    """Nothing scrolls sideways, and every control of bets and decisions is on the screen."""
    phone = new_player(**PHONE).enter()
    own = at_the_house(phone)
    own.locator("button.spot.ante").click()
    own.locator("button.spot.ante").click()
    no_sideways_scrolling(phone)
    phone.shot("phone-ultimate")
    for button in phone.page.locator(".dock button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
        assert box["y"] + box["height"] <= 720
    phone.page.locator(".dock.deciding").wait_for(timeout=30_000)
    no_sideways_scrolling(phone)
    accessible(phone, "a decision on a phone")
    phone.shot("phone-ultimate-decision")


def test_all_boxes_are_in_view_during_a_round(new_player):
    """With six boxes, chat and side bets: boxes without a bet do not push others out of view."""
    mona = new_player(size=(1280, 720)).enter()
    own = at_the_house(mona)
    own.locator("button.spot.ante").click()
    mona.page.locator(".dock.deciding").wait_for(timeout=60_000)
    mona.shot("ultimate-six-boxes")
    felt = mona.page.locator(".bank-table").bounding_box()
    boxes = [box.bounding_box() for box in mona.page.locator(".boxes > .box").all()]
    assert len(boxes) == 6
    assert max(box["y"] + box["height"] for box in boxes) <= felt["y"] + felt["height"]


def test_one_hand_is_played_by_all_and_decided_by_each(new_player):
    """Where a common hand is dealt both see the same cards; one plays, for the other the clock decides."""
    rosa = new_player("noted-rosa", size=(1440, 900)).enter()
    for table in ("More 1", "More 2"):
        rosa.sit_down(table)
    sven = new_player().enter()
    players = (rosa, sven)
    boxes = [at_the_house(player, "One hand for all") for player in players]
    for player, box in zip(players, boxes, strict=True):
        box.locator("button.spot.ante").click()
        expect(box.locator("button.spot.ante")).to_contain_text("1")
        assert player.page.locator(".box.extra").count() == 0
    rosa.shot("ultimate-beside-tables-betting")
    for player in players:
        player.page.locator("pr-ultimate .dock.deciding").wait_for(timeout=30_000)
    cards = [box.locator(".cards").get_attribute("aria-label") for box in boxes]
    assert cards[0] == cards[1]
    rosa.shot("ultimate-beside-tables")
    rosa.page.locator("pr-ultimate").get_by_role("button", name="Play 4").click()
    expect(boxes[0]).to_contain_text("plays")
    expect(sven.page.locator(".box:not(.own)").first).to_contain_text("plays")
    # the clock decides for who does not: a check on each street, and a fold on the river
    expect(boxes[1]).to_contain_text("auto folded", timeout=60_000)
    expect(sven.page.locator(".lines")).to_contain_text("is auto checked")
    expect(sven.page.locator(".dock [role=status]")).to_contain_text("You lose")
    # a name at another box opens the note on it
    sven.page.get_by_role("button", name="Note on noted-rosa").click()
    note = sven.page.locator("dialog")
    note.get_by_text("Green").click()
    note.get_by_role("button", name="Save").click()
    expect(sven.page.locator(".neighbor .note-mark.green")).to_be_visible()
    sven.shot("ultimate-note")

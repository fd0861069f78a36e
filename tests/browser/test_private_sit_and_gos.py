"""Private sit-and-gos in the browser: a host makes one with levels of its own, and a friend enters by the link."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ARTEFACTS
from tests.browser.pictures import compare, same_fonts
from tests.browser.players import Player
from tests.browser.test_hosted import CHECKED, PHONE, looks_right, open_link

ALONE = "document.querySelector('pr-app').style.visibility = 'hidden'"
"""What is behind a window is of other tests, too."""
SAME = """() => {
  document.querySelector(".table-link").value = "http://127.0.0.1:4190/#table=q8Zl0c1yQm2rT5uVwX9aBd";
  document.querySelector("#table-number")?.replaceChildren("7k2mq0xw94");
}"""
"""Instead of what was drawn by chance."""
LOOKS = {"phone": PHONE | {"size": (360, 640)}, "tablet": CHECKED | {"size": (844, 390)}, "desk": CHECKED}


def form(host: Player) -> Player:
    """Open the form."""
    host.page.click("#create-table")
    host.page.click("#create-sit-and-go")
    host.page.locator("#new-sit-and-go").wait_for()
    return host


def test_friends_play_one(new_player):
    """The host edits a level, shares the link and starts it before it is full; the guest enters on a phone."""
    host = form(new_player("Gundula", **CHECKED).enter())
    page = host.page
    page.locator("[data-speed=turbo]").click()
    expect(page.locator("[data-speed=turbo]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-level='1 minutes']")).to_have_value("3")
    page.locator("#new-sit-and-go summary").click()
    page.locator("[data-level='2 small_blind']").fill("5")
    page.locator("[data-level='2 big_blind']").fill("5")
    page.locator("#new-sit-and-go button.primary").click()
    expect(page.locator("dialog .problem")).to_contain_text("do not go together")
    page.locator("[data-level='2 small_blind']").fill("18")
    page.locator("[data-level='2 big_blind']").fill("36")
    page.locator("#new-sit-and-go button.primary").click()
    link = str(page.locator("dialog .table-link").input_value())
    expect(page.locator("#start-sit-and-go")).to_be_disabled()
    needs = page.locator(".hosts", has_text="Two players are needed to start.")
    expect(needs).to_have_count(1)
    figures = page.locator("dialog .figures")
    expect(figures).not_to_contain_text("Prize pool")
    expect(page.locator("dialog .hint").first).to_contain_text("Starts when full, or when its host starts it")
    page.locator("dialog").get_by_role("button", name="Register: Gundula's sit-and-go").click()
    expect(page.locator(".notices")).to_contain_text("or when the host starts the sit-and-go")
    expect(figures).to_contain_text("Prize pool so far")
    looks_right(host, "sit-and-go-begins")
    guest = open_link(new_player(**PHONE | {"size": (360, 640)}), link)
    guest.page.locator("#join button.primary").click()
    guest.page.locator("dialog").get_by_role("button", name="Register: Gundula's sit-and-go").click()
    expect(guest.page.locator("dialog .hosts")).to_have_count(0)
    looks_right(guest, "sit-and-go-enters")
    expect(page.locator("#start-sit-and-go")).to_be_enabled()
    expect(needs).to_have_count(0)
    page.click("#start-sit-and-go")
    for player in (host, guest):
        player.page.locator(".place.own").wait_for()


def test_a_new_link_comes_after_a_question(new_player):
    """The host reads that the old one is void then, and may keep it."""
    page = form(new_player(**CHECKED).enter()).page
    page.locator("#new-sit-and-go button.primary").click()
    link = page.locator("dialog .table-link")
    before = str(link.input_value())
    for answer in ("Cancel", "New link"):
        page.click("#new-sit-and-go-link")
        question = page.locator("dialog").last
        expect(question).to_contain_text("The old link is void then.")
        expect(link).to_have_value(before)
        question.get_by_role("button", name=answer, exact=True).click()
    expect(link).not_to_have_value(before)


def test_the_host_cancels_one(new_player):
    """After a second question; its page says so."""
    host = form(new_player(**CHECKED).enter())
    host.page.locator("#new-sit-and-go button.primary").click()
    host.page.click("#cancel-sit-and-go")
    host.page.locator("dialog button.primary").last.click()
    expect(host.page.locator("dialog .hint").first).to_contain_text("Cancelled")
    host.page.keyboard.press("Escape")
    form(host).page.locator("#new-sit-and-go").get_by_role("button", name="sit-and-go").click()
    expect(host.page.locator("dialog .hint").first).to_contain_text("Cancelled")


def test_a_guest_enters_by_the_password_and_is_removed(new_player):
    """The host sets the password and removes the guest: the buy-in is back, and the window closes."""
    host = form(new_player("Rosamund", **CHECKED | {"size": (390, 844)}).enter())
    page = host.page
    page.locator("#new-sit-and-go button.primary").click()
    page.locator(".hosts summary").click()
    page.locator("#table-password input").fill("mushroom risotto")
    page.locator("#table-password button").click()
    number = page.locator("#table-number").inner_text()
    guest = new_player("Ottoline", **PHONE | {"size": (360, 640)}).enter()
    guest.page.click("#enter-table")
    guest.page.locator("#enter-by-password input[name=number]").fill(number)
    guest.page.locator("#enter-by-password input[name=password]").fill("mushroom risotto")
    guest.page.locator("#enter-by-password button.primary").click()
    guest.page.locator("dialog").get_by_role("button", name="Register: Rosamund's sit-and-go").click()
    expect(page.locator("#start-sit-and-go")).to_contain_text("(1/6)")
    expect(page.locator(".guests li")).to_contain_text("Ottoline")
    looks_right(host, "sit-and-go-guests")
    page.get_by_role("button", name="Remove Ottoline").click()
    looks_right(host, "sit-and-go-remove")
    page.locator("dialog button.primary").last.click()
    expect(guest.page.locator(".notices")).to_contain_text("The host has removed you from the sit-and-go.")
    expect(guest.page.locator("dialog")).to_have_count(0)
    expect(page.locator("#start-sit-and-go")).to_contain_text("(0/6)")
    expect(page.locator(".guests li")).to_have_count(0)


@pytest.mark.parametrize("look", LOOKS)
def test_the_form_fits(new_player, look):
    """On a phone, a phone held sideways and a desk."""
    host = new_player(locale="de-DE" if look == "tablet" else "en-GB", **LOOKS[look]).enter()
    host.page.click("#create-table")
    expect(host.page.locator("#create-sit-and-go")).to_be_in_viewport(ratio=1)
    looks_right(host, f"sit-and-go-way-{look}")
    host.page.click("#create-sit-and-go")
    host.page.locator("#new-sit-and-go").wait_for()
    create = host.page.locator("#new-sit-and-go .end .primary")
    expect(create).to_be_in_viewport(ratio=1)
    looks_right(host, f"sit-and-go-fits-{look}")
    host.page.locator("#new-sit-and-go summary").click()
    host.page.locator("#more-levels").click()
    expect(host.page.locator(".levels-edited tbody tr")).to_have_count(13)
    host.page.locator("#fewer-levels").scroll_into_view_if_needed()
    for seen in (create, host.page.locator(".levels-edited thead th").nth(1)):
        expect(seen).to_be_in_viewport(ratio=1)
    looks_right(host, f"sit-and-go-fits-levels-{look}")


def looks_as_approved(player: Player, what: str) -> None:
    """The window alone looks as it was approved."""
    same_fonts(player.page)
    player.page.evaluate(ALONE)
    player.page.mouse.move(0, 0)  # over no button
    seen = player.page.locator("dialog").last.screenshot(animations="disabled")
    compare(seen, f"hosted-sit-and-go-{what}", ARTEFACTS)


@pytest.mark.parametrize("look", LOOKS)
def test_the_form_looks_as_approved(new_player, look):
    """With the levels closed and, further down, open; in German on the phone held sideways."""
    host = form(new_player(locale="de-DE" if look == "tablet" else "en-GB", **LOOKS[look]).enter())
    host.page.locator("#new-sit-and-go input[name=name]").fill("Friday final")
    host.page.locator("dialog h2").click()
    looks_as_approved(host, f"form-{look}")
    host.page.locator("#new-sit-and-go summary").click()
    host.page.locator("#fewer-levels").scroll_into_view_if_needed()
    looks_as_approved(host, f"levels-{look}")


@pytest.mark.parametrize(
    ("look", "name"), [("phone", "Philippa"), ("tablet", "Wilhelmina"), ("desk", "Augustine")]
)
def test_its_page_looks_as_approved(new_player, look, name):
    """For its host, with a guest and a password, and for the guest, after the entry."""
    host = form(new_player(name, **LOOKS[look]).enter())
    page = host.page
    page.locator("#new-sit-and-go input[name=name]").fill("Friday final")
    page.locator("#new-sit-and-go button.primary").click()
    link = str(page.locator("dialog .table-link").input_value())
    page.locator(".hosts summary").click()
    page.locator("#table-password input").fill("mushroom risotto")
    page.locator("#table-password button").click()
    page.locator("#table-number").wait_for()
    guest = open_link(new_player(**LOOKS[look]), link)
    guest.page.locator("#join input").fill(f"{name[:5]}.friend")
    guest.page.locator("#join button.primary").click()
    guest.page.locator("dialog").get_by_role("button", name="Register: Friday final").click()
    expect(guest.page.locator("dialog .ranks")).to_contain_text("friend")
    expect(page.locator(".guests li")).to_have_count(1)
    expect(page.locator("#start-sit-and-go")).to_contain_text("(1/6)")
    page.evaluate(SAME)
    page.locator("dialog h2").click()
    looks_as_approved(host, f"host-{look}")
    looks_as_approved(guest, f"guest-{look}")


SIZES = {"phone": (360, 640), "tablet": (844, 390), "desk": (1280, 720)}


def fits(player: Player, what: str) -> None:
    """At each size the page has no fault that axe knows, and scrolls in one way."""
    for size, (width, height) in SIZES.items():
        player.page.set_viewport_size({"width": width, "height": height})
        player.page.locator(".private").scroll_into_view_if_needed()
        looks_right(player, f"sit-and-go-{what}-{size}")


def test_the_lobby_leads_back_to_one(new_player):
    """Its line tells buy-in, players, host and state; its host shares the link there. One that is over has no line."""
    host = form(new_player("Hildegunde", **CHECKED).enter())
    page = host.page
    page.locator("#new-sit-and-go button.primary").click()
    link = str(page.locator("dialog .table-link").input_value())
    page.locator("dialog").get_by_role("button", name="Register: Hildegunde").click()
    expect(page.locator("#start-sit-and-go")).to_contain_text("(1/6)")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    notices = page.locator(".notices")
    assert notices.locator("p").count() == 1
    assert not notices.evaluate("each => each.matches(':popover-open')")  # no window is open
    line = page.locator(".private tbody tr")
    for fact in ("Hildegunde's sit-and-go", "Registration is open", "Buy-in: 10 Sit-and-go", "1/6", "You"):
        expect(line).to_contain_text(fact)
    fits(host, "lobby")
    page.get_by_role("button", name="Share the link: Hildegunde's sit-and-go").click()
    expect(page.locator("dialog .table-link")).to_have_value(link)
    page.keyboard.press("Escape")
    guest = open_link(new_player(**CHECKED), link)
    guest.page.locator("#join button.primary").click()
    guest.page.keyboard.press("Escape")
    expect(guest.page.locator(".private tbody tr")).to_contain_text("Hildegunde's sit-and-go")
    expect(guest.page.locator(".private tbody button", has_text="Share")).to_have_count(0)
    guest.page.reload()
    guest.page.locator(".private tbody").get_by_role("button", name="Details: Hildegunde").click()
    guest.page.locator("dialog").get_by_role("button", name="Register: Hildegunde").click()
    guest.page.keyboard.press("Escape")
    expect(line).to_contain_text("2/6")
    page.locator(".private tbody").get_by_role("button", name="Details: Hildegunde").click()
    page.click("#start-sit-and-go")
    for player in (host, guest):
        player.page.locator(".place.own").wait_for()
        player.page.goto(f"{player.url}#lobby")
        expect(player.page.locator(".private tbody tr")).to_contain_text("In progress")
    expect(page.locator(".private tbody button", has_text="Share")).to_have_count(0)
    form(host)
    expect(page.locator("#new-sit-and-go")).to_contain_text("Hildegunde's sit-and-go (In progress)")
    page.keyboard.press("Escape")
    form(host).page.locator("#new-sit-and-go button.primary").click()
    page.click("#cancel-sit-and-go")
    page.locator("dialog button.primary").last.click()
    expect(page.locator("dialog .hint").first).to_contain_text("Cancelled")
    page.keyboard.press("Escape")
    expect(line).to_have_count(1)


def test_a_friend_pastes_the_link_or_its_code(new_player):
    """One field takes link, code or number; what leads nowhere is told. The price is in view beside the button."""
    host = form(new_player("Kunibert", **CHECKED).enter())
    host.page.locator("#new-sit-and-go button.primary").click()
    link = str(host.page.locator("dialog .table-link").input_value())
    guest = new_player(**CHECKED).enter()
    page = guest.page
    for text in (f"  {link} ", link.partition("=")[2]):
        page.click("#enter-table")
        field, enter = (
            page.locator("#enter-by-password input[name=number]"),
            page.locator("#enter-by-password .primary"),
        )
        for wrong, problem in (
            ("#club=none", "This link does not admit you"),
            ("7k2mq0xw94", "A table ID needs the password"),
        ):
            field.fill(wrong)
            enter.click()
            expect(page.locator("dialog .problem")).to_contain_text(problem)
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            looks_right(guest, f"enter-{size}")
        field.fill(text)
        enter.click()
        entry = page.locator("dialog").get_by_role("button", name="Register: Kunibert")
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            expect(entry).to_be_in_viewport(ratio=1)
            facts = page.locator("dialog .hint", has_text="Buy-in: 10")
            expect(facts).to_be_in_viewport(ratio=1)
            expect(facts).to_contain_text("Registration is open")
            looks_right(guest, f"sit-and-go-price-{size}")
        page.keyboard.press("Escape")

"""What an account has beside its seats, in the browser: the cashier, and what it has played."""

from __future__ import annotations

import json
import re
import time

import pyotp
from playwright.sync_api import expect

from tests.browser.players import HAND_S
from tests.browser.test_looks import PHONE, accessible, no_sideways_scrolling


def test_the_cashier_asks_the_operator_and_tells_what_he_says(new_player, room):
    """No source, no request; a deposit is approved, a withdrawal refused, and both are told in the window."""
    olga = new_player("olga-e2e").enter()
    page = olga.page
    dialog = page.locator("dialog")
    assert room.command("cashier", "close", "play-money").returncode == 0
    page.click("#cashier")
    expect(dialog).to_contain_text("The operator offers no deposits")
    page.keyboard.press("Escape")
    assert room.command("cashier", "open", "cash").returncode == 0
    assert room.command("cashier", "fund", "cash", "1000").returncode == 0
    page.locator(".bar .wallet").click()
    page.fill("dialog input[name=amount]", "0")
    dialog.locator("button.primary").click()
    expect(dialog.locator("[role=alert]")).to_contain_text("Enter an amount")
    page.fill("dialog input[name=amount]", "12,50")
    dialog.locator("button.primary").click()
    waiting = dialog.locator(".requests .waiting")
    expect(waiting).to_have_count(1)
    expect(dialog.locator("[role=status]")).to_have_text("Deposit of 12.50: waiting for the operator")
    page.locator("dialog .choice").filter(has_text="Withdrawal").click()
    page.fill("dialog input[name=amount]", "20000")
    dialog.locator("button.primary").click()
    expect(dialog.locator("[role=alert]")).to_contain_text("does not cover this")
    page.fill("dialog input[name=amount]", "100")
    dialog.locator("button.primary").click()
    expect(dialog).to_contain_text("Held for withdrawals: 100")
    expect(dialog.locator("#cashier-wallet")).to_contain_text("9,900")
    accessible(olga, "the cashier")
    olga.shot("cashier")

    listed = room.command("cashier", "list", "--account", "olga-e2e", "--json")
    numbers = {row["request"]["kind"]: str(row["number"]) for row in json.loads(listed.stdout)}
    assert room.command("cashier", "approve", numbers["deposit"]).returncode == 0
    assert room.command("cashier", "refuse", numbers["withdrawal"], "--note", "not today").returncode == 0
    expect(waiting).to_have_count(0)
    expect(dialog.locator(".requests li").first).to_contain_text("refused \u2013 not today")
    expect(dialog.locator("#cashier-wallet")).to_contain_text("10,012.50")
    page.keyboard.press("Escape")
    expect(page.locator(".bar .wallet")).to_have_text("10,012.50")


def test_play_money_is_refilled_by_a_button(new_player, room):
    """With enough money it is off; below the floor it fills the wallet at once, and then it says when it is next."""
    assert room.command("cashier", "open", "play-money").returncode == 0
    rosa = new_player("rosa-e2e").enter()
    page = rosa.page
    page.click("#cashier")
    refill = page.locator("#refill")
    expect(refill).to_have_text("Refill to 1,000 for free")
    expect(refill).to_be_disabled()
    spent = room.command("cashier", "withdraw", "rosa-e2e", "9950", "--source", "play-money")
    assert spent.returncode == 0
    expect(refill).to_be_enabled()
    rosa.shot("cashier-refill")
    accessible(rosa, "the refill")
    refill.click()
    expect(page.locator("#cashier-wallet")).to_contain_text("1,000")
    expect(page.locator("dialog .requests li").first).to_contain_text("Free refill 950")
    expect(refill).to_be_disabled()
    assert room.command("cashier", "withdraw", "rosa-e2e", "990", "--source", "play-money").returncode == 0
    expect(page.locator("dialog .refill")).to_contain_text("The next refill is possible at")
    expect(refill).to_be_disabled()
    assert room.command("audit").returncode == 0


def test_the_cashier_on_a_phone(new_player, room):
    """The window fits, and its form is there."""
    assert room.command("cashier", "open", "cash").returncode == 0
    phone = new_player(**PHONE).enter()
    phone.page.click("#cashier")
    phone.page.locator("dialog form").wait_for()
    no_sideways_scrolling(phone)
    accessible(phone, "the cashier on a phone")
    phone.shot("phone-cashier")


def test_what_was_played_is_told_newest_first_and_step_by_step(new_player):
    """A hand is in the account's history once it is over, with its result, and can be stepped through to its end."""
    paul = new_player("paul-e2e").enter()
    page = paul.page
    page.click("#history")
    expect(page.locator("dialog")).to_contain_text("You have not played anything yet")
    page.keyboard.press("Escape")
    paul.sit_down("Home")
    paul.wait_for_turn()
    page.keyboard.press("f")
    paul.to_lobby()
    page.click("#history")
    # the window is open before the hand is over: its line comes by itself
    lines = page.locator("dialog .records tbody tr")
    expect(lines.first).to_be_visible(timeout=1000 * HAND_S)
    expect(lines.first).to_contain_text("Home: hand")
    expect(lines.first.locator(".sum")).to_have_text(re.compile(r"^(0|[+\u2212][\d.]+)$"))
    accessible(paul, "the history")
    paul.shot("account-history")
    lines.first.locator("button").click()
    replay = page.locator("dialog").last
    replay.get_by_role("button", name="Next step").click()
    replay.get_by_role("button", name="Go to the end").click()
    expect(replay.get_by_role("slider")).to_have_attribute(
        "aria-valuetext", re.compile(r"^Step (\d+) of \1$")
    )
    expect(replay.locator(".heap.won")).not_to_have_count(0)
    paul.shot("account-replay")
    accessible(paul, "the replay")
    replay.get_by_role("button", name="Download").click()
    with page.expect_download() as saved:
        page.locator("dialog").last.get_by_role("button", name="PokerStars").click()
    hand = saved.value.path().read_text()
    assert saved.value.suggested_filename.endswith(".txt")
    assert hand.startswith("PokerStars Hand #")
    assert "\nDealt to paul-e2e [" in hand
    expect(replay.get_by_role("button", name="Download")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Download hands").click()
    form = page.locator("#hands-form")
    accessible(paul, "the download of hands")
    form.get_by_label("To", exact=True).fill("2020-01-01")
    form.get_by_role("button", name="Download").click()
    expect(form).to_contain_text("Hands saved: 0.")
    form.get_by_label("To", exact=True).fill("")
    with page.expect_download() as saved:
        form.get_by_role("button", name="Download").click()
    assert saved.value.suggested_filename == "paul-e2e.txt"
    assert hand in saved.value.path().read_text()


def test_devices_are_logged_out_and_the_password_is_changed(new_player):
    """The other device is told why its connection ends, and the new password logs in."""
    sonja = new_player("sonja-e2e").enter()
    other = new_player("sonja-e2e")
    form = other.page.locator("pr-entrance form")
    form.locator(".tab").nth(1).click()
    form.locator("input[name=name]").fill("sonja-e2e")
    form.locator("input[name=password]").fill("correct horse")
    form.locator("button.primary").click()
    other.page.locator("pr-lobby tbody tr").first.wait_for()

    sonja.page.click("#settings")
    sonja.page.click("#security")
    dialog = sonja.page.locator("dialog").last
    expect(dialog.locator("tbody tr")).to_have_count(2)
    accessible(sonja, "security")
    sonja.shot("security")
    change = dialog.get_by_role("form", name="Change the password")
    change.locator("input[name=password]").fill("not my password")
    change.locator("input[name=new_password]").fill("battery staple")
    change.locator("button.primary").click()
    expect(dialog.locator("[role=alert]")).to_contain_text("present password is wrong")
    change.locator("input[name=password]").fill("correct horse")
    change.locator("button.primary").click()
    expect(dialog.locator("[role=status]")).to_contain_text("The password is changed")
    expect(dialog.locator("tbody tr")).to_have_count(1)
    other.page.locator("pr-entrance form").wait_for()


def test_a_recovery_code_sets_a_new_password(new_player):
    """The codes are shown once; one of them logs in at another device, with a new password."""
    rita = new_player("rita-e2e").enter()
    rita.page.click("#settings")
    rita.page.click("#security")
    form = rita.page.locator("#recovery-codes")
    form.locator("input[name=password]").fill("correct horse")
    form.locator("button").click()
    expect(form.locator("code")).to_have_count(10)
    accessible(rita, "recovery codes")
    code = form.locator("code").first.inner_text()

    other = new_player("rita-e2e")
    entrance = other.page.locator("pr-entrance form")
    entrance.locator(".tab").nth(1).click()
    other.page.click("#forgotten")
    entrance.locator("input[name=name]").fill("rita-e2e")
    entrance.locator("input[name=code]").fill(code.lower())
    entrance.locator("input[name=password]").fill("battery staple")
    entrance.locator("button.primary").click()
    other.page.locator("pr-lobby tbody tr").first.wait_for()
    rita.page.locator("pr-entrance form").wait_for()


def test_what_was_refused_does_not_stay_in_another_form(new_player):
    """Neither the refusal of a log-in, nor its password as the new one."""
    page = new_player().page
    form = page.locator("pr-entrance form")
    form.locator(".tab").nth(1).click()
    form.locator("input[name=name]").fill("unknown-e2e")
    form.locator("input[name=password]").fill("not my password")
    form.locator("button.primary").click()
    expect(form.locator(".problem")).to_contain_text("do not match")
    page.click("#forgotten")
    expect(form.locator(".problem")).to_be_empty()
    expect(form.locator("input[name=password]")).to_have_value("")
    expect(form.locator("input[name=name]")).to_have_value("unknown-e2e")


def test_a_log_in_asks_for_the_code_of_an_app(new_player):
    """The player scans a picture, confirms, and is asked at the next log-in."""
    vera = new_player("vera-e2e").enter()
    vera.page.click("#settings")
    vera.page.click("#security")
    form = vera.page.locator("#second-factor")
    form.locator("input[name=password]").fill("correct horse")
    form.locator("button").click()
    expect(form.locator("svg.qr")).to_be_visible()
    accessible(vera, "second factor")
    vera.shot("second-factor")
    secret = form.locator("code").inner_text()
    form.locator("input[name=password]").fill("correct horse")
    form.locator("input[name=code]").fill(pyotp.TOTP(secret).now())
    form.locator("button").click()
    expect(form).to_contain_text("a log-in asks for a code")

    other = new_player("vera-e2e")
    entrance = other.page.locator("pr-entrance form")
    entrance.locator(".tab").nth(1).click()
    entrance.locator("input[name=name]").fill("vera-e2e")
    entrance.locator("input[name=password]").fill("correct horse")
    entrance.locator("button.primary").click()
    entrance.locator("input[name=second]").fill(pyotp.TOTP(secret).at(int(time.time()), counter_offset=1))
    entrance.locator("button.primary").click()
    other.page.locator("pr-lobby tbody tr").first.wait_for()


def test_an_account_is_deleted(new_player):
    """With the password; then the player is at the entrance, and the name is free."""
    dora = new_player("dora-e2e").enter()
    dora.page.click("#settings")
    dora.page.click("#security")
    dialog, form = dora.page.locator("dialog").last, dora.page.locator("#delete-account")
    form.locator("input[name=password]").fill("not my password")
    form.locator("button").click()
    expect(dialog.locator("[role=alert]")).to_contain_text("present password is wrong")
    form.locator("input[name=password]").fill("correct horse")
    form.locator("button").click()
    dora.page.locator("pr-entrance form").wait_for()
    expect(dora.page.locator("dialog")).to_have_count(0)
    new_player("dora-e2e").enter()


def test_long_windows_on_a_phone(new_player):
    """In the longest language no window is wider than the page, and what is told is in view beside the form."""
    greta = new_player("greta-e2e", size=(360, 640), locale="de-DE").enter()
    page = greta.page
    dialog = page.locator("dialog").last
    wider = "dialog => [dialog, dialog.querySelector('.window-body')].map(each => each.scrollWidth - each.clientWidth)"
    page.click("#settings")
    assert dialog.evaluate(wider) == [0, 0]
    page.click("#security")
    assert dialog.evaluate(wider) == [0, 0]
    form = page.locator("#delete-account")
    form.locator("input[name=password]").fill("not my password")
    form.locator("button").click()
    expect(dialog.locator("[role=alert]")).to_be_in_viewport(ratio=1)
    expect(dialog.locator("[role=alert]")).to_contain_text("Passwort")
    close = dialog.get_by_role("button", name="Schließen")
    expect(close).to_be_in_viewport(ratio=1)
    told, head = dialog.locator("[role=alert]").bounding_box(), dialog.locator("header").bounding_box()
    assert told["y"] >= head["y"] + head["height"] - 1, "the head covers what is told"
    greta.shot("security-phone")
    close.click()
    page.click("#limits")
    assert dialog.evaluate(wider) == [0, 0]
    page.fill("#set-limit input", "x")
    page.locator("#set-limit button").click()
    expect(dialog.locator("[role=alert]")).to_be_in_viewport(ratio=1)
    greta.shot("limits-phone")


def test_a_player_sets_limits(new_player, room):
    """A lower one holds at once, a higher one waits; what is refused says what is left."""
    assert room.command("cashier", "open", "cash").returncode == 0
    lara = new_player("lara-e2e").enter()
    page = lara.page
    page.click("#settings")
    page.click("#limits")
    dialog = page.locator("dialog").last
    form = dialog.locator("#set-limit")
    line = dialog.locator("tbody tr").filter(has_text="Deposits per day")
    for value in ("20", "30"):
        form.locator("input").fill(value)
        form.locator("button").click()
        expect(dialog.locator("[role=status]")).to_have_text("Saved.")
        form.locator("input").fill("")
    expect(line.locator("td").first).to_contain_text("20 (30 can be confirmed from")
    form.locator("select").select_option("session_day")
    form.locator("input").fill("x")
    form.locator("button").click()
    expect(dialog.locator("[role=alert]")).to_contain_text("whole minutes")
    accessible(lara, "limits")
    lara.shot("limits")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.click("#cashier")
    page.fill("dialog input[name=amount]", "20.01")
    page.locator("dialog button.primary").click()
    expect(page.locator("dialog [role=alert]")).to_contain_text("“Deposits per day” leaves 20 until")
    page.keyboard.press("Escape")
    page.evaluate(
        "import('/app/room.js').then(({ room }) =>"
        " room.dispatchEvent(new CustomEvent('reality', { detail: { played_s: 4500, net: -1250 } })))"
    )
    dialog = page.locator("dialog").last
    expect(dialog).to_contain_text("You have played for 1 h 15 min today (UTC).")
    expect(dialog).to_contain_text("Lost today: 12.50")
    accessible(lara, "the reality check")
    page.click("#reality-read")
    expect(page.locator("dialog")).to_have_count(0)

    page.click("#settings")
    page.click("#limits")
    exclude = page.locator("#exclude")
    exclude.locator("select").select_option("half_year")
    exclude.locator("[name=password]").fill("a wrong password")
    exclude.locator("[name=sure]").check()
    exclude.locator("button").click()
    expect(page.locator("dialog [role=alert]").last).to_have_text("The present password is wrong.")
    exclude.locator("select").select_option("six_weeks")
    expect(exclude.locator("[name=password]")).to_have_count(0)
    exclude.locator("[name=sure]").check()
    exclude.locator("button").click()
    expect(page.locator("#excluded")).to_contain_text("You are excluded from play until")
    accessible(lara, "the exclusion")
    exclude.locator("select").select_option("day")
    exclude.locator("[name=sure]").check()
    exclude.locator("button").click()
    expect(page.locator("dialog [role=alert]").last).to_have_text(
        "You are excluded for longer than that already."
    )
    exclude.locator("select").select_option("ever")
    exclude.locator("[name=password]").fill("correct horse")
    exclude.locator("[name=sure]").check()
    exclude.locator("button").click()
    expect(page.locator("#excluded")).to_contain_text("You are excluded from play for ever.")
    expect(exclude).to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.click("#cashier")
    page.fill("dialog input[name=amount]", "1")
    page.locator("dialog button.primary").click()
    expect(page.locator("dialog [role=alert]")).to_contain_text("excluded from play")

"""What an account has beside its seats, in the browser: the cashier, and what it has played."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from tests.browser.test_looks import PHONE, accessible, no_sideways_scrolling


def test_the_cashier_asks_the_operator_and_tells_what_he_says(new_player, room):
    """No source, no request; a deposit is approved and a withdrawal refused, and both are told where they were asked."""
    olga = new_player("olga-e2e").enter()
    page = olga.page
    dialog = page.locator("dialog")
    page.click("#cashier")
    expect(dialog).to_contain_text("The operator has opened no way")
    page.keyboard.press("Escape")
    assert room.command("cashier", "open", "cash").returncode == 0
    assert room.command("cashier", "fund", "cash", "1000").returncode == 0
    page.locator(".bar .wallet").click()
    page.fill("dialog input[name=amount]", "0")
    dialog.locator("button.primary").click()
    expect(dialog.locator("[role=alert]")).to_contain_text("Write an amount")
    page.fill("dialog input[name=amount]", "12,50")
    dialog.locator("button.primary").click()
    waiting = dialog.locator(".requests .waiting")
    expect(waiting).to_have_count(1)
    expect(dialog.locator("[role=status]")).to_have_text("Deposit of 12.50: waiting for the operator")
    page.locator("dialog .choice").filter(has_text="Withdrawal").click()
    page.fill("dialog input[name=amount]", "20000")
    dialog.locator("button.primary").click()
    expect(dialog.locator("[role=alert]")).to_contain_text("does not hold that much")
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
    expect(dialog.locator(".requests li").first).to_contain_text("refused – not today")
    expect(dialog.locator("#cashier-wallet")).to_contain_text("10,012.50")
    page.keyboard.press("Escape")
    expect(page.locator(".bar .wallet")).to_have_text("10,012.50")


def test_the_cashier_on_a_phone(new_player, room):
    """The window fits, and its form is there."""
    assert room.command("cashier", "open", "cash").returncode == 0
    phone = new_player(**PHONE).enter()
    phone.page.click("#cashier")
    phone.page.locator("dialog form").wait_for()
    no_sideways_scrolling(phone)
    accessible(phone, "the cashier on a phone")
    phone.shot("phone-cashier")

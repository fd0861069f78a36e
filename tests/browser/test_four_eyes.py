"""A balance is put right in the console, with four eyes: one operator proposes it, another one approves."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from pokerroom.ledger.operators import Role
from tests.integration.support import running_room

CONFIG = """
[cashier]
source = "play-money"
fund = 100_000_000
four_eyes = true
[[tables]]
id = "home"
small_blind = 50
"""


@pytest.fixture(scope="module")
def room(browser, tmp_path_factory):
    """A room in which no operator moves money alone."""
    with running_room(tmp_path_factory.mktemp("eyes") / "data", CONFIG) as running:
        yield running


def wallet(desk, name):
    desk.open(f"#players/{name}")
    desk.page.locator(".facts").wait_for()
    return desk.page.locator(".facts").inner_text()


def test_a_balance_is_adjusted_by_two_operators(new_page, new_player, token, room):
    """The first one cannot approve it; the other one does, and the money moves once. The audit finds no difference."""
    new_player("Sibylle").enter()
    first, second = (new_page().open().sign_in(token(Role.CASHIER)) for _ in range(2))
    before = wallet(first, "Sibylle")
    first.page.get_by_role("button", name="Adjust the balance").click()
    first.page.fill("dialog input[name=amount]", "nothing")
    first.page.fill("dialog input[name=reason]", "a hand was void")
    first.page.locator("dialog button.primary").click()
    expect(first.page.locator("dialog .problem")).to_contain_text("Write an amount above 0")
    first.page.fill("dialog input[name=amount]", "12.50")
    first.page.locator("dialog button.primary").click()
    expect(first.page.locator(".notices")).to_contain_text("Adjust the balance: done for Sibylle.")
    assert wallet(first, "Sibylle") == before, "it is a proposal"
    first.open("#cashier")
    row = first.page.locator("tbody tr").filter(has_text="Sibylle")
    expect(row).to_contain_text("12.50")
    expect(row.get_by_role("button")).to_have_text(["Refuse"])

    second.open("#cashier")
    row = second.page.locator("tbody tr").filter(has_text="Sibylle")
    row.get_by_role("button", name="Approve").click()
    second.page.fill("dialog input[name=reason]", "the log shows it")
    second.page.locator("dialog button.primary").click()
    expect(second.page.locator(".notices")).to_contain_text(
        re.compile("Approve: done for Adjustment 1 of 12.50")
    )
    expect(row).to_have_count(0)
    assert wallet(second, "Sibylle") != before
    assert room.audit()["differences"] == 0


def test_money_is_taken_back_with_a_reason(new_page, new_player, token, room):
    """Without a reason the browser sends nothing; a proposal may be refused by the operator that made it."""
    new_player("Pythia").enter()
    desk = new_page((390, 844)).open().sign_in(token(Role.CASHIER))
    before = wallet(desk, "Pythia")
    desk.page.get_by_role("button", name="Adjust the balance").click()
    desk.page.fill("dialog input[name=amount]", "1")
    desk.page.check("dialog input[name=take]")
    desk.page.locator("dialog button.primary").click()
    expect(desk.page.locator("dialog input[name=reason]")).to_be_focused()
    desk.page.fill("dialog input[name=reason]", "paid twice")
    desk.page.locator("dialog button.primary").click()
    expect(desk.page.locator(".notices")).to_contain_text("Adjust the balance")
    desk.open("#cashier")
    row = desk.page.locator("tbody tr").filter(has_text="Pythia")
    expect(row).to_contain_text("\u22121")
    row.get_by_role("button", name="Refuse").click()
    desk.page.fill("dialog input[name=reason]", "a mistake")
    desk.page.locator("dialog button.primary").click()
    expect(row).to_have_count(0)
    assert wallet(desk, "Pythia") == before

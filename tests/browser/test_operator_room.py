"""The operators' console in a real browser at a real room."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from pokerroom.ledger.operators import Role
from tests.browser.console import FITS, PHONE
from tests.browser.test_axe import violations


def test_a_table_is_frozen_and_resumed(new_page, token):
    """An operator of the floor signs in, freezes a table with a reason, sees it frozen, and resumes it."""
    desk = new_page().open().sign_in(token(Role.FLOOR))
    expect(desk.page.locator(".bar .me")).to_contain_text("Floor")
    expect(desk.page.locator(".figures")).to_contain_text("1 / 1")
    desk.go("tables")
    desk.page.get_by_role("searchbox").fill("mixed")
    expect(desk.page.locator("tbody tr")).to_have_count(1)
    desk.page.get_by_role("link", name="Mixed").click()
    # two bots, and maybe a player of another test with a seat for a while
    expect(desk.page.locator("tbody tr").filter(has_text="Bot.")).to_have_count(2)
    assert desk.offered() == ["Freeze", "Close"]
    desk.order("Freeze", "broken felt")
    expect(desk.page.locator(".notices")).to_contain_text("Freeze: done for Mixed.")
    expect(desk.page.locator(".facts")).to_contain_text("Frozen")
    expect(desk.page.locator(".facts")).to_contain_text("an operator to resume it")
    assert desk.offered()[0] == "Resume"
    desk.order("Resume")
    expect(desk.page.locator(".facts .state")).not_to_have_text("Frozen")
    assert desk.page.locator(".bar nav").get_by_text("Log").count() == 0, "the log is the admin's"
    assert desk.page.evaluate("Object.keys(localStorage).length") == 0

    chief = new_page().open().sign_in(token(Role.ADMIN))
    chief.go("log")
    row = chief.page.locator("tbody tr").filter(has_text="broken felt").first
    expect(row).to_contain_text("table.freeze")


def test_a_viewer_looks_and_orders_nothing(new_page, token):
    """No order is offered; one that is sent all the same is refused in words."""
    desk = new_page().open().sign_in(token(Role.VIEWER))
    desk.go("tables")
    desk.page.get_by_role("link", name="Duel").click()
    desk.page.locator(".facts").wait_for()
    assert desk.offered() == []
    told = desk.page.evaluate(
        """async () => {
          const token = sessionStorage.getItem("pokerroom.operator");
          const headers = { Authorization: `Bearer ${token}` };
          const answer = await fetch("/v1/tables/duel/freeze", { method: "POST", headers });
          return [answer.status, (await answer.json()).code];
        }"""
    )
    assert told == [403, "not_permitted"]


def test_a_deposit_is_approved(new_page, new_player, room, token):
    """A player asks for money; the cashier finds the request, approves it with a note, and sees the wallet grow."""
    assert room.command("cashier", "open", "play-money").returncode == 0
    player = new_player("Kassandra").enter()
    player.page.click("#cashier")
    player.page.locator("dialog select[name=source]").select_option("play-money")
    player.page.locator("dialog input[name=amount]").fill("12.50")
    player.page.locator("dialog form button.primary").click()
    player.page.locator("dialog .requests .waiting").wait_for()
    player.page.keyboard.press("Escape")

    desk = new_page().open().sign_in(token(Role.CASHIER))
    desk.go("cashier")
    row = desk.page.locator("tbody tr").filter(has_text="Kassandra")
    expect(row).to_contain_text("12.50")
    desk.page.get_by_role("link", name="Kassandra").click()
    before = desk.page.locator(".facts").inner_text()
    offered = ["Adjust the balance", "Write a note", "Give a ticket"]
    assert desk.offered() == offered, "the others are the support's"
    desk.go("cashier")
    row.get_by_role("button", name="Approve").click()
    desk.page.locator("dialog input[name=note]").fill("Have fun")
    desk.page.locator("dialog input[name=reason]").fill("paid at the desk")
    desk.page.locator("dialog button.primary").click()
    expect(desk.page.locator(".notices")).to_contain_text("Approve: done for Deposit")
    expect(row).to_have_count(0)
    desk.page.get_by_role("checkbox").check()
    expect(row).to_contain_text("Have fun")
    desk.go("players")
    desk.page.get_by_role("searchbox").fill("kassandra")
    desk.page.keyboard.press("Enter")
    desk.page.locator(".facts").wait_for()
    assert desk.page.locator(".facts").inner_text() != before
    moved = desk.page.locator("section", has=desk.page.get_by_role("heading", name="Transfers")).locator(
        "tbody tr"
    )
    expect(moved.first).to_contain_text("Deposit")
    expect(moved.first).to_contain_text("+12.50")
    expect(moved.last).to_contain_text("Account opened")
    desk.page.get_by_role("button", name="Write a note").click()
    desk.page.get_by_label("Note", exact=True).fill("paid in cash at noon")
    desk.page.locator("dialog button.primary").click()
    noted = desk.page.locator("section", has=desk.page.get_by_role("heading", name="Notes")).locator(
        "tbody tr"
    )
    expect(noted).to_contain_text("paid in cash at noon")
    told = json.loads(room.command("account", "notes", "kassandra", "--json").stdout)
    assert [note["text"] for note in told] == ["paid in cash at noon"]


def test_a_player_is_helped(new_page, new_player, token):
    """The support finds a player by how the name begins, gives a recovery code, ends the log-ins, and renames."""
    new_player("Melusine").enter()
    new_player("Melchior").enter()
    desk = new_page().open().sign_in(token(Role.SUPPORT))
    desk.go("players")
    desk.page.get_by_role("searchbox").fill("mel")
    desk.page.keyboard.press("Enter")
    desk.page.locator(".found").get_by_role("link", name="Melusine").click()
    log_ins = desk.page.locator("section", has=desk.page.get_by_role("heading", name="Log-ins")).locator(
        "tbody tr"
    )
    expect(log_ins).to_have_count(1)
    offered = [
        "Lock",
        "Mute",
        "Log out everywhere",
        "Recovery code",
        "Rename",
        "Exclude from play",
        "Write a note",
    ]
    assert desk.offered() == offered
    desk.order("Recovery code", "forgot the password")
    expect(desk.page.locator("dialog .secret")).to_have_text(re.compile(r"^\S{8,}$"))
    desk.page.locator("dialog .primary").click()
    desk.order("Log out everywhere", "shared phone")
    expect(desk.page.locator(".page")).to_contain_text("logged in nowhere")
    desk.page.locator(".orders").get_by_role("button", name="Rename").click()
    desk.page.locator("dialog input[name=new_name]").fill("melchior")
    desk.page.locator("dialog button.primary").click()
    expect(desk.page.locator("dialog input[name=reason]")).to_be_focused()
    desk.page.locator("dialog input[name=reason]").fill("asked for another name")
    desk.page.locator("dialog button.primary").click()
    expect(desk.page.locator("dialog .problem")).to_contain_text("Another player has this name")
    desk.page.locator("dialog input[name=new_name]").fill("Undine")
    desk.page.locator("dialog button.primary").click()
    desk.page.locator(".found").wait_for()
    desk.page.get_by_role("searchbox").fill("undine")
    desk.page.keyboard.press("Enter")
    expect(desk.page.locator("h1")).to_have_text("Undine")


def test_a_player_is_muted(new_page, new_player, room, token):
    """The player reads until when within ten seconds, and cannot chat. The order to give it back is offered."""
    player = new_player("Undulna").enter()
    desk = new_page().open().sign_in(token(Role.SUPPORT))
    desk.open("#players/Undulna")
    desk.page.locator(".facts").wait_for()
    desk.page.locator(".orders").get_by_role("button", name="Mute").click()
    desk.page.fill("dialog input[name=minutes]", "30")
    desk.page.fill("dialog input[name=reason]", "insults")
    desk.page.locator("dialog button.primary").click()
    expect(desk.page.locator(".facts")).to_contain_text("Until")
    assert "Let chat again" in desk.offered()
    muted = player.page.locator(".notices").get_by_text("An operator has taken your right to chat until")
    expect(muted).to_have_count(1, timeout=15_000)
    player.page.reload()
    expect(muted).to_have_count(1)
    player.row("Home").get_by_role("button", name="Watch").click()
    player.page.locator(".talk input").fill("still here")
    player.page.locator(".talk form button").click()
    expect(muted).to_have_count(2)
    assert "may not chat until" in room.command("account", "show", "Undulna").stdout
    desk.order("Let chat again", "sorry")
    expect(desk.page.locator(".facts")).not_to_contain_text("Until")


def test_an_announcement_is_read_in_the_lobby_and_withdrawn(new_page, new_player, token):
    """Within ten seconds, also by a player that comes later; withdrawn, it is gone."""
    player = new_player("Zuhoererin", bypass_csp=True).enter()
    desk = new_page().open().sign_in(token(Role.FLOOR))
    desk.page.get_by_role("button", name="Announce").click()
    desk.page.fill("dialog input[name=text]", "The room restarts at 23:00 UTC.")
    desk.page.fill("dialog input[name=minutes]", "30")
    desk.page.locator("dialog button.primary").click()
    row = desk.page.locator("section tr", has_text="restarts at 23:00")
    expect(row).to_contain_text("Is told")
    read = player.page.locator(".announcements")
    expect(read).to_have_text("The room restarts at 23:00 UTC.", timeout=15_000)
    assert violations(player.page) == []
    assert player.page.evaluate(FITS)
    later = new_player("Nachzuegler").enter()
    expect(later.page.locator(".announcements")).to_have_text("The room restarts at 23:00 UTC.")
    later.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert later.page.evaluate(FITS)
    later.shot("announcement-phone")
    player.shot("announcement")
    row.get_by_role("button", name="Withdraw").click()
    desk.page.locator("dialog button.primary").click()
    expect(row).to_contain_text("Over")
    expect(read).to_have_count(0, timeout=15_000)


def test_a_player_is_excluded(new_page, new_player, token):
    """The window asks for the days first. On a phone held sideways its button is on the screen."""
    new_player("Loreley").enter()
    desk = new_page((844, 390)).open().sign_in(token(Role.SUPPORT))
    desk.open("#players/Loreley")
    desk.page.locator(".facts").wait_for()
    desk.page.locator(".orders").get_by_role("button", name="Exclude from play").click()
    expect(desk.page.locator("dialog input[name=days]")).to_be_focused()
    give = desk.page.locator("dialog button.primary")
    expect(give).to_be_in_viewport(ratio=1)
    desk.page.fill("dialog input[name=days]", "0")
    give.click()
    expect(desk.page.locator("dialog")).to_have_count(1)
    desk.page.fill("dialog input[name=days]", "7")
    desk.page.fill("dialog input[name=reason]", "asked for it")
    give.click()
    expect(desk.page.locator(".notices")).to_contain_text("Exclude from play: done for Loreley.")
    expect(desk.page.locator(".facts")).to_contain_text("Until")


def test_a_token_that_is_wrong_or_revoked_is_told_in_words(new_page, room, token):
    """The operator is asked for another one, and nothing of the room stays on the page; signing out does the same."""
    desk = new_page().open()
    desk.page.fill(".sign-in input", "pko_guessed")
    desk.page.click(".sign-in .primary")
    expect(desk.page.get_by_role("alert")).to_contain_text("unknown, expired or revoked")
    desk.sign_in(token(Role.VIEWER))
    name = desk.page.locator(".bar .me strong").inner_text()
    desk.page.reload()
    expect(desk.page.locator(".bar .me strong")).to_have_text(name)
    assert room.command("operator", "revoke", name).returncode == 0
    expect(desk.page.get_by_role("alert")).to_contain_text("unknown, expired or revoked")
    expect(desk.page.locator(".page")).to_have_count(0)
    desk.sign_in(token(Role.VIEWER))
    desk.page.click("#sign-out")
    desk.page.locator(".sign-in").wait_for()
    assert desk.page.evaluate("sessionStorage.length") == 0
    desk.page.reload()
    desk.page.locator(".sign-in").wait_for()


def test_an_offer_is_changed_in_the_browser_and_holds_at_once(new_page, new_player, room, token):
    """What the settings would refuse is named in the window; players are shown the new terms without a restart."""
    desk = new_page().open().sign_in(token(Role.ADMIN))
    desk.go("tournaments")
    desk.page.get_by_role("button", name="New offer").click()
    desk.page.fill("dialog input[name=offer]", "evening")
    desk.page.fill("dialog textarea", '{"seats": 1, "buy_in": 700, "payout": "standard", "speed": "turbo"}')
    desk.page.get_by_role("button", name="Make the offer").click()
    expect(desk.page.locator("dialog .problem")).to_contain_text("seats: should be from 2")
    desk.page.fill("dialog textarea", '{"seats": 2, "buy_in": 700, "payout": "standard", "speed": "turbo"}')
    desk.page.fill("dialog input[name=reason]", "a quiet evening")
    desk.page.locator("dialog button.primary").click()
    expect(desk.page.locator("dialog")).to_have_count(0)
    row = desk.page.locator("tr", has_text="evening")
    expect(row.get_by_role("cell", name="7", exact=True)).to_be_visible()
    shown = json.loads(room.command("offer", "show", "evening", "--json", port=room.ops_port).stdout)
    assert (shown["is_offered"], shown["ordered"]["reason"]) == (True, "a quiet evening")
    with room.tcp() as client:
        client.enter("evening_guest")
        assert "evening" in {one["offer"] for one in client.ask("list_sit_and_gos")["sit_and_gos"]}
    row.get_by_role("button", name="Retire").click()
    desk.page.locator("dialog button.primary").click()
    expect(row).to_contain_text("Retired")


def test_a_webhook_is_added_tested_and_removed(new_page, room, token):
    """The room says what is wrong with an address; the secret is shown once, and the test message arrives."""
    with received() as (url, messages):
        desk = new_page().open().sign_in(token(Role.ADMIN))
        desk.go("webhooks")
        desk.page.get_by_role("button", name="New webhook").click()
        desk.page.fill("dialog input[name=url]", "https://10.0.0.1/hook")
        desk.page.get_by_role("checkbox", name="Hand ended").check()
        desk.page.get_by_role("checkbox", name="Significant event").check()
        desk.page.get_by_role("button", name="Add the webhook").click()
        expect(desk.page.locator("dialog .problem")).to_contain_text("10.0.0.1 is private")
        desk.page.fill("dialog input[name=url]", url)
        desk.page.fill("dialog input[name=big_win]", "1,50")
        desk.page.get_by_role("button", name="Add the webhook").click()
        expect(desk.page.locator("dialog .secret")).to_have_text(re.compile("^whsec_"))
        secret = desk.page.locator("dialog .secret").inner_text()
        desk.page.locator("dialog .primary").click()
        (made,) = json.loads(room.command("webhook", "list", "--json", port=room.ops_port).stdout)
        assert (made["url"], made["kinds"], made["big_win"]) == (url, ["hand.ended", "significant"], 150)
        desk.page.locator("th a").click()
        desk.page.locator(".facts").wait_for()
        assert secret not in desk.page.content()
        desk.order("Test", "does it work")
        expect(desk.page.locator(".notices")).to_contain_text("The endpoint took the message: HTTP 200")
        assert "test" in {message["type"] for message in messages}
        expect(desk.page.locator(".facts")).to_contain_text("Hand ended, Significant event")
        desk.order("Switch off")
        expect(desk.page.locator(".facts .state")).to_have_text("Off: by order")
        desk.order("Remove", "over")
        expect(desk.page.locator(".page")).to_contain_text("The room tells no program")


@contextmanager
def received() -> Iterator[tuple[str, list[Any]]]:
    """Take messages at an address of this machine."""
    messages: list[Any] = []

    class Taker(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            messages.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Taker) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/hook", messages
        server.shutdown()
        serving.join()


def test_a_report_is_shown_and_saved(new_page, room, token, tmp_path):
    """The rake of a table that the command line tells, too; the file has all lines, the page one part of them."""
    desk = new_page().open("#reports/events").sign_in(token(Role.ADMIN))
    desk.page.locator(".page select").select_option("activity")
    rows = desk.page.locator(".records tbody tr")
    expect(rows).to_have_count(31)
    told = json.loads(room.command("report", "activity", "--json").stdout)
    expect(rows.first).to_contain_text(told[0]["day"])
    desk.page.fill("input[name=since]", "2025-01-02")
    desk.page.fill("input[name=until]", "2026-01-02")
    desk.page.get_by_role("button", name="Show").click()
    expect(rows).to_have_count(50)
    desk.page.get_by_role("button", name="Further").click()
    expect(rows.first).to_contain_text("2025-11-13")
    with desk.page.expect_download() as saved:
        desk.page.get_by_role("button", name="Save as CSV").click()
    assert saved.value.suggested_filename == "activity-2025-01-02-2026-01-02.csv"
    lines = Path(saved.value.path()).read_text(encoding="utf-8").splitlines()
    assert lines[0] == "day,players,new_accounts,hands,tournament_hands,rounds,entries"
    assert [lines[1][:10], lines[-1][:10], len(lines)] == ["2026-01-02", "2025-01-02", 367]
    desk.page.fill("input[name=since]", "2024-12-31")
    desk.page.get_by_role("button", name="Show").click()
    expect(desk.page.get_by_role("alert").first).to_contain_text("a year at most")

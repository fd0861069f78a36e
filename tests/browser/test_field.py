"""A tournament of two tables in the browser: its window, a move to another table, and the end."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from contextlib import suppress

from playwright.sync_api import expect

from pokerroom_protocol import ConnectionEnded, PokerClient, RequestRefused
from pokerroom_protocol import messages as m
from tests.browser.players import STEP_S
from tests.browser.test_looks import accessible, no_sideways_scrolling
from tests.browser.test_other_games import tab

SOON_S = 90


async def shove(port: int, name: str) -> None:
    """Register for the field, and go all-in at every turn, at whichever table the seat is."""
    client = await PokerClient.connect("127.0.0.1", port, pause=False)
    await client.request(m.Register(id=0, name=name, password="correct horse"), m.Authenticated)
    await client.request(m.RegisterSng(id=0, offer="field"), m.SngRegistered)
    with suppress(ConnectionEnded):
        async for happened in client:
            if isinstance(happened, m.SngStarted):
                await client.request(m.Observe(id=0, table=happened.table), m.Snapshot)
            for table in list(client.session.tables.values()):
                turn = table.hand.turn if table.hand else None
                if table.hand and turn and turn.seat == table.your_seat:
                    await decide(client, table.table, table.hand.hand_id, turn)
            is_out = isinstance(happened, m.PlayerPlaced) and happened.name == name
            if is_out or isinstance(happened, m.TournamentEnded):
                break
    client.close()


async def shovers(port: int) -> None:
    """The five others of the field."""
    await asyncio.gather(*(shove(port, f"shover{n}-e2e") for n in range(5)))


async def decide(client: PokerClient, table: str, hand_id: str, turn: m.TurnView) -> None:
    """All-in, or else a call."""
    action, amount = "check" if turn.check else "call", None
    if turn.max_raise_to is not None:
        action, amount = "raise" if turn.call_amount else "bet", turn.max_raise_to
    with suppress(RequestRefused):  # the big blind raises where no player has bet: the room says so
        act = m.Act(id=0, table=table, hand_id=hand_id, seq=turn.seq, action=action, amount=amount)
        await client.request(act, m.Ok)
        return
    with suppress(RequestRefused):
        await client.request(
            m.Act(id=0, table=table, hand_id=hand_id, seq=turn.seq, action="check" if turn.check else "call"),
            m.Ok,
        )


def test_a_player_moves_with_the_field_and_plays_to_its_end(new_player, room):
    """The window shows the field; the new table takes the place of the old one by itself, with a notice."""
    nora = new_player("nora-e2e").enter()
    page = nora.page
    tab(nora, "Sit-and-gos")
    page.get_by_role("button", name="Register: Field").click()
    others = threading.Thread(target=lambda: asyncio.run(shovers(room.game_port)), daemon=True)
    others.start()
    bar = page.locator(".tournament")
    bar.wait_for(timeout=60_000)
    heading = page.locator(".table-head h2")
    expect(heading).to_have_text(re.compile(r"Field #\d+ · Table [12]"), timeout=15_000)
    bar.get_by_role("button", name="Details").click()
    window = page.locator("dialog")
    expect(window.locator(".figures")).to_contain_text("of 6")
    window.get_by_role("button", name="Tables").click()
    expect(window.locator(".ranks tbody tr").first).to_contain_text("Table 1")
    accessible(nora, "the window of a tournament")
    nora.shot("field-window")
    page.keyboard.press("Escape")
    notices = page.locator(".notices")
    give_up = time.monotonic() + SOON_S
    while not notices.get_by_text(re.compile("You were moved to table|You are at the final table")).count():
        assert time.monotonic() < give_up, "the player does not move"
        if nora.is_asked():
            page.keyboard.press("f")
        time.sleep(STEP_S)
    nora.shot("field-moved")
    expect(page.locator("pr-table")).to_have_count(1)
    expect(page.locator(".place.own")).to_have_count(1)
    ended = page.locator(".tournament-end, .dock .status").get_by_text(re.compile("is over|You finished"))
    give_up = time.monotonic() + SOON_S
    while not ended.count():
        assert time.monotonic() < give_up, "it does not end"
        if nora.is_asked():
            for key in ("a", "r", "c"):
                page.keyboard.press(key)
        time.sleep(STEP_S)
    bar.get_by_role("button", name="Details").click()
    expect(window.locator(".figures")).to_contain_text("Your place", timeout=15_000)
    page.set_viewport_size({"width": 360, "height": 640})
    no_sideways_scrolling(nora)
    nora.shot("field-end-phone")
    others.join(SOON_S)
    assert not others.is_alive()

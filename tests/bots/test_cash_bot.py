"""A bot's way to its seat: which refusals it tries again, with a link that answers what was laid ready."""

from __future__ import annotations

import asyncio

import pytest

from pokerroom.bots import swarm_client as guest_module
from pokerroom.bots.cash_bot import CashBot
from pokerroom.bots.cash_player import CashAssignment
from pokerroom.bots.swarm_client import BotAccount, BotFailed, Reconnect, SwarmContext
from pokerroom.bots.table_bot import StartBarrier
from pokerroom.bots.tally import SwarmTally, TableWatch
from pokerroom_protocol import Code
from pokerroom_protocol import messages as m
from tests.bots.support import TABLE, PaperLink, on_a_loop


def seated_bot(wallet: int) -> CashBot:
    """A bot of an account that has played before, about to sit down with 4,000."""
    room = SwarmContext(
        host="",
        port=0,
        tally=SwarmTally(),
        new_name=lambda: "x",
        delay_s=lambda: 0.0,
        registering=asyncio.Semaphore(1),
    )
    bot = CashBot(
        room, StartBarrier(0), CashAssignment(name=TABLE, buy_in=4_000, watch=TableWatch(TABLE)), seed=1
    )
    bot.wallet = wallet
    bot.account = BotAccount("x", "secret", "token")
    return bot


@on_a_loop
async def test_a_bot_that_must_bring_back_more_comes_as_another_account():
    """A seat that was lost with a large stack is not to be had for less: a race that a new account ends."""
    bot, link = seated_bot(wallet=50_000), PaperLink()
    link.ready = [Code.BRING_BACK]

    with pytest.raises(Reconnect):
        await bot.sit_down(link)

    assert bot.account is None
    assert dict(bot.tally.races) == {Code.BRING_BACK: 1}
    assert bot.tally.errors.total() == 0


def test_a_seat_that_a_client_holds_is_asked_for_again(monkeypatch):
    """Holds and waiting lists of other clients are races; a refusal of another kind ends the bot."""

    async def scenario(*codes):
        bot, link = seated_bot(wallet=50_000), PaperLink()
        link.ready = list(codes)
        with pytest.raises(BotFailed) as failed:
            await bot.sit_down(link)
        return failed.value.code, dict(bot.tally.races), len(link.sent)

    async def at_once(_seconds):
        pass

    monkeypatch.setattr(guest_module.asyncio, "sleep", at_once)
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        code, races, asked = runner.run(scenario(Code.SEAT_HELD, Code.WAITING_LIST, Code.NO_SUCH_SEAT))

    assert (code, asked) == (Code.NO_SUCH_SEAT, 3)
    assert races == {Code.SEAT_HELD: 1, Code.WAITING_LIST: 1}


def test_sit_down_is_what_is_asked():
    """The request names the table and the buy-in, and posts at once."""

    async def scenario():
        bot, link = seated_bot(wallet=50_000), PaperLink()
        link.ready = [Code.NO_SUCH_SEAT]
        with pytest.raises(BotFailed):
            await bot.sit_down(link)
        return link.sent

    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        [request] = runner.run(scenario())

    assert request == m.SitDown(id=1, table=TABLE, buy_in=4_000, seat=None, post=True)

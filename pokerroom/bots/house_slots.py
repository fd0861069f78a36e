"""The slots of house bots: a slot is a bot's name and account, and the bot that plays under it now, if any."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

import structlog

from pokerroom.bots.house_turns import OutOfMoney
from pokerroom_protocol import ConnectionEnded, RequestRefused

REST_S: Final = 10.0
"""How long a bot pauses after a refusal or a lost connection."""

_NAMES: Final = (
    "Ada", "Bea", "Cleo", "Dora", "Edda", "Fay", "Gus", "Hugo", "Ida", "Jan", "Kaja", "Leo", "Mia", "Nils", "Ola",
    "Pia", "Quin", "Rita", "Sven", "Tom", "Una", "Vito", "Wanda", "Xeno", "Yara", "Zoe",
)  # fmt: skip

_log = structlog.get_logger()

Bot = TypeVar("Bot")


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseBotsContext:
    """What the house bots need. `enter` returns the session token of a bot's account.

    `may_play` tells whether this process runs the bots now. `prefix` begins the names of all bots. `think_ms` is the
    shortest delay of a decision.
    """

    host: str
    port: int
    prefix: str
    think_ms: int
    enter: Callable[[str], Awaitable[str]]
    may_play: Callable[[], bool]
    seed: int = field(default_factory=lambda: secrets.randbits(64))


@dataclass(slots=True)
class BotSlot(Generic[Bot]):
    """One bot; it keeps its name. `generation` counts the accounts that ran out of money."""

    number: int
    generation: int = 0
    rests_until: float = 0.0
    found: bool = False
    """Whether the bot has checked for a seat from an earlier run: a room may have ended with bots at its tables."""
    bot: Bot | None = None
    task: asyncio.Task[None] | None = None

    def name(self, prefix: str) -> str:
        """Return the name of the bot's account."""
        again, letter = divmod(self.number, len(_NAMES))
        parts = [_NAMES[letter] + (str(again + 1) if again else "")]
        if self.generation:
            parts.append(str(self.generation + 1))
        return prefix + ".".join(parts)

    def is_free(self) -> bool:
        """Whether a bot may begin now."""
        return self.bot is None and self.rests_until <= asyncio.get_running_loop().time()

    def send(
        self, context: HouseBotsContext, bot: Bot, run: Callable[[str], Coroutine[Any, Any, None]]
    ) -> None:
        """Begin one stay of a bot: `run` it with the token of the slot's account."""
        self.bot = bot
        self.task = asyncio.get_running_loop().create_task(self._run(context, run))

    async def _run(self, context: HouseBotsContext, run: Callable[[str], Coroutine[Any, Any, None]]) -> None:
        try:
            await run(await context.enter(self.name(context.prefix)))
            self.found = True
        except OutOfMoney:
            self.generation += 1
        except (OSError, ConnectionEnded, RequestRefused) as failure:
            self.rests_until = asyncio.get_running_loop().time() + REST_S
            reason = getattr(failure, "code", type(failure).__name__)
            _log.info("house_bots.bot_paused", bot=self.number, reason=reason)
        except Exception as failure:  # noqa: BLE001 -- a fault of one bot, or of the ledger, must not end the other bots
            self.rests_until = asyncio.get_running_loop().time() + REST_S
            _log.warning("house_bots.bot_failed", bot=self.number, exc_info=failure)
        finally:
            self.bot = self.task = None


async def drop(slots: list[BotSlot[Any]]) -> None:
    """End the connections of all bots, which keep their seats."""
    tasks = [slot.task for slot in slots if slot.task is not None]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for slot in slots:
        slot.found = False

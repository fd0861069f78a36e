"""Chat at one table: length, rate, and permission to speak.

All viewers of the table may speak, seated or not. Knows no hands and no seats.
"""

from __future__ import annotations

from twisted.internet.interfaces import IReactorTime

from pokerroom.table.announcer import Announcer
from pokerroom.table.api import ActorSettings
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Viewer, public
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

BURST_MIN = 3
"""The minimum burst of messages; it is a quarter of the rate per minute if that is more [D]."""

_MINUTE = 60_000


class ChatAllowance:
    """A token bucket per account: `per_minute` (at least 1) on average, with a burst.

    Whole numbers: a message costs the milliseconds of a minute, and each millisecond earns `per_minute`. Only buckets
    that are not full are kept, so an account that was silent for a while uses no memory.
    """

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._burst = max(BURST_MIN, per_minute // 4) * _MINUTE
        self._spent: dict[int, tuple[int, int]] = {}
        """What was missing from each account's bucket, and when (milliseconds)."""

    def take(self, account: int, now_ms: int) -> bool:
        """Return whether the account may speak now, and count the message if so."""
        missing = self._missing(account, now_ms) + _MINUTE
        if missing > self._burst:
            return False
        self._spent[account] = missing, now_ms
        return True

    def wait_ms(self, account: int, now_ms: int) -> int:
        """Return the time until the account may speak; 0 if it may now."""
        over = self._missing(account, now_ms) + _MINUTE - self._burst
        return max(0, -(-over // self._per_minute))

    def forget_full(self, now_ms: int) -> None:
        """Drop the full buckets: those of accounts that have been silent, or gone, for long enough.

        A bucket that is not full outlives its account's connection, so that reconnecting does not fill it.
        """
        for account in [account for account in self._spent if not self._missing(account, now_ms)]:
            del self._spent[account]

    def __len__(self) -> int:
        """Return the number of kept buckets."""
        return len(self._spent)

    def _missing(self, account: int, now_ms: int) -> int:
        missing, at_ms = self._spent.get(account, (0, now_ms))
        return max(0, missing - (now_ms - at_ms) * self._per_minute)


class TableChat:
    """The chat of one table."""

    def __init__(self, settings: ActorSettings, announcer: Announcer, clock: IReactorTime) -> None:
        self._announcer = announcer
        self._settings = settings
        self._clock = clock
        self.allowance = ChatAllowance(settings.chat_per_minute)

    def say(self, viewer: Viewer, message: wire.Chat) -> None:
        """Send the message to all viewers of the table."""
        refused = self._refused(viewer, message)
        if refused is not None:
            code, sentence, wait_ms = refused
            self._announcer.refuse(viewer, message, code, sentence, retry_after_ms=wait_ms)
            return
        said = wire.ChatSaid(
            table=self._settings.table, seq=self._announcer.next_seq(), name=viewer.name, text=message.text
        )
        self._announcer.tell(public(said), answers=[(viewer, Outgoing(wire.Ok(re=message.id)))])

    def gone(self) -> None:
        """Drop full buckets, when a viewer has left the table."""
        self.allowance.forget_full(self._now_ms())

    def _refused(self, viewer: Viewer, message: wire.Chat) -> tuple[Code, str, int | None] | None:
        length_max = self._settings.chat_length_max
        if not self._announcer.outbox.watches(viewer):
            return Code.NOT_OBSERVING, Code.NOT_OBSERVING.sentence, None
        if not length_max:
            return Code.CHAT_OFF, Code.CHAT_OFF.sentence, None
        if len(message.text) > length_max:
            return Code.BAD_MESSAGE, f"At this table a message has at most {length_max} characters.", None
        account = viewer.account
        assert account is not None  # a session passes table messages only when it is logged in
        now_ms = self._now_ms()
        self.allowance.forget_full(now_ms)
        if not self.allowance.take(account, now_ms):
            return Code.RATE_LIMITED, Code.RATE_LIMITED.sentence, self.allowance.wait_ms(account, now_ms)
        return None

    def _now_ms(self) -> int:
        return int(self._clock.seconds() * 1000)

"""Chat at one table: length, rate, and permission to speak.

Everybody who watches the table may speak, seated or not. Knows no hands and no seats.
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
"""At least so many messages may be said at once, else a quarter of what is allowed in a minute [D]."""

_MINUTE = 60_000


class ChatAllowance:
    """A token bucket per account: `per_minute` (at least 1) on the average, a burst of some at once.

    Counted in whole numbers: a message costs a minute's milliseconds, and each millisecond earns `per_minute`. Only
    buckets that are not full are kept, so who has been silent for a while costs nothing.
    """

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._burst = max(BURST_MIN, per_minute // 4) * _MINUTE
        self._spent: dict[int, tuple[int, int]] = {}
        """By account: what was missing from its bucket, and when (milliseconds)."""

    def take(self, account: int, now_ms: int) -> bool:
        """Whether the account may speak now; if so, that is counted."""
        missing = self._missing(account, now_ms) + _MINUTE
        if missing > self._burst:
            return False
        self._spent[account] = missing, now_ms
        return True

    def forget_full(self, now_ms: int) -> None:
        """Drops the buckets that are full again, as those are of who has gone, or has been silent, for long enough.

        One that is not full outlives its owner's connection: else he would only have to reconnect.
        """
        for account in [account for account in self._spent if not self._missing(account, now_ms)]:
            del self._spent[account]

    def __len__(self) -> int:
        """How many buckets are kept."""
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
        """Tells everybody at the table."""
        refused = self._refused(viewer, message)
        if refused is not None:
            self._announcer.refuse(viewer, message, *refused)
            return
        said = wire.ChatSaid(
            table=self._settings.table, seq=self._announcer.next_seq(), name=viewer.name, text=message.text
        )
        self._announcer.tell(public(said), answers=[(viewer, Outgoing(wire.Ok(re=message.id)))])

    def gone(self) -> None:
        """Somebody does not watch any more: nothing is kept of who has said nothing for a while."""
        self.allowance.forget_full(self._now_ms())

    def _refused(self, viewer: Viewer, message: wire.Chat) -> tuple[Code, str] | None:
        length_max = self._settings.chat_length_max
        if not self._announcer.outbox.watches(viewer):
            return Code.NOT_OBSERVING, Code.NOT_OBSERVING.sentence
        if not length_max:
            return Code.CHAT_OFF, Code.CHAT_OFF.sentence
        if len(message.text) > length_max:
            return Code.BAD_MESSAGE, f"At this table a message has at most {length_max} characters."
        account = viewer.account
        assert account is not None  # a session passes table messages only when it is logged in
        now_ms = self._now_ms()
        self.allowance.forget_full(now_ms)
        if not self.allowance.take(account, now_ms):
            return Code.RATE_LIMITED, Code.RATE_LIMITED.sentence
        return None

    def _now_ms(self) -> int:
        return int(self._clock.seconds() * 1000)

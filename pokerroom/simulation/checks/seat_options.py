"""Check that the options of a seat are those that its player has set last, over hands, restarts and sittings.

Each `ok` holds: a straddle is posted or not, a beaten hand shown or not, and a stack topped up to the amount as the
option says. Every snapshot tells its viewer the same options. A new sitting begins with the defaults.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pokerroom.simulation.checks.checker import CheckContext, Checker, Key, Sitting
from pokerroom.simulation.checks.choices import PlayersChoice
from pokerroom.simulation.checks.settings import CheckedSettings
from pokerroom.simulation.checks.violation import Kind
from pokerroom_protocol import messages as wire

ASKED_MS = 300_000
"""A top-up is booked or refused within this."""

SENT_MS = 10_000
"""A snapshot is at most so old when it leaves the room, while nothing is away."""


class OptionChecker(Checker):
    """All cash tables."""

    def __init__(self, context: CheckContext) -> None:
        super().__init__(context)
        self._straddles: dict[Sitting, PlayersChoice[bool]] = {}
        self._mucks: dict[Sitting, PlayersChoice[bool]] = {}
        self._top_ups: dict[Sitting, PlayersChoice[int]] = {}
        self._asked_more: dict[Sitting, int] = {}
        """When the player has asked for a top-up last."""

    # --- what players set -------------------------------------------------------------------------------------

    def reached(self, account: int | None, key: Key, request: wire.Request) -> None:
        """A request has reached the room."""
        if account is None:
            return
        if isinstance(request, wire.TopUp):
            self._asked_more[request.table, account] = self._now_ms()
        if not isinstance(request, wire.SeatOptions) or (request.table, account) not in self._straddles:
            return
        where, now_ms = (request.table, account), self._now_ms()
        if request.straddle is not None:
            self._straddles[where].asked(key, request.straddle, now_ms)
        if request.muck_losing is not None:
            self._mucks[where].asked(key, request.muck_losing, now_ms)
        if request.auto_top_up_to is not None:
            self._top_ups[where].asked(key, request.auto_top_up_to, now_ms)

    def answered(self, account: int | None, key: Key, request: wire.Request, *, ok: bool) -> None:
        """A request is answered."""
        where = str(getattr(request, "table", "")), account or 0
        if not isinstance(request, wire.SeatOptions) or where not in self._straddles:
            return
        now_ms = self._now_ms()
        self._straddles[where].answered(key, now_ms, accepted=ok)
        self._mucks[where].answered(key, now_ms, accepted=ok)
        self._top_ups[where].answered(key, now_ms, accepted=ok)
        if ok and request.auto_top_up_to:
            self._top_ups[where].may_be(0, now_ms)  # where the wallet is too small the room switches it off

    # --- the ledger -------------------------------------------------------------------------------------------

    def booked(
        self, name: str, args: tuple[Any, ...], stack: Callable[[str, int], int], *, certain: bool
    ) -> None:
        """The ledger has moved money; `stack` is what an account had before.

        Unless `certain`, hands may be settled since the room has asked.
        """
        if name == "buy_in":
            where = args[1], args[4]
            self._straddles[where], self._mucks[where] = PlayersChoice(False), PlayersChoice(True)
            self._top_ups[where] = PlayersChoice(0)
            self._asked_more.pop(where, None)
            return
        if name != "top_up":
            return
        _, table, _, account, amount = args
        asked_ms = self._asked_more.get((table, account), -ASKED_MS)
        if not certain or self._now_ms() - asked_ms < ASKED_MS or (table, account) not in self._top_ups:
            return
        self._situations.note(table, "topped up by itself")
        may = self._top_ups[table, account].possible(self._now_ms() - SENT_MS)
        if stack(table, account) + amount not in may - {0}:
            has = f"{stack(table, account)} and gets {amount}"
            self._wrong(table, "", f"account {account} has {has}; it is to be topped up to {_text(may)}")

    # --- hands ------------------------------------------------------------------------------------------------

    def mucks(self, table: str, account: int, at_ms: int) -> set[bool]:
        """Whether the player mucks a beaten hand, in a hand that began then."""
        choice = self._mucks.get((table, account))
        return {True, False} if choice is None else choice.possible(at_ms)

    def settled(self, terms: CheckedSettings, record: dict[str, Any]) -> None:
        """A hand is settled for the first time: its straddle."""
        if not terms.straddle or len(record["seats"]) < 3:
            return
        posts = [entry[1:] for entry in record["events"] if entry[0] == "post"]
        big = next(
            (place for place, seat in enumerate(record["seats"]) if seat["owed"][2] == "big_blind"), None
        )
        if big is None:
            return  # told by another checker
        first = record["seats"][(big + 1) % len(record["seats"])]
        number, table = first["seat"], record["table"]
        other = any(seat == number and kind not in {"ante", "straddle"} for seat, kind, _ in posts)
        told = any(kind == "straddle" for _, kind, _ in posts)
        choice = self._straddles.get((table, first["account"]))
        may = {False} if other else {True, False} if choice is None else choice.possible(record["started_ms"])
        if told:
            self._situations.note(table, "straddle")
        if told not in may and (told or first["stack"] > terms.ante):
            says = "straddles" if told else "does not straddle"
            self._wrong(table, record["hand_id"], f"seat {number} {says}, and has chosen the other (B6)")

    # --- snapshots --------------------------------------------------------------------------------------------

    def snapshot(self, account: int | None, snapshot: wire.Snapshot) -> None:
        """A viewer is sent a snapshot."""
        told, where = snapshot.your_options, (snapshot.table, account or 0)
        if told is None or where not in self._straddles:
            return
        since_ms = self._now_ms() - SENT_MS
        for name, value, choice in (
            ("straddle", told.straddle, self._straddles[where]),
            ("muck_losing", told.muck_losing, self._mucks[where]),
            ("auto_top_up_to", told.auto_top_up_to, self._top_ups[where]),
        ):
            may = choice.possible(since_ms)
            if value not in may:
                line = f"account {account} is told {name} {value}, and has chosen {_text(may)}"
                self._wrong(snapshot.table, "", line)

    def _wrong(self, table: str, hand_id: str, line: str) -> None:
        self._blame(Kind.REQUEST, table, hand_id, line)


def _text(values: set[Any]) -> str:
    return " or ".join(sorted(map(str, values)))

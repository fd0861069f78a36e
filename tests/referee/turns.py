"""The clock of a decision (H1, H2, H4): when it may be taken for a player, and until when by the player."""

from collections.abc import Mapping
from typing import Any

TOLERANCE_MS = 2_000
"""Time on the way, and between the room's clock and what the referee takes for it."""

Wrong = list[tuple[str, str]]


class TurnClock:
    """Follows the turns of a table. `clock` is (seconds to act, of countdown); None: as the first turn has it."""

    def __init__(self, clock: tuple[int, int] | None) -> None:
        self._act_ms = None if clock is None else 1000 * clock[0]
        self._countdown_ms = None if clock is None else 1000 * clock[1]
        self._turn: Mapping[str, Any] | None = None

    def forget(self) -> None:
        """No decision is pending."""
        self._turn = None

    def asked(self, turn: Mapping[str, Any], now_ms: int) -> Wrong:
        """A turn was told."""
        again = self._turn is not None and self._turn["seat"] == turn["seat"]
        self._turn = turn
        seat = turn["seat"]
        if turn["in_time_bank"]:
            return []
        countdown_ms = turn["deadline_ms"] - turn["countdown_ms"]
        act_ms = turn["countdown_ms"] - now_ms
        wrong: Wrong = []
        if self._countdown_ms is None:
            self._countdown_ms = countdown_ms
        # H4: the player came back while the countdown ran, which then begins again and is told from its first start
        graced = again and abs(turn["deadline_ms"] - now_ms - self._countdown_ms) <= TOLERANCE_MS
        if countdown_ms != self._countdown_ms and not graced:
            wrong.append(
                ("clock", f"seat {seat} has a countdown of {countdown_ms} ms, others {self._countdown_ms}")
            )
        if again:  # the player came back, or the turn could not be sent in time
            if turn["deadline_ms"] < now_ms - TOLERANCE_MS:
                wrong.append(("clock", f"seat {seat} is asked again, after the deadline"))
            return wrong
        if self._act_ms is None:
            self._act_ms = round(act_ms, -3)
        if abs(act_ms - self._act_ms) > TOLERANCE_MS:
            wrong.append(("clock", f"seat {seat} has {act_ms} ms until the countdown, others {self._act_ms}"))
        return wrong

    def acted(self, acted: Mapping[str, Any], now_ms: int, status: str) -> Wrong:
        """A decision was told. Players that are away or leave are folded without a clock (H5)."""
        turn, self._turn = self._turn, None
        seat = acted["seat"]
        if turn is None or turn["seat"] != seat:
            return []
        late_ms = now_ms - turn["deadline_ms"]
        if not acted["by_clock"] and late_ms > TOLERANCE_MS:
            return [("clock", f"seat {seat} decides {late_ms} ms after the deadline")]
        if acted["by_clock"] and late_ms < -TOLERANCE_MS and status == "playing":
            return [("clock", f"the clock decides for seat {seat} {-late_ms} ms before the deadline")]
        if (
            acted["by_clock"]
            and turn["time_bank_ms"] > 0
            and not turn["in_time_bank"]
            and status == "playing"
        ):
            return [
                (
                    "clock",
                    f"the clock decides for seat {seat}, which has a time bank of {turn['time_bank_ms']} ms",
                )
            ]
        return []

"""The schedule of levels: blinds that rise with the time or the hands played (B9), and breaks (I5).

Pure: the caller says how much time has passed. A new level applies from the next hand; the hand in progress keeps the
level at which it was dealt.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from pokerroom.rules.betting import BettingStructure
from pokerroom.rules.stakes import Stakes


class LengthUnit(StrEnum):
    """The unit of a level's length."""

    ms = "ms"
    """Milliseconds of play."""
    hands = "hands"


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The stakes of a level, its length (at least 1), and the length of the break after it (0: no break)."""

    stakes: Stakes
    structure: BettingStructure
    length: int
    break_ms: int = 0

    def __post_init__(self) -> None:
        if self.length < 1 or self.break_ms < 0 or self.stakes.big_blind < 1:
            raise ValueError(
                "a level has a big blind and a length of at least 1, and its break is not negative"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelClock:
    """The position of a tournament in its schedule. `level` counts from 0; `used` is in the schedule's unit.

    `break_left_ms` is the rest of the break before this level.
    """

    level: int = 0
    used: int = 0
    break_left_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindSchedule:
    """The levels in order. The last level has no end."""

    levels: tuple[Level, ...]
    unit: LengthUnit

    def __post_init__(self) -> None:
        if not self.levels:
            raise ValueError("a schedule has at least one level")

    def level(self, clock: LevelClock) -> Level:
        """Return the level of the next hand."""
        return self.levels[clock.level]

    def left(self, clock: LevelClock) -> int | None:
        """Return how much of the level is left, in the schedule's unit; None for the last level."""
        return None if self._is_last(clock.level) else self.levels[clock.level].length - clock.used

    def played(self, clock: LevelClock, amount: int) -> LevelClock:
        """Return the clock after this many milliseconds or hands (>= 0) of play. It may pass several levels.

        A break is due when the level before it is over, and begins when the hand in progress has ended. Until the break
        is over, the clock of the next level stands still (I5) [D].
        """
        if amount < 0:
            raise ValueError("the elapsed amount must not be negative")
        if clock.break_left_ms:
            return clock
        level, used = clock.level, clock.used + amount
        while not self._is_last(level) and used >= self.levels[level].length:
            used -= self.levels[level].length
            break_ms = self.levels[level].break_ms
            level += 1
            if break_ms:
                return LevelClock(level=level, break_left_ms=break_ms)
        return LevelClock(level=level, used=used)

    def rested(self, clock: LevelClock, elapsed_ms: int) -> LevelClock:
        """Return the clock after this many milliseconds (>= 0) of a break."""
        if elapsed_ms < 0:
            raise ValueError("the elapsed amount must not be negative")
        return replace(clock, break_left_ms=max(0, clock.break_left_ms - elapsed_ms))

    def _is_last(self, level: int) -> bool:
        return level == len(self.levels) - 1

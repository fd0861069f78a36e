"""Which level holds when: blinds that go up with the time played or with the hands (B9), and breaks (I5).

Pure: whoever runs a clock says how much of it has passed. A new level applies from the next hand; the hand in progress
is played at the level at which it was dealt.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from pokerroom.rules.betting import BettingStructure
from pokerroom.rules.stakes import Stakes


class LengthUnit(StrEnum):
    """What the length of a level is counted in."""

    ms = "ms"
    """Milliseconds of play."""
    hands = "hands"


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """What is played for, for how long (at least 1), and how long the break after it is (0: there is none)."""

    stakes: Stakes
    structure: BettingStructure
    length: int
    break_ms: int = 0

    def __post_init__(self) -> None:
        if self.length < 1 or self.break_ms < 0 or self.stakes.big_blind < 1:
            raise ValueError("a level has a big blind and lasts, and a break is no less than none")


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelClock:
    """Where a tournament stands in its schedule. `level` counts from 0; `used` is in the schedule's unit.

    `break_left_ms` is what is left of the break before this level.
    """

    level: int = 0
    used: int = 0
    break_left_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindSchedule:
    """The levels in order; the last one has no end."""

    levels: tuple[Level, ...]
    unit: LengthUnit

    def __post_init__(self) -> None:
        if not self.levels:
            raise ValueError("a schedule has a level at least")

    def level(self, clock: LevelClock) -> Level:
        """The level that the next hand is dealt at."""
        return self.levels[clock.level]

    def left(self, clock: LevelClock) -> int | None:
        """How much of the level is left, in the schedule's unit; None for the last one."""
        return None if self._is_last(clock.level) else self.levels[clock.level].length - clock.used

    def played(self, clock: LevelClock, amount: int) -> LevelClock:
        """The clock after so many milliseconds or hands (>= 0) of play; it may go past several levels.

        A break is due as soon as the level before it is over, and begins once the hand in progress has ended. Until it
        is over the clock of the next level stands still (I5) [D].
        """
        if amount < 0:
            raise ValueError("time goes on")
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
        """The clock after so many milliseconds (>= 0) of a break."""
        if elapsed_ms < 0:
            raise ValueError("time goes on")
        return replace(clock, break_left_ms=max(0, clock.break_left_ms - elapsed_ms))

    def _is_last(self, level: int) -> bool:
        return level == len(self.levels) - 1

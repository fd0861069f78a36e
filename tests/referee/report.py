"""What the referee found: each difference at once, at the end a summary, and one JSON object as the last line."""

import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TextIO

from tests.referee.model import Difference

SAME_KIND_MAX = 20
"""So many differences of a kind are printed; the rest is counted."""


@dataclass(slots=True)
class Report:
    """Counts what was checked. Differences are printed as they come."""

    out: TextIO = field(default_factory=lambda: sys.stdout)
    hands: int = 0
    rounds: int = 0
    tournaments: int = 0
    events: int = 0
    differences: list[Difference] = field(default_factory=list)
    unchecked: Counter[str] = field(default_factory=Counter)

    def wrong(self, difference: Difference) -> None:
        """Count and print a difference."""
        self.differences.append(difference)
        if sum(other.kind == difference.kind for other in self.differences) <= SAME_KIND_MAX:
            print(difference, file=self.out, flush=True)

    def finish(self) -> int:
        """Print the summary and the last line; return the exit code: 1 with differences."""
        kinds = Counter(difference.kind for difference in self.differences)
        print(
            f"{self.hands} hands, {self.rounds} rounds, {self.tournaments} tournaments: "
            f"{len(self.differences)} differences {dict(kinds) if kinds else ''}".rstrip(),
            file=self.out,
        )
        for reason, count in self.unchecked.most_common():
            print(f"not checked, {count} times: {reason}", file=self.out)
        last = {
            "hands": self.hands,
            "rounds": self.rounds,
            "tournaments": self.tournaments,
            "events": self.events,
            "differences": len(self.differences),
            "kinds": dict(kinds),
            "unchecked": dict(self.unchecked),
        }
        print(json.dumps(last), file=self.out, flush=True)
        return 1 if self.differences else 0

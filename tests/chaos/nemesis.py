"""The nemesis: by its seed one fault after the other, each kind as often as every other, and how long recovery took."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tests.chaos.checks import longest_silence
from tests.chaos.faults import FAULTS, KILLS
from tests.chaos.nodes import Node
from tests.chaos.stage import Blow, NotReached, Stage
from tests.chaos.timeline import Band

TAKEOVER_S: Final = 5.0
"""From the kill of a node to the next prompt of the last of its tables."""

RESTART_S: Final = 15.0
"""As above where the node that was killed has to be started again: there is no other."""

HUNG_S: Final = 7.0
"""As above where it hung: a room without another node comes back only when its parent has killed it."""

HEALED_S: Final = 10.0
"""From the return of a service to the next prompt of the last table."""

GIVE_UP_FACTOR: Final = 3.0
PAUSE_S: Final = (1.0, 3.0)
REJOIN_S: Final = (0.5, 4.0)
NODE_FELT_S: Final = 0.5
"""A prompt that comes later than this after a kill is not one that was under way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """A fault and what came after. `recovery_s` is None if some table never came back."""

    blow: Blow
    recovery_s: float | None
    pause_s: float
    """The longest time without a prompt at a table that was struck, counted from the blow on."""
    limit_s: float
    slowest: str

    @property
    def is_kill(self) -> bool:
        """Whether a node was killed, nothing else was broken, and it had tables of the harness."""
        return self.blow.kind in KILLS and bool(self.blow.tables)

    @property
    def counted_from(self) -> str:
        """Where others take over the tables that were struck, they have to from the blow on."""
        return "the blow" if self.blow.takeover else "the healing"

    def band(self) -> Band:
        """For the picture."""
        since = self.blow.struck_s if self.blow.takeover else self.blow.healed_s
        until = None if self.recovery_s is None else since + self.recovery_s
        return Band(
            kind=self.blow.kind,
            began_s=self.blow.struck_s,
            healed_s=self.blow.healed_s,
            recovered_s=until,
            took_s=self.recovery_s,
        )


class Nemesis:
    """See the module. `kinds` are names of `FAULTS`."""

    def __init__(self, stage: Stage, kinds: Sequence[str], tell: Callable[[str], None]) -> None:
        self._stage = stage
        self._kinds = list(kinds)
        self._tell = tell
        self._deck: list[str] = []
        self.recovered: list[Recovered] = []
        self.tried: Counter[str] = Counter()
        self.missed: Counter[str] = Counter()
        """Those that did not come about, or not at the chosen point."""

    async def run(self, until_s: float, kills_max: int | None = None) -> None:
        """Strikes until then, or until so many nodes with tables were killed.

        Returns when the last fault is over and every node runs.
        """
        stage = self._stage
        while stage.now() < until_s and (kills_max is None or self._kills() < kills_max):
            if not self._deck:
                self._deck = list(self._kinds)
                stage.random.shuffle(self._deck)
            await self._strike(self._deck.pop())
            await asyncio.sleep(stage.random.uniform(*PAUSE_S))

    def _kills(self) -> int:
        return sum(each.is_kill for each in self.recovered)

    async def _strike(self, kind: str) -> None:
        stage = self._stage
        self.tried[kind] += 1
        try:
            blow = await FAULTS[kind](stage)
        except NotReached as reason:
            self._tell(f"{kind}: not reached, {reason}")
            self.missed[kind] += 1
            return
        self.missed[kind] += not blow.reached
        self._tell(f"{kind}: {blow.note}; {len(blow.tables)} tables")
        starting = asyncio.gather(*(self._start_again(node) for node in blow.killed))
        try:
            await self._recovery(blow)
        finally:
            await starting

    async def _start_again(self, node: Node) -> None:
        if not self._stage.alone:
            await asyncio.sleep(self._stage.random.uniform(*REJOIN_S))
        await asyncio.to_thread(self._stage.nodes.start, node)

    async def _recovery(self, blow: Blow) -> None:
        stage = self._stage

        def silent_s(table: str, since_s: float) -> float:
            return longest_silence(stage.evidence.prompts[table], since_s, stage.now())

        limit = self._limit(blow)
        since = blow.struck_s if blow.takeover and not blow.holds_clients else blow.healed_s
        felt = max(blow.healed_s, blow.struck_s + NODE_FELT_S)
        give_up = max(since, stage.now()) + GIVE_UP_FACTOR * limit
        missing = set(blow.tables)
        while missing and stage.now() < give_up:
            await asyncio.sleep(0.05)
            missing = {table for table in missing if not self._prompted_after(table, felt)}
        took, slowest = 0.0, ""
        for table in sorted(blow.tables - missing):
            silent = silent_s(table, since)
            if silent > took:
                took, slowest = silent, table
        recovery = None if missing else round(took, 3)
        pause_s = max((silent_s(table, blow.struck_s) for table in blow.tables), default=0.0)
        self.recovered.append(
            Recovered(
                blow=blow, recovery_s=recovery, pause_s=round(pause_s, 3), limit_s=limit, slowest=slowest
            )
        )
        if recovery is None:
            line = (
                f"{blow.kind} ({blow.note}): no prompt for {stage.now() - since:.1f} s at {sorted(missing)}"
            )
            stage.evidence.blame("C8", min(missing), "", line)
        elif recovery > limit:
            line = f"{blow.kind} ({blow.note}): the next prompt came after {recovery:.1f} s, allowed are {limit:.0f}"
            stage.evidence.blame("C8", slowest, "", line)
        self._tell(f"{blow.kind}: recovered after {recovery} s {slowest}")

    def _prompted_after(self, table: str, at: float) -> bool:
        prompts = self._stage.evidence.prompts[table]
        return bool(prompts) and prompts[-1] > at

    def _limit(self, blow: Blow) -> float:
        if blow.killed and self._stage.alone:
            return RESTART_S
        if blow.hung:
            return HUNG_S
        return TAKEOVER_S if blow.takeover and not blow.holds_clients else HEALED_S

"""C8: a client that is connected and follows a table hears what the others hear.

It is deaf when it has missed `DEAF_S / 2` seconds of play. A silence of its table counts as play while another table of
the same node gives prompts, since a deaf player makes such silences: the others wait for their clock.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Final

from tests.chaos.evidence import Evidence
from tests.chaos.player import Player

DEAF_S: Final = 6.0

SILENT_S: Final = 2.0
"""If no table of a node gives a prompt for longer, the node does not play."""


class Deafness:
    """See the module. All times in seconds since the run began, which was at `began` on the clock of the players."""

    def __init__(self, evidence: Evidence, began: float) -> None:
        self._evidence = evidence
        self._began = began
        self._owners: list[tuple[float, dict[str, int]]] = []
        """Since when which process has had each table; a table that a dead node had is silent with that node."""
        self._deaf: set[str] = set()

    def owned(self, now_s: float, owners: Mapping[str, int]) -> None:
        """Table -> process of its owner, as of now; empty for a room without owners."""
        if not self._owners or self._owners[-1][1] != owners:
            self._owners.append((now_s, dict(owners)))

    def look(self, now_s: float, players: Iterable[Player], stopped: Iterable[int]) -> None:
        """Blame each deaf player once. Those at the `stopped` ports hear nothing, and need not."""
        for player in players:
            heard_s = player.heard_at - self._began
            if not player.connected or player.port in stopped or now_s - heard_s < DEAF_S:
                self._deaf.discard(player.name)
            elif player.name not in self._deaf and self._missed_s(player.table, heard_s) > DEAF_S / 2:
                self._deaf.add(player.name)
                line = f"{player.name} has heard nothing for {now_s - heard_s:.0f} s, others have"
                self._evidence.blame("C8", player.table, "", line)

    def _missed_s(self, table: str, heard_s: float) -> float:
        prompts = self._evidence.prompts
        missed = prompts[table][bisect_right(prompts[table], heard_s) :]
        if not missed:
            return 0.0
        after = bisect_right(self._owners, missed[0], key=lambda each: each[0])
        owners = self._owners[after - 1][1] if after else {}
        node = owners.get(table)
        others = [prompts[each] for each in list(prompts) if owners.get(each) == node]
        return played_s(missed[0], missed[-1], others)


def played_s(since_s: float, until_s: float, prompts: Iterable[Sequence[float]]) -> float:
    """How long a node has played between two moments at which it gave these prompts, each table's in order."""
    told = sorted({since_s, until_s, *(at for at in chain(*prompts) if since_s < at < until_s)})
    return sum(gap for a, b in pairwise(told) if (gap := b - a) <= SILENT_S)

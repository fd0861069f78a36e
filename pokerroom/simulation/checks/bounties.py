"""L13: what each head of a tournament with bounties pays, to whom, and when. Follows what the ledger was told.

A head goes to those who got a chip of the pot in which the last chip of its player lay. Knows no rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pokerroom.ledger.tournaments import BountyRow
from pokerroom.simulation.checks.violation import Blame, Kind

_ALL_BPS = 10_000

_UNMATCHED = frozenset({"big_blind_ante", "dead_post"})
"""Posts that match no bet."""

_NO_CHIPS = frozenset({"flop", "turn", "river", "show", "muck", "award"})


@dataclass(slots=True, kw_only=True)
class _Heads:
    bounty: int
    cash_bps: int
    entered: dict[int, int] = field(default_factory=dict)
    """By account, the number of its last entry before the start."""
    playing: dict[int, int] = field(default_factory=dict)
    """By account, the number of the entry with which it plays, or has played last."""
    heads: dict[tuple[int, int], int] = field(default_factory=dict)
    """By account and number of the entry."""
    won: dict[tuple[int, int, int], tuple[int, int]] = field(default_factory=dict)
    """By account, number of the entry, and winner: cash, and what went on the winner's head."""
    hands: set[str] = field(default_factory=set)


class BountyChecker:
    """See the module."""

    def __init__(self, blame: Blame) -> None:
        self._blame = blame
        self._all: dict[str, _Heads] = {}
        self.won = 0
        """Heads that were paid in hands."""

    @property
    def names(self) -> list[str]:
        """The tournaments with bounties."""
        return list(self._all)

    def booked(self, name: str, args: tuple[Any, ...]) -> None:
        """The ledger has done something, perhaps not for the first time."""
        if name == "open_tournament" and args[0].bounty:
            opening = args[0]
            known = _Heads(bounty=opening.bounty, cash_bps=opening.bounty_cash_bps)
            self._all.setdefault(opening.tournament, known)
        elif name == "settle":
            for settlement in args[0]:
                self._settled(settlement.table, settlement.hand_id, settlement.record)
        elif args and isinstance(args[0], str) and (found := self._all.get(args[0])) is not None:
            self._told(found, name, args)

    def _told(self, found: _Heads, name: str, args: tuple[Any, ...]) -> None:
        match name:
            case "enter":
                found.entered[args[1]] = max(args[2], found.entered.get(args[1], 0))
            case "start_tournament":
                for account in args[2]:
                    if account and account not in found.playing:
                        self._sits(found, account, found.entered[account])
            case "seat_entries":
                for one in args[2]:
                    self._sits(found, one.account, one.number)
            case "give_places" if args[2] == 1:
                for (account, number), head in found.heads.items():
                    if head:
                        found.won[account, number, account] = head, 0
                found.heads.clear()
            case _:
                pass

    def _sits(self, found: _Heads, account: int, number: int) -> None:
        if found.playing.get(account, 0) < number:
            found.playing[account] = number
            found.heads[account, number] = found.bounty

    def _settled(self, at: str, hand_id: str, text: bytes) -> None:
        found = self._all.get(at.rpartition(".")[0] + "." + at.rpartition(".")[2].partition("-")[0])
        if found is None or hand_id in found.hands:
            return
        found.hands.add(hand_id)
        record = msgspec.json.decode(text)
        before = dict(found.heads)
        for seat in record["seats"]:
            if not seat["end"]:
                self.won += 1
                self._out(found, seat["account"], before, _took_the_last_chip(record, seat["seat"]))

    def _out(
        self, found: _Heads, account: int, before: Mapping[tuple[int, int], int], winners: Sequence[int]
    ) -> None:
        number = found.playing[account]
        share, odd = divmod(before[account, number], len(winners))
        found.heads[account, number] = 0
        for place, winner in enumerate(winners):
            whole = share + (place < odd)
            cash = whole * found.cash_bps // _ALL_BPS
            found.won[account, number, winner] = cash, whole - cash
            found.heads[winner, found.playing[winner]] += whole - cash

    def audited(self, name: str, rows: Sequence[BountyRow]) -> None:
        """Compare what the ledger has paid in a tournament."""
        due = self._all[name].won
        paid = {(row.account, row.number, row.winner): (row.cash, row.on_head) for row in rows}
        for key in sorted(due.keys() | paid.keys()):
            if due.get(key) != paid.get(key):
                line = f"of the head {key[:2]} account {key[2]} has won {paid.get(key)}, due is {due.get(key)} (L13)"
                self._blame(Kind.BOUNTY, name, "", line)


def _took_the_last_chip(record: Mapping[str, Any], seat: int) -> list[int]:
    """The accounts that got a chip of the pot in which the last chip of a seat lay, from the left of the button."""
    live, unmatched = {one["seat"]: 0 for one in record["seats"]}, 0
    awards: dict[int, tuple[int, set[int]]] = {}
    for event in record["events"]:
        if event[0] == "award":
            awards[event[1]] = event[2], {player for player, amount in event[3] if amount}
        elif event[0] == "post" and event[2] in _UNMATCHED:
            unmatched += event[3]
        elif event[0] == "post":
            live[event[1]] += event[3]
        elif event[0] == "uncalled":
            live[event[1]] -= event[2]
        elif event[0] not in _NO_CHIPS:
            live[event[1]] += event[2]
    up_to = unmatched + sum(min(chips, live[seat]) for chips in live.values())
    below = 0
    for pot in sorted(awards):
        amount, took = awards[pot]
        below += amount
        if below >= up_to:
            return [one["account"] for one in record["seats"] if one["seat"] in took]
    return []

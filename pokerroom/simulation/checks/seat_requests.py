"""Check that acknowledged seat requests are kept, also after a crash: a leaving player is cashed out, a player who sits
out is not dealt in.

Reads the settlements of the ledger, which has every hand, watched or not: no hand that was dealt after `ok` may include
the player. The request ends when the player leaves, or with a `sit_in` that may have been accepted.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import count
from typing import Any

from pokerroom.simulation.checks.checker import Key, Sitting
from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire

LEAVES_S = 30.0
"""Once no hand is in progress, the ledger has cashed out within this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _SeatRequest:
    kind: str
    """`leave`, `now` or `next_big_blind`."""
    since_ms: int
    """When `ok` was told."""
    number: int
    """Of the request, in the order in which they reached the room."""


class SeatRequestChecker:
    """What holders of seats have asked for, by (table, account)."""

    def __init__(self, blame: Blame) -> None:
        self._blame = blame
        self._numbers = count()
        self._reached: dict[Key, int] = {}
        self._standing: dict[Sitting, dict[str, _SeatRequest]] = {}
        self._back: dict[Sitting, dict[Key, int]] = {}
        """`sit_in` that may have been accepted: key -> number."""
        self._cashed_out: dict[Sitting, int] = {}
        """When a sitting was over last, as a number."""

    def reached(self, account: int | None, key: Key, request: wire.Request) -> None:
        """A request has reached the room."""
        if account is None or not isinstance(request, wire.SitIn | wire.SitOut | wire.StandUp):
            return
        number = self._reached[key] = next(self._numbers)
        if isinstance(request, wire.SitIn):
            self._back.setdefault((request.table, account), {})[key] = number

    def answered(
        self, account: int | None, key: Key, request: wire.Request, now_ms: int, *, accepted: bool
    ) -> None:
        """A request is answered."""
        number = self._reached.pop(key, None)
        if account is None or number is None:
            return
        where = (str(getattr(request, "table", "")), account)
        if number < self._cashed_out.get(where, -1):
            return  # that sitting is over
        requests, back = self._standing.setdefault(where, {}), self._back.setdefault(where, {})
        if isinstance(request, wire.SitIn):
            back.pop(key, None)
            for kind in [
                kind for kind, standing in requests.items() if kind != "leave" and standing.number < number
            ]:
                if accepted:
                    del requests[kind]
        elif accepted and isinstance(request, wire.SitOut):
            for kind in [
                kind
                for kind, standing in requests.items()
                if kind != "leave" and self._may_be_back(where, standing)
            ]:
                del requests[kind]
            requests[request.when] = _SeatRequest(kind=request.when, since_ms=now_ms, number=number)
            for old in [old for old, at in back.items() if at < number]:
                del back[old]  # the new request replaces it
        elif accepted:
            requests["leave"] = _SeatRequest(kind="leave", since_ms=now_ms, number=number)

    def booked(self, name: str, args: tuple[Any, ...]) -> None:
        """The ledger has moved money: with a cash-out the sitting is over."""
        if name == "cash_out":
            where = args[1], args[3]
            self._standing.pop(where, None)
            self._back.pop(where, None)
            self._cashed_out[where] = next(self._numbers)

    def settled(self, table: str, record: dict[str, Any]) -> None:
        """A hand is settled for the first time."""
        blinds = {entry[1] for entry in record["events"] if entry[:1] + entry[2:3] == ["post", "big_blind"]}
        for seat in record["seats"]:
            where = (table, seat["account"])
            for standing in self._standing.get(where, {}).values():
                if standing.since_ms >= record["started_ms"] or (
                    standing.kind != "leave" and self._may_be_back(where, standing)
                ):
                    continue
                if standing.kind == "next_big_blind" and seat["seat"] not in blinds:
                    continue
                what = {"leave": "stand_up", "now": "sit_out", "next_big_blind": "sit_out at the big blind"}
                self._blame(
                    Kind.REQUEST,
                    table,
                    record["hand_id"],
                    f"seat {seat['seat']} is dealt in after ok to {what[standing.kind]}",
                )

    def _may_be_back(self, where: Sitting, standing: _SeatRequest) -> bool:
        return any(number > standing.number for number in self._back.get(where, {}).values())

    def finished(self, now_ms: int, excused: AbstractSet[str]) -> None:
        """The simulation is over, and no hand is in progress but at excused tables."""
        for (table, account), requests in self._standing.items():
            standing = requests.get("leave")
            if standing is not None and table not in excused and now_ms - standing.since_ms > 1000 * LEAVES_S:
                self._blame(Kind.REQUEST, table, "", f"account {account} sits there, after ok to stand_up")

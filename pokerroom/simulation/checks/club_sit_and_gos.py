"""Check the chips of clubs in their sit-and-gos: each entry is paid once, and goes back or to the places once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pokerroom.simulation.checks.clubs import ClubChecker
from pokerroom.simulation.checks.violation import Blame


@dataclass(slots=True, kw_only=True)
class _SitAndGo:
    club: str
    buy_in: int
    entries: dict[tuple[int, int], bool] = field(default_factory=dict)
    """By account and number: whether the chips are still in it."""
    places: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By number: account and prize."""
    paid: set[int] = field(default_factory=set)


class ClubSitAndGoChecker(ClubChecker):
    """A `ClubChecker` for rooms without tables of clubs."""

    def __init__(self, blame: Blame) -> None:
        super().__init__(blame, {})
        self._sit_and_gos: dict[str, _SitAndGo] = {}
        self._held: defaultdict[str, int] = defaultdict(int)
        """What the sit-and-gos of each club hold."""

    def booked(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        """The ledger has done something, perhaps not for the first time."""
        if name == "open_hosted_sit_and_go":
            if result.club is not None:
                opened = _SitAndGo(club=result.club, buy_in=args[1].buy_in)
                self._sit_and_gos.setdefault(result.tournament, opened)
        elif args and isinstance(args[0], str) and args[0] in self._sit_and_gos:
            self._moved_in(self._sit_and_gos[args[0]], name, args[1:])
        super().booked(name, args, result)

    def _moved_in(self, its: _SitAndGo, name: str, args: Sequence[Any]) -> None:
        match name:
            case "enter" if (args[0], args[1]) not in its.entries:
                its.entries[args[0], args[1]] = True
                self._pays(its, args[0], its.buy_in)
            case "return_entry":
                self._back(its, (args[0], args[1]))
            case "cancel_tournament" | "roll_back_tournament":
                for entry in list(its.entries):
                    self._back(its, entry)
            case "give_places":
                _, best, places = args[:3]
                for number, given in enumerate(places, best):
                    its.places.setdefault(number, (given.account, given.prize))
            case "pay_place" if args[0] not in its.paid:
                its.paid.add(args[0])
                account, prize = its.places[args[0]]
                self._pays(its, account, -prize)
            case _:
                pass

    def _back(self, its: _SitAndGo, entry: tuple[int, int]) -> None:
        if its.entries[entry]:
            its.entries[entry] = False
            self._pays(its, entry[0], -its.buy_in)

    def _pays(self, its: _SitAndGo, account: int, amount: int) -> None:
        self._balances[its.club, account] -= amount
        self._held[its.club] += amount

    def _outside(self, club: str) -> int:
        return super()._outside(club) + self._held[club]

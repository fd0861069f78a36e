"""Sit-and-gos in the ledger: chips, blinds of their level, button (B1, B3, B4), places that come once, prizes.

Follows what the ledger has done, and the records of hands; knows no rules and no code that it judges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import msgspec

from pokerroom.simulation.checks.blinds import Blinds, Waiting, blinds_of, expected, expected_first
from pokerroom.simulation.checks.results import ResultChecker
from pokerroom.simulation.checks.settings import CheckedSettings
from pokerroom.simulation.checks.violation import Blame, Kind

FIRST_BUTTON: Final = 1
"""B1 [D]: all players sit down at once."""

STUCK_S: Final = 600.0
"""A tournament in which no hand ends for so long does not come to its end, breaks and pauses apart."""


@dataclass(slots=True, kw_only=True)
class _Tournament:
    seats: int
    prizes: tuple[int, ...]
    levels: list[CheckedSettings]
    """The settings of the table at each level."""
    chips: dict[int, int] = field(default_factory=dict)
    """By account, from the start on."""
    level: int = 0
    """Of the last hand."""
    hands: set[str] = field(default_factory=set)
    placed: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By number: account and prize."""
    blinds: Blinds | None = None
    """Of the last hand."""
    ended: str = ""
    moved_s: float = 0.0
    """When anything happened last."""

    def reach(self, blinds: tuple[int, int]) -> bool:
        """B9: those of a level, and of none before that of the last hand; beyond the last one they double [D]."""
        while self.levels[-1].big_blind < blinds[1]:
            self.levels.append(_doubled(self.levels[-1]))
        for number in range(self.level, len(self.levels)):
            if (self.levels[number].small_blind, self.levels[number].big_blind) == blinds:
                self.level = number
                return True
        return False


def settings_at(offer: dict[str, Any], level: dict[str, Any]) -> CheckedSettings:
    """Return the settings of a tournament's table at a level, by the terms of its opening."""
    fixed_limit = offer["structure"] == "fixed_limit"
    return CheckedSettings(
        game=offer["game"],
        structure=offer["structure"],
        seats=offer["seats"],
        small_blind=level["small_blind"],
        big_blind=level["big_blind"],
        ante=level["ante"],
        big_blind_ante=level["big_blind_ante"],
        straddle=0,
        small_bet=level["big_blind"] if fixed_limit else 0,
        big_bet=level["big_bet"],
        raises_max=offer["raises_max"] if fixed_limit else 0,
        cap_heads_up=offer["cap_heads_up"],
        action_clock_s=offer["action_clock_s"],
        countdown_s=offer["countdown_s"],
        time_bank_s=offer["time_bank_s"],
        time_bank_refill_s=offer["time_bank_refill_s"],
        timeout_protection=offer["timeout_protection"],
        timeout_all_ins_per_day=None,
        moving_button=False,
        show_all_in=True,
        unit=1,
        observer_delay_s=offer["observer_delay_s"],
    )


def _doubled(level: CheckedSettings) -> CheckedSettings:
    amounts = "small_blind", "big_blind", "ante", "big_blind_ante", "small_bet", "big_bet"
    return replace(level, **{name: 2 * getattr(level, name) for name in amounts})


class TournamentChecker:
    """See the module; `seconds` is virtual time."""

    def __init__(self, blame: Blame, seconds: Callable[[], float], results: ResultChecker) -> None:
        self._blame = blame
        self._results = results
        self._seconds = seconds
        self._all: dict[str, _Tournament] = {}
        self.settled_count = 0
        """Hands."""

    @property
    def ended(self) -> int:
        """So many have come to their end."""
        return sum(bool(one.ended) for one in self._all.values())

    def running(self) -> list[str]:
        """Those that have started and not ended."""
        return [name for name, one in self._all.items() if one.chips and not one.ended]

    def bank(self, table: str) -> int | None:
        """All chips of a tournament; None for what is none."""
        found = self._all.get(table)
        return None if found is None else sum(found.chips.values())

    # --- what the ledger has done -------------------------------------------------------------------------------------

    def booked(self, name: str, args: tuple[Any, ...]) -> None:
        """The ledger has done something, perhaps not for the first time."""
        match name:
            case "open_tournament":
                opening = args[0]
                terms = msgspec.json.decode(opening.terms)
                levels = [settings_at(terms, level) for level in terms["levels"]]
                known = _Tournament(seats=opening.seats, prizes=tuple(opening.prizes), levels=levels)
                self._all.setdefault(opening.tournament, known)
            case "start_tournament":
                self._started(*args)
            case "settle":
                for settlement in args[0]:
                    self._settled(settlement.table, settlement.hand_id, settlement.record)
            case "give_places":
                self._placed(args[0], args[2], args[3])
            case "roll_back_tournament" if not self._all[args[0]].ended:
                found = self._all[args[0]]
                if any(prize for _, prize in found.placed.values()):
                    self._wrong(Kind.PLACES, args[0], "it was rolled back after a prize was won (I3)")
                found.ended = "rolled_back"
            case _:
                pass

    def _started(self, name: str, epoch: int, players: Sequence[int], stack: int) -> None:  # noqa: ARG002 -- the ledger's own
        found = self._all[name]
        if found.chips and list(found.chips) != list(players):
            self._wrong(Kind.PLACES, name, "its seats were drawn twice")
        if not found.chips:
            found.chips = dict.fromkeys(players, stack)
            found.moved_s = self._seconds()

    def _settled(self, name: str, hand_id: str, record: bytes) -> None:
        found = self._all.get(name)
        if found is None or hand_id in found.hands:
            return
        found.hands.add(hand_id)
        found.moved_s = self._seconds()
        self.settled_count += 1
        said = msgspec.json.decode(record)
        before = {seat["account"]: seat["stack"] for seat in said["seats"]}
        alive = {account: chips for account, chips in found.chips.items() if chips}
        if found.ended or not found.chips:
            self._wrong(Kind.HAND, name, f"hand {hand_id} was played before the start or after the end")
        if before != alive:
            self._wrong(Kind.CHIPS, name, f"hand {hand_id} began with {before}, its players have {alive}")
        total = sum(found.chips.values())
        found.chips.update({seat["account"]: seat["end"] for seat in said["seats"]})
        if sum(found.chips.values()) != total or min(found.chips.values()) < 0:
            self._wrong(Kind.CHIPS, name, f"hand {hand_id} leaves {found.chips}, there were {total}")
        if len(found.placed) != sum(not chips for chips in found.chips.values()) - sum(
            not seat["end"] for seat in said["seats"]
        ):
            self._wrong(
                Kind.PLACES, name, f"hand {hand_id} was dealt before all eliminated players had their places"
            )
        blinds = said["small_blind"], said["big_blind"]
        if not found.reach(blinds):
            self._wrong(
                Kind.TIMEOUT, name, f"hand {hand_id} has the blinds {blinds}, after level {found.level}"
            )
        self._check_button(name, found, said)
        self._results.settled(found.levels[found.level], hand_id, said)

    def _check_button(self, name: str, found: _Tournament, record: dict[str, Any]) -> None:
        """B1, B3, B4: seat 1 has the first button, then the rule of the dead button; all players are dealt in (H5)."""
        last, now = found.blinds, blinds_of(record, found.blinds)
        dealt = frozenset(seat["seat"] for seat in record["seats"])
        if now is None:
            return  # told by another checker
        found.blinds = now
        if last is None:
            due = expected_first(FIRST_BUTTON, dealt, found.seats)
        else:
            due = expected(last, Waiting(seats=dealt), found.seats, moving=False)
        if now != due.blinds:
            line = f"after {last or 'the start'} come {now}, not {due.blinds} (B1, B3, B4)"
            self._blame(Kind.BLINDS, name, record["hand_id"], line)

    def _placed(self, name: str, best: int, places: Sequence[Any]) -> None:
        found = self._all[name]
        given = {best + n: (place.account, int(place.prize)) for n, place in enumerate(places)}
        if all(found.placed.get(number) == what for number, what in given.items()):
            return  # said again
        if any(number in found.placed for number in given):
            self._wrong(Kind.PLACES, name, f"places {sorted(given)} are given again, otherwise")
        accounts = [account for account, _ in (*found.placed.values(), *given.values())]
        if len(set(accounts)) != len(accounts):
            self._wrong(Kind.PLACES, name, "a player has two places")
        if sorted((*found.placed, *given)) != list(range(min(given), found.seats + 1)):
            self._wrong(Kind.PLACES, name, f"places {sorted(given)} are not next")
        found.placed.update(given)
        found.moved_s = self._seconds()
        if best != 1:
            wrong = [account for account, _ in given.values() if found.chips[account]]
            if wrong:
                self._wrong(Kind.PLACES, name, f"{wrong} have places, and chips")
            return
        found.ended = "over"
        prizes = sum(prize for _, prize in found.placed.values())
        if prizes != sum(found.prizes):
            self._wrong(Kind.PLACES, name, f"prizes come to {prizes}, the pool is {sum(found.prizes)}")

    # --- time ---------------------------------------------------------------------------------------------------------

    def look(self, outage_until_s: float, paused: Mapping[str, object]) -> None:
        """Every tournament comes to its end."""
        now = self._seconds()
        for name in self.running():
            found = self._all[name]
            if name in paused:
                found.moved_s = now
            if now - max(found.moved_s, outage_until_s) > STUCK_S:
                found.moved_s = now
                self._wrong(Kind.PROGRESS, name, f"no hand has ended for {STUCK_S:.0f} s")

    def _wrong(self, kind: Kind, name: str, line: str) -> None:
        self._blame(kind, name, "", line)

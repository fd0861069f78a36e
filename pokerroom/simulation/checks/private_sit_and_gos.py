"""Check private sit-and-gos: those who see one or enter it are its host, and those who came by its link or club."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire


@dataclass(slots=True, kw_only=True)
class _SitAndGo:
    host: int
    code: str
    club: str | None = None
    guests: set[int] = field(default_factory=set)
    """Those that were let in, also if they were removed since: an answer may be on its way."""
    removed: set[int] = field(default_factory=set)
    left: set[int] = field(default_factory=set)
    """Those that have left the club, and are no guests until they come again."""
    entered: dict[int, int] = field(default_factory=dict)
    """The last entry of each account."""


class PrivateSitAndGoChecker:
    """Keeps who was let in, by what was booked."""

    def __init__(self, blame: Blame) -> None:
        self._blame = blame
        self._all: dict[str, _SitAndGo] = {}

    def booked(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        """The ledger has done something, perhaps not for the first time."""
        match name:
            case "open_hosted_sit_and_go":
                self._all[result.tournament] = _SitAndGo(host=args[0], code=args[3], club=result.club)
            case "join_hosted_table":
                self._joined(result.tournament, *args[:2])
            case "remove_guest" if result.tournament is not None:
                known = self._all[result.tournament]
                known.removed |= known.guests - known.left - result.guests.keys()
            case "join_club_table" if result.tournament is not None:
                self._came(result.tournament, args[1])
            case "leave_club":
                self._left(args[0], lambda guests: guests & {args[1]})
            case "remove_member":
                self._left(args[0], lambda guests: guests - result.members.keys())
            case "change_hosted_sit_and_go":
                known = self._all[result.tournament]
                if args[1] != known.host:
                    self._wrong(
                        result.tournament, f"account {args[1]} gives it an order, and is not its host"
                    )
                known.code = result.code
            case "enter" if args[0] in self._all:
                self._entered(*args)
            case _:
                pass

    def was_removed(self, tournament: str, account: int) -> bool:
        """Return whether the host has removed an account."""
        return tournament in self._all and account in self._all[tournament].removed

    def entries_of_removed(self, tournament: str) -> list[tuple[int, int]]:
        """Return account and last entry of those that the host has removed: they have none now."""
        known = self._all[tournament]
        return [(account, known.entered[account]) for account in known.removed & known.entered.keys()]

    def answered(self, account: int | None, answer: wire.ServerMessage) -> None:
        """The room has answered an account."""
        match answer:
            case wire.TournamentState() | wire.TournamentRegistered() | wire.Standings():
                self._let_in(answer.tournament, account, f"gets {type(answer).__name__} of it")
            case wire.PrivateSitAndGo():
                self._let_in(answer.sit_and_go.tournament, account, "is told of it")
            case wire.SitAndGos() | wire.Tournaments():
                if any(name in str(answer) for name in self._all):
                    self._wrong("", f"a public list has a private sit-and-go: {answer}")
            case _:
                pass

    def _joined(self, tournament: str, code: str, account: int) -> None:
        known = self._all[tournament]
        if code != known.code:
            self._wrong(tournament, f"account {account} is let in by a link that is void")
        self._came(tournament, account)

    def _came(self, tournament: str, account: int) -> None:
        known = self._all[tournament]
        if account in known.removed:
            self._wrong(tournament, f"account {account} is let in again, and was removed")
        known.guests.add(account)
        known.left.discard(account)

    def _left(self, club: str, which: Callable[[set[int]], set[int]]) -> None:
        for known in self._all.values():
            if known.club == club:
                known.left |= which(known.guests) - known.removed

    def _entered(self, tournament: str, account: int, number: int) -> None:
        self._let_in(tournament, account, "enters it")
        known = self._all[tournament]
        if account in known.removed and number > known.entered.get(account, 0):
            self._wrong(tournament, f"account {account} enters it, and was removed")
        known.entered[account] = max(number, known.entered.get(account, 0))

    def _let_in(self, tournament: str, account: int | None, does: str) -> None:
        known = self._all.get(tournament)
        if known is not None and account not in {known.host, *known.guests}:
            self._wrong(tournament, f"account {account} {does}, and was not let in")

    def _wrong(self, tournament: str, line: str) -> None:
        self._blame(Kind.HOSTING, tournament, "", line)

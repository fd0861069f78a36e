"""Check private sit-and-gos: those who see one or enter it are its host, and those who came by its link."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire


@dataclass(slots=True, kw_only=True)
class _SitAndGo:
    host: int
    code: str
    guests: set[int] = field(default_factory=set)


class PrivateSitAndGoChecker:
    """Keeps who was let in, by what was booked."""

    def __init__(self, blame: Blame) -> None:
        self._blame = blame
        self._all: dict[str, _SitAndGo] = {}

    def booked(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        """The ledger has done something, perhaps not for the first time."""
        match name:
            case "open_hosted_sit_and_go":
                self._all[result.tournament] = _SitAndGo(host=args[0], code=args[3])
            case "join_hosted_table":
                self._joined(result.tournament, *args[:2])
            case "change_hosted_sit_and_go":
                known = self._all[result.tournament]
                if args[1] != known.host:
                    self._wrong(
                        result.tournament, f"account {args[1]} gives it an order, and is not its host"
                    )
                known.code = result.code
            case "enter" if args[0] in self._all:
                self._let_in(args[0], args[1], "enters it")
            case _:
                pass

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
        known.guests.add(account)

    def _let_in(self, tournament: str, account: int | None, does: str) -> None:
        known = self._all.get(tournament)
        if known is not None and account not in {known.host, *known.guests}:
            self._wrong(tournament, f"account {account} {does}, and was not let in")

    def _wrong(self, tournament: str, line: str) -> None:
        self._blame(Kind.HOSTING, tournament, "", line)

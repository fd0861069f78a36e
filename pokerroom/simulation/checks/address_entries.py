"""How many accounts of one address enter a tournament, and that no permit of an address stays taken without an entry.

Follows the requests of clients, their answers, and what the ledger has booked; knows no stores and no code that it
judges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final

import msgspec

from pokerroom.simulation.checks.viewers import ANSWER_S, CheckedViewer
from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire

HOLD_S: Final = 60.0
"""For so long an entry may be on its way; after that a permit without an entry is free again."""

FREES: Final = {"insufficient_balance", "registration_closed", "tournament_full", "entries_used_up"}
"""Refusals of the ledger: the permit is free again before the client hears of it."""


@dataclass(slots=True, kw_only=True)
class _Account:
    """One account in one tournament."""

    address: str
    open: dict[tuple[int, int], float] = field(default_factory=dict)
    """When its requests without an answer reached the room, by viewer and id."""
    entries: set[int] = field(default_factory=set)
    is_late: bool = False
    """Whether it was entered when its permit may have been free again."""
    taken_s: float = -inf
    """When it may have taken a permit last; inf: a request was lost with its connection, and may go on."""
    returned_s: float = -inf


class AddressEntryChecker:
    """See the module; `seconds` is virtual time."""

    def __init__(self, blame: Blame, seconds: Callable[[], float]) -> None:
        self._blame = blame
        self._seconds = seconds
        self._allowed: dict[str, int] = {}
        """By tournament, where the number is bounded."""
        self._accounts: dict[str, dict[int, _Account]] = {}

    def asked(self, viewer: CheckedViewer, request: wire.Request) -> None:
        """A request has reached the room."""
        if isinstance(request, wire.RegisterTournament) and viewer.account is not None and viewer.address:
            accounts = self._accounts.setdefault(request.tournament, {})
            own = accounts.setdefault(viewer.account, _Account(address=viewer.address))
            own.open[viewer.number, request.id] = self._seconds()

    def closed(self, viewer: CheckedViewer) -> None:
        """A connection is gone: the room may go on with what it has asked."""
        lost = {(viewer.number, number) for number in viewer.asked}
        for accounts in self._accounts.values():
            for own in accounts.values():
                if own.open.keys() & lost:
                    own.taken_s = inf

    def booked(self, name: str, args: tuple[Any, ...]) -> None:
        """The ledger has done something, perhaps not for the first time."""
        match name:
            case "open_tournament" if args[0].scheduled:
                self._allowed[args[0].tournament] = msgspec.json.decode(args[0].terms)["seats_per_address"]
            case "enter":
                self._entered(*args)
            case "return_entry":
                own = self._accounts.get(args[0], {}).get(args[1])
                if own is not None and args[2] in own.entries:
                    own.entries.remove(args[2])
                    own.returned_s = self._seconds()
            case _:
                pass

    def answered(
        self,
        viewer: int,
        account: int | None,
        request: wire.Request,
        answer: wire.Answer,
        outage_until_s: float,
    ) -> None:
        """A request is answered; until then, or a little longer, a part of the room may be away."""
        if not isinstance(request, wire.RegisterTournament) or account is None:
            return
        own = self._accounts.get(request.tournament, {}).get(account)
        reached_s = None if own is None else own.open.pop((viewer, request.id), None)
        if own is None or reached_s is None:
            return
        code = answer.code if isinstance(answer, wire.Error) else ""
        if not code:
            own.taken_s = max(own.taken_s, self._seconds())
        elif code in FREES and not own.open and own.taken_s < inf:
            own.taken_s = -inf
        elif code == "address_seated" and outage_until_s < reached_s:
            self._check_refusal(request.tournament, account, own.address, reached_s)

    def _entered(self, tournament: str, account: int, number: int) -> None:
        own, now_s = self._accounts.get(tournament, {}).get(account), self._seconds()
        if own is None or number in own.entries:
            return
        own.entries.add(number)
        own.is_late |= min(own.open.values(), default=now_s) < now_s - HOLD_S
        if own.taken_s < inf:
            own.taken_s = now_s
        allowed = self._allowed.get(tournament, 0)
        counted = [one for one in self._of(tournament, own.address) if one.entries and not one.is_late]
        if allowed and len(counted) > allowed:
            line = f"{len(counted)} accounts of one address have entries, {allowed} may"
            self._blame(Kind.PLACES, tournament, "", line)

    def _check_refusal(self, tournament: str, account: int, address: str, reached_s: float) -> None:
        others = [
            one
            for one in self._of(tournament, address)
            if one is not self._accounts[tournament][account]
            and (
                one.entries
                or one.open
                or one.returned_s > reached_s - ANSWER_S
                or one.taken_s > reached_s - HOLD_S - ANSWER_S
            )
        ]
        allowed = self._allowed[tournament]
        if len(others) < allowed:
            line = f"account {account} is refused, and {len(others)} of {allowed} of its address may have a permit"
            self._blame(Kind.PLACES, tournament, "", line)

    def _of(self, tournament: str, address: str) -> Iterator[_Account]:
        return (one for one in self._accounts.get(tournament, {}).values() if one.address == address)

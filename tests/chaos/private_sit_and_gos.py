"""Private sit-and-gos under the nemesis: opened, entered by the link, started or cancelled while nodes die.

A circle of friends plays one after the other. The first is full, and starts by itself; the next is started by its host
with three players, after a fourth has entered, and has left or was removed; the next is cancelled by its host. A
request without an answer
is repeated, or after a look at what is there. In the end `check_sit_and_gos` looks at the ledger: each ended as the
host was told, with the players of acknowledged entries, and no stranger was in one. Their money and their
places `tournaments` checks with those of the room.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import psycopg

from pokerroom_protocol import Code
from pokerroom_protocol import messages as m
from tests.chaos.friends import AGAIN_S, FRIENDS, Friend, Party
from tests.chaos.swarms import Blame
from tests.chaos.tournaments import Played

Ending = Literal["full", "started", "cancelled"]

ENDS: Final[tuple[Ending, ...]] = ("full", "started", "cancelled")
TERMS: Final[dict[str, Any]] = {
    "seats": FRIENDS,
    "buy_in": 500,
    "starting_stack": 300,
    "levels": [
        m.PrivateLevel(small_blind=blind, big_blind=2 * blind, length_s=10) for blind in (25, 50, 100, 200)
    ],
    "prize_shares": [6_500, 3_500],
    "action_clock_s": 5,
}
PRIVATE: Final = "private:"

_IN: Final = frozenset({Code.ALREADY_REGISTERED, Code.REGISTRATION_CLOSED})
"""An entry with a lost answer is booked: only its own players are asked to enter, so it is full with them."""
_OUT: Final = frozenset({Code.NOT_REGISTERED})
_REMOVED: Final = frozenset({Code.UNKNOWN_GUEST})
_OVER: Final = frozenset({Code.REGISTRATION_CLOSED})
_NOT_YET: Final = frozenset({Code.UNKNOWN_TABLE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Promised:
    """How a sit-and-go had to end, by what its host and its players were told."""

    host: str
    ending: Ending
    players: tuple[str, ...]
    """Those with an entry when it started, or was cancelled."""


class Circle(Party):
    """Friends of private sit-and-gos; see `Party`."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.promised: dict[str, Promised] = {}

    async def evening(self, number: int) -> None:
        """Play one, or cancel it."""
        ending = ENDS[number % len(ENDS)]
        friends = self.friends_from(number)
        host, *guests = friends
        self.step = "the sit-and-go"
        view = await self.again(lambda: self._made(host))
        self.step = "the guests"
        password = f"friends of {host.name} {number}"
        protect = m.SetTablePassword(id=0, table=view.table, password=password)
        await host.told(protect, m.PrivateSitAndGo)
        for guest in guests[:-1]:
            await guest.told(m.FindTable(id=0, code=view.code or ""), m.PrivateSitAndGo)
        await guests[-1].told(m.EnterTable(id=0, table=view.table, password=password), m.PrivateSitAndGo)
        self.step = "the entries"
        players = friends if ending == "full" else friends[:-1]
        if ending == "started":
            await self._enters(friends[-1], view.tournament)
            if number % 2:
                leave = m.UnregisterTournament(id=0, tournament=view.tournament)
                await friends[-1].ask(leave, m.Ok, done=_OUT)
            else:
                remove = m.RemovePlayer(id=0, table=view.table, name=friends[-1].name)
                await host.ask(remove, m.Ok, done=_REMOVED)
                self.counts["removed"] += 1
        await asyncio.gather(*(self._enters(player, view.tournament) for player in players))
        self.promised[view.tournament] = Promised(
            host=host.name, ending=ending, players=tuple(player.name for player in players)
        )
        if ending != "full":
            self.step = f"the order: {ending}"
            order: Literal["start", "cancel"] = "start" if ending == "started" else "cancel"
            request = m.ChangeSitAndGo(id=0, tournament=view.tournament, order=order)
            await host.ask(request, m.PrivateSitAndGo, done=_OVER)
        self.step = "play"
        await asyncio.gather(*(self._played(player, view.tournament) for player in players))
        self.counts[f"sit_and_gos_{ending}"] += 1

    async def _made(self, host: Friend) -> m.PrivateSitAndGoView:
        """Return that of the host which is not played yet; else a new one."""
        views = (await host.client.request(m.GetHostedTables(id=0), m.HostedTables)).sit_and_gos
        for view in views:
            if view.host == host.name and view.tournament not in self.promised:
                return view
        create = m.CreateSitAndGo(id=0, name=host.name, **TERMS)
        return (await host.client.request(create, m.PrivateSitAndGo)).sit_and_go

    async def _enters(self, friend: Friend, tournament: str) -> None:
        request = m.RegisterTournament(id=0, tournament=tournament)
        await friend.ask(request, m.TournamentRegistered, done=_IN)

    async def _played(self, friend: Friend, tournament: str) -> None:
        """Watch its table until it is over. The friend plays there by itself."""
        is_watching = False
        while True:
            request = m.GetTournament(id=0, tournament=tournament)
            state = await friend.told(request, m.TournamentState)
            if state.ended_ms is not None:
                return
            if state.phase == "running" and not is_watching:
                observe = m.Observe(id=0, table=tournament)
                is_watching = await friend.ask(observe, m.Snapshot, done=_NOT_YET) is not None
            await asyncio.sleep(AGAIN_S)


# --- what must hold -------------------------------------------------------------------------------------------------


def read_hosts(database_url: str) -> dict[str, int]:
    """The accounts of the hosts of all private sit-and-gos, by tournament. Blocks."""
    with psycopg.connect(database_url) as connection:
        query = "SELECT tournament, host FROM hosted_tables WHERE tournament IS NOT NULL"
        return dict(connection.execute(query).fetchall())


def check_sit_and_gos(
    promised: Mapping[str, Promised],
    played: Collection[Played],
    hosts: Mapping[str, int],
    accounts: Mapping[str, int],
    blame: Blame,
) -> None:
    """C4, C5, C8: see the module. `accounts` are those of all names. All circles have stopped."""
    names = {account: name for name, account in accounts.items()}
    private = {one.tournament: one for one in played if one.tournament.startswith(PRIVATE)}
    for tournament in private.keys() | hosts.keys() | promised.keys():
        one, told = private.get(tournament), promised.get(tournament)
        if one is None or tournament not in hosts:
            blame("C4", tournament, "", "a private sit-and-go without its host's row, or a row without it")
        elif told is None:
            blame("C8", tournament, "", f"it was left {one.phase}: no circle knows of it")
        else:
            for check, line in _broken(told, one, names[hosts[tournament]], names):
                blame(check, tournament, "", line)


def _broken(told: Promised, one: Played, host: str, names: Mapping[int, str]) -> Sequence[tuple[str, str]]:
    wrong = []
    phase = "cancelled" if told.ending == "cancelled" else "finished"
    players = {names[account] for account in one.players}
    if one.phase != phase:
        wrong.append(("C8", f"it is {one.phase}, its end was to be: {told.ending}"))
    if host != told.host:
        wrong.append(("C4", f"its host is {host}, and was {told.host}"))
    if phase == one.phase == "finished" and players != set(told.players):
        wrong.append(("C5", f"its players are {sorted(players)}, and entries had {sorted(told.players)}"))
    return wrong

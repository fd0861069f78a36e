"""Private sit-and-gos in a simulated room: some people host them and tell the links; others ask uninvited.

In half of the runs people have clubs, of which members play sit-and-gos for chips of the club (`fellows`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from msgspec import structs

from pokerroom.ledger.transfers import GENESIS
from pokerroom.ops.config import parse
from pokerroom.simulation import clubs
from pokerroom.simulation.checks.club_sit_and_gos import ClubSitAndGoChecker
from pokerroom.simulation.checks.private_sit_and_gos import PrivateSitAndGoChecker
from pokerroom.simulation.checks.referee import AnsweredRequest
from pokerroom.simulation.clock import VirtualClock
from pokerroom.simulation.scenario import Scenario, limits, toml
from pokerroom.simulation.sit_and_gos import fellows
from pokerroom.simulation.sit_and_gos.entrant import Entrant
from pokerroom.simulation.sit_and_gos.game import SIT_AND_GO
from pokerroom.simulation.sit_and_gos.referee import SitAndGoReferee
from pokerroom.simulation.sit_and_gos.scenario import ONE_TABLE, client_plan
from pokerroom.simulation.streams import Stream, stream
from pokerroom_protocol import messages as wire
from pokerroom_protocol.session import Happening
from pokerroom_protocol.table_view import tournament_of

REMOVES: Final = 0.06
"""How often a host removes a guest, of each time that it looks."""


class PrivateEntrant(Entrant):
    """Hosts a private sit-and-go if its plan says so, and enters those of which it knows the link."""

    @cached_property
    def _known(self) -> dict[str, None]:
        """Those in which it may enter, as far as it knows."""
        return {}

    @cached_property
    def _void(self) -> set[str]:
        """Codes that do not let it in: more tries would count as guesses."""
        return set()

    def _happened(self, happening: Happening) -> None:
        super()._happened(happening)
        if isinstance(happening, wire.TournamentEnded):
            self._over(tournament_of(happening.table))

    def _entered(self, answer: wire.Authenticated) -> None:
        super()._entered(answer)
        self.wish(wire.GetHostedTables(id=0))
        clubs.came(self)

    def _answered(self, request: wire.ClientMessage, answer: wire.ServerMessage) -> None:
        super()._answered(request, answer)
        fellows.answered(self, request, answer, self._known)
        match answer:
            case wire.PrivateSitAndGo():
                self._told([answer.sit_and_go])
                if isinstance(request, wire.ChangeSitAndGo) and request.order == "cancel":
                    self._over(request.tournament)
            case wire.HostedTables():
                self._told(answer.sit_and_gos)
            case wire.Error(code="unknown_link") if isinstance(request, wire.FindTable):
                self._void.add(request.code)
            case wire.Error(code="registration_closed" | "unknown_tournament"):
                tournament = str(getattr(request, "tournament", ""))
                self._known.pop(tournament, None)
                if isinstance(request, wire.ChangeSitAndGo):
                    self._over(tournament)
            case _:
                pass

    def _told(self, views: Sequence[wire.PrivateSitAndGoView]) -> None:
        for view in views:
            self._known[view.tournament] = None
            if view.code is not None:
                self.world.invitations.links[view.tournament] = view.code, view.host
                self.world.invitations.guests[view.tournament] = view.guests or []

    def _over(self, tournament: str) -> None:
        self._known.pop(tournament, None)
        self.world.invitations.links.pop(tournament, None)

    def _look_for_a_seat(self) -> None:
        if not self.resumed or self.world.dice.quiet:
            return
        draw, links = self.stream, self.world.invitations.links
        own = [one for one, (_, host) in links.items() if host == self.account.name]
        if self.plan.hosts and not own:
            self.wish(_sit_and_go(draw, self.world.fellowship.stream))
        for tournament in own:
            self._order(tournament, draw.random())
            self._remove(tournament)
        self._use_links(draw)
        fellows.look_around(self, lambda drawn: _sit_and_go(drawn, drawn))
        if draw.random() < 0.1:
            self.ask(wire.ListTournaments(id=0))

    def _use_links(self, draw: Stream) -> None:
        links = self.world.invitations.links
        for tournament, (code, _) in list(links.items()):
            roll = draw.random()
            if roll < 0.2 and tournament not in self._known and code not in self._void:
                self.wish(wire.FindTable(id=0, code=code))
            elif roll < 0.3:  # perhaps uninvited
                self.ask(wire.RegisterTournament(id=0, tournament=tournament))
                self.ask(wire.GetTournament(id=0, tournament=tournament))
        for tournament in list(self._known):
            roll = draw.random()
            if roll < 0.6:
                self.wish(wire.RegisterTournament(id=0, tournament=tournament))
            elif roll < 0.63:
                self.wish(wire.UnregisterTournament(id=0, tournament=tournament))

    def _remove(self, tournament: str) -> None:
        draw = self.world.invitations.removals
        names = self.world.invitations.guests.get(tournament)
        if names and draw.random() < REMOVES:
            table = f"host:{tournament.removeprefix('private:').partition('.')[0]}"
            self.wish(wire.RemovePlayer(id=0, table=table, name=draw.choice(names)))

    def _order(self, tournament: str, roll: float) -> None:
        if roll < 0.25:
            self.wish(wire.ChangeSitAndGo(id=0, tournament=tournament, order="start"))
        elif roll < 0.32:
            self.wish(wire.ChangeSitAndGo(id=0, tournament=tournament, order="new_link"))
        elif roll < 0.35:
            self.wish(wire.ChangeSitAndGo(id=0, tournament=tournament, order="cancel"))


FREE: Final = 0.2
"""So many of the sit-and-gos cost nothing."""


def _sit_and_go(draw: Stream, chance: Stream) -> wire.CreateSitAndGo:
    """Draw what a host chooses; `chance` says whether the entry is free."""
    made = _with_prizes(draw)
    return structs.replace(made, buy_in=0, prize_shares=[]) if chance.random() < FREE else made


def _with_prizes(draw: Stream) -> wire.CreateSitAndGo:
    seats = draw.randint(2, 6)
    paid = draw.randint(1, min(3, seats))
    levels, blind = list[wire.PrivateLevel](), draw.choice([5, 10, 20])
    for _ in range(draw.randint(1, 3)):
        ante = draw.choice([0, 0, 2 * blind])
        length_s = draw.randint(20, 60)
        levels.append(
            wire.PrivateLevel(small_blind=blind, big_blind=2 * blind, length_s=length_s, big_blind_ante=ante)
        )
        blind *= 2
    return wire.CreateSitAndGo(
        id=0,
        name="of friends",
        seats=seats,
        buy_in=draw.choice([100, 303]),
        starting_stack=draw.choice([200, 500]),
        levels=levels,
        prize_shares={1: [10_000], 2: [7_000, 3_000], 3: [5_000, 3_000, 2_000]}[paid],
        structure=draw.choice(["no_limit", "pot_limit"]),
        action_clock_s=draw.randint(5, 8),
        chat=draw.random() < 0.5,
    )


def private_scenario(seed: int) -> Scenario:
    """A few hosts with one sit-and-go each at a time, and their friends."""
    draw = stream(seed, "private sit-and-gos")
    hosting = toml("[hosting]", {"tables_per_account": draw.randint(1, 2)})
    config = parse(
        "\n".join([limits(draw, [32_768, 65_536], []), hosting, ONE_TABLE]), "the settings of a simulation"
    )
    pauses = draw.random()
    people = [client_plan(draw, number, ["none"], pauses) for number in range(1, draw.randint(3, 8) + 1)]
    hosts = draw.randint(1, 2)
    return Scenario(
        config=config,
        people=tuple(replace(one, wanted=(), hosts=n < hosts) for n, one in enumerate(people)),
        operated=draw.random() < 0.3,
    )


class PrivateSitAndGoReferee(SitAndGoReferee):
    """Judges also who was let in, and the chips of clubs."""

    def __init__(self, *, clock: VirtualClock, total: int) -> None:
        super().__init__(clock=clock, total=total)
        self._private = PrivateSitAndGoChecker(self._blame)
        self._clubs = ClubSitAndGoChecker(self._blame)

    def booked(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        self._private.booked(name, args, result)
        if name == "enter" and self._private.was_removed(*args[:2]):
            return  # said again: the entry was returned with the removal
        super().booked(name, args, result)
        self._clubs.booked(name, args, result)
        if name == "remove_guest" and result.tournament is not None:
            for account, number in self._private.entries_of_removed(result.tournament):
                super().booked("return_entry", (result.tournament, account, number), None)
                self._clubs.booked("return_entry", (result.tournament, account, number), None)

    def _answered(self, asked: AnsweredRequest, answer: wire.ServerMessage) -> None:
        super()._answered(asked, answer)
        self._private.answered(asked.account, answer)


PRIVATE: Final = replace(
    SIT_AND_GO,
    scenario=private_scenario,
    referee=lambda _plan, clock, _strict: PrivateSitAndGoReferee(clock=clock, total=GENESIS),
    client=PrivateEntrant,
    client_stream="private entrant",
)

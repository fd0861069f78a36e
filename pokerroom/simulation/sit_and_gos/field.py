"""One large tournament in a simulated room: as many players as asked for, at tables of nine, and nothing else.

A room with thousands of clients does little else than answer them. So these ask seldom, keep the seat that
they have, since a field would never be full else, and watch no longer once they are out.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Final

from pokerroom.ops.config import parse
from pokerroom.ops.config_sit_and_go import FIELD_MAX
from pokerroom.rules.tournament.prize_table import paid_places, prize_table
from pokerroom.rules.tournament.prizes import prize_pool
from pokerroom.simulation.client import TICK_S
from pokerroom.simulation.game import SimulatedGame
from pokerroom.simulation.scenario import Scenario, account_plan, limits, toml
from pokerroom.simulation.sit_and_gos.entrant import Entrant
from pokerroom.simulation.sit_and_gos.game import SIT_AND_GO
from pokerroom.simulation.sit_and_gos.scenario import ONE_TABLE, RICH, client_plan
from pokerroom.simulation.streams import stream
from pokerroom_protocol import messages as wire
from pokerroom_protocol.session import Answered, Happening

SELDOM: Final = 10.0
"""A client of a field looks around so many times less often."""

_STACK: Final = 500
_LAST_STACKS: Final = 8
"""The levels rise until all chips of the field are so many small blinds."""


class FieldEntrant(Entrant):
    """See the module. It connects again as fast as other clients do."""

    _registered = False

    def _happened(self, happening: Happening) -> None:
        super()._happened(happening)
        match happening:
            case Answered(answer=wire.SngRegistered()) | wire.SngStarted():
                self._registered = True
            case wire.SngRefunded():
                self._registered = False
            case _:
                pass
        if isinstance(happening, wire.HandEnded):
            known = self.session.tables.get(happening.table)
            if known is not None and known.your_seat is None:
                self.wish(wire.Unobserve(id=0, table=happening.table))

    def _look_for_a_seat(self) -> None:
        if not self._registered:
            super()._look_for_a_seat()

    def _leave(self, offer: str) -> None:
        """Stay: see the module."""

    def _plan_tick(self) -> None:
        self.world.clock.callLater(self.stream.uniform(0.5, 1.5) * SELDOM * TICK_S, self._tick)


def field_scenario(players: int, seed: int) -> Scenario:
    """The scenario of a seed."""
    draw = stream(seed, "field")
    blind, levels = 10, list[dict[str, int]]()
    while not levels or blind * _LAST_STACKS < _STACK * players:
        levels.append({"small_blind": blind})
        blind *= 2
    lines: dict[str, object] = {
        "id": "m1",
        "seats": min(players, FIELD_MAX),
        "seats_per_table": 9,
        "seats_per_address": 0,
        "buy_in": 300,
        "fee": 60,
        "payout": "standard",
        "starting_stack": _STACK,
        "level_s": 60,
        "action_clock_s": 3,
        "countdown_s": 3,
        "hand_pause_ms": 500,
        "levels": levels,
    }
    text = [limits(draw, [65_536], []), ONE_TABLE, toml("[[sit_and_go]]", lines)]
    config = parse("\n".join(text), "the settings of a simulation")
    (offer,) = config.sit_and_gos
    pool = prize_pool(players, offer.buy_in, offer.fee)
    prizes = prize_table(pool, places=paid_places(players, players), entries=players)
    config = replace(
        config,
        limits=replace(config.limits, connections_max=2 * players + 100),  # some have two devices for a while
        sit_and_gos=(replace(offer, seats=players, prizes=prizes),),
    )
    pauses = draw.random()
    people = [
        replace(client_plan(draw, number, ["m1"], pauses), accounts=(account_plan(f"p{number}", RICH),))
        for number in range(1, players + 1)
    ]
    return Scenario(config=config, people=tuple(people), operated=False)


def field_of(players: int) -> SimulatedGame[Any]:
    """The game with a field of so many players."""
    return replace(
        SIT_AND_GO,
        scenario=partial(field_scenario, players),
        client=FieldEntrant,
        client_stream="field",
        may_have_wallet=False,
    )

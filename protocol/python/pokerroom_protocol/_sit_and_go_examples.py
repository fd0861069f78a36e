"""One example of every message of sit-and-gos around their tables. See `_examples`."""

from __future__ import annotations

from typing import Final

from . import messages as m

_LEVELS: Final = [
    m.SngLevel(small_blind=10, big_blind=20, length=300),
    m.SngLevel(small_blind=15, big_blind=30, length=300, ante=5, break_s=60),
]
_FIXED: Final = [m.SngLevel(small_blind=10, big_blind=20, length=10, small_bet=20, big_bet=40)]

SIT_AND_GO_CLIENT_EXAMPLES: Final[tuple[m.ClientMessage, ...]] = (
    m.ListSitAndGos(id=30),
    m.RegisterSng(id=31, offer="six"),
    m.UnregisterSng(id=32, offer="six"),
    m.GetStandings(id=33, tournament="six.17"),
)

SIT_AND_GO_SERVER_EXAMPLES: Final[tuple[m.ServerMessage, ...]] = (
    m.SitAndGos(
        re=30,
        sit_and_gos=[
            m.SitAndGoInfo(
                offer="six",
                name="Six players 3.00",
                game="holdem",
                structure="no_limit",
                seats=6,
                buy_in=300,
                fee=60,
                prizes=[1_000, 440],
                starting_stack=1_500,
                level_unit="seconds",
                levels=_LEVELS,
                filling=[m.SngFilling(tournament="six.18", taken=4)],
                running=[m.SngRunning(tournament="six.17", left=3)],
                running_count=1,
                your_tournament="six.18",
            ),
            m.SitAndGoInfo(
                offer="limit-two",
                name="Heads-up, fixed limit",
                game="holdem",
                structure="fixed_limit",
                seats=2,
                buy_in=1_000,
                fee=0,
                prizes=[2_000],
                starting_stack=500,
                level_unit="hands",
                levels=_FIXED,
                filling=[],
                running=[],
                running_count=0,
            ),
        ],
    ),
    m.SngRegistered(re=31, offer="six", tournament="six.18", buy_in=300),
    m.Standings(
        re=33,
        tournament="six.17",
        offer="six",
        phase="running",
        seats=6,
        buy_in=300,
        fee=60,
        prizes=[1_000, 440],
        players=[
            m.SngPlayer(name="ada", seat=1, stack=2_500),
            m.SngPlayer(name="bob", seat=2, stack=0),
            m.SngPlayer(name="eve", seat=3, stack=1_500),
            m.SngPlayer(name="kim", seat=4, stack=0),
            m.SngPlayer(name="lou", seat=5, stack=3_000),
            m.SngPlayer(name="max", seat=6, stack=2_000),
        ],
        places=[
            m.SngPlace(number=5, place=5, name="kim", prize=0, paid=False),
            m.SngPlace(number=6, place=5, name="bob", prize=0, paid=False),
        ],
    ),
    m.Standings(
        re=33,
        tournament="limit-two.1",
        offer="limit-two",
        phase="registering",
        seats=2,
        buy_in=1_000,
        fee=0,
        prizes=[2_000],
        players=[m.SngPlayer(name="ada")],
        places=[],
    ),
    m.SngStarted(tournament="six.18", table="six.18", seat=4),
    m.SngPrizePaid(tournament="six.18", place=2, prize=440),
    m.SngRefunded(tournament="six.18", amount=300, reason="cancelled"),
)

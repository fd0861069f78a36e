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
    m.LevelStarted(
        table="six.17",
        seq=40,
        level=m.LevelView(level=2, small_blind=15, big_blind=30, ante=5, ends_ms=1_760_000_300_000),
    ),
    m.LevelStarted(
        table="limit-two.1",
        seq=41,
        level=m.LevelView(
            level=1, small_blind=10, big_blind=20, small_bet=20, big_bet=40, hands_left=10, big_blind_ante=20
        ),
    ),
    m.BreakStarted(table="six.17", seq=42, until_ms=1_760_000_060_000),
    m.BreakEnded(
        table="six.17",
        seq=43,
        level=m.LevelView(level=3, small_blind=25, big_blind=50, ends_ms=1_760_000_360_000),
    ),
    m.TournamentPaused(table="six.17", seq=44),
    m.TournamentResumed(
        table="six.17",
        seq=45,
        level=m.LevelView(level=3, small_blind=25, big_blind=50),
        break_until_ms=1_760_000_090_000,
    ),
    m.PlayerPlaced(table="six.17", seq=46, seat=5, name="kim", number=2, place=2, prize=440),
    m.TournamentEnded(table="six.17", seq=47, phase="finished"),
    m.Snapshot(
        table="six.17",
        seq=48,
        info=m.TableInfo(
            table="six.17",
            name="Six players 3.00",
            game="holdem",
            structure="no_limit",
            small_blind=15,
            big_blind=30,
            min_buy_in=0,
            max_buy_in=0,
            seats=6,
            occupied=2,
            players=2,
            ante=5,
            offer="six",
        ),
        seats=[
            m.SeatView(seat=1, name="ada", stack=4_000, status="playing", connected=True),
            m.SeatView(
                seat=4,
                name="lou",
                stack=5_000,
                status="away",
                connected=False,
                gone_since_ms=1_760_000_000_000,
            ),
        ],
        hand=None,
        your_seat=1,
        tournament=m.TournamentView(
            phase="running",
            seats=6,
            prizes=[1_000, 440],
            level=m.LevelView(level=2, small_blind=15, big_blind=30, ante=5, ends_ms=1_760_000_300_000),
            paused=False,
            break_until_ms=1_760_000_060_000,
            places=[m.TournamentPlace(number=3, place=3, name="kim", prize=0)],
        ),
    ),
)

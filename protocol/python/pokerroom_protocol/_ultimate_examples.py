"""One example of every message of Ultimate Texas Hold'em, for `_examples`. Plain data."""

from __future__ import annotations

from typing import Final

from . import messages as m

__all__ = ["ULTIMATE_CLIENT_EXAMPLES", "ULTIMATE_SERVER_EXAMPLES"]

_NOW: Final = 1_767_225_600_000
_LIVE: Final = "ultimate-live-1"
_ROUND: Final = "20260101-00:00:00-000042"

_ULTIMATE: Final = m.UltimateInfo(
    table=_LIVE,
    name="Ultimate 1 to 100",
    seating="boxes",
    qualification="any_pair",
    boxes=6,
    ante_min=100,
    ante_max=10_000,
    trips_min=100,
    trips_max=10_000,
    blind_pays=[m.PayRow(hand="royal_flush", pays=500, to=1), m.PayRow(hand="flush", pays=3, to=2)],
    trips_pays=[m.PayRow(hand="three_of_a_kind", pays=3, to=1)],
    progressive=m.ProgressiveInfo(
        stake=100,
        prizes=[m.Prize(hand="royal_flush", meter_bps=10_000), m.Prize(hand="full_house", amount=5_000)],
        envy_prize=100_000,
    ),
    chips=[100, 500, 1_000, 2_500, 10_000, 50_000],
    betting_ms=20_000,
    decision_ms=15_000,
    presence=False,
    occupied=2,
    players=2,
)
_SLIP: Final = m.SlipView(
    bets=[m.SlipBet(box=2, ante=200, trips=100), m.SlipBet(box=5, ante=100, play=4)],
    total=1_100,
    balance=50_000,
    can_undo=True,
)
_BOXES: Final = [
    m.BoxBetsView(box=2, name="alice", ante=200, trips=100),
    m.BoxBetsView(box=5, name="alice", ante=100, play=400, extra=True, status="played"),
]

ULTIMATE_CLIENT_EXAMPLES: Final[tuple[m.ClientMessage, ...]] = (
    m.TakePlace(id=16, table=_LIVE, box=2),
    m.PlaceBet(id=17, table=_LIVE, bet="ante", amount=200),
    m.PlaceBet(id=17, table=_LIVE, bet="trips", amount=100, box=5),
    m.ChoosePlay(id=18, table=_LIVE, box=5, multiple=4),
    m.ChangeBets(id=19, table=_LIVE, action="double"),
    m.ChangeBets(id=19, table=_LIVE, action="undo_all"),
    m.Decide(id=20, table=_LIVE, round_id=_ROUND, seq=7, box=2, decision="play", multiple=4),
    m.Decide(id=20, table=_LIVE, round_id=_ROUND, seq=7, box=2, decision="check"),
    m.GiveTip(id=21, table=_LIVE, amount=50),
)

ULTIMATE_SERVER_EXAMPLES: Final[tuple[m.ServerMessage, ...]] = (
    m.Tables(re=4, tables=[], ultimate=[_ULTIMATE]),
    m.Slip(re=17, table=_LIVE, slip=_SLIP),
    m.UltimateSnapshot(
        table=_LIVE,
        seq=1,
        info=_ULTIMATE,
        places=[m.PlaceView(box=2, name="alice", connected=True)],
        light=m.LightView(light="yellow", closes_ms=_NOW + 5_000),
        round=None,
        your_box=2,
        meter=1_000_000,
        your_slip=_SLIP,
        re=16,
    ),
    m.UltimateSnapshot(
        table=_LIVE,
        seq=7,
        info=_ULTIMATE,
        places=[m.PlaceView(box=2, name="alice", connected=True)],
        light=m.LightView(light="red", closes_ms=None),
        round=m.RoundView(
            round_id=_ROUND,
            street="flop",
            boxes=_BOXES,
            board=["2c", "7h", "Qs"],
            hands=[m.BoxCards(box=2, cards=["As", "Td"])],
            decisions=m.DecisionsView(
                seq=7, boxes=[2], check=True, fold=False, multiples=[2], deadline_ms=_NOW + 15_000
            ),
        ),
        your_box=2,
    ),
    m.PlaceTaken(table=_LIVE, seq=1, box=2, name="alice"),
    m.PlaceChanged(table=_LIVE, seq=2, box=2, connected=False),
    m.PlaceLeft(table=_LIVE, seq=30, box=2, name="alice"),
    m.LightChanged(table=_LIVE, seq=2, light="green", closes_ms=_NOW + 20_000),
    m.LightChanged(table=_LIVE, seq=4, light="red", closes_ms=None),
    m.BetsRefused(
        table=_LIVE,
        seq=5,
        refused=[m.RefusedBet(box=2, bet="trips", amount=50, code="below_minimum")],
    ),
    m.BetsRefused(table=_LIVE, seq=5),
    m.RoundStarted(table=_LIVE, seq=6, round_id=_ROUND, boxes=_BOXES),
    m.HandsDealt(table=_LIVE, seq=7, round_id=_ROUND, hands=[m.BoxCards(box=2, cards=["As", "Td"])]),
    m.HandsDealt(table=_LIVE, seq=7, round_id=_ROUND),
    m.Decisions(
        table=_LIVE,
        seq=8,
        round_id=_ROUND,
        boxes=[2],
        check=True,
        fold=False,
        multiples=[3, 4],
        deadline_ms=_NOW + 15_000,
    ),
    m.Decided(table=_LIVE, seq=9, round_id=_ROUND, box=2, decision="play", amount=800),
    m.Decided(table=_LIVE, seq=9, round_id=_ROUND, box=2, decision="check", automatic=True),
    m.BoardDealt(table=_LIVE, seq=10, round_id=_ROUND, street="flop", cards=["2c", "7h", "Qs"]),
    m.TipGiven(table=_LIVE, seq=11, round_id=_ROUND, name="alice", amount=50),
    m.RoundEnded(
        table=_LIVE,
        seq=13,
        round_id=_ROUND,
        boxes=[
            m.BoxResult(
                box=2,
                name="alice",
                outcome="won",
                bets=[
                    m.BetResult(bet="ante", staked=200, paid=200),
                    m.BetResult(bet="blind", staked=200, paid=200),
                    m.BetResult(bet="play", staked=800, paid=1_600),
                    m.BetResult(bet="trips", staked=100, paid=0),
                ],
                cards=["As", "Td"],
                hand="pair",
            )
        ],
        bank=m.BankResult(cards=["3h", "4h"], hand="high_card", qualifies=False),
        meter=1_000_015,
    ),
    m.RoundEnded(
        table=_LIVE,
        seq=13,
        round_id=_ROUND,
        boxes=[
            m.BoxResult(
                box=2, name="alice", outcome="void", bets=[m.BetResult(bet="ante", staked=200, paid=200)]
            )
        ],
        void=True,
    ),
)

"""One example of every message about an account, for `_examples`. Plain data."""

from __future__ import annotations

from typing import Final

from . import messages as m

__all__ = ["ACCOUNT_CLIENT_EXAMPLES", "ACCOUNT_SERVER_EXAMPLES"]

_NOW: Final = 1_767_225_600_000
_HAND: Final = "01J8ZQ4M3T7K9V2X5B6N8C0DEF"
_ROUND: Final = "20260101-00:00:00-000042"
_KEY: Final = "5f0c2a9e-77aa-4f6e-9d6b-0c1d2e3f4a5b"

ACCOUNT_CLIENT_EXAMPLES: Final[tuple[m.AccountMessage, ...]] = (
    m.GetSettings(id=30),
    m.ChangeSettings(id=31, language="pl", chat=False, sounds=40),
    m.GetHistory(id=32),
    m.GetHistory(id=33, before=4_711, limit=100),
    m.GetHand(id=34, hand_id=_HAND),
    m.GetRound(id=35, round_id=_ROUND),
    m.GetCashier(id=36),
    m.RequestDeposit(id=37, key=_KEY, amount=50_000, source="cash"),
    m.RequestWithdrawal(id=38, key=f"w-{_KEY[:8]}", amount=12_500, source="cash"),
)

_WITHDRAWAL: Final = m.CashRequestView(
    key=f"w-{_KEY[:8]}", kind="withdrawal", amount=12_500, source="cash", state="waiting", asked_ms=_NOW
)

ACCOUNT_SERVER_EXAMPLES: Final[tuple[m.ServerMessage, ...]] = (
    m.Settings(re=31, settings=m.AccountSettings(language="pl", chat=False, sounds=40)),
    m.History(
        re=32,
        entries=[
            m.HistoryEntry(
                game="ultimate",
                id=_ROUND,
                table="ultimate-1",
                at_ms=_NOW + 40_000,
                stake=600,
                win=1_100,
                tip=50,
            ),
            m.HistoryEntry(
                game="sit_and_go", id="six.17", table="six.17", at_ms=_NOW, stake=300, win=1_000, place=1
            ),
            m.HistoryEntry(game="holdem", id=_HAND, table="nl-6max-1", at_ms=_NOW - 1, stake=600, win=0),
        ],
        before=4_711,
    ),
    m.HandHistory(
        re=34,
        hand=m.HandHistoryView(
            hand_id=_HAND,
            table="nl-6max-1",
            structure="no_limit",
            small_blind=100,
            big_blind=200,
            started_ms=_NOW - 30_000,
            ended_ms=_NOW - 1,
            button=1,
            your_seat=4,
            seats=[
                m.HandHistorySeat(seat=4, name="bob", stack=8_000, end=7_800, cards=["7c", "7d"]),
                m.HandHistorySeat(seat=1, name="alice", stack=20_000, end=20_200),
            ],
            steps=[
                m.HandStep(what="post", seat=1, amount=100, kind="small_blind"),
                m.HandStep(what="post", seat=4, amount=200, kind="big_blind"),
                m.HandStep(what="raise", seat=1, amount=500, bet=600),
                m.HandStep(what="fold", seat=4, bet=200),
                m.HandStep(what="uncalled", seat=1, amount=400),
                m.HandStep(what="award", amount=400, pot=0, shares=[m.Share(seat=1, amount=400)]),
            ],
        ),
    ),
    m.RoundHistory(
        re=35,
        round=m.RoundHistoryView(
            round_id=_ROUND,
            table="ultimate-1",
            started_ms=_NOW,
            ended_ms=_NOW + 40_000,
            your_boxes=[2],
            boxes=[
                m.BoxResult(
                    box=2,
                    name="alice",
                    outcome="won",
                    bets=[
                        m.BetResult(bet="ante", staked=100, paid=200),
                        m.BetResult(bet="blind", staked=100, paid=100),
                        m.BetResult(bet="play", staked=400, paid=800),
                    ],
                    cards=["As", "Kd"],
                    hand="pair",
                )
            ],
            decisions=[m.BoxDecision(box=2, street="preflop", decision="play", amount=400)],
            board=["Ac", "7h", "2d", "9s", "3c"],
            bank=m.BankResult(cards=["7c", "4d"], hand="pair", qualifies=True),
            stake=600,
            win=1_100,
            tip=50,
        ),
    ),
    m.Cashier(re=36, balance=937_500, held=12_500, sources=["cash"], requests=[_WITHDRAWAL]),
    m.CashRequested(re=38, request=_WITHDRAWAL),
)

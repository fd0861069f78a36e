"""Histories of hands that simulated rooms have played: amounts as in the ledger, and no card that was not shown."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from pokerroom.history.hidden_cards import with_hidden_cards
from pokerroom.history.redaction import hand_history, history_entry, visible_hand
from pokerroom.ledger.account_history import PlayedHand
from pokerroom.ledger.api import HandSettlement
from pokerroom.simulation.checks.poker_referee import PokerReferee
from pokerroom.simulation.faults import NONE
from pokerroom.simulation.run import run
from pokerroom.table.seal import Seal

HANDS = 60
SEAL = Seal(bytes(32))
EXPECTED = {"post", "fold", "check", "call", "raise", "street", "uncalled", "shown", "mucked", "award"}


@pytest.mark.parametrize("seed", [5])
def test_every_player_of_every_hand_can_read_it(monkeypatch, seed):
    """Stake and win differ by the change of the stack; of others a player sees what was turned up, and no more."""
    settled: list[HandSettlement] = []
    real = PokerReferee.booked

    def hear(referee: PokerReferee, name: str, args: tuple[Any, ...], result: Any) -> None:
        settled.extend(args[0] if name == "settle" else [])
        real(referee, name, args, result)

    monkeypatch.setattr(PokerReferee, "booked", hear)
    run(seed, HANDS, NONE)
    seen: Counter[Any] = Counter()
    for settlement in settled:
        record = json.loads(settlement.record)
        stored = json.dumps(with_hidden_cards(record, SEAL)).encode()
        holes = {seat["seat"]: seat["cards"] for seat in record["seats"]}
        shown = {event[1] for event in record["events"] if event[0] == "show"}
        for account, delta in settlement.deltas:
            played = PlayedHand(
                number=1,
                hand_id=settlement.hand_id,
                table=settlement.table,
                ended_ms=settlement.ended_ms,
                delta=delta,
                in_chips=False,
                record=stored,
            )
            entry = history_entry(played, account)
            assert entry.win - entry.stake == delta
            view = hand_history(visible_hand(stored, account, SEAL), account)
            for seat in view.seats:
                visible = seat.seat in shown or seat.seat == view.your_seat
                assert seat.cards == (holes[seat.seat] if visible else None)
                seen["hidden" if seat.cards is None else "visible"] += 1
            seen.update(step.what for step in view.steps)
    assert len(settled) >= HANDS
    assert {*EXPECTED, "hidden", "visible"} <= seen.keys()

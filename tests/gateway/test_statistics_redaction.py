"""Statistics of a whole room, counted again with other hidden cards: every answer has the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import msgspec
import pytest
from twisted.internet.defer import Deferred

from pokerroom.gateway.statistics import statistics
from pokerroom.history.hidden_cards import HAND_RECORDS, with_hidden_cards
from pokerroom.history.record import HandRecord, read_record
from pokerroom.history.statistics import tally
from pokerroom.history.statistics.hand import SeatStatistics, hand_statistics
from pokerroom.history.statistics.tally import tally_of
from pokerroom.history.story import HandStory
from pokerroom.ledger.account_history import SettledHand
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import Acting
from pokerroom.rules.cards import card_text
from pokerroom.rules.variants import variant_named
from pokerroom.simulation.faults import NONE
from pokerroom.simulation.games import GAMES
from pokerroom.simulation.run import play
from pokerroom.simulation.simulated_room import SimulatedRoom
from pokerroom.table.seal import Seal
from pokerroom_protocol import messages as wire
from tests.poker.support import now
from tests.rules.referee import Lcg

SEAL = Seal(bytes(32)).of(HAND_RECORDS)
BY = Acting(who="local:ann", reason="")
HANDS = 25


@cache
def played(game: str) -> MemoryLedger:
    """The ledger of a simulated room."""
    room = SimulatedRoom(7, GAMES[game], NONE, strict=False)
    room.open()
    play(room, HANDS)
    assert room.referee.violations == []
    return room.ledger


def dealt_anew(hand: SettledHand, lcg: Lcg, *, sealed: bool) -> SettledHand:
    """The hand, in which each player that showed nothing has other cards: any that spectators did not see."""
    record = msgspec.json.decode(hand.record)
    record.pop("hidden", None)
    variant = variant_named(record["game"])
    seen = {card for event in record["events"] if event[0] in {"flop", "turn", "river"} for card in event[1:]}
    seen |= {card for seat in record["seats"] for card in seat["cards"] or ()}
    deck = [text for text in map(card_text, variant.deck) if text not in seen]
    for seat in record["seats"]:
        if seat["cards"] is None:
            seat["cards"] = [deck.pop(lcg.below(len(deck))) for _ in range(variant.hole_cards)]
    stored = with_hidden_cards(record, SEAL) if sealed else record  # in clear, as older builds stored it
    return replace(hand, record=msgspec.json.encode(stored))


def answers(ledger: MemoryLedger) -> Iterator[bytes]:
    """All that accounts are told of themselves and of each other, by position, in a period, and in short."""
    names = now(ledger.account_names(list(range(1, 60))))
    ends = [{}, {"first_month": 197002}, {"last_month": 199912}]
    for account in sorted(names):
        asked: list[wire.GetStatistics | wire.GetOpponents] = [
            wire.GetStatistics(id=1, player=player, **months)
            for player in (None, *names.values())
            for months in ends
        ]
        asked += [
            wire.GetOpponents(id=1, players=list(names.values()), game=game) for game in ("holdem", "omaha")
        ]
        for message in asked:
            told = Deferred.fromCoroutine(statistics(ledger, message, account))
            yield msgspec.json.encode(now(told))


def counted(ledger: MemoryLedger, seed: int | None, *, sealed: bool = False) -> list[bytes]:
    """Count everything again, as it was dealt or with the hidden cards of a seed; the answers."""

    def count(hands: Sequence[SettledHand]) -> Any:
        if seed is None:
            return tally_of(hands)
        lcg = Lcg(seed)
        return tally_of([dealt_anew(hand, lcg, sealed=sealed) for hand in hands])

    now(ledger.reset_statistics(by=BY))
    step = now(ledger.count_statistics(count))
    assert (step.more, step.unread) == (False, ())
    return list(answers(ledger))


@pytest.mark.parametrize("game", ["holdem", "omaha", "sit_and_go"])
def test_hidden_cards_change_no_answer(game: str) -> None:
    """Own statistics, those of others, by position and month, the graph with all-in equity, and those at tables."""
    ledger = played(game)
    told = counted(ledger, None)
    for seed, sealed in ((1, False), (2, True)):
        assert counted(ledger, seed, sealed=sealed) == told
    all_ins = [stake["all_ins"] for text in told for stake in msgspec.json.decode(text).get("stakes", ())]
    assert (sum(all_ins) > 0) == (game != "sit_and_go")


def counts_aces(story: HandStory, *, in_chips: bool) -> list[SeatStatistics]:
    """A fault: counts with all cards that it is given."""
    found = hand_statistics(story, in_chips=in_chips)
    for one, seat in zip(found, story.seats.values(), strict=True):
        one.counters.expected += sum(card[0] == "A" for card in seat.cards or ())
    return found


def as_recorded(record: bytes, viewer: int | None, seal: Any) -> HandRecord:
    """A fault: no redaction."""
    return read_record(record)


def test_a_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that counts with the cards it is given tells others, unless it is given those alone that were shown."""
    ledger = played("holdem")
    monkeypatch.setattr(tally, "hand_statistics", counts_aces)
    redacted = [counted(ledger, seed) for seed in (1, 2)]
    assert redacted[0] == redacted[1]
    monkeypatch.setattr(tally, "visible_hand", as_recorded)
    leaking = [counted(ledger, seed) for seed in (1, 2)]
    assert leaking[0] != leaking[1]

"""What holds of the statistics of every hand, over random hands of all games."""

from __future__ import annotations

from itertools import pairwise

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.history.redaction import visible_hand
from pokerroom.history.statistics.hand import hand_statistics
from pokerroom.history.statistics.tally import tally_of
from pokerroom.history.story import story_of
from pokerroom.ledger.account_history import SettledHand
from pokerroom.ledger.statistics import COUNTED, Counters
from pokerroom.rules.rake import RakeTerms
from tests.effort import times
from tests.history.dealt import ENDED_MS, GAMES, dealt_hand
from tests.rules.referee import Lcg

RAKE = RakeTerms(bps=500, caps=((1, 300),), no_flop_no_drop=True, unit=1)
EXAMPLES = times(60)

hands = st.builds(
    lambda seed, game, raked: dealt_hand(Lcg(seed), game, rake=RAKE if raked else None),
    st.integers(0, 2**32),
    st.sampled_from(sorted(GAMES)),
    st.booleans(),
)

ACTS = {
    "vpip": "vpip_chances",
    "pfr": "vpip",
    "three_bets": "three_bet_chances",
    "folds_to_three_bet": "fold_to_three_bet_chances",
    "c_bets": "c_bet_chances",
    "folds_to_c_bet": "fold_to_c_bet_chances",
    "showdowns": "flops",
    "showdowns_won": "showdowns",
    "flops": "hands",
    "vpip_chances": "hands",
    "three_bet_chances": "vpip_chances",
    "fold_to_three_bet_chances": "pfr",
    "c_bet_chances": "pfr",
    "all_ins": "showdowns",
}
"""What cannot be counted more often than another thing."""


@given(hands)
@settings(max_examples=EXAMPLES)
def test_sums_and_bounds(dealt):
    """Acts are at most chances; results add up to the rake that was taken, expected ones too; no seat counts twice."""
    counted = hand_statistics(dealt.story(), in_chips=False)
    counters = [one.counters for one in counted]

    for act, chance in ACTS.items():
        assert all(0 <= getattr(one, act) <= getattr(one, chance) <= 1 for one in counters), act
    assert {one.account: one.counters.won for one in counted} == dict(dealt.settled.deltas)
    assert sum(one.won for one in counters) == -dealt.settled.rake
    assert sum(one.expected for one in counters) == -1000 * dealt.settled.rake
    assert sum(one.c_bet_chances for one in counters) <= 1
    blinds = [one.position for one in counted if one.position not in {"early", "middle"}]
    assert len(blinds) == len(set(blinds))


@given(hands, st.randoms(use_true_random=False))
@settings(max_examples=EXAMPLES)
def test_hidden_cards_count_nothing(dealt, order):
    """Hands that differ only in cards that were not turned up have the same statistics."""
    record = msgspec.json.decode(msgspec.json.encode(dealt.play.record(ENDED_MS)))
    shown = {event[1] for event in record["events"] if event[0] == "show"}
    hidden = [seat for seat in record["seats"] if seat["seat"] not in shown]
    cards = [seat["cards"] for seat in hidden]
    order.shuffle(cards)
    other = {**record, "seats": [dict(seat) for seat in record["seats"]]}
    for seat, holes in zip([s for s in other["seats"] if s["seat"] not in shown], cards, strict=True):
        seat["cards"] = holes

    def counted(of):
        visible = visible_hand(msgspec.json.encode(of), None, None)
        return msgspec.json.encode(hand_statistics(story_of(visible, number=1), in_chips=False))

    assert counted(other) == counted(record)


@given(hands, st.booleans())
@settings(max_examples=EXAMPLES)
def test_a_day_has_each_player_and_all_of_the_rake(dealt, in_chips):
    """Once, with the part of the rake that the record gives it; in a tournament there is none."""
    record = dealt.play.record(ENDED_MS)
    hand = SettledHand(
        number=1, hand_id="h1", table="T1", in_chips=in_chips, record=msgspec.json.encode(record)
    )
    played = tally_of([hand, hand]).played
    assert {key.day for key in played} == {ENDED_MS // 86_400_000}
    assert {key.account for key in played} == {account for account, _ in dealt.settled.deltas}
    assert all(
        (one.hands, one.tournament_hands) == ((0, 2) if in_chips else (2, 0)) for one in played.values()
    )
    assert sum(one.rake for one in played.values()) == 2 * dealt.settled.rake


def test_counters_add_up():
    """Adding counters adds each of them."""
    one = Counters(**{name: number for number, name in enumerate(COUNTED)})
    other = Counters(**{name: 100 * number for number, name in enumerate(COUNTED)})
    one.add(other)

    values = [getattr(one, name) for name in COUNTED]
    assert [b - a for a, b in pairwise(values)] == [101] * (len(COUNTED) - 1)

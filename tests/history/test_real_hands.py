"""Hands that real rooms, matches and televised tables dealt, replayed. Optional: the hands are not in this repository.

POKERROOM_RECORDED_HANDS names the folder that has them, as the eight .phhs files of the table below and others. What
anybody can check without them is `test_pokerkit_writes.py`, and the hands of `tests/rules/test_pokerkit.py`.

Every hand that ends otherwise than its source says is in the table below with the clause that makes the difference.
Nothing else may differ, and what is in the table must.
"""

import dataclasses
import os
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from pokerroom.history import replay as replaying
from pokerroom.history.files import documents
from pokerroom.history.phh import UnreadableHand, read
from pokerroom.history.replay import replay
from pokerroom.rules import showdown
from pokerroom.rules.betting import BettingRound, FixedLimit
from pokerroom.rules.variants import COMMUNITY_STREETS, HOLDEM, Variant
from tests.compiled import COMPILED

FOLDER = Path(os.environ.get("POKERROOM_RECORDED_HANDS", "/nonexistent"))
FILES = sorted(FOLDER.glob("*.phhs"))
ABSENT = pytest.mark.skipif(not FILES, reason="optional: POKERROOM_RECORDED_HANDS names no folder of hands")

COMPLETION = (
    "E2: after an all-in of less than half a bet the next raise completes the full bet, and who has acted may not "
    "raise. The source's dealer adds a whole bet to any all-in, and lets everybody raise on."
)
ODD_CHIPS_EACH = (
    "F3: of two odd chips the first two winners get one each. The source gives both to the first."
)
BOTH = f"{COMPLETION} {ODD_CHIPS_EACH}"
HALF_CHIPS = "F3: an odd chip goes to the first winner left of the button. The source splits it in halves."

EXCEPTIONS = {
    ("acpc_generated_unequal_stacks.phhs", "87"): ("stacks_differ", ODD_CHIPS_EACH),
    ("pluribus_nlhe.phhs", "136"): ("stacks_differ", HALF_CHIPS),
    ("acpc_generated_unequal_stacks.phhs", "240"): ("raise_too_large", BOTH),
    ("acpc_generated_unequal_stacks.phhs", "146"): ("raise_not_allowed", COMPLETION),
    **{
        ("acpc_generated_unequal_stacks.phhs", str(hand)): ("raise_too_large", COMPLETION)
        for hand in (
            *(
                17,
                18,
                26,
                41,
                46,
                50,
                52,
                55,
                65,
                77,
                93,
                95,
                97,
                106,
                118,
                122,
                138,
                154,
                156,
                163,
                169,
                174,
            ),
            *(185, 197, 202, 207, 213, 217, 226, 228, 238, 250, 255, 258, 262, 270, 280, 281, 283, 288),
            *(293, 300),
        )
    },
}
"""(file, hand): what replaying it says, and why ours is right by our rules."""


class AnyAllInIsARaise(FixedLimit):
    """The source's house rule in place of E2: every raise is one bet above the bet to match, and reopens."""

    __slots__ = ()
    name = "any_all_in_is_a_raise"

    def min_raise_to(self, betting: BettingRound) -> int:
        return betting.current_bet + betting.full_raise

    def max_raise_to(self, betting: BettingRound, facing: int) -> int:
        return betting.current_bet + betting.full_raise

    def is_full(self, betting: BettingRound, raise_to: int) -> bool:
        return True

    def reopens(self, betting: BettingRound, facing: int) -> bool:
        return True


SOURCES_HOLDEM = Variant(
    name="holdem by the source's rules",
    hole_cards=HOLDEM.hole_cards,
    streets=COMMUNITY_STREETS,
    deck=HOLDEM.deck,
    evaluator=HOLDEM.evaluator,
    combination=HOLDEM.combination,
    structures=frozenset([AnyAllInIsARaise.name]),
)


@ABSENT
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_hand_agrees_but_those_named(path):
    """Each recorded hand ends with its source's stacks, except those of the table, which differ as it says."""
    hands = list(documents(path))
    differing = {}
    for name, document in hands:
        assert not isinstance(document, UnreadableHand)
        replayed = replay(document)
        if not replayed.ok:
            differing[path.name, name] = replayed.error

    assert hands
    assert differing == {key: code for key, (code, _) in EXCEPTIONS.items() if key[0] == path.name}


@ABSENT
def test_how_many():
    """Every file of the table is there to be replayed, and one hand in fifty differs at most."""
    hands = Counter(path.name for path in FILES for _ in documents(path))

    assert {file for file, _ in EXCEPTIONS} <= set(hands)
    assert sum(hands.values()) >= max(2500, 50 * len(EXCEPTIONS))


def all_odd_chips_to_the_first(amount, eligible, ranks, _unit):
    """The source's house rule in place of F3."""
    best = max(ranks[player] for player in eligible)
    winners = [player for player in eligible if ranks[player] == best]
    share, odd = divmod(amount, len(winners))
    return ((winners[0], share + odd), *((player, share) for player in winners[1:]))


def played_by_the_sources_rules(document):
    """(stacks, error) of a hand with `AnyAllInIsARaise` where it is fixed limit."""
    written = read(document)
    if isinstance(written.structure, FixedLimit):
        bets = written.structure
        theirs = AnyAllInIsARaise(small_bet=bets.small_bet, big_bet=bets.big_bet)
        written = dataclasses.replace(written, variant=SOURCES_HOLDEM, structure=theirs)
    stacks, error, _ = replaying._played(written)  # private: the public function reads a file
    return stacks, error


@ABSENT
@pytest.mark.skipif(COMPILED, reason="compiled rules cannot be replaced from outside")
def test_by_the_sources_rules_they_agree(monkeypatch):
    """E2, F3: with the source's rule in place of the named clause, each exception ends with the source's stacks."""
    path = FOLDER / "acpc_generated_unequal_stacks.phhs"
    proven = 0
    for name, document in documents(path):
        _, why = EXCEPTIONS.get((path.name, name), (None, None))
        if why is None:
            continue
        with monkeypatch.context() as patched:
            if ODD_CHIPS_EACH in why:
                patched.setattr(showdown, "share_out", all_odd_chips_to_the_first)
            stacks, error = played_by_the_sources_rules(document)
        assert (name, error) == (name, None)
        assert stacks == document["finishing_stacks"]
        proven += 1
    assert proven == len(EXCEPTIONS) - 1


@ABSENT
def test_the_half_chips():
    """F3: the one hand with half chips differs by that half, for the two who split the pot."""
    document = dict(documents(FOLDER / "pluribus_nlhe.phhs"))["136"]
    replayed = replay(document)

    pairs = zip(replayed.finishing_stacks, replayed.expected, strict=True)
    assert sorted(ours - theirs for ours, theirs in pairs) == [Decimal("-0.5"), 0, 0, 0, 0, Decimal("0.5")]

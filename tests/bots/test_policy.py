"""The bots' policy: always legal, of every kind, and the same again for the same seed."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pokerroom.bots.policy import Options, Policy, SplitMix64

SEEDS = st.integers(0, 2**64 - 1)


@st.composite
def turns(draw) -> Options:
    """Every shape of turn: with and without a bet to call, with and without a raise, short stacks too."""
    check = draw(st.booleans())
    low, high = sorted(draw(st.tuples(st.integers(1, 10**6), st.integers(1, 10**6))))
    can_raise = draw(st.booleans())
    return Options(
        check=check,
        call_amount=0 if check else draw(st.integers(1, 10**6)),
        min_raise_to=low if can_raise else None,
        max_raise_to=high if can_raise else None,
    )


@given(SEEDS, st.lists(turns(), min_size=1, max_size=20))
def test_every_decision_is_legal(seed, asked):
    """Checks only where checking is allowed, calls only a bet, raises only within the range, whole amounts."""
    policy = Policy(seed)
    for options in asked:
        decision = policy.decide(options)
        match decision.action:
            case "check":
                assert options.check
            case "call":
                assert not options.check
            case "raise":
                assert options.min_raise_to <= decision.amount <= options.max_raise_to
                assert type(decision.amount) is int
            case "fold":
                assert not options.check
        assert (decision.amount is not None) == (decision.action == "raise")


@given(SEEDS, st.lists(turns(), max_size=20))
def test_a_seed_repeats_its_decisions(seed, asked):
    """Two policies of one seed decide alike."""
    one, other = Policy(seed), Policy(seed)

    assert [one.decide(options) for options in asked] == [other.decide(options) for options in asked]


def test_it_does_everything_sometimes():
    """Facing a bet it folds, calls, raises the least, raises in between, and goes all-in."""
    policy = Policy(7)
    facing = Options(check=False, call_amount=100, min_raise_to=200, max_raise_to=9_000)
    decisions = Counter(policy.decide(facing) for _ in range(5_000))
    amounts = {decision.amount for decision in decisions if decision.action == "raise"}

    assert {"fold", "call", "raise"} == {decision.action for decision in decisions}
    assert {200, 9_000} < amounts
    assert len(amounts) > 50


def test_splitmix64_gives_its_published_numbers():
    """The first numbers for the seed 1234567, as the generator's other implementations give them."""
    generator = SplitMix64(1_234_567)

    assert [generator.next() for _ in range(5)] == [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
        4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
    ]


@given(SEEDS, st.integers(1, 2**64))
def test_below_stays_below(seed, bound):
    """A drawn number is at least zero and below its bound."""
    assert 0 <= SplitMix64(seed).below(bound) < bound


def test_below_is_even():
    """Small bounds get each number about as often: 3 sigma context a third of 30,000."""
    generator = SplitMix64(3)
    counts = Counter(generator.below(3) for _ in range(30_000))

    assert all(abs(counts[number] - 10_000) < 250 for number in range(3))

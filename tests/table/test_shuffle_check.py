"""The daily check of the shuffle: the room's own passes, and shuffles with faults that were made by others do not."""

import random

import pytest
from structlog.testing import capture_logs
from twisted.internet.task import Clock

from pokerroom.table.shuffle import shuffled
from pokerroom.table.shuffle_check import DECKS, NEIGHBOURS_FAIR, PLACES_FAIR, ShuffleCheck, check_shuffle


def source(seed):
    """Bytes of a seed: what the test finds, it finds every time."""
    return random.Random(seed).randbytes


def own(seed):
    random_bytes = source(seed)
    return lambda cards: shuffled(cards, random_bytes)


def swapping(swap_of):
    """A shuffle that swaps each place, from the last to the second, with the place that `swap_of` draws."""

    def shuffle(cards):
        deck = list(cards)
        for last in range(len(deck) - 1, 0, -1):
            swap = swap_of(last)
            deck[last], deck[swap] = deck[swap], deck[last]
        return deck

    return shuffle


def with_modulo_bias(seed):
    """Each swap is a byte modulo the choices, and no byte is refused."""
    random_bytes = source(seed)
    return swapping(lambda last: random_bytes(1)[0] % (last + 1))


def with_any(seed):
    """Each place is swapped with any place, not with one that is still open."""
    choose = random.Random(seed).randrange
    return swapping(lambda _last: choose(52))


def cut_only(seed):
    """Each card is at each place as often as the others, and always behind the same card."""
    choose = random.Random(seed).randrange

    def shuffle(cards):
        deck = list(cards)
        place = choose(len(deck))
        return deck[place:] + deck[:place]

    return shuffle


def each_place_in_turn(_seed):
    """Too even for chance: every card is at every place exactly as often."""
    turns = iter(range(10**9))

    def shuffle(cards):
        deck = list(cards)
        place = next(turns) % len(deck)
        return deck[place:] + deck[:place]

    return shuffle


def report_of(shuffle):
    check = ShuffleCheck(shuffle)
    check.count(DECKS)
    return check.report()


def test_k1_the_rooms_own_shuffle_is_fair():
    """K1: with both statistics near their mean, 51 x 51."""
    report = report_of(own(1))
    assert report.fair
    assert report.decks == DECKS
    assert all(abs(statistic - 2_601_000) < 250_000 for statistic in (report.places, report.neighbours))


def test_k1_each_statistic_finds_its_own_fault():
    """K1: a cut leaves neighbours together and puts each card anywhere."""
    report = report_of(cut_only(1))
    assert report.places in PLACES_FAIR
    assert report.neighbours > NEIGHBOURS_FAIR.stop


@pytest.mark.parametrize("faulty", [with_modulo_bias, with_any, cut_only, each_place_in_turn])
def test_k1_a_faulty_shuffle_is_found(faulty):
    """K1: the faults that shuffles of other programs have had."""
    assert not report_of(faulty(1)).fair


@pytest.mark.parametrize(
    ("shuffle", "word", "event", "level"),
    [(own(2), "fair", "shuffle.fair", "info"), (cut_only(2), "unfair", "shuffle.unfair", "critical")],
)
def test_the_check_runs_in_small_steps_and_is_told(shuffle, word, event, level):
    """Nothing is told before the last deck; then the log and the metric have it."""
    clock, told = Clock(), []
    with capture_logs() as logged:
        done = check_shuffle(clock, shuffle, told.append, decks=1005)
        while not done.called:
            assert told == []
            clock.advance(0.05)
    assert clock.seconds() > 4
    assert told == [word]
    assert [(entry["event"], entry["log_level"], entry["decks"]) for entry in logged] == [
        (event, level, 1005)
    ]

"""A run adds up its rounds, whatever they are cut into."""

import numpy as np
import pytest

from pokerroom.rules.ultimate.terms import Qualification
from pokerroom.simulation.ultimate.batch import Bank, draw, play
from pokerroom.simulation.ultimate.reference import PRACTICAL, SHARES, TRIPS_RETURN
from pokerroom.simulation.ultimate.run import BATCH, Tally, run_batches, simulate

ANY = Qualification.any_pair


def test_a_tally_is_the_sum_of_its_rounds():
    """Sums, squares and counts are those of the rounds that were played."""
    rounds = 1_000
    tally = run_batches(ANY, rounds, 5, range(1))

    stream = np.random.SeedSequence(5, spawn_key=(0,))
    played = play(draw(np.random.Generator(np.random.PCG64(stream)), rounds), Bank(ANY))
    assert (tally.rounds, tally.net) == (rounds, sum(played.net.tolist()))
    assert tally.squares == sum(net * net for net in played.net.tolist())
    assert tally.trips == sum(played.trips.tolist())
    assert tally.qualified == played.qualifies.tolist().count(True)
    assert tally.plays == {m: played.play.tolist().count(m) for m in (0, 1, 2, 4)}
    assert tally.deviation == pytest.approx(np.std(played.net) / 2)


def test_what_a_tally_says():
    """An Ante has two units: the EV, the return of Trips, the shares, and how far off it is."""
    tally = Tally(rounds=100, net=-20, trips=5, qualified=80)
    tally.plays.update({4: 40, 0: 60})

    assert tally.ev_per_ante == -0.1
    assert tally.trips_return == 1.05
    assert (tally.share(4), tally.share(2), tally.share(0)) == (0.4, 0.0, 0.6)
    assert tally.standard_error(ANY) == pytest.approx(0.4943186)
    assert tally.z(ANY) == pytest.approx((-0.1 + 0.0245359643) / 0.4943186)


@pytest.mark.slow  # `test_cli` runs seeds side by side
def test_processes_do_not_matter():
    """The same seed gives the same figures in one process or two, and another seed others."""
    rounds = 17 * BATCH + 5  # two tasks, the last batch of five rounds
    told: list[int] = []
    one = simulate(ANY, rounds=rounds, seed=3, jobs=1, done=told.append).tally
    two = simulate(ANY, rounds=rounds, seed=3, jobs=2).tally

    assert one == two
    assert one.rounds == sum(told) == rounds
    assert simulate(ANY, rounds=BATCH, seed=4, jobs=1).tally != run_batches(ANY, BATCH, 3, range(1))


@pytest.mark.parametrize("qualification", list(Qualification))
def test_a_million_rounds_agree_with_the_exact_figures(qualification):
    """Reference numbers: EV, shares, qualification and Trips of a million rounds, each within four errors."""
    rounds = 1_000_000
    tally = simulate(qualification, rounds=rounds, seed=1, jobs=1).tally

    assert abs(tally.z(qualification)) < 4
    exact = PRACTICAL[qualification].bank_qualifies
    for found, share in [
        (tally.qualified / rounds, exact),
        *((tally.share(multiple), share) for multiple, share in SHARES.items()),
    ]:
        assert abs(found - share) < 4 * (share * (1 - share) / rounds) ** 0.5 + 1e-6
    assert abs(tally.trips_return - TRIPS_RETURN) < 4 * 2.7 / rounds**0.5
    assert tally.deviation == pytest.approx(PRACTICAL[qualification].sd, rel=0.05)

"""A round as plain data: written down in the middle, and read back."""

import json

import pytest

from pokerroom.rules.actions import Check, Fold
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.ultimate.data import round_from_data, round_to_data, terms_from_data, terms_to_data
from pokerroom.rules.ultimate.decisions import Play
from pokerroom.rules.ultimate.round import give_tip, void
from tests.rules.ultimate.support import RICH, act, begun, box, common_terms, run_out, terms

BOXES = (box(1, trips=10, progressive=100), box(2, player=1, play=4), box(3))
HOLES = ("AsAd", "QhQd", "9h9d")


def at_flop():
    state = begun(BOXES, HOLES, meter=70_000)
    state, _ = give_tip(state, 3, 5, balance=RICH)
    return act(act(act(state, 1, Check()), 3, Check()), 3, Play(multiple=2))


def states():
    flop = at_flop()
    river = act(flop, 1, Check())
    yield from (begun(BOXES, HOLES), flop, river, void(flop), act(river, 1, Fold()), run_out(flop)[0])
    yield void(run_out(flop)[0], decided=True)
    yield begun((box(1), box(2)), HOLES[:1], at=common_terms())


@pytest.mark.parametrize("number", range(8))
def test_a_state_comes_back(number):
    """A round on every street, void and over is read back as it was, through JSON, and plays on alike."""
    state = list(states())[number]

    back = round_from_data(json.loads(json.dumps(round_to_data(state))))

    assert back == state
    if not state.finished:
        assert run_out(back) == run_out(state)


@pytest.mark.parametrize("table", [terms(), common_terms(), terms(trips=None, exposure_max=10_000)])
def test_terms_come_back(table):
    """A table's terms are read back as they were, pay tables and progressive bet included."""
    assert terms_from_data(json.loads(json.dumps(terms_to_data(table)))) == table


@pytest.mark.parametrize(
    "change",
    [
        {"phase": "finished"},
        {"phase": "finished", "void": 1},
        {"statuses": ["waiting", "waiting", "played"]},
        {"statuses": ["played", "played", "played"]},
        {"statuses": ["folded", "played", "waiting"], "plays": [0, 4, 0]},
        {"plays": [1, 4, 2]},
        {"plays": [0, 3, 2]},
        {"plays": [0, 4, 1]},
        {"plays": [0, 4, 5]},
        {"phase": "preflop"},
        {"phase": "river", "statuses": ["checked", "played", "waiting"], "plays": [0, 4, 0]},
        {"phase": "river", "statuses": ["folded", "played", "played"]},
        {"void": 1, "statuses": ["checked", "played", "played"]},
        {"tips": [[9, 5]]},
        {"tips": [[3, 0]]},
        {"meter": -1},
    ],
)
def test_a_state_that_no_round_reaches_is_refused(change):
    """U3: what no player could have decided by then is not played on with."""
    with pytest.raises(InvariantBroken):
        round_from_data(round_to_data(at_flop()) | change)


@pytest.mark.parametrize(
    "name", ["terms", "boxes", "deal", "meter", "phase", "statuses", "plays", "tips", "void"]
)
def test_data_that_are_no_state(name):
    """What lacks a part is no state at all."""
    data = round_to_data(at_flop())
    del data[name]

    with pytest.raises(KeyError):
        round_from_data(data)


def test_data_of_halves_are_refused():
    """A1: half a unit is not read back."""
    data = round_to_data(at_flop())
    data["meter"] += 0.5
    with pytest.raises(TypeError):
        round_from_data(data)

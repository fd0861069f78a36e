"""A swarm in Ultimate Texas Hold'em: seating, bets, report, and the end of the command."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from pokerroom.bots import cli, ultimate_cli
from pokerroom.bots.load import SwarmFailed
from pokerroom.bots.tally import SwarmTally, total
from pokerroom.bots.ultimate_habits import HabitShares, UltimateHabits
from pokerroom.bots.ultimate_swarm import (  # private: parts of a long run
    UltimateOptions,
    UltimatePlan,
    UltimateReport,
    _works,
    plan,
)
from pokerroom_protocol import messages as m


def info(table: str = "u1", **changes) -> m.UltimateInfo:
    values = {
        "table": table,
        "name": "Test",
        "seating": "boxes",
        "qualification": "any_pair",
        "boxes": 6,
        "ante_min": 101,
        "ante_max": 301,
        "trips_min": 50,
        "trips_max": 500,
        "blind_pays": [],
        "trips_pays": [],
        "progressive": m.ProgressiveInfo(stake=100, prizes=[], envy_prize=0),
        "chips": [100],
        "betting_ms": 1_000,
        "decision_ms": 1_000,
        "presence": False,
        "occupied": 0,
        "players": 0,
    }
    return m.UltimateInfo(**{**values, **changes})


def live(table: str) -> m.UltimateInfo:
    return info(table, seating="common_hand", boxes=None)


def report(
    *, rounds: int = 20, errors: dict[str, int] | None = None, problem: str | None = None
) -> UltimateReport:
    tally = SwarmTally(
        first_hand_at=1.0, at=13.5, hands=rounds, actions=300, timeouts=4, bets=250, vanished=2
    )
    tally.errors.update(errors or {})
    tally.races["betting_closed"] = 1
    tally.refused["below_minimum"] = 1
    for milliseconds in [1.5] * 60 + [9] * 39 + [12]:
        tally.latency.add(milliseconds / 1000)
    return UltimateReport(wanted=20, measured=tally, final=tally, problem=problem)


# --- seating


def test_boxes_are_filled_but_for_one_and_the_others_share_the_common_hands():
    """So that there are free boxes to play blind; closing tables and taken boxes are left alone."""
    lobby = [info("a"), info("b", occupied=4), info("c", closing=True), live("d"), live("e")]
    assert plan(lobby, 20, None) == [
        UltimatePlan(table="a", bots=5, ante_min=101),
        UltimatePlan(table="b", bots=1, ante_min=101),
        UltimatePlan(table="d", bots=7, ante_min=101),
        UltimatePlan(table="e", bots=7, ante_min=101),
    ]
    assert [one.table for one in plan(lobby, 20, 1)] == ["a", "d"]
    assert [one.bots for one in plan(lobby, 3, None)] == [3]


def test_without_a_common_hand_there_are_so_many_boxes():
    """All of them are used; more bots than that are too many."""
    assert [one.bots for one in plan([info("a"), info("b", boxes=2)], 8, None)] == [6, 2]
    with pytest.raises(SwarmFailed, match="8 free boxes for 9 bots"):
        plan([info("a"), info("b", boxes=2)], 9, None)
    with pytest.raises(SwarmFailed, match="no tables"):
        plan([], 1, None)


def test_processes_share_the_bots_and_a_round_is_counted_by_one():
    """A table with more bots than a process has is in several; the first of them counts."""
    plans = [UltimatePlan(table="a", bots=5, ante_min=2), UltimatePlan(table="d", bots=35, ante_min=2)]
    works = _works(UltimateOptions(rounds=1, bots=40, processes=2, rate=10), plans)
    assert [sum(one.bots for one in work.plans) for work in works] == [20, 20]
    counting = [one.table for work in works for one in work.plans if one.counts]
    assert sorted(counting) == ["a", "d"]
    assert len({work.name_prefix for work in works}) == 2
    assert [work.rate for work in works] == [5, 5]


# --- habits


def test_bets_are_within_the_limits_and_the_same_again():
    """An Ante is even (3:2), its size within the table's; every kind of request occurs."""
    told = [
        [
            UltimateHabits(seed, HabitShares()).bets(info(), [2, 5], can_repeat=seed % 2 == 0)
            for seed in range(400)
        ]
        for _ in range(2)
    ]
    assert told[0] == told[1]
    antes = {
        request.amount
        for asked in told[0]
        for request in asked
        if isinstance(request, m.PlaceBet) and request.bet == "ante"
    }
    assert all(amount % 2 == 0 and 101 <= amount <= 301 for amount in antes)
    kinds = {
        getattr(request, "bet", None) or getattr(request, "action", None) or type(request)
        for asked in told[0]
        for request in asked
    }
    assert kinds == {"ante", "trips", "progressive", "repeat", "double", "undo", m.ChoosePlay}


def test_an_extra_box_has_its_play_before_the_deal():
    """Three or four Antes; never where there is no free box."""
    habits = UltimateHabits(1, HabitShares(extra_boxes=1000))
    for _ in range(50):
        asked = habits.bets(info(), [4], can_repeat=False)
        [play] = {request.multiple for request in asked if isinstance(request, m.ChoosePlay)}
        assert play in {3, 4}
    assert all(
        request.box is None
        for _ in range(50)
        for request in habits.bets(info(), [], can_repeat=False)
        if isinstance(request, m.PlaceBet)
    )


def test_without_side_bets_none_is_made():
    """Neither Trips nor progressive, where the table does not have them."""
    plain = info(trips_min=None, trips_max=None, progressive=None)
    asked = [
        request
        for seed in range(100)
        for request in UltimateHabits(seed, HabitShares()).bets(plain, [], can_repeat=False)
    ]
    assert {request.bet for request in asked if isinstance(request, m.PlaceBet)} == {"ante"}


# --- what is reported


def test_tallies_of_processes_add_up():
    """Bets, refused ones and vanished bots too."""
    tallies = [SwarmTally(), SwarmTally()]
    for n, tally in enumerate(tallies, 1):
        tally.hands, tally.bets, tally.vanished = n, 10 * n, n
        tally.refused["below_minimum"] = n
        tally.acted(0.002)
    found = UltimateReport(wanted=3, measured=total(tallies), final=total(tallies), problem=None)
    figures = found.as_json()
    names = ("rounds", "bets", "vanished", "decisions")
    assert tuple(figures[name] for name in names) == (3, 30, 3, 2)
    assert figures["bets_refused"] == {"below_minimum": 3}
    assert figures["answer_ms"]["max"] == 2.0
    assert found.is_good


@pytest.mark.parametrize("wrong", [{"rounds": 19}, {"errors": {"stale_seq": 1}}, {"problem": "interrupted"}])
def test_too_few_rounds_or_any_error_fail(monkeypatch, wrong):
    """Exit code 1; all is well with 0."""
    for result, code in ((report(), 0), (report(**wrong), 1)):
        monkeypatch.setattr(
            ultimate_cli, "run_ultimate_swarm", lambda _options, _progress, result=result: result
        )
        assert CliRunner().invoke(cli.swarm, ["--ultimate", "--hands", "20"]).exit_code == code


def test_json_is_one_object_on_stdout(monkeypatch):
    """With what was asked handed on; tables are all unless some were asked for."""
    asked = []

    def run(options, progress):
        asked.append(options)
        return report()

    monkeypatch.setattr(ultimate_cli, "run_ultimate_swarm", run)
    command = ["--ultimate", "--bots", "20", "--hands", "7", "--sleep", "3", "--vanish", "4", "--json"]
    figures = json.loads(CliRunner().invoke(cli.swarm, command).stdout)
    assert (figures["rounds"], figures["decisions"], figures["answer_ms"]["max"]) == (20, 300, 12.0)
    assert CliRunner().invoke(cli.swarm, [*command, "--tables", "2"]).exit_code == 0
    assert [(options.rounds, options.bots, options.tables) for options in asked] == [
        (7, 20, None),
        (7, 20, 2),
    ]
    assert (asked[0].shares.sleeps, asked[0].shares.vanishes) == (3, 4)


def test_without_a_room_it_says_so():
    """Nothing listens there: one line, no traceback."""
    result = CliRunner().invoke(cli.swarm, ["--ultimate", "--port", "1"])
    assert result.exit_code == 1
    assert "No room answers at 127.0.0.1:1" in result.stderr

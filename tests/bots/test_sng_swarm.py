"""A swarm in sit-and-gos: how tournaments and bots are shared out, what is reported, and how the command ends."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from time import time

import pytest
from click.testing import CliRunner

from pokerroom.bots import cli, sng_cli, sng_swarm
from pokerroom.bots.absence_plan import Absence, draw_absence_plan
from pokerroom.bots.load import SwarmFailed
from pokerroom.bots.policy import SplitMix64
from pokerroom.bots.sng_bot import SngAgenda, SngOffer
from pokerroom.bots.sng_swarm import (  # private: parts of a long run
    MttOptions,
    MttReport,
    SngOptions,
    SngReport,
    _field,
    _found_field,
    _played,
    _shares,
    _works,
)
from pokerroom.bots.tally import SngResult, SwarmTally, total
from pokerroom_protocol import messages as m

NOW_MS = 1_900_000_000_000
SIX, TEN = SngOffer(offer="six", seats=6), SngOffer(offer="ten", seats=10)


def report(
    *, finished: int = 2, paid: int = 1_920, errors: dict[str, int] | None = None, problem: str | None = None
) -> SngReport:
    tally = SwarmTally(first_hand_at=1.0, at=13.5, hands=50, actions=400, unregistered=1, left=2, dropped=3)
    tally.errors.update(errors or {})
    tally.races["already_playing"] = 1
    for number in range(finished):
        tally.results[f"six.{number}"] = SngResult(
            phase="finished", expected=1_920, paid=paid if number == 0 else 1_920
        )
    return SngReport(wanted=2, measured=tally, final=tally, problem=problem)


def line(offer, seats):
    """A sit-and-go of the lobby."""
    return m.SitAndGoInfo(
        offer=offer, name=offer, game="holdem", structure="no_limit", seats=seats, buy_in=300, fee=60, prizes=[],
        starting_stack=1_500, level_unit="hands", levels=[], filling=[], running=[], running_count=0,
        your_tournament=None, next=f"{offer}.1",
    )  # fmt: skip


def row(offer, *, starts_ms, phase="registering", players_min=2, players_max=10_000):
    """A tournament of the lobby that starts at a time."""
    return m.ScheduledTournament(
        tournament=f"{offer}.3", offer=offer, name=offer, game="holdem", structure="no_limit", phase=phase,
        starts_ms=starts_ms, registration_open=True, late_levels=0, seats_per_table=9, players_min=players_min,
        players_max=players_max, entries_max=1, buy_in=300, fee=60, guarantee=0, starting_stack=1_500,
        level_unit="hands", level_length=5, entries=0, players=0, left=0, pool=0, house_bots=0, your_entries=0,
        your_status=None,
    )  # fmt: skip


def test_seats_are_taken_one_tournament_after_the_other():
    """So that a process fills one with its own bots before it begins the next."""
    agenda = SngAgenda([SngOffer(offer="a", seats=2), SngOffer(offer="b", seats=3)])
    taken = [agenda.take() for _ in range(6)]
    assert [offer and offer.offer for offer in taken] == ["a", "a", "b", "b", "b", None]


def test_what_is_over_is_not_watched():
    """Of thousands only those that are played are looked at."""
    agenda = SngAgenda([SIX])
    assert agenda.watch("six.1") is agenda.watch("six.1")
    agenda.watch("six.2")
    agenda.over("six.1")
    assert [watch.table for watch in agenda.watches()] == ["six.2"]


def test_every_absence_occurs_and_the_same_again():
    """Most bots stay; in heads-up none vanishes, because no player would act."""
    drawn_twice = [[draw_absence_plan(SplitMix64(seed), together=6) for seed in range(500)] for _ in range(2)]
    assert drawn_twice[0] == drawn_twice[1]
    habits = Counter(absence.kind for absence in drawn_twice[0])
    assert set(habits) == set(Absence)
    assert habits.most_common(1)[0][0] is Absence.STAYS
    assert any(absence.unregisters for absence in drawn_twice[0])
    heads_up = {draw_absence_plan(SplitMix64(seed), together=2).kind for seed in range(500)}
    assert Absence.VANISHES not in heads_up


def test_tournaments_and_bots_are_shared_out():
    """All offers in turn; every process can fill its largest tournament."""
    works = _works(SngOptions(tournaments=5, bots=25, processes=2), [SIX, TEN])
    assert [work.bots for work in works] == [13, 12]
    assert sorted(offer.offer for work in works for offer in work.tournaments) == ["six"] * 3 + ["ten"] * 2
    assert [{offer.offer for offer in work.tournaments} for work in works] == [{"six", "ten"}] * 2
    assert len({work.name_prefix for work in works}) == 2
    [alone] = _works(SngOptions(tournaments=5, bots=19, processes=4), [SIX, TEN])
    assert alone.bots == 19
    with pytest.raises(SwarmFailed, match="a tournament of ten needs 10"):
        _works(SngOptions(tournaments=1, bots=9), [SIX, TEN])


def test_the_seats_of_a_field_are_shared_out():
    """The largest field that the bots can fill; each process fills its part of it."""
    lines = [line(offer, seats) for offer, seats in (("ten", 10), ("f1", 12), ("f2", 45), ("f3", 99))]
    options = MttOptions(bots=50, processes=2)
    field, _ = _field(options, lines, [], NOW_MS)
    assert (field.offer, field.since, field.scheduled) == ("f2", "f2.1", None)
    works = _shares(options, field, 2)
    assert [(work.bots, work.moving) for work in works] == [(23, True), (22, True)]
    assert [[offer.seats for offer in work.tournaments] for work in works] == [[23], [22]]
    assert _field(replace(options, offers=("f1",)), lines, [], NOW_MS)[0].offer == "f1"
    with pytest.raises(SwarmFailed, match="that 11 bots can fill"):
        _field(MttOptions(bots=11), lines, [], NOW_MS)
    with pytest.raises(SwarmFailed, match="offers no tournament f9"):
        _field(replace(options, offers=("f1", "f9")), lines, [], NOW_MS)


def test_a_tournament_that_starts_soon_goes_first():
    """All bots enter it; not one that they are too few for, that starts late, or has started."""
    rows = [
        row("late", starts_ms=NOW_MS + 601_000),
        row("big", starts_ms=NOW_MS + 1_000, players_min=60),
        row("gone", starts_ms=NOW_MS + 2_000, phase="running"),
        row("sun", starts_ms=NOW_MS + 60_000),
        row("small", starts_ms=NOW_MS + 70_000, players_max=20),
    ]
    options = MttOptions(bots=50)
    lines = [line("f2", 45)]
    found = _field(options, lines, rows, NOW_MS)
    assert found == (SngOffer(offer="sun", seats=50, scheduled="sun.3"), NOW_MS + 60_000)
    small, _ = _field(replace(options, offers=("small",)), lines, rows, NOW_MS)
    assert (small.scheduled, small.seats) == ("small.3", 20)
    assert _field(replace(options, offers=("late", "f2")), lines, rows, NOW_MS)[0].offer == "f2"


def test_a_room_that_has_just_started_is_looked_at_again(monkeypatch):
    """It has not announced its tournaments yet. One without any is told after some seconds."""
    rows = [row("sun", starts_ms=round(time() * 1000) + 90_000)]
    looks = [([], []), ([], []), ([], rows)]
    monkeypatch.setattr(sng_swarm, "look_at_room", lambda *_: looks.pop(0) if looks else ([], []))
    monkeypatch.setattr(sng_swarm, "sleep", lambda _: None)
    monkeypatch.setattr(sng_swarm, "ANNOUNCED_S", 0.2)
    assert _found_field(MttOptions(bots=50))[0].offer == "sun"
    with pytest.raises(SwarmFailed, match="No tournament that 50 bots can fill"):
        _found_field(MttOptions(bots=50))


def test_a_tournament_that_leaves_no_time_to_register_is_the_last_choice():
    """One that starts a little later is played instead, if there is one."""
    rows = [row("soon", starts_ms=NOW_MS + 29_000), row("sun", starts_ms=NOW_MS + 90_000)]
    assert _field(MttOptions(bots=50), [], rows, NOW_MS)[0].offer == "sun"
    assert _field(MttOptions(bots=50), [], rows[:1], NOW_MS)[0].offer == "soon"


def test_the_report_of_a_field_has_its_entries_and_moves(monkeypatch):
    """Beside hands, prizes and errors."""
    tally = SwarmTally(first_hand_at=1.0, at=13.5, hands=50, entries=45, moves=7)
    tally.results["f2.1"] = SngResult(
        phase="finished", expected=10_800, paid=10_800, bounties_expected=4_500, bounties_paid=4_500
    )
    found = MttReport(wanted=1, measured=tally, final=tally, problem=None)
    monkeypatch.setattr(sng_cli, "run_mtt_swarm", lambda _options, _progress: found)
    result = CliRunner().invoke(cli.swarm, ["--mtt", "--bots", "45", "--json"])
    assert result.exit_code == 0
    figures = json.loads(result.stdout)
    names = (
        "entries",
        "finished",
        "hands",
        "moves",
        "prizes_paid",
        "bounties_paid",
        "bounties_expected",
        "errors",
    )
    assert [figures[name] for name in names] == [45, 1, 50, 7, 10_800, 4_500, 4_500, 0]
    told = CliRunner().invoke(cli.swarm, ["--mtt", "--bots", "45"]).output
    assert "moves         7" in told
    assert "bounties      45.00 paid of 45.00" in told


class Pool:
    """A pool of processes that say this, one after the other, and end."""

    def __init__(self, *said):
        self.problem, self._said, self._now = None, list(said), SwarmTally()

    def total(self):
        return self._now

    def play(self, told, *, enough, **_):
        for said in self._said:
            self._now = said
            if enough(told()):
                break
        return enough(self._now)

    def leave(self, _within_s, listened):
        listened()

    def end(self):
        """It has no processes."""


def played_by(monkeypatch, *said):
    monkeypatch.setattr(sng_swarm, "WorkerPool", lambda *_: Pool(*said))
    return _played(MttOptions(bots=4), [], lambda _: None, MttReport)


def test_a_field_that_others_play_on_is_well(monkeypatch):
    """All bots are out, and the last player is none of them: that is said, and the exit code is 0."""
    first, last = SwarmTally(entries=4, playing=3, hands=7), SwarmTally(entries=4, hands=9)
    for tally in (first, last):
        tally.outlasted["sun.1"] = None
    found = played_by(monkeypatch, first, last)
    assert (found.problem, found.final.hands, found.phases, found.is_good) == (None, 9, {"running": 1}, True)
    monkeypatch.setattr(sng_cli, "run_mtt_swarm", lambda _options, _progress: found)
    told = CliRunner().invoke(cli.swarm, ["--mtt", "--bots", "4"])
    assert told.exit_code == 0
    assert "running       1: all bots are out, other players play on" in told.output
    figures = json.loads(CliRunner().invoke(cli.swarm, ["--mtt", "--bots", "4", "--json"]).stdout)
    assert (figures["running"], figures["finished"], figures["problem"]) == (1, 0, None)


def test_a_field_that_a_bot_has_abandoned_is_not_well(monkeypatch):
    """Others were out of it, and it may have the last seat itself."""
    left, other = SwarmTally(entries=1), SwarmTally(entries=3)
    left.abandoned["sun.1"] = other.outlasted["sun.1"] = None
    found = played_by(monkeypatch, total([left, other]))
    assert (found.running, found.phases, found.is_good) == (0, {}, False)


def test_a_field_that_a_bot_wins_is_not_running(monkeypatch):
    """Although it went on when the others were out."""
    tally = SwarmTally(entries=4)
    tally.outlasted["sun.1"] = None
    tally.results["sun.1"] = SngResult(phase="finished", expected=9, paid=9)
    assert played_by(monkeypatch, tally).phases == {"finished": 1}


def test_bots_that_all_gave_up_are_no_result(monkeypatch):
    """None was out of a tournament that went on."""
    found = played_by(monkeypatch, SwarmTally(entries=4))
    assert (found.problem, found.is_good) == ("all bots gave up", False)


def test_a_field_with_a_bounty_that_is_not_paid_is_not_complete():
    """Prizes alone do not make it so."""
    tally = SwarmTally()
    tally.results["f2.1"] = SngResult(
        phase="finished", expected=9, paid=9, bounties_expected=5, bounties_paid=4
    )
    assert not MttReport(wanted=1, measured=tally, final=tally, problem=None).is_complete


def test_results_that_several_processes_have_seen_count_once():
    """Their bots play in the same tournaments."""
    seen = [SwarmTally(), SwarmTally()]
    for tally in seen:
        tally.results["six.1"] = SngResult(phase="finished", expected=1_440, paid=1_440)
    seen[1].results["six.2"] = SngResult(phase="rolled_back", expected=0, paid=0)
    seen[0].left, seen[1].left = 2, 3
    found = SngReport(wanted=2, measured=total(seen), final=total(seen), problem=None)
    assert (len(found.final.results), found.prizes) == (2, (1_440, 1_440))
    assert found.phases == {"finished": 1, "rolled_back": 1}
    assert found.final.left == 5
    assert found.is_good


@pytest.mark.parametrize(
    "wrong",
    [
        {"finished": 1},
        {"paid": 1_919},
        {"errors": {"wallet_differs": 1}},
        {"problem": "interrupted"},
    ],
)
def test_a_prize_that_is_not_paid_or_any_error_fails(monkeypatch, wrong):
    """Exit code 1; all is well with 0."""
    for result, code in ((report(), 0), (report(**wrong), 1)):
        monkeypatch.setattr(sng_cli, "run_sng_swarm", lambda _options, _progress, result=result: result)
        assert CliRunner().invoke(cli.swarm, ["--sng", "2", "--bots", "10"]).exit_code == code


def test_json_is_one_object_on_stdout(monkeypatch):
    """With what was asked handed on."""
    asked = []

    def run(options, progress):
        asked.append(options)
        return report()

    monkeypatch.setattr(sng_cli, "run_sng_swarm", run)
    result = CliRunner().invoke(
        cli.swarm, ["--sng", "2", "--bots", "20", "--offer", "six", "--offer", "ten", "--seed", "7", "--json"]
    )
    figures = json.loads(result.stdout)
    assert (figures["tournaments"], figures["finished"], figures["errors"], figures["seconds"]) == (
        2,
        2,
        0,
        12.5,
    )
    assert (figures["prizes_expected"], figures["prizes_paid"]) == (3_840, 3_840)
    [options] = asked
    assert (options.tournaments, options.bots, options.offers, options.seed) == (2, 20, ("six", "ten"), 7)


def test_without_a_room_it_says_so():
    """And an offer needs sit-and-gos."""
    result = CliRunner().invoke(cli.swarm, ["--sng", "1", "--port", "1"])
    assert result.exit_code == 1
    assert "No room answers at 127.0.0.1:1" in result.output
    assert CliRunner().invoke(cli.swarm, ["--offer", "six"]).exit_code == 2

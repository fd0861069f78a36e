"""`pokerroom sng`, against an operations port that listens."""

from __future__ import annotations

import json
from dataclasses import replace

import msgspec
import pytest

from tests.ops.fake_rooms import FakeRoom, FakeRooms, node
from tests.ops.fake_tournaments import DETAIL, FILLING, FakeSitAndGos, sng_site
from tests.ops.test_operator_cli import Operations


@pytest.fixture
def sit_and_gos():
    return FakeSitAndGos()


@pytest.fixture
def operations(run, sit_and_gos):
    made = Operations(run, sng_site(FakeRoom(), sit_and_gos, FakeRooms(node("n1", "one", "two"))))
    yield made
    run(made.stop())


def test_tournaments_are_printed_one_to_a_line(operations):
    """What fills, and what runs with where."""
    result = operations.pokerroom("sng", "list")
    assert result.exit_code == 0
    head, filling, running = (line.split() for line in result.stdout.splitlines())
    assert head == [
        "tournament",
        "phase",
        "starts",
        "(UTC)",
        "taken",
        "left",
        "tables",
        "buy-in",
        "node",
        "state",
    ]
    assert filling == ["six.2", "registering", "2026-03-01", "18:30", "4/6", "4", "3.00"]
    assert running == ["one", "running", "6/6", "3", "2", "3.00", "n1", "betting"]


def test_one_is_printed_with_its_money_its_players_and_its_places(operations):
    """Names as they are written; an account that has left is listed, too."""
    result = operations.pokerroom("sng", "show", "one")
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0] == ["one:", "running,", "6/6", "seats", "taken,", "3", "left"]
    assert lines[1] == ["runs", "at", "n1:", "betting"]
    assert " ".join(lines[2]) == "buy-in 3.00, of which 0.60 is the fee; prizes 10.00 / 4.40"
    assert ["3", "went", "has", "left"] in lines
    assert ["1", "1", "7", "[bold]Ünö", "4500"] in lines
    assert ["2", "2", "8", "bert", "0"] in lines
    assert ["2", "8", "bert", "4.40", "paid"] in lines
    assert ["3", "9", "carl", "0.00"] in lines


@pytest.mark.parametrize(
    ("phase", "returned", "said"),
    [
        ("registering", True, ["has", "left"]),
        ("cancelled", True, ["refunded"]),
        ("rolled_back", True, ["has", "left"]),
        ("rolled_back", False, ["refunded"]),
        ("finished", False, []),
    ],
)
def test_i3_an_account_that_has_its_buy_in_back_is_said_to_have_it(
    operations, sit_and_gos, phase, returned, said
):
    """An account whose tournament ended has not left, but was refunded."""
    sit_and_gos.detail = replace(
        DETAIL,
        report=replace(DETAIL.report, phase=phase),
        entries=(replace(DETAIL.entries[0], returned=returned),),
    )
    lines = [line.split() for line in operations.pokerroom("sng", "show", "one").stdout.splitlines()]
    assert ["3", "went", *said] in lines


def test_json_is_what_the_room_says(operations):
    """For programs."""
    assert json.loads(operations.pokerroom("sng", "list", "--json").stdout)[0] == json.loads(
        msgspec.json.encode(FILLING)
    )
    found = json.loads(operations.pokerroom("sng", "show", "one", "--json").stdout)
    assert found["places"] == json.loads(msgspec.json.encode(DETAIL.places))
    assert json.loads(operations.pokerroom("sng", "pause", "one", "--json").stdout) == {
        "tournament": "one",
        "asked": "pause",
    }


@pytest.mark.parametrize(
    ("command", "asked", "said"),
    [
        ("cancel", "cancel", "one is cancelled; all buy-ins are returned"),
        ("roll-back", "roll_back", "one is rolled back; all buy-ins are returned"),
        (
            "roll-forward",
            "roll_forward",
            "one is rolled forward; what was not won is shared among the remaining players",
        ),
        ("pause", "pause", "one is paused when its hand is finished"),
        ("resume", "resume", "one goes on"),
    ],
)
def test_each_order_reaches_the_room(operations, sit_and_gos, command, asked, said):
    """And what was done is said."""
    result = operations.pokerroom("sng", command, "one")
    assert (result.exit_code, result.stdout.strip()) == (0, said)
    assert sit_and_gos.asked == [(asked, "one")]


def test_a_refusal_ends_with_1_and_its_code(operations, sit_and_gos):
    """What never was, too."""
    sit_and_gos.refuses = "tournament_prizes_won"
    result = operations.pokerroom("sng", "roll-back", "one")
    assert (result.exit_code, result.stderr.strip()) == (1, "tournament_prizes_won: Not now.")
    result = operations.pokerroom("sng", "show", "six.9")
    assert result.exit_code == 1
    assert result.stderr.startswith("unknown_tournament: ")

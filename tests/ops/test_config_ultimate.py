"""The settings of tables against the house: defaults, what ships with the room, and every mistake with its line."""

import dataclasses
import tomllib

import pytest
from click.testing import CliRunner

from pokerroom.cli import main
from pokerroom.ops.config import default_config_path, load, parse
from pokerroom.ops.config_reader import ConfigError
from pokerroom.ops.config_ultimate import CHIPS
from pokerroom.ops.ultimate_settings import UltimateSettings
from pokerroom.rules.ranking import HandCategory
from pokerroom.rules.ultimate.bets import BetLimits
from pokerroom.rules.ultimate.terms import (
    BLIND,
    TRIPS,
    PayTable,
    ProgressiveTerms,
    Qualification,
    Seating,
    Terms,
)

TABLE = '[[ultimate]]\nid = "u"\n'
LIVE = TABLE + 'seating = "common_hand"\n'


def made(text):
    [table] = parse(text).ultimate
    return table


def problems_of(text):
    with pytest.raises(ConfigError) as caught:
        parse(text)
    return [(problem.line, problem.key, problem.message) for problem in caught.value.problems]


def test_a_table_needs_only_its_id():
    """It is the casino's: six boxes, any pair; no progressive bet, and no limit to what the house risks."""
    assert made(TABLE) == UltimateSettings(
        table="u",
        name="u",
        terms=Terms(
            qualification=Qualification.any_pair,
            seating=Seating.boxes,
            ante=BetLimits(least=100, most=10_000),
            trips=BetLimits(least=100, most=10_000),
            boxes=6,
            blind_pays=BLIND,
            trips_pays=TRIPS,
            progressive=None,
            exposure_max=None,
        ),
        betting_s=20,
        closing_s=5,
        decision_s=15,
        result_pause_ms=5_000,
        presence=False,
        away_limit_s=120,
        chat_length_max=200,
        chat_per_minute=20,
        chips=CHIPS,
    )


def test_a_common_hand_has_the_live_tables_defaults():
    """A pair of fours qualifies, and an absent player has no bets when betting closes; both are settings."""
    live = made(LIVE)
    assert (live.terms.seating, live.terms.qualification, live.presence) == (
        Seating.common_hand,
        Qualification.pair_of_fours,
        True,
    )
    other = made(LIVE + 'qualification = "any_pair"\npresence = false\n')
    assert (other.terms.qualification, other.presence) == (Qualification.any_pair, False)


def test_pay_tables_and_the_progressive_bet_are_data():
    """A pay table is given as a whole; of the progressive bet what is left out follows from its stake."""
    table = made(
        TABLE
        + 'blind_pays = { straight = "1:1", royal_flush = "400:1", flush = "5:3" }\nante_min = 300\n'
        + 'ante_max = 900\ntrips_pays = { flush = "6:1" }\n[ultimate.progressive]\nstake = 200\n'
    )
    assert table.terms.blind_pays == PayTable(
        ((HandCategory.royal_flush, 400, 1), (HandCategory.flush, 5, 3), (HandCategory.straight, 1, 1))
    )
    assert table.terms.trips_pays == PayTable(((HandCategory.flush, 6, 1),))
    assert table.terms.progressive == ProgressiveTerms(
        stake=200,
        feed_bps=1_500,
        seed=2_000_000,
        prizes=((HandCategory.four_of_a_kind, 60_000), (HandCategory.full_house, 10_000)),
        envy_prize=200_000,
        meter_bps=((HandCategory.royal_flush, 10_000), (HandCategory.straight_flush, 1_000)),
    )


def test_a_table_may_have_no_trips():
    """A maximum of nothing is none."""
    assert made(TABLE + "trips_max = 0\n").terms.trips is None


def test_tables_are_counted_and_have_ids_of_their_own_in_the_whole_room():
    """As poker tables, beside which they are listed; an id is used once, whatever the game."""
    config = parse(TABLE + "count = 2\n")
    assert [(table.table, table.name) for table in config.ultimate] == [("u-1", "u 1"), ("u-2", "u 2")]
    assert config.tables == ()
    both = '[[tables]]\nid = "u"\nsmall_blind = 50\n' + TABLE
    assert problems_of(both) == [
        (5, "ultimate[1].id", '"u" is the id of another table: choose a different one')
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (TABLE + "ante_min = 101\n", (3, "ultimate[1].ante_min", "should be a multiple of 2")),
        (
            TABLE + "ante_max = 98\n",
            (3, "ultimate[1].ante_max", "should be at least the smallest Ante (100)"),
        ),
        (
            TABLE + "trips_max = 99\n",
            (3, "ultimate[1].trips_max", "should be at least the smallest bet (100)"),
        ),
        (TABLE + "boxes = 7\n", (3, "ultimate[1].boxes", "should be from 1 to 6, not 7")),
        (LIVE + "boxes = 6\n", (4, "ultimate[1].boxes", "is for a table with boxes only")),
        (TABLE + "closing_s = 21\n", (3, "ultimate[1].closing_s", "should be at most the betting time (20)")),
        (
            TABLE + "exposure_max = 100\n",
            (3, "ultimate[1].exposure_max", "should be at least what the smallest"),
        ),
        (TABLE + "chips = [1, 2]\n", (3, "ultimate[1].chips", "should be a list of 6 amounts")),
        (TABLE + "chips = [1, 2, 3, 4, 5, 5]\n", (3, "ultimate[1].chips", "should be a list of 6 amounts")),
        (TABLE + "chips = [1, 2, 3, 4, 5, 6.0]\n", (3, "ultimate[1].chips", "should be a list of 6 amounts")),
        (TABLE + 'seating = "box"\n', (3, "ultimate[1].seating", 'should be "boxes" or "common_hand"')),
        (TABLE + "small_blind = 5\n", (3, "ultimate[1].small_blind", "is not a setting here")),
        (
            TABLE + '[ultimate.blind_pays]\nflush = "3 to 2"\n',
            (4, "ultimate[1].blind_pays.flush", 'should be odds, as "3:2"'),
        ),
        (
            TABLE + '[ultimate.blind_pays]\nflushes = "3:2"\n',
            (4, "ultimate[1].blind_pays.flushes", "is not a setting here"),
        ),
        (
            TABLE + '[ultimate.trips_pays]\nflush = "3:2"\n',
            (3, "ultimate[1].trips_pays", "should be paid to 1"),
        ),
        (
            TABLE + "[ultimate.progressive]\nprizes = { straight_flush = 5 }\n",
            (4, "ultimate[1].progressive.prizes", "straight_flush: fixed prizes are for lesser hands"),
        ),
        (
            TABLE + "[ultimate.progressive]\nmeter_bps = { royal_flush = 10_001 }\n",
            (4, "ultimate[1].progressive.meter_bps.royal_flush", "should be from 0 to 10000, not 10001"),
        ),
        (
            TABLE + "[ultimate.progressive]\nseeds = 5\n",
            (4, "ultimate[1].progressive.seeds", 'is not a setting here; did you mean "seed"?'),
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(text, problem):
    """Each mistake alone is one problem: line, key as a person counts, and what should stand there."""
    [(line, key, message)] = problems_of(text)
    assert (line, key) == problem[:2]
    assert message.startswith(problem[2])


def test_the_shipped_tables_show_the_defaults_and_every_setting():
    """What the first of them spells out is what is left out elsewhere, but for the progressive bet, which is one."""
    casino, live = load(default_config_path()).ultimate
    plain = made(TABLE + "[ultimate.progressive]\n")
    assert dataclasses.replace(casino, table="u", name="u") == plain
    assert dataclasses.replace(live, table="u", name="u") == made(LIVE)
    document = tomllib.loads(default_config_path().read_text(encoding="utf-8"))
    stands = set(document["ultimate"][0])
    fields = {field.name for field in dataclasses.fields(UltimateSettings)} - {"table", "terms"}
    terms = {
        "id",
        "seating",
        "boxes",
        "qualification",
        "ante_min",
        "ante_max",
        "trips_min",
        "trips_max",
        "exposure_max",
    }
    assert stands == fields | terms | {"blind_pays", "trips_pays", "progressive"}
    assert set(document["ultimate"][0]["progressive"]) == set(ProgressiveTerms.__slots__)


def test_config_check_counts_them(tmp_path):
    """Beside the tables of hold'em, the sit-and-gos and the tournaments that start at a time."""
    path = tmp_path / "room.toml"
    tournament = '[[tournament]]\nid = "sun"\nstart = "0 20 * * *"\nbuy_in = 300\nfee = 60\nspeed = "turbo"\n'
    path.write_text(TABLE + 'count = 3\n[[tables]]\nid = "t"\nsmall_blind = 50\n' + tournament)
    result = CliRunner().invoke(main, ["config", "check", str(path)])
    assert result.stdout == f"{path}: 1 cash table, 3 Ultimate tables, 1 tournament, no errors\n"

"""Settings of tournaments that start at a time: their values, their faults, and the starts that follow from them."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice

import pytest
from click.testing import CliRunner

from pokerroom.cli import main
from pokerroom.ops.config import ConfigError, parse
from pokerroom.ops.config_offer import name_key

TABLE = '[[tables]]\nid = "t1"\nsmall_blind = 50\n'
OFFER = '[[tournament]]\nid = "sun"\nbuy_in = 1_100\nfee = 100\n'


def offer(lines='start = "30 20 * * *"\nspeed = "turbo"\n'):
    (found,) = parse(TABLE + OFFER + lines).tournaments
    return found


def problems(lines):
    with pytest.raises(ConfigError) as caught:
        parse(TABLE + OFFER + lines)
    return [
        (problem.key.removeprefix("tournament[1]."), problem.message) for problem in caught.value.problems
    ]


def ms(*moment):
    return int(datetime(*moment, tzinfo=UTC).timestamp()) * 1000


def test_what_is_left_out_has_its_default():
    """A freezeout of nine at a table with the standard structure of its speed, announced a day ahead."""
    found = offer()
    assert (found.zone, found.announce_s, found.seats_per_table) == ("UTC", 86_400, 9)
    assert (found.players_min, found.players_max, found.entries_max, found.late_levels) == (2, 10_000, 1, 0)
    assert (found.payout_percent, found.prize_shares, found.guarantee) == (15, (), 0)
    assert found.seats_per_address == 2
    assert (found.levels_timed, found.hourly_breaks, found.late_ms) == (True, True, 0)
    blinds = [(one.small_blind, one.big_blind, one.big_blind_ante, one.length) for one in found.levels[3:5]]
    assert blinds == [(25, 50, 0, 300), (30, 60, 60, 300)]


def test_starts_follow_the_recurrence_in_its_zone():
    """A local time that the change of the clock leaves out starts at the next minute; a double one starts once."""
    found = offer('start = "30 2 * * *"\nzone = "Europe/Berlin"\nspeed = "slow"\n')
    spring = list(islice(found.starts_after(ms(2026, 3, 28, 12)), 2))
    assert spring == [ms(2026, 3, 29, 1), ms(2026, 3, 30, 0, 30)]
    autumn = list(islice(found.starts_after(ms(2026, 10, 24, 12)), 2))
    assert autumn == [ms(2026, 10, 25, 0, 30), ms(2026, 10, 26, 1, 30)]


@pytest.mark.parametrize("written", ["2026-12-24T20:00:00+01:00", '"2026-12-24T20:00:00+01:00"'])
def test_a_time_is_the_only_start(written):
    """It is not repeated. It may be in quotes."""
    found = offer(f"start = {written}\nspeed = 'hyper'\n")
    assert list(found.starts_after(ms(2026, 12, 1))) == [ms(2026, 12, 24, 19)]
    assert list(found.starts_after(ms(2026, 12, 24, 19))) == []


def test_late_registration_lasts_as_long_as_its_levels():
    """Those of a list that is shorter go on as its last one does."""
    levels = "levels = [{ small_blind = 10 }, { small_blind = 20, length = 90 }]\nlevel_s = 60\n"
    found = offer(f'start = "0 20 * * 7"\nlate_levels = 4\nentries_max = 0\nhourly_breaks = false\n{levels}')
    assert found.late_ms == (60 + 3 * 90) * 1000


def test_a_bounty_is_a_part_of_the_buy_in():
    """A knockout pays all of it at once, a progressive one half of it, or what the settings say."""
    lines = 'start = "0 20 * * *"\nspeed = "turbo"\n'
    found = [
        offer(lines + more)
        for more in (
            "",
            "bounty = 400\n",
            'bounty = 999\nbounty_kind = "progressive"\n',
            'bounty = 400\nbounty_kind = "progressive"\nbounty_cash_bps = 7_000\n',
        )
    ]
    assert [(one.bounty, one.bounty_cash_bps) for one in found] == [
        (0, 10_000),
        (400, 10_000),
        (999, 5_000),
        (400, 7_000),
    ]


@pytest.mark.parametrize(
    ("lines", "key"),
    [
        ('start = "0 20 * * *"\nbounty = 1_000\n', "bounty"),
        ('start = "0 20 * * *"\nbounty = 0\n', "bounty"),
        ('start = "0 20 * * *"\nbounty_kind = "progressive"\n', "bounty_kind"),
        ('start = "0 20 * * *"\nbounty = 400\nbounty_kind = "mystery"\n', "bounty_kind"),
        ('start = "0 20 * * *"\nbounty = 400\nbounty_cash_bps = 5_000\n', "bounty_cash_bps"),
        (
            'start = "0 20 * * *"\nbounty = 400\nbounty_kind = "progressive"\nbounty_cash_bps = 10_000\n',
            "bounty_cash_bps",
        ),
        (
            'start = "0 20 * * *"\nbounty = 400\nbounty_kind = "progressive"\nbounty_cash_bps = 0\n',
            "bounty_cash_bps",
        ),
        ('start = "0 20 * * *"\nbounty = 998\nprize_shares = [6_000, 3_000, 1_000]\n', "prize_shares"),
        ('start = "0 20 * * *"\nrebuy_levels = 2\n', "rebuy_levels"),
        ('start = "0 20 * * *"\nrebuys_max = 1\n', "rebuy_levels"),
        ('start = "0 20 * * *"\nrebuys_max = 1\nrebuy_levels = 500\n', "rebuy_levels"),
        ('start = "0 20 * * *"\nrebuy_price = 100\n', "rebuy_price"),
        ('start = "0 20 * * *"\nadd_on_stack = 100\n', "add_on_stack"),
        ('start = "0 20 * * *"\nrebuys_max = 1\nrebuy_levels = 2\nrebuy_fee = 1_000\n', "rebuy_fee"),
        ('start = "0 20 * * *"\nadd_on_price = 100\nrebuy_levels = 2\nadd_on_fee = 100\n', "add_on_fee"),
        ('start = "0 20 * * *"\nrebuys_max = 1\nrebuy_levels = 2\nbounty = 100\n', "rebuys_max"),
        ('start = "0 20 * * *"\nrebuys_max = 1\nrebuy_levels = 2\nrebuy_below = 1_501\n', "rebuy_below"),
        ('start = "0 20 * * *"\nrebuy_below = 100\n', "rebuy_below"),
        ('start = "0 20 * * *"\nsatellite_to = "moon"\n', "satellite_to"),
        ('start = "0 20 * * *"\nsatellite_to = "sun"\n', "satellite_to"),
        ('start = "0 20 * * *"\nsatellite_to = ""\n', "satellite_to"),
        ('start = "0 20 * * *"\nseats_guaranteed = 2\n', "seats_guaranteed"),
        ('start = "0 20 * * *"\nticket_days = 30\n', "ticket_days"),
        ('start = "0 20 * *"\n', "start"),
        ('start = "0 25 * * *"\n', "start"),
        ('start = "0 0 30 2 *"\n', "start"),
        ("start = 2026-12-24T20:00:00\n", "start"),
        ('start = "2026-12-24T20:00:00"\n', "start"),
        ('start = "0 20 * * *"\nzone = "Mars"\n', "zone"),
        ('start = "0 20 * * *"\nplayers_min = 9\nplayers_max = 8\n', "players_max"),
        ('start = "0 20 * * *"\nentries_max = 3\n', "entries_max"),
        ('start = "0 20 * * *"\nprize_shares = [6_000, 3_000]\n', "prize_shares"),
        ('start = "0 20 * * *"\nprize_shares = [10_000]\npayout_percent = 20\n', "payout_percent"),
        ('start = "0 20 * * *"\npayout_percent = 60\n', "payout_percent"),
        ('start = "0 20 * * *"\nlevel_s = 60\n', "level_s"),
    ],
)
def test_a_fault_is_named_with_its_key(lines, key):
    """One problem for each, at the setting that is to be changed."""
    assert [found for found, _ in problems('speed = "turbo"\n' + lines)] == [key]


def test_a_start_without_an_offset_is_told_what_it_lacks():
    """TOML takes it for a time of the place, which a settings file has none of."""
    ((_, text),) = problems('speed = "turbo"\nstart = 2026-12-24T20:00:00\n')
    assert text == "should be a time with its offset from UTC, as 2026-12-24T20:00:00+01:00"


def test_a_rebuy_is_for_at_most_a_starting_stack():
    """Or for fewer chips, if the terms say so: 0 is for players without any, and None a whole one."""
    lines = 'start = "0 20 * * *"\nspeed = "turbo"\nrebuys_max = 1\nrebuy_levels = 2\n'
    found = [offer(lines + more).rebuy_below for more in ("", "rebuy_below = 0\n", "rebuy_below = 700\n")]
    assert found == [None, 0, 700]
    assert offer().rebuy_below is None


SATELLITE = """[[tournament]]
id = "step"
buy_in = 220
fee = 20
start = "0 18 * * *"
speed = "turbo"
satellite_to = "sun"
"""


def test_a_satellite_pays_tickets_for_another_tournament():
    """Worth that one's buy-in, as it is when the satellite is opened; it has no other prizes."""
    target = 'start = "0 20 * * *"\nspeed = "turbo"\n'
    sun, step = parse(TABLE + OFFER + target + SATELLITE + "seats_guaranteed = 3\n").tournaments
    assert (step.satellite_to, step.seats_guaranteed, step.ticket_days, step.ticket_value) == (
        "sun",
        3,
        90,
        0,
    )
    assert step.for_target([sun, step]).ticket_value == 1_100
    assert sun.for_target([sun, step]) is sun
    for offers in ([step], [replace(sun, buy_in=200), step]):
        with pytest.raises(ValueError, match=r"another|cost more"):
            step.for_target(offers)


@pytest.mark.parametrize(
    ("lines", "key"),
    [
        ("bounty = 50\n", "bounty"),
        ("guarantee = 5_000\n", "guarantee"),
        ("payout_percent = 10\n", "payout_percent"),
        ("prize_shares = [10_000]\n", "prize_shares"),
        ("deals = true\n", "deals"),
        ('hand_for_hand_ties = "share"\n', "hand_for_hand_ties"),
        ("ticket_days = 0\n", "ticket_days"),
        ("seats_guaranteed = -1\n", "seats_guaranteed"),
    ],
)
def test_what_a_satellite_cannot_have_is_told(lines, key):
    """Each with its key."""
    target = 'start = "0 20 * * *"\nspeed = "turbo"\n'
    with pytest.raises(ConfigError) as caught:
        parse(TABLE + OFFER + target + SATELLITE + lines)
    assert [problem.key for problem in caught.value.problems] == [f"tournament[2].{key}"]


def test_a_missing_start_and_a_second_id_are_told():
    """An id is that of one offer, of whichever kind."""
    assert problems('speed = "turbo"\n') == [("tournament[1]", "start is missing")]
    sng = '[[sit_and_go]]\nid = "sun"\nbuy_in = 300\nprize_shares = [10_000]\nspeed = "turbo"\n'
    (found,) = problems(f'start = "0 20 * * *"\nspeed = "turbo"\n{sng}')
    assert found[0] == "id"
    assert "another tournament" in found[1]


def test_a_speed_may_have_long_breaks():
    """Beside those of the hour, after the level that is named; levels of their own say it themselves."""
    found = offer('start = "0 20 * * *"\nspeed = "slow"\nbreaks = [{ after_level = 3, break_s = 3_600 }]\n')
    assert found.hourly_breaks
    assert [one.break_s for one in found.levels[:4]] == [0, 0, 3_600, 0]
    own = offer('start = "0 20 * * *"\nlevel_s = 60\nlevels = [{ small_blind = 10, break_s = 3_600 }]\n')
    assert (own.hourly_breaks, own.levels[0].break_s) == (True, 3_600)


@pytest.mark.parametrize(
    ("lines", "key"),
    [
        ('speed = "slow"\nbreaks = [{ break_s = 60 }]', "breaks[1]"),
        ('speed = "slow"\nbreaks = [{ after_level = 60, break_s = 60 }]', "breaks[1].after_level"),
        ('speed = "slow"\nbreaks = [{ after_level = 1, break_s = 0 }]', "breaks[1].break_s"),
        ('speed = "slow"\nbreaks = [{ after_level = 1, minutes = 9 }]', "breaks[1].minutes"),
        (
            'speed = "slow"\nbreaks = [{ after_level = 1, break_s = 9 }, { after_level = 1, break_s = 9 }]',
            "breaks[2].after_level",
        ),
        (
            "level_s = 9\nlevels = [{ small_blind = 1 }]\nbreaks = [{ after_level = 1, break_s = 9 }]",
            "breaks",
        ),
    ],
)
def test_a_wrong_break_is_named_with_its_key(lines, key):
    """One that is after no level, or after the same as another one."""
    assert key in [found for found, _ in problems(f'start = "0 20 * * *"\n{lines}\n')]


def test_breaks_of_the_hour_need_levels_in_seconds():
    """By hands, the clock of the wall counts for nothing."""
    hands = 'start = "0 20 * * *"\nlevel_hands = 10\nlevels = [{ small_blind = 10 }]\n'
    assert offer(hands).hourly_breaks is False
    assert [key for key, _ in problems(f"hourly_breaks = true\n{hands}")] == ["hourly_breaks"]


@pytest.mark.parametrize(
    ("table", "name", "key"),
    [
        ("tournament", 'name = "sun"', "tournament[2].name"),
        ("tournament", 'name = " Every  Evening "', None),
        ("sit_and_go", 'name = "SUN"', "tournament[1].id"),
        ("tournament", 'name = "\uff33\uff35\uff2e"', "tournament[2].name"),  # wide letters
    ],
)
def test_two_offers_of_one_name_are_refused(table, name, key):
    """Of both kinds: a player could not tell which one is meant. Case, spaces and forms of letters do not count."""
    more = {
        "tournament": 'start = "0 18 * * *"\n',
        "sit_and_go": "payout = 'standard'\n",
    }[table]
    other = f'[[{table}]]\nid = "other"\n{name}\nbuy_in = 100\nspeed = "turbo"\n{more}'
    text = TABLE + OFFER + 'start = "0 20 * * *"\nspeed = "turbo"\n' + other
    if key is None:
        assert len(parse(text).tournaments) == 2
        return
    with pytest.raises(ConfigError) as caught:
        parse(text)
    assert [problem.key for problem in caught.value.problems] == [key]


@pytest.mark.parametrize("other", ["Turbo I", "turb0 1", "TURBO\u00a0l", "\uff34urbo \u2160"])
def test_names_that_look_alike_are_one_name(other):
    """As with accounts: letters and digits of one look, and other forms of the same letter. Other words are not."""
    assert name_key(other) == name_key("Turbo 1")
    assert name_key("Turbo 2") != name_key("Turbo 1")


def test_a_single_start_is_over_once_no_late_player_can_come():
    """Until then the room opens a tournament that it missed; a recurrence is never over."""
    lines = 'start = 2026-12-24T20:00:00Z\nspeed = "turbo"\nlate_levels = 2\n'
    start = ms(2026, 12, 24, 20)
    found = offer(lines)
    assert [found.is_over(start + late) for late in (0, 599_999, 600_000)] == [False, False, True]
    assert not offer().is_over(start)


def test_config_check_names_a_start_that_is_past(tmp_path):
    """The settings hold: a room that starts again keeps a tournament that was played."""
    path = tmp_path / "room.toml"
    path.write_text(TABLE + OFFER + 'start = 2026-01-01T00:00:00Z\nspeed = "turbo"\n')
    result = CliRunner().invoke(main, ["config", "check", str(path)])
    assert (result.exit_code, 'tournament "sun": its start is past' in result.output) == (0, True)

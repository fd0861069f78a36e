"""A table against the house as its settings describe it, and its line in the lobby."""

import pytest

from pokerroom.ops.config import default_config_path, load, parse
from pokerroom.ops.ultimate_settings import PLACES_MAX
from pokerroom_protocol import Encoding, decode_server, encode
from pokerroom_protocol import messages as wire


def made(*lines):
    """The settings of the one table "u" with these lines."""
    [table] = parse("\n".join(['[[ultimate]]\nid = "u"', *lines])).ultimate
    return table


def test_every_setting_arrives():
    """Each stands where the table looks for it."""
    table = made(
        'name = "U"', "boxes = 4", "betting_s = 21", "closing_s = 6", "decision_s = 16", "result_pause_ms = 4_000",
        "presence = true", "away_limit_s = 130", "chat_length_max = 100", "chat_per_minute = 6",
        "chips = [1, 2, 3, 4, 5, 6]",
    )  # fmt: skip
    assert (table.table, table.name, table.seats_max, table.observer_delay_s) == ("u", "U", 4, 0)
    assert (table.betting_s, table.closing_s, table.decision_s, table.result_pause_ms) == (21, 6, 16, 4_000)
    assert (table.presence, table.away_limit_s, table.chips) == (True, 130, (1, 2, 3, 4, 5, 6))
    assert (table.chat_length_max, table.chat_per_minute) == (100, 6)


def test_where_a_common_hand_is_dealt_places_are_not_counted():
    """Any number may play it; the lobby says so."""
    table = made('seating = "common_hand"')
    assert table.seats_max == PLACES_MAX
    assert table.info(0, 0).boxes is None


def test_the_line_in_the_lobby_has_what_a_client_needs():
    """Limits, pay tables, the progressive bet, the rack and the times."""
    info = made("ante_max = 600", "[ultimate.progressive]").info(3, 2, closing=True)
    assert (info.seating, info.qualification, info.boxes) == ("boxes", "any_pair", 6)
    assert (info.ante_min, info.ante_max, info.trips_min, info.trips_max) == (100, 600, 100, 10_000)
    assert info.blind_pays[0] == wire.PayRow(hand="royal_flush", pays=500, to=1)
    assert wire.PayRow(hand="flush", pays=3, to=2) in info.blind_pays
    assert info.trips_pays[-1] == wire.PayRow(hand="three_of_a_kind", pays=3, to=1)
    assert info.progressive == wire.ProgressiveInfo(
        stake=100,
        prizes=[
            wire.Prize(hand="royal_flush", meter_bps=10_000),
            wire.Prize(hand="straight_flush", meter_bps=1_000),
            wire.Prize(hand="four_of_a_kind", amount=30_000),
            wire.Prize(hand="full_house", amount=5_000),
        ],
        envy_prize=100_000,
    )
    assert (info.betting_ms, info.decision_ms, info.occupied, info.players, info.closing) == (
        20_000,
        15_000,
        3,
        2,
        True,
    )


def test_without_trips_there_is_nothing_of_it():
    """Neither limits nor a pay table."""
    info = made("trips_max = 0").info(0, 0)
    assert (info.trips_min, info.trips_max, info.trips_pays) == (None, None, [])


@pytest.mark.parametrize("table", load(default_config_path()).ultimate, ids=lambda table: table.table)
def test_the_shipped_tables_are_lines_of_the_lobby(table):
    """They can be sent, and are read as they were meant."""
    message = wire.Tables(re=1, tables=[], ultimate=[table.info(0, 0)])
    assert decode_server(encode(message, Encoding.MSGPACK), Encoding.MSGPACK) == message

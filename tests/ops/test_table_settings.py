"""A table of the configuration as the table takes it: nothing is lost, and whatever parses can be played."""

import dataclasses

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from pokerroom.chips import Money
from pokerroom.ops.config import default_config_path, load, parse
from pokerroom.ops.config_reader import ConfigError
from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker.play import setup_of
from pokerroom.poker.seats import Seat, SeatState
from pokerroom.rules.betting import FixedLimit, NoLimit, PotLimit
from pokerroom.rules.button import Candidate, Owes, plan_hand
from pokerroom.rules.cards import DECK
from pokerroom.rules.hand import apply, legal_actions, start
from pokerroom.rules.rake import RakeTerms
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.variants import HOLDEM
from pokerroom_protocol import Encoding, decode_server, encode
from pokerroom_protocol import messages as wire
from tests.effort import times
from tests.rules.strategies import legal_moves


def made(*lines: str) -> TableSettings:
    """The settings of the one table "t" with these lines."""
    [table] = parse("\n".join(['[[tables]]\nid = "t"', *lines])).tables
    return table


def test_b2_limit_5_10_plays_a_small_blind_of_2():
    """B2, D5: a fixed limit's blinds follow from its bets, in whole units; one bet and three raises, heads-up too."""
    table = made('structure = "fixed_limit"', "small_bet = 500", "big_bet = 1_000", "unit = 100")

    assert table.stakes == Stakes(small_blind=200, big_blind=500)
    assert table.structure == FixedLimit(small_bet=500, big_bet=1_000, raises_max=3, cap_heads_up=True)
    assert table.structure.name == "fixed_limit"


def test_b2_a_smaller_unit_leaves_more_of_the_small_blind():
    """B2: half of 5 is 2.50 where chips of 0.50 are in play."""
    assert made('structure = "fixed_limit"', "small_bet = 500", "unit = 50").stakes.small_blind == 250


@pytest.mark.parametrize(("name", "structure"), [("no_limit", NoLimit()), ("pot_limit", PotLimit())])
def test_b2_elsewhere_the_big_blind_is_two_small_ones(name, structure):
    """B2: no-limit and pot-limit play the blinds of the configuration."""
    table = made(f'structure = "{name}"', "small_blind = 50")

    assert (table.structure, table.structure.name) == (structure, name)
    assert table.stakes == Stakes(small_blind=50, big_blind=100)


def test_every_setting_arrives():
    """No setting is left at its default: each stands where the table looks for it."""
    table = made(
        'name = "T"', 'structure = "fixed_limit"', "small_bet = 400", "big_bet = 1_000", "unit = 30",
        "raises_max = 4", "cap_heads_up = false", "seats = 9", "ante = 10", "big_blind_ante = 20",
        "straddle = 800", "min_buy_in = 5_000", "max_buy_in = 60_000", "action_clock_s = 11", "countdown_s = 21",
        "hand_pause_ms = 3_000", "away_limit_s = 130", 'timeout_protection = "disconnected"',
        "timeout_all_ins_per_day = 7", "time_bank_s = 60", "time_bank_refill_s = 2", "reservation_s = 70",
        "rathole_s = 1_800", "observer_delay_s = 30", "chat_length_max = 100", "chat_per_minute = 6",
        "moving_button = false", "show_all_in = false", "seats_per_address = 3", "sit_out_limit_s = 600",
        "rake_bps = 450", "rake_cap = { 2 = 60, 5 = 300 }", "no_flop_no_drop = false", "rake_min_pot = 500",
    )  # fmt: skip

    assert table == TableSettings(
        table="t",
        name="T",
        structure=FixedLimit(small_bet=400, big_bet=1_000, raises_max=4, cap_heads_up=False),
        variant=HOLDEM,
        seats_max=9,
        stakes=Stakes(small_blind=180, big_blind=400, ante=10, big_blind_ante=20, straddle=800),
        min_buy_in=Money(5_000),
        max_buy_in=Money(60_000),
        action_clock_s=11,
        countdown_s=21,
        hand_pause_ms=3_000,
        away_limit_s=130,
        timeout_protection="disconnected",
        moving_button=False,
        show_all_in=False,
        unit=30,
        timeout_all_ins_per_day=7,
        time_bank_s=60,
        time_bank_refill_s=2,
        reservation_s=70,
        rathole_s=1_800,
        observer_delay_s=30,
        chat_length_max=100,
        chat_per_minute=6,
        seats_per_address=3,
        sit_out_limit_s=600,
        rake=RakeTerms(bps=450, caps=((2, 60), (5, 300)), no_flop_no_drop=False, unit=30, min_pot=500),
    )


def test_what_is_left_out_is_the_tables_own_default():
    """The defaults of the file and those of the class are the same, but for the bound on time-outs (H2).

    Cash tables have one; the class has none, for tournaments.
    """
    table = made("small_blind = 50")
    assert (table.timeout_all_ins_per_day, made("small_blind = 50\ntimeout_all_ins_per_day = 0")) == (
        5,
        dataclasses.replace(table, timeout_all_ins_per_day=None),
    )

    for field in dataclasses.fields(TableSettings):
        if field.default is not dataclasses.MISSING and field.name != "timeout_all_ins_per_day":
            assert getattr(table, field.name) == field.default, field.name


def test_the_shipped_tables_play_every_structure():
    """B2: beside no-limit the shipped room has a limit 5/10 with a small blind of 2, and a pot-limit."""
    tables = load(default_config_path()).tables

    assert {table.structure.name for table in tables} == {"no_limit", "pot_limit", "fixed_limit"}
    limits = [table for table in tables if table.structure.name == "fixed_limit"]
    assert {(table.stakes.small_blind, table.stakes.big_blind) for table in limits} == {(200, 500)}


@st.composite
def tables(draw) -> TableSettings:
    """Any table that the configuration takes, small amounts and huge ones."""
    structure = draw(st.sampled_from(["no_limit", "pot_limit", "fixed_limit"]))
    amounts = st.one_of(st.integers(2, 500), st.integers(2, 10**12))
    bet = draw(amounts)
    lines = {"structure": f'"{structure}"', "seats": draw(st.integers(2, 10))}
    if structure == "fixed_limit":
        lines |= {"small_bet": bet, "unit": draw(st.integers(1, bet // 2))}
        lines |= {"big_bet": draw(st.integers(bet, 3 * bet)), "raises_max": draw(st.integers(1, 5))}
        lines |= {"cap_heads_up": draw(st.sampled_from(["true", "false"]))}
    else:
        lines |= {"big_blind": bet, "small_blind": draw(st.integers(1, bet))}
    straddle = st.just(2 * bet) if structure == "fixed_limit" else st.integers(2 * bet, 5 * bet)
    lines |= {"straddle": draw(st.one_of(st.just(0), straddle))}
    lines |= {"ante": draw(st.integers(0, bet)), "big_blind_ante": draw(st.integers(0, bet))}
    lines |= {"min_buy_in": draw(st.integers(bet, 4 * bet))}
    lines |= {"moving_button": draw(st.sampled_from(["true", "false"]))}
    lines |= {"show_all_in": draw(st.sampled_from(["true", "false"]))}
    lines |= {"rake_bps": draw(st.one_of(st.just(0), st.integers(1, 1000)))}
    if draw(st.booleans()):
        lines |= {"rake_unit": (rake_unit := draw(st.integers(1, 10**9)))}
        lines |= {"rake_cap": f"{{ 2 = {rake_unit * draw(st.integers(1, 50))} }}"}
    lines |= {"no_flop_no_drop": draw(st.sampled_from(["true", "false"]))}
    try:
        return made(*[f"{key} = {value}" for key, value in lines.items()])
    except ConfigError:
        reject()


@settings(max_examples=times(40), deadline=None)
@given(table=tables(), data=st.data())
def test_whatever_parses_can_be_played(table, data):
    """A2: two hands are dealt and played to their end by any legal actions, and no chip but the rake is lost."""
    numbers = data.draw(
        st.lists(st.integers(1, table.seats_max), min_size=2, max_size=table.seats_max, unique=True)
    )
    chips = st.one_of(st.integers(1, table.max_buy_in), st.integers(table.min_buy_in, table.max_buy_in))
    seats = {
        number: Seat(number=number, account=number, name="x", stack=data.draw(chips), state=SeatState.PLAYING)
        for number in numbers
    }
    total = sum(seat.stack for seat in seats.values())
    positions = None
    for _ in range(2):
        candidates = [
            Candidate(
                seat=number,
                owes=Owes.nothing if positions is None else data.draw(st.sampled_from(Owes)),
                posts_now=data.draw(st.booleans()),
                straddles=data.draw(st.booleans()),
            )
            for number, seat in sorted(seats.items())
            if seat.stack
        ]
        plan = plan_hand(
            positions, candidates, table.seats_max, table.stakes, moving_button=table.moving_button
        )
        if plan is None:
            break
        dealt = [seats[number] for number in plan.order]
        state, _ = start(setup_of(table, plan, dealt, data.draw(st.permutations(DECK))))
        while not state.finished:
            apply(state, legal_actions(state).player, data.draw(st.sampled_from(legal_moves(state))))
        total -= sum(state.rake)
        for player, seat in enumerate(dealt):
            seat.stack = state.stacks[player]
        positions = plan.positions

    assert positions is not None
    assert sum(seat.stack for seat in seats.values()) == total


@given(table=tables())
def test_whatever_parses_is_a_line_of_the_lobby(table):
    """The table's line can be sent, and is read as it was meant."""
    message = wire.Tables(re=1, tables=[table.info(0, 0)])

    assert decode_server(encode(message, Encoding.MSGPACK), Encoding.MSGPACK) == message

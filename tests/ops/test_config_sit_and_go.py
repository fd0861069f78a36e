"""Sit-and-gos of the settings file: the two of the rules, others as data, and every mistake with its line."""

import dataclasses
import tomllib

import pytest

from pokerroom.ops.config import default_config_path, load, parse
from pokerroom.ops.config_reader import AMOUNT_MAX, ConfigError
from pokerroom.ops.config_sit_and_go import SitAndGoConfig
from pokerroom.ops.config_tournament_play import LevelConfig
from pokerroom.rules.tournament.deal_stages import DealTerms
from pokerroom.tournament.offers import terms_of

TABLE = '[[tables]]\nid = "t"\nsmall_blind = 50\n'
LEVELS = "levels = [\n{ small_blind = 10 },\n{ small_blind = 20, break_s = 60 },\n]\n"
HEAD = TABLE + '[[sit_and_go]]\nid = "six"\nbuy_in = 300\nfee = 60\n'
OFFER = HEAD + "prizes = [1_000, 440]\nlevel_hands = 10\n"
PRIZES_LINE = 8


def problems_of(text):
    with pytest.raises(ConfigError) as caught:
        parse(text)
    return [(problem.line, problem.key, problem.message) for problem in caught.value.problems]


def test_i1_the_shipped_room_offers_the_two_of_the_rules():
    """I1: six players for 10.00 and 4.40, ten for 12.00, 7.00 and 5.00, at 3.00 each; the house has 3.60 and 6.00."""
    offers = load(default_config_path()).sit_and_gos
    assert [(offer.seats, offer.buy_in, offer.prizes, offer.seats * offer.fee) for offer in offers] == [
        (6, 300, (1_000, 440), 360),
        (10, 300, (1_200, 700, 500), 600),
    ]
    six, ten = offers
    same = {"id": "", "name": "", "seats": 0, "prizes": (), "house_bots": 0}
    assert (six.house_bots, ten.house_bots) == (5, 9)
    assert dataclasses.replace(six, **same) == dataclasses.replace(ten, **same)


def test_an_offer_needs_only_money_levels_and_prizes():
    """All other settings have defaults; the big blind is twice the small one (B2)."""
    (offer,) = parse(OFFER + LEVELS).sit_and_gos
    level = LevelConfig(
        small_blind=10, big_blind=20, big_bet=0, ante=0, big_blind_ante=0, length=10, break_s=0
    )
    assert dataclasses.asdict(offer) == {
        "id": "six",
        "name": "six",
        "game": "holdem",
        "structure": "no_limit",
        "seats": 6,
        "buy_in": 300,
        "fee": 60,
        "seats_per_address": 2,
        "prizes": (1_000, 440),
        "starting_stack": 1_500,
        "levels_timed": False,
        "levels": (
            dataclasses.asdict(level),
            {**dataclasses.asdict(level), "small_blind": 20, "big_blind": 40, "break_s": 60},
        ),
        "raises_max": 3,
        "cap_heads_up": True,
        "action_clock_s": 10,
        "countdown_s": 20,
        "time_bank_s": 0,
        "time_bank_refill_s": 0,
        "hand_pause_ms": 2_000,
        "observer_delay_s": 0,
        "chat_length_max": 200,
        "chat_per_minute": 20,
        "house_bots": 0,
        "timeout_protection": "never",
        "seats_per_table": 0,
        "deals": False,
        "deal_from_players": 10,
        "deal_leave_bps": 0,
        "hand_for_hand_ties": "stack",
    }


def test_prizes_may_be_shares_of_the_pool():
    """In basis points: what does not divide goes to the best places."""
    (offer,) = parse(HEAD + "prize_shares = [6_500, 3_500]\nlevel_s = 60\n" + LEVELS).sit_and_gos
    assert offer.prizes == (936, 504)
    assert offer.levels_timed
    assert [level.length for level in offer.levels] == [60, 60]


def test_b2_levels_of_a_fixed_limit_are_named_by_their_bets():
    """B2, D5: blinds and big bet follow from the small bet; a level may be longer than the others."""
    (offer,) = parse(
        OFFER + 'structure = "fixed_limit"\nraises_max = 4\ncap_heads_up = false\n'
        "levels = [{ small_bet = 25 }, { small_bet = 50, big_bet = 120, length = 20, ante = 5 }]\n"
    ).sit_and_gos
    assert [(level.small_blind, level.big_blind, level.big_bet) for level in offer.levels] == [
        (12, 25, 50),
        (25, 50, 120),
    ]
    assert [(level.length, level.ante) for level in offer.levels] == [(10, 0), (20, 5)]
    assert (offer.raises_max, offer.cap_heads_up) == (4, False)


def test_every_setting_stands_in_the_shipped_file():
    """An operator finds all there is to set in one file."""
    path = default_config_path()
    first = tomllib.loads(path.read_text(encoding="utf-8"))["sit_and_go"][0]
    only_fixed_limit = {"raises_max", "cap_heads_up"}
    settings = {field.name for field in dataclasses.fields(SitAndGoConfig)}
    of_several_tables = {
        "seats_per_table",
        "deals",
        "deal_from_players",
        "deal_leave_bps",
        "hand_for_hand_ties",
    }
    assert set(first) == settings - only_fixed_limit - of_several_tables - {"levels_timed"} | {"level_s"}
    assert set(first["levels"][0]) == {field.name for field in dataclasses.fields(LevelConfig)} - {"big_bet"}
    for word in ("prize_shares", "level_hands", "small_bet", "big_bet", "unit", *only_fixed_limit):
        assert word in path.read_text(encoding="utf-8").split("\n[[sit_and_go]]")[1]


@pytest.mark.parametrize(
    ("prizes", "message"),
    [
        ("prizes = [1_000, 441]", "the prizes add up to 1441, the pool is 1440: 1 too much"),
        ("prizes = [1_000]", "the prizes add up to 1000, the pool is 1440: 440 too little"),
        (
            "prizes = [440, 1_000]",
            "each prize must be at least 1, and not larger than the prize of a better place",
        ),
        (
            "prizes = [240, 240, 240, 240, 240, 239, 1]",
            "the table pays 7 places; with 6 seats it may pay 1 to 6",
        ),
        ("prizes = [14.40]", f"should be a list of whole numbers from 1 to {AMOUNT_MAX}"),
        ("prizes = 1_440", f"should be a list of whole numbers from 1 to {AMOUNT_MAX}"),
        (
            "prize_shares = [7_000, 2_900]",
            "the shares add up to 9900 basis points, the pool is 10000: 100 too little",
        ),
    ],
)
def test_i1_a_prize_table_that_is_not_the_pool_is_told_with_its_line_and_the_difference(prizes, message):
    """I1: the table is refused, and the operator reads where and by how much it is wrong."""
    key = prizes.split(" ")[0]
    assert problems_of(HEAD + prizes + "\nlevel_hands = 10\n" + LEVELS) == [
        (PRIZES_LINE, f"sit_and_go[1].{key}", message)
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            HEAD + "level_hands = 10\n" + LEVELS,
            (
                4,
                "sit_and_go[1]",
                'prizes is missing: amounts, prize_shares in 1/100 %, or payout = "standard"',
            ),
        ),
        (
            OFFER + "prize_shares = [10_000]\n" + LEVELS,
            (
                10,
                "sit_and_go[1].prize_shares",
                "prizes says it already: leave one of the two out",
            ),
        ),
        (
            OFFER.replace("fee = 60", "fee = 300") + LEVELS,
            (7, "sit_and_go[1].fee", "should be less than the buy-in (300), of which it is a part"),
        ),
        (
            OFFER.replace("level_hands = 10\n", "") + LEVELS,
            (
                4,
                "sit_and_go[1]",
                "speed is missing: a standard structure, or level_s or level_hands with levels of your own",
            ),
        ),
        (
            OFFER + "level_s = 60\n" + LEVELS,
            (
                9,
                "sit_and_go[1].level_hands",
                "levels have a length in seconds already: leave one of the two out",
            ),
        ),
        (OFFER, (4, "sit_and_go[1].levels", "should be 1 to 200 levels, not 0")),
        (
            OFFER + "levels = [{ small_blind = 20 }, { small_blind = 10 }]\n",
            (
                10,
                "sit_and_go[1].levels[2].big_blind",
                "should be no less than that of the level before (40), not 20",
            ),
        ),
        (
            OFFER
            + "levels = [\n{ small_blind = 20, big_blind = 50 },\n{ small_blind = 30, big_blind = 45 },\n]\n",
            (
                10,
                "sit_and_go[1].levels[2].big_blind",
                "should be no less than that of the level before (50), not 45",
            ),
        ),
        (
            OFFER + 'structure = "fixed_limit"\nlevels = [{ small_bet = 20 }, { small_bet = 10 }]\n',
            (
                11,
                "sit_and_go[1].levels[2].small_bet",
                "should be no less than that of the level before (20), not 10",
            ),
        ),
        (
            OFFER + "[[sit_and_go.levels]]\nsmall_blind = 2\n[[sit_and_go.levels]]\nsmall_blnd = 2\n",
            (12, "sit_and_go[1].levels[2]", "small_blind is missing"),
        ),
        (
            OFFER + "levels = [{ small_bet = 20, small_blind = 10 }]\n",
            (
                10,
                "sit_and_go[1].levels[1].small_bet",
                'is for fixed limit only (structure = "fixed_limit")',
            ),
        ),
        (
            OFFER + 'structure = "fixed_limit"\nunit = 100\nlevels = [{ small_bet = 150 }]\n',
            (12, "sit_and_go[1].levels[1].small_bet", "should be at least two units of the game (200)"),
        ),
        (
            OFFER + "raises_max = 4\n" + LEVELS,
            (10, "sit_and_go[1].raises_max", 'is for fixed limit only (structure = "fixed_limit")'),
        ),
        (
            OFFER + "seats = 11\n" + LEVELS,
            (
                10,
                "sit_and_go[1].seats",
                "should be at most 10 at one table: for more, set seats_per_table",
            ),
        ),
        (
            OFFER + "seats = 2_001\nseats_per_table = 9\n" + LEVELS,
            (10, "sit_and_go[1].seats", "should be from 2 to 2000, not 2001"),
        ),
        (
            OFFER + "seats_per_table = 11\n" + LEVELS,
            (10, "sit_and_go[1].seats_per_table", "should be from 2 to 10, not 11"),
        ),
        (
            OFFER + "seats = 7\nseats_per_table = 6\n" + LEVELS,
            (
                11,
                "sit_and_go[1].seats_per_table",
                "is for more than 7 players: leave it out, or raise seats",
            ),
        ),
        (
            OFFER + "deals = true\n" + LEVELS,
            (
                10,
                "sit_and_go[1].deals",
                "are for the final table of several: set seats_per_table, or leave this out",
            ),
        ),
        (
            OFFER + "deal_leave_bps = 100\n" + LEVELS,
            (10, "sit_and_go[1].deal_leave_bps", "is of deals: set deals = true, or leave this out"),
        ),
        (
            OFFER + 'payout = "flat"\n' + LEVELS,
            (10, "sit_and_go[1].payout", "should be \"standard\", not 'flat'"),
        ),
        (
            OFFER + 'payout = "standard"\n' + LEVELS,
            (10, "sit_and_go[1].payout", "prizes says it already: leave one of the two out"),
        ),
        (
            OFFER.replace('"six"', '"six.1"') + LEVELS,
            (5, "sit_and_go[1].id", "should be small letters, digits and hyphens"),
        ),
        (
            OFFER + LEVELS + (OFFER + LEVELS).removeprefix(TABLE),
            (15, "sit_and_go[2].id", '"six" is the id of another sit-and-go: choose a different one'),
        ),
        (
            OFFER + "time_bank_refill_s = 5\n" + LEVELS,
            (10, "sit_and_go[1].time_bank_refill_s", "should be at most the time bank (0)"),
        ),
        (
            OFFER + "bounty = 5\n" + LEVELS,
            (10, "sit_and_go[1].bounty", "is not a setting here"),
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(text, problem):
    """Each mistake has its line, its key as a person counts, and what should stand there."""
    assert problem in problems_of(text)


def test_a_field_of_several_tables_has_the_standard_prizes():
    """L11: 1,000 players at nine seats, 150 of them are paid; twelve players at two tables of six, four paid."""
    offer = HEAD + 'payout = "standard"\nlevel_hands = 10\n{}' + LEVELS.replace("{", "{{").replace("}", "}}")
    (field,) = parse(offer.format("seats = 1_000\nseats_per_table = 9\n")).sit_and_gos
    assert (field.seats, field.seats_per_table, len(field.prizes)) == (1_000, 9, 150)
    assert (field.prizes[0], field.prizes[-1], sum(field.prizes)) == (26_156, 360, 240_000)
    (two,) = parse(offer.format("seats = 12\nseats_per_table = 6\n")).sit_and_gos
    assert two.prizes == (1_153, 806, 547, 374)
    (own,) = parse(
        OFFER.replace("[1_000, 440]", "[2_880]") + "seats = 12\nseats_per_table = 6\n" + LEVELS
    ).sit_and_gos
    assert own.prizes == (2_880,)


def test_deals_are_made_as_the_offer_says():
    """L15: of several tables, with all at the final table unless it says fewer; the terms have them."""
    offer = HEAD + 'payout = "standard"\nlevel_hands = 10\nseats = 12\nseats_per_table = 6\n'
    found = [
        parse(offer + more + LEVELS).sit_and_gos[0]
        for more in ("", "deals = true\n", "deals = true\ndeal_from_players = 4\ndeal_leave_bps = 500\n")
    ]
    assert [terms_of(one).deals for one in found] == [
        None,
        DealTerms(players_max=10, leave_bps=0),
        DealTerms(players_max=4, leave_bps=500),
    ]


def test_house_bots_leave_a_seat_to_a_player():
    """A tournament of bots alone does not begin."""
    assert parse(OFFER + "house_bots = 5\n" + LEVELS).sit_and_gos[0].house_bots == 5
    with pytest.raises(ConfigError, match="should leave a seat for a player: at most 5"):
        parse(OFFER + "house_bots = 6\n" + LEVELS)


def test_h2_a_sit_and_go_may_protect_by_the_clock():
    """By default it does not."""
    text = OFFER + 'timeout_protection = "always"\n' + LEVELS
    assert parse(text).sit_and_gos[0].timeout_protection == "always"

"""Offers of the configuration in the rules' terms."""

from dataclasses import replace

import msgspec
import pytest

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ops.config import default_config_path, load, parse
from pokerroom.ops.config_private_sit_and_go import private_sit_and_go
from pokerroom.rules.betting import FixedLimit, NoLimit, PotLimit
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.tournament.schedule import LengthUnit
from pokerroom.tournament.offers import offer_of, opening_as, opening_of, private_opening_of, terms_of
from pokerroom.tournament.settings import TournamentActorSettings, tournament_settings

OFFER = """
[[tables]]
id = "t"
small_blind = 50
[[sit_and_go]]
id = "two"
seats = 2
buy_in = 500
prizes = [1_000]
level_hands = 8
"""


def test_i1_the_two_of_the_rules_are_terms():
    """I1: pool, prizes, and levels of five minutes."""
    six, ten = (terms_of(offer) for offer in load(default_config_path()).sit_and_gos)
    assert (six.pool, six.prizes, ten.pool, ten.prizes) == (1_440, (1_000, 440), 2_400, (1_200, 700, 500))
    assert (six.schedule.unit, six.schedule.levels[0].length) == (LengthUnit.ms, 300_000)
    assert six.schedule.levels[1].stakes == Stakes(small_blind=15, big_blind=30)


@pytest.mark.parametrize(
    ("structure", "level", "expected"),
    [
        ("no_limit", "small_blind = 5, ante = 1, break_s = 9", NoLimit()),
        ("pot_limit", "small_blind = 5, ante = 1, break_s = 9", PotLimit()),
        (
            "fixed_limit",
            "small_bet = 10, ante = 1, break_s = 9",
            FixedLimit(small_bet=10, big_bet=20, raises_max=3, cap_heads_up=True),
        ),
    ],
)
def test_each_structure_has_its_levels(structure, level, expected):
    """Levels counted in hands, with ante and break, and the bets of a limit."""
    text = f'{OFFER}structure = "{structure}"\nlevels = [{{ {level} }}]\n'
    (offer,) = parse(text).sit_and_gos
    terms = terms_of(offer)
    found = terms.schedule.levels[0]
    assert (terms.schedule.unit, found.length, found.break_ms) == (LengthUnit.hands, 8, 9_000)
    assert found.stakes == Stakes(small_blind=5, big_blind=10, ante=1)
    assert found.structure == expected


def test_after_the_last_level_blinds_double_until_a_blind_is_all_there_is():
    """[D] So every tournament ends; the offer itself keeps the levels that it has."""
    text = f"{OFFER}starting_stack = 100\nlevels = [{{ small_blind = 5, ante = 1, break_s = 9 }}]\n"
    (offer,) = parse(text).sit_and_gos
    levels = terms_of(offer).schedule.levels
    assert [one.stakes.big_blind for one in levels] == [10, 20, 40, 80, 160, 320]
    assert [(one.stakes.ante, one.length, one.break_ms) for one in levels[:2]] == [(1, 8, 9_000), (2, 8, 0)]
    assert len(offer.levels) == 1


@pytest.mark.parametrize("structure", ["no_limit", "fixed_limit"])
def test_each_amount_of_a_level_doubles_after_the_last_one(structure):
    """Blinds, antes, and the bets of a limit."""
    level = (
        "small_bet = 10, big_bet = 30" if structure == "fixed_limit" else "small_blind = 4, big_blind = 10"
    )
    text = f'{OFFER}structure = "{structure}"\nstarting_stack = 20\nlevels = [{{ {level}, big_blind_ante = 3 }}]\n'
    (offer,) = parse(text).sit_and_gos
    levels = terms_of(offer).schedule.levels
    small_blind = 5 if structure == "fixed_limit" else 4
    assert [one.stakes for one in levels] == [
        Stakes(small_blind=small_blind * times, big_blind=10 * times, big_blind_ante=3 * times)
        for times in (1, 2, 4)
    ]
    if structure == "fixed_limit":
        bets = [(one.structure.small_bet, one.structure.big_bet) for one in levels]
        assert bets == [(10, 30), (20, 60), (40, 120)]


def test_the_line_of_a_tables_lobby_is_of_its_offer():
    """With its players; no account buys in there, and none waits."""
    (offer,) = parse(OFFER + "levels = [{ small_blind = 5 }]\n").sit_and_gos
    settings = tournament_settings(opening_of(offer, 7))
    line = settings.info(2, 1)
    assert (line.table, line.offer, line.seats) == ("two.7", "two", 2)
    assert (line.occupied, line.players, line.min_buy_in, line.max_buy_in) == (2, 1, 0, 0)
    itself = TournamentActorSettings(of=settings)
    assert itself.info(2, 1) == line
    assert (itself.table, itself.listed, settings.listed) == ("tournament:two.7", False, False)
    assert (itself.free_to_leave, settings.free_to_leave) == (False, False)
    assert (itself.waited_for, settings.waited_for) == (None, None)


def test_a_tournament_keeps_the_offer_as_it_was(run):
    """What the ledger has opened is read back whole, money and all; other terms are no offer."""
    ledger = MemoryLedger()
    for offer in load(default_config_path()).sit_and_gos:
        opening = opening_of(offer, 12)
        run(ledger.open_tournament(opening))
        kept = run(ledger.tournament(f"{offer.id}.12")).opening
        assert kept == opening
        assert offer_of(kept) == offer
    with pytest.raises(msgspec.DecodeError):
        offer_of(replace(opening, terms=b"{}"))


def test_a_private_sit_and_go_is_as_its_terms_before_its_start_and_after_it():
    """All seats are needed until its host starts it, or it is full; then two. Any other number is not of its terms."""
    terms = {"name": "Friday", "start": "2030-01-01T20:00:00+00:00", "players_max": 4, "seats_per_table": 4}
    terms |= {
        "buy_in": 300,
        "prize_shares": [10_000],
        "starting_stack": 1_500,
        "level_s": 300,
        "levels": [{"small_blind": 10}],
    }
    offer = private_sit_and_go("private:friday", terms)
    opening = private_opening_of(offer, 1_000)
    found = {}
    for needed in (1, 2, 3, 4):
        one = replace(opening, scheduled=replace(opening.scheduled, players_min=needed))
        found[needed] = opening_as(offer, one) == one
    assert found == {1: False, 2: True, 3: False, 4: True}


def test_an_opening_of_an_earlier_version_can_be_read():
    """Terms without the latest settings are those of a tournament without house bots and without protection."""
    (offer,) = parse(OFFER + "levels = [{ small_blind = 5 }]\n").sit_and_gos
    opening = opening_of(offer, 1)
    terms = msgspec.json.decode(opening.terms)
    del terms["house_bots"], terms["timeout_protection"]
    assert offer_of(replace(opening, terms=msgspec.json.encode(terms))) == offer

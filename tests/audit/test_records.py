"""Records of simulated rooms are played again; older forms are read, and what is changed is named."""

import json
from dataclasses import replace

import msgspec
import pytest

from pokerroom.history.hidden_cards import HAND_RECORDS, with_all_cards
from pokerroom.history.record import ACTIONS
from pokerroom.poker.play import HandPlay
from pokerroom.poker.record_audit import hand_played_again
from pokerroom.poker.seats import Seat, SeatState
from pokerroom.rules.actions import Call, Check
from pokerroom.rules.planned_hand import Positions
from pokerroom.rules.stakes import Stakes
from pokerroom.table.seal import Seal
from pokerroom.ultimate.record_audit import round_played_again
from tests.audit.rooms import KEYS, calls_of
from tests.poker.support import SETTINGS, now
from tests.rules.playing import hand as dealt
from tests.ultimate.support import House

SEAL = Seal(*KEYS).of(HAND_RECORDS)
KNOWN = frozenset([SEAL.key_id])


@pytest.fixture(scope="module")
def hands():
    return [
        settlement
        for game, seed in (("holdem", 0), ("holdem", 6), ("omaha", 0), ("sit_and_go", 8))
        for name, arguments, _ in calls_of(game, seed, 10)
        if name == "settle"
        for settlement in arguments[0]
    ]


@pytest.fixture(scope="module")
def rounds():
    calls = [call for seed in (0, 3) for call in calls_of("ultimate", seed, 8)]
    return [arguments[0] for name, arguments, _ in calls if name == "settle_round"]


def again(record, seal=SEAL, known=KNOWN, *, erased=False):
    record = record if isinstance(record, bytes) else json.dumps(record).encode()
    return hand_played_again(record, seal, known_keys=known, erased=erased)


def test_every_hand_comes_to_what_was_booked(hands):
    """The changes of all players, and the players that the clock put all-in."""
    for hand in hands:
        audit = again(hand.record)
        assert (audit.differences, audit.not_played) == ((), None)
        assert audit.changes == dict(hand.deltas)
        assert audit.by_clock == set(hand.timeout_all_ins)


def test_records_of_version_1_are_played(hands):
    """They have all cards in clear, and neither what was owed nor the smallest chip."""
    for hand in hands:
        record = with_all_cards(json.loads(hand.record), SEAL) | {"version": 1}
        if record["betting"].get("small_bet", record["big_blind"]) != record["big_blind"]:
            continue
        for name in ("hidden", "seats_max", "unit", "betting"):
            record.pop(name, None)
        plain = record | {
            "seats": [{k: v for k, v in seat.items() if k != "owed"} for seat in record["seats"]]
        }
        audit = again(plain, None, frozenset())
        if record["structure"] != "fixed_limit":  # its cap is not known
            assert audit.differences == ()
            assert audit.changes == dict(hand.deltas)


@pytest.mark.parametrize("ante_first", [True, False])
@pytest.mark.parametrize("stack", [100, 250, 450, 790])
def test_the_posts_of_a_short_big_blind_may_be_of_an_older_record(stack, ante_first):
    """B9: there the ante for the table came before the blind. What is changed is still a difference."""
    setup = dealt(5000, stack, 5000, blinds=(200, 400), antes=(0, 400, 0), ante_first=ante_first).state.setup
    play = HandPlay(
        replace(SETTINGS, stakes=Stakes(small_blind=200, big_blind=400)),
        hand_id="0" * 16,
        positions=Positions(button=3, small_blind=1, big_blind=2),
        seats=[
            Seat(number=seat, account=seat, name=f"p{seat}", stack=0, state=SeatState.PLAYING)
            for seat in (1, 2, 3)
        ],
        setup=setup,
        started_ms=0,
    )
    while (seat := play.seat_to_act()) is not None:
        play.act(seat.number, Call() if play.state.turn.call_amount else Check())
    settled = play.settlement(1, 1, SEAL)

    audit = again(settled.record)
    assert (audit.differences, audit.not_played) == ((), None)
    assert audit.changes == dict(settled.deltas)
    record = json.loads(settled.record)
    post = next(event for event in record["events"] if event[:2] == ["post", 2])
    ante = min(400, stack if ante_first else stack - 400)
    assert post[2:] == (["big_blind_ante", ante] if ante > 0 else ["big_blind", stack])
    post[3] -= 1
    assert again(record).differences


def test_the_step_that_the_rules_refuse_is_named(hands):
    """The first one, with its number, and what follows from it is not told instead."""
    record = json.loads(hands[0].record)
    number, step = next((n, event) for n, event in enumerate(record["events"], 1) if event[0] in ACTIONS)
    record["events"].insert(number, step)  # the same player again
    (difference,) = again(record).differences
    assert difference.startswith(f"step {number + 1} of its record (")
    assert " is refused by the rules: " in difference


def without_hidden_cards(record):
    """As `erase_cards` leaves it."""
    return {name: value for name, value in json.loads(record).items() if name != "hidden"}


def test_erased_cards_are_no_difference_where_they_were_erased(hands):
    """A hand is played without the cards of players who folded; with a mucked one the winner is not known."""
    played = 0
    for hand in hands:
        record = without_hidden_cards(hand.record)
        mucked = any(event[0] == "muck" for event in record["events"])
        audit = again(record, erased=True)
        assert audit.differences == ()
        assert audit.not_played == ("erased" if mucked else None)
        played += audit.not_played is None
    assert played


def test_cards_that_were_not_erased_must_be_there(hands):
    """A record that has lost them was changed."""
    hidden = [hand for hand in hands if b'"hidden"' in hand.record]
    assert hidden
    for hand in hidden:
        assert again(without_hidden_cards(hand.record)).differences == (
            "its hidden cards are missing, and were not erased",
        )


def test_another_key_is_no_difference(hands):
    """Its cards cannot be opened; but a key that is there must open what names it."""
    mucked = next(hand for hand in hands if any(e[0] == "muck" for e in json.loads(hand.record)["events"]))
    assert again(mucked.record, None, frozenset()).not_played == "sealed"
    other = Seal(bytes(32)).of(HAND_RECORDS)
    assert again(mucked.record, other, frozenset([other.key_id])).not_played == "sealed"
    assert "were changed" in again(mucked.record, other, KNOWN).differences[0]


def test_no_difference_names_a_hidden_card(hands):
    """Whatever is changed in the record."""
    mucked = next(hand for hand in hands if any(e[0] == "muck" for e in json.loads(hand.record)["events"]))
    record = json.loads(mucked.record)
    opened = with_all_cards(record, SEAL)
    hidden = {card for seat, plain in zip(record["seats"], opened["seats"], strict=True)
              if seat["cards"] is None for card in plain["cards"]}  # fmt: skip
    awards = [event for event in record["events"] if event[0] == "award"]
    awards[-1][3][0][0] = next(event[1] for event in record["events"] if event[0] == "muck")
    for seat in record["seats"]:
        seat["end"] += 1
    told = " ".join(again(record).differences)
    assert "by the rules" in told
    assert not any(card in told for card in hidden)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda record: record.update(version=9), "has the version 9"),
        (lambda record: record.pop("unit"), "a part of its record is missing"),
        (lambda record: record["seats"].reverse(), "not in the order of the deal"),
        (lambda record: record["seats"][0].update(end=99_999_999), "end of seat"),
        (lambda record: record["events"].pop(), "the number of steps"),
        (lambda record: record["events"][-1].__setitem__(2, 99_999), "step"),
        (lambda record: record["events"].insert(0, []), "cannot be played"),
        (lambda record: record.update(seats=7), "cannot be read"),
    ],
)
def test_a_changed_hand_is_named(hands, change, sentence):
    """With what differs."""
    record = json.loads(hands[0].record)
    change(record)
    assert any(sentence in difference for difference in again(record).differences)


def test_a_part_of_the_rake_cannot_be_missing(hands):
    """Also where it is 0: a record has all parts of its rake, or none."""
    record = json.loads(next(hand.record for hand in hands if b'"rake"' in hand.record))
    assert again(record).differences == ()
    for owner, name in ((record, "rake_unit"), (record["seats"][0], "rake")):
        value = owner.pop(name)
        assert again(record).differences == ("a part of its record is missing",)
        owner[name] = value


def test_every_round_comes_to_what_was_booked(rounds):
    """Bets, Plays, tips, house and meter."""
    assert rounds
    for one in rounds:
        audit = round_played_again(one.record)
        assert (audit.differences, audit.not_played) == ((), None)
        assert audit.changes == dict(one.deltas)


@pytest.mark.parametrize("checked", [0, 1, 2])
def test_a_void_round_is_played_again_without_the_cards_that_no_player_saw(checked):
    """Before the flop, the river and the last decision; every bet goes back."""
    house = House()
    anna = house.player("anna")
    round_id = house.deal(anna)
    for _ in range(checked):
        house.decide(anna, "check")
    now(house.table.freeze())
    now(house.table.void_hand())
    record = house.rounds[round_id].end.record
    assert len(json.loads(record)["board"]) == (0, 3, 5)[checked]

    audit = round_played_again(record)

    assert (audit.differences, audit.not_played) == ((), None)
    assert audit.changes == {anna.account: 0}


def test_rounds_without_pay_tables_are_played_without_them(rounds):
    """Older records do not say what a hand pays; all else is compared."""
    for one in rounds:
        record = json.loads(one.record) | {"version": 1}
        del record["terms"]
        audit = round_played_again(msgspec.json.encode(record))
        assert (audit.differences, audit.not_played) == ((), "no_terms")
        record["boxes"][0]["bets"][0][2] += 7
        assert round_played_again(msgspec.json.encode(record)).differences


def test_the_rake_follows_from_its_terms(hands):
    """Another share, cap or smallest pot in the record does not come to what was taken."""
    raked = [json.loads(hand.record) for hand in hands if b'"rake":' in hand.record]
    record = max(raked, key=lambda record: record["rake"])
    terms = record["rake_terms"]
    for other in ({"bps": 1, "caps": []}, {"bps": 1000, "caps": []}, {"min_pot": 10**9}, {"bps": 0}):
        assert again(record | {"rake_terms": terms | other}).differences, other
    assert "cannot be read" in again(record | {"rake_terms": terms | {"more": 1}}).differences[0]


def test_a_hand_without_rake_tells_the_terms_too(hands):
    """A rake that was not taken is found: the terms would have taken one."""
    found = [
        json.loads(hand.record)
        for hand in hands
        if b"rake_terms" in hand.record and b'"rake":' not in hand.record
    ]
    assert found
    for record in found:
        pots = sum(event[2] for event in record["events"] if event[0] == "award")
        generous = {"bps": 1000, "caps": [], "no_flop_no_drop": False, "unit": 1, "min_pot": 0}
        assert bool(again(record | {"rake_terms": generous}).differences) == (pots >= 10)


def test_an_older_record_of_a_rake_has_no_terms(hands):
    """It is played with the rake that it names, and counted."""
    for hand in hands:
        record = json.loads(hand.record)
        if record.pop("rake_terms", None):
            audit = again(record)
            assert audit.differences == ()
            assert audit.not_played == ("no_terms" if "rake" in record else None)

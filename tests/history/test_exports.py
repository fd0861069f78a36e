"""Exported hands, read back by others: PokerKit, the room's own replay, and readers written from the formats.

Left out of PokerKit's readings, by rules and never by a hand: odd chips (F3), all of which it gives to one player; and
players short of the big blind (B5), for whom it lowers the bet to call. Where the clock put a player all-in (H3) it may
refuse a hand with a newcomer's post: it does not ask a player with nothing to call when the others are short.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from dataclasses import replace
from decimal import ROUND_FLOOR, Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.history.hidden_cards import with_hidden_cards
from pokerroom.history.ohh_text import ohh_text
from pokerroom.history.phh_text import phh_text
from pokerroom.history.pokerstars_text import pokerstars_text
from pokerroom.history.redaction import visible_hand
from pokerroom.history.replay import replay
from pokerroom.history.story import BountyPaid, HandStory, PlaceWon, story_of
from pokerroom.ledger.tournaments import BountyKind
from pokerroom.rules.events import PostKind
from pokerroom.rules.rake import RakeTerms
from tests.effort import times
from tests.history.dealt import ENDED_MS, GAMES, SEAL, SIT_AND_GO, Dealt, dealt_hand, dealt_hands
from tests.history.readers import OHH_SCHEMA, Stacks, ohh_stacks, pokerstars_stacks
from tests.rules.referee import Lcg, pokerkit

HANDS = times(20)
KIT_HANDS = times(6)
CENT = Decimal("0.01")

pytestmark = pytest.mark.timeout(60 + 60 * times(1))


def in_cents(amount: Decimal | int, ways: int) -> tuple[Decimal, Decimal]:
    """How PokerKit splits a pot here: in cents."""
    share = (Decimal(amount) / ways).quantize(CENT, rounding=ROUND_FLOOR)
    return share, amount - share * ways


def wanted(dealt: Dealt, unit: int = 100) -> Stacks:
    """What the ledger books, by seat."""
    before = {
        seat.number: stack for seat, stack in zip(dealt.play.seats, dealt.play.stacks_at_start, strict=True)
    }
    changes = dict(dealt.settled.deltas)
    return {
        seat.number: Decimal(before[seat.number] + changes[seat.account]) / unit for seat in dealt.play.seats
    }


def kit_stacks(text: str) -> list[Decimal]:
    """The stacks at the end when PokerKit plays a PHH. It may add checks of its own, but no folds."""
    history = pokerkit.HandHistory.loads(text, divmod=in_cents)
    *_, state = history
    assert not state.status
    folds = sum(isinstance(operation, pokerkit.Folding) for operation in state.operations)
    assert folds == sum(line.endswith(" f") for line in history.actions)
    return list(state.stacks)


def agree(ours: list[Decimal], theirs: list[Decimal], odd: int) -> bool:
    return sum(abs(a - b) for a, b in zip(ours, theirs, strict=True)) * 100 <= 2 * odd


RAKES = pytest.mark.parametrize(
    "rake", [None, RakeTerms(bps=450, unit=7, no_flop_no_drop=False)], ids=["free", "raked"]
)


@pytest.mark.parametrize("game", GAMES)
@RAKES
def test_a_phh_replays_to_the_stacks_of_the_ledger(game: str, rake: RakeTerms | None) -> None:
    """By the room's own rules, clock, short blinds and rake included, as all that may read it have it."""
    found: Counter[str | None] = Counter()
    for dealt in dealt_hands(1, game, HANDS, rake=rake):
        kept = dealt.story().kept_back
        for story in dealt.views():
            document = tomllib.loads(phh_text(story), parse_float=Decimal)
            replayed = replay(document)
            found[replayed.error] += 1
            ends = {seat: end - Decimal(kept.get(seat, 0)) / 100 for seat, end in wanted(dealt).items()}
            assert document["finishing_stacks"] == list(ends.values())
    # many players who mucked unseen may be more than the replay can find losing cards for
    assert found.keys() <= {None, "missing_cards"}, found
    assert found["missing_cards"] <= HANDS / 50


def test_a_short_blind_is_called_in_full_beside_an_all_in_by_the_clock() -> None:
    """B5: in the file no player can answer a raise then, so it is a call."""
    document = tomllib.loads(phh_text(dealt_hand(Lcg(5_180), "fixed_limit").story()), parse_float=Decimal)
    assert replay(document).error is None


@pytest.mark.filterwarnings("ignore::UserWarning")  # PokerKit remarks on cards that are not dealt by itself
@pytest.mark.parametrize("game", GAMES)
def test_pokerkit_plays_a_phh_to_the_same_stacks(game: str) -> None:
    """With antes, straddles and posts; with the clock, too."""
    read = 0
    for dealt in dealt_hands(2, game, KIT_HANDS, short=False):
        for text in map(phh_text, dealt.views()):
            try:
                stacks = kit_stacks(text)
            except ValueError:
                assert dealt.clocked
                assert dealt.posts(PostKind.live_post)
                continue
            assert agree(stacks, tomllib.loads(text, parse_float=Decimal)["finishing_stacks"], dealt.odd), (
                text
            )
            read += 1
    assert read > 2.7 * KIT_HANDS


def pokerkit_reads(dealt: Dealt) -> bool:
    """Whether PokerKit reads the text of PokerStars: no-limit hold'em without antes, straddles and posts."""
    beyond = set(PostKind) - {PostKind.small_blind, PostKind.big_blind}
    positions = dealt.play.positions
    is_plain = positions.small_blind is not None and positions.button in dealt.stacks
    record = dealt.play.record(ENDED_MS)
    is_holdem = (record["game"], record["structure"]) == ("holdem", "no_limit")
    return is_plain and is_holdem and not dealt.posts(*beyond)


def pokerstars_kit_stacks(dealt: Dealt) -> Stacks:
    """The stacks at the end, by seat, when PokerKit reads and plays the text."""
    story = dealt.story(dealt.play.seats[0].account, currency="USD")
    (history,) = pokerkit.HandHistory.from_pokerstars(pokerstars_text(story), error_status=True)
    history.divmod = in_cents
    *_, state = history
    assert not state.status
    return dict(zip(history.seats, state.stacks, strict=True))


@pytest.mark.filterwarnings("ignore::UserWarning")  # as above, and on its own field of the time zone
def test_pokerkit_reads_the_pokerstars_text() -> None:
    """Of no-limit hold'em without antes, straddles and posts, which it does not read."""
    read = 0
    for dealt in filter(pokerkit_reads, dealt_hands(3, "no_limit", 4 * KIT_HANDS, clock=False, short=False)):
        seats, ours = pokerstars_kit_stacks(dealt), wanted(dealt)
        assert agree([ours[seat] for seat in seats], list(seats.values()), dealt.odd)
        read += 1
    assert read > 0.5 * KIT_HANDS


@pytest.mark.parametrize("game", GAMES)
def test_open_hand_history_fits_its_schema(game: str) -> None:
    """As the pages of the format have it: types, names of actions, and what is needed."""
    for dealt in dealt_hands(9, game, KIT_HANDS):
        own = dealt.play.seats[0].account
        for story in (*dealt.views(), dealt.story(own, of=SIT_AND_GO), dealt.story(own, currency="EUR")):
            OHH_SCHEMA.validate(json.loads(ohh_text(story)))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("write", "read"),
    [(ohh_text, ohh_stacks), (pokerstars_text, pokerstars_stacks)],
    ids=["ohh", "pokerstars"],
)
@RAKES
def test_the_other_formats_give_the_stacks_of_the_ledger(
    game: str, write: Any, read: Any, rake: RakeTerms | None
) -> None:
    """Money and tournament chips, every kind of post, side pots, rake, and all-ins by the clock."""
    for dealt in dealt_hands(4, game, HANDS, rake=rake):
        own = dealt.play.seats[0].account
        for story in dealt.views():
            assert read(write(story)) == wanted(dealt)
        assert read(write(dealt.story(own, currency="EUR"))) == wanted(dealt)
        assert read(write(dealt.story(own, of=SIT_AND_GO))) == wanted(dealt, 1)


def permuted(dealt: Dealt, viewer: int | None, order: list[int]) -> bytes:
    """The record of the hand with the cards that the viewer does not see dealt in another order."""
    record = dealt.play.record(ENDED_MS)
    shown = {event[1] for event in record["events"] if event[0] == "show"}
    hidden = [seat for seat in record["seats"] if seat["seat"] not in shown and seat["account"] != viewer]
    cards = [card for seat in hidden for card in seat["cards"]]
    moved = [cards[number] for number in sorted(range(len(cards)), key=lambda number: order[number])]
    for seat in hidden:
        count = len(seat["cards"])
        seat["cards"], moved = moved[:count], moved[count:]
    return msgspec.json.encode(with_hidden_cards(record, SEAL))


@settings(max_examples=times(15))
@given(
    seed=st.integers(0, 2**32),
    game=st.sampled_from([*GAMES]),
    own=st.booleans(),
    order=st.permutations(range(40)),
)
def test_hidden_cards_leave_no_trace(seed: int, game: str, own: bool, order: list[int]) -> None:
    """Whatever the hidden cards were, each format has the same bytes."""
    dealt = dealt_hand(Lcg(seed), game)
    viewer = dealt.play.seats[0].account if own else None
    for of in (None, SIT_AND_GO):
        for write in (phh_text, ohh_text, pokerstars_text):
            records = dealt.settled.record, permuted(dealt, viewer, order)
            first, second = (
                write(story_of(visible_hand(record, viewer, SEAL), number=1, viewer=viewer, tournament=of))
                for record in records
            )
            assert first == second


def record(**changes: Any) -> bytes:
    """A hand of three, as an older build has recorded it: carol's small blind is dead, bob has mucked."""
    fields = {
        "version": 1,
        "hand_id": "h1",
        "table": "T1",
        "game": "holdem",
        "structure": "no_limit",
        "small_blind": 50,
        "big_blind": 100,
        "started_ms": 1_795_000_000_000,
        "ended_ms": 1_795_000_009_000,
        "button": 9,
        "seats": [
            {"seat": 4, "account": 1, "name": "alice", "stack": 1_000, "cards": ["As", "Ad"], "end": 1_925},
            {"seat": 6, "account": 2, "name": "bob", "stack": 875, "cards": ["Kh", "Kd"], "end": 0},
            {"seat": 9, "account": 3, "name": "carol", "stack": 300, "cards": ["7c", "2d"], "end": 250},
        ],
        "events": [
            ["post", 4, "small_blind", 50],
            ["post", 6, "big_blind", 100],
            ["post", 9, "dead_post", 50],
            ["fold", 9, 0, 0],
            ["raise", 4, 350, 400],
            ["raise", 6, 775, 875],
            ["call", 4, 475, 875],
            ["flop", "2c", "3c", "4c"],
            ["turn", "9h"],
            ["river", "9d"],
            ["show", 4],
            ["muck", 6],
            ["award", 0, 1_800, [[4, 1_800]]],
        ],
    }
    return json.dumps({**fields, **changes}).encode()


POKERSTARS = """\
PokerStars Hand #12:  Hold'em No Limit ($0.50/$1 USD) - 2026/11/18 11:06:40 UTC [2026/11/18 06:06:40 ET]
Table 'T1' 9-max Seat #9 is the button
Seat 4: alice ($10 in chips)
Seat 6: bob ($8.75 in chips)
Seat 9: carol ($3 in chips)
alice: posts small blind $0.50
bob: posts big blind $1
carol: posts small blind $0.50
*** HOLE CARDS ***
Dealt to carol [7c 2d]
carol: folds
alice: raises $3 to $4
bob: raises $4.75 to $8.75 and is all-in
alice: calls $4.75
*** FLOP *** [2c 3c 4c]
*** TURN *** [2c 3c 4c] [9h]
*** RIVER *** [2c 3c 4c 9h] [9d]
*** SHOW DOWN ***
alice: shows [As Ad] (two pair, Aces and Nines)
bob: mucks hand
alice collected $18 from pot
*** SUMMARY ***
Total pot $18 | Rake $0
Board [2c 3c 4c 9h 9d]
Seat 4: alice (small blind) showed [As Ad] and won ($18) with two pair, Aces and Nines
Seat 6: bob (big blind) mucked
Seat 9: carol (button) folded before Flop (didn't bet)
"""


def test_a_hand_of_an_older_build_is_written_too() -> None:
    """Its record does not tell what was owed, the smallest chip, nor the number of seats."""
    hand = visible_hand(record(), 3, None)
    story = story_of(hand, number=12, viewer=3, currency="USD")
    assert pokerstars_text(story) == POKERSTARS
    assert ohh_stacks(ohh_text(story))[4] == Decimal("19.25")
    document = tomllib.loads(phh_text(story_of(hand, number=12)), parse_float=Decimal)
    assert (document["antes"], document["blinds_or_straddles"]) == ([0, 0, CENT * 50], [CENT * 50, 1, 0])
    assert replay(document).ok


def raked() -> HandStory:
    """The hand above with a rake of 0.90."""
    seats = json.loads(record())["seats"]
    seats[0]["end"] -= 90
    events = [*json.loads(record())["events"][:-1], ["award", 0, 1_800, [[4, 1_710]], 90]]
    hand = visible_hand(record(seats=seats, events=events, rake=90, rake_unit=10), 3, None)
    return story_of(hand, number=12, viewer=3, currency="USD")


def test_f4_the_rake_of_a_hand() -> None:
    """F4: pots are told with the rake, shares without it; PHH has it in fields of our own."""
    text = pokerstars_text(raked())
    assert "Total pot $18 | Rake $0.90\n" in text
    assert "alice collected $17.10 from pot\n" in text
    assert "and won ($17.10) with" in text
    (pot,) = json.loads(ohh_text(raked()))["ohh"]["pots"]
    assert (pot["amount"], pot["rake"], pot["player_wins"][0]["win_amount"]) == (18, 0.9, 17.1)
    document = tomllib.loads(phh_text(raked()), parse_float=Decimal)
    assert (document["_rake"], document["_rake_unit"]) == (CENT * 90, CENT * 10)
    assert replay(document).ok
    assert replay({**document, "_rake": CENT * 80}).error == "stacks_differ"
    assert replay({**document, "_rake": CENT * 85}).error == "bad_amount"


def test_a_sit_and_go_tells_who_leaves_it() -> None:
    """Buy-in and level stand in the header; places and prizes below the pots, as far as the ledger has given them."""
    seats = json.loads(record())["seats"][:2]
    events = [event for event in json.loads(record())["events"] if event[1] != 9]
    of = replace(
        SIT_AND_GO,
        levels=((10, 20), (50, 100)),
        places={1: PlaceWon(place=1, prize=6_000), 2: PlaceWon(place=2, prize=0)},
    )
    hand = visible_hand(record(seats=seats, events=events, button=4), None, None)
    lines = pokerstars_text(story_of(hand, number=12, tournament=of)).splitlines()
    assert lines[0].startswith(
        "PokerStars Hand #12: Tournament #7, 10+0.50 Hold'em No Limit - Level II (50/100) - "
    )
    assert lines[1] == "Table '7 1' 6-max Seat #4 is the button"
    assert lines[lines.index("*** SUMMARY ***") - 2 :][:2] == [
        "bob finished the tournament in 2nd place",
        "alice wins the tournament and receives 60 - congratulations!",
    ]
    assert "bob finished" not in pokerstars_text(story_of(hand, number=12, tournament=SIT_AND_GO))
    third = {1: PlaceWon(place=1, prize=6_000), 2: PlaceWon(place=3, prize=0)}
    earlier = pokerstars_text(story_of(hand, number=12, tournament=replace(of, places=third)))
    assert "bob finished the tournament in 3rd place" in earlier
    assert "alice wins" not in earlier  # the second is at another table
    info = json.loads(ohh_text(story_of(hand, number=12, tournament=of)))["ohh"]["tournament_info"]
    assert (info["buyin_amount"], info["fee_amount"], info["tournament_number"]) == (10, 0.5, "six.7")
    assert info["flags"] == ["SNG"]


@pytest.mark.parametrize(("kind", "flag"), [("knockout", "Bounty"), ("progressive", "Progressive-Bounty")])
def test_a_bounty_is_told_in_the_hand_that_won_it(kind: BountyKind, flag: str) -> None:
    """The header has its part of the buy-in; of another hand nothing is told."""
    seats = json.loads(record())["seats"][:2]
    events = [event for event in json.loads(record())["events"] if event[1] != 9]
    of = replace(
        SIT_AND_GO,
        buy_in=600,
        bounty=400,
        bounty_kind=kind,
        bounties={12: [BountyPaid(account=2, winner=1, cash=250)]},
    )
    hand = visible_hand(record(seats=seats, events=events, button=4), None, None)
    story = story_of(hand, number=12, tournament=of)
    text = pokerstars_text(story)
    assert "Tournament #7, 6+4+0.50 Hold'em" in text
    assert "\nalice wins the 2.50 bounty for eliminating bob\n" in text
    told = json.loads(ohh_text(story))["ohh"]
    ids = {player["name"]: player["id"] for player in told["players"]}
    (won,) = told["tournament_bounties"]
    assert won == {"player_id": ids["alice"], "bounty_won": 2.5, "defeated_player_id": ids["bob"]}
    info = told["tournament_info"]
    assert (info["buyin_amount"], info["bounty_fee_amount"], info["flags"]) == (6, 4, ["SNG", flag])
    other = story_of(hand, number=13, tournament=of)
    assert "bounty for eliminating" not in pokerstars_text(other)
    assert "tournament_bounties" not in json.loads(ohh_text(other))["ohh"]


@pytest.mark.parametrize(("out_in", "is_told"), [(None, True), (12, True), (13, False)])
def test_a_player_who_enters_again_has_not_finished(out_in: int | None, is_told: bool) -> None:
    """The place is told in the last hand of the player, and so is the win of the other; it is not known in old rows."""
    seats = json.loads(record())["seats"][:2]
    events = [event for event in json.loads(record())["events"] if event[1] != 9]
    places = {1: PlaceWon(place=1, prize=6_000), 2: PlaceWon(place=2, prize=0, out_in=out_in)}
    of = replace(SIT_AND_GO, places=places, starts_when_full=False, has_re_entries=True)
    story = story_of(
        visible_hand(record(seats=seats, events=events, button=4), None, None), number=12, tournament=of
    )
    text = pokerstars_text(story)
    assert ("bob finished the tournament in 2nd place\n" in text) == is_told
    assert ("alice wins the tournament" in text) == is_told
    info = json.loads(ohh_text(story))["ohh"]["tournament_info"]
    assert info["flags"] == ["Re-Entry"]


@pytest.mark.parametrize(
    ("blinds", "level"), [((25, 50), 1), ((50, 100), 2), ((100, 200), 3), ((400, 800), 5)]
)
def test_levels_beyond_the_last_one_double(blinds: tuple[int, int], level: int) -> None:
    """As the sit-and-go plays them."""
    assert SIT_AND_GO.level(*blinds) == level

"""The same random hands played by PokerKit, an independent referee: turns, ranges and stacks must agree.

Where the rules differ on purpose, the difference is left out by a rule, never by a hand:

* B5: PokerKit lowers the bet to call to what a short blind posted. A player who owes the largest blind covers it here.
* B6: PokerKit lets a straddle be raised by the big blind; it is given the straddle as the smallest raise [D].
* B9: PokerKit matches all antes of a hand or none. Where they differ every player covers the smallest here. It takes an
  ante for the table before the blind. Who owes one covers both here.
* C2: PokerKit asks the last player with chips for a check where no player can bet against them. It gets it.
* D4: PokerKit counts what short blinds posted, not their nominal size. In pot-limit the ranges are not compared
  pre-flop where a blind is short: `short_blinds`.
* D5: PokerKit's cap counts raises by street; it is given ours (the blind is the first bet).
* E1: PokerKit lets who has acted raise a short all-in when the street saw no full bet or raise before it (a
  limper, or who has checked). There the ranges are not compared: `acted_before_a_first_short_all_in`.
* E1: short all-ins accumulate; PokerKit forgets those before an all-in call. Where who has acted faces several
  of them the ranges are not compared: `faces_short_all_ins`.
* E2: in fixed limit PokerKit adds a whole bet to an all-in of any size, and counts it towards the cap. Once a
  street has one of another size than its bets, no player raises on it any more: `odd_bet`.
* F3: PokerKit gives all odd chips of a pot to one player, and joins pots once beaten hands are killed.
  Stacks may differ by the odd chips of pots that were split; without any they are equal.
* H3: PokerKit has no clock; no player is all-in by it here.

pytest's summary tells how many hands were played and how many turns were compared. POKERROOM_DIFFERENTIAL multiplies
the hands, and plays eight seeds in place of one: 35 plays 46,200 hands.
"""

import os

import pytest

from pokerroom.rules.betting import FixedLimit, PotLimit
from pokerroom.rules.events import Event, PotWon, Street
from pokerroom.rules.hand import HandSetup, HandState, apply, legal_actions, start
from tests.rules.referee import GAMES, Lcg, Referee, choose, random_setup

TIMES = int(os.environ.get("POKERROOM_DIFFERENTIAL", "1"))
HANDS = {"no_limit": 60 * TIMES, "fixed_limit": 40 * TIMES, "pot_limit": 40 * TIMES, "omaha": 25 * TIMES}
SEEDS_EVERY_DAY, SEEDS_ASKED_FOR = 1, 8
SEEDS = SEEDS_EVERY_DAY if TIMES == 1 else SEEDS_ASKED_FOR


def odd_chips(events: list[Event]) -> int:
    """How many odd chips there were, which PokerKit may have given to someone else."""
    return sum(event.amount % len(event.shares) for event in events if isinstance(event, PotWon))


def owes_more_than_he_has(setup: HandSetup) -> bool:
    """B5, B9: whether a player is all-in by what they post."""
    return any(player.ante + player.blind > player.stack for player in setup.players)


def acted_before_a_first_short_all_in(state: HandState, player: int) -> bool:
    """E1: an acted player faces a short all-in without a full bet or raise before it on the street."""
    blind = state.setup.structure.blind_raises(10) if state.street is Street.preflop else 0
    return state.acted[player] and state.raises == blind and state.current_bet > state.full_bet


def faces_short_all_ins(state: HandState, player: int) -> bool:
    """E1: an acted player has matched the last full bet, and faces more than one short all-in above it."""
    above = [bet for bet in state.bets if bet > state.full_bet]
    return state.acted[player] and state.bets[player] >= state.full_bet and len(above) > 1


def ranges_differ(state: HandState, player: int) -> bool:
    """Whether a named rule makes the ranges differ."""
    return (
        odd_bet(state)
        or short_blinds(state)
        or acted_before_a_first_short_all_in(state, player)
        or faces_short_all_ins(state, player)
    )


def short_blinds(state: HandState) -> bool:
    """D4: pre-flop in pot-limit a player has posted less than their blind."""
    return isinstance(state.setup.structure, PotLimit) and state.blind_shortfall > 0


def odd_bet(state: HandState) -> bool:
    """E2: on a street of fixed limit a player is all-in with another size than its bets."""
    return isinstance(state.setup.structure, FixedLimit) and state.current_bet % state.full_raise != 0


@pytest.mark.filterwarnings("ignore::UserWarning")  # PokerKit remarks on cards that are not dealt by itself
@pytest.mark.timeout(60 + 60 * TIMES)
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("name", HANDS)
def test_pokerkit_agrees(name, seed, record_property):
    """B-F, J1, J2: whose turn, what to call, the legal range and the final stacks are as PokerKit has them."""
    lcg = Lcg(seed)
    compared = turns = hands = short = 0
    for _ in range(HANDS[name]):
        setup = random_setup(lcg, *GAMES[name])
        referee = Referee(setup)
        state, events = start(setup)
        short += owes_more_than_he_has(setup)
        while not state.finished:
            legal = legal_actions(state)
            assert legal.player == referee.state.actor_index
            assert legal.call_amount == referee.state.checking_or_calling_amount
            turns += 1
            if not ranges_differ(state, legal.player):
                assert (legal.min_raise_to, legal.max_raise_to) == referee.range()
                compared += 1
            action = choose(lcg, state, raises=not ranges_differ(state, legal.player))
            events += apply(state, legal.player, action)
            referee.apply(action)

        referee.finish()
        assert not referee.state.status
        differences = [abs(a - b) for a, b in zip(state.stacks, referee.state.stacks, strict=True)]
        assert sum(differences) <= 2 * odd_chips(events)
        hands += 1
    record_property("pokerkit_hands", hands)
    record_property("pokerkit_hands with somebody short of a post", short)
    record_property("pokerkit_turns", turns)
    record_property("pokerkit_legal ranges compared", compared)
    assert hands == HANDS[name]
    assert short > 0.05 * hands
    assert compared > 0.85 * turns

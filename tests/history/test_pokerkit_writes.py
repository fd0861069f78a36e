"""Hands that PokerKit played and wrote as PHH, replayed: its reading of the format is the format's reference."""

import pytest

from pokerroom.history.files import documents
from pokerroom.history.replay import replay
from pokerroom.rules.hand import apply, start
from pokerroom.rules.variants import OMAHA
from tests.effort import times
from tests.rules.referee import BIG_BLIND, GAMES, Lcg, Referee, choose, pokerkit, random_setup
from tests.rules.test_pokerkit import odd_chips, ranges_differ

HANDS = times(40)


def game_of(setup):
    """PokerKit's game of a hand, which it needs to write it down."""
    blinds, antes = ([getattr(player, name) for player in setup.players] for name in ("blind", "ante"))
    if len(blinds) == 2:
        blinds, antes = blinds[::-1], antes[::-1]
    trimming = len(set(antes)) == 1
    if setup.variant is OMAHA:
        return pokerkit.PotLimitOmahaHoldem((), trimming, antes, blinds, BIG_BLIND)
    if setup.structure.name == "fixed_limit":
        return pokerkit.FixedLimitTexasHoldem((), trimming, antes, blinds, BIG_BLIND, 2 * BIG_BLIND)
    return pokerkit.NoLimitTexasHoldem((), trimming, antes, blinds, BIG_BLIND)


@pytest.mark.filterwarnings("ignore::UserWarning")  # PokerKit remarks on cards that are not dealt by itself
@pytest.mark.parametrize("game", ["no_limit", "fixed_limit", "omaha"])
def test_pokerkits_files_replay(game, tmp_path):
    """B4, C1: heads-up arrays, straddles, antes and final checks mean what PokerKit meant; odd chips apart (F3)."""
    lcg, odd = Lcg(2026), {}
    path = tmp_path / "hands.phhs"
    with path.open("wb") as file:
        for number in range(1, HANDS + 1):
            setup = random_setup(lcg, *GAMES[game])
            referee = Referee(setup)
            state, events = start(setup)
            while not state.finished:
                differ = ranges_differ(state, state.turn.player)
                action = choose(lcg, state, raises=not differ)
                events += apply(state, state.turn.player, action)
                referee.apply(action)
            referee.finish()
            odd[str(number)] = odd_chips(events)
            history = pokerkit.HandHistory.from_game_state(
                game_of(setup), referee.state, finishing_stacks=list(referee.state.stacks)
            )
            file.write(f"[{number}]\n{history.dumps()}\n".encode())

    agreed = 0
    for name, document in documents(path):
        replayed = replay(document)
        assert replayed.error in {None, "stacks_differ"}, (name, replayed.detail)
        pairs = zip(replayed.finishing_stacks, replayed.expected, strict=True)
        assert sum(abs(ours - theirs) for ours, theirs in pairs) <= 2 * odd[name]
        agreed += replayed.ok
    assert agreed > HANDS * 0.9

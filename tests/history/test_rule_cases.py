"""The rule cases written as PHH and replayed: a second way in than the engine's own tests."""

import pytest

from pokerroom.history.replay import replay
from pokerroom.rules.cards import card_text
from tests.rules.test_rule_cases import HANDS, play, start_of


def document_of(case, actions):
    """The case as a PHH document of these actions, without its result."""
    players = len(case["stacks"])
    blinds, antes = case["blinds"], case.get("antes", [0] * players)
    if players == 2:
        blinds, antes = blinds[::-1], antes[::-1]
    deals = [
        f"d dh p{number} {''.join(map(card_text, player.holes))}"
        for number, player in enumerate(start_of(case).state.setup.players, start=1)
    ]
    fields = {
        "antes": antes,
        "blinds_or_straddles": blinds,
        "starting_stacks": case["stacks"],
        "actions": [*deals, *actions],
    }
    if case["structure"] == "FL":
        return fields | {
            "variant": "FT",
            "small_bet": case["small_bet"],
            "big_bet": case["big_bet"],
            "_cap_heads_up": case.get("options", {}).get("limit_cap_heads_up", True),
            "_raises_max": case.get("raises_max", 3),
        }
    return fields | {"variant": "NT", "min_bet": case["min_bet"], "_bet_limit": case["structure"]}


def with_board(case, actions):
    """The actions, with the board's cards dealt where the betting before them is over."""
    hand, lines, dealt = start_of(case), [], 0
    for action in [None, *actions]:
        if action is not None:
            play(hand, action)
            lines.append(action)
        board = hand.state.board
        if len(board) > dealt:
            lines.append(f"d db {''.join(map(card_text, board[dealt:]))}")
            dealt = len(board)
    return lines


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in HANDS])
def test_probes(case):
    """Each probe's raise is taken at its bounds and refused beyond them, or at all, with the rule's code."""
    before = []
    for action in case["actions"]:
        if isinstance(action, str):
            before.append(action)
            continue
        probe = action["probe"]

        def error(amount, actor=probe["actor"]):
            return replay(document_of(case, [*with_board(case, before), f"{actor} cbr {amount}"])).error

        least, most = probe.get("min_raise_to"), probe.get("max_raise_to")
        if probe.get("can_raise") is False:
            assert error(10**6) == "raise_not_allowed"
        if least is not None:
            assert error(least) is None
            assert error(least - 1) == "raise_too_small"
        if most is not None:
            assert error(most) is None
            assert error(most + 1) == "raise_too_large"


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in HANDS if c["expected_stacks"]])
def test_results(case):
    """Each case with a result replays to it."""
    actions = [action for action in case["actions"] if isinstance(action, str)]
    written = document_of(case, with_board(case, actions))

    replayed = replay(written | {"finishing_stacks": case["expected_stacks"]})

    assert (replayed.error, replayed.finishing_stacks) == (None, tuple(case["expected_stacks"]))

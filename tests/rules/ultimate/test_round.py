"""U2 to U4: the deal, the decisions, the clock; refusals change nothing; no player is told a hidden card."""

import pytest

from pokerroom.rules.actions import Check, Fold
from pokerroom.rules.cards import DECK, card_text, parse_cards
from pokerroom.rules.errors import IllegalAction
from pokerroom.rules.ultimate.bets import Bet
from pokerroom.rules.ultimate.deal import deal_round
from pokerroom.rules.ultimate.decisions import Play, legal_decisions
from pokerroom.rules.ultimate.events import BoardOpened, BoxDecided, DecisionKind, TipTaken
from pokerroom.rules.ultimate.number import round_number
from pokerroom.rules.ultimate.result import Outcome
from pokerroom.rules.ultimate.round import decide, give_tip, start, time_out, void
from pokerroom.rules.ultimate.state import Phase, RoundState, sees_holes
from tests.rules.ultimate.support import (
    RICH,
    act,
    begun,
    box,
    common_terms,
    paid,
    result,
    run_out,
    setup_of,
)

ONE = (box(1),)
TWO = (box(1), box(2))
HOLES = ("AsAd", "QhQd")


def refuses(code: str, state: RoundState, act, *args, **named) -> None:
    """The act is refused with the code, and the state is what it was."""
    before = (state.phase, state.boxes, state.tips, state.settlement, repr(state))
    with pytest.raises(IllegalAction) as caught:
        act(state, *args, **named)
    assert caught.value.code == code
    assert before == (state.phase, state.boxes, state.tips, state.settlement, repr(state))


def test_u2_cards_go_round_the_bank_last():
    """U2, U3: one card to each hand and the bank, twice; a burn, the flop, a burn, turn and river together."""
    dealt = deal_round(DECK, 2)

    assert dealt.holes == ((DECK[0], DECK[3]), (DECK[1], DECK[4]))
    assert dealt.bank == (DECK[2], DECK[5])
    assert dealt.burned == (DECK[6], DECK[10])
    assert dealt.board == (DECK[7], DECK[8], DECK[9], DECK[11], DECK[12])


@pytest.mark.parametrize("hands", range(1, 22))
def test_u2_every_number_of_hands(hands):
    """U2: no card goes to two places, and the cards come from the top of the deck."""
    dealt = deal_round(DECK, hands)

    out = [*dealt.bank, *dealt.board, *dealt.burned, *(card for hand in dealt.holes for card in hand)]
    assert sorted(out) == list(DECK[: 2 * hands + 9])


def test_u2_a_deck_that_is_just_long_enough():
    """U2: eleven cards are one hand, the bank, two burned and the board."""
    assert deal_round(DECK[:11], 1) == deal_round(DECK, 1)


@pytest.mark.parametrize(("deck", "hands"), [(DECK, 0), (DECK, 22), (DECK[:10], 1), ((*DECK[:51], 0), 1)])
def test_u2_what_cannot_be_dealt(deck, hands):
    """U2: a deck that is too short or holds a card twice, and a deal to no player, raise."""
    with pytest.raises(ValueError, match="deck"):
        deal_round(deck, hands)


def test_u3_the_streets():
    """U3: before the flop 4x, 3x or check; on the flop 2x or check; on the river 1x or fold."""
    state = begun(ONE, HOLES[:1])
    legal = legal_decisions(state, 1, 1)
    assert (state.phase, state.board) == (Phase.preflop, ())
    assert (legal.check, legal.fold, legal.plays) == (True, False, ((3, 30), (4, 40)))

    state = act(state, 1, Check())
    legal = legal_decisions(state, 1, 1)
    assert (state.phase, state.board) == (Phase.flop, parse_cards("3h5sTc"))
    assert (legal.check, legal.fold, legal.plays) == (True, False, ((2, 20),))

    state = act(state, 1, Check())
    legal = legal_decisions(state, 1, 1)
    assert (state.phase, state.board) == (Phase.river, parse_cards("3h5sTcJdKh"))
    assert (legal.check, legal.fold, legal.plays) == (False, True, ((1, 10),))

    state = act(state, 1, Play(multiple=1))
    assert state.phase is Phase.finished
    assert state.boxes[0].play_bet == 10


@pytest.mark.parametrize("multiple", [3, 4])
def test_u3_an_early_play_ends_the_decisions(multiple):
    """U3: one Play at most: after 3x or 4x the board runs out, with its burn cards told as streets."""
    state = begun(ONE, HOLES[:1])

    state, events = decide(state, 1, 1, Play(multiple=multiple), balance=RICH)

    assert [type(event) for event in events] == [BoxDecided, BoardOpened, BoardOpened]
    assert events[0] == BoxDecided(
        box=1,
        player=1,
        decision=DecisionKind.play,
        multiple=multiple,
        amount=10 * multiple,
        automatic=False,
    )
    assert [event.cards for event in events[1:3]] == [parse_cards("3h5sTc"), parse_cards("JdKh")]
    assert state.boxes[0].play == multiple


DECISIONS = [Check(), Fold(), *(Play(multiple=multiple) for multiple in (-1, 0, 1, 2, 3, 4, 5))]
TAKEN = {
    Phase.preflop: [Check(), Play(multiple=3), Play(multiple=4)],
    Phase.flop: [Check(), Play(multiple=2)],
    Phase.river: [Fold(), Play(multiple=1)],
}


@pytest.mark.parametrize("phase", list(TAKEN))
@pytest.mark.parametrize("decision", DECISIONS, ids=repr)
def test_u3_every_decision_on_every_street(phase, decision):
    """U3: a decision is taken on its own street, and refused on each other with its code, changing nothing."""
    state = begun(ONE, HOLES[:1])
    while state.phase is not phase:
        state = act(state, 1, Check())

    if decision in TAKEN[phase]:
        assert act(state, 1, decision) != state
        return
    codes = {Check: "cannot_check", Fold: "cannot_fold", Play: "play_not_allowed"}
    refuses(codes[type(decision)], state, decide, 1, 1, decision, balance=RICH)


@pytest.mark.parametrize("first", [Check(), Play(multiple=3)])
def test_u3_a_player_who_has_decided_waits(first):
    """U3: a second decision on a street is refused, until all have decided and the next comes."""
    state = act(begun(TWO, HOLES), 1, first)

    for again in (Check(), Play(multiple=4)):
        refuses("decided_already", state, decide, 1, 1, again, balance=RICH)
    assert state.waiting == (2,)


def test_u3_one_play_at_most():
    """U3: a player with a Play bet decides nothing more, while the others do."""
    state = act(act(begun(TWO, HOLES), 1, Play(multiple=3)), 2, Check())

    assert (state.phase, state.waiting) == (Phase.flop, (2,))
    refuses("decided_already", state, decide, 1, 1, Play(multiple=2), balance=RICH)


def test_u3_boxes_decide_in_any_order():
    """U3: no player waits for another's decision, and the result is the same in any order."""
    one = act(act(begun(TWO, HOLES), 1, Play(multiple=4)), 2, Play(multiple=3))
    other = act(act(begun(TWO, HOLES), 2, Play(multiple=3)), 1, Play(multiple=4))

    assert one == other


def test_u3_another_players_box():
    """U3: a decision for a box of another player's, or for none, is refused."""
    state = begun(TWO, HOLES)

    refuses("not_your_box", state, decide, 1, 2, Check(), balance=RICH)
    refuses("not_your_box", state, decide, 1, 6, Check(), balance=RICH)
    refuses("not_your_box", state, decide, 9, 9, Check(), balance=RICH)


def test_u3_a_play_that_cannot_be_paid():
    """U1, U3: a Play beyond the balance is refused; a smaller one or a check is not."""
    state = begun(ONE, HOLES[:1])

    refuses("insufficient_balance", state, decide, 1, 1, Play(multiple=4), balance=39)
    assert decide(state, 1, 1, Play(multiple=4), balance=40)[0].finished
    assert decide(state, 1, 1, Play(multiple=3), balance=39)[0].finished
    assert decide(state, 1, 1, Check(), balance=0)[0].phase is Phase.flop


@pytest.mark.parametrize("multiple", [4.0, "4", None, True])
def test_a1_a_multiple_is_an_int(multiple):
    """A1: a Play is an int of Antes."""
    with pytest.raises(TypeError):
        Play(multiple=multiple)


def test_u4_the_clock_checks_and_folds():
    """U4: no decision in time is a check before the flop and on the flop, and a fold on the river, told as such."""
    state = begun(ONE, HOLES[:1])
    state, events = run_out(state)

    told = [
        (event.decision, event.automatic, event.amount) for event in events if isinstance(event, BoxDecided)
    ]
    assert told == [
        (DecisionKind.check, True, 0),
        (DecisionKind.check, True, 0),
        (DecisionKind.fold, True, 0),
    ]
    assert result(state).outcome is Outcome.folded


def test_u4_the_clock_decides_for_a_player_who_has_not():
    """U4: a player that decided is left alone; nothing else is ever decided for a player."""
    state = act(begun(TWO, HOLES), 1, Play(multiple=4))

    state, events = time_out(state)

    assert [event.box for event in events if isinstance(event, BoxDecided)] == [2]
    assert (state.phase, state.boxes[0].play) == (Phase.flop, 4)


def test_a_round_that_is_over():
    """A finished round takes no decision, clock, tip or void."""
    state = act(begun(ONE, HOLES[:1]), 1, Play(multiple=4))

    refuses("round_over", state, decide, 1, 1, Check(), balance=RICH)
    refuses("round_over", state, time_out)
    refuses("round_over", state, give_tip, 1, 10, balance=RICH)
    refuses("round_over", state, void)


def test_trips_is_settled_after_a_fold():
    """U8: their own final hand wins it, also when they folded."""
    state = begun((box(1, trips=10),), ("7s2d",), board="7h7cTcJdKh")
    state, _ = run_out(state)

    assert result(state).outcome is Outcome.folded
    assert paid(state) == {Bet.ante: 0, Bet.blind: 0, Bet.trips: 40}


def test_boxes_an_extra_box_decides_nothing():
    """U11: it has its Play before the deal, and is not asked."""
    boxes = (box(1), box(2, player=1, play=3))
    state = begun(boxes, HOLES)

    assert state.waiting == (1,)
    refuses("decided_already", state, decide, 1, 2, Play(multiple=4), balance=RICH)
    assert paid(act(state, 1, Play(multiple=4)), 2)[Bet.play] == 60


def test_boxes_who_sees_what():
    """U11: a player sees the cards of their own box alone, not their extra box's, until all are turned up."""
    boxes = (box(1), box(2, player=1, play=3), box(3))
    state = begun(boxes, (*HOLES, "4h4d"))

    seen = {(player, number) for player in (1, 3, None) for number in (1, 2, 3)}
    assert {(player, number) for player, number in seen if sees_holes(state, player, number)} == {
        (1, 1),
        (3, 3),
    }
    assert not sees_holes(state, 1, 6)
    over = act(act(state, 1, Play(multiple=4)), 3, Play(multiple=4))
    assert all(sees_holes(over, player, number) for player, number in seen)


def test_boxes_a_void_round_turns_nothing_up():
    """U15: in a void round hidden cards stay hidden."""
    state = void(begun(TWO, HOLES))

    assert not sees_holes(state, 1, 2)
    assert not sees_holes(state, None, 1)
    assert result(state).cards is None


def test_seats_a_common_hand():
    """U10: any number of players play one hand, and each decides for themselves."""
    boxes = tuple(box(number, ante=10 * number) for number in range(1, 301))
    state = begun(boxes, ("AsAd",), at=common_terms())
    for number in range(1, 101):
        state = act(state, number, Play(multiple=4))
    for number in range(101, 301):
        state = act(state, number, Check())
    assert len(state.waiting) == 200
    state, _ = run_out(state)

    assert {one.cards for one in state.settlement.boxes} == {parse_cards("AsAd")}
    assert [result(state, number).outcome for number in (1, 100, 101, 300)] == [
        Outcome.won,
        Outcome.won,
        Outcome.folded,
        Outcome.folded,
    ]
    assert sees_holes(state, 5, 9)


def test_seats_every_player_sees_the_common_hand():
    """U10: the common hand lies open to all from the deal on."""
    state = begun((box(1), box(2)), ("AsAd",), at=common_terms())

    assert sees_holes(state, 2, 1)
    assert sees_holes(state, None, 1)


def test_tip_goes_to_the_tronc():
    """U14: a player may give tips while the round lasts; they go to the tronc."""
    state = begun(TWO, HOLES)
    state, events = give_tip(state, 1, 25, balance=25)
    state, _ = give_tip(state, 1, 5, balance=RICH)
    state, _ = give_tip(state, 2, 1, balance=RICH)
    assert events == [TipTaken(player=1, amount=25)]

    bare, _ = run_out(begun(TWO, HOLES))
    tipped, _ = run_out(state)
    assert tipped.settlement.tronc == 31
    assert tipped.settlement.house == bare.settlement.house
    assert dict(tipped.settlement.players) == {1: -20 - 30, 2: -20 - 1}


def test_tip_that_is_none():
    """U14: an amount of the balance, by a player of the round."""
    state = begun(TWO, HOLES)

    for amount in (0, -5):
        refuses("bad_amount", state, give_tip, 1, amount, balance=RICH)
    refuses("insufficient_balance", state, give_tip, 1, 11, balance=10)
    refuses("not_your_box", state, give_tip, 9, 10, balance=RICH)


@pytest.mark.parametrize("checks", [0, 1, 2])
def test_malfunction_a_void_round_returns_every_bet(checks):
    """U15: at any point the operator voids, and every bet goes back exactly once; a tip was given."""
    boxes = (
        box(1, trips=10, progressive=100),
        box(2, player=1, ante=20, play=4, trips=30),
        box(3, progressive=100),
    )
    state = begun(boxes, (*HOLES, "9h9d"), meter=70_000)
    state, _ = give_tip(state, 3, 7, balance=RICH)
    for _ in range(checks):
        state, _ = time_out(state)
    if checks < 2:
        state = act(state, 3, Play(multiple=2 if checks else 4))
    staked = [one.staked for one in state.boxes]
    over = void(state)

    assert over.is_void
    assert over.board == state.board
    assert [one.paid for one in over.settlement.boxes] == staked
    assert {one.outcome for one in over.settlement.boxes} == {Outcome.void}
    assert dict(over.settlement.players) == {1: 0, 3: -7}
    assert (over.settlement.house, over.settlement.tronc) == (0, 7)
    assert (over.settlement.meter.after, over.settlement.meter.fed) == (70_000, 0)
    refuses("round_over", over, void)
    refuses("round_over", over, void, decided=True)


def test_malfunction_a_decided_round_is_void_only_where_that_is_said():
    """U15: its result is no player's then; it stands on the river, and every bet goes back, the Play too."""
    played = act(begun((box(1, trips=10), box(2)), HOLES), 1, Play(multiple=4))
    played = act(act(act(played, 2, Check()), 2, Check()), 2, Fold())
    refuses("round_over", played, void)

    over = void(played, decided=True)

    assert (over.is_void, over.board, over.waiting) == (True, played.board, ())
    assert [one.paid for one in over.settlement.boxes] == [one.staked for one in played.boxes]
    assert not sees_holes(over, 1, 2)
    refuses("round_over", over, void, decided=True)


def test_round_number():
    """U17: it carries the UTC start time as hh:mm:ss, and the count makes it unique."""
    assert round_number(started_ms=1_795_262_350_999, count=42) == "20261121-11:59:10-000042"
    assert round_number(started_ms=0, count=1_234_567) == "19700101-00:00:00-1234567"
    with pytest.raises(ValueError, match="counted"):
        round_number(started_ms=0, count=-1)


HIDDEN = {"holes": "AsAd", "bank": "2c7d", "board": "3h5sTcJdKh"}


def cards_in(text: str) -> set[str]:
    return {card_text(card) for card in DECK if card_text(card) in text}


def test_no_repr_shows_a_hidden_card():
    """U2: no repr of deal, setup or state names a card that is not on the board."""
    setup = setup_of(ONE, HOLES[:1])
    state = start(setup)

    assert cards_in(repr(setup.deal) + repr(setup) + repr(state)) == set()
    flop = act(state, 1, Check())
    assert cards_in(repr(flop)) == {"3h", "5s", "Tc"}


def test_no_event_names_a_hidden_card():
    """U2: until the round is over an event names no card but those that come to the board."""
    state = start(setup_of(TWO, HOLES))
    while not state.finished:
        state, events = time_out(state)
        for event in events:
            if not isinstance(event, BoardOpened):
                assert not hasattr(event, "cards")

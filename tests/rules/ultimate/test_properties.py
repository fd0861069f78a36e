"""What holds in every round: nothing is lost or made, refusals change nothing, and no hidden card is told."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.rules.cards import DECK, card_text
from pokerroom.rules.errors import IllegalAction
from pokerroom.rules.ranking import hand_rank
from pokerroom.rules.ultimate.bets import Bet
from pokerroom.rules.ultimate.closing import close_betting
from pokerroom.rules.ultimate.data import round_from_data, round_to_data
from pokerroom.rules.ultimate.errors import Refusal
from pokerroom.rules.ultimate.events import BoardOpened, BoxDecided
from pokerroom.rules.ultimate.exposure import exposure
from pokerroom.rules.ultimate.result import Outcome
from pokerroom.rules.ultimate.round import decide, give_tip, start, time_out, void
from pokerroom.rules.ultimate.slips import BettingSlip, choose_play, double, place, repeat, undo, undo_all
from pokerroom.rules.ultimate.state import BoxStatus, Phase
from tests.effort import times
from tests.rules.ultimate.strategies import decisions, setups
from tests.rules.ultimate.support import terms

BALANCE = 3_000


def check_money(state) -> None:
    """A2: player + house + meter + tronc = 0, added up from the bets alone."""
    settlement = state.settlement
    staked = sum(one.staked for one in state.boxes)
    back = sum(bet.paid for one in settlement.boxes for bet in one.bets) + sum(
        one.envy for one in settlement.boxes
    )
    tips = sum(amount for _, amount in state.tips)
    meter = settlement.meter
    assert sum(delta for _, delta in settlement.players) == back - staked - tips
    assert (
        sum(delta for _, delta in settlement.players) + settlement.house + (meter.after - meter.before) + tips
        == 0
    )
    assert settlement.tronc == tips
    assert meter.after >= 0
    for before, after in zip(state.boxes, settlement.boxes, strict=True):
        assert before.staked == after.staked
        assert all(bet.paid >= 0 for bet in after.bets)
    assert -settlement.house <= exposure(state.setup.terms, state.setup.boxes).total


def check_cells(state) -> None:
    """U5: each box against the bank, from the cards."""
    settlement, deal = state.settlement, state.setup.deal
    bank = hand_rank(deal.bank + deal.board)
    for at, one in enumerate(settlement.boxes):
        mine = hand_rank(state.setup.holes(at) + deal.board)
        if state.boxes[at].status is BoxStatus.folded:
            assert one.outcome is Outcome.folded
        else:
            assert (one.outcome is Outcome.won, one.outcome is Outcome.lost) == (mine > bank, mine < bank)
        back = {bet.bet: (bet.staked, bet.paid) for bet in one.bets}
        if one.outcome is Outcome.won:
            assert back[Bet.play][1] == 2 * back[Bet.play][0]
            assert back[Bet.blind][1] >= back[Bet.blind][0]


def check_nothing_hidden(state, events) -> None:
    """U2: before the end neither repr nor events tell of a card that is not on the board."""
    shown = {card_text(card) for card in state.board}
    text = repr(state) + repr(events)
    told = {card_text(card) for card in DECK if card_text(card) in text}
    assert told <= shown
    for event in events:
        if isinstance(event, BoardOpened):
            assert set(event.cards) <= set(state.board)


@settings(max_examples=times(30), deadline=None)
@given(setup=setups(), data=st.data())
def test_a_round_of_any_decisions(setup, data):
    """U2-U5: whatever is tried, by whom and for which box, the round goes on to its end and adds up to nothing."""
    state = start(setup)
    check_nothing_hidden(state, [])
    while not state.finished:
        if data.draw(st.integers(0, 9)) == 0:
            state, events = (void(state), []) if data.draw(st.integers(0, 3)) == 3 else time_out(state)
        else:
            box = data.draw(st.sampled_from([one.bets for one in state.boxes]))
            player = data.draw(st.sampled_from([box.player, box.player, box.player, 99]))
            balance = data.draw(st.sampled_from([0, BALANCE, BALANCE]))
            before, text, code = round_to_data(state), repr(state), ""
            try:
                if data.draw(st.integers(0, 9)) == 0:
                    state, events = give_tip(state, player, data.draw(st.integers(-1, 20)), balance=balance)
                else:
                    state, events = decide(state, player, box.box, data.draw(decisions), balance=balance)
            except IllegalAction as refused:
                code, events = refused.code, []
            assert not code or (round_to_data(state), repr(state)) == (before, text)
            assert code in {"", *Refusal}
        check_nothing_hidden(state, events)
        assert round_from_data(round_to_data(state)) == state
    check_money(state)
    if not state.is_void:
        check_cells(state)


@settings(max_examples=times(25), deadline=None)
@given(setup=setups())
def test_the_clock_alone_ends_every_round(setup):
    """U4: three times the clock is enough, and it never plays for anybody."""
    state = start(setup)
    told = []
    for _ in range(3):
        if not state.finished:
            state, events = time_out(state)
            told += [event for event in events if isinstance(event, BoxDecided)]

    assert state.phase is Phase.finished
    assert all(event.automatic and not event.amount for event in told)
    check_money(state)


SLIP_ACTS = st.sampled_from(["place"] * 6 + ["play", "play", "double", "repeat", "undo", "undo", "undo_all"])


@settings(max_examples=times(30), deadline=None)
@given(data=st.data())
def test_a_slip_of_any_acts(data):
    """U1: whatever is tried, a slip never goes beyond maximum or balance, its Antes are even, and undoing undoes."""
    at, slip, last = terms(), BettingSlip(player=7, box=3), ()
    for _ in range(data.draw(st.integers(1, 15))):
        act, before, text = data.draw(SLIP_ACTS), slip, repr(slip)
        try:
            if act == "place":
                bet, box = data.draw(st.sampled_from(Bet)), data.draw(st.sampled_from([None, 3, 1, 5, 9]))
                chip = data.draw(st.sampled_from([1, 2, 10, 100, 100, 500]))
                slip = place(slip, at, bet, chip, balance=BALANCE, box=box, free={1, 5})
            elif act == "play":
                box, multiple = data.draw(st.sampled_from([1, 3, 5])), data.draw(st.integers(2, 5))
                slip = choose_play(slip, multiple, box=box, balance=BALANCE)
            elif act == "double":
                slip = double(slip, at, balance=BALANCE)
            elif act == "repeat":
                slip = repeat(slip, at, last, balance=BALANCE, free={1, 5})
            elif act == "undo":
                slip = undo(slip)
            else:
                last, slip = slip.bets, undo_all(slip)
        except IllegalAction:
            act = "refused"
        assert act != "refused" or (slip, repr(slip)) == (before, text)
        if act in {"place", "play", "double", "repeat"}:
            assert undo(slip) == before
        assert slip.total <= BALANCE
        for bets in slip.bets:
            assert bets.ante % 2 == 0
            assert bets.ante <= at.ante.most
            assert bets.ante
    closed = close_betting(at, (slip,), balances={7: BALANCE})
    assert sum(bets.total for bets in closed.boxes) <= BALANCE
    assert all(bets.ante >= at.ante.least for bets in closed.boxes)
    laid = {(bets.box, Bet.ante): bets.ante for bets in slip.bets}
    stands = {(bets.box, Bet.ante): bets.ante for bets in closed.boxes}
    gone = {(one.box, one.bet): one.amount for one in closed.refused if one.bet is Bet.ante}
    assert stands | gone == laid
    assert not stands.keys() & gone.keys()

"""Whole tables as a state machine: hand after hand with the chips carried over, every action tried at every state.

2 to 10 players of unequal stacks, many short of what they post; no-limit, pot-limit and fixed limit; antes, big-blind
antes, straddles, posts; folds, bets of every size, all-ins and all-ins by the clock; the button goes round, players go
broke and come again.
"""

import json

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from pokerroom.rules.actions import RaiseTo
from pokerroom.rules.button import Candidate, Owes, plan_hand
from pokerroom.rules.cards import DECK
from pokerroom.rules.deal import deal
from pokerroom.rules.hand import (
    HandSetup,
    HandState,
    PlayerSetup,
    apply,
    legal_actions,
    start,
    state_from_data,
    state_to_data,
)
from pokerroom.rules.planned_hand import Positions
from pokerroom.rules.stakes import Stakes
from tests.effort import times
from tests.rules.invariants import check_events, check_every_action, check_shares, check_state
from tests.rules.strategies import BIG_BLIND, SMALL_BLIND, legal_moves, setups

SEATS = 10


class Table(RuleBasedStateMachine):
    """A table, dealt to for as long as two have chips."""

    state: HandState

    @initialize(setup=setups(), deck=st.permutations(DECK))
    def open(self, setup, deck):
        self.variant, self.structure = setup.variant, setup.structure
        self.stacks = {seat: player.stack for seat, player in enumerate(setup.players)}
        self.newcomers: set[int] = set()
        self.previous: Positions | None = None
        self.order = tuple(self.stacks)
        self.deal_out(setup)

    def deal_out(self, setup: HandSetup) -> None:
        self.chips = sum(player.stack for player in setup.players)
        self.state, self.events = start(setup)

    @rule(choice=st.integers(0, 1000))
    @precondition(lambda self: not self.state.finished)
    def act(self, choice):
        """A player acts; one time in eight a fold, so that hands get to the showdown."""
        moves = legal_moves(self.state)
        assert len(moves) >= 2
        move = moves[choice % len(moves)] if choice % 8 else moves[0]
        self.events += apply(self.state, legal_actions(self.state).player, move)

    @rule()
    @precondition(lambda self: not self.state.finished)
    def play_out(self):
        """Every player checks or calls from here on: the hand ends, within four rounds of the table."""
        for _ in range(4 * len(self.order)):
            if self.state.finished:
                break
            self.events += apply(self.state, legal_actions(self.state).player, legal_moves(self.state)[0])
        assert self.state.finished

    @rule(choices=st.lists(st.integers(0, 1000), min_size=1, max_size=20))
    @precondition(lambda self: not self.state.finished)
    def raise_to_the_end(self, choices):
        """They raise on, mostly by the least, for as long as they can: the hand ends when the chips say it must.

        A raise is all-in, once for each player, or lifts the last full bet by a big blind or more, and no bet is
        larger than the largest stack. Before each raise, and to end each of four streets, every player acts once.
        """
        players = len(self.order)
        largest = max(player.stack for player in self.state.setup.players)
        raises_max = players + 4 * (largest // BIG_BLIND)
        actions = 0
        while not self.state.finished:
            assert actions <= players * (raises_max + 4)
            legal = legal_actions(self.state)
            moves = legal_moves(self.state)
            choice = choices[actions % len(choices)]
            if choice % 4 and legal.min_raise_to is not None:
                move = RaiseTo(amount=legal.min_raise_to)
            else:
                move = moves[choice % len(moves)] if choice % 8 else moves[0]
            self.events += apply(self.state, legal.player, move)
            check_state(self.state, self.chips)
            actions += 1

    @rule()
    def write_down_and_read_back(self):
        """The hand goes on from what was written down; it is the same in every field."""
        written = state_to_data(self.state)
        copied = state_from_data(json.loads(json.dumps(written)))
        assert copied == self.state
        assert state_to_data(copied) == written
        self.state = copied

    @rule(
        deck=st.permutations(DECK),
        ante=st.sampled_from([0, 0, 2]),
        big_blind_ante=st.sampled_from([0, 0, BIG_BLIND]),
        straddle=st.booleans(),
        comes=st.sampled_from([0, 0, 25, 300]),
        options=st.tuples(st.booleans(), st.booleans()),
    )
    @precondition(lambda self: self.state.finished)
    def next_hand(self, *, deck, ante, big_blind_ante, straddle, comes, options):
        """Chips are carried over, a broke player goes, a player may come, and the next hand is dealt."""
        self.check_hand()
        self.stacks |= dict(zip(self.order, self.state.stacks, strict=True))
        self.stacks = {seat: stack for seat, stack in self.stacks.items() if stack}
        free = [seat for seat in range(SEATS) if seat not in self.stacks]
        if comes and free:
            self.stacks[free[0]] = comes
            self.newcomers.add(free[0])
        self.newcomers &= set(self.stacks)
        stakes = Stakes(
            small_blind=SMALL_BLIND,
            big_blind=BIG_BLIND,
            ante=ante,
            big_blind_ante=big_blind_ante,
            straddle=2 * BIG_BLIND if straddle else 0,
        )
        candidates = [
            Candidate(
                seat=seat,
                owes=Owes.newcomer if seat in self.newcomers else Owes.nothing,
                posts_now=options[0],
                straddles=True,
            )
            for seat in self.stacks
        ]
        plan = plan_hand(self.previous, candidates, SEATS, stakes, first_button=0, moving_button=options[1])
        if plan is None:
            self.stacks[free[-1]] = 500  # one is left: another player comes, and the next try deals
            return
        self.previous, self.order = plan.positions, plan.order
        self.newcomers -= set(plan.order)
        dealt = deal(deck, len(plan.order), self.variant)
        players = []
        for player, seat in enumerate(plan.order):
            post = plan.posts[seat]
            players.append(
                PlayerSetup(
                    stack=self.stacks[seat],
                    holes=dealt.holes[player],
                    ante=post.ante,
                    blind=post.blind,
                    blind_kind=post.blind_kind,
                    dead=post.dead,
                    muck_losing=options[0],
                )
            )
        self.deal_out(
            HandSetup(
                variant=self.variant,
                structure=self.structure,
                big_blind=BIG_BLIND,
                players=tuple(players),
                board=dealt.board,
                last_blind=plan.last_blind,
                show_all_in=options[1],
            )
        )

    @invariant()
    def everything_adds_up(self):
        """A2, C2: after every step."""
        check_state(self.state, self.chips)

    @invariant()
    def every_action_is_as_said(self):
        """C3: whatever anybody tries is taken or refused as `legal_actions` says."""
        check_every_action(self.state)

    def check_hand(self):
        """The hand that is over: its events tell it whole (A2), and every player has their share (F2)."""
        check_events(self.events, self.state)
        check_shares(self.events, self.state)

    def teardown(self):
        if hasattr(self, "state") and self.state.finished:
            self.check_hand()


TestTable = Table.TestCase
TestTable.settings = settings(max_examples=times(12), stateful_step_count=50, deadline=None)

"""Random hands for Hypothesis: setups of every kind, and moves chosen from what is legal."""

from hypothesis import strategies as st

from pokerroom.rules.actions import Action, Call, Check, ClockAllIn, Fold, RaiseTo
from pokerroom.rules.betting import FixedLimit, NoLimit, PotLimit
from pokerroom.rules.deal import deal
from pokerroom.rules.events import PostKind
from pokerroom.rules.hand import HandSetup, HandState, PlayerSetup, legal_actions
from pokerroom.rules.rake import RakeTerms
from pokerroom.rules.variants import VARIANTS

SMALL_BLIND, BIG_BLIND = 5, 10

structures = st.sampled_from(
    [
        NoLimit(),
        PotLimit(),
        FixedLimit(small_bet=10, big_bet=20),
        FixedLimit(small_bet=10, big_bet=20, raises_max=4, cap_heads_up=False),
    ]
)
variants = st.sampled_from(list(VARIANTS.values()))
stacks = st.one_of(st.integers(1, 30), st.integers(31, 400), st.sampled_from([5, 10, 20, 1000]))


@st.composite
def rakes(draw) -> RakeTerms:
    """Rakes of every kind."""
    unit = draw(st.sampled_from([1, 1, 3, 10]))
    players = sorted(draw(st.sets(st.integers(2, 10), max_size=3)))
    return RakeTerms(
        bps=draw(st.integers(1, 1000)),
        caps=tuple((number, unit * draw(st.integers(1, 20))) for number in players),
        no_flop_no_drop=draw(st.booleans()),
        unit=unit,
        min_pot=draw(st.sampled_from([0, 0, 25, 200])),
    )


@st.composite
def setups(draw, rake: st.SearchStrategy[RakeTerms] | None = None) -> HandSetup:
    """2 to 10 players of unequal stacks; antes of all kinds, straddles, live and dead posts, dead small blinds."""
    players = draw(st.integers(2, 10))
    blinds = [(0, None)] * players
    small, big = (1, 0) if players == 2 else (0, 1)
    blinds[big] = (BIG_BLIND, PostKind.big_blind)
    if draw(st.integers(0, 9)):  # the small blind is dead now and then
        blinds[small] = (SMALL_BLIND, PostKind.small_blind)
    last_blind = big
    dead = [0] * players
    if players > 3:
        if draw(st.booleans()):
            last_blind = 2
            blinds[2] = (2 * BIG_BLIND, PostKind.straddle)
        elif draw(st.booleans()):
            poster = draw(st.integers(2, players - 1))
            blinds[poster] = (BIG_BLIND, PostKind.live_post)
            dead[poster] = draw(st.sampled_from([0, SMALL_BLIND]))
    ante = draw(st.sampled_from([0, 0, 1, 3]))
    antes = [ante] * players
    if not draw(st.integers(0, 4)):  # antes of their own
        antes = draw(st.lists(st.integers(0, 6), min_size=players, max_size=players))
    antes[big] += draw(st.sampled_from([0, 0, BIG_BLIND]))
    variant = draw(variants)
    dealt = deal(draw(st.permutations(variant.deck)), players, variant)
    allowed = structures.filter(lambda structure: structure.name in variant.structures)
    return HandSetup(
        variant=variant,
        structure=draw(allowed),
        big_blind=BIG_BLIND,
        players=tuple(
            PlayerSetup(
                stack=draw(stacks),
                holes=dealt.holes[player],
                ante=antes[player],
                blind=blinds[player][0],
                blind_kind=blinds[player][1],
                dead=dead[player],
                muck_losing=draw(st.booleans()),
            )
            for player in range(players)
        ),
        board=dealt.board,
        last_blind=last_blind,
        show_all_in=draw(st.booleans()),
        rake=None if rake is None else draw(rake),
    )


def legal_moves(state: HandState) -> list[Action]:
    """Every kind of legal move; of raises the smallest, the largest and one between."""
    legal = legal_actions(state)
    moves: list[Action] = [Check() if legal.check else Call(), Fold()]
    if legal.min_raise_to is not None:
        assert legal.max_raise_to is not None
        least, most = legal.min_raise_to, legal.max_raise_to
        moves += [RaiseTo(amount=amount) for amount in sorted({least, (least + most) // 2, most})]
    if state.committed[legal.player]:
        moves.append(ClockAllIn())
    return moves

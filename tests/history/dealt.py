"""Random hands of every kind that the room plays, and their records as the table writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pokerroom.history.hidden_cards import HAND_RECORDS
from pokerroom.history.redaction import visible_hand, whole_hand
from pokerroom.history.story import Currency, HandStory, TournamentStory, story_of
from pokerroom.ledger.api import HandSettlement
from pokerroom.poker.play import HandPlay
from pokerroom.poker.seats import Seat, SeatState
from pokerroom.rules.actions import Action
from pokerroom.rules.betting import BettingStructure, FixedLimit, NoLimit, PotLimit
from pokerroom.rules.deal import deal
from pokerroom.rules.events import PostKind
from pokerroom.rules.hand import HandSetup, HandState, PlayerSetup
from pokerroom.rules.planned_hand import Positions
from pokerroom.rules.rake import RakeTerms
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.variants import HOLDEM, OMAHA, Variant
from pokerroom.table.seal import Seal
from tests.poker.support import SETTINGS
from tests.rules.referee import Lcg, choose
from tests.rules.test_pokerkit import ranges_differ

SMALL, BIG, STRADDLE, ANTE, STARTED_MS, ENDED_MS = 50, 100, 200, 25, 1_795_000_000_000, 1_795_000_060_000
GAMES: Mapping[str, tuple[Variant, BettingStructure]] = {
    "no_limit": (HOLDEM, NoLimit()),
    "pot_limit": (HOLDEM, PotLimit()),
    "fixed_limit": (HOLDEM, FixedLimit(small_bet=BIG, big_bet=2 * BIG)),
    "omaha": (OMAHA, PotLimit()),
}
SEAL = Seal(bytes(32)).of(HAND_RECORDS)
SIT_AND_GO = TournamentStory(
    tournament="six.7",
    number=7,
    name="Six #7",
    buy_in=1_000,
    fee=50,
    starting_stack=1_500,
    started_ms=STARTED_MS - 60_000,
    level_s=300,
    levels=((25, 50), (SMALL, BIG)),
    places={},
)


@dataclass(frozen=True)
class Dealt:
    """A finished hand. `odd` are chips that another program may have given to another winner (F3)."""

    play: HandPlay
    settled: HandSettlement
    odd: int

    @property
    def setup(self) -> HandSetup:
        return self.play.state.setup

    @property
    def stacks(self) -> dict[int, int]:
        """The stack of each seat at the end."""
        return {
            seat.number: stack for seat, stack in zip(self.play.seats, self.play.state.stacks, strict=True)
        }

    @property
    def clocked(self) -> bool:
        return bool(self.play.timeout_all_ins)

    def posts(self, *kinds: PostKind) -> bool:
        """Whether a player owes one of these."""
        record = self.play.record(ENDED_MS)
        return any(event[0] == "post" and event[2] in kinds for event in record["events"])

    def views(self) -> Iterator[HandStory]:
        """The hand as spectators, a player and an operator may see it."""
        own = self.play.seats[0].account
        yield from (self.story(), self.story(own))
        yield story_of(whole_hand(self.settled.record, SEAL), number=4_711, viewer=None, whole=True)

    def story(
        self, viewer: int | None = None, of: TournamentStory | None = None, currency: Currency | None = None
    ) -> HandStory:
        """The hand as an account may see it, or as spectators do."""
        record = visible_hand(self.settled.record, viewer, SEAL)
        return story_of(record, number=4_711, viewer=viewer, tournament=of, currency=currency)


def dealt_hands(
    seed: int, game: str, count: int, *, clock: bool = True, short: bool = True, rake: RakeTerms | None = None
) -> Iterator[Dealt]:
    """Hands of one game: with all-ins by the clock, and with players short of the big blind, if asked for."""
    lcg = Lcg(seed)
    for _ in range(count):
        yield dealt_hand(lcg, game, clock=clock, short=short, rake=rake)


def dealt_hand(
    lcg: Lcg, game: str, *, clock: bool = True, short: bool = True, rake: RakeTerms | None = None
) -> Dealt:
    """One hand: 2 to 10 players, antes, straddles, posts of newcomers, dead posts, dead buttons."""
    variant, structure = GAMES[game]
    players = 2 + lcg.below(9)
    plan = _Plan(lcg, players)
    settings = replace(
        SETTINGS,
        variant=variant,
        structure=structure,
        seats_max=10,
        unit=(1, 1, 25)[lcg.below(3)],
        stakes=Stakes(small_blind=SMALL, big_blind=BIG),
    )
    deck = list(variant.deck)
    for last in range(51, 0, -1):
        other = lcg.below(last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    cards = deal(deck, players, variant)
    setup = HandSetup(
        variant=variant,
        structure=structure,
        big_blind=BIG,
        players=tuple(
            [
                PlayerSetup(
                    stack=plan.stack(player, short=short),
                    holes=cards.holes[player],
                    ante=plan.antes[player],
                    blind=plan.blinds[player][0],
                    blind_kind=plan.blinds[player][1],
                    dead=plan.dead[player],
                    muck_losing=lcg.below(3) > 0,
                )
                for player in range(players)
            ]
        ),
        board=cards.board,
        last_blind=plan.last_blind,
        dead_blind=SMALL if plan.positions.small_blind is None else 0,
        show_all_in=lcg.below(4) > 0,
        unit=settings.unit,
        rake=rake,
    )
    seats = [
        Seat(number=number, account=100 + number, name=f"p.{number}-x", stack=0, state=SeatState.PLAYING)
        for number in plan.seats
    ]
    play = HandPlay(
        settings,
        hand_id=f"{lcg.below(2**30):016d}",
        positions=plan.positions,
        seats=seats,
        setup=setup,
        started_ms=STARTED_MS,
    )
    while (seat := play.seat_to_act()) is not None:
        if clock and lcg.below(12) == 0 and play.when_expired(seat, protected=True) == "all_in":
            play.expire(seat, protected=True)
        else:
            play.act(seat.number, _choice(lcg, play.state))
    awards = [event for event in play.record(ENDED_MS)["events"] if event[0] == "award"]
    odd = sum(amount % (len(shares) * settings.unit) for _, _, amount, shares, *_ in awards)
    return Dealt(play, play.settlement(1, ENDED_MS, SEAL), odd)


def _choice(lcg: Lcg, state: HandState) -> Action:
    assert state.turn is not None
    return choose(lcg, state, raises=not ranges_differ(state, state.turn.player))


class _Plan:
    """Who sits where, and who owes what."""

    def __init__(self, lcg: Lcg, players: int) -> None:
        self._lcg = lcg
        free = list(range(1, 11))
        taken = sorted(free.pop(lcg.below(len(free))) for _ in range(players))
        turn = lcg.below(players)
        self.seats = taken[turn:] + taken[:turn]
        """In the order of the deal."""
        dead_small = players > 2 and lcg.below(6) == 0
        dead_button = players > 2 and bool(free) and lcg.below(6) == 0
        small, big = (1, 0) if players == 2 else (None, 0) if dead_small else (0, 1)
        self.blinds: list[tuple[int, PostKind | None]] = [(0, None)] * players
        self.blinds[big] = (BIG, PostKind.big_blind)
        if small is not None:
            self.blinds[small] = (SMALL, PostKind.small_blind)
        self.last_blind = big
        self.dead = [0] * players
        if players > 3 and lcg.below(4) == 0:
            self.last_blind = big + 1
            self.blinds[big + 1] = (STRADDLE, PostKind.straddle)
        elif players > 3 and lcg.below(2):
            poster = big + 1 + lcg.below(players - big - 1)
            owes = lcg.below(3)
            if owes:
                self.blinds[poster] = (BIG, PostKind.live_post)
            if owes != 1:
                self.dead[poster] = SMALL
        self.antes = [(0, 0, ANTE)[lcg.below(3)]] * players
        if lcg.below(5) == 0:
            self.antes[big] += BIG
        gap = [seat for seat in free if self._between(self.seats[-1], seat, self.seats[0])]
        self.positions = Positions(
            button=gap[0] if dead_button and gap else self.seats[-1],
            small_blind=None if small is None else self.seats[small],
            big_blind=self.seats[big],
            small_blind_seat=self.seats[0 if small is None else small],
        )

    def stack(self, player: int, *, short: bool) -> int:
        """As little as one chip, or up to 100 big blinds. Unless `short`, who owes the largest blind covers it."""
        lcg, least = self._lcg, 0
        largest = max(blind for blind, _ in self.blinds)
        differ = len(set(map(sum, zip(self.antes, self.dead, strict=True)))) > 1
        if not short:
            least = min(self.antes) if differ else 0
            if self.blinds[player][0] == largest or self.dead[player]:
                least = self.antes[player] + self.blinds[player][0] + self.dead[player]
        return max(1, least) + lcg.below((BIG, 4 * BIG, 20 * BIG, 100 * BIG)[lcg.below(4)])

    @staticmethod
    def _between(start: int, seat: int, end: int) -> bool:
        return 0 < (seat - start) % 10 < (end - start) % 10

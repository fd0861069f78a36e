"""A sit-and-go from the first registration to the last prize: a state and a wish in, the next state and events out.

Every function either returns the next state with what has happened, or raises `TournamentRefusal` and nothing has
changed. Nothing here draws a random number or asks the time. The cards of a hand are `hand`'s; what it did to the
stacks comes back here when it ends.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pokerroom.chips import Chips, Money
from pokerroom.rules.actions import Action, Check, Fold
from pokerroom.rules.button import Candidate, plan_hand
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.places import bust_order, shared_prizes
from pokerroom.rules.state import LegalActions
from pokerroom.rules.tournament.drawing import FIRST_BUTTON, drawn_seats
from pokerroom.rules.tournament.prizes import prize_of
from pokerroom.rules.tournament.rolling import rolled_forward
from pokerroom.rules.tournament.schedule import LengthUnit, LevelClock
from pokerroom.rules.tournament.state import (
    CameBack,
    LevelBegan,
    LevelBreakBegan,
    LevelBreakEnded,
    Placed,
    PlacedPlayer,
    Refunded,
    Registered,
    Tournament,
    TournamentEnded,
    TournamentEvent,
    TournamentHand,
    TournamentHandDealt,
    TournamentHandVoided,
    TournamentPaused,
    TournamentPhase,
    TournamentPlayer,
    TournamentRefusal,
    TournamentResumed,
    TournamentStarted,
    Unregistered,
    WentAway,
)

Step = tuple[Tournament, tuple[TournamentEvent, ...]]
"""The state after a wish, and what has happened."""

# --- before the start -----------------------------------------------------------------------------------------------


def register(tournament: Tournament, account: int) -> Step:
    """A seat for this account."""
    _check_registering(tournament)
    if account in tournament.registered:
        raise TournamentRefusal("registered_already")
    if tournament.full:
        raise TournamentRefusal("tournament_full")
    after = replace(tournament, registered=(*tournament.registered, account))
    return after, (Registered(account=account, full=after.full),)


def unregister(tournament: Tournament, account: int) -> Step:
    """The account's seat is free again; it may come back."""
    _check_registering(tournament)
    if account not in tournament.registered:
        raise TournamentRefusal("not_registered")
    registered = tuple(other for other in tournament.registered if other != account)
    return replace(tournament, registered=registered), (Unregistered(account=account),)


def cancel(tournament: Tournament) -> Step:
    """By an operator, before the start: everybody gets his buy-in back, the fee with it (I3)."""
    _check_registering(tournament)
    refunds = _refunds(tournament, tournament.registered)
    return replace(tournament, phase=TournamentPhase.cancelled, registered=()), (
        *refunds,
        _ended(TournamentPhase.cancelled),
    )


def start(tournament: Tournament, random_bytes: bytes) -> Step:
    """Seats are drawn from `random_bytes` (see `drawing`), and the first level begins."""
    _check_registering(tournament)
    if not tournament.full:
        raise TournamentRefusal("not_full")
    drawn = drawn_seats(tournament.registered, random_bytes)
    players = tuple(
        TournamentPlayer(account=account, seat=seat, chips=tournament.terms.starting_stack)
        for seat, account in drawn.items()
    )
    after = replace(tournament, phase=TournamentPhase.running, players=players)
    return after, (TournamentStarted(players=players), LevelBegan(level=0))


def _check_registering(tournament: Tournament) -> None:
    if tournament.phase is not TournamentPhase.registering:
        raise TournamentRefusal("tournament_started")


# --- the clock ------------------------------------------------------------------------------------------------------


def play_time(tournament: Tournament, elapsed_ms: int) -> Step:
    """So much time has gone by outside of breaks. It counts where levels are timed, and while nothing is paused."""
    _check_running(tournament)
    schedule = tournament.terms.schedule
    if schedule.unit is not LengthUnit.ms or tournament.paused:
        return tournament, ()
    return _clocked(tournament, schedule.played(tournament.clock, elapsed_ms))


def break_time(tournament: Tournament, elapsed_ms: int) -> Step:
    """So much time has gone by in a break; none while a hand is in progress, or all is paused."""
    _check_running(tournament)
    if tournament.hand is not None or tournament.paused or not tournament.clock.break_left_ms:
        return tournament, ()
    return _clocked(tournament, tournament.terms.schedule.rested(tournament.clock, elapsed_ms))


def _clocked(tournament: Tournament, clock: LevelClock) -> Step:
    before, events = tournament.clock, list[TournamentEvent]()
    if clock.level != before.level:
        events.append(LevelBegan(level=clock.level))
    if clock.break_left_ms and not before.break_left_ms:
        events.append(LevelBreakBegan(break_ms=clock.break_left_ms))
    elif before.break_left_ms and not clock.break_left_ms:
        events.append(LevelBreakEnded())
    return replace(tournament, clock=clock), tuple(events)


def pause(tournament: Tournament) -> Step:
    """By an operator: the hand in progress is played out, no other is dealt, and the clock of the level stands."""
    _check_running(tournament)
    if tournament.paused:
        raise TournamentRefusal("paused")
    return replace(tournament, paused=True), (TournamentPaused(),)


def resume(tournament: Tournament) -> Step:
    """By an operator: all goes on from where it stood."""
    _check_running(tournament)
    if not tournament.paused:
        raise TournamentRefusal("not_paused")
    return replace(tournament, paused=False), (TournamentResumed(),)


# --- hands ----------------------------------------------------------------------------------------------------------


def deal(tournament: Tournament) -> Step:
    """The next hand, at the level that holds now (B9): everybody with chips is dealt in, also who is away (H5).

    Where the button goes is `button`'s: dead through all levels (B3), the first one by `drawing` (B1).
    """
    _check_running(tournament)
    if tournament.hand is not None:
        raise TournamentRefusal("hand_in_progress")
    if tournament.paused:
        raise TournamentRefusal("paused")
    if tournament.clock.break_left_ms:
        raise TournamentRefusal("on_break")
    hand = hand_at(tournament, tournament.clock.level)
    return replace(tournament, hand=hand), (TournamentHandDealt(plan=hand.plan, level=hand.level),)


def hand_at(tournament: Tournament, level: int) -> TournamentHand:
    """The hand that follows the last one, at this level: it follows from the state alone."""
    plan = plan_hand(
        tournament.positions,
        [Candidate(seat=player.seat) for player in tournament.players if player.chips],
        tournament.terms.seats,
        tournament.terms.schedule.levels[level].stakes,
        first_button=FIRST_BUTTON,
    )
    if plan is None:
        raise InvariantBroken("a tournament that runs has two players at least")
    return TournamentHand(plan=plan, level=level)


def finish_hand(tournament: Tournament, stacks: Mapping[int, int]) -> Step:
    """The hand in progress is over; `stacks` by seat, of all who were dealt in.

    Who has no chips left is placed, several of them by their stacks at hand start (I2). Raises InvariantBroken where
    chips were lost or made (A2), or the seats are not those of the hand.
    """
    hand = _hand_of(tournament)
    order = hand.plan.order
    before = {player.seat: player.chips for player in tournament.players if player.chips}
    if set(stacks) != set(order) or min(stacks.values()) < 0 or sum(stacks.values()) != sum(before.values()):
        raise InvariantBroken("a hand moves the chips of those who play it, and keeps them all (A2)")
    account_in = {player.seat: player.account for player in tournament.players}
    busted = {index: before[seat] for index, seat in enumerate(order) if not stacks[seat]}
    best = len(order) - len(busted) + 1
    tied = [[account_in[order[index]] for index in group] for group in bust_order(busted)]
    placed = _standings(tournament, tied, best)
    if best == 2:
        (winner,) = [account_in[seat] for seat in order if stacks[seat]]
        placed = _standings(tournament, [[winner]], 1) + placed
    after = replace(
        tournament,
        hand=None,
        hands=tournament.hands + 1,
        positions=hand.plan.positions,
        players=_with_chips(tournament.players, stacks),
        standings=placed + tournament.standings,
    )
    events: tuple[TournamentEvent, ...] = tuple(Placed(standing=standing) for standing in reversed(placed))
    if best == 2:
        return replace(after, phase=TournamentPhase.finished), (*events, _ended(TournamentPhase.finished))
    if tournament.terms.schedule.unit is LengthUnit.hands:  # one that was played out in a pause is one, too
        after, levels = _clocked(after, tournament.terms.schedule.played(after.clock, 1))
        events += levels
    return after, events


def void_hand(tournament: Tournament) -> Step:
    """The hand in progress cannot be finished: stacks and button are as before it (I4)."""
    _hand_of(tournament)
    return replace(tournament, hand=None), (TournamentHandVoided(),)


def _with_chips(
    players: Sequence[TournamentPlayer], stacks: Mapping[int, int]
) -> tuple[TournamentPlayer, ...]:
    return tuple(
        replace(player, chips=Chips(stacks[player.seat])) if player.seat in stacks else player
        for player in players
    )


def _standings(
    tournament: Tournament, groups: Sequence[Sequence[int]], best: int
) -> tuple[PlacedPlayer, ...]:
    """The standings of accounts that finish together from place `best` on, the best first; who tie stand together."""
    number, placed = best, list[PlacedPlayer]()
    prizes = [
        prize_of(tournament.terms.prizes, best + place)
        for place in range(sum(len(group) for group in groups))
    ]
    shares = shared_prizes(groups, prizes)
    for group in groups:
        place = number
        for account in group:
            placed.append(
                PlacedPlayer(number=number, place=place, account=account, prize=Money(shares[account]))
            )
            number += 1
    return tuple(placed)


def _hand_of(tournament: Tournament) -> TournamentHand:
    _check_running(tournament)
    if tournament.hand is None:
        raise TournamentRefusal("no_hand")
    return tournament.hand


# --- who is away (H5) -----------------------------------------------------------------------------------------------


def go_away(tournament: Tournament, account: int) -> Step:
    """Somebody leaves, or the clock has decided for him: he is blinded off until he acts or returns. Twice is none."""
    return _presence(tournament, account, WentAway(account=account), away=True)


def come_back(tournament: Tournament, account: int) -> Step:
    """He acts, or is back; twice is none."""
    return _presence(tournament, account, CameBack(account=account), away=False)


def action_of_absent(legal: LegalActions, *, away: bool) -> Action:
    """What is done for a player who does nothing: who is away is folded at once; whose time is up checks if it is free.

    H5 [D]: he is away from then on (`go_away`).
    """
    return Check() if legal.check and not away else Fold()


def _presence(tournament: Tournament, account: int, event: TournamentEvent, *, away: bool) -> Step:
    _check_running(tournament)
    player = tournament.player(account)
    if player is None or not player.chips:
        raise TournamentRefusal("not_playing")
    if player.away is away:
        return tournament, ()
    players = tuple(replace(p, away=away) if p is player else p for p in tournament.players)
    return replace(tournament, players=players), (event,)


# --- by an operator, after the start (I3) ---------------------------------------------------------------------------


def roll_back(tournament: Tournament) -> Step:
    """Everybody gets his buy-in back, the fee with it, also who is out already.

    Refused once a prize is won, for it may be paid already: then there is `roll_forward` [D].
    """
    _check_running(tournament)
    if any(standing.prize for standing in tournament.standings):
        raise TournamentRefusal("prizes_won")
    refunds = _refunds(tournament, [player.account for player in tournament.players])
    after = replace(tournament, phase=TournamentPhase.rolled_back, hand=None, standings=())
    return after, (*refunds, _ended(TournamentPhase.rolled_back))


def roll_forward(tournament: Tournament) -> Step:
    """Those who are left share the prizes that are left (see `rolling`), by their stacks; a hand in progress is void.

    They are placed by their stacks, equal ones together.
    """
    _check_running(tournament)
    left = tournament.left()
    amounts = rolled_forward([player.chips for player in left], tournament.terms.prizes)
    paid = {player.account: amount for player, amount in zip(left, amounts, strict=True)}
    stacks = {index: player.chips for index, player in enumerate(left)}
    groups = [[left[index].account for index in group] for group in bust_order(stacks)]
    placed = tuple(
        replace(standing, prize=paid[standing.account]) for standing in _standings(tournament, groups, 1)
    )
    after = replace(
        tournament, phase=TournamentPhase.rolled_forward, hand=None, standings=placed + tournament.standings
    )
    events = tuple(Placed(standing=standing) for standing in reversed(placed))
    return after, (*events, _ended(TournamentPhase.rolled_forward))


# --- all of it ------------------------------------------------------------------------------------------------------


def _check_running(tournament: Tournament) -> None:
    if tournament.phase is not TournamentPhase.running:
        raise TournamentRefusal("not_running")


def _refunds(tournament: Tournament, accounts: Sequence[int]) -> tuple[Refunded, ...]:
    return tuple(Refunded(account=account, amount=tournament.terms.buy_in) for account in accounts)


def _ended(phase: TournamentPhase) -> TournamentEnded:
    return TournamentEnded(phase=phase)

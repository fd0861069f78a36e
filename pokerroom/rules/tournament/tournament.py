"""A tournament from the first registration to the last prize: state and request in, next state and events out.

Every function returns the next state with its events, or raises `TournamentRefusal` and nothing has changed. No
function draws a random number or asks the time. `hand` plays the cards of a hand at one of the tables; the resulting
stacks come back here when it ends.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pokerroom.chips import Chips, Money
from pokerroom.rules.actions import Action, Check, Fold
from pokerroom.rules.button import Candidate, plan_hand
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.places import bust_order, shared_prizes
from pokerroom.rules.state import LegalActions
from pokerroom.rules.tournament.early_payout import rolled_forward
from pokerroom.rules.tournament.prizes import prize_of
from pokerroom.rules.tournament.schedule import LengthUnit, LevelClock
from pokerroom.rules.tournament.seat_draw import FIRST_BUTTON, drawn_seats, place_of
from pokerroom.rules.tournament.state import (
    CameBack,
    LevelBegan,
    LevelBreakBegan,
    LevelBreakEnded,
    Placed,
    PlacedPlayer,
    PlayPaused,
    PlayResumed,
    Refunded,
    Registered,
    TablePlay,
    Tournament,
    TournamentEvent,
    TournamentHand,
    TournamentHandDealt,
    TournamentHandVoided,
    TournamentOver,
    TournamentPhase,
    TournamentPlayer,
    TournamentRefusal,
    TournamentStarted,
    Unregistered,
    WentAway,
)

Step = tuple[Tournament, tuple[TournamentEvent, ...]]
"""The state after a request, and the events."""

# --- before the start -----------------------------------------------------------------------------------------------


def register(tournament: Tournament, account: int) -> Step:
    """Take a seat for this account."""
    _check_registering(tournament)
    if account in tournament.registered:
        raise TournamentRefusal("registered_already")
    if tournament.full:
        raise TournamentRefusal("tournament_full")
    after = replace(tournament, registered=(*tournament.registered, account))
    return after, (Registered(account=account, full=after.full),)


def unregister(tournament: Tournament, account: int) -> Step:
    """Free the account's seat. The account may register again."""
    _check_registering(tournament)
    if account not in tournament.registered:
        raise TournamentRefusal("not_registered")
    registered = tuple(other for other in tournament.registered if other != account)
    return replace(tournament, registered=registered), (Unregistered(account=account),)


def cancel(tournament: Tournament) -> Step:
    """Cancel before the start, by an operator: all accounts get their buy-in and fee back (I3)."""
    _check_registering(tournament)
    refunds = _refunds(tournament, tournament.registered)
    return replace(tournament, phase=TournamentPhase.cancelled, registered=()), (
        *refunds,
        _ended(TournamentPhase.cancelled),
    )


def start(tournament: Tournament, random_bytes: bytes) -> Step:
    """Draw the seats from `random_bytes` (see `seat_draw`), and begin the first level."""
    _check_registering(tournament)
    if not tournament.full:
        raise TournamentRefusal("not_full")
    drawn = drawn_seats(tournament.registered, random_bytes)
    terms = tournament.terms
    places = sorted((place_of(number, terms.tables), account) for number, account in drawn.items())
    players = tuple(
        TournamentPlayer(account=account, table=table, seat=seat, chips=terms.starting_stack)
        for (table, seat), account in places
    )
    tables = tuple(TablePlay(number=number) for number in range(1, terms.tables + 1))
    after = replace(tournament, phase=TournamentPhase.running, players=players, tables=tables)
    return after, (TournamentStarted(players=players), LevelBegan(level=0))


def _check_registering(tournament: Tournament) -> None:
    if tournament.phase is not TournamentPhase.registering:
        raise TournamentRefusal("tournament_started")


# --- the clock ------------------------------------------------------------------------------------------------------


def play_time(tournament: Tournament, elapsed_ms: int) -> Step:
    """Count time outside of breaks. It counts only if levels are timed and the tournament is not paused."""
    _check_running(tournament)
    schedule = tournament.terms.schedule
    if schedule.unit is not LengthUnit.ms or tournament.paused:
        return tournament, ()
    return _clocked(tournament, schedule.played(tournament.clock, elapsed_ms))


def break_time(tournament: Tournament, elapsed_ms: int) -> Step:
    """Count time of a break. It does not count while a table plays a hand or the tournament is paused."""
    _check_running(tournament)
    if not tournament.between_hands or tournament.paused or not tournament.clock.break_left_ms:
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
    """Pause, by an operator: hands in progress are played out, then no hand is dealt and the clock stands."""
    _check_running(tournament)
    if tournament.paused:
        raise TournamentRefusal("paused")
    return replace(tournament, paused=True), (PlayPaused(),)


def resume(tournament: Tournament) -> Step:
    """Resume, by an operator: the tournament goes on from where it stood."""
    _check_running(tournament)
    if not tournament.paused:
        raise TournamentRefusal("not_paused")
    return replace(tournament, paused=False), (PlayResumed(),)


# --- hands ----------------------------------------------------------------------------------------------------------


def deal(tournament: Tournament, table: int) -> Step:
    """Deal the next hand of a table at the present level (B9).

    All players with chips are dealt in, also players who are away (H5). `button` moves the button: dead through all
    levels (B3); `seat_draw` gives the first one (B1). A lone player at a table waits.
    """
    _check_running(tournament)
    if tournament.table(table).hand is not None:
        raise TournamentRefusal("hand_in_progress")
    if tournament.paused:
        raise TournamentRefusal("paused")
    if tournament.clock.break_left_ms:
        raise TournamentRefusal("on_break")
    if len(tournament.left_at(table)) < 2:
        raise TournamentRefusal("too_few_players")
    hand = hand_at(tournament, table, tournament.clock.level)
    after = tournament.with_table(replace(tournament.table(table), hand=hand))
    return after, (TournamentHandDealt(table=table, plan=hand.plan, level=hand.level),)


def hand_at(tournament: Tournament, table: int, level: int) -> TournamentHand:
    """Return the hand that follows the last one of a table, at this level. It follows from the state alone."""
    plan = plan_hand(
        tournament.table(table).positions,
        [
            Candidate(seat=player.seat)
            for player in tournament.players
            if player.chips and player.table == table
        ],
        tournament.terms.table_seats,
        tournament.terms.schedule.levels[level].stakes,
        first_button=FIRST_BUTTON,
    )
    if plan is None:
        raise InvariantBroken("a hand has at least two players")
    return TournamentHand(plan=plan, level=level)


def finish_hand(tournament: Tournament, table: int, stacks: Mapping[int, int]) -> Step:
    """End the hand in progress at a table. `stacks` are by seat, of all players who were dealt in.

    Players without chips are placed, several of them by their stacks at the start of the hand (I2). Raises
    InvariantBroken if chips were lost or made (A2), or if the seats are not those of the hand.
    """
    played, hand = tournament.table(table), _hand_of(tournament, table)
    order = hand.plan.order
    left = tournament.left()
    before = {player.seat: player.chips for player in left if player.table == table}
    if set(stacks) != set(order) or min(stacks.values()) < 0 or sum(stacks.values()) != sum(before.values()):
        raise InvariantBroken("a hand only moves chips between its own players (A2)")
    account_in = {player.seat: player.account for player in left if player.table == table}
    busted = {index: before[seat] for index, seat in enumerate(order) if not stacks[seat]}
    best = len(left) - len(busted) + 1
    tied = [[account_in[order[index]] for index in group] for group in bust_order(busted)]
    placed = _standings(tournament, tied, best)
    if best == 2:
        (winner,) = [account_in[seat] for seat in order if stacks[seat]]
        placed = _standings(tournament, [[winner]], 1) + placed
    after = replace(
        tournament.with_table(TablePlay(number=table, positions=hand.plan.positions, hands=played.hands + 1)),
        players=_with_chips(tournament.players, table, stacks),
        standings=placed + tournament.standings,
    )
    events: tuple[TournamentEvent, ...] = tuple(Placed(standing=standing) for standing in reversed(placed))
    if best == 2:
        return replace(after, phase=TournamentPhase.finished), (*events, _ended(TournamentPhase.finished))
    # the table with most hands counts [D], also for a hand played out in a pause
    counts = played.hands == max(other.hands for other in tournament.tables)
    if tournament.terms.schedule.unit is LengthUnit.hands and counts:
        after, levels = _clocked(after, tournament.terms.schedule.played(after.clock, 1))
        events += levels
    return after, events


def void_hand(tournament: Tournament, table: int) -> Step:
    """Void the hand in progress at a table, which cannot be finished: stacks and button are as before it (I4)."""
    _hand_of(tournament, table)
    after = tournament.with_table(replace(tournament.table(table), hand=None))
    return after, (TournamentHandVoided(table=table),)


def _without_hands(tournament: Tournament) -> tuple[TablePlay, ...]:
    return tuple(replace(table, hand=None) for table in tournament.tables)


def _with_chips(
    players: Sequence[TournamentPlayer], table: int, stacks: Mapping[int, int]
) -> tuple[TournamentPlayer, ...]:
    return tuple(
        replace(player, chips=Chips(stacks[player.seat]))
        if player.table == table and player.seat in stacks
        else player
        for player in players
    )


def _standings(
    tournament: Tournament, groups: Sequence[Sequence[int]], best: int
) -> tuple[PlacedPlayer, ...]:
    """Return the places of accounts that finish together from place `best` on, the best first; ties stand together."""
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


def _hand_of(tournament: Tournament, table: int) -> TournamentHand:
    _check_running(tournament)
    hand = tournament.table(table).hand
    if hand is None:
        raise TournamentRefusal("no_hand")
    return hand


# --- absences (H5) --------------------------------------------------------------------------------------------------


def go_away(tournament: Tournament, account: int) -> Step:
    """Note that a player leaves or let the clock decide: they are blinded off until they act or return. Idempotent."""
    return _presence(tournament, account, WentAway(account=account), away=True)


def come_back(tournament: Tournament, account: int) -> Step:
    """Note that a player acts or is back. Idempotent."""
    return _presence(tournament, account, CameBack(account=account), away=False)


def action_of_absent(legal: LegalActions, *, away: bool) -> Action:
    """Return the action for a player who does not act: folded if away, else a free check or a fold when time is up.

    H5 [D]: the player is away from then on (`go_away`).
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
    """Return buy-in and fee to all players, also to players who are out already.

    Refused once a prize is won, because it may be paid already: use `roll_forward` then [D].
    """
    _check_running(tournament)
    if any(standing.prize for standing in tournament.standings):
        raise TournamentRefusal("prizes_won")
    refunds = _refunds(tournament, [player.account for player in tournament.players])
    tables = _without_hands(tournament)
    after = replace(tournament, phase=TournamentPhase.rolled_back, tables=tables, standings=())
    return after, (*refunds, _ended(TournamentPhase.rolled_back))


def roll_forward(tournament: Tournament) -> Step:
    """Share the remaining prizes among the remaining players by their stacks (see `early_payout`).

    Hands in progress are void. The players are placed by their stacks; equal stacks share a place.
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
        tournament,
        phase=TournamentPhase.rolled_forward,
        tables=_without_hands(tournament),
        standings=placed + tournament.standings,
    )
    events = tuple(Placed(standing=standing) for standing in reversed(placed))
    return after, (*events, _ended(TournamentPhase.rolled_forward))


# --- all of it ------------------------------------------------------------------------------------------------------


def _check_running(tournament: Tournament) -> None:
    if tournament.phase is not TournamentPhase.running:
        raise TournamentRefusal("not_running")


def _refunds(tournament: Tournament, accounts: Sequence[int]) -> tuple[Refunded, ...]:
    return tuple(Refunded(account=account, amount=tournament.terms.buy_in) for account in accounts)


def _ended(phase: TournamentPhase) -> TournamentOver:
    return TournamentOver(phase=phase)

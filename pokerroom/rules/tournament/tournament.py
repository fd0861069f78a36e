"""A tournament from its start to the last prize: state and request in, next state out.

Every function returns the next state, or raises `TournamentRefusal` and nothing has changed. No function draws a random
number or asks the time. `hand` plays the cards of a hand at one of the tables; the resulting stacks come back here when
it ends.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from pokerroom.chips import Chips, Money
from pokerroom.rules.button import Candidate, Owes, plan_hand
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.places import bust_order, shared_prizes
from pokerroom.rules.tournament.deal_making import dropped, prizes_by_deal, rolled_forward_by_deal
from pokerroom.rules.tournament.deal_stages import OpenDeal
from pokerroom.rules.tournament.early_payout import rolled_forward
from pokerroom.rules.tournament.entries import closes_early, may_rebuy
from pokerroom.rules.tournament.hand_for_hand import (
    EliminatedPlayer,
    TiedEliminations,
    charged_ms,
    elimination_order,
    is_hand_for_hand,
)
from pokerroom.rules.tournament.prizes import prize_of
from pokerroom.rules.tournament.refusal import TournamentRefusal
from pokerroom.rules.tournament.schedule import LengthUnit
from pokerroom.rules.tournament.seat_draw import FIRST_BUTTON, RandomBytes, drawn_seats, place_of
from pokerroom.rules.tournament.state import (
    PlacedPlayer,
    TablePlay,
    Tournament,
    TournamentHand,
    TournamentPhase,
    TournamentPlayer,
)
from pokerroom.rules.tournament.tables import tables_needed

# --- the start ------------------------------------------------------------------------------------------------------


def start(tournament: Tournament, random_bytes: RandomBytes) -> Tournament:
    """Draw the seats from `random_bytes` (see `seat_draw`), and begin the first level."""
    if tournament.phase is not TournamentPhase.registering:
        raise TournamentRefusal("tournament_started")
    terms, count = tournament.terms, len(tournament.registered)
    if not tournament.full and (terms.entries is None or count < terms.entries.players_min):
        raise TournamentRefusal("not_full")
    drawn = drawn_seats(tournament.registered, random_bytes)
    needed = tables_needed(count, terms.table_seats)
    places = sorted((place_of(number, needed), account) for number, account in drawn.items())
    players = tuple(
        TournamentPlayer(account=account, table=table, seat=seat, chips=terms.starting_stack)
        for (table, seat), account in places
    )
    tables = tuple(TablePlay(number=number) for number in range(1, needed + 1))
    return replace(tournament, phase=TournamentPhase.running, players=players, tables=tables)


# --- the clock ------------------------------------------------------------------------------------------------------


def play_time(tournament: Tournament, elapsed_ms: int) -> Tournament:
    """Count time outside of breaks. It counts only if levels are timed and the tournament is not paused."""
    _check_running(tournament)
    schedule = tournament.terms.schedule
    if schedule.unit is not LengthUnit.ms or tournament.paused or isinstance(tournament.deal, OpenDeal):
        return tournament
    if tournament.hand_for_hand:  # L8: so much of each hand, and nothing between them
        real_ms = 0 if tournament.between_hands else tournament.synchronised_ms + elapsed_ms
        elapsed_ms = max(0, charged_ms(real_ms) - tournament.synchronised_ms)
        tournament = replace(tournament, synchronised_ms=tournament.synchronised_ms + elapsed_ms)
    return replace(tournament, clock=schedule.played(tournament.clock, elapsed_ms))


def break_time(tournament: Tournament, elapsed_ms: int) -> Tournament:
    """Count time of a break. It does not count while a table plays a hand or the tournament is paused."""
    _check_running(tournament)
    if not tournament.between_hands or tournament.paused or not tournament.clock.break_left_ms:
        return tournament
    return replace(tournament, clock=tournament.terms.schedule.rested(tournament.clock, elapsed_ms))


def pause(tournament: Tournament) -> Tournament:
    """Pause, by an operator: hands in progress are played out, then no hand is dealt and the clock stands."""
    _check_running(tournament)
    if tournament.paused:
        raise TournamentRefusal("paused")
    return replace(tournament, paused=True)


def resume(tournament: Tournament) -> Tournament:
    """Resume, by an operator: the tournament goes on from where it stood."""
    _check_running(tournament)
    if not tournament.paused:
        raise TournamentRefusal("not_paused")
    return replace(tournament, paused=False)


# --- hands ----------------------------------------------------------------------------------------------------------


def deal(tournament: Tournament, table: int) -> Tournament:
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
    if isinstance(tournament.deal, OpenDeal):
        raise TournamentRefusal("deal_in_progress")
    if len(tournament.left_at(table)) < 2:
        raise TournamentRefusal("too_few_players")
    hand = hand_at(tournament, table, tournament.clock.level)
    return tournament.with_hand(table, hand)


def hand_at(tournament: Tournament, table: int, level: int) -> TournamentHand:
    """Return the hand that follows the last one of a table, at this level. It follows from the state alone."""
    plan = plan_hand(
        tournament.table(table).positions,
        [
            Candidate(seat=player.seat, owes=player.owes)
            for player in tournament.indexed().left_at.get(table, ())
        ],
        tournament.terms.final_seats,
        tournament.terms.schedule.levels[level].stakes,
        first_button=FIRST_BUTTON,
    )
    if plan is None:
        raise InvariantBroken("a hand has at least two players")
    return TournamentHand(plan=plan, level=level)


def finish_hand(tournament: Tournament, table: int, stacks: Mapping[int, int]) -> Tournament:
    """End the hand in progress at a table. `stacks` are by seat, of all players who were dealt in.

    Players without chips are placed, several of them by their stacks at the start of the hand (I2). In hand-for-hand
    they are placed when all tables have finished (L8). Raises InvariantBroken if chips were lost or made (A2), or if
    the seats are not those of the hand. An open deal that a journal had kept had ended before the hand.
    """
    if isinstance(tournament.deal, OpenDeal):
        tournament = dropped(tournament)
    played, hand = tournament.table(table), _hand_of(tournament, table)
    order = hand.plan.order
    there = {player.seat: player for player in tournament.indexed().left_at.get(table, ())}
    before = {seat: player for seat, player in there.items() if seat in order}
    chips_before = sum([player.chips for player in before.values()])
    if set(stacks) != set(order) or min(stacks.values()) < 0 or sum(stacks.values()) != chips_before:
        raise InvariantBroken("a hand only moves chips between its own players (A2)")
    out = tuple(
        [
            EliminatedPlayer(
                account=before[seat].account, table=table, position=position, stack=before[seat].chips
            )
            for position, seat in enumerate(order)
            if not stacks[seat]
        ]
    )
    after = tournament.with_table(
        TablePlay(number=table, positions=hand.plan.positions, hands=played.hands + 1)
    ).with_players(
        {
            player.account: replace(player, chips=Chips(stacks[seat]), owes=Owes.nothing)
            for seat, player in before.items()
        }
    )
    waits = tournament.hand_for_hand and not after.between_hands
    after = replace(after, out=after.out + out)
    after = after if waits else with_places(after)
    if after.phase is TournamentPhase.finished:
        return after
    # the table with most hands counts [D], also for a hand played out in a pause
    counts = played.hands == max([other.hands for other in tournament.tables])
    if tournament.terms.schedule.unit is LengthUnit.hands and counts:
        return replace(after, clock=tournament.terms.schedule.played(after.clock, 1))
    return after


def with_places(tournament: Tournament) -> Tournament:
    """Place the players that are out in the hand that has ended, as one hand of all tables (L8); the last one wins.

    While entries are open they have no place yet (L2). Where a satellite is decided `seat_awards` places them (L14).
    """
    if tournament.seats_won:
        return tournament
    groups = tuple([tuple(group) for group in elimination_order(tournament.out, tournament.ties)])
    if not tournament.entries_closed:
        return replace(
            tournament,
            unplaced=groups + tournament.unplaced,
            out=(),
            deciding=tournament.deciding + _who_decides(tournament),
        )
    left = tournament.indexed().left
    placed = _places(tournament, groups, left + 1)
    phase = tournament.phase
    if tournament.out and left == 1:
        (winner,) = tournament.left()
        placed = _places(tournament, [[winner.account]], 1) + placed
        phase = TournamentPhase.finished
    return replace(
        tournament,
        phase=phase,
        standings=placed + tournament.standings,
        out=(),
        synchronised=False,
        synchronised_ms=0,
    )


def _who_decides(tournament: Tournament) -> tuple[int, ...]:
    """Return the accounts of players that are out in the hand that has ended, and may buy a rebuy (L2).

    The ledger sells them, and knows whether one was sold in the last moment: the caller lets the others out.
    """
    terms = tournament.terms.entries
    if terms is None or terms.rebuy is None or not tournament.out:
        return ()
    entries = tournament.entries
    return tuple([one.account for one in tournament.out if may_rebuy(entries, one.account)])


def without_chips(tournament: Tournament, stacks: Mapping[int, int]) -> Tournament:
    """Place players that are out, by their stacks at the start of their last hand (I2).

    For a tournament of which the hands are not known any more: the players have no chips and no places yet, and
    `stacks` are by account. The hands of several tables count as one [D].
    """
    _check_running(tournament)
    out = [player.account for player in tournament.players if player.account in stacks]
    held = replace(tournament, out=_in_order(tournament, [out]))
    held = replace(held, synchronised=held.hand_for_hand)
    if held.ties is TiedEliminations.share:
        return placed_out(tournament, elimination_order(held.out, held.ties))
    tied = [
        [out[index] for index in group]
        for group in bust_order({index: stacks[account] for index, account in enumerate(out)})
    ]
    return placed_out(tournament, tied)


def placed_out(tournament: Tournament, groups: Sequence[Sequence[int]]) -> Tournament:
    """Place accounts that are out and have no place yet, the best first, ties together; a lone player has won.

    Where a satellite is decided they stay out, in this order, until `seat_awards` places them (L14).
    """
    if tournament.seats_won:
        return replace(tournament, out=_in_order(tournament, groups))
    left = tournament.left()
    placed = _places(tournament, groups, len(left) + 1)
    if len(left) > 1:
        return replace(tournament, standings=placed + tournament.standings)
    won = _places(tournament, [[left[0].account]], 1)
    standings = won + placed + tournament.standings
    return replace(tournament, phase=TournamentPhase.finished, standings=standings)


def _in_order(tournament: Tournament, groups: Sequence[Sequence[int]]) -> tuple[EliminatedPlayer, ...]:
    """Return players of which only the order is known; their stacks stand for it."""
    ranked = [(account, rank) for rank, group in enumerate(reversed(groups), 1) for account in group]
    index = tournament.indexed()
    found = [(index.player(account), rank) for account, rank in ranked]
    return tuple(
        EliminatedPlayer(account=player.account, table=player.table, position=player.seat, stack=rank)
        for player, rank in found
    )


def void_hand(tournament: Tournament, table: int) -> Tournament:
    """Void the hand in progress at a table, which cannot be finished: stacks and button are as before it (I4)."""
    _hand_of(tournament, table)
    after = tournament.with_table(replace(tournament.table(table), hand=None))
    return with_places(after) if after.between_hands else after


def _without_hands(tournament: Tournament) -> tuple[TablePlay, ...]:
    return tuple(replace(table, hand=None) for table in tournament.tables)


def standings_from(
    prizes: Sequence[Money], groups: Sequence[Sequence[int]], best: int
) -> tuple[PlacedPlayer, ...]:
    """Return the places of accounts that finish together from place `best` on, the best first; ties stand together."""
    number, placed = best, list[PlacedPlayer]()
    due = [prize_of(prizes, best + place) for place in range(sum(len(group) for group in groups))]
    shares = shared_prizes(groups, due)
    for group in groups:
        place = number
        for account in group:
            placed.append(
                PlacedPlayer(number=number, place=place, account=account, prize=Money(shares[account]))
            )
            number += 1
    return tuple(placed)


def _places(tournament: Tournament, groups: Sequence[Sequence[int]], best: int) -> tuple[PlacedPlayer, ...]:
    """Return the places from `best` on; after a deal each player of it has the agreed amount (L15)."""
    return prizes_by_deal(standings_from(tournament.prizes, groups, best), tournament.agreed_deal)


def _hand_of(tournament: Tournament, table: int) -> TournamentHand:
    _check_running(tournament)
    hand = tournament.table(table).hand
    if hand is None:
        raise TournamentRefusal("no_hand")
    return hand


# --- entries after the start (L1 to L3) -------------------------------------------------------------------------------


def enter_late(tournament: Tournament, account: int, table: int, seat: int) -> Tournament:
    """Seat a late entry, or a re-entry, with a full stack; the table may be new.

    The ledger has sold it, so it counts also where registration is about to close. Raises LookupError for a player who
    has chips, and for a seat that is taken.
    """
    _check_running(tournament)
    before = tournament.player(account)
    if (before is not None and before.chips) or any(
        (player.table, player.seat) == (table, seat) for player in tournament.left()
    ):
        raise LookupError(f"account {account} cannot take seat {seat} at table {table}")
    known = next((one for one in tournament.tables if one.number == table), None)
    begun = known is not None and (known.positions is not None or known.hand is not None)
    player = TournamentPlayer(
        account=account,
        table=table,
        seat=seat,
        chips=tournament.terms.starting_stack,
        away=before is not None and before.away,
        owes=Owes.moved if begun else Owes.nothing,
        entries=1 if before is None else before.entries + 1,
        rebuys=0 if before is None else before.rebuys,
        add_ons=0 if before is None else before.add_ons,
    )
    others = [one for one in tournament.players if one.account != account]
    tables = tournament.tables if known is not None else (*tournament.tables, TablePlay(number=table))
    return replace(
        tournament,
        players=tuple(sorted([*others, player], key=lambda one: (one.table, one.seat))),
        tables=tuple(sorted(tables, key=lambda one: one.number)),
        unplaced=_without(tournament.unplaced, account),
        deciding=tuple(one for one in tournament.deciding if one != account),
    )


def _without(unplaced: Sequence[Sequence[int]], account: int) -> tuple[tuple[int, ...], ...]:
    left = (tuple(other for other in group if other != account) for group in unplaced)
    return tuple(group for group in left if group)


def buy_chips(tournament: Tournament, account: int, *, add_on: bool) -> Tournament:
    """Give a player the chips of a rebuy or of the add-on, between hands (L2).

    The ledger has sold them, so they count also where rebuys are about to end. Raises LookupError for a player that
    cannot have bought them.
    """
    _check_running(tournament)
    player, terms = tournament.player(account), tournament.terms.entries
    sold = None if terms is None else terms.add_on if add_on else terms.rebuy
    is_out = (
        player is not None and not player.chips and not any(account in one for one in tournament.unplaced)
    )
    if player is None or sold is None or is_out:
        raise LookupError(f"account {account} has no stack that grows")
    after = replace(
        player,
        chips=Chips(player.chips + sold.chips),
        rebuys=player.rebuys + (not add_on),
        add_ons=player.add_ons + add_on,
    )
    return replace(
        tournament,
        players=tuple([after if one is player else one for one in tournament.players]),
        unplaced=_without(tournament.unplaced, account),
        deciding=tuple(one for one in tournament.deciding if one != account),
    )


def without_rebuys(tournament: Tournament, accounts: Collection[int]) -> Tournament:
    """Let players out that buy no rebuy; they may still enter again."""
    return replace(tournament, deciding=tuple(one for one in tournament.deciding if one not in accounts))


def entries_close(tournament: Tournament) -> bool:
    """Return whether entries are to close: by the level, or because the next player out decides over a prize (L1)."""
    terms, entries = tournament.terms, tournament.entries
    if tournament.entries_closed or tournament.deciding:
        return False
    assert terms.payout is not None
    paid = terms.payout.places(
        entries=entries.count, players=len(entries.players), bought=entries.prize_parts
    )
    bubble = is_hand_for_hand(
        entries.left, paid=paid, tables=len(tournament.tables), registration_closed=True
    )
    return entries.closed or closes_early(entries, paid=paid, hand_for_hand=bubble)


def prizes_due(tournament: Tournament) -> tuple[Money, ...]:
    """Return the prizes by the entries so far: provisional while entries are open (L11, L12)."""
    terms, entries = tournament.terms, tournament.entries
    assert terms.payout is not None
    return terms.payout.prizes(
        entries=entries.count,
        players=len(entries.players),
        left=entries.left,
        bought=entries.prize_parts,
    )


def close_entries(tournament: Tournament, prizes: Sequence[Money]) -> Tournament:
    """Close the entries with these prizes, and place the players that are out; a lone player has won."""
    _check_running(tournament)
    closed = replace(tournament, fixed_prizes=tuple(prizes), unplaced=(), deciding=())
    return placed_out(closed, tournament.unplaced)


# --- absences (H5) --------------------------------------------------------------------------------------------------


def go_away(tournament: Tournament, account: int) -> Tournament:
    """Note that a player leaves or let the clock decide: they are blinded off until they act or return. Idempotent."""
    return _presence(tournament, account, away=True)


def come_back(tournament: Tournament, account: int) -> Tournament:
    """Note that a player acts or is back. Idempotent."""
    return _presence(tournament, account, away=False)


def _presence(tournament: Tournament, account: int, *, away: bool) -> Tournament:
    _check_running(tournament)
    player = tournament.player(account)
    if player is None or not player.chips:
        raise TournamentRefusal("not_playing")
    if player.away is away:
        return tournament
    return tournament.with_players({account: replace(player, away=away)})


# --- by an operator, after the start (I3) ---------------------------------------------------------------------------


def roll_back(tournament: Tournament) -> Tournament:
    """Return buy-in and fee to all players, also to players that are out already.

    Refused once a prize is won, because it may be paid already: use `roll_forward` then [D]. Refused also once a player
    with a bounty is out, or has entered again: the hand has paid it.
    """
    _check_running(tournament)
    terms = tournament.terms.entries
    paid = terms is not None and terms.entry.bounty > 0
    won = any(standing.prize for standing in tournament.standings) or tournament.agreed_deal is not None
    if (
        won
        or tournament.seats_won
        or (paid and any(not player.chips or player.entries > 1 for player in tournament.players))
    ):
        raise TournamentRefusal("prizes_won")
    tables = _without_hands(tournament)
    return replace(tournament, phase=TournamentPhase.rolled_back, tables=tables, standings=(), out=())


def roll_forward(tournament: Tournament) -> Tournament:
    """Share the remaining prizes among the remaining players by their stacks (see `early_payout`).

    Hands in progress are void. The players are placed by their stacks; equal stacks share a place. After a deal each
    gets the agreed amount, and by chips a part of what was left for the winner.
    """
    _check_running(tournament)
    if tournament.seats_won:
        raise TournamentRefusal("prizes_won")
    tournament = with_places(tournament)
    left = tournament.left()
    if not tournament.entries_closed:
        raise TournamentRefusal("registration_open")
    deal = tournament.agreed_deal
    amounts = (
        rolled_forward([player.chips for player in left], tournament.prizes)
        if deal is None
        else rolled_forward_by_deal(deal, [(player.account, player.chips) for player in left])
    )
    paid = {player.account: amount for player, amount in zip(left, amounts, strict=True)}
    stacks = {index: player.chips for index, player in enumerate(left)}
    groups = [[left[index].account for index in group] for group in bust_order(stacks)]
    placed = tuple(
        replace(standing, prize=paid[standing.account])
        for standing in standings_from(tournament.prizes, groups, 1)
    )
    return replace(
        tournament,
        phase=TournamentPhase.rolled_forward,
        tables=_without_hands(tournament),
        standings=placed + tournament.standings,
        deal=deal,
    )


# --- all of it ------------------------------------------------------------------------------------------------------


def _check_running(tournament: Tournament) -> None:
    if tournament.phase is not TournamentPhase.running:
        raise TournamentRefusal("not_running")

"""What follows from the state of a tournament with several tables: moves of players, and tables that wait (L4 to L9).

A pure step. The caller says which tables are at rest: their last hand has ended, and no other can begin before the
moves are made. So no player is ever on the way, and the chips are always those of the tables.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from pokerroom.rules.button import Owes
from pokerroom.rules.tournament.balancing import balancing_move, halted_tables
from pokerroom.rules.tournament.final_table import drawn_final_table, is_final_table_due
from pokerroom.rules.tournament.seat_draw import RandomNumbers
from pokerroom.rules.tournament.state import TablePlay, Tournament
from pokerroom.rules.tournament.tables import (
    MoveReason,
    SeatedTable,
    SeatMove,
    break_order,
    broken_table_moves,
    table_to_break,
    tables_needed,
)

FINAL_TABLE = 1
"""The table at which all that are left combine: the last in the order of breaking."""


def moves_due(
    tournament: Tournament,
    at_rest: Collection[int],
    frozen: Collection[int],
    numbers: RandomNumbers,
) -> tuple[SeatMove, ...]:
    """Return the next moves: those to the final table, or of all players of one table, or of one player.

    Repeat it with the moves made until there are none. `frozen` are tables that cannot answer: no player comes to them
    or leaves them. In hand-for-hand players move when all tables are at rest (L8).
    """
    at_rest = set(at_rest) - tournament.waits_for_rebuys()
    if tournament.hand_for_hand and not {table.number for table in tournament.tables} <= at_rest:
        return ()
    if _is_even(tournament):
        return ()
    tables, order = seated_tables(tournament), break_order(table.number for table in tournament.tables)
    if _combines(tournament):
        return _final_table(tables, numbers) if {table.number for table in tables} <= at_rest else ()
    broken = table_to_break(tables, order, tournament.terms.table_seats, frozen=frozen)
    if broken is not None:
        if broken not in at_rest:
            return ()
        others = [table for table in tables if table.number != broken and table.number not in frozen]
        (gone,) = [table for table in tables if table.number == broken]
        return broken_table_moves(gone, others, numbers)
    move = balancing_move(tables, order, at_rest=at_rest, frozen=frozen)
    return () if move is None else (move,)


def waiting_tables(tournament: Tournament, frozen: Collection[int]) -> frozenset[int]:
    """Return the tables that deal no next hand now.

    All of them before the final table (L9); one that is about to be broken (L4); one that is short by three (L7); one
    where a player decides on a rebuy (L2). In hand-for-hand the caller lets all tables deal together (L8).
    """
    return _waiting(tournament, frozen) | tournament.waits_for_rebuys()


def _waiting(tournament: Tournament, frozen: Collection[int]) -> frozenset[int]:
    if len(tournament.tables) == 1 or _is_even(tournament):
        return frozenset()
    if _combines(tournament):
        return frozenset(table.number for table in tournament.tables)
    tables, order = seated_tables(tournament), break_order(table.number for table in tournament.tables)
    broken = table_to_break(tables, order, tournament.terms.table_seats, frozen=frozen)
    halted = halted_tables(tables, frozen)
    return halted if broken is None else halted | {broken}


def moved(tournament: Tournament, moves: Sequence[SeatMove]) -> Tournament:
    """Return the tournament after these moves. A table that has no player with chips is gone."""
    to = {move.account: move for move in moves}
    players = [
        replace(
            player,
            table=to[player.account].to_table,
            seat=to[player.account].to_seat,
            owes=to[player.account].owes,
        )
        if player.account in to
        else player
        for player in tournament.players
    ]
    open_tables = {player.table for player in players if player.chips}
    tables = [table for table in tournament.tables if table.number in open_tables]
    found = replace(
        tournament,
        players=tuple(sorted(players, key=lambda player: (player.table, player.seat))),
        tables=tuple(tables),
    )
    return at_final_table(found) if any(move.reason is MoveReason.final_table for move in moves) else found


def at_final_table(tournament: Tournament) -> Tournament:
    """Return the tournament with its one table as one that was just drawn (L9) [D].

    All of its players are dealt in, and the first seat, which was drawn as all others, has the button (B1).
    """
    (table,) = tournament.tables
    return replace(
        tournament,
        players=tuple(replace(player, owes=Owes.nothing) for player in tournament.players),
        tables=(TablePlay(number=table.number, hands=table.hands),),
    )


def _is_even(tournament: Tournament) -> bool:
    """Return whether no player moves and no table waits, as sizes alone tell: so it is after most hands."""
    left_at = tournament.indexed().left_at
    sizes = [len(left_at.get(table.number, ())) for table in tournament.tables]
    needed = tables_needed(sum(sizes), tournament.terms.table_seats)
    return max(sizes) - min(sizes) <= 1 and len(sizes) <= needed and not _combines(tournament)


def _combines(tournament: Tournament) -> bool:
    return is_final_table_due(
        tournament.indexed().left,
        seats=tournament.terms.final_seats,
        tables=len(tournament.tables),
        registration_closed=tournament.entries_closed,
    )


def seated_tables(tournament: Tournament) -> list[SeatedTable]:
    """Return the tables with the seats of their players, for draws of seats; who decides on a rebuy keeps the seat."""
    index, seats = tournament.indexed(), tournament.terms.table_seats
    found = [index.seated(table, seats) for table in tournament.tables]
    if not tournament.deciding:
        return found
    by_number = {table.number: table for table in found}
    for account in tournament.deciding:
        player = index.player(account)
        table = by_number[player.table]
        waiting = table.waiting if player.owes is Owes.nothing else table.waiting | {player.seat}
        players = {**table.players, player.seat: account}
        by_number[player.table] = replace(table, players=players, waiting=waiting)
    return list(by_number.values())


def _final_table(tables: Sequence[SeatedTable], numbers: RandomNumbers) -> tuple[SeatMove, ...]:
    sat = {account: (table.number, seat) for table in tables for seat, account in table.players.items()}
    drawn = drawn_final_table(sorted(sat), numbers)
    return tuple(
        SeatMove(
            account=account,
            from_table=sat[account][0],
            from_seat=sat[account][1],
            to_table=FINAL_TABLE,
            to_seat=seat,
            reason=MoveReason.final_table,
            owes=Owes.nothing,
        )
        for seat, account in drawn.seats.items()
        if sat[account] != (FINAL_TABLE, seat)
    )

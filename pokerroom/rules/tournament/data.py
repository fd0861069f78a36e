"""Conversion of a tournament's state to plain data for its journal, and back, without loss.

The data are dicts, lists, strings and integers only. The terms are not included, because the ledger keeps them. A hand
in progress is stored with its players: others may have come to the table since it was dealt. Data of version 1, which
had one table and did not say so, are still read, and hands of which only the level was stored.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pokerroom.chips import Chips, Money
from pokerroom.rules.button import Owes
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.events import PostKind
from pokerroom.rules.planned_hand import HandPlan, Positions, Post
from pokerroom.rules.tournament.deal_stages import AgreedDeal, DealProposal, DealStage, OpenDeal
from pokerroom.rules.tournament.deals import DealKind
from pokerroom.rules.tournament.hand_for_hand import EliminatedPlayer
from pokerroom.rules.tournament.schedule import LevelClock
from pokerroom.rules.tournament.state import (
    PlacedPlayer,
    TablePlay,
    Tournament,
    TournamentHand,
    TournamentPhase,
    TournamentPlayer,
    TournamentTerms,
)
from pokerroom.rules.tournament.tournament import hand_at

VERSION: Final = 2


def tournament_to_data(tournament: Tournament) -> dict[str, Any]:
    """Return all that `tournament_from_data` needs beside the terms."""
    return {
        "version": VERSION,
        "registered": list(tournament.registered),
        "players": _player_data(tournament.players),
        "tables": [_table_data(table) for table in tournament.tables],
        "moved": _moved_data(tournament.players),
        "bought": [[p.account, p.entries] for p in tournament.players if p.entries > 1],
        "rebuys": [[p.account, p.rebuys, p.add_ons] for p in tournament.players if p.rebuys or p.add_ons],
        "standings": _standing_data(tournament.standings),
        **_common_data(tournament),
    }


def change_to_data(tournament: Tournament, table: int, placed: int) -> dict[str, Any]:
    """Return what one table has changed, for `with_change`, and the places after the first `placed` that were given."""
    players = tournament.seated_at(table)
    standings = tournament.standings[: len(tournament.standings) - placed]
    return {
        "players": _player_data(players),
        "tables": [_table_data(tournament.table(table))],
        "moved": _moved_data(players),
        "standings": _standing_data(standings),
        **_common_data(tournament),
    }


def with_change(data: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a tournament after a change of one table."""
    players = {account: [account, *rest] for account, *rest in change["players"]}
    tables = {number: [number, *rest] for number, *rest in change["tables"]}
    moved = [one for one in data.get("moved", ()) if one[0] not in players]
    return {
        **data,
        **change,
        "players": [players.get(one[0], one) for one in data["players"]],
        "tables": [tables.get(one[0], one) for one in data["tables"]],
        "moved": [*moved, *change["moved"]],
        "standings": [*change["standings"], *data["standings"]],
    }


def _common_data(tournament: Tournament) -> dict[str, Any]:
    clock = tournament.clock
    return {
        "phase": tournament.phase.value,
        "clock": [clock.level, clock.used, clock.break_left_ms],
        "paused": int(tournament.paused),
        "unplaced": [list(group) for group in tournament.unplaced],
        "deciding": list(tournament.deciding),
        "prizes": list(tournament.fixed_prizes),
        "out": [[o.account, o.table, o.position, o.stack] for o in tournament.out],
        "synchronised": int(tournament.synchronised),
        "synchronised_ms": tournament.synchronised_ms,
        "deal": _deal_data(tournament.deal),
        "deals_from_hand": tournament.deals_from_hand,
        "deals_failed": tournament.deals_failed,
    }


def _player_data(players: Iterable[TournamentPlayer]) -> list[list[int]]:
    return [[p.account, p.table, p.seat, p.chips, int(p.away)] for p in players]


def _moved_data(players: Iterable[TournamentPlayer]) -> list[list[Any]]:
    return [[p.account, p.owes.value] for p in players if p.owes is not Owes.nothing]


def _standing_data(standings: Iterable[PlacedPlayer]) -> list[list[int]]:
    return [[s.number, s.place, s.account, s.prize] for s in standings]


def _table_data(table: TablePlay) -> list[Any]:
    return [
        table.number,
        None if table.positions is None else _position_data(table.positions),
        None if table.hand is None else _hand_data(table.hand),
        table.hands,
    ]


def _deal_data(deal: DealStage | None) -> dict[str, Any] | None:
    match deal:
        case None:
            return None
        case DealProposal():
            return {"stage": "proposed", **_proposal_data(deal)}
        case OpenDeal():
            return {
                "stage": "open",
                **_proposal_data(deal.proposal),
                "until_ms": deal.until_ms,
                "accounts": list(deal.accounts),
                "stacks": list(deal.stacks),
                "by_icm": list(deal.by_icm),
                "by_chips": None if deal.by_chips is None else list(deal.by_chips),
                "accepted": [[account, at_ms] for account, at_ms in deal.accepted.items()],
            }
        case AgreedDeal():
            return {
                "stage": "agreed",
                "proposer": deal.proposer,
                "kind": deal.kind.value,
                "for_the_winner": deal.for_the_winner,
                "hands": deal.hands,
                "accounts": list(deal.accounts),
                "stacks": list(deal.stacks),
                "amounts": list(deal.amounts),
                "accepted_ms": list(deal.accepted_ms),
            }


def _proposal_data(proposal: DealProposal) -> dict[str, Any]:
    return {
        "number": proposal.number,
        "proposer": proposal.proposer,
        "kind": proposal.kind.value,
        "for_the_winner": proposal.for_the_winner,
    }


def _deal(data: Mapping[str, Any] | None) -> DealStage | None:
    if data is None:
        return None
    kind, aside = DealKind(data["kind"]), Money(data["for_the_winner"])
    if data["stage"] == "agreed":
        return AgreedDeal(
            proposer=data["proposer"],
            kind=kind,
            for_the_winner=aside,
            hands=data["hands"],
            accounts=tuple(data["accounts"]),
            stacks=tuple(data["stacks"]),
            amounts=_amounts(data["amounts"]),
            accepted_ms=tuple(data["accepted_ms"]),
        )
    proposal = DealProposal(number=data["number"], proposer=data["proposer"], kind=kind, for_the_winner=aside)
    if data["stage"] == "proposed":
        return proposal
    return OpenDeal(
        proposal=proposal,
        until_ms=data["until_ms"],
        accounts=tuple(data["accounts"]),
        stacks=tuple(data["stacks"]),
        by_icm=_amounts(data["by_icm"]),
        by_chips=None if data["by_chips"] is None else _amounts(data["by_chips"]),
        accepted=dict(data["accepted"]),
    )


def _amounts(data: Iterable[int]) -> tuple[Money, ...]:
    return tuple(Money(amount) for amount in data)


def tournament_from_data(data: Mapping[str, Any], terms: TournamentTerms) -> Tournament:
    """Return the state that `tournament_to_data` wrote.

    Raises InvariantBroken for a state that does not add up; KeyError, IndexError, TypeError or ValueError for data that
    are not a state.
    """
    if "version" not in data:
        data = _of_version_1(data)
    if data["version"] != VERSION:
        raise ValueError(f"a tournament of version {data['version']}, not {VERSION}")
    level, used, break_left_ms = data["clock"]
    owes = {account: Owes(owed) for account, owed in data.get("moved", ())}
    bought = dict(data.get("bought", ()))
    rebuys = {account: numbers for account, *numbers in data.get("rebuys", ())}
    tournament = Tournament(
        terms=terms,
        phase=TournamentPhase(data["phase"]),
        registered=tuple(data["registered"]),
        players=tuple(
            TournamentPlayer(
                account=account,
                table=table,
                seat=seat,
                chips=Chips(chips),
                away=bool(away),
                owes=owes.get(account, Owes.nothing),
                entries=bought.get(account, 1),
                rebuys=rebuys.get(account, (0, 0))[0],
                add_ons=rebuys.get(account, (0, 0))[1],
            )
            for account, table, seat, chips, away in data["players"]
        ),
        clock=LevelClock(level=level, used=used, break_left_ms=break_left_ms),
        paused=bool(data["paused"]),
        tables=tuple(
            TablePlay(
                number=number, positions=None if positions is None else _positions(*positions), hands=hands
            )
            for number, positions, _, hands in data["tables"]
        ),
        standings=tuple(
            PlacedPlayer(number=number, place=place, account=account, prize=Money(prize))
            for number, place, account, prize in data["standings"]
        ),
        out=tuple(
            EliminatedPlayer(account=account, table=table, position=position, stack=stack)
            for account, table, position, stack in data.get("out", ())
        ),
        synchronised=bool(data.get("synchronised", 0)),
        synchronised_ms=data.get("synchronised_ms", 0),
        unplaced=tuple(tuple(group) for group in data.get("unplaced", ())),
        deciding=tuple(data.get("deciding", ())),
        fixed_prizes=_amounts(data.get("prizes", ())),
        deal=_deal(data.get("deal")),
        deals_from_hand=data.get("deals_from_hand", 0),
        deals_failed=data.get("deals_failed", 0),
    )
    _check(tournament)
    for number, _, hand, _ in data["tables"]:
        if hand is not None:
            found = hand_at(tournament, number, hand) if isinstance(hand, int) else _hand(hand)
            tournament = tournament.with_table(replace(tournament.table(number), hand=found))
    return tournament


def _of_version_1(data: Mapping[str, Any]) -> dict[str, Any]:
    players = [[account, 1, seat, chips, away] for account, seat, chips, away in data["players"]]
    tables = [[1, data["positions"], data["hand"], data["hands"]]] if players else []
    return {**data, "version": VERSION, "players": players, "tables": tables}


def _position_data(positions: Positions) -> list[int | None]:
    return [positions.button, positions.small_blind, positions.big_blind, positions.small_blind_seat]


def _positions(button: int, small_blind: int | None, big_blind: int, small_blind_seat: int) -> Positions:
    return Positions(
        button=button, small_blind=small_blind, big_blind=big_blind, small_blind_seat=small_blind_seat
    )


def _hand_data(hand: TournamentHand) -> list[Any]:
    plan = hand.plan
    posts = [
        [seat, post.ante, post.blind, None if post.blind_kind is None else post.blind_kind.value, post.dead]
        for seat, post in plan.posts.items()
    ]
    return [
        hand.level,
        _position_data(plan.positions),
        list(plan.order),
        posts,
        plan.last_blind,
        sorted(plan.settled),
    ]


def _hand(data: Sequence[Any]) -> TournamentHand:
    level, positions, order, posts, last_blind, settled = data
    plan = HandPlan(
        positions=_positions(*positions),
        order=tuple(order),
        posts={
            seat: Post(ante=ante, blind=blind, blind_kind=None if kind is None else PostKind(kind), dead=dead)
            for seat, ante, blind, kind, dead in posts
        },
        last_blind=last_blind,
        settled=frozenset(settled),
    )
    return TournamentHand(plan=plan, level=level)


def _check(tournament: Tournament) -> None:
    """Check that all chips are there (A2), no place is given twice, and the prizes are those of the places."""
    terms, players = tournament.terms, tournament.players
    clock, levels = tournament.clock, terms.schedule.levels
    if not 0 <= clock.level < len(levels):
        raise InvariantBroken("the schedule has no such level")
    longest_ms = levels[clock.level - 1].break_ms if clock.level else 0
    if clock.used < 0 or not 0 <= clock.break_left_ms <= longest_ms:
        raise InvariantBroken("the schedule has no such time on the clock")
    if not players:
        return
    left = [player for player in players if player.chips]
    seats = {(player.table, player.seat) for player in left if 1 <= player.seat <= terms.final_seats}
    numbers = [table.number for table in tournament.tables]
    accounts = {player.account for player in players}
    complete = len(players) == terms.seats if terms.entries is None else len(players) <= terms.seats
    if len(seats) != len(left) or len(accounts) != len(players) or not complete:
        raise InvariantBroken("the players do not have one seat each")
    if not {player.table for player in left} <= set(numbers):
        raise InvariantBroken("a player sits at no table")
    if sorted(set(numbers)) != numbers:
        raise InvariantBroken("the tables are not in their order, each once")
    sold = len(players) * terms.starting_stack if terms.entries is None else tournament.entries.chips
    if sum(player.chips for player in players) != sold:
        raise InvariantBroken("chips were lost or made (A2)")
    _check_places(tournament)


def _check_places(tournament: Tournament) -> None:
    players, standings = tournament.players, tournament.standings
    if tournament.phase in {TournamentPhase.running, TournamentPhase.finished}:
        out = [player for player in players if not player.chips]
        unplaced = [account for group in tournament.unplaced for account in group]
        placed = {*(one.account for one in standings), *(one.account for one in tournament.out), *unplaced}
        known = len(standings) + len(tournament.out) + len(unplaced)
        if not placed.issuperset(player.account for player in out) or len(placed) != known:
            raise InvariantBroken("each player without chips has one place")
        if not set(unplaced).issuperset(tournament.deciding):
            raise InvariantBroken("a player that decides on a rebuy is not out")

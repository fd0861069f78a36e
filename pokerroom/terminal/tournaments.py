"""Texts of sit-and-gos: the line above the table, the log lines, and the result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from pokerroom.terminal.amounts import CHIPS, in_credits
from pokerroom.terminal.texts import t
from pokerroom.terminal.tickets import pays
from pokerroom.terminal.words import blinds, played, stakes
from pokerroom_protocol import messages as m
from pokerroom_protocol.table_view import tournament_of

PRIZES_SHOWN: Final = 5


def headline(table: m.Snapshot, tournament: m.TournamentView, now_ms: float) -> str:
    """Return two lines: level, blinds, next level; players left and prizes, at `now_ms` of the room's clock."""
    if tournament.phase != "running":
        return f"{table.info.name}   {t('sng.end')}"
    upper = [
        table.info.name,
        t("sng.level", level=tournament.level.level, blinds=stakes(table.info, CHIPS)),
        _next_level(tournament, now_ms),
    ]
    lower = [
        _left(table, tournament),
        t("sng.prizes", prizes=prizes(tournament.prizes)) if tournament.prizes else None,
    ]
    return "\n".join("   ".join(filter(None, parts)) for parts in (upper, lower))


def _left(table: m.Snapshot, tournament: m.TournamentView) -> str:
    """Return how many players are left; of one of several tables, how many sit there."""
    if tournament.seats > table.info.seats:
        return t("sng.at_table", table=table_number(table.table), players=len(table.seats))
    return t("sng.left", left=len(table.seats), seats=tournament.seats)


def table_number(table: str) -> int:
    """Return the number of a table in its tournament."""
    tournament = tournament_of(table)
    return 1 if tournament == table else int(table.removeprefix(f"{tournament}-"))


def moved(happened: m.TournamentMoved) -> str:
    """Return where the player sits now, and why."""
    old = 0 if happened.from_table is None else table_number(happened.from_table)
    return t(
        f"moved.{happened.reason or 'unknown'}",
        table=table_number(happened.table),
        seat=happened.seat,
        old=old,
    )


def chips_offered(offer: m.ChipsOffered, now_ms: float) -> str:
    """Return the question whether the player buys a rebuy or the add-on, and for how long it is asked."""
    question = t(
        f"sale.{offer.kind}", chips=CHIPS.text(offer.chips), price=in_credits(offer.price), left=offer.left
    )
    return "\n".join([question, *time_to_answer(offer.until_ms, now_ms)])


def time_to_answer(until_ms: int | None, now_ms: float) -> list[str]:
    """Return the line with the time that is left, at `now_ms` of the room's clock; none while the clock stands."""
    return [] if until_ms is None else [t("ask.time", time=clock(until_ms - now_ms))]


def overview(state: m.TournamentState, best: Iterable[m.TournamentRank]) -> str:
    """Return the lines about a tournament: players, stacks, prizes, and the best ranks."""
    lines = [t("sng.overview_left", left=state.left, entries=state.entries, tables=state.tables)]
    you = state.you
    if you is not None and you.status == "playing":
        lines.append(t("sng.overview_you", rank=you.rank, stack=CHIPS.text(you.stack or 0)))
    if state.average is not None and state.largest is not None and state.smallest is not None:
        average, largest, smallest = map(CHIPS.text, (state.average, state.largest, state.smallest))
        lines.append(t("sng.overview_stacks", average=average, largest=largest, smallest=smallest))
    lines.append(t("sng.overview_prizes", pool=in_credits(state.pool), places=len(state.prizes)))
    if state.next_payout is not None:
        lines.append(t("sng.overview_payout", prize=in_credits(state.next_payout)))
    lines += [*_bounties(state), *sold_beside(state), "", *map(_rank_line, best)]
    return "\n".join(lines)


def sold_beside(state: m.TournamentState) -> list[str]:
    """Return a line for each thing that is sold beside the first entry, one for possible deals, and one for ties."""
    if state.ended_ms is not None:
        return []
    lines = [
        t(
            f"sold.{sale.kind}",
            chips=CHIPS.text(sale.chips),
            price=in_credits(sale.price),
            most=sale.most,
            level=sale.levels,
            stack=CHIPS.text(state.starting_stack if sale.stack_max is None else sale.stack_max),
        )
        for sale in state.sales
    ]
    if state.registration_open and state.late_levels and state.entries_max != 1:
        key = "sold.entries_max" if state.entries_max else "sold.entries"
        chips, price = CHIPS.text(state.starting_stack), in_credits(state.buy_in)
        lines.append(t(key, chips=chips, price=price, most=state.entries_max, level=state.late_levels))
    if state.deals is not None:
        key = "sold.deals_leave" if state.deals.leave_bps else "sold.deals"
        lines.append(
            t(key, players=state.deals.players_max, share=f"{Decimal(state.deals.leave_bps) / 100:f}")
        )
    if state.hand_for_hand_ties == "share":
        lines.append(t("sold.ties"))
    return lines


def _bounties(state: m.TournamentState) -> list[str]:
    """Return what a head is, and the player's own."""
    if state.bounty_kind is None:
        return []
    said = [t(f"bounty.{state.bounty_kind}", bounty=in_credits(state.bounty))]
    if state.you is not None and state.started_ms is not None:
        said.append(t("bounty.heads", head=in_credits(state.you.head), won=in_credits(state.you.bounties)))
    return said


def _rank_line(one: m.TournamentRank) -> str:
    head = f" {in_credits(one.head):>10}" if one.head else ""
    return f"{one.rank or 0:>4}. {one.name:<20} {CHIPS.text(one.stack or 0):>12}{head}"


def prizes(amounts: Sequence[int]) -> str:
    """Return the best prizes, best first: a field pays hundreds of places."""
    more = ["…"] if len(amounts) > PRIZES_SHOWN else []
    return " · ".join([*map(in_credits, amounts[:PRIZES_SHOWN]), *more])


def scheduled_row(one: m.ScheduledTournament, tickets: Sequence[m.TournamentTicket]) -> list[str]:
    """Return the cells of a tournament that starts at a time: with its state, start, and entries so far."""
    return [
        one.name,
        _own_state(one, tickets),
        played(one),
        f"{datetime.fromtimestamp(one.starts_ms // 1000, UTC).astimezone():%m-%d %H:%M}",
        in_credits(one.buy_in),
        str(one.entries),
        in_credits(one.pool),
        _state(one),
    ]


def _own_state(one: m.ScheduledTournament, tickets: Sequence[m.TournamentTicket]) -> str:
    """Return whether the player is in, as in the list of sit-and-gos, or else has a ticket for it."""
    keys = {"registered": "lobby.already", "playing": "lobby.playing"}
    if one.your_status in keys and one.ended_ms is None:
        return t(keys[one.your_status])
    return t("lobby.by_ticket") if one.registration_open and pays(tickets, one) else ""


def _state(one: m.ScheduledTournament) -> str:
    if one.ended_ms is not None:
        return t(f"ended.{one.phase}")
    if one.phase == "running":
        return t("lobby.late" if one.registration_open else "lobby.left", left=one.left)
    return t("lobby.open") if one.registration_open else ""


def cannot_watch(one: m.ScheduledTournament) -> str:
    """Return why a tournament has no table to open."""
    if one.ended_ms is not None:
        return t("lobby.has_ended", state=t(f"ended.{one.phase}"))
    if one.your_status == "registered":
        return t("lobby.opens_itself")
    return t("lobby.not_running" if one.registration_open else "lobby.begins")


def entry_question(
    one: m.ScheduledTournament | m.SitAndGoInfo | m.TournamentState,
    *,
    by_ticket: bool = False,
    sold: Sequence[str] = (),
) -> str:
    """Return the question whether the player enters: the price, the bounty, what else is `sold`, the way back."""
    terms = "entry.by_ticket" if by_ticket else "entry.price_with_fee" if one.fee else "entry.price"
    lines = [t(terms, name=one.name, price=in_credits(one.buy_in), fee=in_credits(one.fee))]
    is_late = False
    if isinstance(one, m.ScheduledTournament):
        is_late = one.phase == "running"
        if one.bounty_kind is not None:
            lines.append(
                t("entry.bounty", bounty=t(f"bounty.{one.bounty_kind}", bounty=in_credits(one.bounty)))
            )
    return "\n".join([*lines, *sold, t("entry.kept" if is_late else "entry.returned")])


def finished(place: int, prize: int) -> str:
    """Return the player's own place and prize."""
    said = t("sng.finished", place=place)
    return f"{said} {t('sng.won_prize', prize=in_credits(prize))}" if prize else said


def prize_paid(paid: m.SngPrizePaid) -> str:
    """Return what the player has got: money, a ticket of a satellite, or both."""
    money = in_credits(paid.prize - paid.ticket)
    if not paid.ticket:
        return t("sng.prize_paid", place=paid.place, prize=money)
    told = t("sng.prize_ticket", place=paid.place, ticket=in_credits(paid.ticket))
    return f"{told} {t('sng.prize_rest', rest=money)}" if paid.prize > paid.ticket else told


def refunded(told: m.SngRefunded) -> str:
    """Return why a buy-in is back."""
    key = "sng.removed" if told.reason == "removed" else "sng.refunded"
    return t(key, amount=in_credits(told.amount))


def result(tournament: m.TournamentView) -> str:
    """Return the places with their prizes."""
    return "\n".join(
        t("sng.place", place=one.place, name=one.name, prize=in_credits(one.prize))
        for one in tournament.places
        if one.prize or one.place == 1
    )


def tournament_line(event: m.Event) -> str | None:
    """Return the log line of an event of a tournament, or None."""
    match event:
        case m.LevelStarted():
            return t("sng.level", level=event.level.level, blinds=blinds(event.level, CHIPS))
        case m.BreakStarted():
            return t("sng.break_started")
        case m.BreakEnded():
            return t("sng.break_ended")
        case m.TournamentPaused():
            return t("sng.paused")
        case m.TournamentResumed():
            return t("sng.resumed")
        case m.PlayerPlaced():
            text = "sng.placed_prize" if event.prize else "sng.placed"
            return t(text, name=event.name, place=event.place, prize=in_credits(event.prize))
        case m.BountyWon():
            text, cash, head = "bounty.won_head" if event.head else "bounty.won", event.cash, event.head
            return t(text, name=event.name, out=event.out, cash=in_credits(cash), head=in_credits(head))
        case m.TournamentEnded():
            return t("sng.end")
        case _:
            return None


def _next_level(tournament: m.TournamentView, now_ms: float) -> str:
    level = tournament.level
    if tournament.paused:
        return t("sng.paused")
    if tournament.break_until_ms is not None:
        return t("sng.break", time=clock(tournament.break_until_ms - now_ms))
    if level.ends_ms is not None:
        return t("sng.next_level", time=clock(level.ends_ms - now_ms))
    return "" if level.hands_left is None else t("sng.hands_left", n=level.hands_left)


def clock(left_ms: float) -> str:
    """Return a time, as 4:30."""
    minutes, seconds = divmod(max(0, round(left_ms / 1000)), 60)
    return f"{minutes}:{seconds:02}"

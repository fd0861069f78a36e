"""The seats of a table for its operator, made of what spectators see. No card has a place in what is returned."""

from __future__ import annotations

from pokerroom.ops.reports import SeatReport, TableDetail, TableReport
from pokerroom.table.house_bots import is_house_bot
from pokerroom_protocol import messages as wire


def table_detail(report: TableReport, seen: wire.Snapshot | wire.UltimateSnapshot | None) -> TableDetail:
    """Return a table with its seats; without any if there is nothing to see."""
    if isinstance(seen, wire.UltimateSnapshot):
        return TableDetail(report=report, seats=_boxes(seen))
    if seen is None:
        return TableDetail(report=report)
    hand = seen.hand
    to_act = None if hand is None or hand.turn is None else hand.turn.seat
    return TableDetail(
        report=report,
        seats=tuple(_seat(seat, to_act) for seat in seen.seats),
        pot=None if hand is None else sum(pot.amount for pot in hand.pots),
        in_chips=seen.tournament is not None,
    )


def _seat(seat: wire.SeatView, to_act: int | None) -> SeatReport:
    return SeatReport(
        seat=seat.seat,
        name=seat.name,
        status=seat.status,
        connected=seat.connected,
        bot=seat.bot,
        stack=seat.stack,
        bet=seat.bet,
        in_hand=seat.in_hand,
        acts=seat.seat == to_act,
    )


def _boxes(seen: wire.UltimateSnapshot) -> tuple[SeatReport, ...]:
    """Return the places and what is bet there. A player may bet on further boxes, too."""
    played = seen.round
    bets = {} if played is None else {box.box: box for box in played.boxes}
    asked = set[int]() if played is None or played.decisions is None else set(played.decisions.boxes)
    connected = {place.name: place.connected for place in seen.places}
    names = {place.box: place.name for place in seen.places} | {box.box: box.name for box in bets.values()}
    return tuple(
        SeatReport(
            seat=number,
            name=name,
            status="waiting" if number not in bets else bets[number].status,
            connected=connected.get(name, False),
            bot=is_house_bot(name),
            stack=None,
            bet=_staked(bets.get(number)),
            in_hand=number in bets and bets[number].status != "folded",
            acts=number in asked,
        )
        for number, name in sorted(names.items())
    )


def _staked(box: wire.BoxBetsView | None) -> int:
    """Return all bets of a box; the Blind equals the Ante."""
    return 0 if box is None else 2 * box.ante + box.trips + box.progressive + box.play

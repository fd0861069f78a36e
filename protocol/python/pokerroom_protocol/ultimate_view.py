"""The visible state of a table of Ultimate Texas Hold'em: a snapshot and the next event give the next snapshot.

As `table_view`, it applies the events and no rule.
"""

from __future__ import annotations

from typing import Any, assert_never

from msgspec.structs import replace

from .messages import (
    BetsRefused,
    BoardDealt,
    ChatSaid,
    Decided,
    Decisions,
    DecisionsView,
    HandsDealt,
    LightChanged,
    LightView,
    PlaceChanged,
    PlaceLeft,
    PlaceTaken,
    PlaceView,
    RoundEnded,
    RoundStarted,
    RoundView,
    TableNotice,
    TipGiven,
    UltimateEvent,
    UltimateSnapshot,
)

__all__ = ["after_ultimate_event"]

_STATUS = {"check": "checked", "play": "played", "fold": "folded"}


def after_ultimate_event(table: UltimateSnapshot, event: UltimateEvent) -> UltimateSnapshot:
    """Return the table after `event`, which must be the next by `seq`."""
    return replace(_changed(table, event), seq=event.seq)


def _changed(table: UltimateSnapshot, event: UltimateEvent) -> UltimateSnapshot:  # noqa: C901 - one case per event
    match event:
        case PlaceTaken():
            others = [place for place in table.places if place.box != event.box]
            places = [*others, PlaceView(box=event.box, name=event.name, connected=True)]
            return replace(table, places=sorted(places, key=lambda place: place.box))
        case PlaceChanged():
            places = [
                replace(place, connected=event.connected) if place.box == event.box else place
                for place in table.places
            ]
            return replace(table, places=places)
        case PlaceLeft():
            yours = None if table.your_box == event.box else table.your_box
            places = [place for place in table.places if place.box != event.box]
            slip = None if yours is None else table.your_slip
            return replace(table, places=places, your_box=yours, your_slip=slip)
        case LightChanged():
            return replace(table, light=LightView(light=event.light, closes_ms=event.closes_ms))
        case BetsRefused() | TipGiven() | ChatSaid() | TableNotice():
            return table
        case RoundStarted():
            started = RoundView(round_id=event.round_id, street="preflop", boxes=event.boxes)
            return replace(table, round=started, your_slip=None)
        case HandsDealt():
            return _with_round(table, hands=event.hands)
        case Decisions():
            return _with_round(table, decisions=_decisions(event))
        case Decided():
            return _decided(table, event)
        case BoardDealt():
            board = [] if table.round is None else [*table.round.board, *event.cards]
            boxes = [] if table.round is None else table.round.boxes
            again = [replace(box, status="waiting") if box.status == "checked" else box for box in boxes]
            return _with_round(table, street=event.street, board=board, boxes=again, decisions=None)
        case RoundEnded():
            meter = table.meter if event.meter is None else event.meter
            return replace(table, round=None, meter=meter)
        case _:
            assert_never(event)


def _with_round(table: UltimateSnapshot, **changes: Any) -> UltimateSnapshot:
    return table if table.round is None else replace(table, round=replace(table.round, **changes))


def _decisions(event: Decisions) -> DecisionsView:
    return DecisionsView(
        seq=event.seq,
        boxes=event.boxes,
        check=event.check,
        fold=event.fold,
        multiples=event.multiples,
        deadline_ms=event.deadline_ms,
    )


def _decided(table: UltimateSnapshot, event: Decided) -> UltimateSnapshot:
    if table.round is None:
        return table
    status: Any = _STATUS[event.decision]
    boxes = [
        replace(box, status=status, play=event.amount) if box.box == event.box else box
        for box in table.round.boxes
    ]
    asked = table.round.decisions
    if asked is not None:
        asked = replace(asked, boxes=[box for box in asked.boxes if box != event.box])
    return _with_round(table, boxes=boxes, decisions=asked)

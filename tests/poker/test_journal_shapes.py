"""A journal of another shape, at any level: its hand is void, the log says why, and the table plays on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgpack
import pytest
from structlog.testing import capture_logs

from pokerroom.rules.data import state_to_data
from tests.effort import part
from tests.poker.support import Room, now
from tests.table.test_restarts import stacks

WRONG: list[Any] = [None, -1, True, "x", b"\xc1", [], {}, [7], {"x": 1}, KeyError]
"""What may stand where something else should; `KeyError`: nothing does."""


STEP = 3
"""An everyday run has one in so many of the places and wrong values."""


def places(data: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Each place in the data, and what may be wrong there; another value of the right type is not."""
    if at:
        yield from ((at, wrong) for wrong in WRONG if not (wrong is True and isinstance(data, bool)))
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inside:
        yield from places(value, (*at, key))


def spoilt(data: Any, at: tuple[Any, ...], wrong: Any) -> Any:
    """The data with `wrong` in one place; with nothing there if `wrong` is `KeyError`."""
    if not at:
        return wrong
    key, *rest = at
    copy = dict(data) if isinstance(data, dict) else list(data)
    if wrong is KeyError and not rest:
        del copy[key]
    else:
        copy[key] = spoilt(data[key], tuple(rest), wrong)
    return copy


def played() -> tuple[Room, list[Any]]:
    """A room with a hand of a few steps, and its journal as plain data."""
    room = Room(action_clock_s=5)
    room.sit_together(*(room.client(name) for name in ("anna", "bert", "carl")))
    room.act("call")
    room.act("raise", 500)
    room.clock.advance(60)  # the clock folds or is all-in
    kept = [msgpack.unpackb(entry) for entry in room.journal.kept]
    return room, kept


def in_version_2(room: Room, entries: list[Any]) -> list[Any]:
    """The same journal as the version before wrote it."""
    deal, *steps = entries
    play, seal = room.table.game.hand.play, room.table.context.seal
    start = type(play)(
        play.settings,
        hand_id=play.hand_id,
        positions=play.positions,
        seats=play.seats,
        setup=play.state.setup,
        started_ms=play.started_ms,
    )
    sealed = seal.close(msgpack.packb([2, state_to_data(start.state)]), play.hand_id)

    def facts(of: Any) -> list[Any]:
        return [of["closing"], [list(seat.values()) for seat in of["seats"]]]

    dealt = (deal["hand_id"], 1, deal["started_ms"], deal["seats"], sealed)
    old = [[2, "deal", list(deal["positions"].values()), facts(deal["facts"]), *dealt]]
    for step in steps:
        match step["entry"]:
            case "act":
                fields = ("hand_id", "step", "seat", "action", "amount", "seq")
                old.append([2, "act", *(step[name] for name in fields)])
            case "expired":
                old.append([2, "expired", *(step[name] for name in ("hand_id", "step", "seat", "protected"))])
            case "facts":
                old.append([2, "facts", facts(step["facts"])])
    return [*old, [2, "facts", facts(deal["facts"])], [2, "closing", False], [2, "frozen", False]]


@pytest.mark.parametrize("version", [2, 3])
def test_i4_whatever_is_wrong_in_a_journal_the_table_plays_on(version):
    """I4: no chip moves, nothing is a fault, and where the hand is lost an error of the log says so."""
    room, entries = played()
    if version == 2:
        entries = in_version_2(room, entries)
    else:
        closing = {"entry": "closing", "closing": False, "version": 3}
        frozen = {"entry": "frozen", "frozen": False, "version": 3}
        entries += [{"entry": "facts", "facts": entries[0]["facts"], "version": 3}, closing, frozen]
    rows = now(room.ledger.seats())
    failed = [
        (at, wrong, found)
        for at, wrong in part(places(entries), STEP)
        if (found := harm(room, rows, spoilt(entries, at, wrong)))
    ]
    assert failed == []
    assert sum(stacks(room).values()) == 30_000
    room.stop()


def harm(room: Room, rows: Any, entries: list[Any]) -> list[Any]:
    """What a new table makes of this journal that it should not."""
    journal = [msgpack.packb(one) for one in entries]
    room.table.stop()
    room.journal.kept[:] = journal
    room.table = room.open()
    crashes, settled = room.counts.crashes, len(room.settler.settled)
    with capture_logs() as logs:
        room.table.restore(rows, journal, frozenset())
    if room.counts.crashes != crashes:
        return [line.get("exc_info") for line in logs]
    over = room.table.game.play.hand_id() is None and len(room.settler.settled) == settled
    said = {line["event"] for line in logs if line["log_level"] == "error"}
    return ["the hand is lost"] if over and not said & {"hand.void", "journal.unreadable"} else []

"""A tournament's journal of another shape, at any level: its hand is void, and the tournament plays on."""

from __future__ import annotations

from typing import Any

import msgpack
from structlog.testing import capture_logs

from tests.poker.test_journal_shapes import places, spoilt
from tests.tournament.playing import Room, now

SAYS_SO = {"hand.void", "journal.unreadable", "tournament.unreadable"}


def in_version_2(entries: list[Any]) -> list[Any]:
    """The same journal, its facts as the version before wrote them."""
    names = ("account", "time_bank_ms", "muck_losing")

    def facts(of: Any) -> Any:
        kept = of["seats"]
        seats = [[seat[name] for name in names] for seat in kept["seats"]]
        return {**of, "seats": [kept["tournament"], seats]}

    return [{**one, "facts": facts(one["facts"])} if "facts" in one else one for one in entries]


def test_i4_whatever_is_wrong_in_a_journal_the_tournament_plays_on():
    """I4: no chip moves, nothing is a fault, and where the hand is lost an error of the log says so."""
    room = Room(seats=3, prizes=(400, 220, 100))
    room.begin()
    hand_id = room.table.game.play.hand_id()
    kept = [msgpack.unpackb(entry) for entry in room.journal.kept]
    kept.append({"entry": "facts", "facts": kept[0]["facts"], "version": 3})
    failed = [
        (at, wrong, found)
        for entries in (kept, in_version_2(kept))
        for at, wrong in places(entries)
        if not (len(at) == 1 and wrong is KeyError)
        and (found := harm(room, hand_id, spoilt(entries, at, wrong)))
    ]
    assert failed == []
    assert now(room.ledger.audit()).differences == ()
    room.stop()


def harm(room: Room, hand_id: str | None, entries: list[Any]) -> list[Any]:
    """What a new table makes of this journal that it should not."""
    room.journal.kept[:] = [msgpack.packb(one) for one in entries]
    crashes = room.counts.crashes
    with capture_logs() as logs:
        room.restart()
    if room.counts.crashes != crashes:
        return [line.get("exc_info") for line in logs]
    over = room.table.game.play.hand_id() != hand_id
    said = {line["event"] for line in logs if line["log_level"] == "error"}
    return ["the hand is lost"] if over and not said & SAYS_SO else []

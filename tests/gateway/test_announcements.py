"""What operators announce reaches the players who are connected, and those who log in."""

from __future__ import annotations

from twisted.internet.defer import fail

from pokerroom.gateway.announcements import AnnouncementWatch
from pokerroom.ledger.announcements import NewAnnouncement
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.operator_log import Acting
from pokerroom_protocol import messages as wire
from tests.gateway.session_parties import player
from tests.poker.support import now

ANN = Acting(who="ann")


def test_an_announcement_is_told_once_and_to_those_who_come(sessions, room, monkeypatch):
    """When it begins and when it ends; while the ledger is away nothing changes."""
    ledger, watch = room.world.ledger, AnnouncementWatch(room.world.ledger, room.connections)
    anna = player(sessions, "anna")
    now(watch.look())
    assert anna.all(wire.Announcements) == []
    new = NewAnnouncement(text="Good luck!", table="t1", begins_ms=0, ends_ms=4_000_000_000_000)
    now(ledger.take_table("t1", "n1", 0))
    row = now(ledger.announce(new, by=ANN))
    for _ in range(2):
        now(watch.look())
    told = wire.Announcements(
        announcements=[
            wire.Announcement(number=row.number, text="Good luck!", table="t1", until_ms=row.ends_ms)
        ]
    )
    assert anna.all(wire.Announcements) == [told]
    bert = player(sessions, "bert")
    assert bert.all(wire.Announcements) == [told]
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "announced_now", lambda: fail(LedgerUnavailable("gone")))
        now(watch.look())
    now(ledger.withdraw_announcement(row.number, by=ANN))
    now(watch.look())
    over = wire.Announcements(announcements=[])
    assert anna.all(wire.Announcements) == bert.all(wire.Announcements) == [told, over]
    assert player(sessions, "cleo").all(wire.Announcements) == []

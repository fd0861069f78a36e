"""What every ledger keeps of announcements. `Announcing` is mixed into `WholeContract`."""

import time

import pytest

from pokerroom.ledger.announcements import (
    ANNOUNCEMENTS_MAX,
    NewAnnouncement,
    TooManyAnnouncements,
    UnknownAnnouncedTable,
    UnknownAnnouncement,
)
from pokerroom.ledger.operator_log import Acting, LogQuery

ANN = Acting(who="ann", role="floor", reason="a restart")
LONG_AGO_MS, FAR_MS = 0, 4_000_000_000_000
"""Before and after whatever the clock of a ledger says."""


def new(text="Good luck!", table=None, begins_ms=LONG_AGO_MS, ends_ms=FAR_MS):
    return NewAnnouncement(text=text, table=table, begins_ms=begins_ms, ends_ms=ends_ms)


class Announcing:
    """Announcements, with lines of the operators' log."""

    def test_an_announcement_is_told_until_it_is_withdrawn(self, run, ledger):
        """Once; its row stays, with who wrote it, and each order has its line."""
        run(ledger.take_table("T1", "n1", 0))
        row = run(ledger.announce(new(table="T1"), by=ANN))
        assert (row.text, row.table, row.begins_ms, row.ends_ms) == ("Good luck!", "T1", LONG_AGO_MS, FAR_MS)
        assert (row.who, row.withdrawn_ms) == ("ann", None)
        assert run(ledger.announced_now()) == [row]
        ended = run(ledger.withdraw_announcement(row.number, by=ANN))
        assert ended.withdrawn_ms is not None
        assert run(ledger.withdraw_announcement(row.number, by=ANN)) == ended
        assert run(ledger.announced_now()) == []
        assert run(ledger.announcements(None, 9)) == [ended]
        second, first = run(ledger.log_lines(LogQuery(verb="announcement")))
        assert (first.verb, first.by, first.subject) == ("announcement.add", ANN, str(row.number))
        facts = {"begins_ms": LONG_AGO_MS, "ends_ms": FAR_MS, "table": "T1", "text": "Good luck!"}
        assert first.named() == facts
        assert (second.verb, second.subject) == ("announcement.withdraw", str(row.number))

    def test_a_table_that_there_is_not_is_refused(self, run, ledger):
        """Nothing is kept: no player would read it."""
        with pytest.raises(UnknownAnnouncedTable, match="there is no table T-1: write its id"):
            run(ledger.announce(new(table="T-1"), by=ANN))
        assert run(ledger.announcements(None, 9)) == []
        assert run(ledger.log_lines(LogQuery(verb="announcement"))) == []

    def test_an_announcement_has_its_time(self, run, ledger):
        """One that has not begun, and one that is over, is not told; the latter is withdrawn no more."""
        later = run(ledger.announce(new("later", begins_ms=FAR_MS - 5), by=ANN))
        over = run(ledger.announce(new("over", begins_ms=-5, ends_ms=-1), by=ANN))
        now = run(ledger.announce(new("now"), by=ANN))
        other = run(ledger.announce(new("other"), by=ANN))
        assert run(ledger.announced_now()) == [now, other]
        assert run(ledger.announcements(None, 9)) == [other, now, over, later]
        assert run(ledger.announcements(now.number, 1)) == [over]
        assert run(ledger.withdraw_announcement(over.number, by=ANN)) == over
        assert run(ledger.withdraw_announcement(later.number, by=ANN)).withdrawn_ms is not None

    def test_few_announcements_are_left_at_a_time(self, run, ledger):
        """Those that are over do not count; a number that there is not is refused."""
        for number in range(ANNOUNCEMENTS_MAX + 1):
            run(ledger.announce(new(f"over {number}", begins_ms=-5, ends_ms=-1), by=ANN))
        rows = [run(ledger.announce(new(f"text {number}"), by=ANN)) for number in range(ANNOUNCEMENTS_MAX)]
        with pytest.raises(TooManyAnnouncements):
            run(ledger.announce(new(), by=ANN))
        run(ledger.withdraw_announcement(rows[0].number, by=ANN))
        assert run(ledger.announce(new("one more"), by=ANN)).number > rows[-1].number
        with pytest.raises(UnknownAnnouncement):
            run(ledger.withdraw_announcement(10**6, by=ANN))
        assert time.time() * 1_000 < FAR_MS

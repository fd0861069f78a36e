"""Sit-and-gos as their operator sees them, without a room."""

from __future__ import annotations

from twisted.internet.defer import fail, succeed

from pokerroom.ops.reports import (
    OrderRefused,
    SitAndGoAccepted,
    SitAndGoDetail,
    SitAndGoEntry,
    SitAndGoPlace,
    SitAndGoReport,
)
from tests.ops.fake_rooms import operator_site

FILLING = SitAndGoReport(
    tournament="six.2",
    offer="six",
    phase="registering",
    seats=6,
    taken=4,
    left=4,
    buy_in=300,
    starts_ms=1_772_389_800_000,
)
RUNNING = SitAndGoReport(
    tournament="one", offer="six", phase="running", seats=6, taken=6, left=3, buy_in=300, tables=2
)
DETAIL = SitAndGoDetail(
    report=RUNNING,
    fee=60,
    prizes=(1_000, 440),
    entries=(
        SitAndGoEntry(account=3, name="went", returned=True, table=None, seat=None, chips=None),
        SitAndGoEntry(account=7, name="[bold]Ünö", returned=False, table=1, seat=1, chips=4_500),
        SitAndGoEntry(account=8, name="bert", returned=False, table=2, seat=2, chips=0),
    ),
    places=(
        SitAndGoPlace(number=2, place=2, account=8, name="bert", prize=440, paid=True),
        SitAndGoPlace(number=3, place=3, account=9, name="carl", prize=0, paid=False),
    ),
)


class FakeSitAndGos:
    """A `TournamentsPort`; `asked` is what came, `refuses` the code with which it refuses every order, if any.

    The tournament that runs here has the id of a table of `FakeRoom`, `far` that of one elsewhere.
    """

    def __init__(self):
        self.asked = []
        self.detail = DETAIL
        self.refuses: str | None = None

    def going_on(self):
        return succeed([FILLING, RUNNING])

    def one(self, tournament):
        if tournament not in {"one", "far"}:
            return fail(OrderRefused("unknown_tournament", "There is no such tournament, and never was one."))
        return succeed(self.detail)

    def owned_as(self, tournament):
        return f"tournament:{tournament}"

    def order(self, tournament, asked):
        self.asked.append((asked, tournament))
        if tournament == "far":
            return fail(OrderRefused("table_elsewhere", "The tournament does not run at this node."))
        if self.refuses is not None:
            return fail(OrderRefused(self.refuses, "Not now."))
        return succeed(SitAndGoAccepted(tournament=tournament, asked=asked))


def sng_site(room, sit_and_gos, rooms):
    """The operations port of a node with these tables, tournaments and neighbours."""
    return operator_site(room, rooms, tournaments=sit_and_gos)

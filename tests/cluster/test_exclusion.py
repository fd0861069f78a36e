"""What an exclusion ends in a room of several nodes, whichever node has the table."""

from pokerroom.ledger.operator_log import THE_ROOM
from pokerroom_protocol import messages as wire
from tests.cluster.rooms import settings
from tests.cluster.test_tournaments import OFFER
from tests.poker.support import now


def test_an_excluded_player_is_out_within_a_minute(rooms):
    """The seat is free, the entry is returned once, and all money is in the wallet. The others play on."""
    text = settings("t1") + OFFER
    one, two = rooms.start("a", text), rooms.start("b", text)
    rooms.pass_s(1)
    anna, bert = rooms.client("anna"), rooms.client("bert")
    before = now(rooms.ledger.wallet(anna.account))
    for player in (anna, bert):
        assert isinstance(one.answer(player, wire.SitDown, buy_in=5_000), wire.Snapshot)
    done = two.room.registration.register(anna.account, "three")
    rooms.until(lambda: done.called)
    now(rooms.ledger.exclude(anna.account, None, by=THE_ROOM))
    rooms.pass_s(100)
    assert [row.account for row in now(rooms.ledger.seats())] == [bert.account]
    assert [entry.returned for entry in now(rooms.ledger.tournament("three.1")).entries] == [True]
    used = {row.period: row.used for row in now(rooms.ledger.limits(anna.account)) if row.kind == "loss"}
    assert now(rooms.ledger.wallet(anna.account)) == before - used["month"]

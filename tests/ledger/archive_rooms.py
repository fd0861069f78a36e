"""A ledger with old hands for the tests of archives."""

from __future__ import annotations

import json

from pokerroom.bridge import as_future, deferred
from pokerroom.history.hidden_cards import HAND_RECORDS, with_hidden_cards
from pokerroom.ledger.archive_files import ArchiveFolder
from pokerroom.ledger.archives import archived
from pokerroom.ledger.archiving import archive_again, archive_old
from pokerroom.ledger.checkpoints import CheckpointKey
from pokerroom.ledger.operator_log import Acting
from pokerroom.table.seal import Seal
from tests.ledger.contract import hand, opened, seated
from tests.ledger.contract_of_rounds import bets, end
from tests.ledger.test_checkpoints import verified

KEY = CheckpointKey(bytes(32))
SEAL = Seal(bytes(32)).of(HAND_RECORDS)
HOLES = {1: ["As", "Ad"], 2: ["Kh", "Kd"]}
ANNA = Acting(who="anna", role="admin", reason="a year has passed")
NOW_MS = 4_000_000_000_000
"""After all hands, by any clock."""


def record_of(hand_id, players):
    """A hand in which seat 1 showed."""
    seats = [
        {"seat": seat, "account": account, "stack": 1_000, "end": 1_000 + won, "cards": HOLES[seat]}
        for seat, (account, won) in enumerate(players.items(), 1)
    ]
    events = [["show", 1], ["award", 0, 20, [[1, 20]]]]
    record = {"hand_id": hand_id, "game": "holdem", "seats": seats, "events": events, "note": "é"}
    return json.dumps(with_hidden_cards(record, SEAL)).encode()


class Room:
    """A ledger with two players at T1, and the directory of its archives. `owner` is a connection past the triggers."""

    def __init__(self, run, ledger, owner, folder):
        self.run, self.ledger, self.owner, self.folder = run, ledger, owner, folder
        self.alice, bob = seated(run, ledger, "alice", "bob")
        self.players = {self.alice: 10, bob: -10}

    def settle(self, *hand_ids, days=40):
        """Settle hands, and make all that was booked so many days old."""
        hands = [
            hand(one, self.players, record=record_of(one, self.players), by_clock=[self.alice])
            for one in hand_ids
        ]
        self.run(self.ledger.settle(hands))
        self.owner.execute(
            "UPDATE transfers SET created = now() - make_interval(days => %(days)s)"
            " WHERE created > now() - make_interval(days => %(days)s)",
            {"days": days},
        )

    def play(self):
        """Settle three old hands and a round, and sign them."""
        self.settle("h1", "h2")
        (self.carol,) = opened(self.run, self.ledger, "carol")
        self.run(self.ledger.take_table("U1", "n1", 0))
        self.run(self.ledger.close_bets(bets({self.carol: 200}, table="U1")))
        record = b'{"board": ["As"], "f": 1.50}'
        self.run(self.ledger.settle_round(end({self.carol: -200}, table="U1", record=record)))
        self.settle("h3")
        self.sign()

    def sign(self):
        """Sign what was settled, and count it in the statistics."""
        self.run(self.ledger.write_checkpoint(KEY, open_s=0))
        self.owner.execute("UPDATE statistics_mark SET counted_to = (SELECT max(id) FROM transfers)")

    def archive(self, before_ms=NOW_MS, **options):
        """Archive what is old."""
        return self.run(self.archiving(before_ms, **options))

    def archiving(self, before_ms=NOW_MS, **options):
        """Begin to archive what is old."""

        async def work():
            return await as_future(archive_old(self.ledger, self.folder, before_ms, ANNA, **options))

        return deferred(work())

    def again(self):
        """Write files again that have cards which were erased."""

        async def work():
            return await as_future(archive_again(self.ledger, self.folder, ANNA))

        return self.run(deferred(work()))

    def differences(self):
        """What an audit finds, as if no statistics were counted: the records here have no play."""
        self.owner.execute("UPDATE statistics_mark SET counted_to = 0")
        found = self.run(self.ledger.audit()).differences
        self.owner.execute("UPDATE statistics_mark SET counted_to = (SELECT max(id) FROM transfers)")
        return found

    def verified(self):
        """What the checkpoints prove."""
        return verified(self.run, self.ledger)

    def records(self):
        """The records of hands and rounds by id."""
        return dict(
            self.owner.execute(
                "SELECT hand_id, record::text FROM hands UNION ALL"
                " SELECT round_id, round_ends.record::text FROM round_ends JOIN rounds ON rounds.transfer = round"
            ).fetchall()
        )

    def left(self, name):
        """What is left of a record; None if it is there."""
        return archived(self.records()[name].encode())

    @property
    def rows(self):
        """The archives in the ledger."""
        return self.run(self.ledger.archives())

    @property
    def files(self):
        """The directory, as an audit reads it."""
        return ArchiveFolder(self.folder, self.rows)

    def restored(self):
        """All records, from the files where they are there."""
        return {name: self.files.restored(text.encode()).decode() for name, text in self.records().items()}

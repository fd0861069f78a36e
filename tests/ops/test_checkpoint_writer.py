"""Checkpoints are written by the leader at intervals, and published by each node once."""

import json

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import fail, maybeDeferred, succeed

from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.checkpoints import BATCH, Checkpoint, CheckpointKey, CheckpointsHeld, ForgedCheckpoint
from pokerroom.ops.checkpoint_writer import CheckpointWriter, last_published, publish

KEY = CheckpointKey(bytes(32))


def made(number, links=1, note="", key=KEY):
    facts = {"number": number, "links": links, "note": note, "key": key.key_id, "complete_to": 1}
    body = json.dumps(facts | {"operators_log": [0, ""]})
    return Checkpoint(number=number, body=body, signature=key.sign(body))


class Ledger:
    """What is `waiting` is written next."""

    def __init__(self, *waiting):
        self.waiting = list(waiting)
        self.written = []

    def write_checkpoint(self, key):
        if self.waiting and isinstance(self.waiting[0], Exception):
            return fail(self.waiting.pop(0))
        if self.waiting:
            self.written.append(self.waiting.pop(0))
            return succeed(self.written[-1])
        return succeed(None)

    def checkpoints(self, after, at_most):
        return succeed([each for each in self.written if each.number > after][:at_most])


@pytest.fixture
def file(tmp_path):
    return tmp_path / "checkpoints"


def run(ledger, file="", *, writes=True):
    """One turn; returns the events of the log."""
    writer = CheckpointWriter(ledger, KEY, str(file), writes=lambda: writes, in_thread=maybeDeferred)
    with capture_logs() as logs:
        assert writer.run().called
    return [event["event"] for event in logs]


def numbers(file):
    return [json.loads(json.loads(line)["checkpoint"])["number"] for line in file.read_text().splitlines()]


def test_a_backlog_is_written_at_once(file):
    """Full checkpoints follow each other; one that is not full has all there was."""
    ledger = Ledger(made(1, BATCH), made(2, BATCH), made(3), made(4))
    assert run(ledger) == ["checkpoint.written"] * 3
    assert len(ledger.waiting) == 1
    assert not file.exists()


def test_a_node_that_does_not_lead_writes_none_and_publishes_all(file):
    """What another node has written; each once, also by nodes that share the file."""
    ledger = Ledger(made(1))
    ledger.written = [made(1), made(2)]
    assert run(ledger, file, writes=False) == []
    assert run(ledger, file, writes=False) == []
    publish(file, ledger.written)
    assert numbers(file) == [1, 2]
    assert len(ledger.waiting) == 1


def test_a_checkpoint_of_another_key_is_not_published(file):
    """Nor what is before it, until it is gone: all nodes tell the operator of it."""
    ledger = Ledger()
    ledger.written = [made(1), made(2, key=CheckpointKey(bytes(31) + b"x"))]
    assert run(ledger, file, writes=False) == ["checkpoint.forged"]
    assert not file.exists()
    ledger.written.pop()
    assert run(ledger, file, writes=False) == []
    assert numbers(file) == [1]


def test_a_part_of_a_line_is_written_again(file):
    """A node has died while it wrote."""
    ledger = Ledger()
    ledger.written = [made(1), made(2)]
    publish(file, ledger.written[:1])
    whole = file.read_text()
    for part in whole[:20], whole[:3], whole[:20] + "\0" * 9:
        file.write_text(whole + part)
        assert last_published(file)[0] == 1
        run(ledger, file)
        assert numbers(file) == [1, 2]


def test_nothing_is_signed_after_a_checkpoint_that_is_gone(file):
    """The database was put back, or its history was changed: the operator must see it, and the file stays as it is."""
    publish(file, [made(1), made(2)])
    before = file.read_text()
    for stored in [made(1)], [made(1), made(2, note="another"), made(3)], []:
        ledger = Ledger(made(4))
        ledger.written = list(stored)
        assert run(ledger, file) == ["checkpoint.lost"]
        assert ledger.written == stored
    assert file.read_text() == before


def test_a_node_knows_its_last_checkpoint_without_a_file():
    """As long as it runs."""
    ledger = Ledger(made(1))
    writer = CheckpointWriter(ledger, KEY, "", writes=lambda: True, in_thread=maybeDeferred)
    with capture_logs() as logs:
        writer.run()
        writer.run()
        ledger.written.clear()
        ledger.waiting.append(made(1))
        writer.run()
    assert [event["event"] for event in logs] == ["checkpoint.written", "checkpoint.lost"]
    assert ledger.written == []


@pytest.mark.parametrize(
    ("fault", "event"),
    [
        (LedgerUnavailable("away"), "checkpoint.interrupted"),
        (CheckpointsHeld("another session"), "checkpoint.interrupted"),
        (ForgedCheckpoint("none"), "checkpoint.forged"),
    ],
)
def test_a_fault_of_the_ledger_is_logged_and_the_next_turn_goes_on(fault, event):
    """The time at which all was signed stays as it was."""
    ledger = Ledger(fault, made(1))
    writer = CheckpointWriter(
        ledger,
        KEY,
        "",
        writes=lambda: True,
        in_thread=maybeDeferred,
        seconds=lambda: 7.0,
    )
    with capture_logs() as logs:
        writer.run()
        assert writer.signed_s == 0
        writer.run()
    assert [each["event"] for each in logs] == [event, "checkpoint.written"]
    assert writer.signed_s == 7


def test_a_file_that_cannot_be_used_stops_no_signing(file):
    """The log says that nothing is published, and a file that is no list of checkpoints stays as it is."""
    file.mkdir()
    assert run(Ledger(made(1)), file) == ["checkpoint.not_published", "checkpoint.written"]
    file.rmdir()
    for other in "other\n", "a secret without the end of a line":
        file.write_text(other)
        assert run(Ledger(made(1)), file) == ["checkpoint.not_published", "checkpoint.written"]
        with pytest.raises(ValueError, match="is no checkpoint"):
            publish(file, [made(1)])
        assert file.read_text() == other
    file.unlink()
    file.mkdir()
    ledger = Ledger(made(1), made(2))
    run(ledger, file)
    file.rmdir()
    run(ledger, file)
    assert numbers(file) == [1, 2]

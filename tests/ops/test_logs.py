"""Logging: forms, levels, what is kept out, and that Twisted's and the standard library's logs go the same
way.
"""

import errno
import gc
import io
import json
import logging
import os
from pathlib import Path

import pytest
import structlog
from twisted.internet import defer
from twisted.logger import Logger

from pokerroom.ops import logs


@pytest.fixture
def stream():
    """A stream for the log of one test; everything configured is put back.

    It gets nothing of earlier tests of the process: when its log begins, Twisted repeats the events before, and the
    garbage collector may find a failed Deferred at any moment.
    """
    before, root = structlog.get_config(), logging.getLogger()
    handlers, level = list(root.handlers), root.level
    logs.configure(stream=io.StringIO())
    gc.disable()
    yield io.StringIO()
    gc.enable()
    structlog.configure(**before)
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(stream):
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_json_lines_carry_fields_level_and_utc_time(stream):
    """Off a terminal every line is one JSON object with the event, its fields and the time in UTC."""
    logs.configure(stream=stream)
    structlog.get_logger().bind(table="nl-100-1").info("hand.finished", hand=7, pot=250)
    [line] = lines(stream)
    assert line.pop("timestamp").endswith("Z")
    assert line == {"event": "hand.finished", "hand": 7, "pot": 250, "table": "nl-100-1", "level": "info"}


def test_a_log_without_a_reader_stops_nothing(stream):
    """What is logged is lost then, now and when the process ends: a room plays on without the reader of a pipe."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as pipe:
        logs.configure(stream=pipe)
        structlog.get_logger().info("read")
        assert b"read" in os.read(reading, 1000)
        os.close(reading)
        for _ in range(2):
            structlog.get_logger().info("lost", text="x" * 100_000)


def test_a_log_on_a_full_disk_goes_on_when_there_is_room(stream):
    """A line that could not be written is lost, and no other."""

    class Disk(io.StringIO):
        full = True

        def flush(self):
            if self.full:
                raise OSError(errno.ENOSPC, "no space")

    disk = Disk()
    logs.configure(stream=disk)
    structlog.get_logger().info("lost, perhaps")
    disk.full = False
    structlog.get_logger().info("written")
    assert lines(disk)[-1]["event"] == "written"


def test_the_level_filters(stream):
    """What is below the level is not written, from wherever it comes."""
    logs.configure(stream=stream, level="warning")
    structlog.get_logger().info("quiet")
    logging.getLogger("lib").info("quiet")
    Logger().info("quiet")
    structlog.get_logger().warning("loud")
    assert [line["event"] for line in lines(stream)] == ["loud"]


@pytest.mark.parametrize("form", ["console", "json"])
@pytest.mark.parametrize(
    "fields",
    [
        {"hole_cards": "SECRET"},
        {"holes": {3: "SECRET"}},
        {"cards": ["SECRET"]},
        {"deck": "SECRET"},
        {"dealer_deck": "SECRET"},
        {"Password": "SECRET"},
        {"resume_token": "SECRET"},
        {"journal_key": "SECRET"},
        {"nested": {"deeper": [{"token": "SECRET"}]}},
        {"database_url": "postgresql://room:SECRET@db/pokerroom"},
        {"redis_url": "redis://:SECRET@cache:6379/0"},
        {"note": "cannot connect to postgresql://room:SECRET@db/x: refused"},
        {"error": ValueError("redis://:SECRET@h")},
        {"key": b"SECRET"},
    ],
)
def test_secrets_are_kept_out(stream, form, fields):
    """Fields named like cards or secrets and passwords inside URLs do not reach the log, at any depth."""
    logs.configure(stream=stream, form=form)
    structlog.get_logger().info("something", **fields)
    assert "SECRET" not in stream.getvalue()
    assert "something" in stream.getvalue()


def test_an_unknown_object_appears_as_its_type(stream):
    """The text of an object could show what its fields hold, so only plain data is written out."""

    class HandState:
        def __repr__(self):
            return "HandState(SECRET)"

    logs.configure(stream=stream)
    structlog.get_logger().info("x", state=HandState(), many=[HandState(), 1])
    [line] = lines(stream)
    assert (line["state"], line["many"]) == ("<HandState>", ["<HandState>", 1])


def test_what_is_not_secret_is_left_alone(stream):
    """The board, amounts, keys of transfers and URLs without a password stay readable."""
    fields = {"board": ["Ah", "Kd"], "transfer_key": "hand:7", "url": "postgresql://db/pokerroom", "pot": 1}
    logs.configure(stream=stream)
    structlog.get_logger().info("x", **fields)
    assert lines(stream)[0].items() >= fields.items()


def fails_with_a_local_secret(deck):
    raise RuntimeError(f"dealt {len(deck)}")


@pytest.mark.parametrize("form", ["console", "json"])
def test_tracebacks_show_no_local_variables(stream, form):
    """An exception is written with its traceback but without what the variables held."""
    logs.configure(stream=stream, form=form)
    try:
        fails_with_a_local_secret(f"As Kh SECR{''}ET")  # not in one piece: a traceback quotes its source
    except RuntimeError:
        structlog.get_logger().exception("table.crashed")
    text = stream.getvalue()
    assert "fails_with_a_local_secret" in text
    assert "RuntimeError: dealt 12" in text
    assert "As Kh SECRET" not in text


def test_an_unhandled_error_in_a_deferred_is_logged_with_its_traceback(stream):
    """Twisted's own log comes the same way; an unhandled error is not lost."""
    logs.configure(stream=stream)

    async def crashes():
        raise KeyError("seat")

    deferred = defer.ensureDeferred(crashes())
    del deferred
    gc.collect()
    critical = [line for line in lines(stream) if line["level"] == "critical"]
    assert any("KeyError: 'seat'" in line.get("exception", "") for line in critical)


def test_the_standard_librarys_logging_goes_the_same_way(stream):
    """A library's warning is a line of ours, with the library's name and its traceback."""
    logs.configure(stream=stream)
    try:
        Path("/nowhere/at/all").read_text()
    except OSError:
        logging.getLogger("psycopg.pool").warning("lost %s {x}", "one", exc_info=True)
    [line] = lines(stream)
    assert (line["event"], line["logger"], line["level"]) == ("lost one {x}", "psycopg.pool", "warning")
    assert "FileNotFoundError" in line["exception"]


def test_a_second_configuration_does_not_double_lines(stream):
    """Configuring twice leaves one line per event from each of the three sources."""
    logs.configure(stream=stream)
    logs.configure(stream=stream)
    structlog.get_logger().warning("ours")
    logging.getLogger("lib").warning("theirs")
    Logger().warn("twisted's")
    assert [line["event"] for line in lines(stream)] == ["ours", "theirs", "twisted's"]


def test_lines_of_several_nodes_carry_their_numbers(stream):
    """Where nodes of one machine share a stream, each line says which one wrote it, from wherever it comes."""
    logs.configure(stream=stream, node_number=2)
    structlog.get_logger().info("one")
    logging.getLogger("lib").warning("two")
    assert [(line["event"], line["node_number"]) for line in lines(stream)] == [("one", 2), ("two", 2)]

"""What a forged checkpoint says is compared, and stops nothing."""

import json

import pytest

from pokerroom.verifier.rows import TABLES, Rows
from pokerroom.verifier.verify import differences_of_published, verify

NONE = "00" * 32
BODY = {
    "number": 1, "at_ms": 1, "key": "k", "before": NONE, "complete_to": 0, "links": 0, "root": NONE,
    "streams": [], "operators_log": [0, NONE],
}  # fmt: skip


@pytest.fixture
def rows():
    """Rows of a room without anything; a test adds a checkpoint."""
    found = Rows()
    for table, columns in TABLES.items():
        found.read(table, list(columns), [])
    yield found
    found.close()


@pytest.mark.parametrize(
    "forged",
    [
        {"at_ms": 10**15},
        {"at_ms": float("inf")},
        {"complete_to": 2**63},
        {"operators_log": [10**30, NONE]},
        {"operators_log": []},
        {"streams": [["table:a", 1, 10**30, NONE]]},
        {"links": -1},
    ],
)
def test_a_checkpoint_with_a_number_that_none_can_have_was_changed(rows, forged):
    """It is named, and the verification goes on."""
    columns = list(TABLES["checkpoints"])
    rows.read("checkpoints", columns, [f"1\t{json.dumps(BODY | forged)}\t\\\\x{NONE}{NONE}\n"])
    rows.complete()
    found = verify(rows, None)
    assert (found.differences, found.until_ms) == (("checkpoint 1 was changed: it is none",), None)


def test_the_highest_number_of_a_transfer_is_one(rows):
    """PostgreSQL's `bigint` has it."""
    columns = list(TABLES["checkpoints"])
    text = json.dumps(BODY | {"complete_to": 2**63 - 1})
    rows.read("checkpoints", columns, [f"1\t{text}\t\\\\x{NONE}{NONE}\n"])
    rows.complete()
    assert "checkpoint 1 was changed: it is none" not in verify(rows, None).differences


def test_a_published_line_with_such_a_number_is_named(rows):
    """Also without a key that could have signed it."""
    rows.complete()
    for number in 10**30, float("inf"), "1":
        text = json.dumps(BODY | {"number": number})
        assert list(differences_of_published(rows, [], [(text, b"")])) == [
            "a published line is no checkpoint of a known key"
        ]

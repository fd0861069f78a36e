"""What the verifier hashes is what the room hashes, and both follow RFC 6962."""

import json
from hashlib import sha256

import pytest

from pokerroom.ledger.checkpoints import CheckpointKey, checkpoint_hash, merkle_root
from pokerroom.verifier import formats, records

LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
"""The leaves with which implementations of Certificate Transparency are tested."""


@pytest.mark.parametrize("root", [merkle_root, formats.root])
def test_a_root_is_that_of_rfc_6962(root):
    """As other implementations have it."""
    leaves = [bytes.fromhex(leaf) for leaf in LEAVES]
    assert root([]) == sha256(b"").digest()
    assert root(leaves[:1]).hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert root(leaves).hex() == "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"


def test_both_roots_are_equal_for_every_number_of_leaves():
    """One folds level by level, the other splits as the RFC does."""
    leaves = [bytes([n]) for n in range(70)]
    for n in range(71):
        assert merkle_root(leaves[:n]) == formats.root(leaves[:n])


def test_a_signature_is_of_one_key_and_one_text():
    """Another key, another text or another signature does not fit."""
    key, other = CheckpointKey(bytes(32)), CheckpointKey(bytes(31) + b"1")
    signature = key.sign("text")
    assert formats.is_signed(key.public, "text", signature)
    assert not formats.is_signed(other.public, "text", signature)
    assert not formats.is_signed(key.public, "texts", signature)
    assert not formats.is_signed(key.public, "text", signature[::-1])
    assert formats.key_id(key.public) == key.key_id != other.key_id
    assert formats.checkpoint_hash("text") == checkpoint_hash("text") != checkpoint_hash("texts")


def test_fields_of_different_rows_are_different_texts():
    """None is not empty, and no text reaches into the next one."""
    rows = [("a", "b"), ("a,1:b",), ("ab", ""), ("", "ab"), ("ab", None), (None, "ab"), ("ä", "b")]
    assert len({formats.fields(*row) for row in rows}) == len(rows)
    assert formats.fields("ä", 12, None) == "2:ä,2:12,-,".encode()


def test_a_record_is_read_and_written_as_postgresql_writes_it():
    """Also with fractions, letters beyond ASCII and control characters, of which none may change."""
    record = '{"x": [1.50, 2, "ä\\u0001\\n\\"", null, true], "hidden": ["k", "b"]}'
    opened, hidden = records.without_hidden(record)
    assert opened.decode() == '{"x": [1.50, 2, "ä\\u0001\\n\\"", null, true]}'
    assert json.loads(hidden) == ["k", "b"]

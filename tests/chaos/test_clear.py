"""Cards in the clear are found in logs and Redis in the forms in which the room would write them; nothing else is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import msgpack
import pytest
import redis

from pokerroom.rules.data import state_to_data
from pokerroom.table.seal import Seal
from tests.chaos.clear import in_bytes, in_files, in_log, in_redis
from tests.rules.playing import hand

CARDS = ["As", "7d"]


@pytest.mark.parametrize(
    "line",
    [
        json.dumps({"event": "hand.started", "cards": CARDS}),
        f"fault with {CARDS}",
        "hole cards As 7d",
        "dealt AsKd7c to seat 3",
    ],
)
def test_cards_in_a_log_are_found(line):
    """As a list or as text."""
    assert in_log(line)


@pytest.mark.parametrize(
    "line",
    [
        '{"event": "hand.resumed", "hand_id": "00hg4kq2c8d9sabc", "steps": 5}',
        '{"event": "node.died", "node": "host-1234-2c4d8c", "at": "12:00"}',
        "As for the rest, 7d later",
        '{"table": "nl-9s", "key": "9a8b7c6d5e4f"}',
    ],
)
def test_what_only_looks_like_a_card_is_left(line):
    """Ids, names and words."""
    assert not in_log(line)


def test_cards_as_views_pack_them_are_found():
    """Whatever stands around them; sealed they are not."""
    packed = msgpack.packb({"type": "hole_cards", "cards": CARDS})
    assert in_bytes(packed)
    assert in_bytes(json.dumps(CARDS).encode())
    assert not in_bytes(Seal(bytes(32)).close(packed, "h1"))


def test_a_deal_that_is_not_sealed_is_found():
    """Its cards are numbers in the journal, and stand under their names."""
    packed = msgpack.packb(state_to_data(hand(1000, 1000).state))
    assert in_bytes(packed)
    assert not in_bytes(Seal(bytes(32)).close(packed, "h1"))


def test_random_bytes_are_no_cards():
    """As much as a run keeps in Redis."""
    assert not in_bytes(os.urandom(5_000_000))


@pytest.fixture
def store(services) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(services.redis_url, db=5) as client:
        yield client
        client.flushdb()


@pytest.mark.parametrize("kind", ["string", "hash", "list", "set", "zset", "stream", "key"])
@pytest.mark.services
def test_cards_in_redis_are_found_wherever_they_are(store, services, kind):
    """In any database, under any type of key, in its name, too."""
    cards = msgpack.packb(CARDS)
    write = {
        "string": lambda: store.set("k", cards),
        "hash": lambda: store.hset("k", "field", cards),
        "list": lambda: store.rpush("k", b"other", cards),
        "set": lambda: store.sadd("k", cards),
        "zset": lambda: store.zadd("k", {cards: 1}),
        "stream": lambda: store.xadd("k", {"e": cards}),
        "key": lambda: store.set(cards, b"x"),
    }
    write[kind]()
    assert [line.split(" at ")[0] for line in in_redis(services.redis_url)] == [
        "database 5 of Redis shows cards"
    ]


def test_cards_in_a_file_are_found(tmp_path):
    """As in an append-only file."""
    (tmp_path / "honest").write_bytes(b"*3 XADD")
    (tmp_path / "aof").mkdir()
    (tmp_path / "aof" / "1").write_bytes(b"*3 XADD " + msgpack.packb(CARDS))
    assert in_files(tmp_path) == ["the file 1 shows cards"]

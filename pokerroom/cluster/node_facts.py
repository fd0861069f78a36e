"""What a node tells all others of itself, several times a second. No secret is in it, and nothing of a client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedTable:
    """A table that lives at a node: since which epoch, how many seats are occupied, its load (`placement.load_of`)."""

    epoch: int
    seats: int
    load: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoverTarget:
    """Who is meant to have a table that its owner of this epoch has just given up; `by_operator`: and to keep it."""

    to: str
    epoch: int
    by_operator: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFacts:
    """One node, as it tells of itself.

    `count` is another one each time: by it the others see that the node lives. `common` is a fingerprint of what all
    nodes of a room must have in common, such as the settings of their tables. `ops` is the address of the operations
    port as `host:port`, empty before it is known. `given` says who is meant to have the tables that it has just given
    up. `ended`: these are its last words, and nobody need wait for its lease.
    """

    count: int
    common: str
    started_ms: int
    weight: int = 1
    ops: str = ""
    draining: bool = False
    suspended: bool = False
    ended: bool = False
    tables: Mapping[str, OwnedTable] = field(default_factory=dict)
    given: Mapping[str, HandoverTarget] = field(default_factory=dict)


class UnreadableNodeFacts(Exception):  # noqa: N818 -- what was said is, not the program
    """A node of another version has said something else."""


def packed(facts: NodeFacts) -> bytes:
    """As the directory keeps it: JSON, so that an operator can read it, too."""
    return msgspec.json.encode(facts)


def unpacked(said: bytes) -> NodeFacts:
    """Raises `UnreadableNodeFacts`."""
    try:
        return msgspec.json.decode(said, type=NodeFacts)
    except msgspec.DecodeError as error:  # a ValidationError is one
        raise UnreadableNodeFacts(str(error)) from None

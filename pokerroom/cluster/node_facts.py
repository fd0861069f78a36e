"""What a node writes of itself to the directory with every heartbeat. It holds no secret and nothing of a client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import msgspec


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedTable:
    """A table that lives at a node: its epoch, how many seats are occupied, and its load (`placement.load_of`)."""

    epoch: int
    seats: int
    load: int


SPOKEN: Final = 2
"""The version of what nodes say to each other, in the directory, on the bus and in journals. Each change raises it.

Nodes of neighbouring versions live together: so a new field has a default, and a new message is sent to no node of the
version before. What is no longer needed goes a version later.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoverTarget:
    """The node that shall have a table which its owner of this epoch has just given up.

    `by_operator`: the operator moved it, and it stays there.
    """

    to: str
    epoch: int
    by_operator: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFacts:
    """One node as it describes itself.

    `count` differs in every heartbeat: by it the others see that the node lives. `common` is a fingerprint of what all
    nodes of a room must have in common, such as the settings of their tables. `speaks` is the node's `SPOKEN`. `ops` is
    the address of the operations port as `host:port`, empty until it is known. `given` names the nodes that shall have
    the tables which this node has just given up. `ended`: this is the node's last entry, and no node need wait for its
    lease.
    """

    count: int
    common: str
    started_ms: int
    speaks: int = 0
    ops: str = ""
    draining: bool = False
    suspended: bool = False
    ended: bool = False
    tables: Mapping[str, OwnedTable] = field(default_factory=dict)
    given: Mapping[str, HandoverTarget] = field(default_factory=dict)


class UnreadableNodeFacts(Exception):  # noqa: N818 -- what was said is, not the program
    """An entry was written by a node of another version."""


def packed(facts: NodeFacts) -> bytes:
    """Encode as JSON, so that an operator can read it in the directory."""
    return msgspec.json.encode(facts)


def unpacked(said: bytes) -> NodeFacts:
    """Decode an entry. Raises `UnreadableNodeFacts`."""
    try:
        return msgspec.json.decode(said, type=NodeFacts)
    except msgspec.DecodeError as error:  # a ValidationError is one
        raise UnreadableNodeFacts(str(error)) from None

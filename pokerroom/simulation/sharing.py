"""What people do with hands of the past: some share one by a link, take links back, or open those of others, also as
strangers; some ask for their hands as text.

`HiddenCardChecker` looks at what the room tells them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, get_args

from pokerroom.simulation.acting_client import ActingClient, Chance
from pokerroom.simulation.streams import Stream
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

RUNS_SHARE = 0.25
"""In so many of the runs with faults of the ledger people share hands."""


@dataclass(slots=True)
class SharedHands:
    """The links that people of a run have told each other. `stream` decides what they do with them.

    They do so in some of the runs in which the ledger fails, for it alone has the links.
    """

    stream: Stream
    ledger_fails: bool
    codes: list[str] = field(default_factory=list)
    happen: bool = field(init=False)

    def __post_init__(self) -> None:
        self.happen = self.ledger_fails and self.stream.random() < RUNS_SHARE


class Audience(Chance, Protocol):
    """The surroundings of a client that shares hands."""

    shared_hands: SharedHands


class Sharer(ActingClient, Protocol):
    """A client that may share hands."""

    @property
    def world(self) -> Audience:
        """The run."""


def after_hand(client: Sharer, hand_id: str) -> None:
    """Perhaps share the hand: one that the client was dealt into, or not, or a void one."""
    draw = client.world.shared_hands.stream
    if client.world.shared_hands.happen and draw.random() < 0.05:
        options = draw.choice(["none", "own", "all"]), draw.random() < 0.5
        for _ in range(draw.choice([1, 1, 2])):
            client.ask(wire.ShareHand(id=0, hand_id=hand_id, names=options[0], own_cards=options[1]))  # type: ignore[arg-type] # one of the three
        if draw.random() < 0.1:
            client.ask(wire.UnshareHand(id=0, hand_id=hand_id))


def look_around(client: Sharer) -> None:
    """From time to time: open a link, look at the own ones, or guess; or export hands."""
    shared = client.world.shared_hands
    if not shared.happen:
        return
    roll = shared.stream.random()
    if roll < 0.1 and shared.codes:
        client.ask(wire.GetSharedHand(id=0, code=shared.stream.choice(shared.codes)))
    elif roll < 0.12:
        client.ask(wire.GetHandLinks(id=0))
    elif roll < 0.13:
        client.ask(wire.GetSharedHand(id=0, code="x" * 22))
    elif roll < 0.18:
        form, after = shared.stream.choice(get_args(wire.HandFormat)), shared.stream.choice([None, None, 100])
        table = shared.stream.choice([None, None, *client.plan.wanted])
        client.ask(wire.ExportHands(id=0, format=form, table=table, after=after))


def before_entering(client: Sharer) -> None:
    """A stranger opens a link."""
    shared = client.world.shared_hands
    if shared.codes and shared.stream.random() < 0.1:
        client.ask(wire.GetSharedHand(id=0, code=shared.stream.choice(shared.codes)))


def answered(client: Sharer, answer: wire.ServerMessage) -> None:
    """The room has told a client of its links."""
    views = answer.links if isinstance(answer, wire.HandLinks) else []
    codes = client.world.shared_hands.codes
    for link in [answer.link] if isinstance(answer, wire.HandLink) else views:
        if link.code not in codes:
            codes.append(link.code)


def refused(client: Sharer, request: wire.ClientMessage, code: Code) -> None:
    """A link was taken back."""
    codes = client.world.shared_hands.codes
    if code is Code.UNKNOWN_HAND_LINK and isinstance(request, wire.GetSharedHand) and request.code in codes:
        codes.remove(request.code)

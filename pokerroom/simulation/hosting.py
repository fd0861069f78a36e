"""What people do with private tables: some open them, give orders to them and close them, others follow their links.

The people of a run tell each other the links: `Invitations`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

from msgspec.structs import replace as replace_fields

from pokerroom.ledger.hosted_tables import is_hosted
from pokerroom.simulation.acting_client import ActingClient, Chance
from pokerroom.simulation.streams import Stream
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code


@dataclass(slots=True)
class Invitations:
    """The links that are known, by table: code and host's name; and the guests, as the host knows them.

    From `removals` hosts of sit-and-gos draw the guest to be removed.
    """

    removals: Stream
    links: dict[str, tuple[str, str]] = field(default_factory=dict)
    guests: dict[str, list[str]] = field(default_factory=dict)


class Society(Chance, Protocol):
    """The surroundings of a client that meets others."""

    invitations: Invitations


class Guest(ActingClient, Protocol):
    """A client that may be a host or a guest."""

    @property
    def world(self) -> Society:
        """The run."""


def came(client: Guest) -> None:
    """The client is logged in: a host looks at the tables that it may have opened without hearing of it."""
    if client.plan.hosts:
        client.wish(wire.GetHostedTables(id=0))


def look_around(client: Guest) -> None:
    """From time to time."""
    draw, links = client.stream, client.world.invitations.links
    own = [table for table, (_, host) in links.items() if host == client.account.name]
    if client.plan.hosts and not own and draw.random() < 0.4:
        client.wish(private_table(draw))
    for table in own:
        if draw.random() < 0.5:
            _order(client, table)
    known = [table for table in links if table not in client.plan.wanted]
    if known and draw.random() < 0.2:
        client.wish(wire.FindTable(id=0, code=links[draw.choice(known)][0]))
    if (client.plan.hosts or links) and draw.random() < 0.1:
        for request in _blunder(draw, sorted(links)):
            client.ask(request)


def private_table(draw: Stream) -> wire.CreateTable:
    """Draw the settings of a private table."""
    structure = draw.choice(["no_limit", "pot_limit", "fixed_limit"])
    return wire.CreateTable(
        id=0,
        name="private",
        small_blind=draw.choice([1, 5, 25, 50]),
        structure=structure,  # type: ignore[arg-type] # one of the three
        seats=draw.randint(2, 6),
        action_clock_s=draw.randint(5, 12),
        chat=(extras := draw.random()) < 0.5,  # one number for both: any of the two, both or none
        straddle=0.3 < extras < 0.7,
    )


def _blunder(draw: Stream, tables: list[str]) -> list[wire.ClientMessage]:
    """What the room has to refuse, if not all of it, or at a table of the client's own."""
    requests: list[list[wire.ClientMessage]] = [
        [wire.FindTable(id=0, code="x" * 22)],
        [replace_fields(private_table(draw), min_buy_in=1)],
        [private_table(draw)] * 4,
    ]
    if tables:
        requests.append([wire.ChangeHostedTable(id=0, table=draw.choice(tables), order="pause")])
        requests.append([wire.ChangeStakes(id=0, table=draw.choice(tables), small_blind=5, min_buy_in=1)])
        requests.append([wire.RemovePlayer(id=0, table=draw.choice(tables), name="p999")])
        requests.append([wire.GiveChips(id=0, table=draw.choice(tables), name="p999", amount=5, key="a" * 8)])
    return draw.choice(requests)


def _order(client: Guest, table: str) -> None:
    draw, snapshot = client.stream, client.session.tables.get(table)
    roll = draw.random()
    others = [name for name in client.world.invitations.guests.get(table, ()) if name != client.account.name]
    if others and draw.random() < 0.4:
        _about_guest(client, table, draw.choice(others))
        return
    if roll < 0.25 and snapshot is not None and snapshot.seats:
        client.wish(wire.RemovePlayer(id=0, table=table, name=draw.choice(snapshot.seats).name))
        return
    if roll < 0.33:
        client.wish(wire.ChangeStakes(id=0, table=table, small_blind=draw.choice([1, 2, 5, 10, 25, 50])))
        return
    if roll < 0.4:
        order = draw.choice(["approve_seats", "open_seats"])
        client.wish(wire.ChangeHostedTable(id=0, table=table, order=order))  # type: ignore[arg-type] # one of the two
        return
    order = "pause" if roll < 0.5 else "resume" if roll < 0.67 else "new_link" if roll < 0.8 else "close"
    client.wish(wire.ChangeHostedTable(id=0, table=table, order=order))  # type: ignore[arg-type] # one of the four


def _about_guest(client: Guest, table: str, name: str) -> None:
    draw = client.stream
    roll = draw.random()
    if roll < 0.5:
        client.wish(wire.AnswerSeat(id=0, table=table, name=name, accepts=roll < 0.4))
    elif roll < 0.75:
        key = f"gift-{draw.randint(0, 10**9):09d}"
        client.wish(wire.GiveChips(id=0, table=table, name=name, amount=draw.randint(1, 500), key=key))
    else:
        client.wish(wire.GiveHost(id=0, table=table, name=name))


def answered(client: Guest, answer: wire.ServerMessage) -> None:
    """The room has told a client of private tables."""
    views = answer.tables if isinstance(answer, wire.HostedTables) else []
    for view in [answer.hosted] if isinstance(answer, wire.HostedTable) else views:
        table, links = view.info.table, client.world.invitations.links
        if view.code is not None:
            links[table] = view.code, view.host
            client.world.invitations.guests[table] = [guest.name for guest in view.guests or ()]
        if view.your_seat == "ask":
            client.wish(wire.AskSeat(id=0, table=table))
        if table not in client.plan.wanted:
            client.plan = replace(client.plan, wanted=(*client.plan.wanted, table))
            _first_order(client, view)
            client.wish(wire.Observe(id=0, table=table))
            client.wish(wire.GetTableResults(id=0, table=table))


def _first_order(client: Guest, view: wire.HostedTableView) -> None:
    """Some hosts let no guest sit down unasked, and some guests give orders; the stakes say which."""
    table = view.info.table
    if view.code is not None and view.info.small_blind in {5, 25}:
        client.wish(wire.ChangeHostedTable(id=0, table=table, order="approve_seats"))
    elif view.code is None and view.info.small_blind == 5:
        client.wish(wire.GiveChips(id=0, table=table, name=client.account.name, amount=5, key="from-a-guest"))


def news(client: Guest) -> None:
    """A private table of the client has changed."""
    client.wish(wire.GetHostedTables(id=0))


def closed(client: Guest, table: str) -> None:
    """The host has closed a table: its link leads nowhere."""
    client.world.invitations.links.pop(table, None)


def refused(client: Guest, request: wire.ClientMessage, code: Code) -> None:
    """A private table is gone, or it is not for this client any more."""
    table = str(getattr(request, "table", ""))
    if code is Code.UNKNOWN_TABLE and is_hosted(table):
        leave(client, table)
        if isinstance(request, wire.ChangeHostedTable | wire.ChangeStakes | wire.RemovePlayer):
            closed(client, table)


def leave(client: Guest, table: str) -> None:
    """Want nothing at a table any more."""
    wanted = tuple(one for one in client.plan.wanted if one != table)
    client.plan = replace(client.plan, wanted=wanted)

"""The operator's commands, each declared once: queries, and orders to tables and tournaments.

The command line (`operator_cli`) and the pages of the operations port (`operator_pages`) are made of these
declarations. What an order does is a handler in `lobby.operated_tables` or `lobby.operated_tournaments`; each refuses
to start if it lacks a handler for an order of its group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from pokerroom.chips import in_credits
from pokerroom.ops.chart_text import chart_text
from pokerroom.ops.config_tournament import PLAYERS_MAX
from pokerroom.ops.minute_series import MINUTES_KEPT
from pokerroom.ops.parameter import Parameter
from pokerroom.ops.reports import (
    Accepted,
    AccountTimeouts,
    NodeAccepted,
    NodeCharts,
    NodeNow,
    NodeReport,
    OperatorIdentity,
    SitAndGoAccepted,
    SitAndGoDetail,
    SitAndGoEntry,
    SitAndGoReport,
    TableDetail,
    TableReport,
)
from pokerroom.ops.times import utc_minute

API: Final = "/v1"
"""The prefix of every path of the operator API. A change that breaks its clients gets another one."""

CHART_STEP: Final = 30
"""Minutes of each step of a chart, if none is asked for: a day fits the line of a terminal of 100 columns."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """Rows below the names of their columns, for a terminal."""

    columns: tuple[str, ...]
    rows: list[tuple[str | int, ...]]


Shown = str | TextTable | Callable[[int], Iterable[str | TextTable]]
"""A line of text, a table, or what is shown on a terminal of so many columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question to the room: `GET path` answers with an `answer`, which `show` turns into text for a terminal.

    The path is below `API`. `{}` in the path stands for an id, which the command takes as its argument. `parameters`
    are numbers, which the command takes as options.
    """

    path: str
    answer: Any
    help: str
    show: Callable[[Any], Iterable[Shown]]
    parameters: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorOrder:
    """Something that a table or tournament is told to do: `POST /<group>/<id>/<name>` below `API`.

    `help` begins with a line of its own and names the refusals. `done` is printed after the id when the order is
    accepted; it may name fields of the answer. With an `argument` the path may have one more part. An order that is
    the `variant` of another one is given by that one's command with a flag of the name `flag`.
    """

    name: str
    help: str
    done: str
    argument: str | None = None
    variant: str | None = None
    flag: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandGroup:
    """The commands of one kind of thing: `pokerroom <command> ...`, pages below `/<path>`.

    An order is answered with `accepted` and `status`; its field `subject` holds the id.
    """

    command: str
    path: str
    subject: str
    help: str
    accepted: Any
    status: HTTPStatus
    orders: tuple[OperatorOrder, ...]
    queries: Mapping[str, Query] = field(default_factory=dict)

    def order(self, name: str) -> OperatorOrder | None:
        """Return the order of this name."""
        return next((order for order in self.orders if order.name == name), None)

    def verb(self, name: str) -> str:
        """Return the verb of an order or a query (`operator_roles.VERBS`)."""
        return f"{self.command}.{name}"


# --- how answers are shown ----------------------------------------------------------------------------------------


def _tables(tables: list[TableReport]) -> Iterable[Shown]:
    def seats(table: TableReport) -> str:
        return f"{table.occupied}/{table.seats}" if table.seats is not None else str(table.occupied)

    def state(table: TableReport) -> str:
        if not table.closing:
            return table.state
        return f"{table.state}, closing" if table.occupied else "closed"

    def name(table: TableReport) -> str:
        return table.name if table.host is None else f"{table.name} (host: {table.host})"

    yield TextTable(
        ("table", "name", "node", "state", "hand", "seats", "connected", "waiting", "crashes", "frozen"),
        [
            (
                *(
                    table.table,
                    name(table),
                    table.node or "",
                    state(table),
                    table.hand_id or "",
                    seats(table),
                ),
                *(table.connected, table.waiting, table.crashes, table.frozen or ""),
            )
            for table in tables
        ],
    )


def _table(found: TableDetail) -> Iterable[Shown]:
    def amount(units: int | None) -> str:
        if units is None:
            return ""
        return str(units) if found.in_chips else in_credits(units)

    yield from _tables([found.report])
    if found.pot is not None:
        yield f"pot {amount(found.pot)}"
    yield TextTable(
        ("seat", "name", "stack", "bet", "status", ""),
        [
            (
                *(seat.seat, seat.name, amount(seat.stack), amount(seat.bet), seat.status),
                ", ".join(
                    word
                    for word, holds in (
                        ("to act", seat.acts),
                        ("not connected", not seat.connected),
                        ("house bot", seat.bot),
                    )
                    if holds
                ),
            )
            for seat in found.seats
        ],
    )


def _now(found: list[NodeNow]) -> Iterable[Shown]:
    yield TextTable(
        ("node", "ready", "connections", "hands", "rounds", "actions"),
        [
            (
                *(one.node, "yes" if not one.reasons else f"no: {', '.join(one.reasons)}"),
                *(sum(one.connections.values()), one.hands, one.rounds, one.actions),
            )
            for one in found
        ],
    )


def _charts(found: list[NodeCharts]) -> Iterable[Shown]:
    def fitted(width: int) -> Iterable[str | TextTable]:
        text = chart_text(found, width)
        return (text.time, TextTable(text.columns, text.rows))

    yield fitted


def _identity(found: OperatorIdentity) -> Iterable[Shown]:
    yield f"{found.operator}, role {found.role}"
    yield f"may {', '.join(found.verbs)}"


def _nodes(nodes: list[NodeReport]) -> Iterable[Shown]:
    def state(node: NodeReport) -> str:
        if not node.living:
            return "gone"
        states = {
            "leader": node.leader,
            "draining": node.draining and not node.is_drained,
            "drained": node.is_drained,
            "suspended": node.suspended,
        }
        return ", ".join(["living", *(name for name, holds in states.items() if holds)])

    def uptime(seconds: int) -> str:
        days, rest = divmod(seconds, 86_400)
        return f"{days}d " * (days > 0) + f"{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}"

    yield TextTable(
        ("node", "state", "tables", "seats", "operations", "uptime"),
        [
            (node.node, state(node), len(node.tables), node.seats, node.ops, uptime(node.uptime_s))
            for node in nodes
        ],
    )


def _timeouts(counts: list[AccountTimeouts]) -> Iterable[Shown]:
    yield TextTable(
        ("account", "name", "today", "total"),
        [(count.account, count.name, count.today, count.total) for count in counts],
    )


def _tournaments(found: list[SitAndGoReport]) -> Iterable[Shown]:
    yield TextTable(
        ("tournament", "phase", "starts (UTC)", "taken", "left", "tables", "buy-in", "node", "state"),
        [
            (
                *(one.tournament, one.phase, "" if one.starts_ms is None else utc_minute(one.starts_ms)),
                *(_taken(one), one.left, one.tables or "", in_credits(one.buy_in)),
                *(one.node or "", one.state or ""),
            )
            for one in found
        ],
    )


def _taken(one: SitAndGoReport) -> str:
    """The seats that are taken, and how many there are if the offer says so."""
    return str(one.taken) if one.seats == PLAYERS_MAX else f"{one.taken}/{one.seats}"


def _tournament(found: SitAndGoDetail) -> Iterable[Shown]:
    one = found.report

    def left(entry: SitAndGoEntry) -> str:
        """Why an entry ended without a prize: before the start, or with the tournament (I3)."""
        if one.phase == "cancelled" or (one.phase == "rolled_back" and not entry.returned):
            return "refunded"
        return "has left" if entry.returned else ""

    prizes = " / ".join(in_credits(prize) for prize in found.prizes) or "are fixed when registration closes"
    yield f"{one.tournament}: {one.phase}, {_taken(one)} seats taken, {one.left} left"
    if one.starts_ms is not None:
        yield f"start {utc_minute(one.starts_ms)} UTC"
    if one.node is not None:
        yield f"runs at {one.node}: {one.state}"
    yield f"buy-in {in_credits(one.buy_in)}, of which {in_credits(found.fee)} is the fee; prizes {prizes}"
    yield TextTable(
        ("table", "seat", "account", "name", "chips", ""),
        [
            (
                entry.table or "",
                entry.seat or "",
                entry.account,
                entry.name,
                "" if entry.chips is None else entry.chips,
                left(entry),
            )
            for entry in found.entries
        ],
    )
    if found.places:
        yield TextTable(
            ("place", "account", "name", "prize", ""),
            [
                (
                    *(place.place, place.account, place.name, in_credits(place.prize)),
                    "paid" if place.paid else "to be paid" if place.prize else "",
                )
                for place in found.places
            ],
        )


# --- the commands -------------------------------------------------------------------------------------------------

QUERIES: Final = {
    "whoami": Query(
        path="/whoami",
        answer=OperatorIdentity,
        help="Show which operator the room takes you for, and what the role may do.",
        show=_identity,
    ),
    "now": Query(
        path="/now",
        answer=list[NodeNow],
        help="Show readiness, connections, and settled hands of every node that answers.",
        show=_now,
    ),
    "charts": Query(
        path="/charts",
        answer=list[NodeCharts],
        help="Show the last day of every node that answers: connections, hands, load and faults.",
        show=_charts,
        parameters=(
            Parameter(
                name="minutes", help=f"The last minutes. Default: {MINUTES_KEPT}, a day.", most=MINUTES_KEPT
            ),
            Parameter(name="step", help=f"Minutes of each step. Default: {CHART_STEP}.", most=60),
        ),
    ),
    "nodes": Query(
        path="/nodes",
        answer=list[NodeReport],
        help="List the nodes of a running room, their state and load.",
        show=_nodes,
    ),
    "timeouts": Query(
        path="/timeouts",
        answer=list[AccountTimeouts],
        help="List the accounts that the clock put all-in. Counts are for today (UTC) and in total.",
        show=_timeouts,
    ),
}
"""Queries without a group, by the names of their commands."""

TABLES: Final = CommandGroup(
    command="table",
    path="tables",
    subject="table",
    help="Look at the tables of a running room, and give them orders.",
    accepted=Accepted,
    status=HTTPStatus.ACCEPTED,  # an order may wait for the end of the hand
    queries={
        "list": Query(
            path="/tables",
            answer=list[TableReport],
            help="List every table and what it is doing.",
            show=_tables,
        ),
        "show": Query(
            path="/tables/{}",
            answer=TableDetail,
            help="Show one table: seats, stacks, bets and the player to act. It shows no card.",
            show=_table,
        ),
    },
    orders=(
        OperatorOrder(
            name="close",
            help="""Stop taking players at a table.

            The hand in progress is finished, then the stacks go to their owners' wallets. Refused with
            tournament_table at a sit-and-go's table.""",
            done="takes no more players; it closes at once, or after the hand in progress",
        ),
        OperatorOrder(
            name="open",
            help="""Take players again at a table that was closed.

            Refused with tournament_table at a sit-and-go's table.""",
            done="takes players",
        ),
        OperatorOrder(
            name="freeze",
            help="""Stop a table where it is.

            Its players are told and no clock runs. The hand in progress is kept, also if the node ends.""",
            done="is frozen",
        ),
        OperatorOrder(
            name="resume",
            help="""Let a frozen table go on from journal and ledger, or a private table that its host has paused.

            This includes a table that stays frozen after faults. Refused with not_frozen.""",
            done="goes on",
        ),
        OperatorOrder(
            name="void",
            help="""Void the hand of a frozen table: every stack is as at its start, every bet goes back.

            The table stays frozen. Refused with not_frozen, no_hand, or hand_complete if nothing is left to decide:
            such a hand is finished when the table is resumed.""",
            done="stays frozen: the hand {hand_id} is void",
        ),
        OperatorOrder(
            name="void_complete",
            variant="void",
            flag="complete",
            help="Also void a hand in which nothing is left to decide, because the ledger refuses its result.",
            done="stays frozen: the hand {hand_id} is void",
        ),
        OperatorOrder(
            name="move",
            argument="node",
            help="""Give a table to another node between two hands.

            To NODE, or to the node with the fewest tables. Players do not notice. Refused with table_frozen,
            not_movable, unknown_node, node_draining, already_there or no_other_node.""",
            done="moves to {node} when its hand is finished",
        ),
    ),
)

TOURNAMENTS: Final = CommandGroup(
    command="sng",
    path="sit_and_gos",
    subject="tournament",
    help="Look at the sit-and-gos, and end or pause them.",
    accepted=SitAndGoAccepted,
    status=HTTPStatus.OK,
    queries={
        "list": Query(
            path="/sit_and_gos",
            answer=list[SitAndGoReport],
            help="List the tournaments that take entries or run.",
            show=_tournaments,
        ),
        "show": Query(
            path="/sit_and_gos/{}",
            answer=SitAndGoDetail,
            help="Show one tournament: entries, places and payments. Also one that is over.",
            show=_tournament,
        ),
    },
    orders=(
        OperatorOrder(
            name="cancel",
            help="""Cancel a tournament that has not started: every buy-in is returned.

            Refused with registration_closed once it has started.""",
            done="is cancelled; all buy-ins are returned",
        ),
        OperatorOrder(
            name="roll_back",
            help="""End a running tournament as if it had not been played: every buy-in is returned, fee included.

            Refused with tournament_prizes_won once a prize is won, with tournament_not_running when it is over, and
            with table_frozen while a fault has frozen its table: freeze the table yourself first (pokerroom table
            freeze).""",
            done="is rolled back; all buy-ins are returned",
        ),
        OperatorOrder(
            name="roll_forward",
            help="""End a running tournament now: the remaining players share what is not won yet.

            Before the money one half is shared equally, the other half by chips. In the money each player gets the
            lowest prize that is left, and the rest is shared by chips. Refused with tournament_not_running when it is
            over.""",
            done="is rolled forward; what was not won is shared among the remaining players",
        ),
        OperatorOrder(
            name="pause",
            help="""Pause a running tournament after its hand in progress.

            No further hand is dealt, and the clock of the levels stops.""",
            done="is paused when its hand is finished",
        ),
        OperatorOrder(name="resume", help="Let a paused tournament go on.", done="goes on"),
    ),
)

NODES: Final = CommandGroup(
    command="node",
    path="nodes",
    subject="node",
    help="Give orders to the nodes of a running room; `pokerroom nodes` lists them.",
    accepted=NodeAccepted,
    status=HTTPStatus.ACCEPTED,  # tables move when their hands end
    orders=(
        OperatorOrder(
            name="drain",
            help="""Let a node give up its tables and tournaments, before it is stopped.

            Other nodes take each as its hand ends, and players stay connected. The node takes no new table, and is not
            ready any more (/readyz). `pokerroom nodes` says when it is drained: then stop it. It takes tables again
            once it is started again. Refused with unknown_node, and with no_other_node where no other node takes
            tables.""",
            done="gives up its tables; `pokerroom nodes` says when it is drained",
        ),
    ),
)

GROUPS: Final = (TABLES, TOURNAMENTS, NODES)

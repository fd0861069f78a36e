"""What an observer asks and hears, without sockets: it watches every table of a room that it can find.

`take` gets each message of the room, `tick` the time; what has to be sent is in `outbox`. Messages are plain maps, as
`protocol/connection.md` describes them: nothing of the project is used to read them.
"""

from collections.abc import Mapping
from typing import Any

from tests.referee.report import Report
from tests.referee.table import PokerTable
from tests.referee.ultimate import UltimateTable

Message = Mapping[str, Any]
LOOK_MS = 3_000
"""How often the lobby is asked for new tables and tournaments."""
COMPARE_MS = 20_000
"""How often each table is asked for a snapshot, to compare it with its events."""


class Watch:
    """One observer. `name` and `password` are those of an account of its own; it opens it if there is none."""

    def __init__(
        self,
        report: Report,
        *,
        name: str,
        password: str,
        clock: tuple[int, int] | None = None,
        only: str = "",
    ) -> None:
        self.outbox: list[dict[str, Any]] = []
        self.ended: str | None = None
        self.ready = self.met = False
        self._report = report
        self._account = {"name": name, "password": password}
        self._clock = clock
        self._only = only
        self._tables: dict[str, PokerTable | UltimateTable] = {}
        self._offers: dict[str, Message] = {}
        self._asked: dict[int, dict[str, Any]] = {}
        self._next = 0
        self._looked_ms = self._compared_ms = 0

    def connected(self) -> None:
        """A new connection: begin at the beginning."""
        self.ready, self.ended = False, None
        self._asked.clear()
        for table in self._tables.values():
            table.gap = True
        self._ask("hello", version=1, client="referee", pause=True)

    def _ask(self, kind: str, **fields: Any) -> None:
        self._next += 1
        request = {"type": kind, "id": self._next, **fields}
        self._asked[self._next] = request
        self.outbox.append(request)

    def _waits(self, kind: str, table: str) -> bool:
        return any(
            request["type"] == kind and request.get("table") == table for request in self._asked.values()
        )

    def tick(self, now_ms: int) -> None:
        """Time passes: look for new tables, compare snapshots, stay connected."""
        if not self.ready:
            return
        if now_ms - self._looked_ms >= LOOK_MS:
            self._looked_ms = now_ms
            self._ask("list_tables")
            self._ask("list_sit_and_gos")
        if now_ms - self._compared_ms >= COMPARE_MS:
            self._compared_ms = now_ms
            for name in self._tables:
                self._snapshot(name)

    def _snapshot(self, name: str) -> None:
        if not self._waits("get_snapshot", name) and not self._waits("observe", name):
            self._ask("get_snapshot", table=name)

    # --- what the room says -----------------------------------------------------------------------------------

    def take(self, message: Message, now_ms: int) -> None:  # noqa: C901, PLR0912 -- one case for each kind
        """One message of the room."""
        request = self._asked.pop(message["re"], None) if message.get("re") is not None else None
        match message["type"]:
            case "welcome":
                self.met = True
                self._ask("register", **self._account)
            case "authenticated":
                self.ready = True
                self._looked_ms, self._compared_ms = 0, now_ms
                self.tick(now_ms)
            case "error":
                self._refused(message, request or {})
            case "goodbye":
                self.ended = message["code"]
            case "tables":
                for row in [*message["tables"], *message["ultimate"]]:
                    self._observe(row["table"])
            case "sit_and_gos":
                for offer in message["sit_and_gos"]:
                    self._offers[offer["offer"]] = offer
                    for row in offer["running"]:
                        self._observe(row["tournament"])
            case "snapshot":
                table = self._tables.setdefault(
                    message["table"], PokerTable(message["table"], self._report, self._clock)
                )
                if isinstance(table, PokerTable):
                    table.snapshot(message)
                    table.know_offer(self._offers.get(message["info"]["offer"]))
            case "ultimate_snapshot":
                table = self._tables.setdefault(
                    message["table"], UltimateTable(message["table"], self._report)
                )
                table.snapshot(message)
            case _ if "seq" in message and message.get("table") in self._tables:
                name = message["table"]
                self._tables[name].event(message, now_ms)
                if self._tables[name].gap:
                    self._snapshot(name)
                if message["type"] == "tournament_ended" or message.get("state") == "closed":
                    del self._tables[name]

    def _observe(self, name: str) -> None:
        if name in self._tables and not self._tables[name].gap:
            return
        if self._only in name and not self._waits("observe", name):
            self._ask("observe", table=name)

    def _refused(self, message: Message, request: Mapping[str, Any]) -> None:
        match request.get("type"), message["code"]:
            case "register", "name_taken":
                self._ask("log_in", **self._account)
            case (("observe" | "get_snapshot"), "unknown_table"):
                self._tables.pop(request["table"], None)
            case _, "rate_limited" | "request_pending":
                pass
            case (("register" | "log_in" | "hello"), code):
                self.ended = code
            case kind, code:
                self._report.unchecked[f"{kind} is refused: {code}"] += 1

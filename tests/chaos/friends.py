"""Friends under the nemesis: clubs and private tables that are opened, played at and closed while nodes die.

A party of friends spends one evening after the other. At the first the host creates a club, pays the members, and opens
a table of the club; at the next the host opens a table of the wallets with a password, and gives chips to the guests.
Stakes change, the table pauses and closes, and the club's chips go back to its bank. A request without an answer is
repeated with its key, or after a look at what is there. In the end `check_friends` looks at the ledger: chips of a club
are never money, each payment that was acknowledged is booked once, and nothing is left in clubs and tables that are
closed.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, TypeVar

import psycopg

from pokerroom.bots.policy import Policy, options_of
from pokerroom_protocol import Code, ConnectionEnded, RequestRefused, ReturningClient
from pokerroom_protocol import messages as m
from tests.chaos.records import Books
from tests.chaos.swarms import Blame

FRIENDS: Final = 4
"""In each party, with the host."""
BUY_IN: Final = 2_000
SMALL_BLINDS: Final = (10, 20)
PLAY_S: Final = 6.0
EVENING_S: Final = 240.0
"""An evening has to end within so long, also where a node dies every eight seconds: then half of the friends are away,
and clocks decide for them.
"""
AGAIN_S: Final = 0.3
WALLET: Final = 10_000_000

_LATER: Final = frozenset(
    {
        Code.UNAVAILABLE, Code.TABLE_FROZEN, Code.RATE_LIMITED, Code.SHUTTING_DOWN, Code.REQUEST_PENDING,
        Code.SEAT_TAKEN, Code.SEAT_HELD,
    }
)  # fmt: skip

_NOT_YET: Final = frozenset({Code.UNKNOWN_TABLE})
"""The node has not read the ledger since the table was opened."""

_OF_EARLIER: Final = frozenset({Code.UNKNOWN_MESSAGE})
"""A node of an earlier version has no passwords of tables: there the link is the only way."""

T = TypeVar("T")


class Friend:
    """One account: plays where it has a seat, and asks again until it is answered."""

    def __init__(self, client: ReturningClient, name: str, seed: int, think_s: float) -> None:
        self.client = client
        self.name = name
        self._policy = Policy(seed)
        self._think_s = think_s
        self._answered: tuple[str, int] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def ask(
        self, message: m.ClientMessage, expect: type[T], *, done: frozenset[Code] = frozenset()
    ) -> T | None:
        """Return the answer to what may be repeated; None if it is refused because it is done.

        Raise `RequestRefused`.
        """
        while True:
            try:
                return await self.client.request(message, expect)  # type: ignore[type-var] # any answer
            except ConnectionEnded:
                await asyncio.sleep(AGAIN_S)
            except RequestRefused as refused:
                if refused.code in done:
                    return None
                if refused.code not in _LATER:
                    raise
                await asyncio.sleep(AGAIN_S)

    async def told(self, message: m.ClientMessage, expect: type[T]) -> T:
        """Return the answer, which is none that is done."""
        answer = await self.ask(message, expect)
        assert answer is not None
        return answer

    async def play(self) -> None:
        """Answer turns until the client is closed."""
        async for _ in self.client:
            for table in self.client.tables.values():
                self._look(table)

    def _look(self, table: m.Snapshot) -> None:
        turn = None if table.hand is None else table.hand.turn
        own = next((seat for seat in table.seats if seat.seat == table.your_seat), None)
        if own is not None and own.status == "sitting_out" and own.stack:
            self._soon(0.5, m.SitIn(id=0, table=table.table))
        if table.hand is None or turn is None or own is None or turn.seat != own.seat:
            return
        if self._answered != (table.hand.hand_id, turn.seq):
            self._answered = table.hand.hand_id, turn.seq
            decided = self._policy.decide(options_of(turn))
            act = m.Act(
                id=0, table=table.table, hand_id=table.hand.hand_id, seq=turn.seq, action=decided.action,
                amount=decided.amount,
            )  # fmt: skip
            self._soon(self._think_s, act)

    def _soon(self, after_s: float, message: m.ClientMessage) -> None:
        async def ask() -> None:
            await asyncio.sleep(after_s)
            with suppress(RequestRefused, ConnectionEnded):  # the clock, or another hand, was faster
                await self.client.request(message, m.Ok)

        task = asyncio.get_running_loop().create_task(ask())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class Party:
    """Friends that play at one node each, all others through it. `accounts` are their names and tokens."""

    def __init__(
        self,
        name: str,
        accounts: Sequence[tuple[str, str]],
        ports: Sequence[int],
        *,
        seed: int,
        think_s: float,
        blame: Blame,
    ) -> None:
        self._name = name
        self._accounts = accounts
        self._ports = ports
        self._seed = seed
        self._think_s = think_s
        self._blame = blame
        self._friends: list[Friend] = []
        self._stopping = False
        self.step = ""
        """What is done now, for a report."""
        self.paid: dict[str, int] = {}
        """Acknowledged payments of clubs and gifts of hosts: the end of the key of the transfer, and its amount."""
        self.counts: Counter[str] = Counter()

    def stop(self) -> None:
        """Spend no further evening."""
        self._stopping = True

    async def run(self) -> None:
        """Spend evenings until it is stopped."""
        playing: list[asyncio.Task[None]] = []
        try:
            for number in range(FRIENDS):
                self._friends.append(await self._come(number))
            playing += [asyncio.create_task(friend.play()) for friend in self._friends]
            while not self._stopping:
                number = self.counts["evenings"]
                self.step = "begin"
                try:
                    async with asyncio.timeout(EVENING_S):
                        await self.evening(number)
                except TimeoutError:
                    self._blame("C8", "", "", f"{self._name}: evening {number} has not ended: {self.step}")
                except RequestRefused as refused:
                    self._blame("C8", "", "", f"{self._name}: evening {number}, {self.step}: {refused}")
                self.counts["evenings"] += 1
        finally:
            for task in playing:
                task.cancel()
            for friend in self._friends:
                await friend.client.close()

    async def _come(self, number: int) -> Friend:
        """Come in when the node is there."""
        (name, token), port = self._accounts[number], self._ports[number % len(self._ports)]
        while True:
            try:
                client = await ReturningClient.connect(
                    "127.0.0.1", port, client="chaos", pause=False, token=token
                )
            except (OSError, TimeoutError, ConnectionEnded, RequestRefused):
                await asyncio.sleep(AGAIN_S)
            else:
                return Friend(client, name, self._seed + number, self._think_s)

    def friends_from(self, number: int) -> list[Friend]:
        """Return them all, the host of the evening of this number first."""
        return self._friends[number % FRIENDS :] + self._friends[: number % FRIENDS]

    # --- one evening ----------------------------------------------------------------------------------------------

    async def evening(self, number: int) -> None:
        """Spend the evening of this number: the club or the table of one of them."""
        host, *guests = self.friends_from(number)
        club = None
        if number % 2 == 0:
            self.step = "the club"
            club = await self.again(lambda: self._club(host))
            await self._members(host, guests, club, number)
        self.step = "the table"
        hosted = await self.again(lambda: self._table(host, None if club is None else club.club))
        table = hosted.info.table
        await self._come_in(host, guests, hosted, club, number)
        self.step = "the seats"
        await asyncio.gather(*(self._sit_down(friend, table) for friend in (host, *guests)))
        self.step = "play"
        await asyncio.sleep(PLAY_S / 2)
        await host.ask(m.ChangeStakes(id=0, table=table, small_blind=SMALL_BLINDS[1]), m.HostedTable)
        for guest in guests if club is None else ():
            await self._give(host, guest, table, number)
        await host.ask(m.ChangeHostedTable(id=0, table=table, order="pause"), m.HostedTable)
        await host.ask(m.ChangeHostedTable(id=0, table=table, order="resume"), m.HostedTable)
        await asyncio.sleep(PLAY_S / 2)
        self.step = "the end of the table"
        await self._close(host, table)
        if club is not None:
            self.step = "the end of the club"
            await self._end(host, club.club, number)
        self.counts["clubs" if club is not None else "private_tables"] += 1

    async def _come_in(
        self,
        host: Friend,
        guests: Sequence[Friend],
        hosted: m.HostedTableView,
        club: m.ClubView | None,
        number: int,
    ) -> None:
        """All but the last guest come by the link, the last one by the password. At a table of a club members come."""
        table = hosted.info.table
        if club is not None:
            for guest in guests:
                await guest.told(m.JoinClubTable(id=0, table=table), m.HostedTable)
            return
        password = f"friends of {self._name} {number}"
        request = m.SetTablePassword(id=0, table=table, password=password)
        is_set = await host.ask(request, m.HostedTable, done=_OF_EARLIER)
        for guest in guests:
            entered = None
            if is_set is not None and guest is guests[-1]:
                enter = m.EnterTable(id=0, table=table, password=password)
                entered = await guest.ask(enter, m.HostedTable, done=_OF_EARLIER)
            if entered is None:
                await guest.told(m.FindTable(id=0, code=hosted.code or ""), m.HostedTable)
            else:
                self.counts["entered"] += 1

    async def again(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Look at what is there, and make what is not, until an answer comes."""
        while True:
            try:
                return await attempt()
            except ConnectionEnded:
                await asyncio.sleep(AGAIN_S)
            except RequestRefused as refused:
                if refused.code not in _LATER:
                    raise
                await asyncio.sleep(AGAIN_S)

    async def _club(self, host: Friend) -> m.ClubView:
        clubs = (await host.client.request(m.GetClubs(id=0), m.Clubs)).clubs
        own = next((line.club for line in clubs if line.your_role == "owner"), None)
        request = m.CreateClub(id=0, name=self._name) if own is None else m.GetClub(id=0, club=own)
        return (await host.client.request(request, m.Club)).club

    async def _members(self, host: Friend, guests: Sequence[Friend], club: m.ClubView, number: int) -> None:
        for guest in guests:
            await guest.told(m.JoinClub(id=0, code=club.code or ""), m.Club)
        for friend in (host, *guests):
            await self._move(host, club.club, friend.name, 2 * BUY_IN, f"evening-{number}-{friend.name}")

    async def _move(self, host: Friend, club: str, name: str, amount: int, key: str) -> None:
        await host.told(m.MoveClubChips(id=0, club=club, name=name, amount=amount, key=key), m.Club)
        self.paid[f"club:{club}:{key}"] = amount

    async def _table(self, host: Friend, club: str | None) -> m.HostedTableView:
        tables = (await host.client.request(m.GetHostedTables(id=0), m.HostedTables)).tables
        own = next((one for one in tables if one.host == host.name and one.club == club), None)
        if own is not None:
            return own
        create = m.CreateTable(
            id=0, name=self._name, small_blind=SMALL_BLINDS[0], seats=FRIENDS, action_clock_s=5, club=club
        )
        return (await host.client.request(create, m.HostedTable)).hosted

    async def _sit_down(self, friend: Friend, table: str) -> None:
        while await friend.ask(m.Observe(id=0, table=table), m.Snapshot, done=_NOT_YET) is None:  # noqa: ASYNC110 -- another node sets no event here
            await asyncio.sleep(AGAIN_S)
        sit = m.SitDown(id=0, table=table, buy_in=BUY_IN, seat=None, post=True)
        await friend.ask(sit, m.Snapshot, done=frozenset({Code.ALREADY_SEATED}))

    async def _give(self, host: Friend, guest: Friend, table: str, number: int) -> None:
        key, amount = f"evening-{number}-{guest.name}", 100 + number
        await host.told(
            m.GiveChips(id=0, table=table, name=guest.name, amount=amount, key=key), m.HostedTable
        )
        self.paid[f"gift:{table}:{key}"] = amount

    async def _close(self, host: Friend, table: str) -> None:
        gone = frozenset({Code.UNKNOWN_TABLE, Code.NOT_HOST, Code.TABLE_CLOSING})
        await host.ask(m.ChangeHostedTable(id=0, table=table, order="close"), m.HostedTable, done=gone)
        while True:
            tables = (await host.told(m.GetHostedTables(id=0), m.HostedTables)).tables
            if all(one.info.table != table for one in tables):
                return
            await asyncio.sleep(AGAIN_S)

    async def _end(self, host: Friend, club: str, number: int) -> None:
        """Take all chips back, and close the club. What the bank owes is what the members hold."""
        view = (await host.told(m.GetClub(id=0, club=club), m.Club)).club
        held = {member.name: member.balance for member in view.members}
        if sum(held.values()) != view.issued or view.issued != FRIENDS * 2 * BUY_IN:
            line = f"{self._name}: the club has issued {view.issued} of {FRIENDS * 2 * BUY_IN}, its members hold {held}"
            self._blame("C1", club, "", line)
        for name, balance in held.items():
            if balance:
                await self._move(host, club, name, -balance, f"evening-{number}-back-{name}")
        view = (await host.told(m.GetClub(id=0, club=club), m.Club)).club
        if view.issued or any(member.balance for member in view.members):
            self._blame("C1", club, "", f"{self._name}: {view.issued} are still issued after all went back")
        await host.ask(m.CloseClub(id=0, club=club), m.Ok, done=frozenset({Code.UNKNOWN_CLUB}))


# --- what must hold -------------------------------------------------------------------------------------------------


def read_tables(database_url: str) -> dict[str, str | None]:
    """Private tables and the clubs that they are of. Blocks."""
    with psycopg.connect(database_url) as connection:
        return dict(connection.execute("SELECT table_id, club FROM hosted_tables").fetchall())


def check_friends(
    paid: Mapping[str, int], books: Books, tables: Mapping[str, str | None], blame: Blame
) -> None:
    """C1, C4, C5: see the module. All evenings are over."""
    for transfer in books.transfers:
        purses: defaultdict[str, int] = defaultdict(int)
        for code, amount in transfer.legs:
            purses[_purse(code, tables)] += amount
        mixed = {purse: total for purse, total in purses.items() if total}
        if mixed:
            blame("C1", "", "", f"transfer {transfer.key} moves chips between purses: {mixed}")
    booked = _booked(books)
    for key, amount in paid.items():
        if booked.pop(key, None) != amount:
            blame("C5", "", "", f"{key}: {amount} were acknowledged, and are not booked")
    for key, amount in booked.items():
        blame("C4", "", "", f"{key}: {amount} are booked, and were not acknowledged")
    for code, balance in books.balances.items():
        kind, _, rest = code.partition(":")
        if balance and (kind in {"club", "chips"} or (kind == "stack" and rest.rpartition(":")[0] in tables)):
            blame("C1", "", "", f"{code} holds {balance} after all evenings")


def _booked(books: Books) -> dict[str, int]:
    """Payments of clubs and gifts in the form of `Party.paid`."""
    found: dict[str, int] = {}
    for transfer in books.transfers:
        if transfer.kind in {"club_issue", "club_take"}:
            found[transfer.key] = sum(amount for code, amount in transfer.legs if code.startswith("chips:"))
        elif transfer.kind == "gift":
            place, _, key = transfer.key.rpartition(":")
            found[f"{place.rpartition(':')[0]}:{key}"] = max(amount for _, amount in transfer.legs)
    return found


def _purse(code: str, tables: Mapping[str, str | None]) -> str:
    """The club of a ledger account; empty for money."""
    kind, _, rest = code.partition(":")
    if kind in {"club", "chips"}:
        return rest.partition(":")[0]
    if kind in {"stack", "rake"}:
        table = rest.rpartition(":")[0] if kind == "stack" else rest
        return tables.get(table) or ""
    return ""

"""Check the operator's wallet: what the room says of each transfer, the server has done, once and for that player.

Hears the server where it moves money, and reads the rows of the ledger after each hand and whenever one has changed.
What a player had there at first is there, or in the room: debits that are done bring it in, credits take it out. Only
what is still asked, and a debit with a rollback that is asked, may have been carried out or not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, MutableMapping, Sequence

from pokerroom.ledger.operator_wallet import WalletRow
from pokerroom.simulation.checks.violation import Blame, Kind


class OperatorWalletChecker:
    """Books beside those of server and room. `wallets`, if given, are what accounts hold by what was booked."""

    def __init__(self, blame: Blame) -> None:
        self._blame = blame
        self.wallets: MutableMapping[int, int] | None = None
        self._players: dict[int, str] = {}
        """The server's player of each linked account."""
        self._had: dict[str, int] = {}
        self._has: defaultdict[str, int] = defaultdict(int)
        self._moves: defaultdict[str, Counter[tuple[str, str, int]]] = defaultdict(Counter)
        """By the id of a debit or a credit: how often the server has moved what, for which player. Rollbacks, too."""
        self._brought: defaultdict[int, int] = defaultdict(int)
        """What each account has from the server, by the rows that were seen."""
        self._counted: set[int] = set()
        """Rows that are in `_brought`."""

    @property
    def linked(self) -> Sequence[int]:
        """The accounts that are linked."""
        return sorted(self._players)

    def is_linked(self, account: int) -> bool:
        """Whether the account is linked."""
        return account in self._players

    def opened(self, account: int, player: str, amount: int) -> None:
        """An account is linked with a player that has so much at the server, and holds nothing in the room."""
        self._players[account] = player
        self._had[player] = self._has[player] = amount

    def moved(self, name: str, kind: str, player: str, amount: int) -> None:
        """The server has moved money by the id of a debit or a credit; a rollback names its debit."""
        self._has[player] += amount
        self._moves[name][kind, player, amount] += 1

    def look(self, rows: Sequence[WalletRow], held: Mapping[int, int]) -> None:
        """Compare all rows of the ledger, and what linked accounts hold by it, with what the server has done."""
        known = {row.id for row in rows}
        for name in sorted(self._moves.keys() - known):
            self._wrong(f"the server has moved money by {name}, which the room does not know")
        rolled_back = {row.undoes: row.state == "done" for row in rows if row.kind == "rollback"}
        for row in rows:
            if row.kind != "rollback":
                self._count(row)
                self._compare(row, rolled_back.get(row.number))
        unsettled = self._unsettled(rows)
        for account, player in self._players.items():
            brought, has, had = self._brought[account], self._has[player], self._had[player]
            if account not in unsettled and has + brought != had:
                self._wrong(
                    f"{player} had {had}, has {has} at the server and brought {brought} into the room"
                )
            if self.wallets is not None and held[account] != self.wallets[account]:
                booked = self.wallets[account]
                self._wrong(f"account {account} holds {held[account]}, booked were {booked}")

    def finished(self, rows: Iterable[WalletRow], held: Mapping[int, int]) -> None:
        """Nothing fails any more, and nothing is brought: all that is not at a table is at the server again."""
        for row in rows:
            if row.state == "asked":
                self._wrong(f"{row.kind} {row.number} of {row.amount} is never done: {row.failure}")
        for account in self._players:
            if held[account]:
                self._wrong(f"account {account} keeps {held[account]}, which nothing returns")

    def _count(self, row: WalletRow) -> None:
        """Note what a row moves in the room, once."""
        if row.number in self._counted or (row.kind == "debit" and row.state != "done"):
            return
        self._counted.add(row.number)
        amount = row.amount if row.kind == "debit" else -row.amount
        self._brought[row.account] += amount
        if self.wallets is not None:
            self.wallets[row.account] += amount

    def _compare(self, row: WalletRow, is_rolled_back: bool | None) -> None:
        """`is_rolled_back`: whether the rollback of the debit is done; None if it has none."""
        player = self._players[row.account]
        sign = -1 if row.kind == "debit" else 1
        back = ("rollback", player, row.amount)
        moves = self._moves.get(row.id, Counter())
        times, returned = moves[row.kind, player, sign * row.amount], moves[back]
        net = times - returned
        if moves.total() != times + returned:
            self._wrong(f"{_named(row)} is of {player}: the server has moved {dict(moves)}")
        elif row.state == "done":
            right = (times, returned) == (1, 0)
            self._expect(row, right, times, returned)
        elif row.state == "refused":
            self._expect(row, times == 0, times, returned)
        elif is_rolled_back:
            self._expect(row, net == 0 and times <= 1, times, returned)
        else:
            self._expect(row, net in {0, 1} and times <= 1, times, returned)

    def _expect(self, row: WalletRow, right: bool, times: int, returned: int) -> None:
        if not right:
            told = f"the server has moved it {times} times and returned it {returned} times"
            self._wrong(f"{_named(row)} is {row.state}: {told}")

    @staticmethod
    def _unsettled(rows: Iterable[WalletRow]) -> set[int]:
        """Accounts with something of which only the server knows the outcome."""
        return {row.account for row in rows if row.state == "asked"}

    def _wrong(self, line: str) -> None:
        self._blame(Kind.CHIPS, "", "", f"operator's wallet: {line}")


def _named(row: WalletRow) -> str:
    return f"{row.kind} {row.number} of {row.amount}"

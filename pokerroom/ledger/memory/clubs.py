"""Clubs in memory: see `ClubLedger`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pokerroom.chips import Money
from pokerroom.ledger.api import InsufficientBalance, LedgerConflict
from pokerroom.ledger.clubs import (
    CLUBS_MAX,
    CLUBS_PER_DAY,
    ISSUED_MAX,
    MEMBERS_MAX,
    ROLES,
    ClubChips,
    ClubInUse,
    ClubKeyUsed,
    ClubMember,
    ClubResult,
    ClubRole,
    ClubRoleNeeded,
    ClubRow,
    ClubSitAndGo,
    MemberAtTable,
    TooManyClubs,
    TooManyMembers,
    UnknownClub,
    UnknownClubCode,
    UnknownMember,
)
from pokerroom.ledger.hosted_tables import HostedTableRow, UnknownHostedTable
from pokerroom.ledger.memory.account_history import MemoryAccountHistory
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.hosted_tables import MemoryHostedTables
from pokerroom.ledger.transfers import chips_code, club_code, club_key, club_role_key, name_key, whole


@dataclass(slots=True, kw_only=True)
class MemoryClub:
    """A club, also after its end."""

    name: str
    code: str | None
    opened_s: float
    until_s: float | None = None
    closed_s: float | None = None
    members: dict[int, ClubRole] = field(default_factory=dict)
    moves: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """Key -> account, amount, who ordered it."""


class MemoryClubs(MemoryHostedTables, MemoryAccountHistory):
    """A `ClubLedger`."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._clubs: dict[str, MemoryClub] = {}

    @fired
    def create_club(self, club: str, owner: int, name: str, code: str, per_account: int) -> ClubRow:
        self._check_account(owner)
        self._limits.check_not_locked(owner)
        if club in self._clubs or any(row.code == code for row in self._clubs.values()):
            raise LedgerConflict(f"the club {club} is there already")
        self._check_clubs_of(owner)
        now_s = self._now_s()
        of_day = sum(
            row.opened_s > now_s - 86_400 and chips_code(one, owner) in self._balances
            for one, row in self._clubs.items()
        )
        if self._owned_by(owner) >= per_account or of_day >= CLUBS_PER_DAY:
            raise TooManyClubs(f"account {owner} owns {per_account} clubs")
        self._clubs[club] = MemoryClub(name=name, code=code, opened_s=now_s)
        self._set_role(club, owner, "owner")
        self._balances[club_code(club)] = self._balances[chips_code(club, owner)] = 0
        return self._club_row(club)

    @fired
    def club(self, club: str, account: int) -> ClubRow:
        self._club_of(club, account)
        return self._club_row(club)

    @fired
    def clubs_of(self, account: int) -> Sequence[ClubRow]:
        return [self._club_row(club) for club, row in self._clubs.items() if account in row.members]

    @fired
    def set_club_code(self, club: str, manager: int, code: str | None, valid_s: int | None) -> ClubRow:
        row = self._club_of(club, manager, "manager")
        if code is not None and any(one.code == code for one in self._clubs.values() if one is not row):
            raise LedgerConflict("the code of a club is unique")
        row.code, row.until_s = code, None if valid_s is None else self._now_s() + valid_s
        return self._club_row(club)

    @fired
    def join_club(self, code: str, account: int) -> ClubRow:
        self._check_account(account)
        self._limits.check_not_locked(account)
        found = (
            (club, row)
            for club, row in self._clubs.items()
            if row.code == code and (row.until_s is None or row.until_s > self._now_s())
        )
        club, row = next(found, ("", None))
        if row is None:
            raise UnknownClubCode("no club has this code")
        if account not in row.members:
            if len(row.members) >= MEMBERS_MAX:
                raise TooManyMembers(f"{club} has {MEMBERS_MAX} members")
            self._check_clubs_of(account)
            self._set_role(club, account, "member")
            self._balances.setdefault(chips_code(club, account), 0)
        return self._club_row(club)

    @fired
    def set_club_role(self, club: str, owner: int, name: str, role: ClubRole, per_account: int) -> ClubRow:
        self._club_of(club, owner, "owner")
        member = self._member_named(club, name)
        if member == owner and role != "owner":
            raise ClubRoleNeeded(f"{club} has no other owner")
        if member != owner and role == "owner":
            self._limits.check_not_locked(member)
            if self._owned_by(member) >= per_account:
                raise TooManyClubs(f"account {member} owns {per_account} clubs")
            self._set_role(club, owner, "manager")
        self._leaving.discard((club, member))
        self._set_role(club, member, role)
        return self._club_row(club)

    @fired
    def leave_club(self, club: str, account: int) -> None:
        row = self._clubs.get(club)
        self._check_account(account)
        if row is None or account not in row.members:
            return
        if row.members[account] == "owner":
            raise ClubRoleNeeded(f"{club} has no other owner")
        self._check_at_no_table(club, account)
        self._end_membership(club, account, account)

    @fired
    def remove_member(self, club: str, manager: int, name: str, new_code: str) -> ClubRow:
        row = self._club_of(club, manager, "manager")
        member = self._member_named(club, name)
        if ROLES.index(row.members[member]) >= ROLES.index(row.members[manager]):
            raise ClubRoleNeeded(f"account {member} is a {row.members[member]} of {club}")
        row.code = row.code and new_code
        self._leaving.add((club, member))
        self._check_at_no_table(club, member)
        self._end_membership(club, member, manager)
        return self._club_row(club)

    @fired
    def move_club_chips(self, chips: ClubChips) -> ClubRow:
        row = self._club_of(chips.club, chips.manager, "manager")
        member = self._member_named(chips.club, chips.name)
        before = row.moves.get(chips.key)
        if before is None:
            role, issues = row.members[member], chips.amount > 0
            barred = issues == (member == chips.manager) and (issues or role != "member")
            if row.members[chips.manager] == "manager" and barred:
                raise ClubRoleNeeded(f"account {member} is a {role} of {chips.club}")
            if chips.amount > max(0, ISSUED_MAX + self._balances[club_code(chips.club)]):
                raise InsufficientBalance(f"the bank of {chips.club} may owe {ISSUED_MAX}")
            self._book_club_chips(chips.club, chips.key, member, chips.amount, chips.manager)
        elif before[:2] != (member, chips.amount):
            raise ClubKeyUsed(f"the key {chips.key} was used for another movement")
        return self._club_row(chips.club)

    @fired
    def close_club(self, club: str, owner: int) -> None:
        self._club_of(club, owner, "owner")
        self._check_not_played(club)
        self._end_club(club, owner)

    @fired
    def join_club_table(self, table: str, account: int) -> HostedTableRow:
        self._check_account(account)
        self._limits.check_not_locked(account)
        row = self._open_hosted().get(table)
        if (
            row is None
            or row.closing
            or account in row.removed
            or row.club is None
            or not self._is_member(row.club, account)
        ):
            raise UnknownHostedTable(f"there is no table {table} for account {account}")
        self._add_guest(table, row, account)
        return self._hosted_table(table)

    @fired
    def close_club_table(self, table: str, manager: int) -> HostedTableRow:
        row = self._open_hosted().get(table)
        if (
            row is None
            or row.tournament is not None
            or row.club is None
            or not self._is_member(row.club, manager)
        ):
            raise UnknownHostedTable(f"there is no table {table} for account {manager}")
        self._club_of(row.club, manager, "manager")
        if not row.closing:
            row.closing = True
            row.version += 1
        return self._hosted_table(table)

    @fired
    def club_results(self, club: str, account: int, since_ms: int) -> Sequence[ClubResult]:
        self._club_of(club, account)
        nets = self._sit_and_go_nets(club, since_ms)
        for hand in self._hands.values():
            table = self._hosted.get(hand.table)
            if table is not None and table.club == club and hand.ended_ms >= since_ms:
                nets.update({player: delta for player, delta in hand.deltas if delta})
        return [
            ClubResult(account=player, name=self._accounts[player].name, net=net)
            for player, net in sorted(nets.items())
        ]

    # --- inside -----------------------------------------------------------------------------------------------

    def _is_in_club(self, account: int) -> bool:
        """Whether the account is a member of any club."""
        return any(account in row.members for row in self._clubs.values())

    def _owned_by(self, account: int) -> int:
        """Return how many clubs the account owns."""
        return sum(row.members.get(account) == "owner" for row in self._clubs.values())

    def _check_clubs_of(self, account: int) -> None:
        """Refuse one more club to an account that is a member of as many as it may."""
        if sum(account in row.members for row in self._clubs.values()) >= CLUBS_MAX:
            raise TooManyClubs(f"account {account} is a member of {CLUBS_MAX} clubs")

    def _is_member(self, club: str, account: int) -> bool:
        row = self._clubs.get(club)
        return row is not None and account in row.members

    def _club_of(self, club: str, account: int, at_least: ClubRole = "member") -> MemoryClub:
        row = self._clubs.get(club)
        if row is None or account not in row.members:
            raise UnknownClub(f"there is no club {club} for account {account}")
        if ROLES.index(row.members[account]) < ROLES.index(at_least):
            raise ClubRoleNeeded(f"account {account} is a {row.members[account]} of {club}")
        return row

    def _member_named(self, club: str, name: str) -> int:
        for member in self._clubs[club].members:
            if name_key(self._accounts[member].name) == name_key(name):
                return member
        raise UnknownMember(f"{club} has no member {name}")

    def _going_on_in(self, club: str) -> list[str]:
        """The ids under which tables of a club are open, and sit-and-gos not over."""
        return [
            table for table, row in self._open_hosted().items() if row.club == club and self._goes_on(row)
        ]

    def _check_not_played(self, club: str) -> None:
        if self._going_on_in(club) or self._in_club_sit_and_go(club, None):
            raise ClubInUse(f"a table of {club} is open")

    def _club_sit_and_gos(self, club: str) -> Sequence[ClubSitAndGo]:  # noqa: ARG002 -- a later part knows tournaments
        return ()

    def _in_club_sit_and_go(self, club: str, account: int | None) -> bool:  # noqa: ARG002 -- a later part knows it
        """Whether the account, or any one, is in a sit-and-go of the club that is not over, or waits for a prize."""
        return False

    def _sit_and_go_nets(self, club: str, since_ms: int) -> Counter[int]:  # noqa: ARG002 -- a later part knows it
        """What each account has won in sit-and-gos of the club that ended since then, less its buy-ins."""
        return Counter()

    def _held_in_escrows(self, club: str, sums: Mapping[str, int]) -> int:  # noqa: ARG002 -- a later part knows it
        """What the escrows of sit-and-gos of the club hold."""
        return 0

    def _set_role(self, club: str, account: int, role: ClubRole | None) -> None:
        """Give an account a role, or none, and write a change in the books."""
        members = self._clubs[club].members
        if members.get(account) != role:
            key = club_role_key(club, account, role or "none", len(self._numbers))
            self._write(key, "club_role", ())
        if role is None:
            del members[account]
        else:
            members[account] = role

    def _check_at_no_table(self, club: str, account: int) -> None:
        for table in self._going_on_in(club):
            if (table, account) in self._seat_of or self._hosted[table].host == account:
                raise MemberAtTable(f"account {account} is at a table of {club}")
        if self._in_club_sit_and_go(club, account):
            raise MemberAtTable(f"account {account} is in a sit-and-go of {club}")

    def _end_membership(self, club: str, account: int, by: int) -> None:
        for row in self._open_hosted().values():
            if row.club == club and account in row.guests:
                del row.guests[account]
                row.version += 1
        self._return_club_chips(club, account, by)
        self._set_role(club, account, None)
        self._leaving.discard((club, account))

    def _end_club(self, club: str, by: int | None) -> None:
        """End a club without open tables. Balances go back by the order of an account; None: as if all had left."""
        row = self._clubs[club]
        for member in sorted(row.members):
            self._return_club_chips(club, member, member if by is None else by)
            self._leaving.discard((club, member))
        for member in sorted(row.members):
            self._set_role(club, member, None)
        row.closed_s, row.code, row.until_s = self._now_s(), None, None

    def _return_club_chips(self, club: str, account: int, by: int) -> None:
        rest = self._balances[chips_code(club, account)]
        if rest:
            number = len(self._clubs[club].moves)
            self._book_club_chips(club, f"left-{number}", account, -rest, by)

    def _book_club_chips(self, club: str, key: str, account: int, amount: int, by: int) -> None:
        legs = whole([(club_code(club), -amount), (chips_code(club, account), amount)])
        self._write(club_key(club, key), "club_issue" if amount > 0 else "club_take", legs)
        self._clubs[club].moves[key] = account, amount, by

    def _club_row(self, club: str) -> ClubRow:
        row = self._clubs[club]
        return ClubRow(
            club=club,
            name=row.name,
            code=row.code,
            code_until_ms=None if row.until_s is None else round(row.until_s * 1000),
            issued=Money(-self._balances[club_code(club)]),
            members={
                account: ClubMember(
                    name=self._accounts[account].name,
                    role=role,
                    balance=Money(self._balances[chips_code(club, account)]),
                )
                for account, role in sorted(row.members.items())
            },
            tables=tuple(
                table for table in self._going_on_in(club) if self._hosted[table].tournament is None
            ),
            sit_and_gos=tuple(self._club_sit_and_gos(club)),
        )

    def _club_differences(self, sums: dict[str, int]) -> Iterable[str]:
        for club, row in self._clubs.items():
            own = {chips_code(club, account) for account in row.members}
            tables = {table for table, hosted in self._hosted.items() if hosted.club == club}
            held = self._held_in_escrows(club, sums)
            for code, amount in sums.items():
                if code.startswith(f"chips:{club}:"):
                    held += amount
                    if amount and code not in own:
                        yield f"{code} holds {amount}, and is of no member"
                elif code.startswith("stack:") and code.removeprefix("stack:").rpartition(":")[0] in tables:
                    held += amount
            if held != -sums.get(club_code(club), 0):
                yield f"club {club} owes {-sums.get(club_code(club), 0)}, and its members hold {held}"
        yield from self._purse_differences()

    def _purse_differences(self) -> Iterable[str]:
        """Chips of a stack come from the one balance that pays at its table, and return to it."""
        for key, (kind, legs) in self._transfers.items():
            if kind not in {"buy_in", "top_up", "cash_out"}:
                continue
            allowed = set()
            for code, _ in legs:
                if code.startswith("stack:"):
                    table, _, account = code.removeprefix("stack:").rpartition(":")
                    allowed |= {code, self._purse_code(table, int(account))}
            for code, amount in legs:
                if code not in allowed:
                    yield f"transfer {key} moves {amount} of {code}, which does not pay at its table"

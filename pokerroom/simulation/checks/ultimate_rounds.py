"""Each round of Ultimate ends once, with the money that went in, and with what was acknowledged in it.

Keeps books of its own, by the calls of the ledger: wallets, what lies on each table, and what became of it. Knows the
ledger's interface and the records of rounds, and no code that it judges.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pokerroom.ledger.api import AuditReport
from pokerroom.ledger.rounds import RoundBets, RoundEnd, RoundStake, VoidRound
from pokerroom.simulation.checks.ultimate_results import wrong
from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire


@dataclass(frozen=True, slots=True, kw_only=True)
class DealtRound:
    """A round's cards as they were sealed. `boxes` are (box, account, whether it is played blind)."""

    round_id: str
    common: bool
    """All play one hand."""
    boxes: Sequence[tuple[int, int, bool]]
    holes: Sequence[tuple[str, str]]
    bank: tuple[str, str]
    board: Sequence[str]


@dataclass(slots=True, kw_only=True)
class _Round:
    table: str
    staked: Counter[int] = field(default_factory=Counter)
    tipped: Counter[int] = field(default_factory=Counter)
    keys: set[str] = field(default_factory=set)
    end: RoundEnd | VoidRound | None = None
    record: dict[str, Any] = field(default_factory=dict)


class UltimateRoundChecker:
    """All rounds of a simulation. `total` is all that there is."""

    def __init__(self, blame: Blame, total: int) -> None:
        self._blame = blame
        self._total = total
        self.settled_count = 0
        self.dealt: dict[str, DealtRound] = {}
        """The cards of each round as they were sealed last."""
        self._rounds: dict[str, _Round] = {}
        self._open: dict[str, str] = {}
        self._wallets: defaultdict[int, int] = defaultdict(int)
        self._acknowledged: defaultdict[str, dict[tuple[int, int], tuple[str, wire.Decide]]] = defaultdict(
            dict
        )
        """Round -> by box and question: the account that got `ok`, and its decision."""
        self._told: dict[str, int] = {}
        """Round -> the number of the event that told its end."""

    # --- the ledger -------------------------------------------------------------------------------------------------

    def opened(self, account: int, amount: int) -> None:
        """An account has this in its wallet."""
        self._wallets[account] += amount

    def booked(self, name: str, args: tuple[Any, ...]) -> None:
        """The ledger has done something; what it does again for the same key changes nothing."""
        match name, args:
            case "close_bets", (bets,):
                self._closed(bets)
            case "add_stake", (stake,):
                self._added(stake)
            case "settle_round" | "void_round", (end,):
                self._ended(end)
            case _:
                pass

    def _closed(self, bets: RoundBets) -> None:
        if bets.round_id in self._rounds:
            return
        if bets.round_id not in self.dealt:
            self._wrong(bets.table, bets.round_id, "bets are paid before its cards are in the journal")
        if bets.table in self._open:
            self._wrong(bets.table, bets.round_id, f"it begins while {self._open[bets.table]} is in progress")
        found = self._rounds[bets.round_id] = _Round(table=bets.table)
        self._open[bets.table] = bets.round_id
        for account, amount in bets.stakes:
            found.staked[account] += amount
            self._wallets[account] -= amount

    def _added(self, stake: RoundStake) -> None:
        found = self._rounds[stake.round_id]
        if stake.key in found.keys:
            return
        found.keys.add(stake.key)
        if found.end is not None:
            self._wrong(found.table, stake.round_id, f"a {stake.kind} is paid after its end")
        (found.tipped if stake.kind == "tip" else found.staked)[stake.account] += stake.amount
        self._wallets[stake.account] -= stake.amount

    def _ended(self, end: RoundEnd | VoidRound) -> None:
        found = self._rounds[end.round_id]
        if found.end is not None:
            if type(found.end) is not type(end):
                self._wrong(end.table, end.round_id, "it ends settled and void")
            return
        found.end = end
        found.record = msgspec.json.decode(end.record)
        if self._open.pop(end.table, None) != end.round_id:
            self._wrong(end.table, end.round_id, "it ends, and was not in progress")
        if isinstance(end, VoidRound):
            for account, amount in found.staked.items():
                self._wallets[account] += amount
            return
        self.settled_count += 1
        for account, delta in end.deltas:
            self._wallets[account] += found.staked[account] + found.tipped[account] + delta
        self._judge(end, found)

    def _judge(self, end: RoundEnd, found: _Round) -> None:
        total = sum(delta for _, delta in end.deltas) + end.house + end.meter + end.tronc
        if total:
            self._blame(
                Kind.CHIPS, end.table, end.round_id, f"players, house, meter and tronc come to {total}"
            )
        if end.tronc != found.tipped.total():
            self._blame(Kind.CHIPS, end.table, end.round_id, f"the tronc gets {end.tronc} of the tips")
        record = found.record
        staked: Counter[int] = Counter()
        for box in record["boxes"]:
            staked[box["account"]] += sum(stake for _, stake, _ in box["bets"])
        if staked != found.staked:
            self._blame(Kind.CHIPS, end.table, end.round_id, "its record has other bets than were paid")
        self._check_cards(end, record)
        for line in wrong(record):
            self._blame(Kind.RESULT, end.table, end.round_id, line)
        self._check_acknowledged(end.table, end.round_id)

    def _check_cards(self, end: RoundEnd, record: Mapping[str, Any]) -> None:
        dealt = self.dealt[end.round_id]
        holes = [dealt.holes[0]] * len(dealt.boxes) if dealt.common else dealt.holes
        told = [(box["box"], tuple(box["cards"])) for box in record["boxes"]]
        right = [(box, tuple(cards)) for (box, _, _), cards in zip(dealt.boxes, holes, strict=True)]
        if told != right or record["board"] != list(dealt.board):
            self._blame(Kind.RESULT, end.table, end.round_id, "it ends with other cards than were dealt")
        if tuple(record["bank"]["cards"]) != tuple(dealt.bank):
            self._blame(Kind.RESULT, end.table, end.round_id, "the bank has other cards than were dealt")

    # --- what is told -----------------------------------------------------------------------------------------------

    def acknowledged(self, table: str, name: str, message: wire.Decide) -> None:
        """A decision was answered with `ok`: it is in its round, or the round is void."""
        self._acknowledged[message.round_id][message.box, message.seq] = name, message
        found = self._rounds.get(message.round_id)
        if found is not None and isinstance(found.end, RoundEnd):
            self._check_acknowledged(table, message.round_id)

    def _check_acknowledged(self, table: str, round_id: str) -> None:
        """Each question that was answered is one decision in the record, of that box and kind."""
        recorded = Counter(
            (box, decision, multiple)
            for _, box, decision, multiple, automatic in self._rounds[round_id].record["decisions"]
            if not automatic
        )
        for name, message in self._acknowledged[round_id].values():
            wanted = message.box, message.decision, message.multiple or 0
            recorded[wanted] -= 1
            if recorded[wanted] < 0:
                line = f"{name}'s {message.decision} for box {message.box} was acknowledged"
                self._blame(Kind.ACKNOWLEDGED, table, round_id, line)

    def told_end(self, event: wire.RoundEnded) -> None:
        """All are told of an end: the ledger has it, and it is told once."""
        found, table = self._rounds.get(event.round_id), event.table
        before = self._told.setdefault(event.round_id, event.seq)
        if before != event.seq:
            self._wrong(table, event.round_id, f"its end is told twice, as {before} and {event.seq}")
        if found is None or found.end is None:
            self._wrong(table, event.round_id, "its end is told before the ledger has it")
            return
        if event.void is not isinstance(found.end, VoidRound):
            self._wrong(table, event.round_id, "it is told void and is not, or the other way round")
        if event.void:
            return
        told = [[[bet.bet, bet.staked, bet.paid] for bet in box.bets] for box in event.boxes]
        if told != [box["bets"] for box in found.record["boxes"]]:
            self._blame(Kind.CHIPS, table, event.round_id, "other results are told than are in the ledger")

    # --- the whole --------------------------------------------------------------------------------------------------

    def audited(self, report: AuditReport, wallets: Mapping[int, int]) -> None:
        """The ledger as a whole, and what each account holds."""
        for difference in report.differences:
            self._blame(Kind.CHIPS, "", "", difference)
        if report.total != self._total:
            self._blame(Kind.CHIPS, "", "", f"there are {report.total} units, not {self._total}")
        for account, amount in wallets.items():
            if amount != self._wallets[account]:
                line = f"account {account} has {amount}, its rounds come to {self._wallets[account]}"
                self._blame(Kind.CHIPS, "", "", line)

    def players(self, table: str, boxes: Collection[int]) -> set[int]:
        """The accounts of these boxes in the round in progress at a table."""
        round_id = self._open.get(table)
        dealt = [] if round_id is None else self.dealt[round_id].boxes
        return {account for box, account, _ in dealt if box in boxes}

    def accounts(self) -> list[int]:
        """All that were opened."""
        return list(self._wallets)

    def finished(self, excused: frozenset[str]) -> None:
        """The simulation is over: no round is in progress but at excused tables."""
        for table, round_id in self._open.items():
            if table not in excused:
                self._wrong(table, round_id, "it is still in progress")

    def _wrong(self, table: str, round_id: str, line: str) -> None:
        self._blame(Kind.HAND, table, round_id, line)

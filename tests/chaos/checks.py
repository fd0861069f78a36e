"""The checks over a whole run: what clients were told beside what the ledger holds.

Pure; see `evidence` for what C1 to C8 are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from tests.chaos.evidence import Evidence
from tests.chaos.hand_ids import begun_s
from tests.chaos.hands import Hand
from tests.chaos.lost_hands import check_unsettled, dealt
from tests.chaos.records import Books, SettledHand, Transfer
from tests.chaos.stacks import check_stacks

Blame = Callable[[str, str, str, str], None]

DECISIONS: Final = frozenset({"fold", "check", "call", "bet", "raise", "clock_all_in"})
_STREETS: Final = frozenset({"flop", "turn", "river"})


def check_all(evidence: Evidence, books: Books, *, pids: Mapping[str, Collection[int]], chips: int) -> None:
    """Everything below. `chips` is what must be in the ledger, `pids` the processes behind each writer's name."""
    blame = evidence.blame
    check_transfers(books, chips, blame)
    check_settled(books, blame)
    check_stacks(books, blame)
    check_writers(books, pids, blame)
    settled = {hand.hand_id: hand for hand in books.hands}
    committed_s = {transfer.number: transfer.committed_s for transfer in books.transfers}
    deals_s = dealt(evidence, [(hand.table, begun_s(hand.hand_id)) for hand in books.hands])
    for hand in evidence.hands.values():
        found = settled.get(hand.hand_id)
        if found is None:
            check_unsettled(hand, evidence, deals_s[hand.table], blame)
            check_leaks(hand, blame)
        else:
            check_told(hand, found, blame)
            check_told_after(hand, committed_s.get(found.transfer), blame)


# --- the ledger alone -----------------------------------------------------------------------------------------------


def check_transfers(books: Books, chips: int, blame: Blame) -> None:
    """C1 and C2: sums of zero, balances that follow from the legs, and as many chips as were issued."""
    balances: defaultdict[str, int] = defaultdict(int)
    for transfer in books.transfers:
        if sum(amount for _, amount in transfer.legs) != 0:
            blame("C2", "", "", f"transfer {transfer.key} does not sum to zero")
        for code, amount in transfer.legs:
            balances[code] += amount
    for code, balance in books.balances.items():
        if balances[code] != balance:
            blame("C1", "", "", f"{code} holds {balance}, its legs make {balances[code]}")
        if balance < 0 and code != "issuer":
            blame("C1", "", "", f"{code} holds {balance}")
    total = sum(balance for code, balance in books.balances.items() if code != "issuer")
    if total != chips:
        blame("C1", "", "", f"the ledger holds {total}, issued were {chips}")
    for key, count in Counter(transfer.key for transfer in books.transfers).items():
        if count > 1:
            blame("C4", "", "", f"{count} transfers have the key {key}")


def check_settled(books: Books, blame: Blame) -> None:
    """C1, C3, C4 of each settled hand: one transfer that does what the record says, each pot awarded once."""
    transfers = {transfer.number: transfer for transfer in books.transfers}
    for hand_id, count in Counter(hand.hand_id for hand in books.hands).items():
        if count > 1:
            blame("C3", "", hand_id, f"the hand is settled {count} times")
    for hand in books.hands:
        wrong = _wrong_record(hand, transfers.get(hand.transfer), in_chips=hand.table in books.in_chips)
        for check, line in wrong:
            blame(check, hand.table, hand.hand_id, line)


def _wrong_record(hand: SettledHand, transfer: Transfer | None, *, in_chips: bool) -> list[tuple[str, str]]:
    record, found = hand.record, []
    seats = record["seats"]
    if record["hand_id"] != hand.hand_id or record["table"] != hand.table:
        found.append(("C3", "the record is another hand's"))
    if transfer is None or transfer.key != f"hand:{hand.hand_id}" or transfer.kind != "hand":
        return [*found, ("C4", "there is no transfer of this hand")]
    deltas = {seat["account"]: seat["end"] - seat["stack"] for seat in seats}
    rake = record.get("rake", 0)
    if sum(deltas.values()) != -rake or any(seat["end"] < 0 for seat in seats):
        found.append(("C1", f"the record moves {deltas}"))
    if dict(hand.deltas) != deltas:
        found.append(("C4", f"the record moves {deltas}, the players have {dict(hand.deltas)}"))
    moved = {} if in_chips else deltas
    legs = {f"stack:{hand.table}:{account}": delta for account, delta in moved.items() if delta}
    if rake:
        legs[f"rake:{hand.table}"] = rake
    if dict(transfer.legs) != legs:
        found.append(("C4", f"the record moves {legs}, the transfer {dict(transfer.legs)}"))
    pots = [event[1] for event in record["events"] if event[0] == "award"]
    if len(pots) != len(set(pots)):
        found.append(("C4", "a pot is awarded twice"))
    won = sum(event[2] for event in record["events"] if event[0] == "award")
    taken = sum(sum(event[4:]) for event in record["events"] if event[0] == "award")
    if taken != rake or sum(seat.get("rake", 0) for seat in seats) != rake:
        found.append(("C1", f"the rake is {rake}, {taken} are taken of the pots"))
    put_in = sum(_put_in(event) for event in record["events"])
    if won != put_in:
        found.append(("C1", f"{put_in} were put in, {won} are awarded"))
    return found


def _put_in(event: Sequence[Any]) -> int:
    if event[0] == "post":
        return int(event[3])
    if event[0] in DECISIONS:
        return int(event[2])
    return -int(event[2]) if event[0] == "uncalled" else 0


def check_resting(told: Mapping[tuple[str, str], int | None], books: Books, blame: Blame) -> None:
    """C1: at rest, what each player (table, name) was told to have in front of them is what the ledger has."""
    for (table, name), stack in told.items():
        held = books.balances.get(f"stack:{table}:{books.names.get(name)}", 0)
        if stack is not None and stack != held:
            blame("C1", table, "", f"{name} is told to have {stack}, the ledger has {held}")


def check_writers(books: Books, pids: Mapping[str, Collection[int]], blame: Blame) -> None:
    """C6: a node that wrote a table's hands and seats was its owner at that moment, and epochs only grow."""
    latest: dict[str, int] = {}
    for write in books.writes:
        if not write.owned:
            continue
        where = (write.table, write.hand_id or "")
        writers = pids.get(write.writer, ())
        if write.owner_pid not in writers:
            line = f"{write.what} by {write.writer} {sorted(writers)}; the owner is {write.owner}"
            blame("C6", *where, line)
        if write.epoch is not None and write.epoch < latest.get(write.table, 0):
            blame("C6", *where, f"{write.what} in epoch {write.epoch} after epoch {latest[write.table]}")
        if write.named is not None and write.named != write.epoch:
            blame("C6", *where, f"{write.what} names epoch {write.named} in epoch {write.epoch}")
        latest[write.table] = max(latest.get(write.table, 0), write.epoch or 0)


# --- what clients were told -----------------------------------------------------------------------------------------


def check_told(hand: Hand, settled: SettledHand, blame: Blame) -> None:
    """C1, C3, C4, C5, C7 of a hand that is in the ledger."""
    wrong = list(_wrong_story(hand, settled))
    wrong += list(_missing_actions(hand, settled.record))
    wrong += list(_hidden_cards(hand, settled.record))
    for check, line in wrong:
        blame(check, hand.table, hand.hand_id, line)


def check_told_after(hand: Hand, committed_s: float | None, blame: Blame) -> None:
    """C3: no client heard of its result before it was committed. Both by the wall clock of this machine."""
    if hand.result_s is None or committed_s is None or hand.result_s >= committed_s:
        return
    line = f"its result was told {1000 * (committed_s - hand.result_s):.0f} ms before it was committed"
    blame("C3", hand.table, hand.hand_id, line)


def _wrong_story(hand: Hand, settled: SettledHand) -> list[tuple[str, str]]:
    record, found = settled.record, []
    if hand.table != settled.table:
        found.append(("C6", f"the ledger has it at {settled.table}"))
    if any(hand.ends.values()):
        found.append(("C3", "void is told of a hand that the ledger has"))
    start = {seat["seat"]: (seat["name"], seat["stack"]) for seat in record["seats"]}
    if hand.start is not None and hand.start != start:
        found.append(("C3", f"told to begin with {hand.start}, the record says {start}"))
    ends = {seat["seat"]: seat["end"] for seat in record["seats"]}
    if hand.end_stacks is not None and not any(hand.ends.values()) and hand.end_stacks != ends:
        found.append(("C4", f"told to end with {hand.end_stacks}, the record says {ends}"))
    awards = {
        event[1]: (event[2], tuple((seat, amount) for seat, amount in event[3]))
        for event in record["events"]
        if event[0] == "award"
    }
    for pot, award in hand.awards.items():
        if awards.get(pot) != award:
            found.append(("C4", f"told of pot {pot}: {award}, the record says {awards.get(pot)}"))
    return found


def _missing_actions(hand: Hand, record: dict[str, Any]) -> list[tuple[str, str]]:
    decided = [(e[1], e[0], e[2], e[3]) for e in record["events"] if e[0] in DECISIONS]
    seats = {seat["name"]: seat["seat"] for seat in record["seats"]}
    found = []
    told = [hand.acted[seq] for seq in sorted(hand.acted)]
    missing = _first_missing(told, decided, lambda said, done: said == done)
    if missing is not None:
        found.append(("C5", f"{missing} was told, and the record has it not, or elsewhere"))
    for client in {name for name, *_ in hand.acknowledged}:
        said = [
            (seats.get(client), action, amount)
            for name, _, action, amount in sorted(hand.acknowledged, key=lambda each: each[1])
            if name == client
        ]
        missing = _first_missing(said, decided, _is_done)
        if missing is not None:
            found.append(("C5", f"{missing} of {client} was acknowledged and is not in the record"))
    return found


def _is_done(said: Any, done: Any) -> bool:
    seat, action, amount = said
    same = {"bet", "raise"} if action in {"bet", "raise"} else {action}
    return seat == done[0] and done[1] in same and (amount is None or amount == done[3])


def _first_missing(wanted: Sequence[Any], there: Sequence[Any], same: Callable[[Any, Any], bool]) -> Any:
    """The first of `wanted` that `there` has not behind the ones before it."""
    rest = iter(there)
    for said in wanted:
        if not any(same(said, done) for done in rest):
            return said
    return None


def _hidden_cards(hand: Hand, record: dict[str, Any]) -> list[tuple[str, str]]:
    by_seat = {seat["seat"]: tuple(seat["cards"]) for seat in record["seats"]}
    held = {seat["name"]: tuple(seat["cards"]) for seat in record["seats"]}
    public: set[str] = set()
    for kind, *rest in record["events"]:
        if kind in _STREETS:
            public.update(rest)
        elif kind == "show":
            public.update(by_seat[rest[0]])
    found = [
        ("C7", f"{client} was dealt other cards than the record says")
        for client, cards in hand.own.items()
        if held.get(client) != cards
    ]
    found += [
        ("C3", f"the {street} was told with other cards than the record has")
        for street, cards in hand.streets.items()
        if (street, *cards) not in [tuple(event) for event in record["events"] if event[0] == street]
    ]
    return found + _leaks(hand, held, public)


def _leaks(hand: Hand, held: Mapping[str, tuple[str, ...]], public: set[str]) -> list[tuple[str, str]]:
    return [
        ("C7", f"{client} was told {len(hidden)} hidden cards")
        for client, seen in hand.seen.items()
        if (hidden := seen - public - set(held.get(client, ())))
    ]


def check_leaks(hand: Hand, blame: Blame) -> None:
    """C7 of a hand without a record: the board and the hands that were shown are public."""
    public = hand.public.union(*hand.streets.values(), *hand.shown.values())
    for check, line in _leaks(hand, hand.own, public):
        blame(check, hand.table, hand.hand_id, line)


# --- recovery -------------------------------------------------------------------------------------------------------


def longest_silence(prompts: Sequence[float], since: float, until: float) -> float:
    """The longest time without a prompt between `since` and `until`, in seconds; also one that began before."""
    within = [since, *(at for at in prompts if since < at < until), until]
    return max(b - a for a, b in pairwise(within))

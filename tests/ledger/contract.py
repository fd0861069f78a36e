"""What every adapter of the ledger must do: `Contract` is run by `test_memory` and `test_postgres` alike.

A subclass provides the fixture `ledger`. Each test leaves a ledger that adds up, and asks it. What a table's life asks
beyond that is in `contract_of_table_life`.
"""

import hashlib
import json

import pytest

from pokerroom.chips import Money, split
from pokerroom.ledger.api import (
    AccountRow,
    AlreadySeated,
    HandSettlement,
    InsufficientBalance,
    LedgerConflict,
    NameTaken,
    NotSeated,
    SeatOccupied,
    SeatRow,
)
from pokerroom.ledger.tournaments import owned_as
from pokerroom.ledger.transfers import GENESIS

ENDED_MS = 1_700_000_030_456
MIDNIGHT_MS = 1_700_006_400_000
"""2023-11-15, 00:00 UTC."""

TABLES = ("T0", "T1", "T2", "T3", "T9", "T10", "X0", "X1", "X2")


def hand(hand_id, deltas, *, table="T1", epoch=1, record=None, by_clock=(), ended_ms=ENDED_MS, rake=0):
    """A settlement; `deltas` maps accounts to changes, `by_clock` are those that were all-in by the clock."""
    if record is None:
        seats = [{"account": each, "stack": 1_000, "end": 1_000 + won} for each, won in deltas.items()]
        for seat, part in zip(seats, split(rake, len(seats)) if rake > 0 else (), strict=False):
            seat["rake"] = part
        record = json.dumps({"pot": 300, "seats": seats} | ({"rake": rake} if rake else {})).encode()
    return HandSettlement(
        hand_id=hand_id,
        table=table,
        epoch=epoch,
        started_ms=1_700_000_000_123,
        ended_ms=ended_ms,
        deltas=tuple(deltas.items()),
        record=record,
        timeout_all_ins=tuple(by_clock),
        rake=rake,
    )


def key_of(kind, name):
    """The key of a transfer as the room writes it (`ledger.grammar`), another one for each name."""
    if name.startswith(("buyin:", "topup:", "cashout:", "place:")):  # of another kind
        kind, _, name = name.partition(":")
    return f"{kind}:{hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()}"


def buy_in(ledger, key, table, seat, account, amount, *, epoch=1, tables_max=9):  # noqa: PLR0917 -- as in the ledger
    """A buy-in by the first owner of the table."""
    return ledger.buy_in(key_of("buyin", key), table, epoch, seat, account, amount, tables_max)


def top_up(ledger, key, table, account, amount, *, epoch=1):
    """A top-up by the first owner of the table."""
    return ledger.top_up(key_of("topup", key), table, epoch, account, amount)


def cash_out(ledger, key, table, account, *, epoch=1):
    """A cash-out by the first owner of the table."""
    return ledger.cash_out(key_of("cashout", key), table, epoch, account)


def opened(run, ledger, *names, opening=10_000):
    """Accounts of these names, in a room whose tables have their first owner; their ids."""
    for table in TABLES:
        run(ledger.take_table(table, "n1", 0))
    return [run(ledger.create_account(name, f"hash of {name}", Money(opening))).account for name in names]


def take_tournament(run, ledger, tournament, node="n1", last_epoch=0):
    """A node takes a tournament and its table; their epoch."""
    run(ledger.take_table(tournament, node, last_epoch))
    return run(ledger.take_table(owned_as(tournament), node, last_epoch))


def seated(run, ledger, *names, table="T1", stack=1_000, opening=10_000):
    """Accounts of these names, each with a stack at `table`; their ids."""
    accounts = opened(run, ledger, *names, opening=opening)
    for seat, account in enumerate(accounts, 1):
        run(buy_in(ledger, f"buyin:{table}:{account}", table, seat, account, Money(stack)))
    return accounts


def stacks(run, ledger, table="T1"):
    """The stacks at a table by account."""
    return {row.account: row.stack for row in run(ledger.seats()) if row.table == table}


class AddsUp:
    """Each test leaves a ledger without differences."""

    @pytest.fixture(autouse=True)
    def _adds_up(self, run, ledger):
        yield
        report = run(ledger.audit())
        assert report.differences == ()
        assert report.total == GENESIS


class Contract(AddsUp):
    """The contract of `pokerroom.ledger.api.Ledger`."""

    # --- accounts and sessions

    def test_an_account_opens_with_its_wallet_filled_from_the_bank(self, run, ledger):
        """The new account is found by its name and holds the opening amount."""
        row = run(ledger.create_account("Alice", "argon2", Money(5_000)))
        assert row == AccountRow(account=row.account, name="Alice", password_hash="argon2")
        assert run(ledger.find_account("Alice")) == row
        assert run(ledger.wallet(row.account)) == 5_000

    def test_an_account_may_open_with_nothing(self, run, ledger):
        """An opening of zero makes an empty wallet and no transfer."""
        before = run(ledger.audit()).transfers
        (alice,) = opened(run, ledger, "alice", opening=0)
        assert run(ledger.wallet(alice)) == 0
        assert run(ledger.audit()).transfers == before

    def test_names_are_found_and_taken_whatever_their_case(self, run, ledger):
        """`ALICE` finds `Alice`, and no other account may have that name."""
        (alice,) = opened(run, ledger, "Alice")
        assert run(ledger.find_account("ALICE")).account == alice
        with pytest.raises(NameTaken):
            run(ledger.create_account("aLICE", "other", Money(1)))
        assert run(ledger.audit()).accounts == 1
        assert run(ledger.find_account("bob")) is None

    def test_a_name_that_looks_like_another_is_taken(self, run, ledger):
        """`I`, `l` and `1`, `O` and `0`, `m` and `rn` look alike; an account from before keeps its name."""
        (alice,) = opened(run, ledger, "Tom.Lo1n")
        for name in ("Torn.Lo1n", "t0m.l0in", "TOM.IOLN"):
            with pytest.raises(NameTaken):
                run(ledger.create_account(name, "other", Money(1)))
            assert run(ledger.find_account(name)) is None
        opened(run, ledger, "Tom_Lo1n", "Tom.Lo2n", "Ton.Lo1n")
        assert run(ledger.find_account("tom.lo1n")).account == alice

    def test_a_bank_that_is_empty_opens_no_account(self, run, ledger):
        """More than the bank holds is refused, and the name stays free."""
        opened(run, ledger, "alice", opening=GENESIS - 10)
        with pytest.raises(InsufficientBalance):
            run(ledger.create_account("bob", "hash", Money(11)))
        assert run(ledger.find_account("bob")) is None
        opened(run, ledger, "bob", opening=10)

    def test_accounts_have_names(self, run, ledger):
        """Names are those given at the opening; an account that does not exist has none."""
        alice, bob, _ = opened(run, ledger, "Alice", "bob", "carol")
        assert run(ledger.account_names([bob, 99, alice])) == {alice: "Alice", bob: "bob"}
        assert run(ledger.account_names([])) == {}

    def test_an_unknown_account_is_a_bug_of_the_caller(self, run, ledger):
        """Nothing can be asked of, or done for, an account that was never opened."""
        for ask in (
            lambda: ledger.wallet(99),
            lambda: ledger.open_session(99, b"x" * 32),
            lambda: buy_in(ledger, "k", "T1", 1, 99, Money(100)),
        ):
            with pytest.raises(LookupError):
                run(ask())

    # --- money and seats

    def test_a_buy_in_moves_chips_and_holds_the_seat(self, run, ledger):
        """The wallet pays the stack; the seat is listed with the account's name."""
        (alice,) = opened(run, ledger, "Alice")
        run(buy_in(ledger, "k1", "T1", 3, alice, Money(4_000)))
        assert run(ledger.wallet(alice)) == 6_000
        assert run(ledger.seats()) == [
            SeatRow(table="T1", seat=3, account=alice, name="Alice", stack=Money(4_000))
        ]

    def test_seats_are_listed_by_table_and_seat(self, run, ledger):
        """The order is that of table and seat, not of arrival."""
        alice, bob = opened(run, ledger, "alice", "bob")
        for n, (table, seat, account) in enumerate(
            [("T2", 1, alice), ("T1", 9, alice), ("T1", 2, bob), ("T10", 1, bob)]
        ):
            run(buy_in(ledger, f"k{n}", table, seat, account, Money(100)))
        assert [(row.table, row.seat) for row in run(ledger.seats())] == [
            ("T1", 2), ("T1", 9), ("T10", 1), ("T2", 1)
        ]  # fmt: skip

    def test_seats_of_some_tables_are_listed_alone(self, run, ledger):
        """A node that takes a table needs no others, and a large room has many."""
        alice, bob = opened(run, ledger, "alice", "bob")
        for n, (table, seat, account) in enumerate([("T2", 1, alice), ("T1", 9, alice), ("T3", 2, bob)]):
            run(buy_in(ledger, f"k{n}", table, seat, account, Money(100)))
        everywhere = run(ledger.seats())
        assert run(ledger.seats(["T3", "T1", "T4"])) == [row for row in everywhere if row.table != "T2"]
        assert run(ledger.seats([])) == []

    def test_a_buy_in_beyond_the_wallet_changes_nothing(self, run, ledger):
        """The refusal leaves wallet and seat as they were, and its key unused."""
        (alice,) = opened(run, ledger, "alice")
        with pytest.raises(InsufficientBalance):
            run(buy_in(ledger, "k1", "T1", 1, alice, Money(10_001)))
        assert run(ledger.wallet(alice)) == 10_000
        assert run(ledger.seats()) == []
        run(buy_in(ledger, "k1", "T1", 1, alice, Money(10_000)))
        assert run(ledger.wallet(alice)) == 0

    def test_a_held_seat_is_refused_to_others(self, run, ledger):
        """Another account cannot buy in to a held seat; its wallet is untouched."""
        _, bob = seated(run, ledger, "alice", "bob")
        run(cash_out(ledger, "out", "T1", bob))
        with pytest.raises(SeatOccupied):
            run(buy_in(ledger, "k2", "T1", 1, bob, Money(100)))
        assert run(ledger.wallet(bob)) == 10_000

    def test_an_account_has_one_seat_at_a_table(self, run, ledger):
        """A second buy-in at the table is refused, at a free seat and at its own; another table is fine."""
        (alice,) = seated(run, ledger, "alice")
        for seat in (1, 2):
            with pytest.raises(AlreadySeated):
                run(buy_in(ledger, f"again{seat}", "T1", seat, alice, Money(100)))
        run(buy_in(ledger, "elsewhere", "T2", 1, alice, Money(100)))
        assert run(ledger.wallet(alice)) == 8_900

    def test_a_repeated_buy_in_moves_nothing(self, run, ledger):
        """The same key again is the same buy-in, even when the seat has been left since."""
        (alice,) = opened(run, ledger, "alice")
        for _ in range(2):
            run(buy_in(ledger, "k1", "T1", 1, alice, Money(100)))
        assert run(ledger.wallet(alice)) == 9_900
        run(cash_out(ledger, "out", "T1", alice))
        run(buy_in(ledger, "k1", "T1", 1, alice, Money(100)))
        assert run(ledger.wallet(alice)) == 10_000
        assert run(ledger.seats()) == []

    def test_a_key_with_other_legs_is_a_conflict(self, run, ledger):
        """A key stands for one transfer for ever: another amount, account or kind is a bug."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(top_up(ledger, "k1", "T1", alice, Money(100)))
        for again in (
            lambda: top_up(ledger, "k1", "T1", alice, Money(101)),
            lambda: top_up(ledger, "k1", "T1", bob, Money(100)),
            lambda: buy_in(ledger, "topup:k1", "T2", 1, alice, Money(100)),
            lambda: cash_out(ledger, "topup:k1", "T1", bob),
            lambda: ledger.cash_out("genesis", "T1", 1, bob),
        ):
            with pytest.raises(LedgerConflict):
                run(again())
        assert run(ledger.wallet(alice)) == 8_900
        assert run(ledger.wallet(bob)) == 9_000

    def test_a_top_up_adds_to_the_stack_once(self, run, ledger):
        """A seated account moves more chips from its wallet; the same key again moves nothing."""
        (alice,) = seated(run, ledger, "alice")
        for _ in range(2):
            run(top_up(ledger, "k1", "T1", alice, Money(500)))
        assert stacks(run, ledger) == {alice: 1_500}
        assert run(ledger.wallet(alice)) == 8_500

    def test_a_key_of_another_kind_is_a_conflict(self, run, ledger):
        """The grammar of transfers says which keys a kind has: any other is a bug, and moves nothing."""
        (alice,) = seated(run, ledger, "alice")
        for key in ("k1", key_of("buyin", "k1"), f"topup:T1:{alice + 1}:k1"):
            with pytest.raises(LedgerConflict):
                run(ledger.top_up(key, "T1", 1, alice, Money(100)))
        assert stacks(run, ledger) == {alice: 1_000}

    def test_a_key_is_known_once_its_transfer_is_booked(self, run, ledger):
        """Not before, and not when the transfer was refused."""
        (alice,) = seated(run, ledger, "alice")
        with pytest.raises(InsufficientBalance):
            run(top_up(ledger, "k1", "T1", alice, Money(9_001)))
        assert not run(ledger.is_booked(key_of("topup", "k1")))
        run(top_up(ledger, "k1", "T1", alice, Money(500)))
        assert run(ledger.is_booked(key_of("topup", "k1")))

    def test_a_top_up_needs_a_seat_and_the_chips(self, run, ledger):
        """Without a seat, never held or left, and beyond the wallet, it is refused."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(cash_out(ledger, "out", "T1", bob))
        with pytest.raises(NotSeated):
            run(top_up(ledger, "k1", "T1", bob, Money(1)))
        with pytest.raises(NotSeated):
            run(top_up(ledger, "k2", "T2", alice, Money(1)))
        with pytest.raises(InsufficientBalance):
            run(top_up(ledger, "k3", "T1", alice, Money(9_001)))
        assert stacks(run, ledger) == {alice: 1_000}

    def test_a_cash_out_moves_the_whole_stack_and_frees_the_seat(self, run, ledger):
        """The wallet holds everything again, and another account may take the seat."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(ledger.settle([hand("h1", {alice: 250, bob: -250})]))
        assert run(cash_out(ledger, "out", "T1", alice)) == 1_250
        assert run(ledger.wallet(alice)) == 10_250
        (carol,) = opened(run, ledger, "carol")
        run(buy_in(ledger, "k1", "T1", 1, carol, Money(100)))
        assert stacks(run, ledger) == {bob: 750, carol: 100}

    def test_a_repeated_cash_out_returns_the_first_amount(self, run, ledger):
        """The same key again returns what it moved then, also if the account has bought in again."""
        (alice,) = seated(run, ledger, "alice")
        assert run(cash_out(ledger, "out", "T1", alice)) == 1_000
        assert run(cash_out(ledger, "out", "T1", alice)) == 1_000
        run(buy_in(ledger, "again", "T1", 1, alice, Money(300)))
        assert run(cash_out(ledger, "out", "T1", alice)) == 1_000
        assert stacks(run, ledger) == {alice: 300}
        with pytest.raises(LedgerConflict):
            run(cash_out(ledger, "out", "T2", alice))

    def test_an_empty_stack_is_cashed_out_too(self, run, ledger):
        """A player without chips leaves with zero, and the seat is free."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(ledger.settle([hand("h1", {alice: 1_000, bob: -1_000})]))
        assert run(cash_out(ledger, "out", "T1", bob)) == 0
        assert run(cash_out(ledger, "out", "T1", bob)) == 0
        assert stacks(run, ledger) == {alice: 2_000}

    def test_a_cash_out_needs_a_seat(self, run, ledger):
        """Without a seat there is nothing to move, whatever the table."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(cash_out(ledger, "out", "T1", bob))
        with pytest.raises(NotSeated):
            run(cash_out(ledger, "out2", "T1", bob))
        with pytest.raises(NotSeated):
            run(cash_out(ledger, "out3", "T2", alice))

    def test_an_amount_that_is_not_positive_is_a_bug_of_the_caller(self, run, ledger):
        """Nothing, less than nothing, or more than there is cannot be bought in or topped up."""
        (alice,) = seated(run, ledger, "alice")
        for amount in (0, -5, GENESIS + 1):
            with pytest.raises(ValueError, match="amount"):
                run(buy_in(ledger, "k", "T2", 1, alice, Money(amount)))
            with pytest.raises(ValueError, match="amount"):
                run(top_up(ledger, "k", "T1", alice, Money(amount)))
        assert stacks(run, ledger) == {alice: 1_000}

    # --- settled hands

    def test_a_batch_settles_hands_of_several_tables(self, run, ledger):
        """Each hand moves chips between the stacks of its own table."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(buy_in(ledger, "k1", "T2", 1, alice, Money(500)))
        run(buy_in(ledger, "k2", "T2", 2, bob, Money(500)))
        run(ledger.settle([hand("h1", {alice: 10, bob: -10}), hand("h2", {alice: -30, bob: 30}, table="T2")]))
        assert stacks(run, ledger, "T1") == {alice: 1_010, bob: 990}
        assert stacks(run, ledger, "T2") == {alice: 470, bob: 530}
        assert run(ledger.audit()).hands == 2

    def test_an_empty_batch_is_nothing(self, run, ledger):
        """Settling no hands succeeds."""
        run(ledger.settle([]))
        assert run(ledger.audit()).hands == 0

    def test_a_hand_is_settled_once(self, run, ledger):
        """The same settlement again, alone, among new ones, or twice in one batch, moves nothing."""
        alice, bob = seated(run, ledger, "alice", "bob")
        first, second = hand("h1", {alice: 10, bob: -10}), hand("h2", {alice: 5, bob: -5})
        run(ledger.settle([first, first]))
        run(ledger.settle([first]))
        run(ledger.settle([second, first]))
        assert stacks(run, ledger) == {alice: 1_015, bob: 985}
        assert run(ledger.audit()).hands == 2

    @pytest.mark.parametrize("change", [{"amount": 11}, {"table": "T2"}, {"swap": True}])
    def test_a_hand_with_other_legs_is_a_conflict_and_nothing_of_its_batch_is_written(
        self, run, ledger, change
    ):
        """A used hand id with another amount, table or winner refuses the whole batch."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(buy_in(ledger, "k1", "T2", 1, alice, Money(500)))
        run(buy_in(ledger, "k2", "T2", 2, bob, Money(500)))
        run(ledger.settle([hand("h1", {alice: 10, bob: -10})]))
        winner, loser = (bob, alice) if change.get("swap") else (alice, bob)
        amount = change.get("amount", 10)
        other = hand("h1", {winner: amount, loser: -amount}, table=change.get("table", "T1"))
        with pytest.raises(LedgerConflict):
            run(ledger.settle([hand("h2", {alice: 1, bob: -1}), other]))
        assert stacks(run, ledger) == {alice: 1_010, bob: 990}
        assert run(ledger.audit()).hands == 1

    def test_one_hand_twice_in_a_batch_with_different_legs_is_a_conflict(self, run, ledger):
        """Neither of the two is written."""
        alice, bob = seated(run, ledger, "alice", "bob")
        with pytest.raises(LedgerConflict):
            run(ledger.settle([hand("h1", {alice: 1, bob: -1}), hand("h1", {alice: 2, bob: -2})]))
        assert run(ledger.audit()).hands == 0

    @pytest.mark.parametrize(
        "wrong",
        [
            lambda a, b: hand("h2", {a: -1_002, b: 1_002}),
            lambda a, b: hand("h2", {a: 5, b: -4}),
            lambda a, b: hand("h2", {a: 5, 99: -5}),
            lambda a, b: hand("h2", {a: 5, b: -5, 99: 0}),
            lambda a, b: hand("h2", {a: 5, b: -5}, table="T9"),
            lambda a, b: hand("h2", {a: 5, b: -5}, record=b'{"pot":'),
            lambda a, b: hand("h2", {a: 5, b: -5}, rake=1),
            lambda a, b: hand("h2", {a: 5, b: -7}, rake=1),
            lambda a, b: hand("h2", {a: 5, b: -4}, rake=-1),
        ],
        ids=[
            *("negative stack", "not zero", "no account", "no account, no change", "no table", "no JSON"),
            *("rake too much", "rake too little", "negative rake"),
        ],
    )
    def test_a_settlement_that_cannot_be_is_a_conflict_and_nothing_of_its_batch_is_written(
        self, run, ledger, wrong
    ):
        """A stack below zero, a sum that is not zero, a stranger, a record that is no JSON: all are bugs."""
        alice, bob = seated(run, ledger, "alice", "bob")
        with pytest.raises(LedgerConflict):
            run(ledger.settle([hand("h1", {alice: 1, bob: -1}), wrong(alice, bob)]))
        assert stacks(run, ledger) == {alice: 1_000, bob: 1_000}
        assert run(ledger.audit()).hands == 0

    def test_a_hand_of_an_account_that_left_is_a_conflict(self, run, ledger):
        """Chips cannot go to a stack without a seat."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(cash_out(ledger, "out", "T1", bob))
        with pytest.raises(LedgerConflict):
            run(ledger.settle([hand("h1", {alice: -5, bob: 5})]))
        assert stacks(run, ledger) == {alice: 1_000}

    def test_a_hand_that_moved_nothing_is_kept_once(self, run, ledger):
        """A split of what each put in has a record and no legs; again it is the same hand."""
        alice, bob = seated(run, ledger, "alice", "bob")
        for _ in range(2):
            run(ledger.settle([hand("h1", {alice: 0, bob: 0})]))
        assert run(ledger.audit()).hands == 1
        with pytest.raises(LedgerConflict):
            run(ledger.settle([hand("h1", {alice: 1, bob: -1})]))

    def test_an_audit_counts_what_there_is(self, run, ledger):
        """Accounts, transfers (the genesis among them), hands, and the total in circulation."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(ledger.settle([hand("h1", {alice: 1, bob: -1})]))
        report = run(ledger.audit())
        assert (report.accounts, report.transfers, report.hands, report.total) == (2, 6, 1, GENESIS)

"""The operator's wallet under any order of buy-ins, cash-outs, faults, restarts and passes of the queue."""

import time

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from pokerroom.ledger.operator_wallet import (
    REFUSALS_MAX,
    REFUSED_S,
    WalletBusy,
    WalletRefused,
)
from tests.effort import times
from tests.operator_wallet.conftest import HAS
from tests.operator_wallet.server import FAULTS

pytestmark = [pytest.mark.services, pytest.mark.slow]

TABLES = ("T1", "T2")


class WalletMachine(RuleBasedStateMachine):
    """One player at two tables. An example begins where the last one has put everything back."""

    room = None

    def __init__(self):
        super().__init__()
        self.stacks = {}
        self.refused = []
        """When a debit was refused, by the clock of the test, and its amount."""
        self.room.server.faults.clear()

    @rule(fault=st.sampled_from(FAULTS), count=st.integers(1, 4))
    def server_fails(self, fault, count):
        self.room.server.faults.extend([fault] * count)

    @rule(table=st.sampled_from(TABLES), amount=st.integers(1, 2 * HAS))
    def buys_in(self, table, amount):
        self.asks(table, amount)

    @precondition(lambda self: self.refused)
    @rule(table=st.sampled_from(TABLES), more=st.integers(0, 9))
    def asks_once_more(self, table, more):
        self.asks(table, self.held() + self.refused[-1][1] + more)

    def held(self):
        """What the account has in the room."""
        return self.room.run(self.room.ledger.wallet(self.room.account))

    def asks(self, table, amount):
        """Buy in, whatever comes of it."""
        if table in self.stacks:
            return
        began, calls = time.monotonic(), len(self.room.server.calls)
        lacking = amount - self.held()
        try:
            self.room.buy_in(amount, table=table)
        except WalletBusy:
            self.check_brake(lacking, calls)
            return
        except WalletRefused:
            self.check_brake(lacking, calls)
            if len(self.room.server.calls) > calls:
                self.refused.append((began, lacking))
            return
        if lacking > 0:
            self.check_brake(lacking, calls)
        self.stacks[table] = amount

    def check_brake(self, lacking, calls):
        """After a refusal the server was not asked for as much."""
        now = time.monotonic()
        if any(now - since < REFUSED_S and amount <= lacking for since, amount in self.refused):
            assert len(self.room.server.calls) == calls

    @precondition(lambda self: self.stacks)
    @rule()
    def leaves(self):
        table, stack = self.stacks.popitem()
        assert self.room.cash_out(table=table) == stack

    @rule(later=st.booleans())
    def queue_works(self, later):
        if later:
            self.room.time_passes()
            self.refused.clear()
        self.room.run(self.room.queue.run())

    @rule()
    def another_node_begins(self):
        self.room.begin()

    @rule()
    def node_dies_in_a_debit(self):
        table = next((one for one in TABLES if one not in self.stacks), None)
        if table is None or self.room.waits():
            return
        try:
            debit = self.room.run(self.room.ledger.ask_wallet_debit(self.room.account, table, HAS, 90))
        except WalletRefused:
            assert self.refused
            return
        if debit.number is not None:
            self.room.server.carried_out(
                {
                    "id": debit.id,
                    "type": "wallet.debit",
                    "data": {"player": "p-1", "currency": "EUR", "amount": debit.amount},
                }
            )
        self.room.begin()

    @invariant()
    def stacks_are_those_of_the_room(self):
        found = {seat.table: seat.stack for seat in self.room.run(self.room.ledger.seats())}
        assert found == self.stacks

    @invariant()
    def nothing_is_made(self):
        assert self.room.server.total <= HAS

    @invariant()
    def refusals_are_few(self):
        assert len(self.refused) <= REFUSALS_MAX

    def teardown(self):
        self.room.server.faults.clear()
        while self.stacks:
            self.leaves()
        self.room.all_sent()
        assert self.room.server.total == HAS
        self.room.check()


def test_the_books_of_both_sides_are_constant(used_room):
    """When all is sent, the player has what they had, and the audit finds nothing."""
    machine = type("WalletMachineOfTest", (WalletMachine,), {"room": used_room})
    run_state_machine_as_test(
        machine, settings=settings(max_examples=times(15), stateful_step_count=15, deadline=None)
    )

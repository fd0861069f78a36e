"""The part of every ledger's contract for what a host may do about guests. `HostPowers` is mixed into `Contract`."""

from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.account_standing import AccountLocked
from pokerroom.ledger.api import InsufficientBalance
from pokerroom.ledger.hosted_tables import (
    Gift,
    GiftKeyUsed,
    HostedTableClosing,
    NotHost,
    SeatNotAccepted,
    TooManyHostedTables,
    UnknownGuest,
    UnknownHostedTable,
    UnknownLink,
)
from pokerroom.ledger.operator_log import THE_ROOM
from tests.ledger.contract import buy_in, cash_out, opened
from tests.ledger.contract_of_hosted_tables import FEW, all_of, hosted

GIFT = Gift(table="host:1", giver=1, name="Bob", key="k1", amount=Money(700))


class HostPowers:
    """Alice is the host of table 1, Bob is her guest, Carol has nothing to do with it."""

    @pytest.fixture
    def friends(self, run, ledger):
        alice, bob, carol = opened(run, ledger, "alice", "bob", "carol")
        hosted(run, ledger, alice)
        run(ledger.take_table("host:1", "n1", 0))
        run(ledger.join_hosted_table("code-1", bob, "192.0.2.7"))
        return alice, bob, carol

    def wallets(self, run, ledger, accounts):
        return [run(ledger.wallet(account)) for account in accounts]

    def test_a_guest_needs_the_hosts_word_for_a_seat(self, run, ledger, friends):
        """The guest asks, waits and is accepted. Before that the ledger refuses the buy-in."""
        alice, bob, _ = friends
        assert run(ledger.hosted_table("host:1")).seat_of(bob) == "open"
        approving = run(ledger.change_hosted_table("host:1", alice, "approve_seats", ""))
        assert (approving.seat_of(bob), approving.seat_of(alice)) == ("ask", "open")
        assert run(ledger.change_hosted_table("host:1", alice, "approve_seats", "")) == approving
        asked = run(ledger.ask_seat("host:1", bob))
        assert (asked.seat_of(bob), asked.version > approving.version) == ("asked", True)
        assert run(ledger.ask_seat("host:1", bob)) == run(ledger.ask_seat("host:1", alice)) == asked
        with pytest.raises(SeatNotAccepted):
            run(buy_in(ledger, "b1", "host:1", 1, bob, Money(100)))
        assert run(ledger.seats()) == []
        accepted = run(ledger.answer_seat("host:1", alice, "BOB", accepts=True))
        assert accepted.seat_of(bob) == "open"
        assert run(ledger.answer_seat("host:1", alice, "bob", accepts=True)) == accepted
        assert run(ledger.ask_seat("host:1", bob)) == accepted
        run(buy_in(ledger, "b2", "host:1", 1, bob, Money(100)))
        run(buy_in(ledger, "b3", "host:1", 2, alice, Money(100)))

    def test_a_removed_guest_with_a_seat_is_known_as_leaving(self, run, ledger, friends):
        """Until the seat is given up: the table lets the player end the hand. No link and no list has the table."""
        alice, bob, carol = friends
        run(ledger.join_hosted_table("code-1", carol))
        run(buy_in(ledger, "b1", "host:1", 1, bob, Money(100)))
        run(ledger.remove_guest("host:1", alice, "carol"))
        row = run(ledger.remove_guest("host:1", alice, "bob"))
        assert row.leaving == {bob}
        assert [(row.shows(account), row.admits(account)) for account in (alice, bob, carol)] == [
            (True, True),
            (True, False),
            (False, False),
        ]
        assert run(ledger.hosted_tables_of(bob)) == []
        run(cash_out(ledger, "c1", "host:1", bob))
        assert run(ledger.hosted_table("host:1")) == replace(row, leaving=frozenset())

    def test_a_refused_guest_watches_until_the_host_accepts(self, run, ledger, friends):
        """To ask again changes nothing. When seats are open, every guest may sit down."""
        alice, bob, _ = friends
        run(ledger.change_hosted_table("host:1", alice, "approve_seats", ""))
        refused = run(ledger.answer_seat("host:1", alice, "bob", accepts=False))
        assert refused.seat_of(bob) == "refused"
        assert run(ledger.ask_seat("host:1", bob)) == refused
        with pytest.raises(SeatNotAccepted):
            run(buy_in(ledger, "b1", "host:1", 1, bob, Money(100)))
        opened_again = run(ledger.change_hosted_table("host:1", alice, "open_seats", ""))
        assert opened_again.seat_of(bob) == "open"
        run(buy_in(ledger, "b2", "host:1", 1, bob, Money(100)))

    def test_guests_who_sit_are_accepted(self, run, ledger, friends):
        """The host begins to approve seats in the middle of the evening."""
        alice, bob, carol = friends
        run(ledger.join_hosted_table("code-1", carol))
        run(buy_in(ledger, "b1", "host:1", 1, bob, Money(100)))
        row = run(ledger.change_hosted_table("host:1", alice, "approve_seats", ""))
        assert (row.seat_of(bob), row.seat_of(carol)) == ("open", "ask")

    def test_another_guest_becomes_the_host(self, run, ledger, friends):
        """The host before is an accepted guest, and gives no more orders. The link stays."""
        alice, bob, carol = friends
        run(ledger.change_hosted_table("host:1", alice, "approve_seats", ""))
        transfers = run(ledger.audit()).transfers
        given = run(ledger.give_host("host:1", alice, "Bob", FEW))
        assert run(ledger.audit()).transfers == transfers + 1, "the books have the new host"
        assert (given.host, given.host_name, given.code) == (bob, "bob", "code-1")
        assert (given.admits(alice), given.seat_of(alice)) == (True, "open")
        with pytest.raises(NotHost):
            run(ledger.change_hosted_table("host:1", alice, "pause", ""))
        for name in ("bob", "carol"):
            with pytest.raises(UnknownGuest):
                run(ledger.remove_guest("host:1", bob, name))
        assert run(ledger.give_host("host:1", bob, "alice", FEW)).host == alice
        for number in (2, 3):
            hosted(run, ledger, bob, number)
        before = all_of(run, ledger)
        with pytest.raises(TooManyHostedTables):
            run(ledger.give_host("host:1", alice, "bob", FEW))
        for account, refusal in ((bob, NotHost), (carol, UnknownHostedTable)):
            with pytest.raises(refusal):
                run(ledger.give_host("host:1", account, "bob", FEW))
        assert all_of(run, ledger) == before

    def test_the_host_gives_chips_once_for_each_key(self, run, ledger, friends):
        """From the host's wallet to the guest's. Another gift under the key is refused."""
        alice, bob, _ = friends
        gift = replace(GIFT, giver=alice)
        for _ in range(2):
            row = run(ledger.give_chips(gift))
            assert row.guests[bob].given == 700
        assert self.wallets(run, ledger, friends) == [9_300, 10_700, 10_000]
        for other in (replace(gift, amount=Money(701)), replace(gift, name="carol")):
            with pytest.raises(GiftKeyUsed):
                run(ledger.give_chips(other))
        assert run(ledger.give_chips(replace(gift, key="k2", name="bob"))).guests[bob].given == 1_400
        assert self.wallets(run, ledger, friends) == [8_600, 11_400, 10_000]
        assert not run(ledger.audit()).differences

    def test_a_gift_that_is_refused_moves_nothing(self, run, ledger, friends):
        """A guest, a host without enough chips, and a host that names no guest give nothing."""
        alice, bob, carol = friends
        before = all_of(run, ledger), self.wallets(run, ledger, friends)
        gift = replace(GIFT, giver=alice)
        for wrong, refusal in (
            (replace(gift, amount=Money(10_001)), InsufficientBalance),
            (replace(gift, name="carol"), UnknownGuest),
            (replace(gift, name="alice"), UnknownGuest),
            (replace(gift, giver=bob, name="alice"), NotHost),
            (replace(gift, giver=carol), UnknownHostedTable),
            (replace(gift, amount=Money(0)), ValueError),
        ):
            with pytest.raises(refusal):
                run(ledger.give_chips(wrong))
        assert (all_of(run, ledger), self.wallets(run, ledger, friends)) == before
        run(ledger.lock_out(alice, by=THE_ROOM))
        with pytest.raises(AccountLocked):
            run(ledger.give_chips(gift))
        assert self.wallets(run, ledger, friends) == before[1]

    def test_a_removed_guest_does_not_come_back_as_a_new_account(self, run, ledger, friends, later):
        """From the same address, by any link. Accounts from before, and from elsewhere, may join."""
        alice, _, carol = friends
        later(1)
        run(ledger.remove_guest("host:1", alice, "bob", "192.0.2.1"))
        run(ledger.change_hosted_table("host:1", alice, "new_link", "code-2"))
        later(1)
        dora, emil, fred = opened(run, ledger, "dora", "emil", "fred")
        with pytest.raises(UnknownLink):
            run(ledger.join_hosted_table("code-2", dora, "192.0.2.7"))
        for account, address in ((carol, "192.0.2.7"), (emil, "192.0.2.8"), (fred, "")):
            assert account in run(ledger.join_hosted_table("code-2", account, address)).guests
        assert run(ledger.join_hosted_table("code-2", emil, "192.0.2.7")).admits(emil)

    def test_an_address_that_the_host_shares_is_kept_open(self, run, ledger, friends, later):
        """Friends of one household play; only the account is removed."""
        alice, bob, _ = friends
        later(1)
        run(ledger.remove_guest("host:1", alice, "bob", "192.0.2.7"))
        later(1)
        (dora,) = opened(run, ledger, "dora")
        assert run(ledger.join_hosted_table("code-1", dora, "192.0.2.7")).admits(dora)
        with pytest.raises(UnknownLink):
            run(ledger.join_hosted_table("code-1", bob, "192.0.2.9"))

    def test_a_closing_table_takes_no_word_about_guests(self, run, ledger, friends):
        """Nothing is asked, answered, given or handed over any more."""
        alice, bob, _ = friends
        run(ledger.change_hosted_table("host:1", alice, "close", ""))
        before = all_of(run, ledger)
        for call in (
            lambda: ledger.ask_seat("host:1", bob),
            lambda: ledger.answer_seat("host:1", alice, "bob", accepts=True),
            lambda: ledger.give_host("host:1", alice, "bob", FEW),
            lambda: ledger.give_chips(replace(GIFT, giver=alice)),
        ):
            with pytest.raises(HostedTableClosing):
                run(call())
        for table in ("host:1", "host:9"):
            with pytest.raises(UnknownHostedTable):
                run(ledger.ask_seat(table, 3))
        assert all_of(run, ledger) == before

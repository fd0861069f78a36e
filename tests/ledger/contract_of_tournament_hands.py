"""The part of the ledger's contract that keeps the chips of sit-and-gos: hands that move no money.

`TournamentHands` is mixed into `Contract`.
"""

import json
from dataclasses import replace

import pytest

from pokerroom.ledger.api import HandSettlement, LedgerConflict, NotOwner
from pokerroom.ledger.tournaments import owned_as
from tests.ledger.contract import key_of, take_tournament
from tests.ledger.contract_of_tournaments import entered, finished, given, opening, started, wallets


def hand(hand_id, deltas, *, table="six.1", epoch=1, record=None, late=()):
    """A settlement in chips; its record says the same changes."""
    if record is None:
        seats = [{"account": each, "stack": 1_500, "end": 1_500 + won} for each, won in deltas.items()]
        record = json.dumps({"seats": seats}).encode()
    return HandSettlement(
        hand_id=hand_id,
        table=table,
        epoch=epoch,
        started_ms=1_000,
        ended_ms=2_000,
        deltas=tuple(deltas.items()),
        record=record,
        timeout_all_ins=late,
    )


def chips(run, ledger, tournament="six.1"):
    """By seat: the chips of each, those before the last hand, and how many hands."""
    entries = [entry for entry in run(ledger.tournament(tournament)).entries if entry.seat]
    return [(entry.chips, entry.chips_before, entry.hands) for entry in sorted(entries, key=lambda e: e.seat)]


def owned(run, ledger):
    return [row.table for row in run(ledger.owners()) if row.table in {"cash", "six.1", owned_as("six.1")}]


class TournamentHands:
    """Hands at the tables of sit-and-gos; each of three begins with 1,500 chips."""

    def test_a_hand_of_a_tournament_moves_chips_and_no_money(self, run, ledger):
        """Once, however often it is settled; the others keep their chips."""
        alice, bob, carol = accounts = started(run, ledger)
        assert chips(run, ledger) == [(1_500, 1_500, 0)] * 3
        for _ in range(3):
            run(ledger.settle([hand("h1", {alice: 1_500, bob: -1_500})]))
        run(ledger.settle([hand("h2", {alice: -200, carol: 200})]))
        assert chips(run, ledger) == [(2_800, 3_000, 2), (0, 1_500, 1), (1_700, 1_500, 1)]
        assert wallets(run, ledger, accounts) == [-300, -300, -300]
        assert run(ledger.settled_hands(["h1", "h2", "h3"])) == {"h1", "h2"}
        report = run(ledger.audit())
        assert (report.differences, report.hands, report.escrow) == ((), 2, 720)

    @pytest.mark.parametrize("lost", [1_500, 1_505])
    def test_a_hand_of_a_tournament_has_no_rake(self, run, ledger, lost):
        """Chips are no money: a rake refuses the whole batch, whether or not the changes allow for it."""
        alice, bob, _ = started(run, ledger)
        raked = replace(hand("h2", {alice: 1_500, bob: -lost}), rake=5)
        with pytest.raises(LedgerConflict):
            run(ledger.settle([raked]))
        assert chips(run, ledger) == [(1_500, 1_500, 0)] * 3

    def test_hands_of_tournaments_and_of_cash_are_settled_together(self, run, ledger):
        """All or none of them."""
        alice, bob, carol = started(run, ledger)
        run(ledger.take_table("cash", "n1", 0))
        for seat, account in ((1, alice), (2, bob)):
            run(ledger.buy_in(key_of("buyin", f"b{seat}"), "cash", 1, seat, account, 1_000, 5))
        both = [hand("m1", {alice: 100, bob: -100}, table="cash"), hand("h1", {carol: 70, bob: -70})]
        with pytest.raises(LedgerConflict):
            run(ledger.settle([both[0], hand("h1", {carol: 1_600, bob: -1_600})]))
        assert run(ledger.settled_hands(["m1", "h1"])) == frozenset()
        run(ledger.settle(both))
        assert [row.stack for row in run(ledger.seats())] == [1_100, 900]
        assert [left for left, _, _ in chips(run, ledger)] == [1_500, 1_430, 1_570]
        assert run(ledger.audit()).differences == ()

    def test_a_hand_that_cannot_have_been_is_refused(self, run, ledger):
        """Chips made or lost, more than a stack, a player who is out, a stranger, two hands at once, or not running."""
        alice, bob, carol = started(run, ledger)
        (dave,) = entered(run, ledger, "dave", tournament="six.2")
        run(ledger.settle([hand("h1", {alice: 1_500, bob: -1_500})]))
        for wrong in (
            [hand("h2", {alice: 100, carol: -99})],
            [hand("h2", {alice: 1_501, carol: -1_501})],
            [hand("h2", {alice: -10, bob: 10})],
            [hand("h2", {alice: -10, dave: 10})],
            [hand("h2", {alice: -10, carol: 10}), hand("h3", {alice: -10, carol: 10})],
            [hand("h1", {alice: 1_000, bob: -1_000})],
            [hand("h1", {alice: 1_500, carol: -1_500})],
        ):
            with pytest.raises(LedgerConflict):
                run(ledger.settle(wrong))
        take_tournament(run, ledger, "six.2")
        with pytest.raises(LedgerConflict):
            run(ledger.settle([hand("h2", {dave: 0}, table="six.2")]))
        assert chips(run, ledger) == [(3_000, 1_500, 1), (0, 1_500, 1), (1_500, 1_500, 0)]
        assert run(ledger.audit()).differences == ()

    def test_a_past_owners_hand_is_refused(self, run, ledger):
        """But for one that is settled already, which moves nothing."""
        alice, bob, _ = started(run, ledger)
        settled = hand("h1", {alice: 5, bob: -5})
        run(ledger.settle([settled]))
        assert run(ledger.take_table("six.1", "n2", 1)) == 2
        run(ledger.settle([settled]))
        for late in (hand("h2", {alice: 5, bob: -5}), hand("h1", {alice: 6, bob: -6})):
            with pytest.raises(NotOwner):
                run(ledger.settle([late]))
        run(ledger.settle([hand("h2", {alice: 7, bob: -7}, epoch=2)]))
        assert [left for left, _, _ in chips(run, ledger)] == [1_512, 1_488, 1_500]

    def test_a_tournament_that_is_over_has_no_more_hands(self, run, ledger):
        """Also where an operator has ended it."""
        alice, bob, carol = finished(run, ledger)
        with pytest.raises(LedgerConflict):
            run(ledger.settle([hand("h9", {alice: -1, bob: 1})]))
        run(ledger.open_tournament(opening("six.2")))
        for account in (alice, bob, carol):
            run(ledger.enter("six.2", account, 1))
        take_tournament(run, ledger, "six.2")
        run(ledger.start_tournament("six.2", 1, [alice, bob, carol], 500))
        run(ledger.roll_back_tournament("six.2", 1))
        with pytest.raises(LedgerConflict):
            run(ledger.settle([hand("h9", {alice: -1, bob: 1}, table="six.2")]))

    def test_the_running_ones_of_all_offers_are_listed(self, run, ledger):
        """By offer and number; those that take entries or are over are not among them."""
        accounts = started(run, ledger, "six.2")
        for name in ("six.10", "ten.1", "six.3"):
            run(ledger.open_tournament(opening(name)))
            if name != "six.3":
                for account in accounts:
                    run(ledger.enter(name, account, 1))
                take_tournament(run, ledger, name)
                run(ledger.start_tournament(name, 1, accounts, 500))
        assert run(ledger.running_tournaments()) == ["six.2", "six.10", "ten.1"]
        assert run(ledger.registering_tournaments()) == ["six.3"]
        assert run(ledger.tournaments_to_show()) == []
        numbers = {
            phase: [row.opening.number for row in run(ledger.tournaments("six", phase))]
            for phase in (None, "registering", "running")
        }
        assert numbers == {None: [2, 3, 10], "registering": [3], "running": [2, 10]}
        run(ledger.give_places("ten.1", 1, 3, [given(3, accounts[0], 0)]))
        run(ledger.roll_back_tournament("six.2", 1))
        assert run(ledger.running_tournaments()) == ["six.10", "ten.1"]

    def test_an_account_that_plays_a_tournament_has_a_table_there_until_it_is_out(self, run, ledger):
        """As for a cash table; not before the start, and not after the end."""
        alice, bob, carol = started(run, ledger)
        (dave,) = entered(run, ledger, "dave", tournament="six.2")
        run(ledger.give_places("six.1", 1, 3, [given(3, carol, 0)]))
        found = [run(ledger.tables_of(account)) for account in (alice, bob, carol, dave)]
        assert found == [["six.1"], ["six.1"], [], []]
        run(ledger.give_places("six.1", 1, 1, [given(1, alice, 500), given(2, bob, 220)]))
        assert [run(ledger.tables_of(account)) for account in (alice, bob)] == [[], []]

    def test_a_table_that_is_over_has_no_owner_to_be_looked_at(self, run, ledger):
        """Once it is released, and the tournament itself too; one that goes on, or is no tournament's, stays."""
        accounts = started(run, ledger)
        run(ledger.take_table("cash", "n1", 0))
        for table in ("six.1", owned_as("six.1"), "cash"):
            run(ledger.release_table(table, 1))
        assert owned(run, ledger) == ["cash", "six.1", owned_as("six.1")]
        assert take_tournament(run, ledger, "six.1", "n2", 1) == 2
        shares = [given(1, account, prize) for account, prize in zip(accounts, (240, 240, 240), strict=True)]
        run(ledger.give_places("six.1", 2, 1, shares, rolled_forward=True))
        run(ledger.release_table(owned_as("six.1"), 2))
        assert owned(run, ledger) == ["cash", "six.1"]
        assert run(ledger.tournaments_to_show()) == ["six.1"], "observers may not have been told"
        run(ledger.release_table("six.1", 2))
        assert owned(run, ledger) == ["cash"]
        assert run(ledger.tournaments_to_show()) == []
        also = [(row.table, row.epoch) for row in run(ledger.owners(["six.1", "none"]))]
        assert ("six.1", 2) in also, "unless it is named"
        assert len(also) == len(set(also))
        assert run(ledger.take_table("six.1", "n3", 2)) == 3, "by a mistake: its epochs go on"
        run(ledger.release_table("six.1", 3))
        assert owned(run, ledger) == ["cash"]

"""The part of every ledger's contract that an account sees of itself: what it has played, and its settings.

`HistoryAndSettings` is mixed into `Contract`.
"""

import json
import time

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.account_history import (
    HandQuery,
    PlayedHand,
    PlayedRound,
    PlayedRoundRecord,
    PlayedTournament,
)
from pokerroom.ledger.api import LedgerConflict
from pokerroom.ledger.operator_log import Acting, LogQuery
from tests.ledger.contract import buy_in, cash_out, hand, key_of, opened, seated, take_tournament
from tests.ledger.contract_of_rounds import ENDED_MS, STARTED_MS, bets, end, stake, void
from tests.ledger.contract_of_tournaments import given, opening


def names(entries):
    """What stands in a history, in its order."""
    named = {PlayedHand: "hand_id", PlayedRound: "round_id", PlayedTournament: "tournament"}
    return [getattr(entry, named[type(entry)]) for entry in entries]


def told_of(run, ledger, account):
    """A whole history, without what two ledgers may have differently: numbers, and the time of their own clocks."""
    entries = []
    for entry in run(ledger.account_history(account, None, 99)):
        fields = {name: getattr(entry, name) for name in entry.__slots__}
        del fields["number"]
        if isinstance(entry, PlayedTournament):
            del fields["ended_ms"]
        if isinstance(entry, PlayedHand):
            fields["record"] = json.loads(entry.record)
        entries.append(fields)
    return entries


def round_of(run, ledger, account, round_id, *, delta=40, table="T1"):
    """A round with one player's 100, from its bets to its end."""
    run(ledger.close_bets(bets({account: 100}, round_id=round_id, table=table)))
    run(ledger.settle_round(end({account: delta}, round_id=round_id, table=table)))


def tournament_running(run, ledger, accounts, tournament="six.1"):
    run(ledger.open_tournament(opening(tournament)))
    for account in accounts:
        run(ledger.enter(tournament, account, 1))
    take_tournament(run, ledger, tournament)
    run(ledger.start_tournament(tournament, 1, accounts, 1_500))


def stacks(account, won):
    """A seat as the record of a hand has it."""
    return {"account": account, "stack": 1_000, "end": 1_000 + won}


def moved(run, ledger, account, **page):
    """Kind, changes of wallet and tickets, and the other side of each transfer."""
    found = run(ledger.account_transfers(account, page.get("before"), page.get("limit", 99)))
    return [(one.kind, one.wallet, one.tickets, one.other) for one in found]


class HistoryAndSettings:
    """Histories and settings; wallets begin with 10,000."""

    # --- what was played

    def test_an_account_that_has_played_nothing_has_no_history(self, run, ledger):
        """Nor has an account that does not exist."""
        (alice,) = opened(run, ledger, "alice")
        assert run(ledger.account_history(alice, None, 9)) == []
        assert run(ledger.account_history(99, None, 9)) == []

    def test_a_hand_is_in_the_history_of_an_account_that_was_dealt_in(self, run, ledger):
        """With its table, its time, the account's own change (zero too) and the record."""
        alice, bob, carol = seated(run, ledger, "alice", "bob", "carol")
        record = {"seats": [stacks(alice, 10), stacks(bob, -10)], "cards": 1}
        run(ledger.settle([hand("h1", {alice: 10, bob: -10}, record=json.dumps(record).encode())]))
        (entry,) = run(ledger.account_history(bob, None, 9))
        assert entry == PlayedHand(
            number=entry.number,
            hand_id="h1",
            table="T1",
            ended_ms=ENDED_MS,
            delta=-10,
            in_chips=False,
            record=entry.record,
        )
        assert json.loads(entry.record) == record
        assert run(ledger.hand_of(bob, "h1")) == entry
        assert run(ledger.account_history(carol, None, 9)) == []
        assert run(ledger.hand_of(carol, "h1")) is None
        assert run(ledger.hand_of(bob, "h2")) is None
        assert "cards" not in repr(entry)

    def test_an_operator_reads_a_hand_and_is_logged(self, run, ledger):
        """With the reason; a hand that there is not has no line."""
        by = Acting(who="local:ann", reason="a dispute")
        alice, bob = seated(run, ledger, "alice", "bob")
        played = hand("h1", {alice: 10, bob: -10})
        run(ledger.settle([played]))
        assert run(ledger.read_hand("h2", by=by)) is None
        assert json.loads(run(ledger.read_hand("h1", by=by))) == json.loads(played.record)
        (line,) = run(ledger.log_lines(LogQuery(verb="hand.read")))
        assert (line.by, line.subject) == (by, "h1")

    def test_hands_are_read_page_by_page(self, run, ledger):
        """Of an account or of a table, in their order, each once. The bounds are of the end of a hand."""
        ended_ms = int(time.time() * 1000)  # a hand is settled soon after its end
        alice, bob, carol = seated(run, ledger, "alice", "bob", "carol")
        for number, pair in enumerate([(alice, bob), (bob, carol), (alice, carol), (alice, bob)], 1):
            record = json.dumps({"n": number, "seats": [stacks(each, 0) for each in pair]}).encode()
            deltas = dict.fromkeys(pair, 0)
            run(ledger.settle([hand(f"h{number}", deltas, record=record, ended_ms=ended_ms + number)]))

        def told(limit, **which):
            found, after = [], 0
            while after is not None:
                page = run(ledger.hands_page(HandQuery(**which), after, limit))
                assert len(page.hands) <= limit
                found += page.hands
                after = page.after
            assert [each.number for each in found] == sorted(each.number for each in found)
            assert all((each.table, each.in_chips) == ("T1", False) for each in found)
            return [json.loads(each.record)["n"] for each in found]

        for limit in (1, 2, 3, 99):
            assert told(limit, account=alice) == [1, 3, 4]
            assert told(limit, table="T1") == [1, 2, 3, 4]
            assert told(limit, table="T2") == []
            assert told(limit) == [1, 2, 3, 4]
            assert told(limit, table="T1", since_ms=ended_ms + 2, until_ms=ended_ms + 4) == [2, 3]
            assert told(limit, account=bob, since_ms=ended_ms + 2) == [2, 4]
            assert told(limit, account=alice, table="T1", until_ms=ended_ms + 4) == [1, 3]
            assert told(limit, account=alice, table="T2") == []
            for of in ({}, {"account": alice}, {"table": "T1"}):
                empty = [(0, 0), (0, ended_ms - 200_000_000), (ended_ms + 3, ended_ms + 3), (ended_ms + 3, 1)]
                for since_ms, until_ms in [*empty, (2**53 - 1, 2**53 - 1)]:
                    assert told(limit, since_ms=since_ms, until_ms=until_ms, **of) == []
                assert told(limit, until_ms=2**53 - 1, **of) == told(limit, **of)
                for after, until_ms in ((2**53 - 1, None), (2**53 - 1, ended_ms + 2)):
                    page = run(ledger.hands_page(HandQuery(until_ms=until_ms, **of), after, limit))
                    assert (page.hands, page.after) == ([], None)
        (first, *_) = run(ledger.hands_page(HandQuery(table="T1"), 0, 1)).hands
        assert "record" not in repr(first)

    def test_a_round_is_in_the_history_once_it_is_over(self, run, ledger):
        """With all bets, tips and what came back; a round in progress is not."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.close_bets(bets({alice: 100})))
        run(ledger.add_stake(stake(alice, 300)))
        run(ledger.add_stake(stake(alice, 7, key="round:r1:tip:1", kind="tip")))
        assert run(ledger.account_history(alice, None, 9)) == []
        assert run(ledger.round_of(alice, "r1")) is None
        run(ledger.settle_round(end({alice: 193}, tronc=7)))
        (entry,) = run(ledger.account_history(alice, None, 9))
        assert entry == PlayedRound(
            number=entry.number, round_id="r1", table="T1", started_ms=STARTED_MS, ended_ms=ENDED_MS,
            staked=400, tipped=7, paid=600, void=False,
        )  # fmt: skip
        found = run(ledger.round_of(alice, "r1"))
        assert found == PlayedRoundRecord(played=entry, record=found.record)
        assert run(ledger.round_of(alice + 1, "r1")) is None

    def test_a_void_round_has_given_everything_back(self, run, ledger):
        """But tips; and it says that it is void."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.close_bets(bets({alice: 100})))
        run(ledger.add_stake(stake(alice, 7, key="round:r1:tip:1", kind="tip")))
        run(ledger.void_round(void()))
        (entry,) = run(ledger.account_history(alice, None, 9))
        assert (entry.staked, entry.tipped, entry.paid, entry.void) == (100, 7, 100, True)

    def test_a_sit_and_go_is_in_the_history_once_the_place_is_given(self, run, ledger):
        """Buy-in, prize and place; not for players still in it, nor for entries returned before the start."""
        alice, bob, carol, dora = opened(run, ledger, "alice", "bob", "carol", "dora")
        run(ledger.open_tournament(opening()))
        run(ledger.enter("six.1", dora, 1))
        run(ledger.return_entry("six.1", dora, 1))
        tournament_running(run, ledger, [alice, bob, carol])
        run(ledger.give_places("six.1", 1, 3, [given(3, carol, 0)]))
        (entry,) = run(ledger.account_history(carol, None, 9))
        assert entry == PlayedTournament(
            number=entry.number, tournament="six.1", ended_ms=entry.ended_ms, stake=300, prize=0, place=3
        )
        assert run(ledger.account_history(alice, None, 9)) == run(ledger.account_history(dora, None, 9)) == []
        run(ledger.give_places("six.1", 1, 1, [given(1, alice, 500), given(2, bob, 220)]))
        for account, prize, place in ((alice, 500, 1), (bob, 220, 2), (carol, 0, 3)):
            (entry,) = run(ledger.account_history(account, None, 9))
            assert (entry.prize, entry.place) == (prize, place)
        for number in (1, 2):
            run(ledger.pay_place("six.1", number))

    def test_a_hand_of_a_sit_and_go_is_in_chips(self, run, ledger):
        """It is in the history as it was played, and says that it moved no money."""
        alice, bob, carol = opened(run, ledger, "alice", "bob", "carol")
        tournament_running(run, ledger, [alice, bob, carol])
        run(ledger.settle([hand("h1", {alice: 20, bob: -20, carol: 0}, table="six.1")]))
        (entry,) = run(ledger.account_history(bob, None, 9))
        assert (entry.hand_id, entry.table, entry.delta, entry.in_chips) == ("h1", "six.1", -20, True)
        assert run(ledger.hand_of(carol, "h1")).in_chips

    def test_a_sit_and_go_that_is_rolled_back_was_played_by_all(self, run, ledger):
        """Every player has the buy-in back and no place, also a player who had one; each once."""
        accounts = opened(run, ledger, "alice", "bob", "carol")
        tournament_running(run, ledger, accounts)
        run(ledger.give_places("six.1", 1, 3, [given(3, accounts[2], 0)]))
        for _ in range(2):
            run(ledger.roll_back_tournament("six.1", 1))
        for account in accounts:
            (entry,) = run(ledger.account_history(account, None, 9))
            assert (entry.stake, entry.prize, entry.place) == (300, 300, None)

    def test_what_ended_last_comes_first_over_all_games(self, run, ledger):
        """A hand that began before a round and ended after it stands above it."""
        alice, bob, carol = seated(run, ledger, "alice", "bob", "carol")
        run(ledger.settle([hand("h1", {alice: 10, bob: -10})]))
        run(ledger.close_bets(bets({alice: 100}, round_id="r1", table="T2")))
        run(ledger.settle([hand("h2", {alice: 1, bob: -1})]))
        run(ledger.settle_round(end({alice: -100}, round_id="r1", table="T2")))
        tournament_running(run, ledger, [alice, bob, carol])
        round_of(run, ledger, alice, "r2", table="T2")
        run(ledger.give_places("six.1", 1, 3, [given(3, alice, 0)]))
        run(ledger.settle([hand("h3", {alice: 0, bob: 0})]))
        assert names(run(ledger.account_history(alice, None, 9))) == ["h3", "six.1", "r2", "r1", "h2", "h1"]
        assert names(run(ledger.account_history(bob, None, 9))) == ["h3", "h2", "h1"]

    def test_pages_follow_each_other_without_gap_or_repetition(self, run, ledger):
        """Each page begins below the last number of the one before, also if something was played meanwhile."""
        alice, bob = seated(run, ledger, "alice", "bob")
        for n in range(3):
            run(ledger.settle([hand(f"h{n}", {alice: 1, bob: -1})]))
            round_of(run, ledger, alice, f"r{n}", table="T2")
        everything = names(run(ledger.account_history(alice, None, 99)))
        assert everything == ["r2", "h2", "r1", "h1", "r0", "h0"]
        for size in (1, 2, 4, 6):
            read, before = [], None
            while page := run(ledger.account_history(alice, before, size)):
                assert len(page) <= size
                read += names(page)
                before = page[-1].number
                run(ledger.settle([hand(f"new-{size}-{len(read)}", {alice: 1, bob: -1})]))
            assert read[-6:] == everything

    # --- settings

    def test_settings_are_kept_by_account(self, run, ledger):
        """Those that were changed, with their types; others' stay as they are."""
        alice, bob = opened(run, ledger, "alice", "bob")
        assert run(ledger.account_settings(alice)) == {}
        assert run(ledger.change_settings(alice, {"language": "pl", "chat": False})) == {
            "language": "pl",
            "chat": False,
        }
        run(ledger.change_settings(bob, {"sounds": 7}))
        assert run(ledger.change_settings(alice, {"chat": True, "sounds": 40})) == {
            "language": "pl",
            "chat": True,
            "sounds": 40,
        }
        assert run(ledger.account_settings(alice)) == {"language": "pl", "chat": True, "sounds": 40}
        assert run(ledger.account_settings(bob)) == {"sounds": 7}
        assert run(ledger.change_settings(bob, {})) == {"sounds": 7}
        assert run(ledger.account_settings(99)) == {}

    def test_settings_are_not_a_store(self, run, ledger):
        """Too many settings, or an unknown account, are refused, and nothing has changed."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.change_settings(alice, {f"key{n}": n for n in range(64)}))
        with pytest.raises(LedgerConflict):
            run(ledger.change_settings(alice, {"key64": 64}))
        assert len(run(ledger.account_settings(alice))) == 64
        with pytest.raises(LookupError):
            run(ledger.change_settings(99, {"chat": True}))

    # --- transfers

    def test_what_changed_a_wallet_is_listed_newest_first(self, run, ledger):
        """With the largest of the other side; hands move stacks, and are not in the list."""
        alice, bob = opened(run, ledger, "alice", "bob")
        for seat, account in enumerate((alice, bob), 1):
            run(buy_in(ledger, f"k{seat}", "T1", seat, account, Money(1_000)))
        run(ledger.settle([hand("h1", {alice: 50, bob: -50})]))
        run(cash_out(ledger, "k3", "T1", alice))
        assert moved(run, ledger, alice) == [
            ("cash_out", 1_050, 0, f"stack:T1:{alice}"),
            ("buy_in", -1_000, 0, f"stack:T1:{alice}"),
            ("opening", 10_000, 0, "bank"),
        ]
        first, second, third = run(ledger.account_transfers(alice, None, 99))
        assert first.number > second.number > third.number
        assert (third.key, third.at_ms <= second.at_ms <= first.at_ms) == (f"opening:{alice}", True)
        assert run(ledger.account_transfers(alice, None, 2)) == [first, second]
        assert run(ledger.account_transfers(alice, first.number, 1)) == [second]
        assert run(ledger.account_transfers(alice, third.number, 9)) == []
        assert run(ledger.account_transfers(99, None, 9)) == []

    def test_a_round_is_a_transfer_of_all_its_players(self, run, ledger):
        """Each sees what it has moved itself."""
        alice, bob = opened(run, ledger, "alice", "bob")
        for seat, account in enumerate((alice, bob), 1):
            run(ledger.take_place(key_of("place", f"k{seat}"), "T1", 1, seat, account, 9))
        run(ledger.close_bets(bets({alice: 100, bob: 300}, exposure=0)))
        run(ledger.settle_round(end({alice: 40, bob: -300})))
        assert moved(run, ledger, alice)[:2] == [
            ("round", 140, 0, "stakes:T1"),
            ("round_bets", -100, 0, "stakes:T1"),
        ]
        assert moved(run, ledger, bob)[0] == ("round_bets", -300, 0, "stakes:T1")

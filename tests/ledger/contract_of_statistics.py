"""The part of every ledger's contract that stores statistics. What a hand counts is the caller's: here the results.

`Statistics` is mixed into `Contract`.
"""

import json
from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.account_history import HandQuery
from pokerroom.ledger.operator_log import Acting, LogQuery
from pokerroom.ledger.statistics import (
    COUNTED,
    STAKES_MAX,
    Counters,
    DayKey,
    DayResult,
    HandTally,
    Months,
    PlayedHands,
    PlayerDay,
    PlayerKey,
    Stake,
    StakeStatistics,
    TournamentStatistics,
)
from tests.ledger.contract import hand, seated
from tests.ledger.contract_of_account_history import tournament_running
from tests.ledger.contract_of_cashier import funded
from tests.ledger.contract_of_tournaments import given

LOW = Stake("holdem", "no_limit", False, 50, 100)
HIGH = Stake("omaha", "pot_limit", False, 500, 1_000)
ALWAYS = Months()
NOVEMBER, DECEMBER = 19_675, 19_692
"""The 14th of November and the 1st of December 2023."""


def results(hands):
    """Count hands and results. A hand with the mark `high` is of the other stake, one with `big_blind` has these."""
    tally = HandTally()
    for each in hands:
        record = json.loads(each.record)
        seats = record["seats"]
        stake = HIGH if record.get("high") else replace(LOW, big_blind=record.get("big_blind", LOW.big_blind))
        day = record.get("day", NOVEMBER)
        month = 202311 if day == NOVEMBER else 202312
        for seat in seats:
            won = seat["end"] - seat["stack"]
            counters = Counters(hands=1, won=won, won_squared=won**2, expected=1000 * won)
            account = seat["account"]
            tally.add(HandTally(days={DayKey(account, day, stake): DayResult(1, won, 1000 * won)}))
            played = PlayedHands(not each.in_chips, each.in_chips, seat.get("rake", 0))
            tally.add(HandTally(played={PlayerDay(day, account): played}))
            for other in seats:
                key = PlayerKey(other["account"], account, month, stake, seat["position"])
                tally.add(HandTally(players={key: counters}))
    return tally


def settled(run, ledger, hand_id, deltas, position="button", **marks):
    """A settled hand with marks in its record, and all players in one position."""
    seats = [
        {"account": each, "position": position, "stack": 10**10, "end": 10**10 + won}
        for each, won in deltas.items()
    ]
    record = json.dumps({"seats": seats, **marks}).encode()
    run(ledger.settle([hand(hand_id, deltas, record=record)]))


def won(run, ledger, tournament, accounts):
    """A tournament of three that ended in this order."""
    first, second, third = accounts
    tournament_running(run, ledger, accounts, tournament)
    run(ledger.give_places(tournament, 1, 3, [given(3, third, 0)]))
    run(ledger.give_places(tournament, 1, 1, [given(1, first, 500), given(2, second, 220)]))


def forgotten(run, ledger):
    """Nothing is counted: the audit would name sums that are not those of the hands."""
    run(ledger.reset_statistics(by=Acting(who="local:ann", reason="a test")))


def counted_all(run, ledger, at_most=200, count=results):
    """Count until nothing is left; how many hands each step had."""
    steps = []
    while not steps or steps[-1].more:
        steps.append(run(ledger.count_statistics(count, at_most)))
    return [step.hands for step in steps]


def everything(run, ledger, accounts):
    """All that the ledger tells."""
    pairs = {(a, b): run(ledger.player_statistics(a, b, ALWAYS)) for a in accounts for b in accounts}
    days = [run(ledger.daily_results(account, ALWAYS)) for account in accounts]
    return pairs, days, [run(ledger.tournament_statistics(account, ALWAYS)) for account in accounts]


class Statistics:
    """Statistics; wallets begin with 10,000."""

    def test_sums_grow_without_bound(self, run, ledger):
        """Chips of a club cost nothing: results that add up to more than 64 bits count as all others."""
        alice, bob = seated(run, ledger, "alice", "bob")
        for number in range(2):
            settled(run, ledger, f"h{number}", {alice: 10, bob: -10})
        key, day = PlayerKey(alice, alice, 202311, LOW, "button"), DayKey(alice, NOVEMBER, LOW)
        most = 2**63 - 1

        def count(hands):
            n = len(hands)
            return HandTally(
                {key: Counters(won=-most * n, expected=most * n)}, {day: DayResult(n, -most * n, most * n)}
            )

        counted_all(run, ledger, 1, count)
        (row,) = run(ledger.player_statistics(alice, alice, ALWAYS))
        assert (row.counters.won, row.counters.expected) == (-2 * most, 2 * most)
        assert run(ledger.daily_results(alice, ALWAYS)) == [(NOVEMBER, DayResult(2, -2 * most, 2 * most))]
        forgotten(run, ledger)

    def test_each_hand_counts_once(self, run, ledger):
        """In their order, however many come together; the sums are by stake, and of a pair both ways."""
        alice, bob = seated(run, ledger, "alice", "bob")
        seen = []

        def count(hands):
            seen.extend(json.loads(each.record).get("n") for each in hands)
            return results(hands)

        settled(run, ledger, "h1", {alice: 10, bob: -10}, n=1)
        assert counted_all(run, ledger, count=count) == [1]
        assert counted_all(run, ledger, count=count) == [0]
        settled(run, ledger, "h2", {alice: -30, bob: 30}, n=2)
        settled(run, ledger, "h3", {alice: 4, bob: -4}, n=3, high=True)
        assert counted_all(run, ledger, 1, count) == [1, 1, 0]
        assert seen == [1, 2, 3]
        of_alice = [
            StakeStatistics(LOW, "button", Counters(hands=2, won=-20, won_squared=1_000, expected=-20_000)),
            StakeStatistics(HIGH, "button", Counters(hands=1, won=4, won_squared=16, expected=4_000)),
        ]
        assert run(ledger.player_statistics(alice, alice, ALWAYS)) == of_alice
        assert run(ledger.player_statistics(bob, alice, ALWAYS)) == of_alice
        assert run(ledger.player_statistics(bob, 99, ALWAYS)) == []
        of_game = [each for each in of_alice if each.stake.game == LOW.game]
        (short,) = run(ledger.opponents(bob, ["ALICE", "bob", "dave"], LOW.game))
        for name in ("hands", "vpip_chances", "vpip", "pfr"):
            assert getattr(short, name) == sum(getattr(each.counters, name) for each in of_game)
        assert short.player == "alice"
        assert run(ledger.opponents(bob, ["alice"], "another game")) == []

    def test_each_counter_has_a_sum_of_its_own(self, run, ledger):
        """No counter is added to another one, and none is told as another one."""
        alice, bob = seated(run, ledger, "alice", "bob")

        def count(hands):
            tally = HandTally()
            for _ in hands:
                counters = Counters(**{name: 100 - number for number, name in enumerate(COUNTED)})
                tally.add(HandTally(players={PlayerKey(bob, alice, 202311, LOW, "button"): counters}))
            return tally

        for name in ("h1", "h2"):
            settled(run, ledger, name, {alice: 10, bob: -10})
            counted_all(run, ledger, count=count)

        twice = {name: 2 * (100 - number) for number, name in enumerate(COUNTED)}
        assert run(ledger.player_statistics(bob, alice, ALWAYS)) == [
            StakeStatistics(LOW, "button", Counters(**twice))
        ]
        (short,) = run(ledger.opponents(bob, ["alice"], LOW.game))
        told = {name: getattr(short, name) for name in ("hands", "vpip_chances", "vpip", "pfr")}
        assert told == {name: twice[name] for name in told}
        forgotten(run, ledger)

    def test_only_who_was_dealt_in_has_seen_a_player(self, run, ledger):
        """Statistics of a player hold the hands of the account that asks."""
        alice, bob, carol = seated(run, ledger, "alice", "bob", "carol")
        settled(run, ledger, "h1", {alice: 10, bob: -10})
        settled(run, ledger, "h2", {bob: 20, carol: -20})
        counted_all(run, ledger)

        assert run(ledger.player_statistics(carol, alice, ALWAYS)) == []
        (of_bob,) = run(ledger.player_statistics(carol, bob, ALWAYS))
        assert (of_bob.counters.hands, of_bob.counters.won) == (1, 20)

    def test_periods(self, run, ledger):
        """Hands are of months, and so is what was seen of others; days are of days."""
        alice, bob = seated(run, ledger, "alice", "bob")
        settled(run, ledger, "h1", {alice: 10, bob: -10}, day=DECEMBER)
        settled(run, ledger, "h2", {alice: 5, bob: -5})
        settled(run, ledger, "h3", {alice: -3, bob: 3}, high=True)
        counted_all(run, ledger)
        december = Months(202312, 202312)

        for seen, result in ((alice, 10), (bob, -10)):
            (found,) = run(ledger.player_statistics(alice, seen, december))
            assert found.counters.won == result
            assert [each.counters.hands for each in run(ledger.player_statistics(alice, seen, ALWAYS))] == [
                2,
                1,
            ]
            assert run(ledger.player_statistics(alice, seen, Months(202401, 202412))) == []
        days = [
            (NOVEMBER, DayResult(2, 2, 2_000)),  # at both stakes
            (DECEMBER, DayResult(1, 10, 10_000)),
        ]
        assert run(ledger.daily_results(alice, ALWAYS)) == days
        assert run(ledger.daily_results(alice, december)) == days[1:]
        assert run(ledger.daily_results(alice, Months(202311, 202311))) == days[:1]
        assert run(ledger.daily_results(alice, Months(202401, 202401))) == []

    def test_positions_of_others(self, run, ledger):
        """What was seen of a player stays apart by position; in short it is one sum."""
        alice, bob = seated(run, ledger, "alice", "bob")
        for number, position in enumerate(("button", "cutoff", "button")):
            settled(run, ledger, f"h{number}", {alice: 10, bob: -10}, position=position)
        counted_all(run, ledger)

        found = run(ledger.player_statistics(alice, bob, ALWAYS))
        assert [(each.position, each.counters.hands) for each in found] == [("button", 2), ("cutoff", 1)]
        (short,) = run(ledger.opponents(alice, ["bob"], LOW.game))
        assert short.hands == 3

    def test_of_many_stakes_those_with_most_hands_are_told(self, run, ledger):
        """A host may change the stakes before each hand: the answer has an end, and what was played most is in it."""
        alice, bob = seated(run, ledger, "alice", "bob")
        often = {STAKES_MAX + 1: 3, STAKES_MAX + 3: 2}
        blinds = [*range(1, STAKES_MAX + 4), *(blind for blind, more in often.items() for _ in range(more))]
        for number, blind in enumerate(blinds):
            settled(run, ledger, f"h{number}", {alice: 1, bob: -1}, "middle", big_blind=blind)
            settled(run, ledger, f"p{number}", {alice: 1, bob: -1}, "button", big_blind=blind)
        counted_all(run, ledger)
        for seen in (alice, bob):
            found = run(ledger.player_statistics(alice, seen, ALWAYS))
            told = {each.stake.big_blind: each.counters.hands for each in found}
            once = range(1, STAKES_MAX - 1)
            assert told == dict.fromkeys(once, 1) | {blind: 1 + more for blind, more in often.items()}
            assert [(each.stake, each.position) for each in found] == sorted(
                (replace(LOW, big_blind=blind), position)
                for blind in told
                for position in ("button", "middle")
            )

    def test_a_step_of_many_parts(self, run, ledger, monkeypatch):
        """However few hands are read at once, the step counts all that it may, and each once."""
        monkeypatch.setattr("pokerroom.ledger.postgres.statistics.PART", 2)
        alice, bob = seated(run, ledger, "alice", "bob")
        for number in range(7):
            settled(run, ledger, f"h{number}", {alice: 10, bob: -10})
        assert counted_all(run, ledger, 5) == [5, 2]
        (own,) = run(ledger.player_statistics(alice, alice, ALWAYS))
        assert own.counters.hands == 7

    def test_a_failed_count_counts_nothing(self, run, ledger):
        """The hands come again at the next step."""
        alice, bob = seated(run, ledger, "alice", "bob")
        settled(run, ledger, "h1", {alice: 10, bob: -10})

        def fail(hands):
            raise ValueError(f"{len(hands)} hands")

        with pytest.raises(ValueError, match="1 hands"):
            run(ledger.count_statistics(fail))
        assert run(ledger.player_statistics(alice, alice, ALWAYS)) == []
        assert counted_all(run, ledger) == [1]

    def test_a_hand_that_could_not_be_read_is_named(self, run, ledger):
        """The step counts the others, and comes to no hand twice."""
        alice, bob = seated(run, ledger, "alice", "bob")
        for number in range(3):
            settled(run, ledger, f"h{number}", {alice: 10, bob: -10})
        numbers = [hand.number for hand in run(ledger.hands_page(HandQuery(), 0, 9)).hands]

        def without_the_second(hands):
            tally = results([hand for hand in hands if hand.number != numbers[1]])
            tally.unread.append(numbers[1])
            return tally

        step = run(ledger.count_statistics(without_the_second))
        assert (step.hands, step.unread) == (2, (numbers[1],))
        (own,) = run(ledger.player_statistics(alice, alice, ALWAYS))
        assert own.counters.hands == 2
        assert counted_all(run, ledger) == [0]
        forgotten(run, ledger)
        assert counted_all(run, ledger) == [3]

    def test_a_deleted_account_leaves_the_sums_of_others(self, run, ledger):
        """They follow from the hands, which stay: as they are, and counted again."""
        alice, bob = seated(run, ledger, "alice", "bob")
        settled(run, ledger, "h1", {alice: 10, bob: -10})
        counted_all(run, ledger)
        before = everything(run, ledger, (alice, bob))
        funded(run, ledger)
        run(ledger.cash_out(f"cashout:{bob:032x}", "T1", 1, bob))
        by = Acting(who=f"account:{bob}", reason="")
        run(ledger.delete_account(bob, "cash", by=by))

        assert everything(run, ledger, (alice, bob)) == before
        run(ledger.reset_statistics(by=by))
        counted_all(run, ledger)
        assert everything(run, ledger, (alice, bob)) == before

    def test_large_amounts_stay_exact(self, run, ledger):
        """A square of many digits is no rounded number."""
        alice, bob = seated(run, ledger, "alice", "bob", stack=9_999_999_999, opening=10**10)
        settled(run, ledger, "h1", {alice: 9_999_999_999, bob: -9_999_999_999})
        counted_all(run, ledger)

        (own,) = run(ledger.player_statistics(alice, alice, ALWAYS))
        assert own.counters.won_squared == 99_999_999_980_000_000_001

    def test_a_reset_begins_again(self, run, ledger):
        """All hands and tournaments count again, to the same sums; the reset is a line of the operators' log."""
        alice, bob, carol = seated(run, ledger, "alice", "bob", "carol")
        won(run, ledger, "six.1", (alice, bob, carol))
        for number in range(3):
            settled(run, ledger, f"h{number}", {alice: 10, bob: -10})
        counted_all(run, ledger, 2)
        before = everything(run, ledger, (alice, bob, carol))
        by = Acting(who="local:ann", reason="a new definition")
        run(ledger.reset_statistics(by=by))

        assert everything(run, ledger, (alice, bob, carol)) != before
        (line,) = run(ledger.log_lines(LogQuery(verb="statistics.rebuild")))
        assert line.by == by
        assert counted_all(run, ledger) == [3]
        assert everything(run, ledger, (alice, bob, carol)) == before

    def test_tournaments(self, run, ledger):
        """One that ended counts, for all its players; one that goes on or was rolled back does not."""
        accounts = alice, bob, carol = seated(run, ledger, "alice", "bob", "carol")
        won(run, ledger, "six.1", accounts)
        won(run, ledger, "six.2", (bob, alice, carol))
        for tournament in ("six.3", "six.4"):
            tournament_running(run, ledger, accounts, tournament)
            run(ledger.give_places(tournament, 1, 3, [given(3, carol, 0)]))
        run(ledger.roll_back_tournament("six.4", 1))
        settled(run, ledger, "h1", {alice: 10, bob: -10})
        for _ in range(2):
            counted_all(run, ledger)

        both = [TournamentStatistics(Money(300), 2, 2, Money(720))]
        assert run(ledger.tournament_statistics(alice, ALWAYS)) == both
        assert run(ledger.tournament_statistics(bob, ALWAYS)) == both
        without = [TournamentStatistics(Money(300), 2, 0, Money(0))]
        assert run(ledger.tournament_statistics(carol, ALWAYS)) == without
        assert run(ledger.tournament_statistics(carol, Months(200001, 200012))) == []

"""Statistics of a simulated room: counted while it plays, and counted again, they are equal."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock

from pokerroom.history.record import HandRecord, read_record
from pokerroom.history.redaction import visible_hand
from pokerroom.history.statistics import tally
from pokerroom.history.statistics.command import statistics_commands
from pokerroom.history.statistics.counting import StatisticsCounter
from pokerroom.history.statistics.hand import hand_statistics
from pokerroom.history.statistics.tally import tally_of
from pokerroom.history.story import HandStory, story_of
from pokerroom.ledger.account_history import HandQuery
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import Acting, LogQuery
from pokerroom.ledger.statistics import Counted, Counters, Months
from pokerroom.simulation.faults import NONE
from pokerroom.simulation.games import GAMES
from pokerroom.simulation.run import play
from pokerroom.simulation.simulated_room import SimulatedRoom
from tests import commands
from tests.poker.support import now

ALWAYS = Months()


@pytest.fixture(scope="module")
def played() -> MemoryLedger:
    """The ledger of a room with cash tables; statistics were counted after every five hands."""
    world = SimulatedRoom(5, GAMES["holdem"], NONE, strict=False)
    world.open()
    counter = StatisticsCounter(world.ledger, Clock(), lambda: True)
    for hands in range(5, 30, 5):
        play(world, hands)
        now(counter.run())
    assert world.referee.violations == []
    return world.ledger


def accounts_of(ledger: MemoryLedger) -> list[int]:
    return sorted(now(ledger.account_names(list(range(1, 60)))))


def everything(ledger: MemoryLedger) -> list[object]:
    """All statistics of all accounts, and of all that they have seen."""
    accounts = accounts_of(ledger)
    pairs = [now(ledger.player_statistics(a, b, ALWAYS)) for a in accounts for b in accounts]
    days = [now(ledger.daily_results(account, ALWAYS)) for account in accounts]
    return [pairs, days, [now(ledger.tournament_statistics(account, ALWAYS)) for account in accounts]]


def test_counted_again_they_are_equal(played: MemoryLedger) -> None:
    """The command forgets and counts all hands; it is a line of the operators' log."""
    before = everything(played)
    result = commands.said(played, statistics_commands, "rebuild", "--reason", "a new definition")

    assert (result.exit_code, result.stdout.split()[1:]) == (0, ["hands", "counted"])
    assert int(result.stdout.split()[0]) >= 25
    assert everything(played) == before
    assert [line.verb for line in now(played.log_lines(LogQuery(limit=1)))] == ["statistics.rebuild"]


def test_results_are_those_of_the_ledger(played: MemoryLedger) -> None:
    """Of each account the hands and what they won are what the ledger booked; a day has the same sum."""
    for account in accounts_of(played):
        page = now(played.hands_page(HandQuery(account=account), 0, 1_000))
        own = now(played.player_statistics(account, account, ALWAYS))
        won = sum(
            seat.end - seat.stack
            for hand in page.hands
            for seat in read_record(hand.record).seats
            if seat.account == account
        )
        assert sum(each.counters.hands for each in own) == len(page.hands)
        assert sum(each.counters.won for each in own) == won
        assert sum(result.won for _, result in now(played.daily_results(account, ALWAYS))) == won


def test_opponents_are_what_was_seen(played: MemoryLedger) -> None:
    """What an account has seen of a player is what the hands count in which both were dealt in, by position."""
    together: dict[tuple[int, int], dict[str, Counters]] = {}
    for account in accounts_of(played):
        for hand in now(played.hands_page(HandQuery(account=account), 0, 1_000)).hands:
            story = story_of(visible_hand(hand.record, None, None), number=hand.number)
            for one in hand_statistics(story, in_chips=hand.in_chips):
                seen = together.setdefault((account, one.account), {})
                seen.setdefault(one.position, Counters()).add(one.counters)
    assert len(together) > 6
    assert max(map(len, together.values())) > 1
    for account in accounts_of(played):
        for other in accounts_of(played):
            told: dict[str, Counters] = {}
            for each in now(played.player_statistics(account, other, ALWAYS)):
                told.setdefault(each.position, Counters()).add(each.counters)
            assert told == together.get((account, other), {})


class Steps:
    """A ledger with steps to count, each of which takes a second."""

    def __init__(self, clock: Clock, *steps: Counted | LedgerUnavailable | None) -> None:
        self.asked = 0
        self._clock = clock
        self._steps = list(steps)

    def count_statistics(self, count: object, at_most: int = 0) -> Deferred[Counted | None]:
        self.asked += 1
        self._clock.advance(1)
        step = self._steps.pop(0)
        return fail(step) if isinstance(step, LedgerUnavailable) else succeed(step)


def test_a_node_with_much_to_count_rests() -> None:
    """After a step that took a second the next one comes four seconds later; the last one ends the run."""
    clock = Clock()
    ledger = Steps(clock, Counted(200, 200, more=True), Counted(7, 207, more=False))
    running = StatisticsCounter(ledger, clock, lambda: True).run()  # type: ignore[arg-type]  # one method
    clock.advance(3.9)
    assert ledger.asked == 1
    clock.advance(0.1)
    assert ledger.asked == 2
    assert running.called
    assert clock.getDelayedCalls() == []


@pytest.mark.parametrize("step", [None, LedgerUnavailable("gone")])
def test_the_next_run_goes_on(step: LedgerUnavailable | None) -> None:
    """Where another node counts, or the ledger is away, the run ends without a fault."""
    clock = Clock()
    ledger = Steps(clock, step)
    now(StatisticsCounter(ledger, clock, lambda: True).run())  # type: ignore[arg-type]  # one method
    assert ledger.asked == 1


def test_a_hand_that_cannot_be_read_stops_no_other(
    played: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The room names it loudly, without its cards, and counts the rest; a rebuild names it until a build reads it."""
    before = everything(played)
    bad = now(played.hands_page(HandQuery(), 0, 3)).hands[2]
    real = tally.story_of

    def unreadable(record: HandRecord, *, number: int) -> HandStory:
        if number == bad.number:
            raise ValueError(f"no event of a record: {record}")
        return real(record, number=number)

    monkeypatch.setattr(tally, "story_of", unreadable)
    now(played.reset_statistics(by=Acting(who="local:ann", reason="")))
    with capture_logs() as logs:
        now(StatisticsCounter(played, Clock(), lambda: True).run())
    assert [(line["event"], line["log_level"], line["number"]) for line in logs] == [
        ("statistics.unread_hand", "critical", bad.number)
    ]
    assert set(logs[0]) == {"event", "log_level", "number", "advice"}
    counted = everything(played)
    assert counted != before
    result = commands.said(played, statistics_commands, "rebuild")
    assert result.exit_code == 1
    assert f"1 hands cannot be read, by their numbers: {bad.number}. " in result.stderr
    assert everything(played) == counted
    monkeypatch.undo()
    assert commands.said(played, statistics_commands, "rebuild").exit_code == 0
    assert everything(played) == before


def test_only_the_leader_counts() -> None:
    """A node that does not lead asks for nothing."""
    ledger = MemoryLedger()
    now(StatisticsCounter(ledger, Clock(), lambda: False).run())
    assert now(ledger.count_statistics(tally_of)).to > 0  # the genesis was not counted before

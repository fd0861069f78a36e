"""The part of every ledger's contract that keeps the operators' log. `OperatorsLog` is mixed into `Contract`."""

import pytest

from pokerroom.ledger.operator_log import (
    NO_HASH,
    RARE_PER_HOUR,
    SAME_PER_HOUR,
    STRANGER,
    Act,
    Acting,
    LogHead,
    LogQuery,
    hash_of,
)

ANN = Acting(who="ann", role="floor", reason="the disk is slow", address="192.0.2.7")
BEN = Acting(who="local:ben", role="admin")


def freeze(table, by=ANN, result="ordered"):
    return Act(by=by, verb="table.freeze", subject=table, arguments={"node": None, "n": 3}, result=result)


def refused(address):
    by = Acting(who=STRANGER.who, address=address)
    return Act(by=by, verb="log_in.delayed", subject="account:7", arguments={"wait_s": 4}, result="refused")


class OperatorsLog:
    """Lines, their chain, and their bounds."""

    def test_lines_are_kept_as_they_were_told(self, run, ledger):
        """With numbers from 1, the time, and text of any language."""
        assert run(ledger.log_head()) == LogHead()
        assert run(ledger.record(freeze("T1"))) == 1
        odd = Acting(who="bän", role="", reason='quo"te, {brace}, 12:,', address="")
        act = Act(by=odd, verb="cashier.open", subject="", arguments={"ü": "ß\n", "yes": True}, result="done")
        assert run(ledger.record(act)) == 2
        second, first = run(ledger.log_lines(LogQuery()))
        assert (first.n, first.by, first.verb, first.subject, first.result) == (
            1, ANN, "table.freeze", "T1", "ordered",
        )  # fmt: skip
        assert first.named() == {"node": None, "n": 3}
        assert (second.by, second.named()) == (odd, {"ü": "ß\n", "yes": True})
        assert 0 <= first.at_ms <= second.at_ms
        assert run(ledger.audit()).log_lines == 2

    def test_each_line_has_the_hash_of_the_one_before(self, run, ledger):
        """Every adapter makes the same hash of the same line; the head is the last one."""
        for number in range(3):
            run(ledger.record(freeze(f"T{number}")))
        lines = run(ledger.log_lines(LogQuery()))[::-1]
        assert [line.prev_hash for line in lines] == [NO_HASH, lines[0].hash, lines[1].hash]
        assert [line.hash for line in lines] == [hash_of(line) for line in lines]
        assert run(ledger.log_head()) == LogHead(n=3, hash=lines[-1].hash)

    def test_lines_are_found_by_actor_verb_and_time(self, run, ledger):
        """The newest first, as many as are asked for; a group of verbs is found by its name."""
        for act in (freeze("T1"), freeze("T2", BEN), Act(by=BEN, verb="tablet.open"), freeze("T3")):
            run(ledger.record(act))

        def found(**query):
            return [line.n for line in run(ledger.log_lines(LogQuery(**query)))]

        assert found() == [4, 3, 2, 1]
        assert found(who="ann") == [4, 1]
        assert found(verb="table.freeze") == found(verb="table") == [4, 2, 1]
        assert found(verb="table", who="local:ben") == [2]
        assert found(before=3) == [2, 1]
        assert found(limit=1) == [4]
        last = run(ledger.log_lines(LogQuery(limit=1)))[0]
        assert 4 in found(since_ms=last.at_ms)
        assert found(since_ms=last.at_ms + 1) == []

    def test_what_strangers_cause_is_bounded(self, run, ledger):
        """A storm from one address has few lines in an hour, a storm from all over the world has some more."""
        for _ in range(SAME_PER_HOUR + 5):
            run(ledger.record_rarely(refused("192.0.2.1")))
        assert run(ledger.log_head()).n == SAME_PER_HOUR
        written = [run(ledger.record_rarely(refused(f"10.0.0.{n}"))) for n in range(RARE_PER_HOUR + 5)]
        assert sum(number is not None for number in written) == RARE_PER_HOUR - SAME_PER_HOUR
        assert run(ledger.log_head()).n == RARE_PER_HOUR
        assert run(ledger.record(freeze("T1"))) == RARE_PER_HOUR + 1

    @pytest.mark.parametrize("name", ["password", "new_password", "token", "hole_cards", "code", "secret"])
    def test_an_argument_that_is_a_secret_is_refused(self, name):
        """It is a bug of the caller, found before anything is written."""
        with pytest.raises(ValueError, match="does not belong in the log"):
            Act(by=ANN, verb="table.freeze", arguments={name: "x"})

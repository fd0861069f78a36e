"""The part of every ledger's contract that keeps the operators' log. `OperatorsLog` is mixed into `Contract`."""

from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.api import InsufficientBalance
from pokerroom.ledger.cashier import CashDecided, UnknownSource
from pokerroom.ledger.offers import OfferChange
from pokerroom.ledger.operator_log import (
    NO_HASH,
    RARE_PER_HOUR,
    SAME_PER_HOUR,
    STRANGER,
    Acting,
    LoggedAct,
    LogHead,
    LogQuery,
    hash_of,
)
from pokerroom.ledger.operators import Role
from tests.ledger.contract import opened
from tests.ledger.contract_of_adjustments import to_wallet
from tests.ledger.contract_of_cashier import asked
from tests.ledger.contract_of_scheduled_tournaments import scheduled
from tests.ledger.contract_of_tickets import gift

ANN = Acting(who="ann", role="floor", reason="the disk is slow", address="192.0.2.7")
BEN = Acting(who="local:ben", role="admin")


def freeze(table, by=ANN, result="ordered"):
    return LoggedAct(
        by=by, verb="table.freeze", subject=table, arguments={"node": None, "n": 3}, result=result
    )


def refused(address):
    by = Acting(who=STRANGER, address=address)
    return LoggedAct(
        by=by, verb="log_in.delayed", subject="account:7", arguments={"wait_s": 4}, result="refused"
    )


SECRET = "swordfish-4711"
SECRETS = SECRET.encode(), SECRET.encode().hex().encode()

CHANGES = [
    (lambda ledger, by: ledger.open_source("wire", by=by), "cashier.open", "wire", {}),
    (lambda ledger, by: ledger.close_source("cash", by=by), "cashier.close", "cash", {}),
    (
        lambda ledger, by: ledger.fund_source("f2", "cash", Money(5), by=by),
        "cashier.fund",
        "cash",
        {"amount": 5, "key": "f2"},
    ),
    (
        lambda ledger, by: ledger.request_cash(asked(1, 7, kind="withdrawal"), 3, by=by),
        "cashier.withdraw",
        "account:1",
        {"amount": 7, "key": "key-0001", "number": 2, "source": "cash"},
    ),
    (
        lambda ledger, by: ledger.request_cash(asked(1, 7), 3, by=by),
        "cashier.deposit",
        "account:1",
        {"amount": 7, "key": "key-0001", "number": 2, "source": "cash"},
    ),
    (
        lambda ledger, by: ledger.decide_cash(1, approve=True, note="seen", by=by),
        "cashier.approve",
        "account:1",
        {"amount": 9, "kind": "deposit", "note": "seen", "number": 1, "source": "cash"},
    ),
    (
        lambda ledger, by: ledger.decide_cash(1, approve=False, note="", by=by),
        "cashier.refuse",
        "account:1",
        {"amount": 9, "kind": "deposit", "note": "", "number": 1, "source": "cash"},
    ),
    (
        lambda ledger, by: ledger.adjust(to_wallet(1, -7), by=by),
        "cashier.adjust",
        "account:1",
        {"amount": -7, "key": "fix-1", "number": 1, "source": "cash"},
    ),
    (
        lambda ledger, by: ledger.give_ticket(gift(1, key="g2"), by=by),
        "cashier.give_ticket",
        "account:1",
        {"days": 30, "key": "g2", "number": 2, "offer": "sun", "source": "cash", "value": 300},
    ),
    (
        lambda ledger, by: ledger.end_ticket(1, by=by),
        "cashier.end_ticket",
        "account:1",
        {"number": 1, "offer": "sun", "value": 300},
    ),
    (lambda ledger, by: ledger.reset_statistics(by=by), "statistics.rebuild", "", {}),
    (lambda ledger, by: ledger.set_four_eyes(on=True, by=by), "cashier.four_eyes", "", {"on": True}),
    (
        lambda ledger, by: ledger.change_password(1, SECRET, by=by),
        "password.changed",
        "account:1",
        {"sessions_ended": 2},
    ),
    (lambda ledger, by: ledger.end_sessions(1, by=by), "sessions.ended", "account:1", {"count": 2}),
    (
        lambda ledger, by: ledger.replace_recovery_codes(1, [SECRETS[0], b"2"], by=by),
        "recovery_codes.made",
        "account:1",
        {"count": 2},
    ),
    (
        lambda ledger, by: ledger.add_recovery_code(1, SECRETS[0], 60, by=by),
        "account.recovery_code",
        "account:1",
        {"valid_s": 60},
    ),
    (
        lambda ledger, by: ledger.recover_account(1, b"own", SECRET, by=by),
        "account.recovered",
        "account:1",
        {"by_operator": False, "sessions_ended": 2},
    ),
    (lambda ledger, by: ledger.use_recovery_code(1, b"own", by=by), "recovery_code.used", "account:1", {}),
    (
        lambda ledger, by: ledger.begin_second_factor(2, SECRETS[0], by=by),
        "second_factor.begun",
        "account:2",
        {},
    ),
    (lambda ledger, by: ledger.use_second_factor(1, 5, by=by), "second_factor.confirmed", "account:1", {}),
    (lambda ledger, by: ledger.end_second_factor(1, by=by), "second_factor.ended", "account:1", {}),
    (
        lambda ledger, by: ledger.delete_account(3, None, by=by),
        "account.delete",
        "account:3",
        {"returned": 0},
    ),
    (
        lambda ledger, by: ledger.add_operator("zoe", Role.FLOOR, SECRETS[0], by=by),
        "operator.add",
        "zoe",
        {"role": "floor"},
    ),
    (lambda ledger, by: ledger.replace_operator_token("pat", SECRETS[0], by=by), "operator.token", "pat", {}),
    (
        lambda ledger, by: ledger.change_offer(
            OfferChange(offer="six", standing="retired", kind="sit_and_go"), by=by
        ),
        "offer.change",
        "six",
        {"number": 1, "standing": "retired"},
    ),
    (lambda ledger, by: ledger.revoke_operator("pat", by=by), "operator.revoke", "pat", {}),
]
"""What changes the ledger and has an actor, with the line that it writes. `changed` prepares it."""

REPEATS = [
    lambda ledger: ledger.open_source("cash"),
    lambda ledger: ledger.fund_source("f1", "cash", Money(5_000)),
    lambda ledger: ledger.request_cash(asked(1, 9, key="asked-1"), 3, by=ANN),
    lambda ledger: ledger.end_sessions(1, 99, by=ANN),
    lambda ledger: ledger.end_sessions(1),
    lambda ledger: ledger.recover_account(1, b"none", "hash", by=ANN),
    lambda ledger: ledger.use_recovery_code(1, b"none", by=ANN),
    lambda ledger: ledger.use_second_factor(1, 0, by=ANN),
    lambda ledger: ledger.end_second_factor(2, by=ANN),
]
"""What changes nothing, or is a log-out: it has no line."""


def prepared(run, ledger):
    """Players with sessions, codes and a second factor, a request, a source and an operator; the last line."""
    opened(run, ledger, "alice", "bob")
    opened(run, ledger, "carol", opening=0)
    run(ledger.open_source("cash"))
    run(ledger.fund_source("f1", "cash", Money(5_000)))
    run(ledger.request_cash(asked(1, 9, key="asked-1"), 3))
    run(ledger.open_tournament(scheduled()))
    run(ledger.give_ticket(gift(1), by=ANN))
    for name in (b"a", b"b"):
        run(ledger.open_session(1, name.ljust(32, b"-")))
    run(ledger.replace_recovery_codes(1, [b"own"]))
    run(ledger.begin_second_factor(1, b"sealed"))
    run(ledger.add_operator("pat", Role.CASHIER, b"token"))
    return run(ledger.log_head()).n


class OperatorsLog:
    """Lines, their chain, and their bounds."""

    @pytest.mark.parametrize(("change", "verb", "subject", "named"), CHANGES, ids=[row[1] for row in CHANGES])
    def test_a_change_has_its_line(self, run, ledger, change, verb, subject, named):  # noqa: PLR0917 -- of the table
        """With the actor, and without a password, a code, a token or a secret."""
        last = prepared(run, ledger)
        run(change(ledger, ANN))
        (line,) = run(ledger.log_lines(LogQuery(limit=1)))
        assert (line.n, line.by, line.verb, line.subject) == (last + 1, ANN, verb, subject)
        assert line.named() == named
        assert not any(secret in repr(line).encode() for secret in SECRETS)

    def test_sessions_that_are_ended_again_and_again_have_few_lines(self, run, ledger):
        """They end all the same; another account has its own lines."""
        prepared(run, ledger)
        for number in range(SAME_PER_HOUR + 5):
            run(ledger.open_session(1, str(number).encode().ljust(32, b"-")))
            assert run(ledger.end_sessions(1, by=ANN)) != []
        run(ledger.open_session(2, b"z" * 32))
        run(ledger.end_sessions(2, by=ANN))
        lines = run(ledger.log_lines(LogQuery(verb="sessions.ended")))
        assert [line.subject for line in lines] == ["account:2", *["account:1"] * SAME_PER_HOUR]

    def test_what_changes_nothing_has_no_line(self, run, ledger):
        """A repeated command, a wrong code, a log-out."""
        last = prepared(run, ledger)
        for change in REPEATS:
            run(change(ledger))
            assert run(ledger.log_head()).n == last

    def test_a_change_that_is_refused_has_no_line(self, run, ledger):
        """Its caller may write one."""
        last = prepared(run, ledger)
        run(ledger.decide_cash(1, approve=False, note="", by=ANN))
        with pytest.raises(CashDecided):
            run(ledger.decide_cash(1, approve=True, note="", by=ANN))
        with pytest.raises(UnknownSource):
            run(ledger.close_source("none", by=ANN))
        with pytest.raises(InsufficientBalance):
            run(ledger.request_cash(asked(1, 10_001, key="k", kind="withdrawal"), 3, by=ANN))
        assert run(ledger.log_head()).n == last + 1

    def test_lines_are_kept_as_they_were_told(self, run, ledger):
        """With numbers from 1, the time, and text of any language."""
        assert run(ledger.log_head()) == LogHead()
        assert run(ledger.record(freeze("T1"))) == 1
        odd = Acting(who="bän", role="", reason='quo"te, {brace}, 12:,', address="")
        act = LoggedAct(
            by=odd, verb="cashier.open", subject="", arguments={"ü": "ß\n", "yes": True}, result="done"
        )
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
        for act in (freeze("T1"), freeze("T2", BEN), LoggedAct(by=BEN, verb="tablet.open"), freeze("T3")):
            run(ledger.record(act))

        def found(**query):
            return [line.n for line in run(ledger.log_lines(LogQuery(**query)))]

        assert found() == [4, 3, 2, 1]
        assert found(who="ann") == [4, 1]
        assert found(verb="table.freeze") == found(verb="table") == [4, 2, 1]
        assert found(verb="table", who="local:ben") == [2]
        assert found(before=3) == [2, 1]
        assert found(limit=1) == [4]
        assert found(skip=1, limit=2) == [3, 2]
        assert found(subject="T2") == [2]
        assert found(subject="T2", verb="tablet") == []
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

    def test_a_storm_of_strangers_does_not_hide_an_operator(self, run, ledger):
        """Their lines are all used up, those of a known actor are not."""
        for n in range(RARE_PER_HOUR):
            run(ledger.record_rarely(refused(f"10.0.0.{n}")))
        assert run(ledger.record_rarely(refused("10.0.1.1"))) is None
        told = [run(ledger.record_rarely(replace(refused(""), by=ANN))) for _ in range(SAME_PER_HOUR + 2)]
        assert sum(number is not None for number in told) == SAME_PER_HOUR

    @pytest.mark.parametrize("name", ["password", "new_password", "token", "hole_cards", "code", "secret"])
    def test_an_argument_that_is_a_secret_is_refused(self, name):
        """It is a bug of the caller, found before anything is written."""
        with pytest.raises(ValueError, match="does not belong in the log"):
            LoggedAct(by=ANN, verb="table.freeze", arguments={name: "x"})

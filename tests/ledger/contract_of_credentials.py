"""What every adapter of the ledger must do with sessions: run by `test_memory` and `test_postgres` alike."""

import pytest

from pokerroom.ledger.api import LedgerConflict
from pokerroom.ledger.credentials import (
    SESSIONS_MAX,
    Device,
    PasswordChanged,
    SecondFactorRow,
    SessionLifetime,
    SessionOver,
)
from tests.ledger.contract import opened

PHONE = Device(client="phone 1.0", address="192.0.2.*")
OVER = SessionLifetime(idle_s=0, absolute_s=1_000)
TOO_OLD = SessionLifetime(idle_s=1_000, absolute_s=0)


def token(name):
    """The hash of a token."""
    return name.encode().ljust(32, b"-")


class Credentials:
    """Sessions of accounts."""

    def test_a_session_is_found_until_it_is_closed(self, run, ledger):
        """A token's hash leads to its account; ending it ends that session only, twice is no error."""
        alice, bob = opened(run, ledger, "alice", "bob")
        first = run(ledger.open_session(alice, token("a")))
        assert run(ledger.open_session(bob, token("b"))) != first
        found = run(ledger.find_session(token("a")))
        assert found.account == run(ledger.find_account("alice"))
        assert (found.session, found.is_earlier, found.token_age_s) == (first, False, 0)
        assert found.overview == run(ledger.overview(alice))
        assert run(ledger.end_sessions(alice, first)) == [first]
        assert run(ledger.end_sessions(alice, first)) == []
        assert run(ledger.find_session(token("a"))) is None
        assert run(ledger.find_session(token("b"))).account.account == bob

    def test_a_session_opened_again_is_the_same_session(self, run, ledger):
        """Repeating after an unknown outcome is no error; another account with that token is a bug."""
        alice, bob = opened(run, ledger, "alice", "bob")
        first = run(ledger.open_session(alice, token("a")))
        assert run(ledger.open_session(alice, token("a"))) == first
        with pytest.raises(LedgerConflict):
            run(ledger.open_session(bob, token("a")))
        assert run(ledger.find_session(token("a"))).account.account == alice

    def test_a_session_ends_without_use_and_by_age(self, run, ledger):
        """Neither its token nor the list of devices knows it then."""
        (alice,) = opened(run, ledger, "alice")
        session = run(ledger.open_session(alice, token("a")))
        for lifetime in (OVER, TOO_OLD):
            assert run(ledger.find_session(token("a"), None, lifetime)) is None
            assert run(ledger.sessions_of(alice, lifetime)) == []
            assert run(ledger.use_sessions([session], lifetime)) == frozenset()
        assert run(ledger.find_session(token("a"))) is not None
        assert run(ledger.use_sessions([session, session + 99])) == {session}

    def test_a_new_token_replaces_the_old_one_after_an_overlap(self, run, ledger):
        """Both lead to the session meanwhile, with one salt; the token before them leads nowhere."""
        (alice,) = opened(run, ledger, "alice")
        session = run(ledger.open_session(alice, token("a")))
        salt = run(ledger.find_session(token("a"))).salt
        assert len(salt) == 16
        run(ledger.rotate_session(token("a"), token("b"), 1_000))
        old, new = run(ledger.find_session(token("a"))), run(ledger.find_session(token("b")))
        assert (old.session, old.is_earlier, old.salt) == (session, True, salt)
        assert (new.session, new.is_earlier, new.salt) == (session, False, salt)
        run(ledger.rotate_session(token("a"), token("x"), 1_000))  # another connection was faster
        assert run(ledger.find_session(token("x"))) is None
        run(ledger.rotate_session(token("b"), token("c"), 0))
        assert run(ledger.find_session(token("a"))) is None
        assert run(ledger.find_session(token("b"))) is None
        assert run(ledger.find_session(token("c"))).session == session

    def test_the_sessions_of_an_account_are_listed(self, run, ledger):
        """With device and times, the one used last first; those of other accounts are not."""
        alice, bob = opened(run, ledger, "alice", "bob")
        first = run(ledger.open_session(alice, token("a"), PHONE))
        second = run(ledger.open_session(alice, token("b")))
        run(ledger.open_session(bob, token("c")))
        rows = run(ledger.sessions_of(alice))
        assert [(row.session, row.device) for row in rows] == [(second, Device()), (first, PHONE)]
        assert all(0 <= row.opened_ms <= row.seen_ms for row in rows)
        run(ledger.find_session(token("b"), PHONE))
        assert [row.device for row in run(ledger.sessions_of(alice))] == [PHONE, PHONE]

    def test_one_session_is_ended_or_all_but_one(self, run, ledger):
        """Only sessions of the account end, and their numbers are returned."""
        alice, bob = opened(run, ledger, "alice", "bob")
        first, second, third = (run(ledger.open_session(alice, token(name))) for name in "abc")
        other = run(ledger.open_session(bob, token("x")))
        assert run(ledger.end_sessions(alice, other)) == []
        assert run(ledger.end_sessions(alice, second)) == [second]
        assert run(ledger.end_sessions(alice, second)) == []
        assert run(ledger.end_sessions(alice, but=third)) == [first]
        assert run(ledger.find_session(token("a"))) is None
        assert run(ledger.find_session(token("c"))).session == third
        assert run(ledger.end_sessions(alice)) == [third]
        assert run(ledger.find_session(token("x"))).session == other

    def test_an_account_has_a_limited_number_of_sessions(self, run, ledger):
        """One more ends the one that was not used for the longest time."""
        (alice,) = opened(run, ledger, "alice")
        numbers = [run(ledger.open_session(alice, token(str(n)))) for n in range(SESSIONS_MAX + 2)]
        rows = run(ledger.sessions_of(alice))
        assert sorted(row.session for row in rows) == numbers[2:]

    def test_sessions_that_are_over_are_removed_at_the_next_log_in(self, run, ledger):
        """They do not come back when the settings name a longer lifetime."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.open_session(alice, token("a")))
        second = run(ledger.open_session(alice, token("b"), Device(), OVER))
        assert [row.session for row in run(ledger.sessions_of(alice))] == [second]

    def test_a_new_password_ends_all_other_sessions(self, run, ledger):
        """The session that changed it goes on; other accounts keep theirs. An unknown account has no password."""
        alice, bob = opened(run, ledger, "alice", "bob")
        first, second = (run(ledger.open_session(alice, token(name))) for name in "ab")
        run(ledger.open_session(bob, token("x")))
        assert run(ledger.change_password(alice, "new hash", but=first)) == [second]
        assert run(ledger.find_account("alice")).password_hash == "new hash"
        assert run(ledger.find_account("bob")).password_hash == "hash of bob"
        assert run(ledger.find_session(token("a"))).account.password_hash == "new hash"
        assert run(ledger.find_session(token("b"))) is None
        assert run(ledger.find_session(token("x"))) is not None
        assert run(ledger.change_password(alice, "newer hash")) == [first]
        with pytest.raises(LookupError):
            run(ledger.change_password(99, "hash"))

    def test_a_password_that_is_not_the_accounts_any_more_opens_no_session(self, run, ledger):
        """A log-in that verified it before its change would outlive the change."""
        (alice,) = opened(run, ledger, "alice")
        assert run(ledger.open_session(alice, token("a"), password_hash="hash of alice"))
        run(ledger.change_password(alice, "new hash"))
        with pytest.raises(PasswordChanged):
            run(ledger.open_session(alice, token("b"), password_hash="hash of alice"))
        assert run(ledger.sessions_of(alice)) == []
        assert run(ledger.open_session(alice, token("b"), password_hash="new hash"))

    def test_a_session_that_has_ended_sets_no_password(self, run, ledger):
        """It was ended by another one, while its own request was on its way."""
        (alice,) = opened(run, ledger, "alice")
        session = run(ledger.open_session(alice, token("a")))
        run(ledger.end_sessions(alice, session))
        with pytest.raises(SessionOver):
            run(ledger.change_password(alice, "new hash", but=session))
        assert run(ledger.find_account("alice")).password_hash == "hash of alice"

    def test_a_recovery_code_sets_a_new_password_once(self, run, ledger):
        """It ends all sessions; the same code again changes nothing, nor does one of another account."""
        alice, bob = opened(run, ledger, "alice", "bob")
        session = run(ledger.open_session(alice, token("a")))
        run(ledger.replace_recovery_codes(alice, [b"one", b"two"]))
        assert (run(ledger.recovery_codes_left(alice)), run(ledger.recovery_codes_left(bob))) == (2, 0)
        assert run(ledger.recover_account(bob, b"one", "stolen")) is None
        assert run(ledger.recover_account(alice, b"none", "stolen")) is None
        assert run(ledger.find_session(token("a"))) is not None
        assert run(ledger.recover_account(alice, b"one", "new hash")) == [session]
        assert run(ledger.find_account("alice")).password_hash == "new hash"
        assert run(ledger.find_session(token("a"))) is None
        assert run(ledger.recover_account(alice, b"one", "newer hash")) is None
        assert run(ledger.find_account("alice")).password_hash == "new hash"
        assert run(ledger.recovery_codes_left(alice)) == 1

    def test_new_recovery_codes_replace_the_old_ones(self, run, ledger):
        """A lost list is void; a code of the operator is not on it."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.replace_recovery_codes(alice, [b"one", b"two"]))
        run(ledger.add_recovery_code(alice, b"operator", 1_000))
        run(ledger.replace_recovery_codes(alice, [b"three"]))
        assert run(ledger.recovery_codes_left(alice)) == 1
        assert run(ledger.recover_account(alice, b"one", "hash")) is None
        assert run(ledger.recover_account(alice, b"three", "hash")) == []
        assert run(ledger.recover_account(alice, b"operator", "hash")) == []
        with pytest.raises(LookupError):
            run(ledger.replace_recovery_codes(99, [b"one"]))

    def test_recovery_codes_do_not_outlive_a_change_of_the_password(self, run, ledger):
        """A thief who knew the old password may have made them. Those of other accounts stay."""
        alice, bob = opened(run, ledger, "alice", "bob")
        session = run(ledger.open_session(alice, token("a")))
        for account in (alice, bob):
            run(ledger.replace_recovery_codes(account, [b"one", b"two"]))
            run(ledger.add_recovery_code(account, b"operator", 1_000))
        run(ledger.end_sessions(alice, session))
        with pytest.raises(SessionOver):
            run(ledger.change_password(alice, "new hash", but=session))
        assert run(ledger.recovery_codes_left(alice)) == 2
        run(ledger.change_password(alice, "new hash"))
        assert run(ledger.recovery_codes_left(alice)) == 0
        for code in (b"one", b"operator"):
            assert run(ledger.recover_account(alice, code, "hash")) is None
        assert run(ledger.recovery_codes_left(bob)) == 2

    def test_a_code_of_the_operator_voids_all_others(self, run, ledger):
        """The player has lost them, or a thief has made them. A player's own code leaves the rest of the list."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.replace_recovery_codes(alice, [b"one", b"two", b"three"]))
        run(ledger.recover_account(alice, b"one", "hash"))
        assert run(ledger.recovery_codes_left(alice)) == 2
        run(ledger.add_recovery_code(alice, b"operator", 1_000))
        assert run(ledger.recover_account(alice, b"operator", "hash")) == []
        assert run(ledger.recovery_codes_left(alice)) == 0
        with pytest.raises(LookupError):
            run(ledger.recover_account(99, b"one", "hash"))

    def test_a_recovery_code_can_be_looked_at(self, run, ledger):
        """It is not used up, and one that is over is none."""
        alice, bob = opened(run, ledger, "alice", "bob")
        run(ledger.replace_recovery_codes(alice, [b"one"]))
        run(ledger.add_recovery_code(alice, b"late", 0))
        found = [
            run(ledger.has_recovery_code(*one)) for one in [(alice, b"one"), (alice, b"late"), (bob, b"one")]
        ]
        assert found == [True, False, False]
        assert run(ledger.use_recovery_code(alice, b"one")) is True
        assert run(ledger.has_recovery_code(alice, b"one")) is False

    def test_a_code_of_the_operator_ends(self, run, ledger):
        """By its time, and when the operator issues another."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.add_recovery_code(alice, b"late", 0))
        assert run(ledger.recover_account(alice, b"late", "hash")) is None
        run(ledger.add_recovery_code(alice, b"first", 1_000))
        run(ledger.add_recovery_code(alice, b"second", 1_000))
        assert run(ledger.recover_account(alice, b"first", "hash")) is None
        assert run(ledger.recover_account(alice, b"second", "hash")) == []
        with pytest.raises(LookupError):
            run(ledger.add_recovery_code(99, b"one", 1))

    def test_a_second_factor_counts_once_it_is_confirmed(self, run, ledger):
        """Until then another secret replaces it; after that it stays until it is ended."""
        (alice,) = opened(run, ledger, "alice")
        assert run(ledger.second_factor(alice)) is None
        assert run(ledger.use_second_factor(alice, 7)) is False
        assert run(ledger.begin_second_factor(alice, b"first")) is True
        assert run(ledger.begin_second_factor(alice, b"second")) is True
        expected = SecondFactorRow(sealed=b"second", confirmed=False, last_step=0)
        assert run(ledger.second_factor(alice)) == expected
        assert run(ledger.use_second_factor(alice, 7)) is True
        assert run(ledger.begin_second_factor(alice, b"third")) is False
        expected = SecondFactorRow(sealed=b"second", confirmed=True, last_step=7)
        assert run(ledger.second_factor(alice)) == expected
        run(ledger.end_second_factor(alice))
        run(ledger.end_second_factor(alice))
        assert run(ledger.second_factor(alice)) is None
        with pytest.raises(LookupError):
            run(ledger.begin_second_factor(99, b"first"))

    def test_a_code_of_a_second_factor_is_used_once(self, run, ledger):
        """Neither it nor an earlier one is taken again."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.begin_second_factor(alice, b"sealed"))
        used = [run(ledger.use_second_factor(alice, step)) for step in (7, 7, 6, 8)]
        assert used == [True, False, False, True]

    def test_a_recovery_code_is_used_once_as_a_second_factor(self, run, ledger):
        """It is no longer valid for a new password then."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.replace_recovery_codes(alice, [b"one"]))
        assert run(ledger.use_recovery_code(alice, b"two")) is False
        assert run(ledger.use_recovery_code(alice, b"one")) is True
        assert run(ledger.use_recovery_code(alice, b"one")) is False
        assert run(ledger.recover_account(alice, b"one", "hash")) is None

    def test_the_log_in_before_the_last_is_known(self, run, ledger, later):
        """None before the first one with a password; a session that is resumed or repeated is none."""
        (alice,) = opened(run, ledger, "alice")
        run(ledger.open_session(alice, b"1" * 32))
        assert run(ledger.overview(alice)).last_log_in_ms is None
        for token in (b"2", b"3", b"3"):
            later(60)
            run(ledger.open_session(alice, token * 32, password_hash="hash of alice"))
        first = run(ledger.overview(alice)).last_log_in_ms
        later(60)
        run(ledger.open_session(alice, b"4" * 32, password_hash="hash of alice"))
        last = run(ledger.overview(alice)).last_log_in_ms
        assert first is not None
        assert last is not None

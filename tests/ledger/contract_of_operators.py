"""What every adapter of the ledger must do with operators: run by `test_memory` and `test_postgres` alike."""

import pytest

from pokerroom.ledger.operators import (
    OperatorExists,
    OperatorUnknown,
    Role,
    operator_token_hash,
)

ONE, TWO = (operator_token_hash(name) for name in ("one", "two"))


class Operators:
    """Accounts of operators, and their tokens."""

    def test_an_operator_is_found_by_its_token(self, run, ledger):
        """With its role; another token finds nothing."""
        run(ledger.add_operator("ann", Role.FLOOR, ONE))
        found = run(ledger.find_operator(ONE))
        assert (found.name, found.role, found.expires_ms, found.is_revoked) == (
            "ann",
            Role.FLOOR,
            None,
            False,
        )
        assert run(ledger.find_operator(TWO)) is None
        assert run(ledger.operators()) == [found]

    def test_a_new_token_replaces_the_old_one(self, run, ledger):
        """At once."""
        run(ledger.add_operator("ann", Role.ADMIN, ONE))
        run(ledger.replace_operator_token("ann", TWO))
        assert run(ledger.find_operator(ONE)) is None
        assert run(ledger.find_operator(TWO)).name == "ann"

    def test_a_token_expires(self, run, ledger):
        """It finds nothing then; the operator stays, and a new token works."""
        run(ledger.add_operator("ann", Role.VIEWER, ONE, 0))
        assert run(ledger.find_operator(ONE)) is None
        [row] = run(ledger.operators())
        assert row.expires_ms <= row.created_ms
        run(ledger.replace_operator_token("ann", TWO, 1_000))
        assert run(ledger.find_operator(TWO)).expires_ms >= row.created_ms + 1_000_000

    def test_a_revoked_operator_has_no_token_ever_again(self, run, ledger):
        """Its token is void, it gets no other one, and its name is not given again."""
        run(ledger.add_operator("ann", Role.ADMIN, ONE))
        run(ledger.revoke_operator("ann"))
        run(ledger.revoke_operator("ann"))
        assert run(ledger.find_operator(ONE)) is None
        with pytest.raises(OperatorUnknown):
            run(ledger.replace_operator_token("ann", TWO))
        with pytest.raises(OperatorExists):
            run(ledger.add_operator("ann", Role.VIEWER, TWO))
        [row] = run(ledger.operators())
        assert (row.is_revoked, row.role) == (True, Role.ADMIN)

    def test_an_unknown_operator_is_refused(self, run, ledger):
        """Nothing is changed."""
        for refused in (ledger.revoke_operator, lambda name: ledger.replace_operator_token(name, ONE)):
            with pytest.raises(OperatorUnknown):
                run(refused("bob"))
        assert run(ledger.operators()) == []

    @pytest.mark.parametrize("name", ["", "Ann", "local:root", "a b", "a" * 33, "-ann", "ann\n"])
    def test_a_name_is_plain(self, run, ledger, name):
        """No operator can be taken for a user of the machine, or for another one."""
        with pytest.raises(ValueError, match="1 to 32 characters"):
            run(ledger.add_operator(name, Role.ADMIN, ONE))

    def test_a_players_session_is_no_operator(self, run, ledger):
        """The two kinds of tokens are kept apart."""
        account = run(ledger.create_account("ann", "hash", 0)).account
        run(ledger.open_session(account, ONE))
        assert run(ledger.find_operator(ONE)) is None

"""The part of every ledger's contract about hands that are shared by a link. `Sharing` is mixed into `Contract`."""

import json
from hashlib import sha256

import pytest

from pokerroom.ledger.account_standing import AccountLocked
from pokerroom.ledger.operator_log import THE_ROOM
from pokerroom.ledger.shared_hands import (
    LINKS_MAX,
    HandLinkRow,
    SharedHandRow,
    ShareOptions,
    TooManyHandLinks,
    UnknownHand,
)
from tests.ledger.contract import cash_out, hand, seated
from tests.ledger.contract_of_account_history import stacks

OWN = ShareOptions(names="own", own_cards=True)
ALL = ShareOptions(names="all", own_cards=True)
BARE = ShareOptions(names="none", own_cards=False)


def shared(run, ledger, account, hand_id, options=OWN, code=b"a"):  # noqa: PLR0917 -- as the ledger has them
    return run(ledger.share_hand(account, hand_id, options, sha256(code).digest(), b"sealed " + code))


def behind(run, ledger, code):
    return run(ledger.shared_hand(sha256(code).digest()))


class Sharing:
    """Wallets begin with 10,000; `carol` has a seat and was not dealt in."""

    def test_a_link_leads_to_the_hand(self, run, ledger):
        """With the account and its options; the same options give the same link again, others another one."""
        alice, bob, _ = seated(run, ledger, "alice", "bob", "carol")
        record = {"seats": [stacks(alice, 10), stacks(bob, -10)], "cards": 1}
        run(ledger.settle([hand("h1", {alice: 10, bob: -10}, record=json.dumps(record).encode())]))
        first = HandLinkRow(hand_id="h1", options=OWN, sealed=b"sealed a")
        assert shared(run, ledger, alice, "h1") == first
        assert shared(run, ledger, alice, "h1", code=b"b") == first
        assert behind(run, ledger, b"b") is None
        others = [shared(run, ledger, alice, "h1", ALL, b"c"), shared(run, ledger, alice, "h1", BARE, b"d")]
        theirs = shared(run, ledger, bob, "h1", code=b"e")
        assert [row.sealed for row in (*others, theirs)] == [b"sealed c", b"sealed d", b"sealed e"]
        assert run(ledger.hand_links(alice)) == [others[1], others[0], first]
        assert run(ledger.hand_links(bob)) == [theirs]
        for code, account, options in [(b"a", alice, OWN), (b"d", alice, BARE), (b"e", bob, OWN)]:
            found = behind(run, ledger, code)
            assert found == SharedHandRow(account=account, options=options, record=found.record)
            assert json.loads(found.record) == record
            assert "cards" not in repr(found).replace("own_cards", "")
        assert "sealed" not in repr(first)

    def test_only_a_hand_that_the_account_was_dealt_into_is_shared(self, run, ledger):
        """And one that is settled; a refusal changes nothing."""
        alice, bob, carol = seated(run, ledger, "alice", "bob", "carol")
        run(ledger.settle([hand("h1", {alice: 10, bob: -10})]))
        for account, hand_id in [(carol, "h1"), (alice, "h2")]:
            with pytest.raises(UnknownHand):
                shared(run, ledger, account, hand_id)
            assert run(ledger.hand_links(account)) == []
        with pytest.raises(LookupError):
            shared(run, ledger, 99, "h1")
        run(ledger.lock_out(alice, by=THE_ROOM))
        with pytest.raises(AccountLocked):
            shared(run, ledger, alice, "h1")
        assert behind(run, ledger, b"a") is None

    def test_links_are_taken_back(self, run, ledger):
        """All of one hand and one account; then the code leads nowhere, and a new link has another code."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(ledger.settle([hand("h1", {alice: 10, bob: -10}), hand("h2", {alice: 10, bob: -10})]))
        for number, (account, hand_id, options) in enumerate(
            [(alice, "h1", OWN), (alice, "h1", ALL), (alice, "h2", OWN), (bob, "h1", OWN)]
        ):
            shared(run, ledger, account, hand_id, options, b"%d" % number)
        run(ledger.unshare_hand(alice, "h1"))
        run(ledger.unshare_hand(alice, "h1"))
        run(ledger.unshare_hand(alice, "h9"))
        assert [behind(run, ledger, b"%d" % number) is not None for number in range(4)] == [
            False,
            False,
            True,
            True,
        ]
        assert [row.hand_id for row in run(ledger.hand_links(alice))] == ["h2"]
        assert shared(run, ledger, alice, "h1", code=b"new").sealed == b"sealed new"

    def test_one_link_is_taken_back(self, run, ledger):
        """That of the options alone: other links to the hand lead on, and so do those of others."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(ledger.settle([hand("h1", {alice: 10, bob: -10}), hand("h2", {alice: 10, bob: -10})]))
        shared(run, ledger, alice, "h1", OWN, b"0")
        kept = [(alice, "h1", ALL), (alice, "h1", BARE), (alice, "h2", OWN), (bob, "h1", OWN)]
        for number, (account, hand_id, options) in enumerate(kept, 1):
            shared(run, ledger, account, hand_id, options, b"%d" % number)
        run(ledger.unshare_hand(alice, "h1", OWN))
        assert behind(run, ledger, b"0") is None
        assert all(behind(run, ledger, b"%d" % number) for number in range(1, 5))

    def test_an_account_has_few_links(self, run, ledger):
        """At the limit a link that is there is told as before; one that is taken back makes room."""
        alice, bob = seated(run, ledger, "alice", "bob")
        run(ledger.settle([hand(f"h{number}", {alice: 0, bob: 0}) for number in range(LINKS_MAX + 1)]))
        for number in range(LINKS_MAX):
            shared(run, ledger, alice, f"h{number}", code=b"%d" % number)
        with pytest.raises(TooManyHandLinks):
            shared(run, ledger, alice, f"h{LINKS_MAX}", code=b"more")
        assert behind(run, ledger, b"more") is None
        assert shared(run, ledger, alice, "h0", code=b"more").sealed == b"sealed 0"
        shared(run, ledger, bob, "h0", code=b"theirs")
        run(ledger.unshare_hand(alice, "h0"))
        shared(run, ledger, alice, f"h{LINKS_MAX}", code=b"more")

    def test_the_links_of_a_deleted_account_are_gone(self, run, ledger):
        """Those of the others to the same hand stay."""
        alice, bob = seated(run, ledger, "alice", "bob", stack=1_000, opening=1_000)
        run(ledger.settle([hand("h1", {alice: -1_000, bob: 1_000})]))
        shared(run, ledger, alice, "h1")
        shared(run, ledger, bob, "h1", code=b"b")
        run(cash_out(ledger, "k1", "T1", alice))
        run(ledger.delete_account(alice, None, by=THE_ROOM))
        assert run(ledger.hand_links(alice)) == []
        assert (behind(run, ledger, b"a"), behind(run, ledger, b"b") is None) == (None, False)

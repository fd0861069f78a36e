"""The part of every ledger's contract about keys of operators' orders. `OrderKeys` is mixed into `Contract`."""

from pokerroom.ledger.order_keys import KEPT_S, KeyedOrder

ASKED, OTHER = b"\x01" * 32, b"\x02" * 32


class OrderKeys:
    """A key is claimed once, and then has its answer."""

    def test_a_key_is_claimed_once(self, run, ledger):
        """The second claim is told what has the key; another operator has keys of its own."""
        assert run(ledger.claim_key("ann", "k", ASKED, for_ever=False)) is None
        begun = KeyedOrder(request=ASKED, status=None, answer=None)
        assert run(ledger.claim_key("ann", "k", OTHER, for_ever=False)) == begun
        assert run(ledger.claim_key("bob", "k", OTHER, for_ever=False)) is None
        assert run(ledger.claim_key("ann", "K", OTHER, for_ever=False)) is None

    def test_the_first_answer_is_kept(self, run, ledger):
        """It is told to each later claim, and neither replaced nor released."""
        run(ledger.claim_key("ann", "k", ASKED, for_ever=False))
        run(ledger.keep_answer("ann", "k", 202, '{"a": 1}\n'))
        run(ledger.keep_answer("ann", "k", 409, None))
        run(ledger.release_key("ann", "k"))
        kept = KeyedOrder(request=ASKED, status=202, answer='{"a": 1}\n')
        assert run(ledger.claim_key("ann", "k", ASKED, for_ever=False)) == kept
        assert "a" not in repr(kept).partition("answer")[2]

    def test_a_key_without_an_answer_may_be_released(self, run, ledger):
        """Then it is free; one that was never claimed gets no answer."""
        run(ledger.claim_key("ann", "k", ASKED, for_ever=True))
        run(ledger.release_key("ann", "k"))
        run(ledger.keep_answer("ann", "k", 200, ""))
        assert run(ledger.claim_key("ann", "k", OTHER, for_ever=True)) is None

    def test_only_keys_that_move_money_stay_for_ever(self, run, ledger, later):
        """Others are free again after a day, and not a second before."""
        run(ledger.claim_key("ann", "money", ASKED, for_ever=True))
        run(ledger.claim_key("ann", "k", ASKED, for_ever=False))
        later(KEPT_S - 60)
        assert run(ledger.claim_key("ann", "k", OTHER, for_ever=False)) is not None
        later(61)
        assert run(ledger.claim_key("ann", "k", OTHER, for_ever=False)) is None
        later(10 * KEPT_S)
        assert run(ledger.claim_key("ann", "money", OTHER, for_ever=True)).request == ASKED

    def test_a_refused_order_keeps_its_key_for_a_day(self, run, ledger, later):
        """It has moved no money."""
        for key, status in (("refused", 409), ("wrong", 400), ("done", 200)):
            run(ledger.claim_key("ann", key, ASKED, for_ever=True))
            run(ledger.keep_answer("ann", key, status, ""))
        later(KEPT_S + 60)
        assert run(ledger.claim_key("ann", "refused", OTHER, for_ever=True)) is None
        assert run(ledger.claim_key("ann", "wrong", OTHER, for_ever=True)) is None
        assert run(ledger.claim_key("ann", "done", OTHER, for_ever=True)) is not None

"""The ledger of a room with an operator's wallet has the contract of the ledger."""

import inspect

import pytest

from pokerroom.ledger.whole import WholeLedger
from pokerroom.operator_wallet.funding import FundedLedger

METHODS = [name for name in vars(FundedLedger) if not name.startswith("_")]


@pytest.mark.parametrize("name", METHODS)
def test_each_method_has_the_arguments_and_the_result_of_the_ledgers(name):
    """The type checker cannot compare them, because all others are found by their names."""
    ours, theirs = (inspect.signature(getattr(one, name)) for one in (FundedLedger, WholeLedger))
    assert list(ours.parameters.values()) == list(theirs.parameters.values())
    assert theirs.return_annotation in {ours.return_annotation, f"Deferred[{ours.return_annotation}]"}

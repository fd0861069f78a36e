"""What counts as an answer of the operator's wallet."""

import pytest
from twisted.internet.defer import succeed

from pokerroom.bridge import deferred
from pokerroom.operator_wallet.client import BALANCE_MAX, WalletClient
from tests.operator_wallet.conftest import SECRET


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("7", 7),
        ("0", 0),
        (str(BALANCE_MAX), BALANCE_MAX),
        (str(BALANCE_MAX + 1), None),
        ("1" + "0" * 30, None),
        ("-1", None),
    ],
)
def test_a_balance_that_is_no_amount_is_left_out(run, told, kept):
    """A client could not read it. The answer itself is firm."""
    client = WalletClient(
        "https://wallet.example.org/",
        SECRET,
        lambda url, headers, body: succeed((200, f'{{"id":"w1","result":"done","balance":{told}}}'.encode())),
        currency="EUR",
        room="test",
        now_ms=lambda: 1_000,
    )
    answer = run(deferred(client.balance("w1", "p-1")))
    assert (answer.result, answer.balance) == ("done", kept)

"""A room without an operator's wallet has the ledger itself: no method passes through another one."""

import base64

import pytest
from twisted.internet.task import Clock

from pokerroom import app
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.operator_wallet.funding import FundedLedger
from pokerroom.ops.config import parse

TABLE = '[play_money]\nopening_balance = 0\n[[tables]]\nid = "t1"\nsmall_blind = 50\n'


class Composed(Exception):  # noqa: N818 -- the node ends here
    """The room is given its parts."""


@pytest.fixture
def ledger_of(monkeypatch, tmp_path):
    """Composes a node up to its room, and returns the ledger that the room is given. Nothing is connected."""

    def room(_config, needs):
        raise Composed(needs)

    monkeypatch.setattr(app, "Room", room)
    services = app.Services(
        database_url="postgresql://room@127.0.0.1:1/none",
        owner_database_url=None,
        redis_url="redis://127.0.0.1:1",
        journal_keys=(bytes(32),),
        data_dir=tmp_path,
    )

    def composed(text):
        with pytest.raises(Composed) as end:
            app.Node(parse(text), services, reactor=Clock(), soon=lambda *_: None, watch=None)
        (needs,) = end.value.args
        return needs.ledger

    return composed


def test_without_a_wallet_the_room_has_the_ledger_itself(ledger_of):
    """So each call costs what it costs where no wallet was ever written."""
    assert type(ledger_of(TABLE)) is PostgresLedger


def test_with_a_wallet_the_ledger_is_funded(ledger_of, tmp_path):
    """The other case, so that the first one can fail."""
    secret = tmp_path / "secret"
    secret.write_text("whsec_" + base64.b64encode(bytes(24)).decode())
    wallet = f'[wallet]\nurl = "https://wallet.example"\nsecret_file = "{secret}"\n'
    assert type(ledger_of(wallet + TABLE)) is FundedLedger

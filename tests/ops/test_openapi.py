"""The document of the operator API, and that it promises what the port does."""

import json

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from twisted.internet.defer import fail, succeed
from twisted.internet.task import Clock

from pokerroom.gateway.names import operators_may_give
from pokerroom.ledger.credentials import LIFETIME
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_wallet import UnknownWalletTransfer
from pokerroom.ledger.operators import Role
from pokerroom.ledger.webhooks import UnknownWebhook
from pokerroom.lobby.players import PlayersDesk
from pokerroom.operator_wallet.pages import WalletPages
from pokerroom.ops.adjustment_pages import AdjustmentPages
from pokerroom.ops.announcement_pages import AnnouncementPages
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.cashier_pages import CashierPages
from pokerroom.ops.club_pages import ClubPages
from pokerroom.ops.offer_pages import OfferPages
from pokerroom.ops.openapi import PATH, document
from pokerroom.ops.operator_api import PAGES
from pokerroom.ops.operator_roles import VERBS
from pokerroom.ops.player_pages import PlayerPages
from pokerroom.ops.report_pages import ReportPages
from pokerroom.ops.ticket_pages import TicketPages
from pokerroom.tournament.offer_board import OfferBoard
from pokerroom.webhooks.addresses import BadAddress
from pokerroom.webhooks.pages import WebhookPages
from pokerroom.webhooks.sender import Signer
from tests.ops.fake_rooms import SEAL, Asked, FakeRoom, token
from tests.ops.fake_tournaments import FakeSitAndGos

DOCUMENT = json.loads(document())
OPERATIONS = [
    (method.upper(), path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]
IDS = [operation["operationId"] for *_, operation in OPERATIONS]
CHOSEN = {
    "club": "a" * 10,
    "table": "one",
    "tournament": "one",
    "player": "anna",
    "number": "1",
    "node": "n2",
    "offer": "six",
}
STRANGERS = [
    ({"Authorization": None}, "token_missing"),
    ({"Authorization": "Bearer of-a-player"}, "token_refused"),
]


class FakeWebhooks:
    """A `WebhookLedger` without a webhook."""

    def webhooks(self):
        return succeed([])

    def __getattr__(self, name):
        return lambda *_, **__: fail(UnknownWebhook("none"))


class FakeWallet:
    """An `OperatorWalletLedger` without a transfer."""

    def wallet_transfers(self, *_, **__):
        return succeed([])

    def find_account(self, _):
        return succeed(None)

    def __getattr__(self, name):
        return lambda *_, **__: fail(UnknownWalletTransfer("none"))


class Room:
    """Everything that the port can reach; `heard` is what reached it."""

    def __init__(self):
        self.tables, self.sit_and_gos, self.ledger = FakeRoom(), FakeSitAndGos(), MemoryLedger()

    def ask(self, method, path, headers):
        """Ask one operation, with values for what its path leaves open; status and JSON."""
        booked = BookedOrders(self.ledger)
        desk = PlayersDesk(self.ledger, LIFETIME, operators_may_give)
        board = OfferBoard(
            settings=(),
            written={},
            ledger=self.ledger,
            clock=Clock(),
            offer_sit_and_gos=lambda _: succeed(None),
            offer_tournaments=lambda _: None,
        )
        pages = {
            **CashierPages(self.ledger, booked).handlers(),
            **AdjustmentPages(self.ledger, desk.account, booked).handlers(),
            **PlayerPages(desk, booked).handlers(),
            **ReportPages(self.ledger).handlers(),
            **ClubPages(self.ledger, booked).handlers(),
            **AnnouncementPages(self.ledger, booked, lambda: 0).handlers(),
            **TicketPages(self.ledger, desk.account, booked).handlers(),
            **OfferPages(board, self.ledger, booked, lambda: 0).handlers(),
            **WalletPages(FakeWallet(), booked).handlers(),
            **WebhookPages(
                FakeWebhooks(),
                booked,
                Signer(SEAL, lambda: 0),
                room="Room",
                check=lambda _: fail(BadAddress("No.")),
                post=lambda *_: succeed(200),
                now_ms=lambda: 0,
                random_bytes=bytes,
            ).handlers(),
        }
        line = f"{method} {path.format(**CHOSEN)}"
        return Asked(
            line, self.tables, headers, tournaments=self.sit_and_gos, ledger=pages, log=self.ledger
        ).json

    @property
    def heard(self):
        return self.tables.asked + self.sit_and_gos.asked


def test_the_document_is_valid():
    """By the OpenAPI 3.1 schema, and each name in it is found; operations have names of their own."""
    OpenAPIV31SpecValidator(DOCUMENT).validate()
    assert len(set(IDS)) == len(IDS) == len(PAGES)


def test_the_document_is_served_to_everybody():
    """It tells nothing of a room; it is not changed by an order."""
    for headers in (None, {"Authorization": None}):
        status, told = Asked(f"GET {PATH}", FakeRoom(), headers).json
        assert (status, told) == (200, DOCUMENT)
    assert Asked(f"POST {PATH}", FakeRoom()).answer[0] == 405


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS, ids=IDS)
def test_a_player_has_no_operation(method, path, operation):
    """Nor has a client without a token: each is refused, and nothing is done."""
    for headers, code in STRANGERS:
        room = Room()
        status, error = room.ask(method, path, headers)
        assert (status, error["code"], room.heard) == (401, code, [])
    assert str(status) in operation["responses"]


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS, ids=IDS)
def test_each_role_has_just_its_operations(method, path, operation):
    """Those with a role that the document names are answered as it says; others are refused, and nothing is done."""
    assert operation["x-roles"] == sorted(VERBS[operation["x-verb"]])
    for role in Role:
        room = Room()
        status, told = room.ask(method, path, token(role))
        if role in operation["x-roles"]:
            assert status not in {401, 403}
            assert str(status) in operation["responses"]
        else:
            assert (status, told["code"], room.heard) == (403, "not_permitted", [])


def test_each_verb_of_the_port_is_a_verb_of_a_role():
    """And no operation beside the declared ones is documented."""
    assert {page.verb for page in PAGES} <= set(VERBS)
    assert {operation["x-verb"] for *_, operation in OPERATIONS} == {page.verb for page in PAGES}

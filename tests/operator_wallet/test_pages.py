"""The pages of the operator API for the operator's wallet."""

import asyncio
from urllib.parse import quote

import pytest

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.operators import Role
from pokerroom.operator_wallet.pages import WalletPages
from pokerroom.ops.booked_orders import BookedOrders
from tests.ops.fake_rooms import Asked, FakeRoom, token

pytestmark = pytest.mark.services


@pytest.fixture
def room(used_room):
    """A room for one test after another."""
    return used_room


@pytest.fixture
def ask(run, room):
    """Ask as an operator of a role; status and JSON."""
    pages = WalletPages(room.ledger, BookedOrders(room.ledger)).handlers()

    def asked(line, role=Role.CASHIER):
        one = Asked(line, FakeRoom(), token(role), ledger=pages, log=room.ledger)

        async def waited():
            async with asyncio.timeout(20):
                while not one.answered:  # noqa: ASYNC110 -- nothing tells when
                    await asyncio.sleep(0.005)

        run(deferred(waited()))
        return one.json

    return asked


def test_transfers_are_listed_shown_and_retried(ask, room, run):
    """With the id by which the server knows them; the retry has its line in the log."""
    room.buy_in(4_000)
    room.cash_out()
    room.server.faults.extend(["error"])
    room.time_passes()
    run(room.queue.run())
    status, found = ask("GET /v1/wallet_transfers?limit=2")
    assert (status, [one["kind"] for one in found]) == (200, ["credit", "debit"])
    assert ask("GET /v1/wallet_transfers?player=alice&limit=1")[1] == found[:1]
    assert ask("GET /v1/wallet_transfers?waiting=1")[1] == found[:1]
    assert ask(f"GET /v1/wallet_transfers?limit=1&before={found[0]['number']}")[1] == found[1:]
    credit = found[0]
    assert (credit["state"], credit["failure"], credit["name"]) == ("asked", "HTTP 500", "alice")
    assert credit["id"] == room.server.calls[-1]["id"]
    assert ask(f"GET /v1/wallet_transfers/{credit['number']}") == (200, credit)
    room.sql("UPDATE wallet_transfers SET due = now() + interval '1 hour' WHERE state = 'asked'")
    status, retried = ask(f"POST /v1/wallet_transfers/{credit['number']}/retry?reason=mended")
    assert (status, retried["state"]) == (200, "asked")
    run(room.queue.run())
    assert ask(f"GET /v1/wallet_transfers/{credit['number']}")[1]["state"] == "done"
    (line,) = run(room.ledger.log_lines(LogQuery(verb="wallet.retry")))
    assert (line.by.reason, line.subject) == ("mended", f"transfer:{credit['number']}")


def test_a_player_is_linked_while_the_account_holds_nothing(ask, room, run):
    """And unlinked likewise."""
    bob = run(room.ledger.create_account("bob", "hash", Money(0))).account
    linked = {"player": "bob", "account": bob, "wallet": "p-2"}
    assert ask("GET /v1/players/bob/wallet") == (200, {**linked, "wallet": None})
    assert ask("POST /v1/players/bob/link?wallet=p-2")[0] == 403, "money goes where the link leads"
    assert ask("POST /v1/players/bob/link?wallet=p-2", Role.ADMIN) == (200, linked)
    assert ask("GET /v1/players/bob/wallet") == (200, linked)
    room.buy_in(4_000)
    assert ask("POST /v1/players/alice/unlink", Role.ADMIN)[1]["code"] == "wallet_in_use"
    assert ask("POST /v1/players/bob/unlink")[0] == 403
    assert ask("POST /v1/players/bob/unlink", Role.ADMIN) == (200, {**linked, "wallet": None})


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("GET /v1/wallet_transfers/99", (404, "unknown_wallet_transfer")),
        ("POST /v1/wallet_transfers/99/retry", (404, "unknown_wallet_transfer")),
        ("GET /v1/wallet_transfers?player=carol", (404, "unknown_player")),
        ("GET /v1/players/carol/wallet", (404, "unknown_player")),
        ("POST /v1/players/carol/link?wallet=p-9", (404, "unknown_player")),
        ("POST /v1/players/alice/link?wallet=p-9", (409, "wallet_linked")),
        ("POST /v1/players/alice/link", (400, "bad_parameter")),
        (f"POST /v1/players/alice/link?wallet={quote('p 9')}", (400, "bad_parameter")),
        (f"POST /v1/players/alice/link?wallet={'p' * 65}", (400, "bad_parameter")),
    ],
)
def test_what_does_not_fit_is_refused(ask, line, refusal):
    """With a stable code, and nothing changes."""
    status, error = ask(line, Role.ADMIN)
    assert (status, error["code"]) == refusal
    assert ask("GET /v1/players/alice/wallet")[1]["wallet"] == "p-1"


def test_an_id_is_of_one_account(ask, room, run):
    """The second one is told which of the two is wrong."""
    run(room.ledger.create_account("ben", "hash", Money(0)))
    assert ask("POST /v1/players/ben/link?wallet=p-1", Role.ADMIN)[1]["code"] == "wallet_player_taken"

"""The pages of the operator API for webhooks."""

import asyncio
import json
from urllib.parse import urlencode

import pytest

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.operators import Role
from pokerroom.ledger.webhooks import KINDS
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.config import WebhooksConfig
from pokerroom.ops.metrics import Metrics
from pokerroom.table.seal import Seal
from pokerroom.webhooks.service import Webhooks
from tests.ops.fake_rooms import Asked, FakeRoom, token

pytestmark = pytest.mark.services

NOW_MS = 1_700_000_000_123


@pytest.fixture
def webhooks(run, ledger):
    """The webhooks of a node that may post to this machine."""
    made = Webhooks(
        ledger,
        WebhooksConfig(networks=("127.0.0.0/8",)),
        Seal(bytes(32)),
        room="Room",
        sends=lambda: True,
        observer=Metrics(),
        now_ms=lambda: NOW_MS,
    )
    yield made
    run(made.sender.stop())


@pytest.fixture
def ask(run, ledger, webhooks):
    """Ask as an operator of a role; status and JSON."""
    pages = webhooks.pages(BookedOrders(ledger))

    def asked(line, role=Role.ADMIN, **headers):
        one = Asked(line, FakeRoom(), {**token(role), **headers}, ledger=pages, log=ledger)

        async def waited():
            async with asyncio.timeout(20):
                while not one.answered:  # noqa: ASYNC110 -- nothing tells when
                    await asyncio.sleep(0.005)

        run(deferred(waited()))
        return one.json

    return asked


def add(ask, url, kinds="account.made", role=Role.ADMIN, **more):
    """Add a webhook; what is answered. Headers have a hyphen in their name."""
    headers = {name: more.pop(name) for name in list(more) if "-" in name}
    return ask(f"POST /v1/webhooks/add?{urlencode({'url': url, 'kinds': kinds, **more})}", role, **headers)


def test_a_webhook_is_added_and_listed_without_its_secret(run, ledger, ask, receiver):
    """It is told once; neither the list, the log nor a repetition of the order has it."""
    here = receiver()
    key = {"Idempotency-Key": "once"}
    status, made = add(ask, here.url, "significant,hand.ended", note="books", big_win=100, **key)
    assert (status, made["secret"][:6]) == (200, "whsec_")
    again = add(ask, here.url, "significant,hand.ended", note="books", big_win=100, **key)
    assert (again[0], again[1]["code"]) == (409, "answer_not_kept")
    listed = ask("GET /v1/webhooks")[1]
    assert [ask(f"GET /v1/webhooks/{made['number']}")[1]] == listed
    (row,) = listed
    assert row == {
        **row,
        "url": here.url, "kinds": ["hand.ended", "significant"], "note": "books", "big_win": 100, "is_on": True,
        "waiting": 1, "dead": 0, "delivered": 0,
    }  # fmt: skip
    lines = json.dumps([line.facts() for line in run(ledger.log_lines(LogQuery()))])
    assert made["secret"] not in lines + json.dumps(listed)
    assert "/hook" not in lines


@pytest.mark.parametrize(
    ("url", "kinds"),
    [
        ("http://10.0.0.1/", "hand.ended"),
        ("https://169.254.169.254/latest", "hand.ended"),
        ("ftp://example.org/", "hand.ended"),
        ("http://127.0.0.1/", "hand.dealt"),
        ("http://127.0.0.1/", ""),
    ],
)
def test_what_cannot_be_told_is_no_webhook(ask, url, kinds):
    """The answer says why, and nothing is stored."""
    status, refused = add(ask, url, kinds)
    assert (status, refused["code"]) == (400, "bad_webhook")
    assert ask("GET /v1/webhooks") == (200, [])


def test_a_test_message_arrives_at_once_and_signed(run, ledger, ask, receiver):
    """Also at a webhook that is off; the answer of the endpoint is told, and the log has a line."""
    here = receiver(200, 404)
    number = add(ask, here.url)[1]["number"]
    assert ask(f"POST /v1/webhooks/{number}/disable?reason=work")[1]["why_off"] == "by order"
    assert ask(f"POST /v1/webhooks/{number}/test") == (
        200,
        {"number": number, "is_delivered": True, "result": "HTTP 200"},
    )
    told = json.loads(here.received[0].body)
    assert (told["type"], told["data"]) == ("test", {"by": "admin-1"})
    assert here.received[0].headers["webhook-signature"].startswith("v1,")
    assert ask(f"POST /v1/webhooks/{number}/test?reason=again")[1]["result"] == "HTTP 404"
    last, _ = run(ledger.log_lines(LogQuery(verb="webhook.test")))
    assert (last.by.who, last.by.reason, last.subject) == ("admin-1", "again", f"webhook:{number}")
    assert ask(f"POST /v1/webhooks/{number}/enable")[1]["is_on"] is True


def test_dead_messages_are_seen_tried_again_and_dropped(run, ledger, ask, receiver, sql):
    """All of a webhook, or one."""
    number = add(ask, receiver().url)[1]["number"]
    for name in ("anna", "bob", "carol"):
        run(ledger.create_account(name, "hash", Money(0)))
    sql("UPDATE webhook_messages SET due = NULL, tries = 8, failure = 'HTTP 500'")
    dead = ask(f"GET /v1/webhooks/{number}/dead")[1]
    assert [(one["kind"], one["tries"], one["failure"]) for one in dead] == [
        ("account.made", 8, "HTTP 500")
    ] * 3
    assert ask(f"GET /v1/webhooks/{number}/dead?limit=1&before={dead[0]['number']}")[1] == dead[1:2]
    for order, left in (("drop", 2), ("retry", 1)):
        decided = ask(f"POST /v1/webhooks/{number}/{order}?message={dead[0]['number']}")
        assert decided == (200, {"number": number, "messages": 1})
        dead = ask(f"GET /v1/webhooks/{number}/dead")[1]
        assert len(dead) == left
    assert ask(f"POST /v1/webhooks/{number}/remove") == (200, {"number": number, "messages": 2})
    assert ask("GET /v1/webhooks") == (200, [])


@pytest.mark.parametrize(
    "page", ["GET /v1/webhooks/9", "GET /v1/webhooks/9/dead", "POST /v1/webhooks/9/test"]
)
def test_an_unknown_webhook_is_not_found(ask, page):
    """Whatever is asked of it."""
    status, refused = ask(page)
    assert (status, refused["code"]) == (404, "unknown_webhook")


def test_admins_alone_see_webhooks(ask, receiver):
    """A URL may have a password of the receiver."""
    assert add(ask, receiver().url, ",".join(KINDS))[0] == 200
    for role in set(Role) - {Role.ADMIN}:
        assert ask("GET /v1/webhooks", role)[0] == 403
        assert add(ask, receiver().url, role=role)[0] == 403

"""Messages of webhooks reach a real receiver: in spite of failures, of nodes that die, and of other endpoints."""

import asyncio
import base64
import hashlib
import hmac
import json

import pytest
from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.webhooks import NewWebhook, WebhookBacklog
from pokerroom.ops.metrics import Metrics
from pokerroom.table.seal import Seal
from pokerroom.webhooks.post import Poster
from pokerroom.webhooks.sender import AT_ONCE, PAUSES_S, Signer, WebhookSender
from tests.ledger.contract import hand, seated
from tests.webhooks.conftest import ANN

pytestmark = pytest.mark.services

NOW_S = 1_700_000_000
SECRET = bytes(range(32))
SIGNER = Signer(Seal(bytes(32)), lambda: NOW_S)


@pytest.fixture
def sender(run, ledger):
    """Makes a sender on a ledger, by default that of the test; each is stopped after the test."""
    made = []

    def make(of=ledger, *, sends=lambda: True, signer=SIGNER, post_s=5.0):
        poster = Poster(("127.0.0.0/8",), post_s=post_s)
        one = WebhookSender(
            of,
            lambda *what: deferred(poster.post(*what)),
            signer,
            room="Room",
            sends=sends,
            observer=Metrics(),
        )
        made.append(one)
        return one

    yield make
    for one in made:
        run(one.stop())


def added(run, ledger, receiver, *kinds):
    """The number of an endpoint for this receiver."""
    new = NewWebhook(
        url=receiver.url,
        kinds=kinds or ("account.made",),
        note="",
        big_win=None,
        secret=SIGNER.sealed(SECRET, receiver.url),
    )
    return run(ledger.add_webhook(new, by=ANN))


def make_accounts(run, ledger, *names):
    return [run(ledger.create_account(name, "hash", Money(0))).account for name in names]


def until(run, condition):
    """Drives the loop until the condition holds."""

    async def watched():
        async with asyncio.timeout(20):
            while not condition():  # noqa: ASYNC110 -- nothing tells when
                await asyncio.sleep(0.01)

    run(deferred(watched()))


def settled(run, ledger, sender, **expected):
    """Drives the loop until the endpoints' counts are these, and the sender is idle; the only endpoint."""
    rows = []

    async def watched():
        async with asyncio.timeout(20):
            while True:
                rows[:] = await ledger.webhooks().asFuture(asyncio.get_running_loop())
                if (
                    all(getattr(rows[0], name) == value for name, value in expected.items())
                    and sender.is_idle
                ):
                    return
                await asyncio.sleep(0.01)

    run(deferred(watched()))
    return rows[0]


def names_in(receiver):
    return sorted(json.loads(request.body)["data"]["name"] for request in receiver.received)


def test_messages_arrive_signed_and_once(run, ledger, receiver, sender):
    """More of them than go together; what is delivered is gone."""
    here, one = receiver(), sender()
    added(run, ledger, here)
    names = [f"p{number:02}" for number in range(2 * AT_ONCE + 1)]
    make_accounts(run, ledger, *names)
    run(one.run())
    row = settled(run, ledger, one, delivered=len(names))
    assert names_in(here) == names
    assert (row.waiting, row.dead, row.failure) == (0, 0, "")
    for request in here.received:
        told = json.loads(request.body)
        assert (told["type"], told["room"], told["id"]) == (
            "account.made",
            "Room",
            request.headers["webhook-id"],
        )
        content = f"{told['id']}.{NOW_S}.".encode() + request.body
        signed = base64.b64encode(hmac.new(SECRET, content, hashlib.sha256).digest()).decode()
        assert request.headers["webhook-timestamp"] == str(NOW_S)
        assert request.headers["webhook-signature"] == f"v1,{signed}"


def test_a_settled_hand_arrives_without_hidden_cards(run, ledger, receiver, sender):
    """From the transaction that settled it to the receiver."""
    here, one = receiver(), sender()
    added(run, ledger, here, "hand.ended")
    alice, bob = seated(run, ledger, "alice", "bob")
    record = {
        "hand_id": "h1", "table": "T1", "game": "holdem", "structure": "no_limit", "small_blind": 5, "big_blind": 10,
        "started_ms": 1, "ended_ms": 2, "button": 1, "events": [["fold", 2, 0, 10]],
        "seats": [
            {"seat": seat, "account": account, "name": "old", "stack": 1_000, "end": 1_000 + won, "cards": cards}
            for seat, account, won, cards in ((1, alice, 10, ["As", "Ad"]), (2, bob, -10, ["Kh", "Kd"]))
        ],
    }  # fmt: skip
    run(ledger.settle([hand("h1", {alice: 10, bob: -10}, record=json.dumps(record).encode())]))
    run(one.run())
    settled(run, ledger, one, delivered=1)
    (request,) = here.received
    told = json.loads(request.body)["data"]
    assert [(seat["name"], seat["cards"]) for seat in told["seats"]] == [("alice", None), ("bob", None)]
    assert not any(card in request.body for card in (b"As", b"Ad", b"Kh", b"Kd"))


def test_a_failure_is_tried_again_with_the_same_id(run, ledger, receiver, sender, sql):
    """After the pause, until the endpoint takes it."""
    here, one = receiver(500, 429, 200), sender()
    added(run, ledger, here)
    make_accounts(run, ledger, "anna")
    for number, (tries, failure) in enumerate(((1, "HTTP 500"), (2, "HTTP 429")), 1):
        run(one.run())
        until(run, lambda n=number: len(here.received) == n and one.is_idle)
        assert sql("SELECT tries, failure FROM webhook_messages").fetchall() == [(tries, failure)]
        run(one.run())  # not due yet
        assert one.is_idle
        sql("UPDATE webhook_messages SET due = now()")
    run(one.run())
    row = settled(run, ledger, one, delivered=1)
    assert len({request.headers["webhook-id"] for request in here.received}) == 1
    assert row.failure == "HTTP 429"


def test_pauses_grow_and_the_last_try_is_dead(run, ledger, receiver, sender, sql):
    """Then it is listed, and an operator has it tried again."""
    here, one = receiver(*[503] * (len(PAUSES_S) + 1), 200), sender()
    hook = added(run, ledger, here)
    make_accounts(run, ledger, "anna")
    pauses = []
    for number in range(1, len(PAUSES_S) + 2):
        run(one.run())
        until(run, lambda n=number: len(here.received) == n and one.is_idle)
        (pause,) = sql("SELECT extract(epoch FROM due - now())::float FROM webhook_messages").fetchone()
        pauses.append(pause)
        sql("UPDATE webhook_messages SET due = now() WHERE due IS NOT NULL")
    assert pauses[-1] is None
    assert pauses[:-1] == [pytest.approx(pause, abs=5) for pause in PAUSES_S]
    (dead,) = run(ledger.dead_webhook_messages(hook, None, 9))
    assert (dead.tries, dead.failure) == (len(PAUSES_S) + 1, "HTTP 503")
    run(one.run())
    assert one.is_idle
    run(one.look())
    assert one.backlog == WebhookBacklog(waiting=0, dead=1, oldest_s=0)
    run(ledger.decide_dead_webhooks(hook, None, again=True, by=ANN))
    run(one.run())
    settled(run, ledger, one, delivered=1, dead=0)


def test_an_endpoint_that_is_gone_is_switched_off(run, ledger, receiver, sender):
    """410: its owner wants no more; the log has a line of the room."""
    here, one = receiver(410), sender()
    added(run, ledger, here)
    make_accounts(run, ledger, "anna")
    run(one.run())
    row = settled(run, ledger, one, is_on=False)
    make_accounts(run, ledger, "bob")
    run(one.run())
    assert (row.why_off, row.waiting, len(here.received)) == ("it answered 410 Gone", 1, 1)
    (line, _) = run(ledger.log_lines(LogQuery(verb="webhook")))
    assert (line.verb, line.by.who) == ("webhook.off", "room")


def test_a_dead_endpoint_holds_no_other_up(run, ledger, receiver, sender):
    """One that never answers keeps its own connections busy alone, and no more of them than `AT_ONCE`."""
    silent, here = receiver(None), receiver()
    one = sender(post_s=3.0)
    added(run, ledger, silent)
    added(run, ledger, here)
    names = [f"p{number:02}" for number in range(AT_ONCE + 3)]
    make_accounts(run, ledger, *names)
    run(one.run())
    run(deferred(here.count(len(names))))
    run(deferred(silent.count(AT_ONCE)))
    assert names_in(here) == names
    make_accounts(run, ledger, "zoe")
    until(run, lambda: not one.is_busy(2))
    run(one.run())
    run(deferred(here.count(len(names) + 1)))
    assert len(silent.received) == AT_ONCE


def test_another_node_delivers_what_a_killed_node_had_claimed(  # noqa: PLR0917 -- fixtures
    run, ledger, new_ledger, receiver, sender, sql
):
    """After the lease, with the same id; a message that the first node had delivered already is not lost either."""
    silent = receiver(None, 200)
    added(run, ledger, silent)
    make_accounts(run, ledger, "anna")
    killed = sender(new_ledger())
    run(killed.run())
    run(deferred(silent.count(1)))  # the request is there; its node hears no answer and dies
    other = sender()
    run(other.run())
    assert other.is_idle  # the lease holds
    assert run(ledger.webhooks())[0].waiting == 1
    sql("UPDATE webhook_messages SET due = now()")  # the lease is over
    run(other.run())
    row = settled(run, ledger, other, delivered=1)
    assert (row.waiting, row.dead) == (0, 0)
    first, second = silent.received
    assert first.headers["webhook-id"] == second.headers["webhook-id"]


def test_a_node_that_does_not_lead_sends_nothing(run, ledger, receiver, sender):
    """Nor does it count a backlog."""
    here, one = receiver(), sender(sends=lambda: False)
    added(run, ledger, here)
    make_accounts(run, ledger, "anna")
    run(one.run())
    run(one.look())
    assert (one.is_idle, here.received) == (True, [])
    assert one.backlog == WebhookBacklog(waiting=0, dead=0, oldest_s=0)


def test_a_node_that_stops_gives_back_what_is_on_its_way(run, ledger, receiver, sender, sql):
    """The next node need not wait for the lease, and the try does not count."""
    silent = receiver(None, 200)
    added(run, ledger, silent)
    make_accounts(run, ledger, "anna")
    one, other = sender(), sender()
    run(one.run())
    run(deferred(silent.count(1)))
    run(one.stop())
    assert sql("SELECT tries, failure FROM webhook_messages").fetchone() == (0, "")
    run(one.run())
    assert one.is_idle
    run(other.run())
    settled(run, ledger, other, delivered=1)


def test_a_secret_of_another_key_signs_nothing(run, ledger, receiver, sender, sql):
    """The failure says what to do; nothing unsigned is sent."""
    here, one = receiver(), sender(signer=Signer(Seal(bytes(31) + b"1"), lambda: NOW_S))
    added(run, ledger, here)
    make_accounts(run, ledger, "anna")
    run(one.run())
    until(run, lambda: one.is_idle)
    assert here.received == []
    assert "add the webhook again" in sql("SELECT failure FROM webhook_messages").fetchone()[0]


def test_a_fact_that_is_not_there_is_no_message(run, ledger, receiver, sender, sql):
    """After a restore, for example: the try fails, and nothing is made up."""
    here, one = receiver(), sender()
    hook = added(run, ledger, here)
    sql("INSERT INTO webhook_messages (endpoint, kind, reference) VALUES (%s, 'hand.ended', 'h9')", (hook,))
    run(one.run())
    until(run, lambda: one.is_idle)
    assert here.received == []
    assert sql("SELECT failure FROM webhook_messages").fetchone() == ("the ledger has no such fact",)


class AwayLedger:
    """A `WebhookOutbox` that does not answer."""

    def __getattr__(self, name):
        def fails(*_, **__):
            failing: Deferred = Deferred()
            failing.errback(LedgerUnavailable("gone"))
            return failing

        return fails


def test_a_ledger_that_does_not_answer_is_asked_again_later(run, sender):
    """No look ends the sender."""
    one = sender(AwayLedger())
    run(one.run())
    run(one.look())
    assert one.is_idle

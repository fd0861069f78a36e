"""Webhooks in PostgreSQL: a message is there if and only if its fact is, and is delivered by one node at a time."""

import json

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from twisted.internet.defer import Deferred, gatherResults

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerConflict
from pokerroom.ledger.credentials import LIFETIME
from pokerroom.ledger.operator_log import THE_ROOM, Acting, LoggedAct, LogQuery
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.ledger.retention import Retention, erase_old
from pokerroom.ledger.webhooks import (
    KINDS,
    WEBHOOKS_MAX,
    NewWebhook,
    TooManyWebhooks,
    UnknownWebhook,
    WebhookBacklog,
)
from tests.ledger.contract import hand, opened, seated
from tests.ledger.contract_of_cashier import asked, funded
from tests.ledger.contract_of_chip_sales import ADD_ON, REBUY, begun, rebuy
from tests.ledger.contract_of_deals import deal, three_left
from tests.ledger.contract_of_scheduled_tournaments import NAME, scheduled
from tests.ledger.contract_of_tickets import VALUE, gift, won
from tests.ledger.contract_of_tournaments import finished, given

pytestmark = pytest.mark.services

ANN = Acting(who="ann", role="admin", reason="a test")
LEASE_S = 60
ALL_FACTS = "SELECT kind, reference FROM webhook_messages ORDER BY number"


@pytest.fixture
def sql(emptied_database):
    """Raw statements, each at once; no trigger keeps the past."""
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        yield lambda statement, *values: connection.execute(statement, values or None)


def added(run, ledger, *kinds, **changes):
    """The number of a new endpoint that wants these kinds, or all."""
    terms = {"url": "https://example.org/hook", "note": "", "big_win": None, "secret": b"sealed"}
    return run(ledger.add_webhook(NewWebhook(kinds=kinds or KINDS, **{**terms, **changes}), by=ANN))


def claimed(run, ledger, webhook, at_most=10, lease_s=LEASE_S):
    return run(ledger.claim_webhook_messages(webhook, at_most, lease_s))


def told(run, ledger, message):
    """What a message tells."""
    return json.loads(run(ledger.webhook_fact(message)).data)


def test_nothing_is_written_for_what_no_endpoint_wants(run, postgres, sql):
    """Neither without an endpoint, nor with one that is off or wants another kind."""
    alice, bob = seated(run, postgres, "alice", "bob")
    run(postgres.settle([hand("h1", {alice: 10, bob: -10})]))
    off = added(run, postgres, "hand.ended")
    run(postgres.switch_webhook(off, on=False, why="by order", by=ANN))
    added(run, postgres, "tournament.ended")
    run(postgres.settle([hand("h2", {alice: 10, bob: -10})]))
    opened(run, postgres, "carol")
    assert sql(ALL_FACTS).fetchall() == []


def test_each_fact_has_a_message_for_each_endpoint_that_wants_it(run, postgres, sql):
    """In the order in which they happened; a repeated settlement tells nothing again."""
    first = added(run, postgres, "account.made", "hand.ended", "cash.requested", "tournament.ended")
    second = added(run, postgres, "hand.ended")
    alice, bob = seated(run, postgres, "alice", "bob")
    funded(run, postgres)
    settled = [hand("h1", {alice: 10, bob: -10}), hand("h2", {alice: 0, bob: 0})]
    run(postgres.settle(settled))
    run(postgres.settle([*settled, hand("h3", {alice: 1, bob: -1})]))
    number = run(postgres.request_cash(asked(alice, 500), waiting_max=3)).number
    expected = [
        ("account.made", str(alice)),
        ("account.made", str(bob)),
        ("hand.ended", "h1"),
        ("hand.ended", "h2"),
        ("hand.ended", "h3"),
        ("cash.requested", str(number)),
    ]
    for endpoint, wanted in ((first, expected), (second, expected[2:5])):
        found = sql(
            "SELECT kind, reference FROM webhook_messages WHERE endpoint = %s ORDER BY number", endpoint
        ).fetchall()
        assert found == wanted
    assert sql("SELECT count(DISTINCT id) FROM webhook_messages").fetchone() == (9,)


def test_a_fact_that_is_refused_is_not_told(run, postgres, sql):
    """Its message is in the transaction that is rolled back."""
    alice, bob = seated(run, postgres, "alice", "bob")
    added(run, postgres, "hand.ended", "account.made")
    with pytest.raises(LedgerConflict):
        run(postgres.settle([hand("h1", {alice: 10, bob: -10}), hand("h2", {alice: -5_000, bob: 5_000})]))
    assert sql(ALL_FACTS).fetchall() == []


def test_house_bots_are_no_accounts_that_are_told(run, postgres, sql):
    """Their accounts are made by the room."""
    added(run, postgres, "account.made")
    run(postgres.create_account("Bot.Ada", "!house", Money(0)))
    assert sql(ALL_FACTS).fetchall() == []


def test_a_message_tells_of_an_account_what_the_ledger_knows_now(run, postgres, sql):
    """One that was deleted meanwhile has no name any more: the message has no copy."""
    hook = added(run, postgres, "account.made")
    (alice,) = opened(run, postgres, "alice", opening=0)
    (message,) = claimed(run, postgres, hook)
    assert told(run, postgres, message) == {"account": alice, "name": "alice"}
    run(postgres.delete_account(alice, None, by=ANN))
    assert told(run, postgres, message) == {"account": alice, "name": f"gone-{alice}"}
    sql("DELETE FROM accounts")
    assert run(postgres.webhook_fact(message)) is None


def test_a_request_of_the_cashier_is_told_with_its_terms(run, postgres):
    """Those that do not change when it is decided."""
    hook = added(run, postgres, "cash.requested")
    (alice,) = opened(run, postgres, "alice")
    funded(run, postgres)
    number = run(postgres.request_cash(asked(alice, 500), waiting_max=3)).number
    (message,) = claimed(run, postgres, hook)
    assert told(run, postgres, message) == {
        "number": number, "account": alice, "name": "alice", "kind": "deposit", "amount": 500, "source": "cash",
    }  # fmt: skip


def test_the_end_of_a_tournament_is_told_once_with_all_places(run, postgres):
    """When the last place is given, whoever pays the prizes later."""
    hook = added(run, postgres, "tournament.ended")
    alice, bob, carol = finished(run, postgres)
    run(postgres.pay_place("six.1", 1))
    (message,) = claimed(run, postgres, hook)
    fact = told(run, postgres, message)
    assert [
        (one["place"], one["account"], one["name"], one["prize"], one["bounties"])
        for one in fact.pop("places")
    ] == [
        (1, alice, "alice", 500, 0),
        (2, bob, "bob", 220, 0),
        (3, carol, "carol", 0, 0),
    ]
    assert fact == {
        "tournament": "six.1", "offer": "six", "number": 1, "outcome": "finished", "buy_in": 300, "fee": 60,
        "bounty": 0, "entries": 3, "players": 3, "sales": [], "deal": None, "satellite": None,
    }  # fmt: skip


def test_the_end_of_a_tournament_tells_what_it_sold(run, postgres):
    """Each kind with its price, the part of it that the room keeps, and how many were sold; also none."""
    hook = added(run, postgres, "tournament.ended")
    alice, *_ = begun(run, postgres, "rebuy")
    run(postgres.buy_chips(NAME, rebuy(alice)))
    run(postgres.roll_back_tournament(NAME, 1))
    (message,) = claimed(run, postgres, hook)
    assert told(run, postgres, message)["sales"] == [
        {"kind": "rebuy", "price": REBUY.price, "fee": REBUY.fee, "sold": 1},
        {"kind": "add_on", "price": ADD_ON.price, "fee": ADD_ON.fee, "sold": 0},
    ]


def test_the_end_of_a_tournament_tells_its_deal(run, postgres):
    """With what each player was given by it, and what was left for the winner."""
    hook = added(run, postgres, "tournament.ended")
    alice, bob, carol, _ = three_left(run, postgres)
    run(postgres.agree_deal(NAME, 1, deal([bob, carol, alice], [1_500, 1_500, 3_000], [290, 290, 380])))
    places = [given(1, alice, 380), given(2, bob, 290), given(2, carol, 290)]
    run(postgres.give_places(NAME, 1, 1, places))
    (message,) = claimed(run, postgres, hook)
    assert told(run, postgres, message)["deal"] == {
        "kind": "icm",
        "for_the_winner": 0,
        "shares": [
            {"account": bob, "name": "bob", "amount": 290},
            {"account": carol, "name": "carol", "amount": 290},
            {"account": alice, "name": "alice", "amount": 380},
        ],
    }


def test_the_end_of_a_satellite_tells_what_its_seats_are(run, postgres):
    """The offer and the value of a ticket."""
    hook = added(run, postgres, "tournament.ended")
    won(run, postgres)
    (message,) = claimed(run, postgres, hook)
    assert told(run, postgres, message)["satellite"] == {"offer": "sun", "value": VALUE}


def test_tickets_that_operators_give_and_end_are_significant(run, postgres):
    """One that the room ends, because it can pay nothing any more, is not."""
    (alice,) = opened(run, postgres, "alice")
    funded(run, postgres)
    run(postgres.open_tournament(scheduled()))
    hook = added(run, postgres, "significant")
    claimed(run, postgres, hook)  # that it was added
    tickets = [run(postgres.give_ticket(gift(alice, key), by=ANN)).number for key in ("g1", "g2")]
    for number, by in zip(tickets, (ANN, THE_ROOM), strict=True):
        run(postgres.end_ticket(number, by=by))
    events = [told(run, postgres, message) for message in claimed(run, postgres, hook)]
    assert [(event["event"], event["arguments"]["number"]) for event in events] == [
        ("cashier.give_ticket", tickets[0]),
        ("cashier.give_ticket", tickets[1]),
        ("cashier.end_ticket", tickets[0]),
    ]


def test_a_hand_comes_with_its_record_and_the_names_of_today(run, postgres):
    """The record has hidden cards: no repr shows it."""
    hook = added(run, postgres, "hand.ended")
    alice, bob = seated(run, postgres, "alice", "bob")
    run(postgres.settle([hand("h1", {alice: 10, bob: -10}, record=b'{"hidden": ["k", "secret"]}')]))
    (message,) = claimed(run, postgres, hook)
    fact = run(postgres.webhook_fact(message))
    assert json.loads(fact.data) == {"names": {str(alice): "alice", str(bob): "bob"}, "in_chips": False}
    assert json.loads(fact.record) == {"hidden": ["k", "secret"]}
    assert "secret" not in repr(fact)


def test_a_big_win_is_a_significant_event_by_the_endpoint(run, postgres, sql):
    """One of money, from the amount on that the endpoint names."""
    hook = added(run, postgres, "significant", big_win=100)
    added(run, postgres, "significant", big_win=101)
    added(run, postgres, "significant")
    alice, bob = seated(run, postgres, "alice", "bob")
    sql("DELETE FROM webhook_messages")  # of the endpoints themselves
    run(postgres.settle([hand("h:1", {alice: 99, bob: -99}), hand("h:2", {alice: -100, bob: 100})]))
    (message,) = claimed(run, postgres, hook)
    assert sql("SELECT count(*) FROM webhook_messages").fetchone() == (1,)
    assert told(run, postgres, message) == {
        "event": "big_win", "hand_id": "h:2", "table": "T1", "account": bob, "name": "bob", "amount": 100,
    }  # fmt: skip


def test_lines_of_the_log_are_significant_events_once_they_are_done(run, postgres):
    """An order that is about to be carried out, a refusal and everyday lines are none."""
    hook = added(run, postgres, "significant")
    claimed(run, postgres, hook)  # that it was added
    (alice,) = opened(run, postgres, "alice")
    freeze = LoggedAct(by=ANN, verb="table.freeze", subject="t1", result="ordered")
    run(postgres.record(freeze))
    run(postgres.record(LoggedAct(by=ANN, verb="operator.refused", subject="x", result="refused: x")))
    run(postgres.record(LoggedAct(by=ANN, verb="account.rename", subject="x")))
    line = run(postgres.record(LoggedAct(by=ANN, verb="table.freeze", subject="t1", arguments={"node": "n"})))
    run(postgres.lock_out(alice, by=ANN))
    frozen, locked = (told(run, postgres, message) for message in claimed(run, postgres, hook))
    assert frozen == {
        "event": "table.freeze", "line": line, "who": "ann", "subject": "t1", "arguments": {"node": "n"},
    }  # fmt: skip
    assert (locked["event"], locked["subject"]) == ("account.lock", f"account:{alice}")


def test_a_claimed_message_is_due_again_only_after_the_lease(run, postgres, sql):
    """So one node at a time delivers it, and another does if that node dies."""
    hook = added(run, postgres, "account.made")
    opened(run, postgres, "alice", "bob", "carol")
    assert [target.number for target in run(postgres.due_webhooks())] == [hook]
    first = claimed(run, postgres, hook, at_most=2)
    assert [(one.kind, one.tries) for one in first] == [("account.made", 1)] * 2
    (rest,) = claimed(run, postgres, hook)
    assert rest.number > first[1].number
    assert run(postgres.due_webhooks()) == []
    sql("UPDATE webhook_messages SET due = now() WHERE number = %s", first[0].number)
    (again,) = claimed(run, postgres, hook)
    assert (again.id, again.tries, again.at_ms) == (first[0].id, 2, first[0].at_ms)


def test_nodes_that_claim_at_once_get_different_messages(run, server, postgres, emptied_database):
    """Each message is claimed by one of them."""
    hook = added(run, postgres, "account.made")
    opened(run, postgres, *(f"p{number}" for number in range(8)))
    other = PostgresLedger(make_conninfo(emptied_database, user=server.room))
    run(other.open())
    both = [ledger.claim_webhook_messages(hook, 4, LEASE_S) for ledger in (postgres, other) * 2]
    numbers = [message.number for part in run(gatherResults(both)) for message in part]
    run(other.close())
    assert len(numbers) == len(set(numbers)) == 8


def test_a_delivered_message_is_gone_and_counted(run, postgres):
    """Also if it was claimed again meanwhile."""
    hook = added(run, postgres, "account.made")
    opened(run, postgres, "alice")
    (message,) = claimed(run, postgres, hook, lease_s=0)
    (again,) = claimed(run, postgres, hook)
    for one in (message, again):
        run(postgres.end_webhook_message(one))
    (row,) = run(postgres.webhooks())
    assert (row.delivered, row.waiting, row.dead) == (1, 0, 0)
    assert row.delivered_ms > 0
    assert row.failed_ms is None


def test_a_failed_message_is_tried_again_and_at_last_dead(run, postgres, sql):
    """An older try decides nothing; what is dead is listed, tried again from the first try on, or dropped."""
    hook = added(run, postgres, "account.made")
    alice, bob = opened(run, postgres, "alice", "bob")
    (old, _) = claimed(run, postgres, hook, lease_s=0)
    first, second = claimed(run, postgres, hook)
    run(postgres.fail_webhook_message(old, "late", None))
    run(postgres.fail_webhook_message(first, "HTTP 500", 5))
    pauses = sql(
        "SELECT extract(epoch FROM due - now())::float FROM webhook_messages ORDER BY number"
    ).fetchall()
    assert pauses[0][0] == pytest.approx(5, abs=2)
    run(postgres.fail_webhook_message(second, "HTTP 503", None))
    (row,) = run(postgres.webhooks())
    assert (row.failure, row.waiting, row.dead, row.delivered) == ("HTTP 503", 1, 1, 0)
    assert run(postgres.webhook_backlog()).dead == 1
    (dead,) = run(postgres.dead_webhook_messages(hook, None, 9))
    assert (dead.number, dead.tries, dead.failure, dead.reference) == (second.number, 2, "HTTP 503", str(bob))
    assert run(postgres.dead_webhook_messages(hook, dead.number, 9)) == []
    assert run(postgres.decide_dead_webhooks(hook, first.number, again=True, by=ANN)) == 0
    assert run(postgres.decide_dead_webhooks(hook, None, again=True, by=ANN)) == 1
    (again,) = claimed(run, postgres, hook)
    assert (again.number, again.tries) == (second.number, 1)
    run(postgres.fail_webhook_message(again, "HTTP 500", None))
    assert run(postgres.decide_dead_webhooks(hook, again.number, again=False, by=ANN)) == 1
    assert sql("SELECT reference FROM webhook_messages").fetchall() == [(str(alice),)]
    verbs = [line.verb for line in run(postgres.log_lines(LogQuery(verb="webhook")))]
    assert verbs == ["webhook.drop", "webhook.retry", "webhook.add"]


def test_an_endpoint_that_is_off_keeps_what_waits(run, postgres, sql):
    """Nothing is added, nothing is claimed; a switch that changes nothing has no line."""
    hook = added(run, postgres, "account.made")
    opened(run, postgres, "alice")
    for _ in range(2):
        run(postgres.switch_webhook(hook, on=False, why="410 Gone", by=THE_ROOM))
    opened(run, postgres, "bob")
    assert claimed(run, postgres, hook) == run(postgres.due_webhooks()) == []
    assert run(postgres.webhook_backlog()) == WebhookBacklog(waiting=0, dead=0, oldest_s=0)
    (row,) = run(postgres.webhooks())
    assert (row.is_on, row.why_off, row.waiting) == (False, "410 Gone", 1)
    run(postgres.switch_webhook(hook, on=True, why="", by=ANN))
    assert len(claimed(run, postgres, hook)) == 1
    sql("UPDATE webhook_messages SET at = now() - interval '90 seconds'")
    assert run(postgres.webhook_backlog()).oldest_s == pytest.approx(90, abs=5)
    assert [line.verb for line in run(postgres.log_lines(LogQuery(verb="webhook")))] == [
        "webhook.on",
        "webhook.off",
        "webhook.add",
    ]


def test_a_queue_that_is_too_long_switches_its_endpoint_off(run, postgres):
    """Others go on; the line of the log says how many waited."""
    full = added(run, postgres, "account.made")
    other = added(run, postgres, "hand.ended")
    opened(run, postgres, "alice", "bob", "carol")
    assert run(postgres.close_full_webhooks(3, by=THE_ROOM)) == 0
    assert run(postgres.close_full_webhooks(2, by=THE_ROOM)) == 1
    rows = {row.number: row for row in run(postgres.webhooks())}
    assert (rows[full].is_on, rows[full].why_off) == (False, "more than 2 messages waited")
    assert rows[other].is_on


def test_dead_messages_that_are_tried_again_switch_nothing_off(run, postgres):
    """However many they are: only messages that were written since then count."""
    hook = added(run, postgres, "account.made")
    opened(run, postgres, "alice", "bob", "carol")
    for message in claimed(run, postgres, hook):
        run(postgres.fail_webhook_message(message, "HTTP 500", None))
    assert run(postgres.decide_dead_webhooks(hook, None, again=True, by=ANN)) == 3
    opened(run, postgres, "dave", "erin")
    assert run(postgres.close_full_webhooks(2, by=THE_ROOM)) == 0
    opened(run, postgres, "frank")
    assert run(postgres.close_full_webhooks(2, by=THE_ROOM)) == 1


def test_a_message_that_is_given_back_is_due_at_once(run, postgres):
    """And the try does not count; a try that is not the last one gives nothing back."""
    hook = added(run, postgres, "account.made")
    opened(run, postgres, "alice")
    (old,) = claimed(run, postgres, hook, lease_s=0)
    (message,) = claimed(run, postgres, hook)
    run(postgres.return_webhook_message(old))
    assert claimed(run, postgres, hook) == []
    run(postgres.return_webhook_message(message))
    (again,) = claimed(run, postgres, hook)
    assert (again.tries, again.failure) == (2, "")


def test_endpoints_are_few_and_unknown_ones_are_refused(run, postgres):
    """A removed one takes its messages along."""
    hooks = [added(run, postgres, "account.made") for _ in range(WEBHOOKS_MAX)]
    with pytest.raises(TooManyWebhooks):
        added(run, postgres, "account.made")
    opened(run, postgres, "alice")
    run(postgres.remove_webhook(hooks[0], by=ANN))
    assert [row.number for row in run(postgres.webhooks())] == hooks[1:]
    assert claimed(run, postgres, hooks[0]) == []
    for refused in (
        postgres.remove_webhook(hooks[0], by=ANN),
        postgres.webhook_target(hooks[0]),
        postgres.switch_webhook(hooks[0], on=True, why="", by=ANN),
        postgres.decide_dead_webhooks(hooks[0], None, again=True, by=ANN),
    ):
        with pytest.raises(UnknownWebhook):
            run(refused)


def test_no_line_of_the_log_has_a_secret_or_the_path_of_an_address(run, postgres):
    """A path or a query may be a password of the receiver's."""
    hook = added(run, postgres, "hand.ended", url="https://example.org/tok3n?k=v", secret=b"s3cret")
    run(postgres.remove_webhook(hook, by=ANN))
    lines = run(postgres.log_lines(LogQuery()))
    assert [line.named() for line in lines] == [
        {"messages": 0},
        {"host": "example.org", "kinds": "hand.ended"},
    ]


def test_old_messages_that_no_endpoint_takes_are_erased(run, postgres, sql):
    """Dead ones, those of an endpoint that is off, and at once those of one that is removed; what is tried stays."""
    hook, off = added(run, postgres, "account.made"), added(run, postgres, "account.made")
    opened(run, postgres, "alice", "bob")
    first, _ = claimed(run, postgres, hook)
    run(postgres.fail_webhook_message(first, "HTTP 500", None))
    run(postgres.switch_webhook(off, on=False, why="by order", by=ANN))
    sql("UPDATE webhook_messages SET at = now() - interval '31 days'")
    sql("INSERT INTO webhook_messages (endpoint, kind, reference) VALUES (%s, 'account.made', '1')", off + 1)
    opened(run, postgres, "carol")
    retention = Retention(hands_days=0, sessions_days=0, webhooks_days=30)
    erased = run(Deferred.fromCoroutine(erase_old(postgres, retention, LIFETIME)))
    assert erased.messages == 4
    assert sql("SELECT count(*) FROM webhook_messages WHERE endpoint = %s", hook).fetchone() == (2,)
    (line,) = run(postgres.log_lines(LogQuery(verb="retention")))
    assert line.named() == {"messages": 4}

"""The pages of the operator API for offers of tournaments."""

import json
from urllib.parse import quote

import pytest
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.operators import Role
from pokerroom.ledger.webhooks import UnknownWebhook
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.config import parse
from pokerroom.ops.config_offer import TERMS_MAX
from pokerroom.ops.offer_pages import OfferPages
from pokerroom.tournament.offer_board import OfferBoard
from tests.ops.fake_rooms import Asked, FakeRoom, token

SETTINGS = """
[[tables]]
id = "t1"
small_blind = 100
[[sit_and_go]]
id = "duel"
seats = 2
buy_in = 300
fee = 60
payout = "standard"
speed = "turbo"
"""
NOW_MS = 1_798_761_600_000
"""2027-01-01T00:00:00Z."""
TERMS = {"seats": 2, "buy_in": 300, "fee": 60, "payout": "standard", "speed": "turbo"}
SIX = {"seats": 6, "buy_in": 500, "payout": "standard", "speed": "regular"}


@pytest.fixture
def ledger():
    return MemoryLedger()


@pytest.fixture
def offered():
    """What the room offers, by kind."""
    return {}


@pytest.fixture
def ask(run, ledger, offered):
    """Ask as an operator of a role; status and JSON."""
    settings = parse(SETTINGS)
    board = OfferBoard(
        settings=[*settings.sit_and_gos, settings.hosting],
        written=settings.offer_terms,
        ledger=ledger,
        clock=Clock(),
        offer_sit_and_gos=lambda offers: succeed(offered.update(sit_and_go=[one.id for one in offers])),
        offer_tournaments=lambda offers: offered.update(tournament=[one.id for one in offers]),
    )
    run(Deferred.fromCoroutine(board.start()))
    pages = OfferPages(board, ledger, BookedOrders(ledger), lambda: NOW_MS).handlers()

    def asked(line, role=Role.ADMIN):
        return Asked(line, FakeRoom(), token(role), ledger=pages, log=ledger).json

    yield asked
    board.stop()


def order(offer, terms, **more):
    """The line of an order with these terms."""
    query = "".join(f"&{name}={quote(value)}" for name, value in more.items())
    return f"POST /v1/offers/{offer}/set?terms={quote(json.dumps(terms))}{query}"


def test_an_offer_of_the_settings_is_shown_as_it_is_written(ask):
    """Every role may look."""
    shown = {"offer": "duel", "kind": "sit_and_go", "is_offered": True, "ordered": None, "terms": TERMS}
    status, listed = ask("GET /v1/offers", Role.VIEWER)
    assert (status, listed[:1], [one["offer"] for one in listed[1:]]) == (200, [shown], ["private_tables"])
    assert ask("GET /v1/offers/duel", Role.CASHIER) == (200, shown)
    assert ask("GET /v1/offers/none")[1]["code"] == "unknown_offer"


def test_an_offer_is_changed_retired_and_given_back(run, ledger, ask, offered):
    """Each with its line and a place in the history; what held before is told."""
    changed = {**TERMS, "buy_in": 900}
    status, told = ask(order("duel", {**changed, "id": "duel"}, reason="the season"))
    assert (status, told["is_offered"], told["terms"]) == (200, True, changed)
    assert (told["ordered"]["who"], told["ordered"]["reason"], told["ordered"]["before"]) == (
        "admin-1",
        "the season",
        TERMS,
    )
    assert ask("POST /v1/offers/duel/retire?reason=over")[1]["is_offered"] is False
    assert offered == {"sit_and_go": [], "tournament": []}
    assert ask("POST /v1/offers/duel/reset")[1]["terms"] == TERMS
    assert offered["sit_and_go"] == ["duel"]
    history = ask("GET /v1/offers/duel/history")[1]
    assert [(one["standing"], one["before"]) for one in history] == [
        ("settings", changed),
        ("retired", changed),
        ("offered", TERMS),
    ]
    page = ask(f"GET /v1/offers/duel/history?limit=1&before={history[1]['number']}")[1]
    assert page == history[2:]
    lines = run(ledger.log_lines(LogQuery(verb="offer")))
    assert [(line.verb, line.subject, line.by.reason) for line in lines] == [
        ("offer.change", "duel", ""),
        ("offer.change", "duel", "over"),
        ("offer.change", "duel", "the season"),
    ]


def test_a_new_offer_is_made_and_ends(ask, offered):
    """A sit-and-go unless told otherwise; given back to settings that lack it, it is gone."""
    assert ask(order("six", SIX))[1]["kind"] == "sit_and_go"
    daily = {"buy_in": 100, "speed": "regular", "start": "0 20 * * *"}
    assert ask(order("daily", daily, kind="tournament"))[1]["kind"] == "tournament"
    assert offered == {"sit_and_go": ["duel", "six"], "tournament": ["daily"]}
    assert ask("POST /v1/offers/six/reset")[1]["is_offered"] is False
    assert [one["offer"] for one in ask("GET /v1/offers")[1]] == ["duel", "private_tables", "daily"]


@pytest.mark.parametrize(
    ("ordered", "problem"),
    [
        (("duel", {**TERMS, "buy_in": 0}, {}), "buy_in"),
        (("duel", {**TERMS, "seat": 3}, {}), "seat: is not a setting here"),
        (("duel", {**TERMS, "fee": 300, "seats": 99}, {}), "seats"),
        (("duel", {**TERMS, "id": "other"}, {}), "id"),
        (("duel", TERMS, {"kind": "tournament"}), "kind"),
        (("duel", TERMS, {"kind": "raffle"}), "kind"),
        (("duel", [1], {}), "no JSON object"),
        (("duel", {}, {}), "buy_in is missing"),
        (("Duel_2", SIX, {}), "id"),
        (("private_tables", {"seats_max": 1}, {}), "seats_max"),
        (("private_tables", {"games": ["holdem"]}, {}), "games"),
        (("private_tables", {"idle_close_h": 5}, {}), "idle_close_h: is not a setting here"),
        (("private_tables", SIX, {"kind": "sit_and_go"}), "kind"),
        (("friends", {}, {"kind": "private_tables"}), "the offer of private tables is private_tables"),
        (
            ("new", {"buy_in": 100, "speed": "regular", "start": "60 * * * *"}, {"kind": "tournament"}),
            "start",
        ),
    ],
)
def test_terms_that_the_settings_would_refuse_are_refused(run, ledger, ask, ordered, problem):
    """With every problem by its key, and nothing changes."""
    offer, terms, more = ordered
    status, error = ask(order(offer, terms, **more))
    assert (status, error["code"]) == (400, "bad_offer")
    assert problem in error["message"]
    assert run(ledger.offers()) == []


def test_only_an_admin_orders_offers(run, ledger, ask):
    """And only of offers that there are; terms have a bound."""
    for role in set(Role) - {Role.ADMIN}:
        for line in (order("duel", TERMS), "POST /v1/offers/duel/retire", "POST /v1/offers/duel/reset"):
            assert ask(line, role)[1]["code"] == "not_permitted"
    assert ask("POST /v1/offers/none/retire")[1]["code"] == "unknown_offer"
    assert ask("POST /v1/offers/none/reset")[1]["code"] == "unknown_offer"
    assert ask(order("duel", {"name": "x" * TERMS_MAX}))[1]["code"] == "bad_parameter"
    assert run(ledger.offers()) == []


def test_an_operator_is_told_the_refusal_and_not_where_it_was_raised(ask, ledger, monkeypatch):
    """PostgreSQL adds its context to a message."""

    def refused(*_arguments, **_named):
        raise UnknownWebhook(
            "there is no webhook 9\nCONTEXT:  PL/pgSQL function refuse(text,text) line 3 at RAISE"
        )

    monkeypatch.setattr(ledger, "change_offer", refused)
    status, told = ask(order("duel", {**TERMS, "buy_in": 900}))
    assert (status, told["message"]) == (404, "there is no webhook 9")


def test_private_tables_are_an_offer(ask):
    """With its terms of the settings in whole; an order changes it, and the settings come back."""
    _, told = ask("GET /v1/offers/private_tables")
    assert (told["kind"], told["is_offered"], told["ordered"]) == ("private_tables", True, None)
    assert told["terms"]["tables_per_account"] == 3
    fewer = {**told["terms"], "tables_per_account": 1, "games": ["omaha pot_limit"]}
    _, changed = ask(order("private_tables", fewer, reason="too many"))
    assert (changed["terms"], changed["ordered"]["before"]) == (fewer, told["terms"])
    assert ask("POST /v1/offers/private_tables/retire")[1]["is_offered"] is False
    assert ask("POST /v1/offers/private_tables/reset")[1] == {**told, "ordered": None}


def test_two_offers_cannot_have_one_name(ask, offered):
    """Neither a new one nor one that is given back to the settings; a name is free once its offer is retired."""
    named = {**SIX, "name": " DUEL "}
    status, told = ask(order("six", named))
    assert (status, told["code"]) == (400, "bad_offer")
    assert '" DUEL " is also the name of duel' in told["message"]
    assert ask(order("duel", {**TERMS, "buy_in": 900, "name": "Duel"}))[0] == 200  # its own
    ask("POST /v1/offers/duel/retire")
    assert ask(order("six", named))[0] == 200
    status, told = ask("POST /v1/offers/duel/reset")
    assert (status, told["code"]) == (400, "bad_offer")
    assert offered["sit_and_go"] == ["six"]


def test_a_start_that_is_past_is_refused(ask, offered):
    """A new one: no tournament would be opened. The other terms of an offer may be put right after its start."""
    once = {"buy_in": 100, "speed": "turbo", "start": "2026-12-31T23:59:00Z"}
    status, told = ask(order("eve", once, kind="tournament"))
    assert (status, told["code"]) == (400, "bad_offer")
    assert "start: is past" in told["message"]
    assert ask(order("eve", {**once, "start": "2027-01-01T00:01:00Z"}, kind="tournament"))[0] == 200
    assert ask(order("eve", once))[0] == 400
    assert offered["tournament"] == ["eve"]

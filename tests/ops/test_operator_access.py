"""Who may ask what at the operations port."""

from types import SimpleNamespace

import pytest
from structlog.testing import capture_logs
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred, fail

from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.operators import Operator, Role
from pokerroom.ops.operator_access import (
    LOOKUPS_MAX,
    LOOKUPS_OF_ADDRESS,
    LOOKUPS_WAITING_MAX,
    OperatorAccess,
)
from pokerroom.ops.operator_commands import GROUPS, QUERIES
from pokerroom.ops.operator_roles import VERBS
from pokerroom.table.seal import Seal
from tests.ops.fake_rooms import ANN, Asked, FakeRoom, FakeTokens, forwarded, passes, token
from tests.ops.fake_tournaments import FakeSitAndGos

NAMES = {"nodes": "n1"}
"""What there is of each kind in the room; `one` of the others."""

PAGES = [(f"GET /v1{query.path}", name) for name, query in QUERIES.items()]
for group in GROUPS:
    PAGES += [
        (f"GET /v1{query.path.format('one')}", group.verb(name)) for name, query in group.queries.items()
    ]
    known = NAMES.get(group.path, "one")
    PAGES += [
        (f"POST /v1/{group.path}/{known}/{order.name}", group.verb(order.name)) for order in group.orders
    ]


@pytest.fixture
def room():
    return FakeRoom()


@pytest.fixture
def sit_and_gos():
    return FakeSitAndGos()


@pytest.mark.parametrize(("request_line", "verb"), PAGES, ids=[verb for _, verb in PAGES])
def test_every_page_asks_for_its_verb(room, sit_and_gos, request_line, verb):
    """A role that lacks the verb is refused, and nothing happens; every other one is answered."""
    for role in Role:
        asked = Asked(request_line, room, token(role), tournaments=sit_and_gos)
        if role in VERBS[verb]:
            assert asked.answer[0] in {200, 202, 409}
            room.asked, sit_and_gos.asked = [], []
        else:
            status, error = asked.json
            assert (status, error["code"]) == (403, "not_permitted")
            assert f"The role {role.value} may not do {verb}." in error["message"]
        assert room.asked + sit_and_gos.asked == []


@pytest.mark.parametrize(
    ("authorization", "code"),
    [
        (None, "token_missing"),
        ("Bearer", "token_refused"),
        ("Bearer of-a-player", "token_refused"),
        ("Basic YWRtaW46YWRtaW4=", "token_missing"),
        ("Pokerroom-Node AAAA", "pass_refused"),
    ],
)
def test_no_page_is_answered_without_a_proof(room, sit_and_gos, authorization, code):
    """Nor told whether it is there: the code says what is missing."""
    for line in ("GET /v1/tables/nothing", *(line for line, _ in PAGES)):
        status, error = Asked(line, room, {"Authorization": authorization}, tournaments=sit_and_gos).json
        assert (status, error["code"]) == (401, code)
    assert room.asked + sit_and_gos.asked == []


def test_the_scheme_may_be_written_as_one_likes(room):
    """RFC 9110 11.1."""
    assert Asked("GET /v1/nodes", room, {"Authorization": "bEARER viewer-token"}).answer[0] == 200


def test_a_refusal_is_logged_with_who_asked(room):
    """By name and role where it is known, and never with a token."""
    with capture_logs() as logged:
        Asked("POST /v1/tables/one/void", room, token("cashier"))
        Asked("POST /v1/tables/one/void", room, {"Authorization": "Bearer guessed"})
    common = {
        "event": "operator.refused", "log_level": "warning", "verb": "table.void", "table": "one",
        "address": "192.168.1.1",
    }  # fmt: skip
    assert logged == [
        {**common, "code": "not_permitted", "operator": "cashier-1", "role": "cashier"},
        {**common, "code": "token_refused"},
    ]


def test_a_long_path_makes_no_long_line(room):
    """A client may send 16 KiB, at any page."""
    for path in (f"/v1/tables/{'x' * 9_000}/close", "/" + "x" * 9_000):
        for header in ({"Authorization": "Bearer guessed"}, {"Host": "evil.example"}):
            with capture_logs() as logged:
                Asked(f"POST {path}", room, header)
            assert all(len(str(line)) < 500 for line in logged)


class SlowTokens:
    """A `TokenLookup` of a ledger that is slow; `asked` are its look-ups in progress."""

    def __init__(self):
        self.asked = []
        self.access = OperatorAccess(self, passes("n1"), {"": None}.get)

    def find_operator(self, token_hash):
        self.asked.append(Deferred())
        return self.asked[-1]

    def guess(self, address, times):
        """Ask so many times from an address. Return the outcomes, as far as they are known."""
        outcomes = []
        for _ in range(times):
            request = SimpleNamespace(
                getHeader={"authorization": "Bearer guessed"}.get,
                getClientAddress=lambda: address and IPv4Address("TCP", address, 1),
            )
            Deferred.fromCoroutine(self.access.asker(request)).addBoth(outcomes.append)
        return outcomes

    def answer_all(self):
        """Answer the look-ups, one after the other."""
        while self.asked:
            assert len(self.asked) <= LOOKUPS_MAX
            self.asked.pop(0).callback(None)


def codes(outcomes):
    return [outcome.value.code for outcome in outcomes]


def test_few_tokens_are_looked_up_at_a_time():
    """A flood of guesses leaves the connections that settle hands; each waits for its turn, or is refused at once."""
    tokens, answered = SlowTokens(), LOOKUPS_MAX + LOOKUPS_WAITING_MAX
    outcomes = tokens.guess(None, answered + 3)
    assert codes(outcomes) == ["too_many_requests"] * 3
    tokens.answer_all()
    assert codes(outcomes[3:]) == ["token_refused"] * answered


def test_look_ups_that_end_at_once_lose_no_turn(monkeypatch):
    """The ledger goes away while all wait: all are answered, and the next one is."""
    tokens = SlowTokens()
    outcomes = tokens.guess(None, LOOKUPS_MAX + LOOKUPS_WAITING_MAX)
    monkeypatch.setattr(tokens, "find_operator", lambda _: fail(LedgerUnavailable("away")))
    for one in tokens.asked:
        one.errback(LedgerUnavailable("away"))
    assert len(outcomes) == LOOKUPS_MAX + LOOKUPS_WAITING_MAX
    assert len(tokens.guess(None, LOOKUPS_MAX)) == LOOKUPS_MAX


def test_a_flood_of_one_address_leaves_look_ups_to_the_others():
    """Also while the ledger is slow: an address has few of them, and has them again once they are answered."""
    tokens = SlowTokens()
    tokens.access = OperatorAccess(tokens, passes("n1"))
    flood = tokens.guess("192.0.2.7", 500)
    assert codes(flood) == ["too_many_requests"] * (500 - LOOKUPS_OF_ADDRESS)
    operator = tokens.guess("192.0.2.8", 1)
    tokens.answer_all()
    assert codes(operator) == ["token_refused"]
    assert codes(flood[-LOOKUPS_OF_ADDRESS:]) == ["token_refused"] * LOOKUPS_OF_ADDRESS
    again = tokens.guess("192.0.2.7", LOOKUPS_OF_ADDRESS)
    assert again == []


def test_a_token_cannot_be_looked_up_without_the_ledger(room):
    """503: it may be asked again, and is not taken for a wrong one."""
    tokens = FakeTokens()
    tokens.failure = LedgerUnavailable("away: secret host")
    status, error = Asked("POST /v1/tables/one/freeze", room, tokens=tokens).json
    assert (status, error["code"], room.asked) == (503, "unavailable", [])


def test_another_node_asks_for_an_operator_with_the_operators_rights(room):
    """What the role may not do is refused again, though the node believed it."""
    path = "/v1/tables/one/close"
    with capture_logs() as logged:
        assert Asked(f"POST {path}", room, forwarded("POST", path)).answer[0] == 202
    assert (logged[0]["operator"], room.asked) == (ANN.name, [("close", "one")])
    for refused, code in (
        (forwarded("POST", path, Operator("bob", Role.VIEWER)), "not_permitted"),
        (forwarded("POST", "/v1/tables/two/close"), "pass_refused"),
        (forwarded("POST", path, receiver="n3"), "pass_refused"),
        (forwarded("POST", path, seal=Seal(bytes([1] * 32))), "pass_refused"),
    ):
        assert Asked(f"POST {path}", room, refused).json[1]["code"] == code
    assert len(room.asked) == 1


@pytest.mark.parametrize("reason", ["a" * 501, "two%0Alines", "%FF", "%00"])
def test_a_reason_is_a_line(room, reason):
    """Nothing is carried out with another one."""
    status, error = Asked(f"POST /v1/tables/one/close?reason={reason}", room).json
    assert (status, error["code"], room.asked) == (400, "bad_reason", [])

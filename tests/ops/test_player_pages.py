"""The pages of the operations port for accounts of players."""

import pytest

from pokerroom.chips import Money
from pokerroom.gateway.names import operators_may_give
from pokerroom.ledger.account_standing import MUTE_MINUTES_MAX, Exclusion
from pokerroom.ledger.credentials import LIFETIME, Device
from pokerroom.ledger.limits import LIMITS
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import THE_ROOM, LogQuery
from pokerroom.ledger.operators import Role
from pokerroom.ledger.recovery_codes import code_hash
from pokerroom.lobby.players import PlayersDesk
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.operator_roles import VERBS
from pokerroom.ops.player_pages import PlayerPages
from tests.ledger.contract import hand, seated
from tests.ledger.contract_of_cashier import asked
from tests.ops.fake_rooms import Asked, FakeRoom, token

PAGES = {
    "GET /v1/players?name=an": "account.search",
    "GET /v1/players/anna": "account.show",
    "GET /v1/players/anna/sessions": "account.sessions",
    "GET /v1/players/anna/history": "account.history",
    "GET /v1/players/anna/transfers": "account.transfers",
    "GET /v1/players/anna/limits": "account.limits",
    "GET /v1/players/anna/notes": "account.notes",
    "POST /v1/players/anna/note?reason=called": "account.note",
    "POST /v1/players/anna/mute?minutes=5": "account.mute",
    "POST /v1/players/anna/unmute": "account.unmute",
    "POST /v1/players/anna/lock": "account.lock",
    "POST /v1/players/anna/unlock": "account.unlock",
    "POST /v1/players/anna/log_out": "account.log_out",
    "POST /v1/players/anna/exclude?days=1": "account.exclude",
    "POST /v1/players/anna/rename?new_name=carol": "account.rename",
    "POST /v1/players/anna/recovery_code": "account.recovery_code",
}


@pytest.fixture
def ledger(run):
    """Anna has 100.00 and one log-in; a house bot has a name that begins like hers."""
    ledger = MemoryLedger()
    account = run(ledger.create_account("anna", "hash", Money(10_000))).account
    run(ledger.open_session(account, b"t1", Device(client="browser", address="10.1.0.0/16")))
    run(ledger.create_account("Bot.Ada", "!house", Money(0)))
    return ledger


@pytest.fixture
def ask(ledger):
    """Ask as an operator of a role; status and JSON."""

    def asked(line, role=Role.SUPPORT, *, headers=None):
        desk = PlayersDesk(ledger, LIFETIME, operators_may_give)
        pages = PlayerPages(desk, BookedOrders(ledger)).handlers()
        headers = token(role) if headers is None else headers
        return Asked(line, FakeRoom(), headers, ledger=pages, log=ledger).json

    return asked


def state(run, ledger):
    """What the orders change."""
    return (
        run(ledger.barred([1], [])),
        run(ledger.sessions_of(1)),
        run(ledger.exclusion(1)),
        run(ledger.overview(1)).muted_until_ms,
    )


@pytest.mark.parametrize("line", PAGES)
def test_every_page_asks_for_the_verb_of_its_command(run, ledger, ask, line):
    """A role without it is refused, and nothing changes; a player's token is no operator's."""
    before = state(run, ledger)
    for role in Role:
        if role not in VERBS[PAGES[line]]:
            status, error = ask(line, role)
            assert (status, error["code"]) == (403, "not_permitted")
            assert PAGES[line] in error["message"]
    for headers in ({"Authorization": None}, {"Authorization": "Bearer of-a-player"}):
        assert ask(line, headers=headers)[0] == 401
    assert state(run, ledger) == before
    assert ask(line, Role.ADMIN)[0] == 200


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("POST /v1/players/anna", 405),
        ("GET /v1/players/anna/lock", 405),
        ("POST /v1/players", 405),
        ("GET /v1/players/", 404),
        ("POST /v1/players/anna/delete", 404),
        ("POST /v1/players/anna/lock/now", 404),
    ],
)
def test_there_are_no_other_pages(ask, line, status):
    """What has no page here is a command only."""
    assert ask(line, Role.ADMIN)[0] == status


def test_players_are_found_by_how_their_names_begin(run, ledger, ask):
    """In order, without house bots; the number is bounded."""
    run(ledger.create_account("Andy", "hash", Money(0)))
    assert ask("GET /v1/players?name=AN") == (200, ["Andy", "anna"])
    assert ask("GET /v1/players?name=an&limit=1")[1] == ["Andy"]
    assert ask("GET /v1/players?name=bot")[1] == ask("GET /v1/players?name=%C3%A9")[1] == []
    assert ask("GET /v1/players")[1] == ["Andy", "anna"]
    for wrong in ("limit=0", "limit=101", "limit=x", f"name={'n' * 41}", "name=%00"):
        assert ask(f"GET /v1/players?{wrong}")[1]["code"] == "bad_parameter"


def test_a_player_is_shown_locked_and_unlocked(run, ledger, ask):
    """By the whole name, ignoring case; each order has its line."""
    status, shown = ask("GET /v1/players/ANNA")
    assert (status, shown) == (
        200,
        {
            "account": 1, "name": "anna", "wallet": 10_000, "tables": [], "is_locked": False, "is_excluded": False,
            "excluded_until_ms": None, "muted_until_ms": None,
        },
    )  # fmt: skip
    assert ask("POST /v1/players/anna/lock?reason=asked") == (200, {"player": "anna", "asked": "lock"})
    assert ask("GET /v1/players/anna")[1]["is_locked"] is True
    assert ask("POST /v1/players/anna/unlock")[0] == 200
    assert ask("GET /v1/players/anna")[1]["is_locked"] is False
    (line,) = run(ledger.log_lines(LogQuery(verb="account.lock")))
    assert (line.by.who, line.by.reason, line.subject) == ("support-1", "asked", "account:1")


def test_log_ins_are_listed_and_ended(run, ledger, ask):
    """Each device with its shortened address; the token is nowhere."""
    (session,) = ask("GET /v1/players/anna/sessions")[1]
    assert (session["client"], session["address"]) == ("browser", "10.1.0.0/16")
    assert set(session) == {"client", "address", "opened_ms", "seen_ms"}
    assert ask("POST /v1/players/anna/log_out?reason=shared+phone")[0] == 200
    assert ask("GET /v1/players/anna/sessions")[1] == []
    (line,) = run(ledger.log_lines(LogQuery(who="support-1")))
    assert line.by.reason == "shared phone"


def test_a_player_is_excluded_for_days_or_for_ever(run, ledger, ask):
    """As asked for, because it cannot be lifted: without a length, or with two, it is refused."""
    for wrong in ("0", "x", "36501", "-1", "7&for_ever=0"):
        assert ask(f"POST /v1/players/anna/exclude?days={wrong}")[1]["code"] == "bad_parameter"
    for wrong in ("", "day=7", "days=", "days=7&for_ever=1"):
        status, error = ask(f"POST /v1/players/anna/exclude?{wrong}")
        assert (status, error["code"]) == (400, "bad_exclusion")
    assert run(ledger.exclusion(1)) is None
    assert ask("POST /v1/players/anna/exclude?days=7&reason=asked")[0] == 200
    assert ask("GET /v1/players/anna")[1]["excluded_until_ms"] is not None
    assert ask("POST /v1/players/anna/exclude?for_ever=1")[0] == 200
    assert run(ledger.exclusion(1)) == Exclusion(until_ms=None)
    shown = ask("GET /v1/players/anna")[1]
    assert (shown["is_excluded"], shown["excluded_until_ms"]) == (True, None)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "bad_name"),
        ("b", "bad_name"),
        ("b%20b", "bad_name"),
        ("Bot.X", "bad_name"),
        ("dealer", "bad_name"),
        ("BERT", "name_taken"),
    ],
)
def test_a_player_gets_no_name_that_a_new_one_could_not_have(run, ledger, ask, name, code):
    """Malformed, of the room, or of another player."""
    run(ledger.create_account("bert", "hash", Money(0)))
    status, error = ask(f"POST /v1/players/anna/rename?new_name={name}")
    assert (status, error["code"]) == (409, code)
    assert ask("POST /v1/players/anna/rename?new_name=carol")[1] == {"player": "anna", "asked": "rename"}
    assert run(ledger.account_names([1])) == {1: "carol"}


def test_a_recovery_code_is_told_once_and_works_once(run, ledger, ask):
    """It is in the answer alone; the second factor is ended only where the operator says so."""
    run(ledger.begin_second_factor(1, b"sealed"))
    code = ask("POST /v1/players/anna/recovery_code")[1]["code"]
    assert run(ledger.second_factor(1)) is not None
    assert ask("POST /v1/players/anna/recovery_code?end_second_factor=1")[1]["code"] != code
    assert run(ledger.second_factor(1)) is None
    assert run(ledger.recover_account(1, code_hash(1, code), "new")) is None, "the later one replaced it"
    assert all(code not in repr(line) for line in run(ledger.log_lines(LogQuery())))


def test_what_is_no_player_is_not_found(run, ledger, ask):
    """House bots have no person; a deleted account is locked for ever; a name may be written with percent signs."""
    gone = run(ledger.create_account("bert", "hash", Money(0))).account
    run(ledger.delete_account(gone, None, by=THE_ROOM))
    for name in ("Bot.Ada", f"gone-{gone}", "carl", "%00", "a%2Fb"):
        for line in (
            f"GET /v1/players/{name}",
            f"POST /v1/players/{name}/unlock",
            f"GET /v1/players/{name}/sessions",
        ):
            status, error = ask(line)
            assert (status, error["code"]) == (404, "unknown_player")
    assert ask("GET /v1/players/%61nna")[0] == 200


def test_the_games_of_a_player_are_listed_without_cards(run):
    """The newest first, page by page, with what was won or lost; of the record only whether it is in an archive."""
    ledger = MemoryLedger()
    anna, bert = seated(run, ledger, "anna", "bert")
    for number, won in enumerate((50, -20, 5), 1):
        run(ledger.settle([hand(f"h{number}", {anna: won, bert: -won})]))
    desk = PlayersDesk(ledger, LIFETIME, operators_may_give)
    pages = PlayerPages(desk, BookedOrders(ledger)).handlers()

    def told(query):
        line = f"GET /v1/players/anna/history?{query}"
        return Asked(line, FakeRoom(), token(Role.SUPPORT), ledger=pages, log=ledger).json

    status, found = told("limit=2")
    assert (status, [(one["kind"], one["subject"], one["result"]) for one in found]) == (
        200,
        [("hand", "h3", 5), ("hand", "h2", -20)],
    )
    assert [one["subject"] for one in told(f"before={found[-1]['number']}")[1]] == ["h1"]
    left = b'{"game": "holdem", "digest": "%b", "archive": 7}' % (b"0" * 64)
    run(ledger.settle([hand("h4", {anna: 1, bert: -1}, record=left)]))
    assert [(one["subject"], one["archived"]) for one in told("limit=2")[1]] == [("h4", True), ("h3", False)]
    assert "record" not in found[0]
    assert "cards" not in str(found)


def test_what_changed_a_wallet_is_listed_in_pages(run, ledger, ask):
    """The newest first, with the other side of each."""
    for number in range(3):
        run(ledger.open_source(f"desk{number}"))
        run(ledger.fund_source(f"f{number}", f"desk{number}", Money(100)))
        row = run(ledger.request_cash(asked(1, 7 + number, source=f"desk{number}", key=f"key-{number}"), 9))
        run(ledger.decide_cash(row.number, approve=True, note=""))
    status, found = ask("GET /v1/players/anna/transfers?limit=2")
    assert (status, [(one["kind"], one["wallet"], one["other"]) for one in found]) == (
        200,
        [("deposit", 9, "source:desk2"), ("deposit", 8, "source:desk1")],
    )
    older = ask(f"GET /v1/players/anna/transfers?before={found[-1]['number']}")[1]
    assert [(one["kind"], one["wallet"], one["other"]) for one in older] == [
        ("deposit", 7, "source:desk0"),
        ("opening", 10_000, "bank"),
    ]
    assert ask("GET /v1/players/anna/transfers?limit=201")[1]["code"] == "bad_parameter"


def test_the_limits_of_a_player_are_shown(run, ledger, ask):
    """Those of the player and the caps of the room, also where there is none."""
    run(ledger.set_limit(1, "loss", "week", 500))
    run(ledger.set_limit_caps({("deposit", "day"): 900}))
    limits = {(one["kind"], one["period"]): one for one in ask("GET /v1/players/anna/limits")[1]}
    assert set(limits) == set(LIMITS)
    assert limits["loss", "week"]["value"] == 500
    assert limits["deposit", "day"]["cap"] == 900


def test_notes_are_lines_of_the_log(run, ledger, ask):
    """Of this player alone; none is ever changed, and without a text there is none."""
    run(ledger.create_account("bert", "hash", Money(0)))
    for text in ("first", "second+%C3%BC"):
        assert ask(f"POST /v1/players/anna/note?reason={text}") == (200, {"player": "anna", "asked": "note"})
    assert ask("POST /v1/players/bert/note?reason=other")[0] == 200
    notes = ask("GET /v1/players/ANNA/notes")[1]
    assert [(note["who"], note["text"]) for note in notes] == [
        ("support-1", "second ü"),
        ("support-1", "first"),
    ]
    assert ask(f"GET /v1/players/anna/notes?before={notes[0]['number']}")[1] == notes[1:]
    assert ask("GET /v1/players/anna/notes?limit=1")[1] == notes[:1]
    for wrong in ("", "reason=", "reason=+"):
        status, error = ask(f"POST /v1/players/anna/note?{wrong}")
        assert (status, error["code"]) == (400, "bad_reason")
    assert len(run(ledger.log_lines(LogQuery(verb="account.note")))) == 3


def test_the_right_to_chat_is_taken_for_minutes(run, ledger, ask):
    """At least one, at most a year; each order has its line."""
    for wrong in ("", "minutes=0", f"minutes={MUTE_MINUTES_MAX + 1}", "minutes=x"):
        assert ask(f"POST /v1/players/anna/mute?{wrong}")[1]["code"] == "bad_parameter"
    assert ask("POST /v1/players/anna/mute?minutes=90&reason=insults", Role.FLOOR)[0] == 200
    assert ask("GET /v1/players/anna")[1]["muted_until_ms"] == run(ledger.overview(1)).muted_until_ms
    assert ask("POST /v1/players/anna/unmute?reason=sorry")[0] == 200
    assert ask("GET /v1/players/anna")[1]["muted_until_ms"] is None
    second, first = run(ledger.log_lines(LogQuery(subject="account:1", limit=2)))
    assert (first.verb, first.named(), first.by.who) == ("account.mute", {"minutes": 90}, "floor-1")
    assert (second.verb, second.by.reason) == ("account.unmute", "sorry")

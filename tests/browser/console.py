"""An operator at the console: a page of the operations port, with real or made-up answers of the room."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pokerroom.ledger.operators import Role
from pokerroom.ops.operator_roles import verbs_of

WIDE, PHONE = (1280, 720), (390, 844)
FITS = "document.documentElement.scrollWidth <= innerWidth"
"""In a page: whether nothing is wider than the screen."""

FROZEN = "Date.now = () => Date.UTC(2026, 0, 2, 20, 30);"
NOW_MS = 1_767_385_800_000
EXPECTED = "Failed to load resource"
"""What Chromium itself says of each refusal; the console shows it in words."""


class OperatorPage:
    """One page of the console. `problems` are console errors and uncaught exceptions, `foreign` requests elsewhere."""

    def __init__(self, page: Any, port: int) -> None:
        self.page = page
        self.url = f"http://127.0.0.1:{port}/operator"
        self.problems: list[str] = []
        self.foreign: list[str] = []
        self.missing: list[str] = []
        page.on("console", lambda message: self._said(message.type, message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self._asked(request.url))
        page.on("response", lambda answer: answer.status == 404 and self.missing.append(answer.url))

    def _said(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"} and EXPECTED not in text:
            self.problems.append(f"{kind}: {text}")

    def _asked(self, url: str) -> None:
        if not url.startswith((self.url.removesuffix("/operator"), "data:")):
            self.foreign.append(url)

    def open(self, place: str = "") -> OperatorPage:
        """Open the console, at a page of it."""
        self.page.goto(self.url + place)
        self.page.locator("main > *").first.wait_for()
        return self

    def sign_in(self, token: str) -> OperatorPage:
        """Paste a token."""
        self.page.fill(".sign-in input", token)
        self.page.click(".sign-in .primary")
        self.page.locator(".bar nav").wait_for()
        return self

    def go(self, name: str) -> None:
        """Choose a page of the bar."""
        self.page.locator(f'.bar nav a[href="#{name}"]').click()
        self.page.locator(".page h1").wait_for()

    def offered(self) -> list[str]:
        """The orders that the page has buttons for."""
        return list(self.page.locator(".orders button").all_inner_texts())

    def order(self, name: str, reason: str = "") -> None:
        """Give an order by its button, and say why."""
        self.page.locator(".orders").get_by_role("button", name=name, exact=True).first.click()
        self.page.locator("dialog input[name=reason]").fill(reason)
        self.page.locator("dialog button.primary").click()


def made_up(page: Any, role: Role = Role.ADMIN) -> None:
    """Answer the console's questions with a room that is the same at each run."""
    polls = count()

    def answered(route: Any) -> None:
        url = urlsplit(route.request.url)
        path = url.path.removeprefix("/v1")
        if path == "/now":
            body: Any = now(next(polls))
        elif path == "/charts":
            asked = parse_qs(url.query)
            body = charts(int(asked["minutes"][0]), int(asked["step"][0]))
        else:
            body = answers(role).get(path)
        if body is None:
            route.fulfill(status=404, json={"code": "unknown_table", "message": "There is no such table."})
        else:
            route.fulfill(status=200, content_type="application/json", body=json.dumps(body))

    page.route(
        lambda url: not urlsplit(url).path.startswith("/operator/") and not url.endswith("/operator"),
        answered,
    )


def now(poll: int) -> list[dict[str, Any]]:
    """What two nodes tell of themselves: always the same number of hands in a second."""
    common = {"at_ms": NOW_MS + 2_000 * poll, "rounds": poll, "processor_ms": 740 * poll}
    return [
        {**common, "node": "cards-1", "reasons": [], "hands": 25 * poll, "actions": 190 * poll,
         "connections": {"tcp": 12, "websocket": 341}},
        {**common, "node": "cards-2", "reasons": ["draining"], "hands": 3 * poll, "actions": 22 * poll,
         "connections": {"tcp": 0, "websocket": 18}},
    ]  # fmt: skip


def charts(minutes: int, step: int) -> list[dict[str, Any]]:
    """What three nodes counted: one stood still for an hour, one began in the afternoon."""

    def node(name: str, share: int, knows: Callable[[int], bool]) -> dict[str, Any]:
        """`share` is the node's part of the play in percent, `knows` tells which minutes of the day it counted."""
        first = (NOW_MS // 60_000 - minutes) // step * step
        times = range(first, NOW_MS // 60_000, step)
        # a quiet morning, a busy evening, and some unrest
        busy = [
            (100 - abs((minute - 480) % 1_440 - 720) // 8) * share + minute * 7_919 % 311 for minute in times
        ]
        known = [knows(minute % 1_440) for minute in times]

        def series(number: Callable[[int], int]) -> list[int | None]:
            return [number(each) if is_known else None for each, is_known in zip(busy, known, strict=True)]

        return {
            "node": name, "first_ms": first * 60_000, "step": step, "minutes": [step if each else 0 for each in known],
            "connections": series(lambda each: each // 20), "seats": series(lambda each: each // 27),
            "hands": series(lambda each: each * step // 90), "rounds": series(lambda each: each * step // 400),
            "actions": series(lambda each: each * step // 6), "refusals": series(lambda each: each % 29 * step // 8),
            "faults": series(lambda each: int(each % 97 == 0)), "processor": series(lambda each: each // 9),
            "action_us": series(lambda each: 5_000 if each % 5 else 10_000),
            "settlement_us": series(lambda each: 25_000 if each % 41 else 250_000),
        }  # fmt: skip

    return [
        node("cards-1", 75, lambda minute: not 600 <= minute < 660),
        node("cards-2", 22, lambda _: True),
        node("cards-5", 30, lambda minute: 905 <= minute < 1_230),
    ]


def answers(role: Role) -> dict[str, Any]:
    """The room's answers by path."""

    def table(number: int, name: str, state: str = "playing", **more: Any) -> dict[str, Any]:
        return {
            "table": f"t{number}", "name": name, "node": "cards-1", "state": state, "closing": False,
            "hand_id": None, "seats": 6, "occupied": 4, "connected": 4, "waiting": 0, "crashes": 0,
            "frozen": None, "host": None, **more,
        }  # fmt: skip

    def seat(number: int, name: str, stack: int, **more: Any) -> dict[str, Any]:
        return {
            "seat": number, "name": name, "status": "playing", "connected": True, "bot": False, "stack": stack,
            "bet": 0, "in_hand": True, "acts": False, **more,
        }  # fmt: skip

    def line(number: int, verb: str, subject: str, **more: Any) -> dict[str, Any]:
        return {
            "n": number, "at_ms": NOW_MS - 60_000 * (60 - number), "who": "ann", "role": "floor", "verb": verb,
            "subject": subject, "arguments": "{}", "reason": "", "result": "done", "address": "", **more,
        }  # fmt: skip

    def cash(number: int, name: str, amount: int, kind: str, **more: Any) -> dict[str, Any]:
        request = {"account": 7, "key": "k", "kind": kind, "amount": amount, "source": "play-money"}
        return {
            "number": number, "request": request, "name": name, "state": "waiting",
            "asked_ms": NOW_MS - 60_000 * (50 - number), "decided_ms": None, "note": "", **more,
        }  # fmt: skip

    def adjustment(number: int, name: str, amount: int, who: str, reason: str) -> dict[str, Any]:
        return {
            "number": number, "name": name, "state": "proposed", "reason": reason, "proposed_by": who,
            "proposed_ms": NOW_MS - 60_000 * (50 - number), "decided_by": None, "decided_ms": None,
            "adjustment": {"account": 7, "key": "k", "amount": amount, "source": "play-money"},
        }  # fmt: skip

    tables = [
        table(1, "Low stakes", hand_id="h7"),
        table(2, "Broken felt", "frozen", hand_id="h9", frozen="operator", crashes=1),
        table(3, "After a fault", "frozen", node="cards-2", frozen="AssertionError", crashes=4),
        table(4, "Friday night", "paused", host="Ottilie", waiting=2, occupied=6),
        table(5, "Going home", "playing", closing=True, occupied=2, connected=1),
        table(6, "Empty", "waiting", occupied=0, connected=0),
        table(7, "Against the house", "taking_bets", seats=None, occupied=11, connected=10),
        table(8, "Lost", "unreachable", node="cards-3", occupied=0, connected=0),
    ]
    tournament = {
        "tournament": "six.4", "offer": "six", "phase": "running", "seats": 6, "taken": 6, "left": 3,
        "buy_in": 1_000, "node": "cards-1", "state": "playing", "starts_ms": None,
    }  # fmt: skip
    filling = {**tournament, "tournament": "six.5", "phase": "registering", "taken": 2, "left": 2, "node": None,
               "state": None}  # fmt: skip
    scheduled = {**filling, "tournament": "daily.20260102T2100Z", "offer": "daily", "seats": 10_000, "taken": 1_204,
                 "starts_ms": NOW_MS + 1_800_000}  # fmt: skip
    node = {
        "node": "cards-1", "here": True, "living": True, "leader": True, "draining": False, "suspended": False,
        "tables": ["t1", "t2", "t4", "t5", "t6", "t7"], "tournaments": [], "seats": 27, "ops": "cards-1:4192",
        "uptime_s": 93_784,
    }  # fmt: skip
    entries = [(7, "Ada", 1, 4_500), (8, "Bert", 2, 4_500), (9, "Carl", 3, 0)]
    hook = {
        "number": 2, "url": "https://books.example.org/pokerroom?key=5", "kinds": ["hand.ended", "tournament.ended"],
        "note": "the books", "big_win": None, "is_on": True, "why_off": "", "created_ms": NOW_MS, "delivered": 12_345,
        "delivered_ms": NOW_MS - 60_000, "failed_ms": None, "failure": "", "waiting": 2, "dead": 0,
    }  # fmt: skip
    gone = {
        "number": 3, "url": "https://chat.example.org/hook", "kinds": ["significant"], "note": "", "big_win": 100_000,
        "is_on": False, "why_off": "it answered 410 Gone", "delivered_ms": None, "failed_ms": NOW_MS,
        "failure": "HTTP 410", "waiting": 1, "dead": 1,
    }  # fmt: skip
    webhooks = [hook, {**hook, **gone}]

    def club(number: int, name: str, owner: str, members: int, issued: int, **more: Any) -> dict[str, Any]:
        return {
            "number": number, "club": f"k7d0f3g8q{number}", "name": name, "owner": owner, "members": members,
            "tables": 0, "issued": issued, "opened_ms": NOW_MS - 8_640_000_000, "closed_ms": None, **more,
        }  # fmt: skip

    clubs = [
        club(3, "Klub Łucji", "Żółć", 1, 0),
        club(2, "Friday night at Ottilie's, with friends", "Ottilie von Hohenstein", 4, 1_234_500, tables=1),
        club(1, "Old friends", "", 0, 0, closed_ms=NOW_MS - 86_400_000),
    ]
    members = [
        ("Ottilie von Hohenstein", "owner", 900_000),
        ("Ada", "manager", 12_000),
        ("Bert", "member", 0),
    ]
    return {
        "/whoami": {"operator": "ann", "role": role, "verbs": verbs_of(role)},
        "/nodes": [
            node,
            {**node, "node": "cards-2", "here": False, "leader": False, "draining": True, "tables": ["t3"],
             "seats": 4},
            {**node, "node": "cards-3", "here": False, "leader": False, "living": False, "tables": [], "seats": 0},
            {**node, "node": "cards-4", "here": False, "leader": False, "draining": True, "tables": [], "seats": 0},
            {**node, "node": "cards-5", "here": False, "leader": False, "tables": [], "seats": 0},
        ],
        "/tables": tables,
        "/tables/t2": {
            "report": tables[1], "pot": 450, "in_chips": False,
            "seats": [
                seat(1, "Ada", 9_950, bet=50),
                seat(2, "Bot.Bea", 12_345, bet=100, bot=True),
                seat(4, "Żółć", 0, connected=False, in_hand=False, status="sitting_out"),
                seat(6, "Ottilie von Hohenstein", 1_234_500, acts=True),
            ],
        },
        "/sit_and_gos": [filling, tournament, scheduled],
        "/offers": [
            {"offer": "six", "kind": "sit_and_go", "is_offered": True, "ordered": None,
             "terms": {"name": "Six players", "seats": 6, "buy_in": 1_000, "fee": 100, "payout": "standard"}},
            {"offer": "daily", "kind": "tournament", "is_offered": False,
             "ordered": {"number": 3, "standing": "retired", "who": "ann", "reason": "", "at_ms": NOW_MS,
                         "terms": None, "before": None},
             "terms": {"buy_in": 2_500, "start": "0 20 * * *"}},
        ],
        "/sit_and_gos/six.4": {
            "report": tournament, "fee": 100, "prizes": [4_000, 2_000],
            "entries": [
                {"account": account, "name": name, "returned": False, "seat": at, "chips": chips}
                for account, name, at, chips in entries
            ],
            "places": [{"number": 6, "place": 6, "account": 9, "name": "Carl", "prize": 0, "paid": False}],
        },
        "/wallet_transfers": [],
        "/adjustments": [
            adjustment(12, "Ottilie von Hohenstein", 250_000, "carla", "a win was not paid after the fault of 20:15"),
            adjustment(11, "Ada", -500, "ann", "paid twice at the desk"),
        ],
        "/cash_sources": [{"source": "play-money", "is_open": True, "balance": 12_345_600}],
        "/cash_requests": [
            cash(42, "Ottilie von Hohenstein", 250_000, "withdrawal"),
            cash(41, "Ada", 5_000, "deposit"),
            cash(40, "Bert", 1, "deposit", state="refused", note="Ask at the desk."),
        ],
        "/clubs": clubs,
        "/clubs/k7d0f3g8q2": {
            "overview": clubs[1], "invites": True, "code_until_ms": NOW_MS + 3_600_000,
            "tables": ["host:9q2f8e1kd0", "private:4q2f8e1kd0.1"],
            "members": [
                {"name": name, "role": as_, "balance": balance, "leaving": False} for name, as_, balance in members
            ] + [{"name": "Carl", "role": "member", "balance": 4_500, "leaving": True}],
        },
        "/clubs/k7d0f3g8q2/transfers": [
            {"number": 912, "at_ms": NOW_MS - 40_000, "name": "Carl", "amount": -2_500, "by": "Ada"},
            {"number": 907, "at_ms": NOW_MS - 90_000, "name": "Ada", "amount": 12_000, "by": "Ottilie von Hohenstein"},
            {"number": 340, "at_ms": NOW_MS - 8_000_000_000, "name": "Ottilie von Hohenstein", "amount": 1_225_000,
             "by": ""},
        ],
        "/players/Ada": {
            "account": 7, "name": "Ada", "wallet": 123_450, "tables": ["t1", "t2"], "is_locked": False,
            "is_excluded": True, "excluded_until_ms": NOW_MS + 86_400_000, "muted_until_ms": None,
        },
        "/players": ["Ada", "Adalbert", "adam_1"],
        "/players/Ada/history": [
            {"number": 812, "kind": "hand", "subject": "1m8ee0r1wggyt7ys", "table": "t1", "ended_ms": NOW_MS - 40_000,
             "result": -1_250, "in_chips": False, "place": None},
            {"number": 790, "kind": "tournament", "subject": "daily.20260101T2000Z", "table": "",
             "ended_ms": NOW_MS - 86_400_000, "result": 12_500, "in_chips": False, "place": 2},
            {"number": 771, "kind": "hand", "subject": "1m8e9x2q7kk3b5ca", "table": "daily.20260101T2000Z-3",
             "ended_ms": NOW_MS - 88_000_000, "result": 4_500, "in_chips": True, "place": None},
            {"number": 640, "kind": "round", "subject": "1m8e4b7t0aaz9x1k", "table": "t7",
             "ended_ms": NOW_MS - 90_000_000, "result": 0, "in_chips": False, "place": None},
        ],
        "/players/Ada/notes": [
            {"number": 47, "who": "carla", "text": "Called about the hand of 20:15; the fault was ours.",
             "at_ms": NOW_MS - 3_000_000},
        ],
        "/players/Ada/transfers": [
            {"number": 804, "kind": "buy_in", "key": "buyin:0f", "at_ms": NOW_MS - 600_000, "wallet": -10_000,
             "tickets": 0, "other": "stack:t1:7"},
            {"number": 790, "kind": "prize", "key": "sng:daily.20260101T2000Z:place:2", "at_ms": NOW_MS - 86_400_000,
             "wallet": 12_500, "tickets": 2_500, "other": "escrow:daily.20260101T2000Z"},
            {"number": 12, "kind": "opening", "key": "opening:7", "at_ms": NOW_MS - 8_640_000_000, "wallet": 100_000,
             "tickets": 0, "other": "bank"},
        ],
        "/players/Ada/limits": [
            {"kind": "deposit", "period": "day", "value": 50_000, "cap": 100_000, "used": 2_500,
             "ends_ms": NOW_MS + 12_600_000, "wanted": None, "wanted_from_ms": None},
            {"kind": "loss", "period": "week", "value": None, "cap": None, "used": -1_250,
             "ends_ms": NOW_MS + 12_600_000, "wanted": None, "wanted_from_ms": None},
            {"kind": "session", "period": "day", "value": None, "cap": 14_400, "used": 5_400,
             "ends_ms": NOW_MS + 12_600_000, "wanted": None, "wanted_from_ms": None},
        ],
        "/players/Ada/sessions": [
            {"client": "pokerroom browser", "address": "192.0.2.0/24", "opened_ms": NOW_MS - 86_400_000,
             "seen_ms": NOW_MS - 60_000},
            {"client": "", "address": "", "opened_ms": NOW_MS - 7_200_000, "seen_ms": NOW_MS - 3_600_000},
        ],
        "/players/Ada/tickets": [
            {"number": 12, "account": 7, "offer": "sunday", "value": 110_000, "expires_ms": NOW_MS + 86_400_000,
             "source": ""},
            {"number": 15, "account": 7, "offer": "daily", "value": 2_500, "expires_ms": NOW_MS + 7_776_000_000,
             "source": "play-money"},
        ],
        "/reports/activity": [
            {"day": f"2026-01-{day:02}", "players": 31 + 7 * day, "new_accounts": day % 4, "hands": 2_310 + 911 * day,
             "tournament_hands": 640 * (day % 3), "rounds": 1_208 - 30 * day, "entries": 54 * (day % 3)}
            for day in range(12, 0, -1)
        ],
        "/reports/rake": [
            {"day": "2026-01-02", "table": "nl-100-1", "hands": 1_204, "rake": 318_450},
            {"day": "2026-01-02", "table": "plo-200-1", "hands": 96, "rake": 41_200},
        ],
        "/reports/players": [
            {"account": 12, "name": "Ottilie von Hohenstein", "hands": 4_120, "rake": 91_240, "entries": 3,
             "fees": 3_000},
            {"account": 7, "name": "Ada", "hands": 12, "rake": 35, "entries": -1, "fees": -1_000},
        ],
        "/reports/tournaments": [{"tournament": "daily.20260101T2000Z", "entries": 214, "fees": 53_500}],
        "/reports/events": [
            line(50, "table.fault", "t3", who="room", role="", arguments='{"faults":1,"frozen":true}'),
            line(44, "cashier.adjust", "account:7", who="carla", role="cashier", reason="a win was not paid",
                 arguments='{"amount":2500,"source":"play-money"}'),
        ],
        "/announcements": [
            {"number": 4, "text": "The room restarts at 23:00 UTC. Hands in progress are finished.", "table": None,
             "begins_ms": NOW_MS + 3_600_000, "ends_ms": NOW_MS + 9_000_000, "who": "ann", "withdrawn_ms": None},
            {"number": 3, "text": "A new deck is on its way.", "table": "t2", "begins_ms": NOW_MS - 60_000,
             "ends_ms": NOW_MS + 600_000, "who": "ann", "withdrawn_ms": None},
            {"number": 2, "text": "Good luck on Sunday!", "table": None, "begins_ms": NOW_MS - 90_000_000,
             "ends_ms": NOW_MS + 90_000_000, "who": "flora", "withdrawn_ms": NOW_MS - 3_600_000},
        ],
        "/webhooks": webhooks,
        "/webhooks/3": webhooks[1],
        "/webhooks/3/dead": [
            {"number": 97, "id": "msg_0a1b", "kind": "hand.ended", "reference": "t2-1042", "at_ms": NOW_MS - 90_000_000,
             "tries": 8, "failure": "HTTP 503"},
        ],
        "/operator_log": [
            line(52, "table.freeze", "t2", reason="broken felt", arguments='{"ordered":51}'),
            line(51, "table.freeze", "t2", reason="broken felt", result="ordered"),
            line(50, "cashier.approve", "41", who="carla", role="cashier",
                 arguments='{"account":7,"amount":5000,"kind":"deposit"}'),
            line(49, "operator.refused", "table.void", who="vic", role="viewer", result="refused: not_permitted"),
            line(48, "log_in.delayed", "account:9", who="stranger", role="", address="192.0.2.7"),
        ],
    }  # fmt: skip

"""The pages of the contract against the code: what they say of limits, refusals and fields is so."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import pytest

from pokerroom.gateway.account_service import WAITING_MAX
from pokerroom.gateway.clubs import CLUB_FEATURES
from pokerroom.gateway.connections import CONNECTIONS_PER_ACCOUNT_MAX
from pokerroom.gateway.features import FEATURES
from pokerroom.gateway.hosting import HOSTING_FEATURES
from pokerroom.gateway.session import BACKLOG_MAX
from pokerroom.gateway.slow_requests import SLOW_REQUESTS_MAX
from pokerroom.lobby.waitlist import AWAY_S
from pokerroom.ops.config import parse
from pokerroom.ops.slots import OF_OWNER_MAX
from pokerroom.poker.cash.cooldown import UNUSED_MAX, WINDOW_S
from pokerroom.poker.hand_plan import TIMEOUTS_IN_ROW_MAX
from pokerroom.rules.ranking import HandCategory
from pokerroom.simulation.faults import Fault
from pokerroom.simulation.run import run
from pokerroom.simulation.simulated_room import SimulatedRoom
from pokerroom_protocol import Code, CodecError, Encoding, decode_map
from pokerroom_protocol._declarations import CHANGES, REQUESTS
from pokerroom_protocol._schemas import meaning
from pokerroom_protocol.messages import TableEvent
from pokerroom_protocol.schema import protocol_schema
from tests.effort import EFFORT, times
from tests.simulation.planted import plant

PROTOCOL = Path(__file__).parents[2] / "protocol"
PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted(PROTOCOL.glob("*.md"))
    if path.stem != "reference"
}
"""What is written by hand, by the page's name, with the examples on the front page."""
PROSE = re.sub(r"<!-- example: .*?<!-- end: .*?-->", "", "\n".join(PAGES.values()), flags=re.DOTALL)

HANDS = 4 if EFFORT == 1 else 15
"""A few hands with every fault get most answers. `make soak` plays more, and every second room without faults."""


def section(page: str, title: str) -> str:
    return PAGES[page].split(f"\n## {title}\n")[1].split("\n## ")[0]


# What many requests can be refused with.
COMMON = set(
    re.findall(
        r"`(\w+)`",
        "".join(re.findall(r"^\|([^|]*)\|", section("errors", "Refusals of many requests"), re.MULTILINE)),
    )
)


def test_the_limits_are_the_defaults_of_a_room():
    """Every number in the table of limits is what a room without settings of its own does."""
    config = parse('[[tables]]\nid = "t"\nsmall_blind = 50\n[[ultimate]]\nid = "u"\n')
    own = {
        "backlog": BACKLOG_MAX,
        "slow_requests": SLOW_REQUESTS_MAX,
        "entry_requests": OF_OWNER_MAX,
        "connections_per_account": CONNECTIONS_PER_ACCOUNT_MAX,
        "opening_balance": config.play_money.opening_balance,
        "openings_per_address": config.play_money.openings_per_address,
        "unused_holds": UNUSED_MAX,
        "unused_holds_s": WINDOW_S,
        "waiting_away_s": AWAY_S,
        "timeouts_in_row": TIMEOUTS_IN_ROW_MAX,
        "cash_requests": WAITING_MAX,
    }
    said = {
        name: int(number)
        for name, number in re.findall(
            r"^\| `(\w+)` \| (\d+)\b", section("connection", "Limits"), re.MULTILINE
        )
    }

    for name, number in said.items():
        holders = (config.limits, config.tables[0], config.ultimate[0])
        assert number == own.get(name, next((getattr(it, name) for it in holders if hasattr(it, name)), None))
    # every limit of a connection or account is in the table
    assert set(type(config.limits).__slots__) <= set(said)


def test_every_field_is_explained():
    """No row of the reference leaves its last column empty: a new field says what it means."""
    unexplained = [
        f"{name}.{field}"
        for name, definition in protocol_schema()["$defs"].items()
        for field, schema in definition.get("properties", {}).items()
        if field != "type" and not meaning(schema)
    ]

    assert unexplained == [], "describe them by Meta(description=...)"


def tags(union: object) -> set[str]:
    return {kind.__struct_config__.tag for kind in get_args(union)}


def test_every_event_says_what_it_changes():
    """Each event of a table is declared with its changes, and nothing else is."""
    assert set(CHANGES) == tags(TableEvent)


def test_the_kinds_of_hands_are_those_of_the_rules():
    """Weakest first, as they rank."""
    [said] = re.findall(
        r"^- \*\*Kinds of hands\*\*.*?first:(.*?)\.$",
        section("connection", "Values"),
        re.MULTILINE | re.DOTALL,
    )

    assert re.findall(r"`(\w+)`", said) == [kind.name for kind in sorted(HandCategory)]


# Words in the prose's backquotes that no message has: types of msgpack and JSON, the suits, and a scheme.
OF_OTHER_WORLDS = {"array", "nil", "str", "true", "cdhs", "wss"}


def test_the_prose_names_only_what_there_is():
    """Every word in backquotes is a message, a field, a value of one, a code or a limit: renamed, it is found."""
    limits = set(re.findall(r"^\| `(\w+)` \|", section("connection", "Limits"), re.MULTILINE))
    known = names_of(protocol_schema()) | {code.value for code in Code} | limits | OF_OTHER_WORLDS
    known |= {code.kind for code in Code} | set(FEATURES) | set(HOSTING_FEATURES) | set(CLUB_FEATURES)
    known |= {kind.name for kind in HandCategory}
    named = {word for word in re.findall(r"`([a-z][a-z_]+)`", PROSE) if word not in known}

    assert named == set()


def names_of(schema: Any) -> set[str]:
    """All keys of a schema's objects, and all values that it lists."""
    match schema:
        case dict():
            values = [value for value in schema.get("enum", []) if isinstance(value, str)]
            return {*schema, *values}.union(*[names_of(value) for value in schema.values()])
        case list():
            return set().union(*[names_of(value) for value in schema])
    return set()


def test_every_code_is_spoken_of():
    """A client's author can find out when each code comes: a request has it, or the prose does."""
    declared = {code for rules in REQUESTS.values() for code in rules.refusals}

    assert {code.value for code in Code} <= declared | set(re.findall(r"`(\w+)`", PROSE))


def test_the_room_says_goodbye_with_the_codes_that_are_told():
    """Every code that closes a connection in the room's code is in the table, and no other."""
    gateway = (Path(__file__).parents[2] / "pokerroom" / "gateway").glob("*.py")
    source = "".join(path.read_text(encoding="utf-8") for path in gateway)
    said = set(re.findall(r"\b(?:goodbye|broken|_break)\(Code\.(\w+)", source))
    told = set(re.findall(r"^\| `(\w+)` \|", section("errors", "Closed connections"), re.MULTILINE))

    assert {name.lower() for name in said} == told - {"code"}


def test_the_first_hand_is_one_short_way():
    """A reader has the rules of a first hand and a program that plays it within the first hundred lines."""
    front = PAGES["README"].splitlines()

    assert front.index("<!-- end: first_hand.py -->") < 100


def test_a_fact_stands_on_one_page():
    """No paragraph, list or row of a table is on two pages."""
    parts = [part.strip() for part in re.split(r"\n\n|\n(?=[-|])", PROSE)]
    longer = Counter(part for part in parts if len(part) > 60)

    assert [part for part, times_told in longer.items() if times_told > 1] == []


class Heard:
    """Every answer that a simulated room gives, beside the request that it answers."""

    def __init__(self) -> None:
        self.answers: Counter[tuple[str, str]] = Counter()
        self.refusals: Counter[tuple[str, str]] = Counter()
        self._asked: dict[tuple[int, int], str] = {}

    def forget(self) -> None:
        """Forgets what was asked: another room begins."""
        self._asked.clear()

    def message(self, direction: bytes, number: int, fields: dict[str, Any]) -> None:
        if direction == b">":
            self._asked[number, fields["id"]] = fields["type"]
            return
        asked = self._asked.get((number, fields.get("re", -1)))
        if asked is None:
            return
        if fields["type"] == "error":
            self.refusals[asked, fields["code"]] += 1
        else:
            self.answers[asked, fields["type"]] += 1


@pytest.mark.parametrize(
    ("game", "seeds", "answers", "refusals"),
    [("holdem", 3, 30, 40), ("sit_and_go", 1, 13, 12), ("ultimate", 4, 14, 30)],
)
def test_rooms_answer_as_the_table_of_requests_says(monkeypatch, game, seeds, answers, refusals):
    """In simulated rooms every answer and refusal is one that the reference gives to its request, and most are seen."""
    heard = Heard()

    def tapped(original: Any, world: SimulatedRoom, direction: bytes, number: int, body: bytes) -> None:
        encoding = Encoding.JSON if body.startswith(b"{") else Encoding.MSGPACK
        try:
            fields = decode_map(body, encoding)
        except CodecError:
            fields = {}
        if "type" in fields and ("id" in fields or direction == b"<"):
            heard.message(direction, number, fields)
        original(world, direction, number, body)

    plant(monkeypatch, SimulatedRoom, "_heard", tapped)  # private: the one place that hears both directions
    for seed in range(times(seeds)):
        heard.forget()
        run(seed, HANDS, frozenset(Fault) if EFFORT == 1 or seed % 2 else frozenset(), game=game)

    unsaid = [(kind, answer) for kind, answer in heard.answers if answer not in REQUESTS[kind].answers]
    unsaid += [
        (kind, code)
        for kind, code in heard.refusals
        if kind in REQUESTS and code not in COMMON and code not in REQUESTS[kind].refusals
    ]
    assert unsaid == []
    assert len(heard.answers) >= answers
    assert len(heard.refusals) >= refusals

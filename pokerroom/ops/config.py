"""The room's settings: one TOML file, read into values that do not change while the room runs.

All problems of a file are told at once, each with its line. What the settings are for is explained in the
file that ships with the room (deploy/room.toml) and where they are used. Environment variables are read by
`environment`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from pokerroom.ops.config_reader import ConfigError, ConfigProblem, Section
from pokerroom.ops.toml_lines import line_of_error, lines_of

AMOUNT_MAX = (
    10**15
)  # far below the 2**63 that PostgreSQL's bigint and the wire can carry, sums of many included
_TABLE_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_COUNT_MAX = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Listen:
    """Where the room listens. `game_port` is TCP, `http_port` web client and WebSocket, `ops_port` health and
    metrics; port 0 lets the system choose. `allowed_origins` are web pages of other addresses that may connect.
    """

    host: str
    ops_host: str
    game_port: int
    http_port: int
    ops_port: int
    allowed_origins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one connection or account may ask of the room."""

    frame_bytes_max: int
    connections_max: int
    messages_per_s: int
    message_burst: int
    outbound_bytes_max: int
    idle_s: int
    tables_per_account_max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayMoney:
    """What a new account is given, in 1/100 credit; 0 gives nothing."""

    opening_balance: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableConfig:
    """One table. Amounts are in 1/100 credit."""

    id: str
    name: str
    game: str
    structure: str
    seats: int
    small_blind: int
    big_blind: int
    min_buy_in: int
    max_buy_in: int
    action_clock_s: int
    countdown_s: int
    hand_pause_ms: int
    away_limit_s: int
    timeout_protection: str
    moving_button: bool
    show_all_in: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomConfig:
    """All settings of a room."""

    name: str
    listen: Listen
    limits: Limits
    play_money: PlayMoney
    tables: tuple[TableConfig, ...]


def default_config_path() -> Path:
    """The settings that ship with the room: beside this module in an installed wheel, else in the checkout."""
    installed = Path(__file__).with_name("room.toml")
    return installed if installed.exists() else Path(__file__).parents[2] / "deploy" / "room.toml"


def load(path: Path) -> RoomConfig:
    """Reads and checks a settings file. Raises `ConfigError` with every problem found."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problem = ConfigProblem(line=None, key="", message=f"cannot be read: {error}")
        raise ConfigError([problem], str(path)) from error
    return parse(text, str(path))


def parse(text: str, source: str = "settings") -> RoomConfig:
    """As `load`, of a text; `source` names it in messages."""
    text = text.replace("\r\n", "\n")
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = ConfigProblem(line=line_of_error(error, text), key="", message=str(error))
        raise ConfigError([problem], source) from error
    problems: list[ConfigProblem] = []
    config = _room(Section(document, (), lines_of(text), problems))
    if problems:
        raise ConfigError(sorted(problems, key=lambda problem: problem.line or 0), source)
    return config


def _room(root: Section) -> RoomConfig:
    room = root.section("room")
    name = room.text("name", "pokerroom", 60)
    room.finish()
    config = RoomConfig(
        name=name,
        listen=_listen(root.section("listen")),
        limits=_limits(root.section("limits")),
        play_money=_play_money(root.section("play_money")),
        tables=_tables(root),
    )
    root.finish()
    return config


def _listen(section: Section) -> Listen:
    listen = Listen(
        host=section.text("host", "127.0.0.1", 253),
        ops_host=section.text("ops_host", "127.0.0.1", 253),
        game_port=section.integer("game_port", 4190, 0, 65535),
        http_port=section.integer("http_port", 4191, 0, 65535),
        ops_port=section.integer("ops_port", 4192, 0, 65535),
        allowed_origins=section.texts("allowed_origins", 253),
    )
    for key, other in shared_ports(listen):
        section.problem(key, f"is the same port as {other}")
    section.finish()
    return listen


def shared_ports(listen: Listen) -> list[tuple[str, str]]:
    """The pairs of port settings, the later one first, that name the same port. Any number may be 0."""
    ports = [("game_port", listen.game_port), ("http_port", listen.http_port), ("ops_port", listen.ops_port)]
    return [
        (later, earlier)
        for index, (later, port) in enumerate(ports)
        for earlier, other in ports[:index]
        if port == other != 0
    ]


def _limits(section: Section) -> Limits:
    limits = Limits(
        frame_bytes_max=section.integer("frame_bytes_max", 16_384, 1_024, 16_777_216),
        connections_max=section.integer("connections_max", 5_000, 1, 1_000_000),
        messages_per_s=section.integer("messages_per_s", 500, 1, 100_000),
        message_burst=section.integer("message_burst", 1_000, 1, 1_000_000),
        outbound_bytes_max=section.integer("outbound_bytes_max", 1_048_576, 16_384, 1_073_741_824),
        idle_s=section.integer("idle_s", 120, 5, 86_400),
        tables_per_account_max=section.integer("tables_per_account_max", 4, 1, 100),
    )
    section.finish()
    return limits


def _play_money(section: Section) -> PlayMoney:
    play_money = PlayMoney(opening_balance=section.amount("opening_balance", 1_000_000, 0, AMOUNT_MAX))
    section.finish()
    return play_money


def _tables(root: Section) -> tuple[TableConfig, ...]:
    tables: list[TableConfig] = []
    taken: set[str] = set()
    for section in root.sections("tables"):
        for table in _numbered(section):
            if table.id and table.id in taken:
                section.problem("id", f'a table "{table.id}" is there already')
            taken.add(table.id)
            tables.append(table)
        section.finish()
    if not tables:
        root.problem("tables", "there is none: a room needs at least one [[tables]]")
    return tuple(tables)


def _numbered(section: Section) -> list[TableConfig]:
    """The tables that one `[[tables]]` describes: one, or `count` with numbered ids and names."""
    table_id = section.text("id", None, 40)
    if table_id and not _TABLE_ID.fullmatch(table_id):
        section.problem("id", "should be small letters, digits and hyphens")
    template = _table(section, table_id)
    count = section.integer("count", 1, 1, _COUNT_MAX)
    if not section.has("count"):
        return [template]
    return [
        replace(template, id=f"{template.id}-{number}", name=f"{template.name} {number}")
        for number in range(1, count + 1)
    ]


def _table(section: Section, table_id: str) -> TableConfig:
    # B2: the big blind is two small blinds unless the table says otherwise.
    small_blind = section.amount("small_blind", None, 1, AMOUNT_MAX // 1000)
    big_blind = section.amount("big_blind", 2 * small_blind, 1, AMOUNT_MAX // 100)
    table = TableConfig(
        id=table_id,
        name=section.text("name", table_id, 60),
        game=section.choice("game", "holdem", ["holdem"], later=["omaha", "ultimate"]),
        structure=section.choice("structure", "no_limit", ["no_limit"], later=["pot_limit", "fixed_limit"]),
        seats=section.integer("seats", 6, 2, 10),
        small_blind=small_blind,
        big_blind=big_blind,
        min_buy_in=section.amount("min_buy_in", 20 * big_blind, 1, AMOUNT_MAX),
        max_buy_in=section.amount("max_buy_in", 100 * big_blind, 1, AMOUNT_MAX),
        action_clock_s=section.integer("action_clock_s", 10, 1, 600),  # H1
        countdown_s=section.integer("countdown_s", 20, 0, 600),  # H1, H4
        hand_pause_ms=section.integer("hand_pause_ms", 2_000, 0, 60_000),
        away_limit_s=section.integer("away_limit_s", 120, 1, 86_400),  # H6
        timeout_protection=section.choice(
            "timeout_protection", "always", ["always", "disconnected", "never"]
        ),
        moving_button=section.boolean("moving_button", default=False),  # B3
        show_all_in=section.boolean("show_all_in", default=True),  # G2
    )
    if table.big_blind < table.small_blind:
        section.problem("big_blind", f"should be at least the small blind ({table.small_blind})")
    if table.min_buy_in < table.big_blind:
        section.problem("min_buy_in", f"should be at least the big blind ({table.big_blind})")
    if table.max_buy_in < table.min_buy_in:
        section.problem("max_buy_in", f"should be at least the smallest buy-in ({table.min_buy_in})")
    return table

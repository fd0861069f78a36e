"""The room's settings: one TOML file, read into values that do not change while the room runs.

All problems of a file are reported at once, each with its line. The file that ships with the room (deploy/room.toml)
explains the settings. Environment variables are read by `environment`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeVar

from pokerroom.chips import Money
from pokerroom.ledger.cashier import RefillTerms
from pokerroom.ledger.credentials import SessionLifetime
from pokerroom.ledger.limits import LIMITS, LimitKind, LimitPeriod
from pokerroom.ledger.retention import Retention
from pokerroom.ops.checkpoint_writer import CheckpointsConfig
from pokerroom.ops.config_hosting import PRIVATE_TABLES, HostingConfig, hosting
from pokerroom.ops.config_league import LeagueConfig, leagues
from pokerroom.ops.config_offer import check_names, terms_in
from pokerroom.ops.config_reader import AMOUNT_MAX, ConfigError, ConfigProblem, Section
from pokerroom.ops.config_sit_and_go import SitAndGoConfig, sit_and_gos
from pokerroom.ops.config_table import table_settings
from pokerroom.ops.config_tournament import ScheduledTournamentConfig, check_targets, scheduled_tournaments
from pokerroom.ops.config_traces import TracesConfig, traces_settings
from pokerroom.ops.config_ultimate import ultimate_table
from pokerroom.ops.config_wallet import WalletConfig, refuse_own_money, wallet_settings
from pokerroom.ops.table_settings import TableSettings
from pokerroom.ops.toml_lines import line_of_error, lines_of
from pokerroom.ops.ultimate_settings import UltimateSettings

_TABLE_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_COUNT_MAX = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenConfig:
    """Where the room listens. `game_port` is TCP, `http_port` web client and WebSocket, `ops_port` health and metrics;
    port 0 lets the system choose. `ops_hosts` are more names for which the operations port answers. `allowed_origins`
    are web pages of other addresses that may connect.
    """

    host: str
    ops_host: str
    game_port: int
    http_port: int
    ops_port: int
    ops_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    """Networks of the proxies that are believed when they tell a client's address."""
    game_proxy_protocol: bool = False
    http_proxy_protocol: bool = False
    """Whether each connection of those proxies to the port begins with a header of the PROXY protocol."""
    unlimited_addresses: tuple[str, ...] = ("127.0.0.0/8", "::1/128")
    """Networks of which an address may have any number of connections."""
    move_clients: bool = True
    """Whether clients go on at the node of this machine that has their tables (`gateway/moves.py`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsConfig:
    """The PEM files of the room's certificate (its own first, then the chain) and key; empty: no TLS.

    `hsts_s` is how long a browser that has seen the room uses https alone; 0 tells it nothing.
    """

    certificate: str = ""
    key: str = ""
    hsts_s: int = 31_536_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsConfig:
    """What one connection or account may ask of the room.

    `tables_per_account_max` counts cash tables and Ultimate tables, not sit-and-gos: a sit-and-go starts when others
    fill it, and an account that has paid for its seat must be there [D].
    """

    frame_bytes_max: int
    connections_max: int
    connections_per_address: int
    messages_per_s: int
    message_burst: int
    outbound_bytes_max: int
    idle_s: int
    tables_per_account_max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountsConfig:
    """What new accounts have to fulfil. Existing ones are as they are."""

    password_length_min: int = 8
    reserved_names: tuple[str, ...] = ()
    accounts_per_address: int = 20
    """So many at once, then one after a growing wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsConfig:
    """How long a log-in lasts without use (`idle_days`) and in all (`days_max`).

    A token is replaced `rotate_s` after it was made, and stays valid for `overlap_s` then.
    """

    idle_days: int = 30
    days_max: int = 90
    rotate_s: int = 86_400
    overlap_s: int = 3_600

    @property
    def lifetime(self) -> SessionLifetime:
        """The days in seconds."""
        return SessionLifetime(idle_s=self.idle_days * _DAY_S, absolute_s=self.days_max * _DAY_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLimitsConfig:
    """Caps for every player, beside the limits that players set themselves. 0: none."""

    deposit_day: int = 0
    deposit_week: int = 0
    deposit_month: int = 0
    loss_day: int = 0
    loss_week: int = 0
    loss_month: int = 0
    session_day_s: int = 0

    @property
    def caps(self) -> dict[tuple[LimitKind, LimitPeriod], int]:
        """The caps that there are."""
        found = {
            (kind, period): getattr(self, f"{kind}_{period}_s" if kind == "session" else f"{kind}_{period}")
            for kind, period in LIMITS
        }
        return {limit: cap for limit, cap in found.items() if cap}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayMoneyConfig:
    """What a new account is given, in 1/100 credit; 0 gives nothing.

    Of an address so many accounts of a day are given it as `openings_per_address` says; 0 for all.
    """

    opening_balance: int
    openings_per_address: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CashierConfig:
    """The source of money that a new room has open, and what it holds at first, in 1/100 credit. No name: none.

    An account that owns less than `refill_floor` may refill its play money to `refill_to`, once in `refill_every_s`
    seconds. 0 as `refill_to`: there is no refill. `four_eyes`: an adjustment needs another operator's approval.
    """

    source: str
    fund: int
    refill_to: int
    refill_floor: int
    refill_every_s: int
    four_eyes: bool = False

    @property
    def refill(self) -> RefillTerms | None:
        """The terms of the refill, or None."""
        if not self.refill_to:
            return None
        return RefillTerms(
            source=self.source,
            floor=Money(self.refill_floor),
            to=Money(self.refill_to),
            every_s=self.refill_every_s,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseBotsConfig:
    """How the house bots play: a bot thinks about a decision for `think_ms` to twice as long."""

    think_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsConfig:
    """`at_tables`: a player with a seat is told statistics of other players, too."""

    at_tables: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhooksConfig:
    """`networks` are private ones to which webhooks and calls of the operator's wallet may go, also without TLS."""

    networks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomConfig:
    """All settings of a room."""

    name: str
    listen: ListenConfig
    limits: LimitsConfig
    play_money: PlayMoneyConfig
    cashier: CashierConfig
    house_bots: HouseBotsConfig
    tables: tuple[TableSettings, ...]
    tls: TlsConfig = TlsConfig()
    accounts: AccountsConfig = AccountsConfig()
    sessions: SessionsConfig = SessionsConfig()
    retention: Retention = field(default_factory=Retention)
    checkpoints: CheckpointsConfig = field(default_factory=CheckpointsConfig)
    webhooks: WebhooksConfig = WebhooksConfig()
    wallet: WalletConfig = field(default_factory=WalletConfig)
    player_limits: PlayerLimitsConfig = PlayerLimitsConfig()
    hosting: HostingConfig = field(default_factory=HostingConfig)
    statistics: StatisticsConfig = StatisticsConfig()
    traces: TracesConfig = field(default_factory=TracesConfig)
    ultimate: tuple[UltimateSettings, ...] = ()
    sit_and_gos: tuple[SitAndGoConfig, ...] = ()
    tournaments: tuple[ScheduledTournamentConfig, ...] = ()
    leagues: tuple[LeagueConfig, ...] = ()
    offer_terms: Mapping[str, str] = field(default_factory=dict)
    """What operators may change by an order, as JSON, by id: sit-and-gos and tournaments as they are written, and the
    offer of private tables.
    """


_DAY_S: Final = 86_400
_SOURCE: Final = re.compile(r"[a-z0-9_-]{1,40}")

T = TypeVar("T", TableSettings, UltimateSettings)


def default_config_path() -> Path:
    """Return the settings that ship with the room: beside this module in an installed wheel, else in the checkout."""
    installed = Path(__file__).with_name("room.toml")
    return installed if installed.exists() else Path(__file__).parents[2] / "deploy" / "room.toml"


def load(path: Path) -> RoomConfig:
    """Read and check a settings file. Raises `ConfigError` with every problem found."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problem = ConfigProblem(line=None, key="", message=f"cannot be read: {_reason(error)}")
        raise ConfigError([problem], str(path)) from error
    return parse(text, str(path))


def _reason(error: OSError | UnicodeDecodeError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)


def parse(text: str, source: str = "settings") -> RoomConfig:
    """Read and check a text, as `load`; `source` names it in messages."""
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
    taken: set[str] = set()
    seated, timed = list(root.sections("sit_and_go")), list(root.sections("tournament"))
    offers = sit_and_gos(seated)
    wallet = root.section("wallet")
    tournaments = scheduled_tournaments(timed, [offer.id for offer in offers])
    check_targets(timed, tournaments)
    check_names([*seated, *timed], [*offers, *tournaments])
    hosted = hosting(root.section("hosting"))
    config = RoomConfig(
        name=name,
        listen=_listen(root.section("listen")),
        tls=_tls(root.section("tls")),
        limits=_limits(root.section("limits")),
        accounts=_accounts(root.section("accounts")),
        sessions=_sessions(root.section("sessions")),
        retention=_retention(root.section("retention")),
        checkpoints=_checkpoints(root.section("checkpoints")),
        webhooks=_webhooks(root.section("webhooks")),
        wallet=wallet_settings(wallet),
        player_limits=_player_limits(root.section("player_limits")),
        play_money=_play_money(root.section("play_money")),
        cashier=_cashier(root.section("cashier")),
        house_bots=_house_bots(root.section("house")),
        hosting=hosted,
        statistics=_statistics(root.section("statistics")),
        traces=traces_settings(root.section("traces")),
        tables=_tables(root, "tables", table_settings, taken),
        ultimate=_tables(root, "ultimate", ultimate_table, taken),
        sit_and_gos=offers,
        tournaments=tournaments,
        leagues=leagues(list(root.sections("league"))),
        offer_terms=terms_in([*seated, *timed]) | {PRIVATE_TABLES: hosted.terms},
    )
    if config.wallet.url:
        refuse_own_money(
            wallet,
            {
                "play_money.opening_balance": config.play_money.opening_balance,
                "cashier.refill_to": config.cashier.refill_to,
                "[[ultimate]]": len(config.ultimate),
                "house_bots": _with_bots(config),
            },
        )
    if not config.tables and not config.ultimate:
        root.problem("tables", "is missing: add at least one [[tables]] or [[ultimate]]")
    root.finish()
    return config


def _with_bots(config: RoomConfig) -> int:
    """Return how many tables and offers the house's own bots play at."""
    bots = [table.house_bots for table in config.tables]
    bots += [offer.house_bots for offer in config.sit_and_gos]
    bots += [offer.house_bots for offer in config.tournaments]
    return sum(count > 0 for count in bots)


def _listen(section: Section) -> ListenConfig:
    listen = ListenConfig(
        host=section.text("host", "127.0.0.1", 253),
        ops_host=section.text("ops_host", "127.0.0.1", 253),
        game_port=section.integer("game_port", 4190, 0, 65535),
        http_port=section.integer("http_port", 4191, 0, 65535),
        ops_port=section.integer("ops_port", 4192, 0, 65535),
        ops_hosts=section.texts("ops_hosts", 253),
        allowed_origins=section.texts("allowed_origins", 253),
        trusted_proxies=section.networks("trusted_proxies", ()),
        game_proxy_protocol=section.boolean("game_proxy_protocol", default=False),
        move_clients=section.boolean("move_clients", default=True),
        http_proxy_protocol=section.boolean("http_proxy_protocol", default=False),
        unlimited_addresses=section.networks("unlimited_addresses", ("127.0.0.0/8", "::1")),
    )
    for key in ("game_proxy_protocol", "http_proxy_protocol"):
        if getattr(listen, key) and not listen.trusted_proxies:
            section.problem(key, "needs the networks of the proxies: set trusted_proxies")
    for key, other in shared_ports(listen):
        section.problem(key, f"is the same port as {other}")
    section.finish()
    return listen


def shared_ports(listen: ListenConfig) -> list[tuple[str, str]]:
    """Return the pairs of port settings, the later one first, that name the same port. Any number may be 0."""
    ports = [("game_port", listen.game_port), ("http_port", listen.http_port), ("ops_port", listen.ops_port)]
    return [
        (later, earlier)
        for index, (later, port) in enumerate(ports)
        for earlier, other in ports[:index]
        if port == other != 0
    ]


def _tls(section: Section) -> TlsConfig:
    tls = TlsConfig(
        certificate=section.path("certificate"),
        key=section.path("key"),
        hsts_s=section.integer("hsts_s", TlsConfig().hsts_s, 0, 1_000_000_000),
    )
    for key, other, given in (("key", "certificate", tls.certificate), ("certificate", "key", tls.key)):
        if given and not getattr(tls, key) and section.is_sound(key):
            section.problem(key, f"is missing: {other} is set, and TLS needs both")
    section.finish()
    return tls


def _limits(section: Section) -> LimitsConfig:
    limits = LimitsConfig(
        frame_bytes_max=section.integer("frame_bytes_max", 16_384, 1_024, 16_777_216),
        connections_max=section.integer("connections_max", 5_000, 1, 1_000_000),
        connections_per_address=section.integer("connections_per_address", 100, 1, 1_000_000),
        messages_per_s=section.integer("messages_per_s", 500, 1, 100_000),
        message_burst=section.integer("message_burst", 1_000, 1, 1_000_000),
        outbound_bytes_max=section.integer("outbound_bytes_max", 1_048_576, 16_384, 1_073_741_824),
        idle_s=section.integer("idle_s", 120, 5, 86_400),
        tables_per_account_max=section.integer("tables_per_account_max", 4, 1, 100),
    )
    section.finish()
    return limits


def _accounts(section: Section) -> AccountsConfig:
    default = AccountsConfig()
    accounts = AccountsConfig(
        password_length_min=section.integer("password_length_min", default.password_length_min, 8, 64),
        reserved_names=section.texts("reserved_names", 20),
        accounts_per_address=section.integer(
            "accounts_per_address", default.accounts_per_address, 1, 1_000_000
        ),
    )
    section.finish()
    return accounts


def _sessions(section: Section) -> SessionsConfig:
    default = SessionsConfig()
    sessions = SessionsConfig(
        idle_days=section.integer("idle_days", default.idle_days, 1, 3_650),
        days_max=section.integer("days_max", default.days_max, 1, 3_650),
        rotate_s=section.integer("rotate_s", default.rotate_s, 60, 31_536_000),
        overlap_s=section.integer("overlap_s", default.overlap_s, 60, 86_400),
    )
    section.finish()
    return sessions


def _statistics(section: Section) -> StatisticsConfig:
    statistics = StatisticsConfig(at_tables=section.boolean("at_tables", default=True))
    section.finish()
    return statistics


def _retention(section: Section) -> Retention:
    default = Retention()
    retention = Retention(
        hands_days=section.integer("hands_days", default.hands_days, 0, 36_500),
        sessions_days=section.integer("sessions_days", default.sessions_days, 0, 36_500),
        webhooks_days=section.integer("webhooks_days", default.webhooks_days, 1, 36_500),
        wallet_days=section.integer("wallet_days", default.wallet_days, 1, 36_500),
    )
    section.finish()
    return retention


def _checkpoints(section: Section) -> CheckpointsConfig:
    checkpoints = CheckpointsConfig(
        every_s=section.integer("every_s", CheckpointsConfig().every_s, 0, 86_400), file=section.path("file")
    )
    if checkpoints.file and not checkpoints.every_s and section.is_sound("every_s"):
        section.problem("file", "gets no checkpoint: every_s is 0")
    section.finish()
    return checkpoints


def _webhooks(section: Section) -> WebhooksConfig:
    webhooks = WebhooksConfig(networks=section.networks("networks", ()))
    section.finish()
    return webhooks


def _player_limits(section: Section) -> PlayerLimitsConfig:
    names = [f"{kind}_{period}" for kind, period in LIMITS if kind != "session"]
    limits = PlayerLimitsConfig(
        **{name: section.amount(name, 0, 0, AMOUNT_MAX) for name in names},
        session_day_s=section.integer("session_day_s", 0, 0, 86_400),
    )
    section.finish()
    return limits


def _play_money(section: Section) -> PlayMoneyConfig:
    play_money = PlayMoneyConfig(
        opening_balance=section.amount("opening_balance", 1_000_000, 0, AMOUNT_MAX),
        openings_per_address=section.integer("openings_per_address", 10, 0, 1_000_000),
    )
    section.finish()
    return play_money


def _cashier(section: Section) -> CashierConfig:
    source = section.text("source", "", 40)
    if source and not _SOURCE.fullmatch(source):
        section.problem("source", "should be small letters, digits, hyphens and underscores")
    fund = section.amount("fund", 0, 0, AMOUNT_MAX)
    if fund and not source and section.is_sound("source"):
        section.problem("fund", "needs a source to go to: add source")
    to = section.amount("refill_to", 0, 0, AMOUNT_MAX)
    cashier = CashierConfig(
        source=source,
        fund=fund,
        refill_to=to,
        refill_floor=section.amount("refill_floor", max(1, to // 10), 1, AMOUNT_MAX),
        refill_every_s=section.integer("refill_every_s", 14_400, 1, 31_536_000),
        four_eyes=section.boolean("four_eyes", default=False),
    )
    if to and not source and section.is_sound("source"):
        section.problem("refill_to", "needs a source to come from: add source")
    if to and cashier.refill_floor > to and section.is_sound("refill_floor"):
        section.problem("refill_floor", "is more than refill_to: a refill would not reach it")
    section.finish()
    return cashier


def _house_bots(section: Section) -> HouseBotsConfig:
    house_bots = HouseBotsConfig(think_ms=section.integer("think_ms", 1_200, 0, 60_000))
    section.finish()
    return house_bots


def _tables(root: Section, key: str, read: Callable[[Section, str], T], taken: set[str]) -> tuple[T, ...]:
    """Read all tables of one kind; `taken` are the ids so far."""
    tables: list[T] = []
    for section in root.sections(key):
        for table in _numbered(section, read):
            if table.table and table.table in taken:
                section.problem("id", f'"{table.table}" is the id of another table: choose a different one')
            taken.add(table.table)
            tables.append(table)
        section.finish()
    return tuple(tables)


def _numbered(section: Section, read: Callable[[Section, str], T]) -> list[T]:
    """Read the tables that one `[[tables]]` or `[[ultimate]]` describes: one, or `count` with numbered
    ids and names.
    """
    table_id = section.text("id", None, 40)
    if table_id and not _TABLE_ID.fullmatch(table_id):
        section.problem("id", "should be small letters, digits and hyphens")
    template = read(section, table_id)
    count = section.integer("count", 1, 1, _COUNT_MAX)
    if not section.has("count"):
        return [template]
    return [
        replace(template, table=f"{template.table}-{number}", name=f"{template.name} {number}")
        for number in range(1, count + 1)
    ]

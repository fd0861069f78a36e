"""The settings file: defaults, what ships with the room, and every mistake with its line."""

import dataclasses
import tomllib

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.cashier import RefillTerms
from pokerroom.ledger.retention import Retention
from pokerroom.ops import config as config_module
from pokerroom.ops.checkpoint_writer import CheckpointsConfig
from pokerroom.ops.config import (
    AccountsConfig,
    CashierConfig,
    HostingConfig,
    HouseBotsConfig,
    LimitsConfig,
    ListenConfig,
    PlayerLimitsConfig,
    PlayMoneyConfig,
    SessionsConfig,
    StatisticsConfig,
    TlsConfig,
    WebhooksConfig,
    default_config_path,
    load,
    parse,
)
from pokerroom.ops.config_rake import RAKE_KEYS
from pokerroom.ops.config_reader import AMOUNT_MAX, ConfigError
from pokerroom.ops.table_settings import TableSettings
from pokerroom.rules.betting import STRUCTURES, FixedLimit, NoLimit
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.variants import HOLDEM

TABLE = '[[tables]]\nid = "t"\nsmall_blind = 50\n'
NAMED = " or ".join(", ".join(f'"{name}"' for name in STRUCTURES).rsplit(", ", 1))
FIXED = '[[tables]]\nid = "t"\nstructure = "fixed_limit"\n'
LIMIT = FIXED + "small_bet = 500\n"


def problems_of(text):
    with pytest.raises(ConfigError) as caught:
        parse(text)
    return [(problem.line, problem.key, problem.message) for problem in caught.value.problems]


def test_a_table_needs_only_id_and_small_blind():
    """All other settings have defaults; the big blind is twice the small one (B2), buy-ins 20 and 100 of it."""
    config = parse(TABLE)
    assert config.name == "pokerroom"
    assert config.listen == ListenConfig(
        host="127.0.0.1", ops_host="127.0.0.1", game_port=4190, http_port=4191, ops_port=4192
    )
    assert config.play_money.opening_balance == 1_000_000
    assert config.cashier == CashierConfig(
        source="", fund=0, refill_to=0, refill_floor=1, refill_every_s=14400
    )
    assert config.limits == LimitsConfig(
        frame_bytes_max=16_384,
        connections_max=5_000,
        connections_per_address=100,
        messages_per_s=500,
        message_burst=1_000,
        outbound_bytes_max=1_048_576,
        idle_s=120,
        tables_per_account_max=4,
    )
    [table] = config.tables
    assert table == TableSettings(
        table="t",
        name="t",
        variant=HOLDEM,
        structure=NoLimit(),
        seats_max=6,
        stakes=Stakes(small_blind=50, big_blind=100),
        min_buy_in=Money(2_000),
        max_buy_in=Money(10_000),
        action_clock_s=10,
        countdown_s=20,
        hand_pause_ms=2_000,
        away_limit_s=120,
        seats_per_address=2,
        sit_out_limit_s=900,
        timeout_protection="always",
        moving_button=True,
        show_all_in=True,
        timeout_all_ins_per_day=5,
    )


def test_b2_a_fixed_limit_needs_only_its_small_bet():
    """B2, D5: big bet, blinds and buy-ins follow from the small bet; the cap is three raises, heads-up too."""
    [table] = parse(LIMIT).tables

    assert table.structure == FixedLimit(small_bet=500, big_bet=1_000, raises_max=3, cap_heads_up=True)
    assert table.stakes == Stakes(small_blind=200, big_blind=500)
    assert (table.min_buy_in, table.max_buy_in) == (10_000, 50_000)


def test_pot_limit_is_set_as_no_limit():
    """A pot-limit table has the same settings, and the same defaults."""
    [table] = parse(TABLE + 'structure = "pot_limit"\n').tables

    assert dataclasses.replace(table, structure=NoLimit()) == parse(TABLE).tables[0]


def test_origins_are_a_list_of_texts():
    """Pages of other addresses may be let in; anything but a list of texts is refused with its line."""
    config = parse(TABLE + '[listen]\nallowed_origins = ["https://poker.example"]\n')
    assert config.listen.allowed_origins == ("https://poker.example",)
    with pytest.raises(ConfigError) as caught:
        parse(TABLE + "[listen]\nallowed_origins = [1]\n")
    [problem] = caught.value.problems
    assert (problem.line, problem.key) == (5, "listen.allowed_origins")


def test_the_shipped_settings_load_and_show_the_defaults():
    """deploy/room.toml is the default room of 26 tables, the no-limit ones first, and what it spells out is what
    is left out elsewhere.
    """
    config = load(default_config_path())
    assert [(table.table, table.structure.name, table.seats) for table in config.tables] == [
        *((f"nl-100-{number}", "no_limit", 6) for number in range(1, 13)),
        ("bots-100", "no_limit", 6),
        *((f"bots-hu-100-{number}", "no_limit", 2) for number in range(1, 5)),
        ("hu-100-1", "no_limit", 2),
        ("hu-100-2", "no_limit", 2),
        ("full-100-1", "no_limit", 10),
        ("full-100-2", "no_limit", 10),
        ("fl-500-1", "fixed_limit", 6),
        ("fl-500-2", "fixed_limit", 6),
        ("pl-100-1", "pot_limit", 6),
        ("pl-100-2", "pot_limit", 6),
        ("plo-100", "pot_limit", 6),
    ]
    assert [table.table for table in config.tables if table.variant.name == "omaha"] == ["plo-100"]
    assert {(table.stakes.small_blind, table.stakes.big_blind) for table in config.tables} == {
        (50, 100),
        (200, 500),
    }
    plain = parse(TABLE)
    assert config.cashier == CashierConfig(
        source="play-money",
        fund=10_000_000_000,
        refill_to=100_000,
        refill_floor=10_000,
        refill_every_s=14_400,
    )
    nothing = {"tables": (), "ultimate": (), "sit_and_gos": (), "offer_terms": {}, "cashier": plain.cashier}
    assert dataclasses.replace(config, **nothing) == dataclasses.replace(plain, **nothing)
    assert dataclasses.replace(config.tables[0], table="t", name="t") == plain.tables[0]
    limit = next(table for table in config.tables if table.structure.name == "fixed_limit")
    assert dataclasses.replace(limit, table="t", name="t") == parse(LIMIT).tables[0]


def test_every_setting_stands_in_the_shipped_file():
    """An operator finds all there is to set in one file."""
    document = tomllib.loads(default_config_path().read_text(encoding="utf-8"))
    stands = {key for table in document["tables"] for key in table}

    renamed = {"table": "id", "variant": "game", "seats_max": "seats"}
    table = {renamed.get(field.name, field.name) for field in dataclasses.fields(TableSettings)}
    table = table - {"stakes", "rake"} | set(RAKE_KEYS)
    stakes = {field.name for field in dataclasses.fields(Stakes)}
    assert stands == table | stakes | set(FixedLimit.__slots__) | {"count"}
    for section, settings in (
        ("listen", ListenConfig),
        ("tls", TlsConfig),
        ("limits", LimitsConfig),
        ("accounts", AccountsConfig),
        ("sessions", SessionsConfig),
        ("retention", Retention),
        ("checkpoints", CheckpointsConfig),
        ("player_limits", PlayerLimitsConfig),
        ("play_money", PlayMoneyConfig),
        ("cashier", CashierConfig),
        ("house", HouseBotsConfig),
        ("hosting", HostingConfig),
        ("statistics", StatisticsConfig),
        ("webhooks", WebhooksConfig),
    ):
        assert set(document.pop(section)) == {field.name for field in dataclasses.fields(settings)}
    assert set(document) == {"room", "tables", "ultimate", "sit_and_go"}


def test_an_installed_wheel_reads_the_settings_beside_the_module(tmp_path, monkeypatch):
    """Where a room.toml lies beside the module, as a wheel puts it, that one is the default."""
    (tmp_path / "room.toml").write_text(TABLE)
    monkeypatch.setattr(config_module, "__file__", str(tmp_path / "config.py"))
    assert default_config_path() == tmp_path / "room.toml"


def test_count_makes_numbered_tables():
    """`count` numbers ids and names from 1, also when it is 1; without it both stay as they are."""
    config = parse(TABLE + 'count = 2\nname = "Low"\n')
    assert [(table.table, table.name) for table in config.tables] == [("t-1", "Low 1"), ("t-2", "Low 2")]
    assert [table.table for table in parse(TABLE + "count = 1\n").tables] == ["t-1"]


FOLLOWS = "follows from small_bet in fixed limit: leave it out"
FIXED_ONLY = 'is for fixed limit only (structure = "fixed_limit")'
FIXED_LIMIT_KEYS = ("small_bet", "big_bet", "raises_max", "cap_heads_up")
WHOLE = "amounts are whole numbers of 1/100 credit (2.50 is 250), not "


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", (None, "tables", "is missing: add at least one [[tables]] or [[ultimate]]")),
        (
            "tables = []\n",
            (1, "tables", "is missing: add at least one [[tables]] or [[ultimate]]"),
        ),
        ("[room\n", (1, "", "Expected ']' at the end of a table declaration (at line 1, column 6)")),
        (TABLE + "[room]\nnam = 'x'\n", (5, "room.nam", 'is not a setting here; did you mean "name"?')),
        (TABLE + "[tabels]\n", (4, "tabels", 'is not a setting here; did you mean "tables"?')),
        (TABLE + "[xyzzy]\n", (4, "xyzzy", "is not a setting here")),
        (TABLE + "[room]\nname = ''\n", (5, "room.name", "should be a text of 1 to 60 characters, not ''")),
        (TABLE + "[room]\nname = 3\n", (5, "room.name", "should be a text of 1 to 60 characters, not 3")),
        ("room = 1\n" + TABLE, (1, "room", "should be a table, [room]")),
        (TABLE + "big_blind = 2.5\n", (4, "tables[1].big_blind", WHOLE + "2.5")),
        (TABLE + "big_blind = 100.0\n", (4, "tables[1].big_blind", WHOLE + "100.0")),
        (TABLE + "big_blind = true\n", (4, "tables[1].big_blind", WHOLE + "true")),
        (TABLE + 'big_blind = "1.00"\n', (4, "tables[1].big_blind", WHOLE + "'1.00'")),
        (TABLE + "big_blind = nan\n", (4, "tables[1].big_blind", WHOLE + "nan")),
        (
            TABLE + "max_buy_in = -1\n",
            (4, "tables[1].max_buy_in", f"should be from 1 to {AMOUNT_MAX}, not -1"),
        ),
        (TABLE + "seats = 11\n", (4, "tables[1].seats", "should be from 2 to 10, not 11")),
        (TABLE + "seats = 1\n", (4, "tables[1].seats", "should be from 2 to 10, not 1")),
        (TABLE + "seats = 6.0\n", (4, "tables[1].seats", "should be a whole number from 2 to 10, not 6.0")),
        (TABLE + "seats = true\n", (4, "tables[1].seats", "should be a whole number from 2 to 10, not true")),
        (
            TABLE + 'game = "omaha"\nstructure = "no_limit"\n',
            (5, "tables[1].structure", "omaha is played pot_limit here, not no_limit"),
        ),
        (
            TABLE + 'structure = "nolimit"\n',
            (
                4,
                "tables[1].structure",
                f"should be {NAMED}, not 'nolimit'; did you mean \"no_limit\"?",
            ),
        ),
        (
            '[[tables]]\nid = "t"\nstructure = "fixed"\nsmall_bet = 500\n',
            (
                3,
                "tables[1].structure",
                f"should be {NAMED}, not 'fixed'; did you mean \"fixed_limit\"?",
            ),
        ),
        (FIXED, (1, "tables[1]", "small_bet is missing")),
        (FIXED + "small_bet = 5.0\n", (4, "tables[1].small_bet", WHOLE + "5.0")),
        (LIMIT + "small_blind = 200\n", (5, "tables[1].small_blind", FOLLOWS)),
        (LIMIT + "big_blind = 500\n", (5, "tables[1].big_blind", FOLLOWS)),
        (LIMIT + "big_bet = 499\n", (5, "tables[1].big_bet", "should be at least the small bet (500)")),
        (
            LIMIT + "unit = 251\n",
            (
                5,
                "tables[1].unit",
                "should be at most half the small bet (250), or no small blind is left",
            ),
        ),
        (
            FIXED + "small_bet = 199\n",
            (1, "tables[1].unit", "should be at most half the small bet (99), or no small blind is left"),
        ),
        (LIMIT + "raises_max = 0\n", (5, "tables[1].raises_max", "should be from 1 to 100, not 0")),
        (LIMIT + "cap_heads_up = 1\n", (5, "tables[1].cap_heads_up", "should be true or false, not 1")),
        *((TABLE + f"{key} = 3\n", (4, f"tables[1].{key}", FIXED_ONLY)) for key in FIXED_LIMIT_KEYS),
        (
            TABLE + 'structure = "pot_limit"\nsmall_bet = 500\n',
            (5, "tables[1].small_bet", FIXED_ONLY),
        ),
        (
            TABLE + "straddle = 199\n",
            (4, "tables[1].straddle", "should be at least two big blinds (200), or 0 for none"),
        ),
        (
            LIMIT + "straddle = 1500\n",
            (5, "tables[1].straddle", "should be two small bets (1000) in fixed limit, or 0 for none"),
        ),
        (
            LIMIT + "straddle = 500\n",
            (5, "tables[1].straddle", "should be two small bets (1000) in fixed limit, or 0 for none"),
        ),
        (
            TABLE + "ante = -1\n",
            (4, "tables[1].ante", f"should be from 0 to {AMOUNT_MAX // 100}, not -1"),
        ),
        (
            TABLE + "ante = 25\nbig_blind_ante = 100\nmin_buy_in = 224\n",
            (6, "tables[1].min_buy_in", "should be at least the big blind and its antes (225)"),
        ),
        (
            TABLE + "timeout_all_ins_per_day = -1\n",
            (4, "tables[1].timeout_all_ins_per_day", "should be from 0 to 10000, not -1"),
        ),
        (
            TABLE + "time_bank_s = 30\ntime_bank_refill_s = 31\n",
            (5, "tables[1].time_bank_refill_s", "should be at most the time bank (30)"),
        ),
        (TABLE + "reservation_s = 0\n", (4, "tables[1].reservation_s", "should be from 1 to 3600, not 0")),
        (TABLE + "rathole_s = -1\n", (4, "tables[1].rathole_s", "should be from 0 to 86400, not -1")),
        (
            TABLE + "observer_delay_s = 3601\n",
            (4, "tables[1].observer_delay_s", "should be from 0 to 3600, not 3601"),
        ),
        (
            TABLE + "chat_length_max = 201\n",
            (4, "tables[1].chat_length_max", "should be from 0 to 200, not 201"),
        ),
        (
            TABLE + "chat_per_minute = 0\n",
            (4, "tables[1].chat_per_minute", "should be from 1 to 1000, not 0"),
        ),
        (
            TABLE + 'timeout_protection = "sometimes"\n',
            (
                4,
                "tables[1].timeout_protection",
                'should be "always", "disconnected" or "never", not \'sometimes\'',
            ),
        ),
        (TABLE + "moving_button = 1\n", (4, "tables[1].moving_button", "should be true or false, not 1")),
        (TABLE + "big_blind = 49\n", (4, "tables[1].big_blind", "should be at least the small blind (50)")),
        (TABLE + "min_buy_in = 99\n", (4, "tables[1].min_buy_in", "should be at least the big blind (100)")),
        (
            TABLE + "max_buy_in = 1999\n",
            (4, "tables[1].max_buy_in", "should be at least the smallest buy-in (2000)"),
        ),
        ('[[tables]]\nid = "t"\n', (1, "tables[1]", "small_blind is missing")),
        ("[[tables]]\nsmall_blind = 1\n", (1, "tables[1]", "id is missing")),
        (
            '[[tables]]\nid = "T 1"\nsmall_blind = 1\n',
            (2, "tables[1].id", "should be small letters, digits and hyphens"),
        ),
        (TABLE + TABLE, (5, "tables[2].id", '"t" is the id of another table: choose a different one')),
        (
            TABLE + 'count = 2\n[[tables]]\nid = "t-2"\nsmall_blind = 1\n',
            (6, "tables[2].id", '"t-2" is the id of another table: choose a different one'),
        ),
        (TABLE + "count = 0\n", (4, "tables[1].count", "should be from 1 to 1000, not 0")),
        (
            TABLE + "[listen]\ngame_proxy_protocol = true\n",
            (5, "listen.game_proxy_protocol", "needs the networks of the proxies: set trusted_proxies"),
        ),
        (
            TABLE + '[tls]\ncertificate = "/etc/room.pem"\n',
            (4, "tls.key", "is missing: certificate is set, and TLS needs both"),
        ),
        (
            TABLE + '[tls]\ncertificate = "room.pem"\n',
            (5, "tls.certificate", "should be an absolute path, or \"\" for none, not 'room.pem'"),
        ),
        (TABLE + "[listen]\nops_port = 4190\n", (5, "listen.ops_port", "is the same port as game_port")),
        (TABLE + "[listen]\ngame_port = 4191\n", (4, "listen.http_port", "is the same port as game_port")),
        (
            TABLE + "[listen]\ngame_port = 65536\n",
            (5, "listen.game_port", "should be from 0 to 65535, not 65536"),
        ),
        (
            TABLE + "[play_money]\nopening_balance = 1e3\n",
            (5, "play_money.opening_balance", WHOLE + "1000.0"),
        ),
        (
            TABLE + '[cashier]\nsource = "Play money"\n',
            (5, "cashier.source", "should be small letters, digits, hyphens and underscores"),
        ),
        (TABLE + "[cashier]\nfund = 1\n", (5, "cashier.fund", "needs a source to go to: add source")),
        (
            TABLE + "[limits]\nmessages_per_s = 1979-05-27\n",
            (5, "limits.messages_per_s", "should be a whole number from 1 to 100000, not a date or time"),
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(text, problem):
    """Each mistake alone is one problem: line, key as a person counts, and what should stand there."""
    assert problems_of(text) == [problem]


@pytest.mark.parametrize("value", ['["10.0.0.1/8"]', '["poker.example"]', "[7.5]", '"10.0.0.0/8"'])
def test_networks(value):
    """Proxies are named by networks; an address with bits beyond its mask is a mistake."""
    config = parse(TABLE + '[listen]\ntrusted_proxies = ["10.0.0.0/8", "2001:db8::1"]\n')
    assert config.listen.trusted_proxies == ("10.0.0.0/8", "2001:db8::1/128")
    with pytest.raises(ConfigError) as raised:
        parse(TABLE + f"[listen]\ntrusted_proxies = {value}\n")
    (problem,) = raised.value.problems
    assert (problem.key, "192.0.2.0/24" in problem.message) == ("listen.trusted_proxies", True)


def test_all_mistakes_are_told_at_once_in_the_order_of_lines():
    """One reading tells everything; the message names file and line of each."""
    text = TABLE + "seats = 0\nbig_blind = 1.5\n[listen]\nhots = 'x'\n[room]\nname = 1\n"
    with pytest.raises(ConfigError) as caught:
        parse(text, "my.toml")
    assert [problem.line for problem in caught.value.problems] == [4, 5, 7, 9]
    assert str(caught.value).splitlines()[0] == "my.toml:4: tables[1].seats: should be from 2 to 10, not 0"
    assert str(caught.value).count("\n") == 3


def test_ports_may_all_be_zero():
    """Port 0 lets the system choose, so several zeros are no collision."""
    config = parse(TABLE + "[listen]\ngame_port = 0\nhttp_port = 0\nops_port = 0\n")
    assert (config.listen.game_port, config.listen.http_port, config.listen.ops_port) == (0, 0, 0)


def test_windows_line_ends_do_not_shift_lines():
    """A file with carriage returns reads the same."""
    assert problems_of((TABLE + "seats = 0\n").replace("\n", "\r\n"))[0][0] == 4


def test_a_file_that_cannot_be_read_is_a_config_error(tmp_path):
    """A missing file and one that is no UTF-8 are the operator's mistakes too."""
    with pytest.raises(ConfigError, match=r"nowhere\.toml: cannot be read"):
        load(tmp_path / "nowhere.toml")
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9\n")
    with pytest.raises(ConfigError, match=r"latin\.toml: cannot be read"):
        load(tmp_path / "latin.toml")


def test_house_bots_leave_a_seat_to_people():
    """As many bots as seats are refused; one less is fine."""
    assert parse(TABLE + "seats = 3\nhouse_bots = 2\n").tables[0].house_bots == 2
    with pytest.raises(ConfigError, match="at most 2"):
        parse(TABLE + "seats = 3\nhouse_bots = 3\n")


def test_a_refill_is_off_unless_it_is_set():
    """Without `refill_to` there is none; the floor is a tenth of it if not given."""
    assert parse(TABLE + '[cashier]\nsource = "cash"\n').cashier.refill is None
    given = parse(
        TABLE + '[cashier]\nsource = "cash"\nrefill_to = 5_000\nrefill_every_s = 60\n'
    ).cashier.refill
    assert given == RefillTerms(source="cash", floor=Money(500), to=Money(5_000), every_s=60)


def test_networks_of_webhooks_are_read():
    """None is private that is not named."""
    assert parse(TABLE).webhooks == WebhooksConfig()
    text = '[webhooks]\nnetworks = ["10.1.0.0/16", "::1"]\n' + TABLE
    assert parse(text).webhooks.networks == ("10.1.0.0/16", "::1/128")


def test_retention_is_in_days_and_0_keeps_for_ever():
    """A year and a month where it is not set."""
    assert parse(TABLE).retention == Retention(
        hands_days=365, sessions_days=30, webhooks_days=30, wallet_days=30
    )
    text = "[retention]\nhands_days = 0\nsessions_days = 0\nwebhooks_days = 1\nwallet_days = 2\n" + TABLE
    assert parse(text).retention == Retention(hands_days=0, sessions_days=0, webhooks_days=1, wallet_days=2)
    assert [key for _, key, _ in problems_of("[retention]\nhands_days = -1\n" + TABLE)] == [
        "retention.hands_days"
    ]


def test_checkpoints_are_written_every_minute_unless_it_is_set():
    """A file for them is an absolute path, and needs checkpoints."""
    assert parse(TABLE).checkpoints == CheckpointsConfig(every_s=60, file="")
    given = parse('[checkpoints]\nevery_s = 5\nfile = "/var/lib/checkpoints"\n' + TABLE).checkpoints
    assert given == CheckpointsConfig(every_s=5, file="/var/lib/checkpoints")
    for text in 'file = "checkpoints"', 'every_s = 0\nfile = "/checkpoints"':
        assert [key for _, key, _ in problems_of(f"[checkpoints]\n{text}\n" + TABLE)] == ["checkpoints.file"]


def test_caps_are_those_that_are_not_zero():
    """By kind and window, as the ledger stores them."""
    assert parse(TABLE).player_limits.caps == {}
    caps = parse(TABLE + "[player_limits]\nloss_week = 500\nsession_day_s = 7_200").player_limits.caps
    assert caps == {("loss", "week"): 500, ("session", "day"): 7_200}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("refill_to = 5_000\n", "cashier.refill_to"),
        ('source = "cash"\nrefill_to = 5_000\nrefill_floor = 5_001\n', "cashier.refill_floor"),
    ],
)
def test_a_refill_that_cannot_be_is_refused(text, key):
    """It needs a source, and it reaches the floor."""
    with pytest.raises(ConfigError) as caught:
        parse(TABLE + "[cashier]\n" + text)
    [problem] = caught.value.problems
    assert problem.key == key

"""The settings of an operator's wallet, and its secret."""

import base64

import pytest

from pokerroom.ops.config import default_config_path, parse
from pokerroom.ops.config_reader import ConfigError
from pokerroom.ops.config_wallet import WalletConfig, WalletSecretUnusable, wallet_secret

SECRET = "whsec_" + base64.b64encode(b"s" * 24).decode()
TABLE = """
[[tables]]
id = "t1"
name = "One"
small_blind = 50
big_blind = 100
"""
WALLET = """
[play_money]
opening_balance = 0
[wallet]
url = "https://wallet.example.org/pokerroom"
secret_file = "/etc/secret"
"""


def problems(text):
    with pytest.raises(ConfigError) as error:
        parse(text)
    return str(error.value)


def test_a_room_has_no_such_wallet_unless_its_settings_have_one():
    """Nor has the file that ships with the room; its example is read when its signs of a comment are removed."""
    shipped = default_config_path().read_text()
    assert parse(shipped).wallet == WalletConfig()
    example = shipped[shipped.index("# [wallet]") : shipped.index("# Caps for every player")].replace(
        "# ", "", 1
    )
    lines = [line.removeprefix("# ") for line in example.splitlines()]
    read = parse(TABLE + "[play_money]\nopening_balance = 0\n" + "\n".join(lines)).wallet
    assert read == WalletConfig(
        url="https://wallet.example.org/pokerroom", secret_file="/etc/pokerroom/wallet-secret"
    )
    assert parse(TABLE + WALLET).wallet == WalletConfig(
        url="https://wallet.example.org/pokerroom", secret_file="/etc/secret"
    )


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("https://", "ftp://", "should begin with https:// and a name"),
        ("https://wallet.example.org/pokerroom", "https:///x", "should begin with https:// and a name"),
        ('secret_file = "/etc/secret"', "", "the room signs its calls with a secret"),
        ("opening_balance = 0", "opening_balance = 5", "has no place beside play_money.opening_balance"),
        (
            "[wallet]",
            '[cashier]\nsource = "x"\nrefill_to = 5\n[wallet]',
            "has no place beside cashier.refill_to",
        ),
        ("[wallet]", '[[ultimate]]\nid = "u1"\nname = "U"\n[wallet]', "has no place beside [[ultimate]]"),
        ("[wallet]", '[[tables]]\nid = "t2"\nsmall_blind = 5\nhouse_bots = 1\n[wallet]', "beside house_bots"),
        ("[wallet]", "[wallet]\ntimeout_s = 9", "should be from 1 to 8"),
    ],
)
def test_what_does_not_fit_is_named(old, new, problem):
    """The room must not give money of its own to an account that is linked with the operator's wallet."""
    assert problem in problems(TABLE + WALLET.replace(old, new))


def test_the_secret_is_read_from_its_file(tmp_path):
    """With or without an end of the line."""
    file = tmp_path / "secret"
    file.write_text(SECRET + "\n")
    assert wallet_secret(WalletConfig(secret_file=str(file))) == b"s" * 24


@pytest.mark.parametrize(
    "text", ["", "hunter2", "whsec_!", "whsec_" + base64.b64encode(b"s" * 23).decode(), SECRET[:-1] + "é"]
)
def test_a_file_without_a_secret_is_refused_and_not_shown(tmp_path, text):
    """The message says what to write."""
    file = tmp_path / "secret"
    file.write_text(text)
    with pytest.raises(WalletSecretUnusable) as refused:
        wallet_secret(WalletConfig(secret_file=str(file)))
    assert not text or text not in str(refused.value)
    with pytest.raises(WalletSecretUnusable, match="FileNotFoundError"):
        wallet_secret(WalletConfig(secret_file=str(tmp_path / "none")))

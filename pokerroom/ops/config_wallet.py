"""The operator's wallet: its settings in the room's file, and its secret, which is in a file of its own."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pokerroom.ops.config_reader import Section

TIMEOUT_S_MAX: Final = 8
SECRET_BYTES_MIN: Final = 24

_SECRET: Final = re.compile(r"whsec_([A-Za-z0-9+/]+={0,2})")
URL_MAX: Final = 500


class WalletSecretUnusable(Exception):  # noqa: N818 -- named for what is the case
    """The file of the secret cannot be read, or has no secret. The message has no part of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletConfig:
    """`url` is empty for a room without such a wallet. `currency` is told to the operator's server."""

    url: str = ""
    secret_file: str = ""
    timeout_s: int = 3
    currency: str = "EUR"


def wallet_settings(section: Section) -> WalletConfig:
    """Read the section; problems are noted with it."""
    default = WalletConfig()
    wallet = WalletConfig(
        url=section.text("url", "", URL_MAX),
        secret_file=section.path("secret_file"),
        timeout_s=section.integer("timeout_s", default.timeout_s, 1, TIMEOUT_S_MAX),
        currency=section.text("currency", default.currency, 12),
    )
    if wallet.url and (
        urlsplit(wallet.url).scheme not in {"https", "http"} or not urlsplit(wallet.url).hostname
    ):
        section.problem("url", "should begin with https:// and a name")
    if wallet.url and not wallet.secret_file and section.is_sound("secret_file"):
        section.problem("secret_file", "is missing: the room signs its calls with a secret")
    section.finish()
    return wallet


def refuse_own_money(section: Section, given: Mapping[str, int]) -> None:
    """Note a problem with each setting that has no place beside an operator's wallet.

    What a linked account holds goes to that wallet, so the room must not make presents of it, and its own bots must not
    lose its money to players. Bets of Ultimate are
    taken from the account at the close of the betting, where no other server is asked.
    """
    for name, value in given.items():
        if value:
            what = "leave it out" if name.startswith("[") else "set it to 0"
            section.problem("url", f"has no place beside {name}: {what}")


def wallet_secret(config: WalletConfig) -> bytes:
    """Read the secret. Raises `WalletSecretUnusable`."""
    try:
        found = _SECRET.fullmatch(Path(config.secret_file).read_text(encoding="ascii").strip())
    except (OSError, UnicodeDecodeError) as error:
        raise WalletSecretUnusable(f"wallet.secret_file cannot be read: {type(error).__name__}") from None
    try:
        secret = b"" if found is None else base64.b64decode(found[1], validate=True)
    except binascii.Error:
        secret = b""
    if len(secret) < SECRET_BYTES_MIN:
        raise WalletSecretUnusable(
            f"wallet.secret_file has no secret: write whsec_ and {SECRET_BYTES_MIN} random bytes or more in Base64"
        )
    return secret

"""Counts wrong codes of links and invitations and wrong passwords of tables, as those of accounts are counted.

Knows no code, no password and no table.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import structlog

from pokerroom.coordination.api import GuessLimit, LogInAttempts
from pokerroom.gateway.account_service import AccountRefused
from pokerroom.gateway.counted_attempts import CountedAttempts, store_key
from pokerroom.ledger.clubs import UnknownClubCode
from pokerroom.ledger.hosted_tables import UnknownLink, WrongTablePassword
from pokerroom_protocol.errors import Code

OF_ACCOUNT: Final = GuessLimit(free=10, wait_s_max=3_600, kept_s=86_400)
"""[D] For one account, from all addresses."""

OF_ADDRESS: Final = GuessLimit(free=50, wait_s_max=60)
"""[D] For all accounts from one address, which many players may share."""

OF_TABLE: Final = GuessLimit(free=100, wait_s_max=60)
"""[D] For the password of one table, from all accounts and addresses: people choose passwords, and links are drawn."""

_T = TypeVar("_T")

_log = structlog.get_logger()


class CodeGuesses:
    """Wrong codes of accounts and addresses, in the whole room."""

    def __init__(self, attempts: LogInAttempts) -> None:
        self._attempts = CountedAttempts(attempts)

    async def looked_up(
        self, account: int, address: str, find: Callable[[], Awaitable[_T]], *, table: str = ""
    ) -> _T:
        """Return what `find` finds by a code. A right code does not count, and takes no wrong one back.

        `address` is what the client's address has in common with others of one owner; empty: it is not counted.
        `table` is that of a password; empty: it is a code.
        Raises `AccountRefused` with `too_many_attempts` without having looked, and what `find` raises.
        """
        limits = {store_key("codes", str(account)): OF_ACCOUNT}
        if address:
            limits[store_key("codes of address", address)] = OF_ADDRESS
        if table:
            limits[store_key("password of table", table)] = OF_TABLE
        counted: list[str] = []
        for key, limit in limits.items():
            wait_ms = (await self._attempts.begin(key, limit)).wait_ms
            if wait_ms:  # the code is not looked at, so it is no guess
                await self._attempts.take_back(*counted)
                _log.warning("code.delayed", account=account, address=address, wait_ms=wait_ms)
                raise AccountRefused(Code.TOO_MANY_ATTEMPTS, wait_ms)
            counted.append(key)
        try:
            found = await find()
        except (UnknownLink, UnknownClubCode, WrongTablePassword):
            _log.warning("code.wrong", account=account, address=address)
            raise
        except BaseException:
            await self._attempts.take_back(*counted)
            raise
        await self._attempts.take_back(*counted)
        return found

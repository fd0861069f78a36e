"""How many accounts an address may open: some at once, then one after a growing wait, counted in Redis for all nodes.

Only the first few of a day are given play money: otherwise a player makes accounts for the money.

Addresses without a bound on connections have none here, either. While Redis is away nothing is counted.
"""

from __future__ import annotations

from typing import Final

import structlog

from pokerroom.coordination.api import GuessLimit, LogInAttempts
from pokerroom.gateway.addresses import AddressPolicy
from pokerroom.gateway.counted_attempts import CountedAttempts, store_key
from pokerroom.gateway.passwords import AuthenticationRefused
from pokerroom_protocol.errors import Code

_HOUR_S: Final = 3600
_DAY_S: Final = 24 * _HOUR_S
_UNBOUNDED: Final = 1 << 31

_log = structlog.get_logger()


class AccountOpenings:
    """Counts the accounts that addresses open. Each `begin` that leads to no account needs a `take_back`.

    An address may open `at_once` accounts, then one after 1 s, 2 s, 4 s and so on up to one an hour [D]. All are
    forgotten an hour after the last. `with_money` of them get the opening balance, 0 for all; these are forgotten a day
    after the last.
    """

    def __init__(
        self, attempts: LogInAttempts, addresses: AddressPolicy, at_once: int, with_money: int
    ) -> None:
        self._attempts = CountedAttempts(attempts)
        self._addresses = addresses
        self._limit = GuessLimit(free=at_once, wait_s_max=_HOUR_S, kept_s=_HOUR_S)
        self._with_money = with_money
        self._money_limit = GuessLimit(free=_UNBOUNDED, wait_s_max=1, kept_s=_DAY_S)

    async def begin(self, address: str) -> bool:
        """Count an account, and return whether it gets the opening balance.

        Raises `AuthenticationRefused` with `too_many_accounts` and the wait.
        """
        group = self._addresses.group_of(address)
        if group is None:
            return True
        wait_ms = (await self._attempts.begin(_key(group), self._limit)).wait_ms
        if wait_ms:
            _log.warning("account.delayed", address=address, wait_ms=wait_ms)
            raise AuthenticationRefused(Code.TOO_MANY_ACCOUNTS, wait_ms)
        if not self._with_money:
            return True
        return (await self._attempts.begin(_money_key(group), self._money_limit)).failures <= self._with_money

    async def take_back(self, address: str) -> None:
        """Forget an account that was not opened."""
        group = self._addresses.group_of(address)
        if group is not None:
            await self._attempts.take_back(_key(group), _money_key(group))


def _key(group: str) -> str:
    return store_key("accounts", group)


def _money_key(group: str) -> str:
    return store_key("accounts with money", group)

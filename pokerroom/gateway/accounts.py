"""Accounts of clients: registration, log-in and sessions.

Passwords are stored as argon2id (see `passwords`), tokens as SHA-256 only. Knows the ledger's accounts; of a connection
it knows the address alone.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

import structlog

from pokerroom.chips import Money
from pokerroom.gateway.account_security import (
    AccountSecurity,
    Known,
    SecondFactorPolicy,
    SessionPolicy,
    SessionsEnded,
)
from pokerroom.gateway.account_service import AccountService, settings_view
from pokerroom.gateway.addresses import short_form
from pokerroom.gateway.names import ReservedNames
from pokerroom.gateway.openings import AccountOpenings
from pokerroom.gateway.password_queue import Claimant
from pokerroom.gateway.password_rules import PasswordRules
from pokerroom.gateway.passwords import AuthenticationRefused, Passwords
from pokerroom.gateway.player_limits import PlayerLimits
from pokerroom.history.hidden_cards import CardSeal
from pokerroom.ledger.account_standing import AccountOverview, Exclusion
from pokerroom.ledger.api import NO_PASSWORD, AccountRow, NameTaken
from pokerroom.ledger.cashier import RefillTerms
from pokerroom.ledger.credentials import NO_DEVICE, Device, FoundSession
from pokerroom.ledger.whole import WholeLedger
from pokerroom.table.house_bots import is_house_bot
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

_log = structlog.get_logger()

DEFAULT_POLICY: Final = SessionPolicy()


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The account of a connection, with the secret that resumes its session."""

    account: int
    name: str
    session: int
    """The number of the session in the ledger."""
    token: str
    balance: Money
    tables: list[str]
    settings: wire.AccountSettings
    last_log_in_ms: int | None
    exclusion: Exclusion | None
    muted_until_ms: int | None

    def __repr__(self) -> str:
        """Return the identity without its token."""
        return f"<Identity {self.account} {self.name}>"


class Client(Claimant, Protocol):
    """The client of a connection."""

    @property
    def client_name(self) -> str:
        """The client's name for itself, for display."""


class Accounts:
    """Registers and authenticates accounts. `opening` is the play money of a new account, in the smallest unit.

    `rules` are those for new passwords, `reserved` the names that new accounts may not have. `openings` bounds how many
    an address opens. `policy` is how long sessions last, `second` what second factors need, `cards` opens the cards of
    settled hands. `refill` are the terms of free play money, if there is any. `statistics_seated` is as in
    `AccountService`. `excluded` is called once an account has excluded itself.
    """

    def __init__(
        self,
        ledger: WholeLedger,
        passwords: Passwords,
        opening: Money,
        *,
        rules: PasswordRules,
        reserved: ReservedNames,
        openings: AccountOpenings,
        second: SecondFactorPolicy,
        cards: CardSeal,
        policy: SessionPolicy = DEFAULT_POLICY,
        refill: RefillTerms | None = None,
        statistics_seated: bool = True,
        excluded: Callable[[], object] = lambda: None,
    ) -> None:
        self._ledger = ledger
        self._returned_to = None if refill is None else refill.source
        self._policy = policy
        self.security = AccountSecurity(ledger, passwords, rules, policy, second)
        """What accounts do for their safety."""
        self.side = AccountService(ledger, cards, refill, statistics_seated=statistics_seated)
        """What accounts ask about themselves."""
        self.limits = PlayerLimits(ledger, self.security.prove, excluded)
        """What protects players from playing too much."""
        self._passwords = passwords
        self._opening = opening
        self._rules = rules
        self._reserved = reserved
        self._openings = openings

    async def register(self, client: Client, name: str, password: str) -> Identity:
        """Open an account and a session.

        Raises `NameTaken`, or `AuthenticationRefused` for a name or password that no new account may have.
        """
        if name in self._reserved:
            raise AuthenticationRefused(Code.NAME_RESERVED)
        problem = self._rules.problem(name, password)
        if problem is not None:
            raise AuthenticationRefused(Code.WEAK_PASSWORD, detail=problem)
        with_money = await self._openings.begin(client.address)
        try:
            password_hash = await self._passwords.hash(client, password)
            opening = self._opening if with_money else Money(0)
            row = await self._ledger.create_account(name, password_hash, opening)
        except Exception:
            await self._openings.take_back(client.address)
            raise
        _log.info("account.opened", account=row.account, address=client.address, with_money=with_money)
        return await self._opened(row, _device(client))

    async def enter_house_bot(self, name: str, opening: Money) -> str:
        """Return the token of a new session for a house bot; its account is opened when it first comes.

        `opening` is the bank's play money that it brings then. Raises `NameTaken` if another account has the name, and
        `InsufficientBalance` if the bank is empty.
        """
        assert is_house_bot(name)
        row = await self._ledger.find_account(name)
        if row is None:
            row = await self._ledger.create_account(name, NO_PASSWORD, opening)
        elif row.password_hash != NO_PASSWORD:
            raise NameTaken(f"{name} was registered before such names were reserved for house bots")
        return (await self._opened(row)).token

    async def log_in(self, client: Client, name: str, password: str, code: str | None = None) -> Identity:
        """Open a session. Raises `AuthenticationRefused`, and `ClientGone` if the client hangs up meanwhile."""
        also = partial(self.security.check_code, client, code=code)
        row = await self._passwords.check(
            client, name, password, partial(self._ledger.find_account, name), also
        )
        _log.info("log_in.succeeded", account=row.account, address=client.address)
        return await self._opened(row, _device(client), row.password_hash)

    def gone(self, client: Client) -> None:
        """End what a client that has hung up waits for."""
        self._passwords.gone(client)

    async def recover(self, client: Client, message: wire.Recover, ended: SessionsEnded) -> Identity:
        """Set a new password with a recovery code, and open a session. Raises `AuthenticationRefused`."""
        row = await self.security.recover(client, message, ended)
        return await self._opened(row, _device(client), row.password_hash)

    async def resume(self, client: Client, token: str) -> Identity:
        """Continue a session, with a new token if this one is old. Raises `AuthenticationRefused`."""
        token_hash = _token_hash(token)
        found = await self._ledger.find_session(token_hash, _device(client), self._policy.lifetime)
        if found is None:
            raise AuthenticationRefused(Code.SESSION_UNKNOWN)
        if found.is_earlier:  # the answer with the new token was lost, or another window of the client has it
            token = _next_token(token, found)
        elif found.token_age_s >= self._policy.rotate_s:
            token = _next_token(token, found)
            await self._ledger.rotate_session(token_hash, _token_hash(token), self._policy.overlap_s)
        return _known(found.account, found.session, token, found.overview)

    async def log_out(self, account: int, session: int) -> None:
        """End the session by its number, for another connection may have got a new token since: all are void."""
        await self._ledger.end_sessions(account, session)

    async def delete(self, client: Client, message: wire.DeleteAccount, identity: Known) -> list[int]:
        """Delete the account. The rest of its wallet goes back to the source of free play money; else it must be empty.

        Return the sessions ended. Raises `AuthenticationRefused`, and what the ledger raises.
        """
        return await self.security.delete(client, message, identity, self._returned_to)

    async def valid_sessions(self, sessions: Sequence[int]) -> frozenset[int]:
        """Note that these sessions are in use; return those that are still valid."""
        return await self._ledger.use_sessions(sessions, self._policy.lifetime)

    async def holdings(self, account: int) -> tuple[Money, list[str]]:
        """Return the balance of the wallet, and the tables where the account has a seat, in order."""
        return await self._ledger.wallet(account), await self._ledger.tables_of(account)

    async def _opened(
        self, row: AccountRow, device: Device = NO_DEVICE, password_hash: str | None = None
    ) -> Identity:
        token = secrets.token_urlsafe(32)
        session = await self._ledger.open_session(
            row.account, _token_hash(token), device, self._policy.lifetime, password_hash=password_hash
        )
        return _known(row, session, token, await self._ledger.overview(row.account))


def _known(row: AccountRow, session: int, token: str, found: AccountOverview) -> Identity:
    return Identity(
        account=row.account,
        name=row.name,
        session=session,
        token=token,
        balance=found.balance,
        tables=found.tables,
        settings=settings_view(found.settings),
        last_log_in_ms=found.last_log_in_ms,
        exclusion=found.exclusion,
        muted_until_ms=found.muted_until_ms,
    )


def _token_hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _next_token(token: str, found: FoundSession) -> str:
    """Return the token that follows. It is made of the token and the session's salt, so it can be made again."""
    digest = hmac.digest(found.salt, token.encode(), hashlib.sha256)
    return urlsafe_b64encode(digest).rstrip(b"=").decode()


def _device(client: Client) -> Device:
    name = "".join(letter for letter in client.client_name if letter.isprintable())
    return Device(client=name, address=short_form(client.address))

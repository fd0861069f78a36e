"""How an account proves who it is, as the ledger stores it: passwords, recovery codes, second factors, sessions.

A session is a log-in of one device. It is known by the SHA-256 of its token, and ends when it was not used for a while
(`idle_s`) or is too old (`absolute_s`). Its token is replaced from time to time. The one before stays valid for an
overlap, and the token after it can be derived from it again with the session's salt (see `gateway.accounts`), so a lost
answer logs no player out. The clock is that of the ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from twisted.internet.defer import Deferred

from pokerroom.ledger.account_standing import AccountOverview
from pokerroom.ledger.api import AccountRow, LedgerRefusal
from pokerroom.ledger.operator_log import THE_ROOM, Acting

SESSIONS_MAX: Final = 32
"""[D] An account has this many sessions; one more ends the one that was not used for the longest time."""

SEEN_EVERY_S: Final = 60
"""The time of last use is stored at most this often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLifetime:
    """How long a session is valid: without use, and in all. In seconds."""

    idle_s: int
    absolute_s: int


LIFETIME: Final = SessionLifetime(idle_s=30 * 86_400, absolute_s=90 * 86_400)
"""[D] The lifetime of a session if the settings name no other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """What the player recognises a session by: the client's name for itself, and a shortened address."""

    client: str = ""
    address: str = ""


NO_DEVICE: Final = Device()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A session of an account. `session` is its number, which is never used again."""

    session: int
    opened_ms: int
    seen_ms: int
    device: Device


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSession:
    """The session that a token belongs to, and its account."""

    account: AccountRow
    session: int
    token_age_s: int
    """The age of the session's latest token, in seconds."""
    is_earlier: bool
    """Whether it was found by the token before the latest one."""
    salt: bytes = field(repr=False)
    overview: AccountOverview


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondFactorRow:
    """The second factor of an account. `sealed` is its secret, encrypted. It counts once it is `confirmed`."""

    sealed: bytes = field(repr=False)
    confirmed: bool
    last_step: int
    """The step of the last code that was used."""


class PasswordChanged(LedgerRefusal):
    """The password that a session was to be opened with is not the account's any more."""

    code = "bad_credentials"


class SessionOver(LedgerRefusal):
    """The session that was to set a new password has ended."""

    code = "session_unknown"


class CredentialLedger(Protocol):
    """The part of the ledger that knows sessions. Every method may fail with `LedgerUnavailable`.

    What `by` changes is in the operators' log, in the same transaction.
    """

    def open_session(
        self,
        account: int,
        token_hash: bytes,
        device: Device = NO_DEVICE,
        lifetime: SessionLifetime = LIFETIME,
        *,
        password_hash: str | None = None,
    ) -> Deferred[int]:
        """Stores a session by the SHA-256 of its token, and returns its number. The token itself is never stored.

        Sessions of the account that are no longer valid, and the oldest beyond `SESSIONS_MAX`, are removed. The same
        call again returns the same session. `password_hash` is that of the password that was verified: a change of the
        password meanwhile raises `PasswordChanged`. Raises LookupError for an unknown account, and `LedgerConflict` if
        another account has a session of this token.
        """

    def find_session(
        self, token_hash: bytes, device: Device | None = None, lifetime: SessionLifetime = LIFETIME
    ) -> Deferred[FoundSession | None]:
        """Finds a valid session by its token or, during the overlap, the token before. Notes that it is used.

        `device` is stored if it is not None. All that a client is told comes in one round trip: after a restart of a
        node all its players ask at once.
        """

    def rotate_session(self, token_hash: bytes, new_hash: bytes, overlap_s: int) -> Deferred[None]:
        """Replaces the token of a session. The old one stays valid for the overlap; none before it is valid.

        Changes nothing if the session's token is another one by now.
        """

    def use_sessions(
        self, sessions: Sequence[int], lifetime: SessionLifetime = LIFETIME
    ) -> Deferred[frozenset[int]]:
        """Notes that these sessions are in use, and returns those of them that are valid."""

    def sessions_of(self, account: int, lifetime: SessionLifetime = LIFETIME) -> Deferred[list[SessionRow]]:
        """The valid sessions of an account, the one used last first."""

    def end_sessions(
        self, account: int, session: int | None = None, *, but: int | None = None, by: Acting | None = None
    ) -> Deferred[list[int]]:
        """Ends one session of the account, or all of them; never that of the number `but`. Returns those ended.

        `by` is None for a log-out, which is not in the operators' log. One actor has `SAME_PER_HOUR` lines an hour.
        """

    def change_password(
        self, account: int, password_hash: str, *, but: int | None = None, by: Acting = THE_ROOM
    ) -> Deferred[list[int]]:
        """Stores a new password and ends all sessions of the account except `but`. Returns those ended.

        All recovery codes of the account are void: a thief who knew the old password may have made them.
        Raises `SessionOver`, and changes nothing, if `but` has ended; LookupError for an unknown account.
        """

    def replace_recovery_codes(
        self, account: int, hashes: Sequence[bytes], *, by: Acting = THE_ROOM
    ) -> Deferred[None]:
        """Stores the hashes of new recovery codes (`recovery_codes`); those that the player had are void.

        Raises LookupError for an unknown account.
        """

    def add_recovery_code(
        self, account: int, code_hash: bytes, valid_s: int, *, by: Acting = THE_ROOM
    ) -> Deferred[None]:
        """Stores the hash of a code of the operator, in place of an earlier one.

        Raises LookupError for an unknown account.
        """

    def recovery_codes_left(self, account: int) -> Deferred[int]:
        """The number of the player's own codes that are not used."""

    def recover_account(
        self, account: int, code_hash: bytes, password_hash: str, *, by: Acting = THE_ROOM
    ) -> Deferred[list[int] | None]:
        """Uses a recovery code, once: stores a new password, and ends all sessions. Returns those ended.

        After a code of the operator all other codes of the account are void. Raises LookupError for an unknown account.
        None, and nothing has changed, without a valid code of this hash.
        """

    def has_recovery_code(self, account: int, code_hash: bytes) -> Deferred[bool]:
        """Whether the account has a valid recovery code of this hash. It is not used up."""

    def use_recovery_code(self, account: int, code_hash: bytes, *, by: Acting = THE_ROOM) -> Deferred[bool]:
        """Uses a recovery code, once. Returns whether there was a valid one of this hash."""

    def second_factor(self, account: int) -> Deferred[SecondFactorRow | None]:
        """The second factor of an account."""

    def begin_second_factor(self, account: int, sealed: bytes, *, by: Acting = THE_ROOM) -> Deferred[bool]:
        """Stores a secret that is not confirmed, in place of an earlier such one.

        Returns False, and changes nothing, if the account has a confirmed one. Raises LookupError for an unknown
        account.
        """

    def use_second_factor(self, account: int, step: int, *, by: Acting = THE_ROOM) -> Deferred[bool]:
        """Notes that the code of this step was used, and confirms the second factor.

        Returns False, and changes nothing, if a code of this or a later step was used.
        """

    def end_second_factor(self, account: int, *, by: Acting = THE_ROOM) -> Deferred[None]:
        """Removes the second factor. Without one it is no error."""

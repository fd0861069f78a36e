"""Decides which operator sends a request to the operations port, and whether the role allows it. No other module does.

    Authorization: Bearer TOKEN        an operator (`pokerroom operator add`)
    a Unix socket                      the room's own user, or root: see `local_socket`
    Authorization: Pokerroom-Node ...  an operator that asked another node of the room: see `node_passes`

A request that names an `Origin`, as browsers do, is answered only for a page of this port, and only with a token.
Knows no page: it checks verbs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Protocol, cast

from twisted.internet import unix
from twisted.internet.address import UNIXAddress
from twisted.internet.defer import Deferred, DeferredSemaphore
from twisted.web.server import Request

from pokerroom.ledger.operators import Operator, OperatorRow, operator_token_hash
from pokerroom.ops.http_answers import host_of
from pokerroom.ops.local_socket import peer
from pokerroom.ops.node_passes import SCHEME, NodePasses, PassRefused
from pokerroom.ops.operator_roles import may, roles_for
from pokerroom.ops.same_origin import is_same_origin

LOOKUPS_MAX: Final = 2
"""[D] Tokens that are looked up at a time: a flood of guesses leaves the ledger's other connections to the tables."""

LOOKUPS_OF_ADDRESS: Final = 8
"""[D] Tokens of one address that are looked up or wait; others are refused at once. So a flood of one address, while
the ledger is slow, shuts no operator out at another."""

LOOKUPS_WAITING_MAX: Final = 64
"""[D] Tokens of all addresses that wait for their look-up. Twisted's semaphore may answer them all inside one call:
with twice as many the stack is exceeded."""


class AccessRefused(Exception):  # noqa: N818 -- an answer to the client, not a fault
    """The request is not answered. `code` is stable; `operator` is None for a stranger."""

    def __init__(self, status: HTTPStatus, code: str, message: str, operator: Operator | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.operator = operator


class TokenLookup(Protocol):
    """The operators' accounts, as this module needs them (`OperatorAccounts`)."""

    def find_operator(self, token_hash: bytes) -> Deferred[OperatorRow | None]:
        """See `OperatorAccounts.find_operator`."""


@dataclass(frozen=True, slots=True)
class Asker:
    """The operator that asks, why and from where. `forwarded`: another node of the room asks, for this operator."""

    operator: Operator
    forwarded: bool = False
    reason: str = ""
    address: str = ""


class OperatorAccess:
    """See the module. `group_of` returns the owner's group of an address; None if it has no bound."""

    def __init__(
        self, tokens: TokenLookup, passes: NodePasses, group_of: Callable[[str], str | None] = str
    ) -> None:
        self._tokens = tokens
        self._passes = passes
        self._group_of = group_of
        self._lookups = DeferredSemaphore(LOOKUPS_MAX)
        self._asked: Counter[str] = Counter()
        """The tokens that are looked up or wait, by group."""

    async def asker(self, request: Request) -> Asker:
        """Return who asks. Raises `AccessRefused`, and `LedgerUnavailable` if a token cannot be looked up."""
        origin = request.getHeader("origin")
        if origin is not None and not is_same_origin(origin, request.getHeader("host") or ""):
            raise AccessRefused(
                HTTPStatus.FORBIDDEN, "origin_refused", "Pages of other sites are not answered here."
            )
        scheme, _, proof = (request.getHeader("authorization") or "").partition(" ")
        if scheme.lower() == "bearer":
            group = self._group_of(host_of(request.getClientAddress()))
            return Asker(await self._of_token(proof.strip(), group))
        if scheme.lower() == SCHEME.lower():
            return Asker(self._of_pass(request, proof.strip()), forwarded=True)
        return Asker(_of_socket(request, is_page=origin is not None))

    @staticmethod
    def check(asker: Asker, verb: str) -> None:
        """Raise `AccessRefused` unless the operator's role has the verb."""
        operator = asker.operator
        if not may(operator, verb):
            raise AccessRefused(
                HTTPStatus.FORBIDDEN,
                "not_permitted",
                f"The role {operator.role.value} may not do {verb}. Ask an operator with the role {roles_for(verb)}.",
                operator,
            )

    async def _of_token(self, token: str, group: str | None) -> Operator:
        too_many = group is not None and self._asked[group] >= LOOKUPS_OF_ADDRESS
        if too_many or len(self._lookups.waiting) >= LOOKUPS_WAITING_MAX:
            raise AccessRefused(
                HTTPStatus.TOO_MANY_REQUESTS,
                "too_many_requests",
                "Too many tokens are looked up. Wait a second.",
            )
        row = await self._looked_up(token, group)
        if row is None:
            raise AccessRefused(
                HTTPStatus.UNAUTHORIZED,
                "token_refused",
                "The token is unknown, expired or revoked. Ask for a new one: pokerroom operator token NAME.",
            )
        return row.operator

    async def _looked_up(self, token: str, group: str | None) -> OperatorRow | None:
        if group is not None:
            self._asked[group] += 1
        try:
            return await self._lookups.run(self._tokens.find_operator, operator_token_hash(token))
        finally:
            if group is not None:
                self._asked -= Counter([group])  # drops a group that has none

    def _of_pass(self, request: Request, text: str) -> Operator:
        try:
            return self._passes.take(text, request.method.decode("latin-1"), request.uri.decode("latin-1"))
        except PassRefused as refused:
            raise AccessRefused(
                HTTPStatus.UNAUTHORIZED, "pass_refused", f"The pass of the other node is refused: {refused}."
            ) from refused


def _of_socket(request: Request, *, is_page: bool) -> Operator:
    """Return the user at the other end of a Unix socket, which is all the proof that it needs.

    A page has no user of this machine: with a proxy in front of the socket, strangers would be that proxy's user.
    """
    if not is_page and isinstance(request.getClientAddress(), UNIXAddress):
        operator = peer(cast("unix.Server", request.channel.transport).getHandle())
        if operator is not None:
            return operator
    raise AccessRefused(
        HTTPStatus.UNAUTHORIZED,
        "token_missing",
        "Send the token of an operator (POKERROOM_OPERATOR_TOKEN). On the room's machine no token is needed: run the"
        " command as the room's user, with the same POKERROOM_DATA_DIR.",
    )

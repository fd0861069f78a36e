"""What operators of each role may do: one table of verbs, each with its roles.

A verb names what an operator asks for: `table.close`, `cashier.approve`. `OperatorPages` checks verbs in one place.
Commands that go to the database check the role of a token, and need none: a person with the database's secret is
`local:USER` with every right.
Knows no port, and of the ledger what an operator is. A player's account is no operator.
"""

from __future__ import annotations

import pwd
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pokerroom.ledger.operators import Operator, Role

DONE: Final = "done"
"""The result of an order that was carried out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorAct:
    """What an operator asked for, from where, and the result: `done`, or the code of a refusal.

    `operator` is None for a stranger; `verb` is empty for a path without a page; a Unix socket has no address.
    """

    operator: Operator | None
    verb: str
    args: Mapping[str, str]
    reason: str
    result: str
    address: str = ""


def local_operator(user: int) -> Operator:
    """Return the operator for the user of this machine that owns the room or its database."""
    try:
        name = pwd.getpwuid(user).pw_name
    except KeyError:
        name = str(user)
    return Operator(f"local:{name}", Role.ADMIN)


_EVERY: Final = frozenset(Role)
_SUPPORT: Final = frozenset({Role.SUPPORT, Role.ADMIN})
_FLOOR: Final = frozenset({Role.FLOOR, Role.ADMIN})
_CASHIER: Final = frozenset({Role.CASHIER, Role.ADMIN})
_ADMIN: Final = frozenset({Role.ADMIN})

VERBS: Final[Mapping[str, frozenset[Role]]] = MappingProxyType({
    "whoami": _EVERY,
    "now": _EVERY,
    "charts": _EVERY,
    "table.list": _EVERY,
    "table.show": _EVERY,
    "table.close": _FLOOR,
    "table.open": _FLOOR,
    "table.freeze": _FLOOR,
    "table.resume": _FLOOR,
    "table.void": _FLOOR,
    "table.void_complete": _ADMIN,  # it drops a result that is decided
    "table.move": _FLOOR,
    "sng.list": _EVERY,
    "sng.show": _EVERY,
    "sng.cancel": _FLOOR,
    "sng.pause": _FLOOR,
    "sng.resume": _FLOOR,
    "sng.roll_back": _FLOOR,
    "sng.roll_forward": _FLOOR,
    "offer.list": _EVERY,
    "offer.show": _EVERY,
    "offer.history": _EVERY,
    "offer.set": _ADMIN,  # a guarantee or a wrong prize costs the house
    "offer.retire": _ADMIN,
    "offer.reset": _ADMIN,
    "webhook.list": _ADMIN,  # a URL may have a password of the receiver
    "webhook.show": _ADMIN,
    "webhook.add": _ADMIN,
    "webhook.remove": _ADMIN,
    "webhook.enable": _ADMIN,
    "webhook.disable": _ADMIN,
    "webhook.test": _ADMIN,
    "webhook.dead": _ADMIN,
    "webhook.retry": _ADMIN,
    "webhook.drop": _ADMIN,
    "wallet.list": _CASHIER,
    "wallet.show": _CASHIER,
    "wallet.retry": _CASHIER,
    "wallet.player": _CASHIER,
    "wallet.link": _ADMIN,  # a player's money at the operator's server goes where the link leads
    "wallet.unlink": _ADMIN,
    "nodes": _EVERY,
    "node.drain": _ADMIN,  # it takes tables again only when it is started again
    "timeouts": _EVERY,
    "account.search": _SUPPORT | _CASHIER,
    "account.show": _SUPPORT | _CASHIER,
    "account.sessions": _SUPPORT,
    "account.history": _SUPPORT | _CASHIER,
    "account.transfers": _SUPPORT | _CASHIER,
    "account.limits": _SUPPORT | _CASHIER,
    "account.notes": _SUPPORT | _CASHIER,
    "account.note": _SUPPORT | _CASHIER,
    "account.mute": _SUPPORT | _FLOOR,
    "account.unmute": _SUPPORT | _FLOOR,
    "account.log_out": _SUPPORT,
    "account.recovery_code": _SUPPORT,
    "account.exclude": _SUPPORT,
    "account.lock": _SUPPORT,
    "account.unlock": _SUPPORT,
    "account.rename": _SUPPORT,
    "account.delete": _ADMIN,
    "club.list": _SUPPORT | _CASHIER | _FLOOR,
    "club.show": _SUPPORT | _CASHIER | _FLOOR,
    "club.transfers": _SUPPORT | _CASHIER | _FLOOR,
    "club.rename": _SUPPORT | _FLOOR,
    "club.end_invitation": _SUPPORT | _FLOOR,
    "club.set_owner": _ADMIN,  # it takes the club from its owner
    "club.close": _ADMIN,  # a closed club is not opened again
    "cashier.sources": _CASHIER,
    "cashier.open": _ADMIN,
    "cashier.close": _ADMIN,
    "cashier.fund": _ADMIN,
    "cashier.list": _CASHIER,
    "cashier.approve": _CASHIER,
    "cashier.refuse": _CASHIER,
    "cashier.deposit": _CASHIER,
    "cashier.withdraw": _CASHIER,
    "cashier.adjust": _CASHIER,
    "cashier.adjustments": _CASHIER,
    "cashier.approve_adjustment": _CASHIER,
    "cashier.refuse_adjustment": _CASHIER,
    "cashier.tickets": _CASHIER,
    "cashier.give_ticket": _CASHIER,
    "cashier.end_ticket": _CASHIER,
    "announcement.list": _EVERY,
    "announcement.add": _FLOOR,
    "announcement.withdraw": _FLOOR,
    "report.activity": _EVERY,
    "report.rake": _CASHIER,
    "report.players": _CASHIER,
    "report.tournaments": _CASHIER,
    "report.events": _ADMIN,  # lines of the operators' log
    "hand": _ADMIN,  # it shows hidden cards
    "history.export": _ADMIN,  # it shows a player's own hidden cards
    "erase": _ADMIN,
    "archive": _ADMIN,
    "statistics.rebuild": _ADMIN,
    "operator.add": _ADMIN,
    "operator.list": _ADMIN,
    "operator.revoke": _ADMIN,
    "operator.token": _ADMIN,
    "operator.log": _ADMIN,
})  # fmt: skip


def may(operator: Operator, verb: str) -> bool:
    """Return whether the operator's role has this verb. A verb that is not declared belongs to no role."""
    return operator.role in VERBS.get(verb, frozenset())


def verbs_of(role: Role) -> tuple[str, ...]:
    """Return the verbs of a role, sorted."""
    return tuple(sorted(verb for verb, roles in VERBS.items() if role in roles))


def roles_for(verb: str) -> str:
    """Return the roles with this verb for a text: `admin or floor`."""
    return " or ".join(sorted(VERBS.get(verb, ())))

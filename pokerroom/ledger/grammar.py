"""The grammar of transfers: what each kind may move, under which key. This table is the one place that says it.

The database refuses another transfer (`postgres.transfer_rules` writes its function from this table), and the audit
finds one that was written past the database.

A key is unique, so what it names happens once: one opening for each account, one prize for each place, one settlement
for each hand. Braces are parts that must agree wherever they stand: the account of a key is that of the wallet. `each`
may be another one in each leg, `entered` is the account of an entry, `random` and `client` are chosen by the room and
by the client. The legs of a kind name either one `account` or many, and at most one table, tournament or source.

A leg is a sign and the code of a ledger account: `-` is debited, `+` credited, `=` either. With `?` it may be missing,
with `*` there may be any number. `purse` is the club of a balance in club chips; `ledger/audit/` compares it with
the table, the sit-and-go or the movement. Amounts that follow from elsewhere are checked there: see `amount`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferKind:
    """A kind of transfer. `amount` says for the reader from what its amounts follow."""

    keys: tuple[str, ...]
    legs: tuple[str, ...]
    amount: str


def _kind(keys: str | tuple[str, ...], legs: str, amount: str) -> TransferKind:
    return TransferKind(
        keys=(keys,) if isinstance(keys, str) else keys, legs=tuple(legs.split()), amount=amount
    )


GRAMMAR: Final[Mapping[str, TransferKind]] = {
    "genesis": _kind("genesis", "-issuer +bank", "the money of the room"),
    "opening": _kind("opening:{account}", "-bank +wallet:{account}", "of the row of the account"),
    "buy_in": _kind(
        "buyin:{random}",
        "-wallet:{account}? -chips:{purse}:{account}? +stack:{table}:{account}",
        "free; begins a stay",
    ),
    "top_up": _kind(
        ("topup:{random}", "topup:{table}:{account}:{client}"),
        "-wallet:{account}? -chips:{purse}:{account}? +stack:{table}:{account}",
        "free; during a stay",
    ),
    "cash_out": _kind(
        "cashout:{random}",
        "-stack:{table}:{account}? +wallet:{account}? +chips:{purse}:{account}?",
        "the whole stack; ends the stay",
    ),
    "hand": _kind("hand:{hand}", "=stack:{table}:{each}* +rake:{table}?", "the hand, played again"),
    "entry": _kind(
        "sng:{tournament}:entry:{account}:{number}",
        "-wallet:{account}? -tickets:{account}? -chips:{purse}:{account}?"
        " +escrow:{tournament}? +bounties:{tournament}?",
        "the buy-in, and of it the bounty; from the wallet, of a ticket, or in chips of the club; none of a free one",
    ),
    "late_entry": _kind(
        "sng:{tournament}:entry:{account}:{number}",
        "-wallet:{account}? -tickets:{account}? +escrow:{tournament} +fees? +bounties:{tournament}?",
        "the buy-in, and of it the fee and the bounty; from the wallet or of a ticket",
    ),
    "rebuy": _kind(
        "sng:{tournament}:rebuy:{account}:{number}",
        "-wallet:{account} +escrow:{tournament} +fees?",
        "the price of a rebuy, and of it the fee",
    ),
    "add_on": _kind(
        "sng:{tournament}:add_on:{account}:{number}",
        "-wallet:{account} +escrow:{tournament} +fees?",
        "the price of the add-on, and of it the fee",
    ),
    "entry_return": _kind(
        "sng:{tournament}:return:{account}:{number}",
        "-escrow:{tournament}? -bounties:{tournament}?"
        " +wallet:{account}? +tickets:{account}? +chips:{purse}:{account}?",
        "the buy-in, from where it came",
    ),
    "fees": _kind("sng:{tournament}:start", "-escrow:{tournament}? +fees?", "the fee of every player"),
    "overlay": _kind(
        "sng:{tournament}:overlay",
        "-bank +escrow:{tournament}",
        "what the guarantee lacks when entries close",
    ),
    "prize": _kind(
        "sng:{tournament}:place:{number}",
        "-escrow:{tournament} +wallet:{account}? +tickets:{account}? +chips:{purse}:{account}?",
        "of the place; a ticket, or money, or both; or chips of the club",
    ),
    "bounty": _kind(
        "sng:{tournament}:bounty:{entered}:{number}",
        "-bounties:{tournament}? +wallet:{each}*",
        "the cash of the head of an entry, to those that knocked it out, or to its own player at the end",
    ),
    "cancellation": _kind(
        "sng:{tournament}:cancel",
        "-escrow:{tournament}? -bounties:{tournament}? +wallet:{each}* +tickets:{each}* +chips:{purse}:{each}*",
        "the buy-in of every entry, from where it came",
    ),
    "roll_back": _kind(
        "sng:{tournament}:roll_back",
        "-escrow:{tournament}? -fees? -bounties:{tournament}? +bank?"
        " +wallet:{each}* +tickets:{each}* +chips:{purse}:{each}*",
        "the buy-in of every entry, the price of every rebuy and add-on; to the bank what it has added",
    ),
    "ticket": _kind(
        "ticket:{account}:{client}",
        "-source:{source} +tickets:{account}",
        "of the ticket that an operator gives; in the operators' log",
    ),
    "ticket_end": _kind(
        "ticket_end:{account}:{number}",
        "-tickets:{account} +wallet:{account}? +source:{source}?",
        "the value of a ticket that pays no entry any more",
    ),
    "meter_seed": _kind("seed:{table}:{number}", "-bank? +meter:{table}?", "up to the seed of the settings"),
    "place": _kind("place:{random}", "", "none"),
    "round_bets": _kind(
        "round:{round}:bets",
        "-wallet:{each}* +stakes:{table} -bank? +house:{table}?",
        "the bets of the round's record; from the bank what the house lacks",
    ),
    "round_play": _kind(
        "round:{round}:play:{number}", "-wallet:{account} +stakes:{table}", "the Play of the box"
    ),
    "round_tip": _kind(
        ("round:{round}:tip:{number}", "round:{round}:tip:{number}:{client}"),
        "-wallet:{account} +stakes:{table}",
        "the tip of the round's record",
    ),
    "round": _kind(
        "round:{round}",
        "+wallet:{each}* -stakes:{table} =house:{table}? =meter:{table}? +tronc?",
        "the round, played again",
    ),
    "round_void": _kind(
        "round:{round}", "+wallet:{each}* -stakes:{table} +tronc?", "what was staked, without tips"
    ),
    "source_fund": _kind("source:{source}:{client}", "-bank +source:{source}", "free; in the operators' log"),
    "deposit": _kind("cash:{account}:{client}:end", "-source:{source} +wallet:{account}", "of the request"),
    "withdrawal": _kind("cash:{account}:{client}", "-wallet:{account} +held", "of the request"),
    "withdrawal_paid": _kind("cash:{account}:{client}:end", "-held +source:{source}", "of the request"),
    "withdrawal_return": _kind("cash:{account}:{client}:end", "-held +wallet:{account}", "of the request"),
    "wallet_debit": _kind("external:{account}:{number}", "-external +wallet:{account}", "of the debit"),
    "wallet_credit": _kind("external:{account}:{number}", "-wallet:{account} +external", "of the credit"),
    "club_issue": _kind(
        "club:{club}:{client}", "-club:{club} +chips:{purse}:{account}", "of the row of the movement"
    ),
    "club_take": _kind(
        "club:{club}:{client}", "+club:{club} -chips:{purse}:{account}", "of the row of the movement"
    ),
    "refill_terms": _kind(
        ("refill_terms:{source}:{below}:{to}:{every_s}:{random}", "refill_terms:none"),
        "",
        "none; the terms of refills from now on. `none`: refills from before the upgrade have none",
    ),
    "host": _kind("host:{table}:{account}:{number}", "", "none; the account is the host from now on"),
    "club_role": _kind("role:{club}:{account}:{role}:{random}", "", "none; the role from now on"),
    "gift": _kind("gift:{table}:{account}:{client}", "=wallet:{each}*", "of the row of the gift"),
    "adjustment": _kind(
        "adjust:{account}:{client}", "=source:{source} =wallet:{account}", "of the adjustment"
    ),
}

PARTS: Final = {
    "account": r"[1-9][0-9]*",
    "each": r"[1-9][0-9]*",
    "entered": r"[1-9][0-9]*",
    "number": r"[0-9]+",
    "club": r"[a-z0-9]+",
    "purse": r"[a-z0-9]+",
    "below": r"[0-9]+",
    "to": r"[0-9]+",
    "every_s": r"[0-9]+",
    "random": r"[0-9a-f]{32}",
    "role": r"[a-z]+",
    "source": r"[a-z0-9_-]+",
}
"""What stands in braces, in a form that PostgreSQL reads, too."""

ANY_TEXT: Final = r"[^\n]+"
"""What every other part is."""

BRACES: Final = re.compile(r"\{(\w+)\}")

_SIGNS: Final = {"-": (-1,), "+": (1,), "=": (-1, 1)}


class _Leg:
    """A leg of the table, ready to be compared."""

    def __init__(self, text: str) -> None:
        self.signs = _SIGNS[text[0]]
        self.is_many = text.endswith("*")
        self.may_be_missing = text[-1] in "?*"
        self.code = _pattern(text[1:].rstrip("?*"))

    def bound(self, code: str, amount: int, known: Mapping[str, str]) -> dict[str, str] | None:
        """Return the parts of this code; None if it is another leg."""
        found = self.code.fullmatch(code)
        if found is None or (amount > 0) - (amount < 0) not in self.signs:
            return None
        parts = {name: text for name, text in found.groupdict().items() if name != "each"}
        return parts if all(known.get(name, text) == text for name, text in parts.items()) else None


def _pattern(template: str) -> re.Pattern[str]:
    """Return the pattern of a template of the table."""
    pieces = BRACES.split(template)
    literal = [re.escape(piece) for piece in pieces[::2]]
    names = [f"(?P<{name}>{PARTS.get(name, ANY_TEXT)})" for name in pieces[1::2]]
    return re.compile("".join(a + b for a, b in zip(literal, [*names, ""], strict=True)))


_KEYS: Final = {kind: [_pattern(key) for key in what.keys] for kind, what in GRAMMAR.items()}
_LEGS: Final = {kind: [_Leg(leg) for leg in what.legs] for kind, what in GRAMMAR.items()}


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a transfer names: the parts of its key and legs. `differences` are sentences without the transfer."""

    parts: Mapping[str, str]
    differences: Sequence[str]


def parse(kind: str, key: str, legs: Mapping[str, int], known: Mapping[str, str]) -> Parsed:
    """Compare a transfer with its kind. `known` are parts that are known from elsewhere, as the table of a hand."""
    if kind not in GRAMMAR:
        return Parsed({}, (f"is of the unknown kind {kind}",))
    parts = dict(known)
    found = next((match for match in (key_of.fullmatch(key) for key_of in _KEYS[kind]) if match), None)
    if found is None:
        return Parsed(parts, (f"has a key that no {kind} has",))
    if any(parts.setdefault(name, text) != text for name, text in found.groupdict().items()):
        return Parsed(parts, ("has a key that names something else",))
    missing = [leg for leg in _LEGS[kind] if not leg.may_be_missing]
    left = list(_LEGS[kind])
    wrong = []
    for code, amount in legs.items():
        for leg in left:
            bound = leg.bound(code, amount, parts)
            if bound is not None:
                parts |= bound
                break
        else:
            wrong.append(f"moves {amount} of {code}, which a {kind} under its key does not")
            continue
        if not leg.is_many:
            left.remove(leg)
        if leg in missing:
            missing.remove(leg)
    if missing and not wrong:
        wrong.append(f"lacks a leg that a {kind} has")
    return Parsed(parts, tuple(wrong))

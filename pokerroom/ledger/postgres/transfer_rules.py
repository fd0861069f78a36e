"""Writes the function of the database that refuses a transfer which `ledger.grammar` does not allow.

`transfer_fits(kind, key, legs, account, place)` compares a transfer with its kind. `legs` are its legs, each as a sign,
the first word of its ledger account and a space, in the order of the words; behind them `accounts` if they are of
several players, and `places` if they are of several tables, tournaments or sources. `account` and `place` are the one
of all legs, or null.
"""

from __future__ import annotations

import re
from typing import Final

from pokerroom.ledger.grammar import ANY_TEXT, BRACES, GRAMMAR, PARTS, TransferKind

_FREQUENT: Final = ("hand", "buy_in", "cash_out", "top_up")
"""The kinds of most transfers. Kinds are compared one after the other."""
_PLACES: Final = frozenset({"table", "tournament", "source", "club"})

_HEAD: Final = """\
-- Whether the grammar of transfers allows a transfer. See `ledger/postgres/transfer_rules.py`, which writes this.
-- Each kind has a statement of its own: PostgreSQL prepares an expression again in each transaction, and one of all
-- kinds took a fifth of the time of a hand that comes alone.
CREATE OR REPLACE FUNCTION transfer_fits(kind text, key text, legs text, account bigint, place text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE AS $rules$
BEGIN
    CASE kind
"""

_TAIL: Final = """\
        ELSE RETURN false;
    END CASE;
END $rules$;
"""


def transfer_rules() -> bytes:
    """Return the definition of the function."""
    in_order = {**{kind: GRAMMAR[kind] for kind in _FREQUENT}, **GRAMMAR}
    lines = [f"        WHEN '{kind}' THEN RETURN {_rule(what)};\n" for kind, what in in_order.items()]
    return (_HEAD + "".join(lines) + _TAIL).encode()


def _rule(what: TransferKind) -> str:
    """Return the condition for a transfer of this kind."""
    bound = {part for leg in what.legs for part in BRACES.findall(leg)}
    keys = " OR ".join(_key(key, bound) for key in what.keys)
    return f"legs ~ '{_legs(what)}'\n            AND ({keys})"


def _legs(what: TransferKind) -> str:
    """Return the pattern of the legs. Raises ValueError for a kind that this form of the legs does not tell."""
    bound = {part for leg in what.legs for part in BRACES.findall(leg)}
    words = sorted((_word(leg), leg) for leg in what.legs)
    if (
        len({word for word, _ in words}) < len(words)
        or len(bound & _PLACES) > 1
        or {"account", "each"} <= bound
    ):
        raise ValueError(f"two legs of {what} cannot be told apart")
    pattern = ""
    for word, leg in words:
        sign = {"-": "-", "+": "[+]", "=": "[+-]"}[leg[0]]
        many = leg[-1] if leg[-1] in "?*" else ""
        pattern += f"({sign}{re.escape(word)} ){many}"
    return f"^{pattern}{'(accounts )?' if 'each' in bound else ''}$"


def _word(leg: str) -> str:
    """Return the first word of a leg's ledger account, with a colon if more follows."""
    name, colon, _ = leg[1:].rstrip("?*").partition(":")
    return name + colon


def _key(template: str, bound: set[str]) -> str:
    """Return the condition for a key: with what the legs name, as far as they name it."""
    pieces = BRACES.split(template)  # texts and parts in turn
    shape = "".join(_shape(piece) if n % 2 else piece for n, piece in enumerate(pieces))
    named = [n for n in range(1, len(pieces), 2) if pieces[n] in bound]
    if not named:
        return f"key ~ '^{shape}$'"
    end = named[-1] + 2
    if named != list(range(1, end - 1, 2)):
        raise ValueError(f"the key {template} has another part before one that its legs name")
    names = {part: "place" if part in _PLACES else part for part in bound}
    begin = " || ".join(
        names[piece] if n % 2 else f"'{piece}'" for n, piece in enumerate(pieces[:end]) if piece
    )
    rest = "".join(_shape(piece) if n % 2 else piece for n, piece in enumerate(pieces[end:], 1))
    exact = (
        f"starts_with(key, {begin}) AND substr(key, length({begin}) + 1) ~ '^{rest}$'"
        if rest
        else f"key = {begin}"
    )
    return f"coalesce({exact}, key ~ '^{shape}$')"


def _shape(part: str) -> str:
    return PARTS.get(part, ANY_TEXT)

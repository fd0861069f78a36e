"""A fingerprint of settings that all nodes of a room must share, the same in neighbouring versions of the program.

A later version may add a setting: as long as it has the value that it has where it is not written, it does not count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from typing import Any

from pokerroom.ops.config_reader import UNWRITTEN


def fingerprint(*parts: object) -> str:
    """Return 32 hexadecimal digits for dataclasses, and for what is made of them, collections and plain values."""
    return hashlib.sha256(repr([_plain(part) for part in parts]).encode()).hexdigest()[:32]


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        named = ((one.name, getattr(value, one.name), one) for one in fields(value))
        told = sorted((name, _plain(found)) for name, found, one in named if found != _default(one))
        return type(value).__name__, told
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, Mapping):
        return sorted((repr(_plain(key)), _plain(found)) for key, found in value.items())
    if isinstance(value, frozenset | set):
        return sorted(repr(_plain(one)) for one in value)
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [_plain(one) for one in value]
    return value


def _default(field: Field[Any]) -> object:
    """Return what a field is where it is not written; `MISSING`, which equals nothing, if it must be written."""
    if UNWRITTEN in field.metadata:
        return field.metadata[UNWRITTEN]
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default

"""JSON Schemas of message classes and their parts, and the meaning of a field in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

__all__ = ["described_schemas", "meaning"]


def described_schemas(kinds: Iterable[Any], ref_template: str) -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas of the classes and their parts, by class name."""
    _, definitions = msgspec.json.schema_components(kinds, ref_template=ref_template)
    return dict(sorted(definitions.items()))


def meaning(schema: dict[str, Any]) -> str:
    """Return the description of a field's schema, also an inner one; empty if it has none."""
    described = [schema, *schema.get("anyOf", []), schema.get("items", {})]
    texts = (option.get("description") for option in described)
    return next((text for text in texts if text), "")

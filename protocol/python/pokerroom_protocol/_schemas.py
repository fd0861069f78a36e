"""JSON Schemas of message classes and their parts, and the meaning of a field in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

__all__ = ["described_schemas", "meaning"]


def described_schemas(kinds: Iterable[Any], ref_template: str) -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas of the classes and their parts, by class name."""
    _, definitions = msgspec.json.schema_components(kinds, ref_template=ref_template)
    return {name: _plain_patterns(schema) for name, schema in sorted(definitions.items())}


def _plain_patterns(part: Any) -> Any:
    """Return the schema without look-aheads: a `$` of JSON Schema matches at the end only, and RE2 knows none."""
    if isinstance(part, dict):
        plain = {key: _plain_patterns(value) for key, value in part.items()}
        if isinstance(pattern := plain.get("pattern"), str):
            plain["pattern"] = pattern.removesuffix(r"(?!\n)")
        return plain
    return [_plain_patterns(each) for each in part] if isinstance(part, list) else part


def meaning(schema: dict[str, Any]) -> str:
    """Return the description of a field's schema, also an inner one; empty if it has none."""
    described = [schema, *schema.get("anyOf", []), schema.get("items", {})]
    texts = (option.get("description") for option in described)
    return next((text for text in texts if text), "")

"""Writes what is derived from the message classes: the JSON Schema, the vectors, the reference part of the README.

    python -m pokerroom_protocol.schema            writes the files
    python -m pokerroom_protocol.schema --check    writes nothing; exits 1 with a diff when a file is not current

It works on a checkout, found from this file's place in it: an installed wheel has nothing to write to.
"""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, get_args

import msgspec

from ._examples import CLIENT_EXAMPLES, MALFORMED_JSON, MALFORMED_MSGPACK, SERVER_EXAMPLES
from ._reference import with_reference
from .codec import Encoding, encode
from .messages import PROTOCOL_VERSION, ClientMessage, ServerMessage

__all__ = ["NotACheckoutError", "derived_files", "main", "protocol_schema"]

README: Final = "README.md"
_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"


class NotACheckoutError(Exception):
    """Raised when the package does not lie in a checkout, so that there are no files to write or check."""


def protocol_schema() -> dict[str, Any]:
    """All messages as one JSON Schema: `ClientMessage`, `ServerMessage` and one definition per class."""
    client, server = get_args(ClientMessage), get_args(ServerMessage)
    _, definitions = msgspec.json.schema_components((*client, *server), ref_template="#/$defs/{name}")
    return {
        "$schema": _DRAFT,
        "title": f"pokerroom protocol v{PROTOCOL_VERSION}",
        "description": "Generated from the message classes by `python -m pokerroom_protocol.schema`.",
        "anyOf": [{"$ref": "#/$defs/ClientMessage"}, {"$ref": "#/$defs/ServerMessage"}],
        "$defs": {
            "ClientMessage": _one_of(client),
            "ServerMessage": _one_of(server),
            **dict(sorted(definitions.items())),
        },
    }


def derived_files(protocol: Path) -> dict[Path, str]:
    """Path and content of every derived file under `protocol/`."""
    readme = protocol / README
    transcripts = {
        part: (protocol / "transcripts" / f"{name}.jsonl").read_text(encoding="utf-8")
        for part, name in (("transcript", "one_hand"), ("round transcript", "one_round"))
    }
    schema = protocol_schema()
    return {
        protocol / "schema" / f"protocol.v{PROTOCOL_VERSION}.json": _pretty(schema),
        protocol / "vectors" / "client.json": _vectors(CLIENT_EXAMPLES),
        protocol / "vectors" / "server.json": _vectors(SERVER_EXAMPLES),
        protocol / "vectors" / "malformed.json": _malformed(),
        readme: with_reference(readme.read_text(encoding="utf-8"), schema["$defs"], transcripts),
    }


def main(arguments: list[str]) -> int:
    """The command; returns its exit code."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: python -m pokerroom_protocol.schema [--check]\n")
        return 2
    try:
        files = derived_files(_protocol_directory())
    except NotACheckoutError as failure:
        sys.stderr.write(f"{failure}\n")
        return 2
    stale = {path: text for path, text in files.items() if _content(path) != text}
    if arguments:
        for path, text in stale.items():
            sys.stdout.writelines(_difference(path, text))
        if stale:
            sys.stderr.write("Not current; run: python -m pokerroom_protocol.schema\n")
        return 1 if stale else 0
    for path, text in stale.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote {path}\n")
    return 0


def _protocol_directory() -> Path:
    protocol = Path(__file__).resolve().parents[2]
    if not (protocol / README).is_file() or not (protocol / "transcripts").is_dir():
        raise NotACheckoutError(
            f"{Path(__file__).parent} is not inside a checkout of pokerroom (no protocol/README.md above it): "
            "there is nothing to write or check here."
        )
    return protocol


def _one_of(classes: Iterable[type]) -> dict[str, Any]:
    names = {str(kind.__struct_config__.tag): kind.__name__ for kind in classes}  # type: ignore[attr-defined] # Structs
    mapping = {tag: f"#/$defs/{name}" for tag, name in names.items()}
    return {
        "oneOf": [{"$ref": reference} for reference in mapping.values()],
        "discriminator": {"propertyName": "type", "mapping": mapping},
    }


def _vectors(examples: Iterable[msgspec.Struct]) -> str:
    return _pretty(
        [
            {
                "type": example.__struct_config__.tag,
                "json": msgspec.to_builtins(example),
                "msgpack": encode(example, Encoding.MSGPACK).hex(),
            }
            for example in examples
        ]
    )


def _malformed() -> str:
    return _pretty(
        [
            {"why": why, "encoding": encoding, "hex": body.hex(), "code": code, "re": request_id}
            for encoding, inputs in ((Encoding.MSGPACK, MALFORMED_MSGPACK), (Encoding.JSON, MALFORMED_JSON))
            for why, body, code, request_id in inputs
        ]
    )


def _pretty(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _content(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def _difference(path: Path, text: str) -> list[str]:
    before = (_content(path) or "").splitlines(keepends=True)
    return list(difflib.unified_diff(before, text.splitlines(keepends=True), str(path), "generated"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

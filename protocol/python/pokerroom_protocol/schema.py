"""Write the files derived from the message classes: JSON Schema, AsyncAPI, vectors, the reference; and the examples
on the front page.

    python -m pokerroom_protocol.schema            writes the files
    python -m pokerroom_protocol.schema --check    writes nothing; exits with 1 and a diff if a file is out of date

It works in a checkout, found by the location of this file. An installed wheel has no files to write.
"""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, get_args

import msgspec

from ._asyncapi import asyncapi_document
from ._declarations import EXAMPLES, REQUESTS
from ._malformed import MALFORMED_JSON, MALFORMED_MSGPACK
from ._reference import reference, with_examples
from ._schemas import described_schemas
from .codec import Encoding, encode
from .messages import PROTOCOL_VERSION, ClientMessage, ServerMessage

__all__ = ["NotACheckoutError", "derived_files", "main", "protocol_schema"]

README: Final = "README.md"
_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"


class NotACheckoutError(Exception):
    """Raised outside a checkout, where there are no files to write or check."""


def protocol_schema() -> dict[str, Any]:
    """Return all messages as one JSON Schema: `ClientMessage`, `ServerMessage` and one definition per class."""
    client, server = get_args(ClientMessage), get_args(ServerMessage)
    return {
        "$schema": _DRAFT,
        "title": f"pokerroom protocol v{PROTOCOL_VERSION}",
        "description": "Generated from the message classes by `python -m pokerroom_protocol.schema`.",
        "anyOf": [{"$ref": "#/$defs/ClientMessage"}, {"$ref": "#/$defs/ServerMessage"}],
        "$defs": {
            "ClientMessage": {"title": "ClientMessage", **_one_of(client)},
            "ServerMessage": {"title": "ServerMessage", **_one_of(server)},
            **described_schemas((*client, *server), "#/$defs/{name}", requests=client),
        },
    }


def derived_files(protocol: Path) -> dict[Path, str]:
    """Return path and content of every derived file under `protocol/`."""
    readme = protocol / README
    front_page = readme.read_text(encoding="utf-8")
    examples = {
        path.name: path.read_text(encoding="utf-8") for path in sorted((protocol / "examples").iterdir())
    }
    asyncapi = asyncapi_document(EXAMPLES, REQUESTS)
    schema = protocol_schema()
    return {
        protocol / "schema" / f"protocol.v{PROTOCOL_VERSION}.json": _pretty(schema),
        protocol / "schema" / f"asyncapi.v{PROTOCOL_VERSION}.json": _pretty(asyncapi),
        protocol / "vectors" / "client.json": _vectors(ClientMessage),
        protocol / "vectors" / "server.json": _vectors(ServerMessage),
        protocol / "vectors" / "malformed.json": _malformed(),
        protocol / "reference.md": reference(schema["$defs"]),
        readme: with_examples(front_page, examples),
    }


def main(arguments: list[str]) -> int:
    """Run the command; return its exit code."""
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
            sys.stderr.write("Files are out of date. Run: python -m pokerroom_protocol.schema\n")
        return 1 if stale else 0
    for path, text in stale.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote {path}\n")
    return 0


def _protocol_directory() -> Path:
    protocol = Path(__file__).resolve().parents[2]
    if not (protocol / README).is_file() or not (protocol / "examples").is_dir():
        raise NotACheckoutError(
            f"{Path(__file__).parent} is not inside a checkout of pokerroom (no protocol/README.md above it). "
            "Run this command in a checkout."
        )
    return protocol


def _one_of(classes: Iterable[type]) -> dict[str, Any]:
    names = {str(kind.__struct_config__.tag): kind.__name__ for kind in classes}  # type: ignore[attr-defined] # Structs
    mapping = {tag: f"#/$defs/{name}" for tag, name in names.items()}
    return {
        "oneOf": [{"$ref": reference} for reference in mapping.values()],
        "discriminator": {"propertyName": "type", "mapping": mapping},
    }


def _vectors(union: object) -> str:
    return _pretty(
        [
            {
                "type": example.__struct_config__.tag,
                "json": msgspec.to_builtins(example),
                "msgpack": encode(example, Encoding.MSGPACK).hex(),
            }
            for kind in get_args(union)
            for example in EXAMPLES[kind]
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

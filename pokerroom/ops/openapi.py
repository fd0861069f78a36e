"""The operator API as an OpenAPI 3.1 document, made of its declarations in `operator_api`."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

import msgspec

from pokerroom.ops.api_page import NUMBER_MAX, REASON, ApiPage
from pokerroom.ops.http_answers import HttpAnswer
from pokerroom.ops.operator_api import PAGES
from pokerroom.ops.operator_commands import API
from pokerroom.ops.operator_roles import VERBS
from pokerroom.ops.order_keys import HEADER, KEY_PATTERN
from pokerroom.ops.parameter import Parameter
from pokerroom.ops.reports import OperatorRefusal

PATH: Final = f"{API}/openapi.json"
"""Where the document is. It is the same in every room of a version, and needs no token."""

_REFERENCE: Final = "#/components/schemas/{name}"

_REFUSALS: Final = {
    HTTPStatus.BAD_REQUEST: "A parameter is malformed. Nothing is done.",
    HTTPStatus.UNAUTHORIZED: "The token is missing, unknown, expired or revoked. Nothing is done.",
    HTTPStatus.FORBIDDEN: "The role lacks the verb, or the request comes from a page elsewhere. Nothing is done.",
    HTTPStatus.TOO_MANY_REQUESTS: "This address asks too often. Nothing is done.",
    HTTPStatus.SERVICE_UNAVAILABLE: "PostgreSQL does not answer. Ask again.",
}
_REFUSALS_OF_ORDERS: Final = {
    HTTPStatus.CONFLICT: "The room refuses, and nothing changes. `code` says why.",
    HTTPStatus.BAD_GATEWAY: "Another node did not answer, but may have carried the order out.",
}
_UNKNOWN: Final = {HTTPStatus.NOT_FOUND: "There is nothing of this name or number."}

_KEY: Final = {
    "name": HEADER,
    "in": "header",
    "description": "The order is carried out once for each key of an operator. The same request with the same key gets"
    " the same answer, also from another node. Keys of orders that move money are kept for ever, others for 24 hours.",
    "schema": {"type": "string", "pattern": f"^{KEY_PATTERN}$"},
}


def document() -> bytes:
    """Return the document as JSON."""
    pages = PAGES
    schemas, components = msgspec.json.schema_components(
        [OperatorRefusal, *(page.answer for page in pages)], ref_template=_REFERENCE
    )
    refusal, answers = schemas[0], schemas[1:]
    paths = {
        API + page.path: _path(page, answer, refusal) for page, answer in zip(pages, answers, strict=True)
    }
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {
                "title": "pokerroom operator API",
                "version": API.strip("/"),
                "description": "Queries and orders of operators, at the operations port of any node. An error has a"
                " stable `code`. Times are Unix milliseconds; amounts are integers in the smallest unit. No answer"
                " shows a card.",
            },
            "security": [{"token": []}],
            "paths": paths,
            "components": {
                "schemas": components,
                "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            },
        }
    )


def _path(page: ApiPage, answer: dict[str, Any], refusal: dict[str, Any]) -> dict[str, Any]:
    chosen = [part.strip("{}") for part in page.path.split("/") if part.startswith("{")]
    summary, _, more = page.help.partition("\n")
    refusals = _REFUSALS | (_REFUSALS_OF_ORDERS if page.is_order else {}) | (_UNKNOWN if chosen else {})
    operation = {
        "operationId": page.operation,
        "summary": summary,
        "description": more.strip(),
        "tags": [page.path.split("/")[1]],
        "parameters": [
            *({"name": name, "in": "path", "required": True, "schema": _of_path(name)} for name in chosen),
            *(_of_query(parameter) for parameter in page.parameters),
            *([_of_query(REASON), _KEY] if page.is_order else []),
        ],
        "responses": {
            str(int(page.status)): {
                "description": "Done." if page.is_order else "The answer.",
                "content": _content(page, answer),
            },
            **{
                str(int(status)): {"description": text, **_json(refusal)}
                for status, text in sorted(refusals.items())
            },
        },
        "x-verb": page.verb,
        "x-roles": sorted(VERBS[page.verb]),
    }
    return {"post" if page.is_order else "get": operation}


def _content(page: ApiPage, answer: dict[str, Any]) -> dict[str, Any]:
    as_csv = {"text/csv": {"schema": {"type": "string"}}} if page.has_csv else {}
    return {"application/json": {"schema": answer}, **as_csv}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


def _of_path(name: str) -> dict[str, Any]:
    if name == "number":
        return {"type": "integer", "minimum": 1, "maximum": NUMBER_MAX}
    return {"type": "string", "minLength": 1}


def _of_query(parameter: Parameter) -> dict[str, Any]:
    schema: dict[str, Any]
    if parameter.most:
        schema = {"type": "integer", "minimum": 1, "maximum": parameter.most}
    elif parameter.longest:
        schema = {"type": "string", "maxLength": parameter.longest}
    else:
        schema = {"type": "string", "const": "1"}
    return {"name": parameter.name, "in": "query", "description": parameter.help, "schema": schema}


ANSWER: Final = HttpAnswer(status=HTTPStatus.OK, content_type="application/json", body=document())
"""The document as it is served."""

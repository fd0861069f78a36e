"""Hypothesis strategies for every message class, made from the classes' own types and bounds."""

from __future__ import annotations

from functools import cache, partial
from typing import Any, get_args

import msgspec
from hypothesis import reject
from hypothesis import strategies as st
from msgspec import inspect

from pokerroom_protocol.messages import ClientMessage, ServerMessage

INTEGER_MAX = 2**53 - 1


@cache  # three modules ask for all messages, and some ask at every example
def of_class(message_class: type) -> st.SearchStrategy[Any]:
    return _of_type(inspect.type_info(message_class))


def client_messages() -> st.SearchStrategy[Any]:
    return st.one_of([of_class(kind) for kind in get_args(ClientMessage)])


def server_messages() -> st.SearchStrategy[Any]:
    return st.one_of([of_class(kind) for kind in get_args(ServerMessage)])


def _of_type(info: inspect.Type) -> st.SearchStrategy[Any]:
    match info:
        case inspect.Metadata():
            return _of_type(info.type)
        case inspect.StructType():
            fields = {field.name: _of_type(field.type) for field in info.fields}
            return st.builds(partial(_built, info.cls), **fields)
        case inspect.UnionType():
            return st.one_of([_of_type(each) for each in info.types])
        case inspect.ListType():
            return st.lists(_of_type(info.item_type), min_size=info.min_length or 0, max_size=4)
        case inspect.LiteralType():
            return st.sampled_from(list(info.values))
        case inspect.NoneType():
            return st.none()
        case inspect.BoolType():
            return st.booleans()
        case inspect.IntType():
            low = -INTEGER_MAX if info.ge is None else info.ge
            return st.integers(low, INTEGER_MAX if info.le is None else info.le)
        case inspect.StrType():
            return _text(info)
    raise AssertionError(f"no strategy for {info}")


def _built(kind: type, /, **fields: Any) -> Any:
    try:
        return kind(**fields)
    except ValueError:  # beyond the bounds of single fields: a month of the calendar
        reject()


def _text(info: inspect.StrType) -> st.SearchStrategy[str]:
    low, high = info.min_length or 0, info.max_length
    if info.pattern is None:
        return st.text(min_size=low, max_size=high)
    pattern = info.pattern.removesuffix(r"(?!\n)").removesuffix("$").removeprefix("^")
    return st.from_regex(pattern, fullmatch=True).filter(lambda text: low <= len(text) <= (high or 99))


def plain_values() -> st.SearchStrategy[Any]:
    """What a stranger may put into a frame: any value of msgpack, NaN and huge integers included."""
    scalars = (
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**64 - 1)
        | st.floats()
        | st.text(max_size=10)
        | st.binary(max_size=10)
    )
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
        max_leaves=12,
    )


def field_names() -> list[str]:
    """Names of fields that some request has."""
    return sorted({field.name for kind in get_args(ClientMessage) for field in msgspec.structs.fields(kind)})

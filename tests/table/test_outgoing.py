"""Messages made of bytes that another node has made: they reach every client as those made here do."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerroom.table import outgoing
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding
from tests.protocol.strategies import server_messages

SAID = [wire.ChatSaid(table="t1", seq=number, name="ann", text=f"line {number}") for number in (1, 2, 3)]


def wrap(body: bytes) -> bytes:
    return b"<" + body + b">"


@given(st.lists(server_messages(), min_size=1, max_size=4))
def test_what_came_in_bytes_is_the_same_on_every_wire(messages):
    """The same frames over TCP, the same bodies in both encodings, the same messages."""
    made = Bundle(Outgoing(message) for message in messages)
    came = Bundle(None, made.framed())

    for encoding in Encoding:
        assert came.wrapped(encoding, wrap) == made.wrapped(encoding, wrap)
    assert came.framed() == made.framed()
    assert [part.message for part in came.parts] == messages


@pytest.mark.parametrize("encoding", [None, Encoding.MSGPACK])
def test_clients_that_read_msgpack_cost_no_decoding(encoding):
    """Over TCP and in binary WebSocket messages the bytes go on as they came."""
    came = Bundle(None, Bundle(Outgoing(message) for message in SAID).framed())

    with (
        mock.patch.object(outgoing, "decode_server", side_effect=AssertionError),
        mock.patch.object(outgoing, "encode", side_effect=AssertionError),
    ):
        told = came.framed() if encoding is None else came.wrapped(encoding, wrap)

    assert told.count(b"chat_said") == 3


def test_a_repr_shows_kinds_alone():
    """The fields may hold cards."""
    came = Bundle(None, Bundle(Outgoing(message) for message in SAID[:1]).framed())

    assert repr(came) == "<Bundle (<Outgoing ChatSaid>,)>"


def test_each_form_is_made_once_for_all_clients():
    """A table of ten sends one message to ten connections."""
    made = Outgoing(SAID[0])
    forms = [lambda: made.body(Encoding.MSGPACK), lambda: made.body(Encoding.JSON), made.framed]
    forms += [lambda encoding=encoding: made.wrapped(encoding, wrap) for encoding in Encoding]
    bundle = Bundle(Outgoing(message) for message in SAID)
    forms += [bundle.framed, lambda: bundle.wrapped(Encoding.MSGPACK, wrap)]

    assert all(form() is form() for form in forms)

"""Framing: bodies come out as they went in, however the stream is cut, and a large one is refused at its header."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerroom_protocol import FrameReader, FrameTooLarge, frame


@given(st.lists(st.binary(max_size=50), max_size=10), st.data())
def test_bodies_survive_any_chunking(bodies, data):
    """The same bodies in the same order, whatever pieces the stream arrives in."""
    stream = b"".join(frame(body) for body in bodies)
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=12).map(sorted))
    reader = FrameReader(50)

    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    received = [body for piece in pieces for body in reader.feed(piece)]

    assert bodies == received


def test_byte_by_byte():
    """A frame is complete with its last byte, not before."""
    reader = FrameReader(10)
    stream = frame(b"abc")

    assert [reader.feed(stream[at : at + 1]) for at in range(6)] == [[]] * 6
    assert reader.feed(stream[6:]) == [b"abc"]


def test_a_reader_is_empty_when_nothing_waits_in_it():
    """Neither the next frame, when only one was asked for, nor the beginning of one."""
    reader = FrameReader(10)
    reader.feed(frame(b"one") + frame(b"two"), 1)
    waits = [reader.is_empty]
    for piece in (b"", frame(b"three")[:5], frame(b"three")[5:]):
        reader.feed(piece)
        waits.append(reader.is_empty)

    assert waits == [False, True, False, True]


def test_an_empty_body_is_a_frame():
    """Framing has no opinion on content; the codec refuses it."""
    assert FrameReader(10).feed(frame(b"") + frame(b"")) == [b"", b""]


def test_a_large_frame_is_refused_at_its_header():
    """The header suffices; what came whole before it is handed over, and the reader stays refused."""
    reader = FrameReader(10)

    with pytest.raises(FrameTooLarge) as caught:
        reader.feed(frame(b"first") + (11).to_bytes(4, "big"))

    assert caught.value.frames == [b"first"]
    assert caught.value.length == 11
    with pytest.raises(FrameTooLarge):
        reader.feed(frame(b"later"))


def test_a_frame_of_exactly_the_limit_is_taken():
    """The limit itself is allowed."""
    assert FrameReader(10).feed(frame(b"x" * 10)) == [b"x" * 10]


@pytest.mark.parametrize("limit", [0, -1, 2**32])
def test_a_senseless_limit_is_a_mistake_of_ours(limit):
    """The reader cannot be made without a sensible limit."""
    with pytest.raises(ValueError, match="frame_bytes_max"):
        FrameReader(limit)

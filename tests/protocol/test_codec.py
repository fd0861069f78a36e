"""The codec: what is a message comes back equal, what is none is refused with a code and gives nothing away."""

from __future__ import annotations

import json
from typing import get_args

import msgpack
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerroom_protocol import (
    Code,
    CodecError,
    Encoding,
    decode_map,
    decode_request,
    decode_server,
    encode,
)
from pokerroom_protocol.messages import Act, ClientMessage, LogIn, Ok, Ping, ServerMessage
from tests.protocol import strategies

encodings = st.sampled_from(Encoding)
SECRET = 7_654_321_987
ACT = {"id": 1, "table": "t", "hand_id": "h", "seq": 1, "action": "call", "amount": None}
CLIENT_TYPES = [kind.__struct_config__.tag for kind in get_args(ClientMessage)]


@given(strategies.client_messages(), encodings)
def test_every_request_comes_back_equal(message, encoding):
    """A request of any content within its bounds is the same after encoding and decoding."""
    assert message == decode_request(encode(message, encoding), encoding)


@given(strategies.server_messages(), encodings)
def test_every_server_message_comes_back_equal(message, encoding):
    """A server message of any content within its bounds is the same after encoding and decoding."""
    assert message == decode_server(encode(message, encoding), encoding)


@given(strategies.server_messages(), encodings)
def test_decode_map_reads_the_fields_unchecked(message, encoding):
    """The first step alone gives the message as a map, `type` included."""
    expected = {"type": message.__struct_config__.tag, **json.loads(msgspec.json.encode(message))}

    assert expected == decode_map(encode(message, encoding), encoding)


@given(st.binary(max_size=60), encodings)
def test_any_bytes_give_a_message_or_a_codec_error(body, encoding):
    """Whatever bytes come, nothing but `CodecError` is raised."""
    for decode in (decode_request, decode_server, decode_map):
        try:
            decode(body, encoding)
        except CodecError as error:
            code = error.code
        else:
            continue
        assert code in {Code.BAD_ENCODING, Code.BAD_MESSAGE, Code.UNKNOWN_MESSAGE}


@given(strategies.client_messages(), encodings, st.data())
def test_a_damaged_request_gives_a_message_or_a_codec_error(message, encoding, data):
    """A request with one byte changed, inserted or cut off raises nothing but `CodecError`."""
    body = bytearray(encode(message, encoding))
    at = data.draw(st.integers(0, len(body) - 1))
    match data.draw(st.sampled_from(["change", "insert", "cut"])):
        case "change":
            body[at] = data.draw(st.integers(0, 255))
        case "insert":
            body.insert(at, data.draw(st.integers(0, 255)))
        case "cut":
            del body[at:]
    try:
        decoded = decode_request(bytes(body), encoding)
    except CodecError:
        return
    assert decoded == decode_request(encode(decoded, encoding), encoding)


@given(
    st.dictionaries(
        st.sampled_from([*strategies.field_names(), "other"]), strategies.plain_values(), max_size=6
    ),
    st.sampled_from(CLIENT_TYPES),
)
def test_any_fields_give_a_message_or_a_codec_error(fields, kind):
    """A map of any values under a known type raises nothing but `CodecError`."""
    try:
        message = decode_request(msgpack.packb({**fields, "type": kind}), Encoding.MSGPACK)
    except CodecError:
        return
    assert kind == message.__struct_config__.tag


@pytest.mark.parametrize("encoding", Encoding)
@pytest.mark.parametrize("password", [SECRET, [str(SECRET)], {str(SECRET): 1}, "x" * 129, "short-7"])
def test_a_refusal_never_repeats_a_password(encoding, password):
    """A password of a wrong type or length does not come back in the refusal."""
    fields = {"type": "log_in", "id": 5, "name": "alice", "password": password}
    body = msgpack.packb(fields) if encoding is Encoding.MSGPACK else json.dumps(fields).encode()

    with pytest.raises(CodecError) as caught:
        decode_request(body, encoding)

    assert (caught.value.code, caught.value.re) == (Code.BAD_MESSAGE, 5)
    assert str(SECRET) not in str(caught.value)
    assert "short-7" not in str(caught.value)
    assert "password" in caught.value.message


@pytest.mark.parametrize("twice", [*ACT, "type"])
def test_a_decision_with_a_key_twice_is_refused(twice):
    """Whichever key it is, and also where the number of fields is that of a decision."""
    fields = [*{"type": "act", **ACT}.items()]
    again = fields + [(key, value) for key, value in fields if key == twice]
    for pairs in (again, [pair for pair in again if pair[0] != "amount" or twice == "amount"]):
        body = bytes([0x80 | len(pairs)]) + b"".join(msgpack.packb(part) for pair in pairs for part in pair)

        with pytest.raises(CodecError) as caught:
            decode_request(body, Encoding.MSGPACK)

        assert caught.value.code is Code.BAD_ENCODING


@given(st.permutations([*ACT.items()]), st.booleans())
def test_a_decision_is_read_whatever_the_order_of_its_fields(fields, is_last):
    """The type may be the first field or the last, and an amount that is not needed may be absent."""
    kind = [("type", "act")]
    pairs = dict([*fields, *kind] if is_last else [*kind, *fields])

    assert decode_request(msgpack.packb(pairs), Encoding.MSGPACK) == Act(**ACT)
    del pairs["amount"]
    assert decode_request(msgpack.packb(pairs), Encoding.MSGPACK) == Act(**ACT)


def test_an_unknown_action_is_not_repeated():
    """A value that is none of the allowed ones is named by its place, not quoted."""
    body = msgpack.packb(
        {"type": "act", "id": 1, "table": "t", "hand_id": "h", "seq": 1, "action": "hunter2"}
    )

    with pytest.raises(CodecError) as caught:
        decode_request(body, Encoding.MSGPACK)

    assert caught.value.message == "Not one of the allowed values at `$.action`."


def test_an_odd_field_name_is_not_repeated():
    """An unknown field is named only if the name is a plain word."""
    odd, plain = ({"type": "ping", "id": 1, name: 1} for name in ("<b>`x", "ammount"))

    with pytest.raises(CodecError) as caught_odd:
        decode_request(msgpack.packb(odd), Encoding.MSGPACK)
    with pytest.raises(CodecError) as caught_plain:
        decode_request(msgpack.packb(plain), Encoding.MSGPACK)

    assert caught_odd.value.message == "Unknown field."
    assert caught_plain.value.message == "Unknown field `ammount`."


@pytest.mark.parametrize("encoding", Encoding)
def test_a_client_ignores_fields_it_does_not_know(encoding):
    """A server message with a field of a later room is read; the room itself refuses such a request."""
    ok = {"type": "ok", "re": 4, "since": "v1.1"}
    ping = {"type": "ping", "id": 4, "since": "v1.1"}
    pack = msgpack.packb if encoding is Encoding.MSGPACK else lambda value: json.dumps(value).encode()

    assert Ok(re=4) == decode_server(pack(ok), encoding)
    with pytest.raises(CodecError):
        decode_request(pack(ping), encoding)


def test_a_request_is_no_server_message():
    """Each direction has its own types."""
    body = encode(Ping(id=1), Encoding.MSGPACK)

    with pytest.raises(CodecError) as caught:
        decode_server(body, Encoding.MSGPACK)

    assert caught.value.code == Code.UNKNOWN_MESSAGE


@pytest.mark.parametrize("name", ["alice\n", "a", "-alice", "a" * 21, "al ice"])
def test_names_are_checked_to_the_last_character(name):
    """A name with a line break behind it is not a name, though `$` alone would take it."""
    message = {"type": "log_in", "id": 1, "name": name, "password": "long enough"}

    with pytest.raises(CodecError):
        decode_request(msgpack.packb(message), Encoding.MSGPACK)
    assert isinstance(decode_request(msgpack.packb({**message, "name": "alice"}), Encoding.MSGPACK), LogIn)


def test_an_encoding_failure_leaves_the_encoder_usable():
    """What cannot be encoded raises, and the next message is encoded as if nothing had been."""
    with pytest.raises(OverflowError):
        encode(Ok(re=2**70), Encoding.MSGPACK)

    assert Ok(re=1) == decode_server(encode(Ok(re=1), Encoding.MSGPACK), Encoding.MSGPACK)


def test_types_are_unique():
    """No `type` names two messages of one direction."""
    for union in (ClientMessage, ServerMessage):
        tags = [kind.__struct_config__.tag for kind in get_args(union)]
        assert len(tags) == len(set(tags))


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"type": "ping"}, "$.id"),
        ({"type": "ping", "id": 1, "nonsense": 2}, "$.nonsense"),
        ({"type": "ping", "id": "1"}, "$.id"),
        ({"type": "act", "id": 1, "table": "t", "hand_id": "h", "seq": 1, "action": "x"}, "$.action"),
        ({"id": 1}, None),
    ],
)
def test_the_wrong_field_has_a_path(fields, path):
    """A program need not read the text to know which field was missing, unknown or wrong."""
    with pytest.raises(CodecError) as refused:
        decode_request(json.dumps(fields).encode(), Encoding.JSON)
    assert refused.value.path == path


def test_each_code_has_a_kind():
    """A client knows what to do about every refusal; what only waiting helps is no fault of the request."""
    kinds = {code.value: code.kind for code in Code}
    assert set(kinds.values()) == {"retry", "fix", "final"}
    assert (kinds["unavailable"], kinds["stale_seq"], kinds["seat_taken"]) == ("retry", "fix", "final")

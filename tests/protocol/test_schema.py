"""What is derived from the classes is current, valid, complete, and the same every time."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from pokerroom_protocol import Code, CodecError, Encoding, decode_request, decode_server, encode, schema
from pokerroom_protocol._declarations import REQUESTS
from pokerroom_protocol.messages import ClientMessage, ServerMessage, TableNotice, WaitEnded

PROTOCOL = Path(__file__).parents[2] / "protocol"
REFERENCE = (PROTOCOL / "reference.md").read_text(encoding="utf-8")
PROSE = "".join(
    path.read_text(encoding="utf-8") for path in PROTOCOL.glob("*.md") if path.stem != "reference"
)


def load(name: str):
    return json.loads((PROTOCOL / "vectors" / name).read_text(encoding="utf-8"))


def tags(union) -> list[str]:
    return [kind.__struct_config__.tag for kind in get_args(union)]


def literals(kind) -> set[str]:
    """The texts that fields of a message are chosen from."""
    types = [field.type for field in msgspec.inspect.type_info(kind).fields]
    plain = [each.type if isinstance(each, msgspec.inspect.Metadata) else each for each in types]
    return {value for each in plain if isinstance(each, msgspec.inspect.LiteralType) for value in each.values}


def test_the_derived_files_are_current():
    """What lies in the checkout is what the classes give."""
    for path, text in schema.derived_files(PROTOCOL).items():
        assert path.read_text(encoding="utf-8") == text, f"{path}: run python -m pokerroom_protocol.schema"


def test_check_finds_what_is_stale(tmp_path, monkeypatch, capsys):
    """`--check` writes nothing and fails with a diff; without it the file is made, and the check passes."""
    protocol = tmp_path / "protocol"
    (protocol / "examples").mkdir(parents=True)
    for path in (PROTOCOL / "README.md", *(PROTOCOL / "examples").iterdir()):
        (protocol / path.relative_to(PROTOCOL)).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(schema, "_protocol_directory", lambda: protocol)  # private: the tree has one

    assert schema.main(["--check"]) == 1
    assert "+++ generated" in capsys.readouterr().out
    assert not (protocol / "schema").exists()
    assert schema.main([]) == 0
    assert schema.main(["--check"]) == 0


def test_outside_a_checkout_it_says_so(tmp_path, monkeypatch, capsys):
    """An installed wheel has no files to write, and the command says that instead of failing oddly."""
    package = tmp_path / "site-packages" / "pokerroom_protocol"
    monkeypatch.setattr(schema, "__file__", str(package / "schema.py"))

    assert schema.main(["--check"]) == 2
    assert "not inside a checkout" in capsys.readouterr().err


def test_the_schema_is_complete_and_refers_to_what_it_has():
    """Every message has a definition, every reference a target, requests allow no other fields."""
    document = schema.protocol_schema()
    definitions = document["$defs"]

    for union in (ClientMessage, ServerMessage):
        for kind in get_args(union):
            assert kind.__struct_config__.tag == definitions[kind.__name__]["properties"]["type"]["const"]
    for kind in get_args(ClientMessage):
        assert definitions[kind.__name__]["additionalProperties"] is False
    references = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(document)))
    assert references <= set(definitions)


@pytest.mark.parametrize(
    ("name", "union", "decode"),
    [("client.json", ClientMessage, decode_request), ("server.json", ServerMessage, decode_server)],
)
def test_vectors_go_both_ways(name, union, decode):
    """Every message has a vector; both forms decode to the same message and encode to the same bytes again."""
    vectors = load(name)

    assert set(tags(union)) == {vector["type"] for vector in vectors}
    for vector in vectors:
        packed = bytes.fromhex(vector["msgpack"])
        message = decode(packed, Encoding.MSGPACK)
        assert message == decode(json.dumps(vector["json"]).encode(), Encoding.JSON)
        assert packed == encode(message, Encoding.MSGPACK)
        assert vector["json"] == json.loads(encode(message, Encoding.JSON))
        assert vector["type"] == vector["json"]["type"]


@pytest.mark.parametrize(
    "vector", load("malformed.json"), ids=lambda vector: f"{vector['encoding']}: {vector['why']}"
)
def test_malformed_inputs_are_refused(vector):
    """Each input of the list is refused with its code, and with the request's id where that can be read."""
    with pytest.raises(CodecError) as caught:
        decode_request(bytes.fromhex(vector["hex"]), Encoding(vector["encoding"]))

    assert (vector["code"], vector["re"]) == (caught.value.code, caught.value.re)


NEVER_STORED = {"password", "new_password", "token", "client", "instance"}
"""Texts of requests that are hashed, compared, or cleaned before they are stored."""


def test_no_text_of_a_request_brings_a_zero_byte_into_the_database():
    """PostgreSQL stores none, and the query would fail: the patterns of texts keep it out."""
    definitions = json.loads((PROTOCOL / "schema" / "protocol.v1.json").read_text(encoding="utf-8"))["$defs"]
    requests = [definitions[kind.__name__]["properties"] for kind in get_args(ClientMessage)]
    open_texts = {
        field
        for properties in requests
        for field, found in properties.items()
        for kind in (found, *found.get("anyOf", ()))
        if kind.get("type") == "string" and not kind.keys() & {"pattern", "enum", "const"}
    }

    assert open_texts == NEVER_STORED


def test_the_reference_has_the_codes_with_their_sentences():
    """The generated table has every code, each with the sentence that the room sends."""
    table = re.findall(
        r"^\| `(\w+)` \| (\w+) \| (.+?) \| .*\|$", REFERENCE.split("## Error codes")[1], re.MULTILINE
    )

    assert [(code.value, code.kind, code.sentence) for code in Code] == table


def test_a_request_has_its_answers_and_refusals_beside_it():
    """What refuses a request stands between its sentence and its fields, with what to do."""
    [act] = re.findall(r"^### `act`\n(.*?)\n### ", REFERENCE, re.MULTILINE | re.DOTALL)

    assert "- *Allowed for*: the seat to act\n- *Answer*: `ok`\n- *Refusals*: *fix* `not_seated`" in act
    assert act.index("`stale_seq`") < act.index("| field | type | meaning |")


def test_an_event_has_its_changes_beside_it():
    """What an event changes in the state of a table stands between its sentence and its fields."""
    [uncalled] = re.findall(r"^### `uncalled_bet`\n(.*?)\n### ", REFERENCE, re.MULTILINE | re.DOTALL)

    assert "*Changes*: the seat's `stack`; subtract `amount` from its `bet`." in uncalled


def test_every_part_that_the_reference_names_is_explained_in_it():
    """A type in the tables of fields has a table of its own."""
    rows = re.findall(r"^\| `\w+` \| ([^|]*) \|", REFERENCE, re.MULTILINE)
    named = {kind for row in rows for kind in re.findall(r"\[([A-Z]\w+)\]\(#", row)}

    assert named == set(re.findall(r"^### ([A-Z]\w+)$", REFERENCE, re.MULTILINE))


def test_the_pages_speak_of_every_message_and_state():
    """The prose names each request, each message that answers none, and each state."""
    prose = set(re.findall(r"`(\w+)`", PROSE))
    answers = {answer for rules in REQUESTS.values() for answer in rules.answers}
    states = {state for field in (TableNotice, WaitEnded) for state in literals(field)}

    assert set(tags(ClientMessage)) | set(tags(ServerMessage)) | states <= prose | answers


def test_every_code_has_a_sentence():
    """A person can read each refusal."""
    for code in Code:
        assert code.value == str(code)
        assert code.sentence.endswith(".")


def test_public_names_exist():
    """Everything the package and its modules promise can be imported."""
    import pokerroom_protocol
    from pokerroom_protocol import client, codec, framing, session, table_view

    for module in (pokerroom_protocol, client, codec, framing, session, table_view, schema):
        assert [name for name in module.__all__ if not hasattr(module, name)] == []


def test_all_messages_are_immutable():
    """A message that several connections share cannot be changed."""
    for kind in get_args(ClientMessage) + get_args(ServerMessage):
        assert kind.__struct_config__.frozen
        assert issubclass(kind, msgspec.Struct)


def test_generators_take_the_schema():
    """No pattern has a look-ahead, which RE2 engines (Go, Rust) refuse; every code stands there with its kind."""
    document = json.loads((PROTOCOL / "schema" / "protocol.v1.json").read_text(encoding="utf-8"))
    assert "(?!" not in json.dumps(document)
    codes = document["$defs"]["ErrorCode"]
    assert codes["x-codes"] == {code.value: code.kind for code in Code}
    assert codes["anyOf"][0]["enum"] == [code.value for code in Code]


def test_what_the_room_sends_is_required():
    """A generated type has no pointer where the room always sends the field; requests keep their defaults.

    Only the fields of a rake are absent, at a table without one.
    """
    definitions = schema.protocol_schema()["$defs"]
    requests = {kind.__name__ for kind in get_args(ClientMessage)}
    sent = {name: part for name, part in definitions.items() if "properties" in part and name not in requests}

    absent = {
        (name, key) for name, part in sent.items() for key in part["properties"].keys() - part["required"]
    }
    assert absent == {("HandStep", "rake"), ("PotAwarded", "rake"), ("TableInfo", "rake")}
    assert definitions["Act"]["required"] == ["type", "id", "table", "hand_id", "seq", "action"]


def test_each_set_of_values_has_one_name():
    """No enumeration stands inside a message, none has two definitions, and every definition has a title."""
    definitions = schema.protocol_schema()["$defs"]
    enums = [tuple(part["enum"]) for part in definitions.values() if "enum" in part]

    assert len(enums) == len(set(enums))
    assert ("away", "leaving", "playing", "sitting_out", "waiting") in enums
    assert [name for name, part in definitions.items() if part.get("title") != name] == []
    assert [
        name for name, part in definitions.items() if "properties" in part and '"enum"' in json.dumps(part)
    ] == []

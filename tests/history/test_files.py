"""Files of hands: how they are cut into hands, and what becomes of broken ones."""

import tomllib

import pytest

from pokerroom.history.files import documents
from pokerroom.history.phh import UnreadableHand
from tests.history.writing import NO_LIMIT


def found(path):
    return [
        (name, doc if isinstance(doc, UnreadableHand) else doc["variant"]) for name, doc in documents(path)
    ]


def written(tmp_path, text, name="hands.phhs"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_one_hand(tmp_path):
    """A .phh file is one hand, called by its own number or 1."""
    path = written(tmp_path, NO_LIMIT, "one.phh")
    numbered = written(tmp_path, f"hand = 77\n{NO_LIMIT}\n[_notes]\nmood = 'good'\n", "two.phh")

    assert found(path) == [("1", "NT")]
    assert found(numbered) == [("77", "NT")]


def test_many_hands(tmp_path):
    """A .phhs file has a table for each hand; comments before the first are nothing."""
    path = written(tmp_path, f"# two hands\n[1]\n{NO_LIMIT}\n['the last'] # by name\n{NO_LIMIT}")

    assert found(path) == [("1", "NT"), ("the last", "NT")]


def test_as_toml_reads_them(tmp_path):
    """Cut at its headers, a file has the hands that a TOML reader finds in the whole of it."""
    text = "".join(f"[{number}]\n{NO_LIMIT}\n" for number in range(1, 6))

    names = [name for name, _ in documents(written(tmp_path, text))]

    assert names == list(tomllib.loads(text))


WITHIN = {
    "text": f'author = """\n[Round 3]\n[final]\n"""\n{NO_LIMIT}',
    "literal text": f"author = '''\n[final]\nit's \\\n'''\n{NO_LIMIT}",
    "array": f"_seen = [\n  [1]\n]\n_left = [\n[2]\n,\n]\n{NO_LIMIT}",
    "text that ends in quotes": f'author = """\n[a]\n"b" \\""" c"""""\n{NO_LIMIT}',
    "texts with brackets": f"_a = '[' # [ \"\n_b = \"[\\\"[\" # '''\n_c = [\"]\", '\"'] # ]\n{NO_LIMIT}",
    "table": f"{NO_LIMIT}\n[1.notes]\nmood = 'good'\n[[1.more]]\n",
}
"""Hands with what is no header, though it looks like one, or with what does not hide one."""


@pytest.mark.parametrize("hand", WITHIN.values(), ids=WITHIN)
def test_what_is_no_header(hand, tmp_path):
    """A line in brackets inside a text or an array is no header: the file has the hands a TOML reader finds in it."""
    text = f"[1]\n{hand}\n[2]\n{NO_LIMIT}\n"

    assert [name for name, _ in documents(written(tmp_path, text))] == list(tomllib.loads(text)) == ["1", "2"]
    assert found(written(tmp_path, text)) == [("1", "NT"), ("2", "NT")]


@pytest.mark.parametrize("broken", ['author = """', "author = '''", "actions = ['p1 f',", "x = ]"])
def test_what_is_left_open_spoils_itself_only(broken, tmp_path):
    """A hand that leaves a text or an array open, or closes one too many, is broken alone."""
    text = f"[1]\n{NO_LIMIT}\n[2]\n{broken}\n[3]\n{NO_LIMIT}\n[4]\nauthor = [\n[4]\n]\n{NO_LIMIT}\n"

    (_, first), (name, second), (_, third), *_ = found(written(tmp_path, text))

    assert (first, name, third) == ("NT", "2", "NT")
    assert isinstance(second, UnreadableHand)


def test_a_broken_hand_spoils_itself_only(tmp_path):
    """What is no TOML is told for its hand; the others are read."""
    path = written(tmp_path, f"[1]\n{NO_LIMIT}\n[2]\nvariant = \n[3]\n{NO_LIMIT}\n[4]\nx = {'[' * 3000}\n")

    (_, first), (name, broken), (_, third), (_, deep) = found(path)

    assert (first, name, third) == ("NT", "2", "NT")
    assert isinstance(broken, UnreadableHand)
    assert isinstance(deep, UnreadableHand)
    assert broken.code == deep.code == "not_toml"


@pytest.mark.parametrize(
    ("content", "code"), [(b"", "no_hand"), (b"# nothing\n", "no_hand"), (b"\xff\xfe\x00[1]", "not_toml")]
)
def test_no_hands_in_it(tmp_path, content, code):
    """A file without a hand, or without text, is refused with a code."""
    path = tmp_path / "hands.phhs"
    path.write_bytes(content)

    with pytest.raises(UnreadableHand) as refused:
        list(documents(path))
    assert refused.value.code == code


def test_a_file_that_is_not_there(tmp_path):
    """A missing file, or a folder, is unreadable."""
    for path in (tmp_path / "none.phh", tmp_path):
        with pytest.raises(UnreadableHand) as refused:
            list(documents(path))
        assert refused.value.code == "unreadable"

"""Line numbers of TOML keys, over every form a statement may take."""

import tomllib

import pytest

from pokerroom.ops.toml_lines import line_of_error, lines_of

TEXT = '''\
# a comment
top = 1

[plain]   # another
bare = 1
"quoted key" = 2
dotted.inner = 3
text = """
[not.a.header]
not_a_key = 1
"""
array = [
    1,  # one
    2,
]
after = "a # b"

[[rows]]
id = "first"
[[rows]]
id = "second"
  indented = { x = 1, y = 2 }
[rows.deep]
z = 1
[ a . "b.c" ]
d = 1
'''


def test_every_form_of_statement_is_found_on_its_line():
    """Keys and headers are found where they stand, and text inside strings and arrays is not taken for them."""
    assert lines_of(TEXT) == {
        ("top",): 2,
        ("plain",): 4,
        ("plain", "bare"): 5,
        ("plain", "quoted key"): 6,
        ("plain", "dotted"): 7,
        ("plain", "dotted", "inner"): 7,
        ("plain", "text"): 8,
        ("plain", "array"): 12,
        ("plain", "array", 0): 12,
        ("plain", "array", 1): 12,
        ("plain", "after"): 16,
        ("rows", 0): 18,
        ("rows", 0, "id"): 19,
        ("rows", 1): 20,
        ("rows", 1, "id"): 21,
        ("rows", 1, "indented"): 22,
        ("rows", 1, "indented", "x"): 22,
        ("rows", 1, "indented", "y"): 22,
        ("rows", 1, "deep"): 23,
        ("rows", 1, "deep", "z"): 24,
        ("a", "b.c"): 25,
        ("a", "b.c", "d"): 26,
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = 1\nb = \n", 2),
        ("a = 1\na = 2\n", 2),
        ("x = 1\ny = [1,\n2\n", 3),
        ("[t\n", 1),
        ("a = 1\n\n[t]\n[t]\n", 4),
    ],
)
def test_a_syntax_error_names_its_line(text, line):
    """The line is the parser's own; an end of the document inside a value is its last line."""
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    assert line_of_error(caught.value, text) == line

"""Whether the tests run against the compiled form of the room (`make test-compiled`), and what they leave out then."""

import os

import pytest

COMPILED = bool(os.environ.get("POKERROOM_TEST_COMPILED"))

replaces_parts = pytest.mark.skipif(COMPILED, reason="a method of a compiled class cannot be replaced")

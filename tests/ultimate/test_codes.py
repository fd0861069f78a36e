"""What the rules of Ultimate refuse has a code of the protocol, under the same name."""

import pytest

from pokerroom.rules.ultimate.errors import Refusal
from pokerroom_protocol.errors import Code


@pytest.mark.parametrize("refusal", Refusal)
def test_every_refusal_of_the_rules_is_a_code(refusal):
    """It can be told as it is, with a sentence for people."""
    assert Code(refusal.value).sentence

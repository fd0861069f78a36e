"""How a node proves to another one for which operator it asks."""

import base64

import pytest

from pokerroom.ledger.operators import Operator, Role
from pokerroom.ops.node_passes import VALID_MS, PassRefused
from pokerroom.table.seal import Seal
from tests.ops.fake_rooms import NOW_MS, passes

FLOOR = Operator("ann", Role.FLOOR)
REQUEST = "POST", "/v1/tables/one/close?reason=why"


@pytest.fixture
def issued():
    return passes("n2").issue(FLOOR, "n1", *REQUEST)


def test_the_operator_arrives_with_the_role(issued):
    """At the node that the pass is for, with a clock that is a minute off at most."""
    for now_ms in (NOW_MS, NOW_MS + VALID_MS, NOW_MS - VALID_MS):
        assert passes("n1", now_ms=now_ms).take(issued, *REQUEST) == FLOOR


def test_a_pass_is_taken_once(issued):
    """What was overheard is of no use; another pass for the same request is."""
    receiver = passes("n1")
    receiver.take(issued, *REQUEST)
    with pytest.raises(PassRefused, match="used before"):
        receiver.take(issued, *REQUEST)
    receiver.take(passes("n2").issue(FLOOR, "n1", *REQUEST), *REQUEST)


@pytest.mark.parametrize(
    ("node", "method", "path"),
    [
        ("n3", *REQUEST),
        ("n1", "GET", REQUEST[1]),
        ("n1", "POST", "/v1/tables/two/close?reason=why"),
        ("n1", "POST", "/"),
    ],
)
def test_a_pass_is_for_one_request_to_one_node(issued, node, method, path):
    """Of every other one it is refused."""
    with pytest.raises(PassRefused, match="another request"):
        passes(node).take(issued, method, path)


@pytest.mark.parametrize("off_ms", [VALID_MS + 1, -VALID_MS - 1])
def test_a_pass_is_valid_for_a_minute(issued, off_ms):
    """The clocks are named, since they may be the reason."""
    with pytest.raises(PassRefused, match="clocks"):
        passes("n1", now_ms=NOW_MS + off_ms).take(issued, *REQUEST)


def test_a_pass_of_another_room_is_refused():
    """Its key is another one."""
    other = passes("n2", seal=Seal(bytes([1] * 32))).issue(FLOOR, "n1", *REQUEST)
    with pytest.raises(PassRefused, match="key of this room"):
        passes("n1").take(other, *REQUEST)


def test_what_is_no_pass_is_refused(issued):
    """Cut, changed or invented."""
    for text in (issued[:-8], f"AAAA{issued}", "", "ü", "{}"):
        with pytest.raises(PassRefused, match="key of this room"):
            passes("n1").take(text, *REQUEST)


def test_no_other_role_can_be_written_into_a_pass(issued):
    """Every byte of it is sealed."""
    sealed = bytearray(base64.urlsafe_b64decode(issued))
    for place in range(len(sealed)):
        changed = sealed.copy()
        changed[place] ^= 1
        with pytest.raises(PassRefused):
            passes("n1").take(base64.urlsafe_b64encode(changed).decode(), *REQUEST)

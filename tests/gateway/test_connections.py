"""The accounts that are connected to a node."""

from pokerroom.gateway.connections import CONNECTIONS_PER_ACCOUNT_MAX, AccountConnections
from pokerroom.ledger.account_standing import Exclusion
from pokerroom.table.outgoing import Outgoing
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

MESSAGE = Outgoing(wire.Ok(re=1))


class Session:
    """Keeps what it was told."""

    def __init__(self, instance=""):
        self.instance = instance
        self.session_id = None
        self.got = []

    def deliver(self, outgoing):
        self.got.append(outgoing)

    def goodbye(self, code):
        self.got.append(code)


def test_the_latest_session_of_an_account_stays():
    """The earlier one is told, and its end does not touch the later one."""
    connections, first, second = AccountConnections(), Session(), Session()
    connections.authenticated(1, first)
    connections.authenticated(1, second)
    assert first.got == [Code.TAKEN_OVER]
    connections.left(1, first)
    connections.deliver(1, MESSAGE)
    assert second.got == [MESSAGE]


def test_connections_of_other_names_stay_side_by_side():
    """Two windows of an account: both get what is for the account, and the end of one leaves the other."""
    connections, first, second = AccountConnections(), Session("one"), Session("two")
    connections.authenticated(1, first)
    connections.authenticated(1, second)
    connections.deliver(1, MESSAGE)
    assert first.got == second.got == [MESSAGE]
    connections.left(1, second)
    connections.deliver(1, MESSAGE)
    assert first.got == [MESSAGE, MESSAGE]
    assert second.got == [MESSAGE]


def test_an_account_has_a_bounded_number_of_connections():
    """One too many ends the oldest, also if the client keeps that one in use."""
    connections = AccountConnections()
    sessions = [Session(str(number)) for number in range(CONNECTIONS_PER_ACCOUNT_MAX + 2)]
    for session in sessions:
        session.goodbye = lambda code, session=session: (
            session.got.append(code),
            connections.left(1, session),
        )
        connections.authenticated(1, session)
    assert [session.got for session in sessions[:3]] == [[Code.TAKEN_OVER], [Code.TAKEN_OVER], []]
    connections.deliver(1, MESSAGE)
    assert sum(session.got == [MESSAGE] for session in sessions) == CONNECTIONS_PER_ACCOUNT_MAX


def test_the_same_session_may_authenticate_again():
    """It is not closed by itself."""
    connections, session = AccountConnections(), Session()
    connections.authenticated(1, session)
    connections.authenticated(1, session)
    assert session.got == []


def test_an_account_that_is_not_connected_here_gets_nothing():
    """Before, after, and beside another account."""
    connections, session = AccountConnections(), Session()
    connections.deliver(1, MESSAGE)
    connections.taken_over(1, "")
    connections.authenticated(1, session)
    connections.deliver(2, MESSAGE)
    connections.left(1, session)
    connections.deliver(1, MESSAGE)
    assert session.got == []


def test_an_account_that_connected_to_another_node_is_told():
    """Its connection here is closed with the reason."""
    connections, session = AccountConnections(), Session()
    connections.authenticated(1, session)
    connections.taken_over(1, "")
    assert session.got == [Code.TAKEN_OVER]


def test_an_exclusion_becomes_longer_and_not_shorter():
    """The answer that another window waits for may be older. The exclusion is forgotten with the last connection."""
    connections, session = AccountConnections(), Session()
    connections.authenticated(1, session)
    for until_ms, in_force in ((50, 50), (90, 90), (50, 90), (None, None), (90, None)):
        connections.excluded(1, Exclusion(until_ms=until_ms))
        assert connections.exclusion(1, 10) == Exclusion(until_ms=in_force)
    connections.excluded(1, None)
    assert connections.exclusion(1, 10) == Exclusion(until_ms=None)
    connections.left(1, session)
    assert connections.exclusion(1, 10) is None


def test_a_mute_is_told_when_it_is_new():
    """To all connections of the account, and to none again; it ends with its time, or when the ledger has none."""
    connections, session = AccountConnections(), Session()
    connections.mute(1, 5_000)
    assert connections.muted_until_ms(1, 0) is None, "not connected here"
    connections.authenticated(1, session)
    for until_ms in (None, 5_000, 5_000, 7_000):
        connections.mute(1, until_ms)
    assert [connections.muted_until_ms(1, at_ms) for at_ms in (0, 6_999, 7_000)] == [7_000, 7_000, None]
    connections.mute(1, None)
    assert connections.muted_until_ms(1, 0) is None
    assert [outgoing.message for outgoing in session.got] == [
        wire.ChatMuted(until_ms=until_ms) for until_ms in (5_000, 7_000, None)
    ]
    connections.mute(1, 5_000)
    connections.left(1, session)
    connections.authenticated(1, session)
    assert connections.muted_until_ms(1, 0) is None

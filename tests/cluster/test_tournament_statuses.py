"""`pokerroom.cluster.tournament_statuses`: which clock of a tournament is shown at another node."""

from msgspec import structs

from pokerroom.cluster.messages import TournamentStatusChanges
from pokerroom.cluster.tournament_statuses import TournamentStatuses
from pokerroom.tournament.messages import TournamentStatus
from pokerroom_protocol import messages as wire

STATUS = TournamentStatus(
    tournament="six.1",
    epoch=2,
    level=wire.LevelView(level=1, small_blind=10, big_blind=20),
    paused=False,
    break_until_ms=None,
    hand_for_hand=False,
)


class Sent:
    """A sender of a node with one other node, which keeps what it sends."""

    others = frozenset({"b"})

    def __init__(self):
        self.messages = []

    def to_all(self, message):
        self.messages.append(message)

    def to(self, node, message):
        self.messages.append((node, message))


class Actor:
    """A tournament that lives here."""

    def __init__(self, status):
        self.told = status

    def status(self):
        return self.told


def test_a_clock_is_sent_when_it_has_changed_and_whole_to_a_new_node():
    """What stands still is not sent again; a table is no tournament."""
    sent, actor = Sent(), Actor(STATUS)
    statuses = TournamentStatuses(sent, {"tournament:six.1": actor, "six.1": object()})
    for _ in range(3):
        statuses.send_changes()
    assert sent.messages == [TournamentStatusChanges([STATUS])]
    actor.told = structs.replace(STATUS, paused=True)
    statuses.send_changes()
    assert sent.messages[1:] == [TournamentStatusChanges([actor.told])]
    statuses.send_all_to("c")
    assert sent.messages[2:] == [("c", TournamentStatusChanges([actor.told]))]
    assert statuses.status("six.1") == actor.told


def test_the_clock_of_an_earlier_owner_is_late():
    """The next owner's stays, whatever still arrives of the one before."""
    statuses = TournamentStatuses(Sent(), {})
    later = structs.replace(STATUS, epoch=3, paused=True)
    statuses.heard([STATUS])
    statuses.heard([later])
    statuses.heard([STATUS])
    assert statuses.status("six.1") == later


def test_a_tournament_that_is_over_has_no_clock():
    """It is forgotten with the tournament, and not with one of its tables."""
    statuses = TournamentStatuses(Sent(), {})
    statuses.heard([STATUS])
    statuses.over("six.1")
    assert statuses.status("six.1") == STATUS
    statuses.over("tournament:six.1")
    assert statuses.status("six.1") is None

"""Commands beside a room, or without one: they use the services that run, or start them for a moment."""

import os
import re
import signal
from pathlib import Path

import pytest

from pokerroom.ops.embedded import EmbeddedError, attached, running
from tests.ops.embedded.support import room_process, server_pids

pytestmark = pytest.mark.services


def test_a_command_beside_a_room_uses_its_services_and_leaves_them(data):
    """A command in a second shell takes no lock, starts nothing and stops nothing."""
    with room_process(data):
        pids = server_pids(data)
        with attached(data, print) as addresses:
            assert addresses == running(data)
        assert server_pids(data) == pids
        assert running(data) is not None


@pytest.mark.parametrize(("place", "name", "told"), [(0, "postgres", "PostgreSQL"), (1, "redis", "Redis")])
def test_a_command_beside_a_room_whose_service_is_silent_says_which(data, place, name, told):
    """The room is not to be stopped for that: what does not answer is named, and where to look."""
    with room_process(data) as room:
        pid = server_pids(data)[place]
        os.kill(pid, signal.SIGSTOP)
        try:
            with pytest.raises(EmbeddedError) as caught, attached(data, print):
                pass
        finally:
            os.kill(pid, signal.SIGCONT)
        message = str(caught.value)
        assert f"runs (process {room.pid}), but its {told} does not answer" in message
        assert Path(re.search(rf"/\S+/{name}\.log", message)[0]).exists()


def used_for_a_moment(data, divisor=1):
    with attached(data, print) as addresses:
        assert running(data) == addresses
        return 0 // divisor


def test_a_command_without_a_room_starts_and_stops_services(data):
    """With no room the services are there for the time of the command only, even if it fails."""
    assert running(data) is None
    assert not data.exists()
    assert used_for_a_moment(data) == 0
    with pytest.raises(ZeroDivisionError):
        used_for_a_moment(data, divisor=0)
    assert running(data) is None

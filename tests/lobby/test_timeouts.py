"""`pokerroom.lobby.timeouts`: the uses of the clock's protection (H2) on the day that it is."""

import pytest

from pokerroom.lobby.timeouts import TimeoutDay, TimeoutUse

DAY_MS = 86_400_000
NOON_MS = 20_000 * DAY_MS + DAY_MS // 2


class WallClock:
    """Milliseconds since the epoch, as a test sets them."""

    def __init__(self, now_ms):
        self.now_ms = now_ms

    def __call__(self):
        return self.now_ms


@pytest.fixture
def wall():
    return WallClock(NOON_MS)


def test_h2_each_use_is_counted_for_its_account(wall):
    """An account that was never protected has none, and asking does not make it known."""
    day = TimeoutDay(wall)
    for account, hand in ((7, "h1"), (9, "h1"), (7, "h2")):
        day.note(account, hand)
    assert [day.today(account) for account in (7, 8, 9)] == [2, 0, 1]
    assert day.all() == {7: 2, 9: 1}


def test_h3_a_hand_counts_once_for_an_account(wall):
    """Said again, by another owner of the table or by another node, it is the same use."""
    day = TimeoutDay(wall)
    use = day.happened(7, "h1")
    assert (use.account, use.hand_id, use.at_ms) == (7, "h1", NOON_MS)
    assert day.happened(7, "h1") is None
    day.heard(TimeoutUse(account=7, hand_id="h1", at_ms=NOON_MS + 5))
    assert day.today(7) == 1


def test_h2_a_day_ends_at_midnight_utc(wall):
    """In its last millisecond the count stands, in the next it is that of a new day."""
    day = TimeoutDay(wall)
    day.note(7, "h1")
    wall.now_ms = 20_001 * DAY_MS - 1
    day.note(7, "h2")
    assert (day.today(7), day.began_ms) == (2, 20_000 * DAY_MS)
    wall.now_ms += 1
    assert (day.today(7), day.all(), day.began_ms) == (0, {}, 20_001 * DAY_MS)
    day.note(7, "h3")
    assert day.today(7) == 1


@pytest.mark.parametrize("ask", ["today", "all", "note", "began_ms"])
def test_h2_whatever_is_asked_first_turns_the_day(wall, ask):
    """Days without a question are skipped: nothing of an old day is left, whatever is asked."""
    day = TimeoutDay(wall)
    day.note(7, "h4")
    wall.now_ms += 3 * DAY_MS
    asked = {
        "today": lambda: day.today(7),
        "all": day.all,
        "note": lambda: day.note(8, "h5"),
        "began_ms": lambda: day.began_ms,
    }
    asked[ask]()
    assert 7 not in day.all()
    assert day.began_ms == 20_003 * DAY_MS


def test_h2_a_room_that_starts_goes_on_from_the_ledgers_count(wall):
    """What was settled earlier today is added to what is noted from now on."""
    day = TimeoutDay(wall)
    day.restore({7: 2, 9: 1})
    day.note(7, "h6")
    assert day.all() == {7: 3, 9: 1}


def test_what_is_handed_out_is_a_copy(wall):
    """The operator's list does not change later, and changing it changes no count."""
    day = TimeoutDay(wall)
    day.note(7, "h7")
    listed = day.all()
    day.note(7, "h8")
    assert listed == {7: 1}
    listed[7] = 50
    assert day.today(7) == 2


def test_each_use_is_told(wall):
    """Once per use, for a metric; what is restored was told before."""
    told = []
    day = TimeoutDay(wall, lambda: told.append(day.today(7)))
    day.restore({7: 1})
    day.note(7, "h9")
    day.note(7, "h10")
    assert told == [2, 3]


def test_uses_at_other_nodes_count_and_are_not_told_again(wall):
    """The node where it happened has told of it."""
    told = []
    day = TimeoutDay(wall, lambda: told.append(1))
    day.heard(TimeoutUse(account=7, hand_id="h1", at_ms=NOON_MS))
    assert (day.today(7), told) == (1, [])
    assert [use.hand_id for use in day.uses()] == ["h1"]


@pytest.mark.parametrize("at_ms", [NOON_MS - DAY_MS, NOON_MS + DAY_MS, NOON_MS - 1])
def test_h2_what_another_node_tells_late_is_not_counted_twice(wall, at_ms):
    """Of another day, or of before the ledger was asked, which knows it."""
    day = TimeoutDay(wall)
    day.restore({7: 1})
    day.heard(TimeoutUse(account=7, hand_id="h1", at_ms=at_ms))
    assert day.today(7) == 1

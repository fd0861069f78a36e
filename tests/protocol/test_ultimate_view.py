"""A table against the house after each event, as a client would draw it; and how a session follows it."""

from msgspec.structs import replace

from pokerroom_protocol import messages as m
from pokerroom_protocol.codec import Encoding, encode
from pokerroom_protocol.session import Answered, ClientSession
from pokerroom_protocol.ultimate_view import after_ultimate_event
from tests.protocol.test_session import INFO
from tests.protocol.test_session import TABLE as HOLDEM

TABLE, ROUND = "u1", "20260101-00:00:00-000042"
INFO_U = m.UltimateInfo(
    table=TABLE, name="U", seating="boxes", qualification="any_pair", boxes=6, ante_min=100, ante_max=1_000,
    trips_min=None, trips_max=None, blind_pays=[], trips_pays=[], progressive=None, chips=[1, 2, 3, 4, 5, 6],
    betting_ms=1_000, decision_ms=1_000, presence=False, occupied=0, players=0,
)  # fmt: skip
EMPTY = m.UltimateSnapshot(
    table=TABLE,
    seq=0,
    info=INFO_U,
    places=[],
    light=m.LightView(light="green", closes_ms=None),
    round=None,
    your_box=2,
)
BOXES = [
    m.BoxBetsView(box=2, name="a", ante=100),
    m.BoxBetsView(box=3, name="b", ante=200, trips=50),
    m.BoxBetsView(box=5, name="a", ante=100, play=300, extra=True, status="played"),
]


def after(table, *events):
    """The table after these events, numbered as they come."""
    for event in events:
        table = after_ultimate_event(table, replace(event, seq=table.seq + 1))
    return table


def event(kind, **fields):
    """An event; its number does not matter yet."""
    return kind(table=TABLE, seq=0, **fields)


STARTED = after(
    EMPTY,
    event(m.PlaceTaken, box=3, name="b"),
    event(m.PlaceTaken, box=2, name="a"),
    event(m.LightChanged, light="red", closes_ms=None),
    event(m.RoundStarted, round_id=ROUND, boxes=BOXES),
    event(m.HandsDealt, round_id=ROUND, hands=[m.BoxCards(box=2, cards=["As", "Td"])]),
    event(m.Decisions, round_id=ROUND, boxes=[2, 3], check=True, fold=False, multiples=[3, 4], deadline_ms=9),
)


def test_places_come_change_and_go():
    """In the order of their boxes; with one's own place goes the slip."""
    slip = m.SlipView(bets=[], total=0, balance=5)
    table = replace(STARTED, your_slip=slip)
    changed = after(table, event(m.PlaceChanged, box=3, connected=False))
    left = after(changed, event(m.PlaceLeft, box=2, name="a"))

    assert [(place.box, place.name, place.connected) for place in changed.places] == [
        (2, "a", True),
        (3, "b", False),
    ]
    assert changed.your_slip == slip
    assert [place.box for place in left.places] == [3]
    assert (left.your_box, left.your_slip) == (None, None)


def test_a_round_starts_with_the_bets_that_stand_and_without_a_slip():
    """What lay on the slip stands in the round, or was refused."""
    slip = m.SlipView(bets=[], total=0, balance=5)
    table = after(
        replace(EMPTY, your_slip=slip),
        event(m.LightChanged, light="yellow", closes_ms=7),
        event(m.BetsRefused, refused=[m.RefusedBet(box=2, bet="trips", amount=5, code="below_minimum")]),
    )
    assert table.light == m.LightView(light="yellow", closes_ms=7)
    assert table.your_slip == slip
    table = after(table, event(m.RoundStarted, round_id=ROUND, boxes=BOXES))
    assert table.round == m.RoundView(round_id=ROUND, street="preflop", boxes=BOXES)
    assert table.your_slip is None


def test_a_decision_is_noted_with_its_box_and_waited_for_no_more():
    """A Play has its amount; a checked box decides again after the board."""
    assert STARTED.round is not None
    assert STARTED.round.hands == [m.BoxCards(box=2, cards=["As", "Td"])]
    decided = after(
        STARTED,
        event(m.Decided, round_id=ROUND, box=2, decision="check", automatic=True),
        event(m.Decided, round_id=ROUND, box=3, decision="play", amount=800),
    )
    assert decided.round is not None
    assert [(box.status, box.play) for box in decided.round.boxes] == [
        ("checked", 0),
        ("played", 800),
        ("played", 300),
    ]
    assert decided.round.decisions is not None
    assert (decided.round.decisions.boxes, decided.round.decisions.seq) == ([], STARTED.seq)
    flop = after(decided, event(m.BoardDealt, round_id=ROUND, street="flop", cards=["2c", "7h", "Qs"]))
    assert flop.round is not None
    assert (flop.round.street, flop.round.board, flop.round.decisions) == ("flop", ["2c", "7h", "Qs"], None)
    assert [box.status for box in flop.round.boxes] == ["waiting", "played", "played"]
    river = after(flop, event(m.BoardDealt, round_id=ROUND, street="river", cards=["3d", "4d"]))
    assert river.round is not None
    assert river.round.board == ["2c", "7h", "Qs", "3d", "4d"]


def test_a_round_ends_and_leaves_the_table_clean():
    """The meter stays as it was where nothing is said of it."""
    table = replace(STARTED, meter=500)
    assert after(table, event(m.RoundEnded, round_id=ROUND, boxes=[], void=True)).meter == 500
    ended = after(table, event(m.RoundEnded, round_id=ROUND, boxes=[], meter=515))
    assert (ended.round, ended.meter) == (None, 515)


def test_what_is_said_beside_a_round_changes_nothing_but_the_number():
    """Tips, chat and notices; and steps of a round that the client does not know of."""
    for told in (
        event(m.TipGiven, round_id=ROUND, name="a", amount=5),
        event(m.ChatSaid, name="a", text="hi"),
        event(m.TableNotice, state="closing", message="x"),
    ):
        assert after(STARTED, told) == replace(STARTED, seq=STARTED.seq + 1)
    for step in (
        event(m.Decided, round_id=ROUND, box=2, decision="fold"),
        event(m.BoardDealt, round_id=ROUND, street="flop", cards=["2c", "7h", "Qs"]),
        event(m.HandsDealt, round_id=ROUND),
    ):
        assert after(EMPTY, step) == replace(EMPTY, seq=1)


class Session:
    """A session that is told messages, and the requests that it sends by itself."""

    def __init__(self):
        self.session = ClientSession(Encoding.JSON)

    def told(self, message):
        return self.session.receive(encode(message, Encoding.JSON))


def test_a_session_follows_both_kinds_of_tables():
    """Each with its own snapshot; a gap is healed by asking for one."""
    room = Session()
    number = room.session.request(m.Observe(id=0, table=TABLE))
    snapshot = replace(EMPTY, re=number)
    assert room.told(snapshot) == [
        Answered(request=m.Observe(id=number, table=TABLE), answer=snapshot),
        snapshot,
    ]
    room.told(m.Snapshot(table=HOLDEM, seq=4, info=INFO, seats=[], hand=None, your_seat=None))
    taken = m.PlaceTaken(table=TABLE, seq=1, box=3, name="b")
    assert room.told(taken) == [taken]
    assert [place.name for place in room.session.ultimate_tables[TABLE].places] == ["b"]
    assert list(room.session.tables) == [HOLDEM]
    room.session.bodies_to_send()
    assert room.told(m.PlaceLeft(table=TABLE, seq=3, box=3, name="b")) == []
    assert [b'"get_snapshot"' in body for body in room.session.bodies_to_send()] == [True]
    assert room.told(replace(EMPTY, seq=3)) == [replace(EMPTY, seq=3)]
    assert room.told(m.PlaceTaken(table=TABLE, seq=4, box=1, name="c"))


def test_an_event_of_the_other_game_is_a_gap():
    """A table that plays another game now needs a new snapshot."""
    room = Session()
    room.told(EMPTY)
    room.session.bodies_to_send()
    assert room.told(m.SeatLeft(table=TABLE, seq=1, seat=1, name="a")) == []
    assert [b'"get_snapshot"' in body for body in room.session.bodies_to_send()] == [True]

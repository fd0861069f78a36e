"""Names that no new account may have, and text that a chat does not take."""

import pytest

from pokerroom.chips import Money
from pokerroom.gateway.names import ReservedNames
from pokerroom.gateway.passwords import password_hasher
from pokerroom.ledger.transfers import look_of
from pokerroom.ops.observer import Observer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import CodecError, Encoding, decode_request, encode
from tests.gateway.session_parties import Line, made_sessions
from tests.lobby.support import Cardroom

PASSWORD = "correct horse"


@pytest.mark.parametrize(
    "name",
    [
        "operator",
        "Operator",
        "0perator",
        "OPERATOR7",
        "ad.min",
        "Adm1n",
        "adrnin",
        "dealer_2",
        "house",
        "Riverside",
        "Pit_Boss",
        "Bot.anna",
        "B0T.anna",
        "Pokerroom",
        "pokerroorn",
        "f1oor-manager.2",
        "MODERATOR",
    ],
)
def test_names_of_the_room_are_reserved(name):
    """In any case, with digits behind, with other separators, and with letters that look alike."""
    assert name in ReservedNames(["riverside"])


@pytest.mark.parametrize(
    "name",
    [
        "anna",
        "admiral",
        "housewife",
        "dealers-choice",
        "Bothered",
        "bot-12-3-4",
        "player1",
        "Guest-12345",
        "modest",
    ],
)
def test_other_names_are_free(name):
    """A word that contains a reserved one is a name like any other."""
    assert name not in ReservedNames(["riverside"])


@pytest.mark.parametrize(
    ("one", "other"), [("paypal", "PayPa1"), ("IIlI1", "l1lll"), ("O0o", "000"), ("Harm", "harn"[:3] + "rn")]
)
def test_what_looks_alike(one, other):
    """As the skeletons of Unicode's UTS 39, with ICU 78, for every character that a name may have."""
    assert look_of(one) == look_of(other)


def test_a_name_is_refused_and_another_is_not():
    """A reserved name and a lookalike open no account; an existing account with such a name logs in."""
    room = Cardroom()
    sessions = made_sessions(room, Observer())
    room.world.ledger.create_account("Dealer", password_hasher().hash(PASSWORD), Money(0))
    line = Line(sessions)
    for name, code in (
        ("dealer1", "name_reserved"),
        ("Opera.t0r", "name_reserved"),
        ("DeaIer", "name_reserved"),
    ):
        refused = line.ask(wire.Register, name=name, password=PASSWORD)
        assert (type(refused), refused.code) == (wire.Error, code)
    assert isinstance(line.ask(wire.LogIn, name="dealer", password=PASSWORD), wire.Authenticated)
    other = Line(sessions)
    assert isinstance(other.ask(wire.Register, name="Milo", password=PASSWORD), wire.Authenticated)
    refused = Line(sessions).ask(wire.Register, name="rnil0", password=PASSWORD)
    assert isinstance(refused, wire.Error)
    assert refused.code == "name_taken"


@pytest.mark.parametrize(
    "mark",
    [chr(number) for number in (0xAD, 0x61C, 0x115F, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E)]
    + [chr(number) for number in (0x2028, 0x202E, 0x2060, 0x2063, 0x2066, 0x3164, 0xFEFF, 0xFFA0)],
)
def test_invisible_characters_and_direction_marks_are_refused_in_chat(mark):
    """They hide words, or turn the line of another player round."""
    with pytest.raises(CodecError):
        decode_request(encode(wire.Chat(id=1, table="t", text=f"a{mark}b"), Encoding.JSON), Encoding.JSON)


@pytest.mark.parametrize(
    "text", ["gg, schönes Spiel 👍", "🤷\u200d♂️", "👩\u200d👩\u200d👧 hello", "שלום", "zażółć", "很好", "❤️"]
)
def test_words_and_emojis_are_chat(text):
    """The joiner within an emoji is part of it."""
    message = wire.Chat(id=1, table="t", text=text)
    assert decode_request(encode(message, Encoding.JSON), Encoding.JSON) == message

"""The client's texts: each code in each language, and a text for everything that the room may say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

import pokerroom.web.files
from pokerroom.rules.ranking import HandCategory
from pokerroom_protocol import Code
from pokerroom_protocol import messages as m

STATIC = Path(pokerroom.web.files.__file__).with_name("static")
TEXTS = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (STATIC / "locales").glob("*.json")
}
LATE = {
    folder.name: {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}
    for folder in (STATIC / "locales").iterdir()
    if folder.is_dir()
}
"""The texts of windows that load late, by folder and language."""
ENGLISH = TEXTS["en"]
ALL = ENGLISH.keys() | {code for texts in LATE.values() for code in texts["en"]}
CALLED = re.compile(r'\bt\(\s*"([a-z_.]+)"')
VALUE = re.compile(r"\{(\w+)\}")


def literals(message_class: type, name: str) -> list[str]:
    (field,) = [each for each in msgspec.inspect.type_info(message_class).fields if each.name == name]
    plain = field.type.type if isinstance(field.type, msgspec.inspect.Metadata) else field.type
    return list(plain.values)


def test_there_are_three_languages():
    """English, German and Polish, and the client offers just those."""
    offered = (STATIC / "app" / "i18n.js").read_text(encoding="utf-8")
    assert set(TEXTS) == {"en", "de", "pl"}
    assert set(re.findall(r'(\w\w): "\w+"', offered.partition("LANGUAGES = {")[2].partition("}")[0])) == set(
        TEXTS
    )


@pytest.mark.parametrize("language", TEXTS)
def test_every_code_has_a_text_in_every_language(language):
    """No language lacks a text, has one too many, or an empty one; and each has the same values in it."""
    for texts in (TEXTS, *LATE.values()):
        assert texts[language].keys() == texts["en"].keys()
        for code, text in texts[language].items():
            assert text.strip(), code
            assert set(VALUE.findall(text)) == set(VALUE.findall(texts["en"][code])), code


def test_a_late_text_is_in_one_place():
    """No text is loaded twice."""
    assert len(ALL) == len(ENGLISH) + sum(len(texts["en"]) for texts in LATE.values())


def shape(text: object) -> object:
    """The keys of a text in parts, and the number of its paragraphs; the values that it takes."""
    if isinstance(text, dict):
        return {key: shape(each) for key, each in text.items()}
    if isinstance(text, list):
        return [shape(each) for each in text]
    assert isinstance(text, str)
    assert text.strip()
    return sorted(VALUE.findall(text))


def test_the_rules_have_the_same_parts_in_every_language():
    """Each language has each paragraph, and a line for each hand."""
    rules = {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (STATIC / "rules").glob("*.json")
    }
    assert rules.keys() == TEXTS.keys()
    assert {category.name for category in HandCategory} == rules["en"]["ranking"].keys() - {"title", "about"}
    for text in rules.values():
        assert shape(text) == shape(rules["en"])


@pytest.mark.parametrize("path", sorted((STATIC / "app").glob("*.js")), ids=lambda path: path.name)
def test_every_text_that_is_asked_for_is_there(path):
    """Codes that stand in a module as they are have a text; late ones are for modules of their window."""
    late = {
        code for folder, texts in LATE.items() if path.stem.startswith(folder[:-1]) for code in texts["en"]
    }
    assert set(CALLED.findall(path.read_text(encoding="utf-8"))) <= ENGLISH.keys() | late


def test_every_refusal_has_a_text():
    """Each error code of the protocol, and the client's own for a lost line."""
    assert {f"error.{code.value}" for code in Code} | {"error.connection_ended"} <= ALL


def test_everything_that_the_room_may_name_has_a_text():
    """Structures, statuses, actions, posts, streets, states of a table, ranks of hands, ends of waiting."""
    wanted = {f"structure.{each}" for each in literals(m.TableInfo, "structure")}
    wanted |= {f"game.{each}" for each in literals(m.TableInfo, "game")}
    wanted |= {f"account.game.{each}" for each in literals(m.HistoryEntry, "game")}
    wanted |= {f"status.{each}" for each in literals(m.SeatView, "status")} - {"status.playing"}
    wanted |= {f"{kind}.{each}" for kind in ("did", "event.acted") for each in literals(m.Acted, "action")}
    wanted |= {f"did.{each}" for each in literals(m.Posted, "kind")}
    wanted |= {f"event.posted.{each}" for each in literals(m.Posted, "kind")}
    wanted |= {f"event.street.{each}" for each in get_args(m.StreetName)}
    wanted |= {
        f"{kind}.{each}" for kind in ("table", "event.table") for each in literals(m.TableNotice, "state")
    }
    wanted |= {f"notice.wait_ended.{each}" for each in literals(m.WaitEnded, "reason")}
    wanted |= {f"{length}.{category.name}" for length in ("rank", "rank_short") for category in HandCategory}
    wanted |= {f"rank.{rank}" for rank in "23456789TJQKA"} | {f"suit.{suit}" for suit in "cdhs"}
    assert wanted <= set(ENGLISH)


@pytest.mark.parametrize("language", TEXTS)
def test_the_start_page_names_no_single_game(language):
    """The room has more than hold'em."""
    assert "hold'em" not in TEXTS[language]["entrance.about"].lower()


MAY_BE_OF_A_CLUB = [
    "notice.seat_lost",
    "notice.removed_from_table",
    "notice.sng_prize",
    "notice.sng_refunded",
]
MAY_BE_OF_A_CLUB += [
    "notice.sng_removed",
    "hosted.remove_about",
    "private.remove_about",
    "leave.about",
    "results.about",
]
WALLETS = {"en": "wallet", "de": "guthaben", "pl": "portfel"}


@pytest.mark.parametrize("language", WALLETS)
def test_chips_that_may_be_those_of_a_club_go_to_no_wallet(language):
    """The same texts tell of a club's tables, where chips return to the club's balance."""
    texts = TEXTS[language] | {code: text for late in LATE.values() for code, text in late[language].items()}
    for code in MAY_BE_OF_A_CLUB:
        assert WALLETS[language] not in texts[code].lower(), code

"""The catalogues: complete, alike in every language, and without a text that is not used."""

from __future__ import annotations

import ast
import string
from pathlib import Path

import pytest

from pokerroom.rules.variants import HOLDEM, VARIANTS
from pokerroom.terminal import texts
from pokerroom.terminal.texts import LANGUAGES, catalogue, refusal, speak, t
from pokerroom.terminal.words import log_line
from pokerroom_protocol import Code
from pokerroom_protocol import messages as m

ENGLISH = catalogue("en")
REFUSALS = {f"error.{code}" for code in Code}
SOURCES = [ast.parse(path.read_text(encoding="utf-8")) for path in Path(texts.__file__).parent.glob("*.py")]


def forms(text: texts.Text) -> list[str]:
    return [text] if isinstance(text, str) else list(text.values())


def names(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_every_text(language):
    """The keys are those of English, and each refusal of the room has a translation."""
    own = catalogue(language)

    assert own.keys() == ENGLISH.keys() | (REFUSALS if language != "en" else set())
    for key, text in ENGLISH.items():
        expected = set().union(*map(names, forms(text)))
        assert isinstance(own[key], str) == isinstance(text, str), key
        assert all(names(form) == expected for form in forms(own[key])), key
        if isinstance(own[key], dict):
            assert own[key].keys() == ({"one", "few", "other"} if language == "pl" else {"one", "other"})


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_refusals_are_translated(language):
    """Each is told in the player's language; one of a later version as the room says it."""
    speak(language)

    assert refusal("table_full", "The table is full.") not in {"", "The table is full."}
    assert refusal("unheard_of", "Wait.") == "Wait."


def test_every_text_is_used_and_every_used_text_exists():
    """A key stands in the code in full, or as a section with a value of the protocol."""
    sections = {key.partition(".")[0] for key in ENGLISH}
    whole: set[str] = set()
    begun: set[str] = set()
    for tree in SOURCES:
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                begun.add(str(node.values[0].value))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                section, dot, key = node.value.partition(".")
                if section in sections and dot and key.isidentifier():
                    whole.add(node.value)
    starts = tuple(start for start in begun if start.partition(".")[0] in sections and start.endswith("."))

    assert whole <= ENGLISH.keys()
    assert {key for key in ENGLISH if key not in whole and not key.startswith(starts)} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_and_structure_has_a_name(language):
    """Hold'em needs none: a table without a name of its game is one of hold'em."""
    wanted = {f"game.{name}" for name in VARIANTS.keys() - {HOLDEM.name}}
    wanted |= {f"structure.{name}" for variant in VARIANTS.values() for name in variant.structures}
    assert wanted <= catalogue(language).keys()


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "ada raises to 6.50, all-in (time)"),
        ("de", "ada erhöht auf 6,50, all-in (Zeit)"),
        ("pl", "ada przebija do 6,50, all-in (czas)"),
    ],
)
def test_the_log_is_in_the_language(language, line):
    """Sentences and amounts follow the language."""
    speak(language)
    event = m.Acted(
        table="t",
        seq=1,
        hand_id="h",
        seat=1,
        action="raise",
        added=500,
        bet=650,
        stack=0,
        all_in=True,
        by_clock=True,
    )

    assert log_line(event, {1: "ada"}) == line
    assert t("rank.pair") != t("rank.flush")


@pytest.mark.parametrize("language", LANGUAGES)
def test_chips_that_may_be_those_of_a_club_go_to_no_wallet(language):
    """The same texts tell of a club's tables and sit-and-gos, where chips return to the club's balance."""
    wallet = {"en": "wallet", "de": "guthaben", "pl": "portfel"}[language]
    for key in ("private.removed", "private.you_removed", "table.stands_up", "lobby.unregistered"):
        assert wallet not in str(catalogue(language)[key]).lower(), key

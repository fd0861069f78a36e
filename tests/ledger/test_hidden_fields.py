"""What is secret, and records with hidden cards, are in no text of an object: such texts get into logs and errors."""

import pkgutil
from dataclasses import fields, is_dataclass
from importlib import import_module

import pytest

import pokerroom.ledger

HIDDEN = {"record", "sealed", "secret", "salt", "token_hash", "earlier_hash", "answer", "text", "color"}

TOLD = {"AnnouncementRow.text", "NewAnnouncement.text"}
"""Every player reads it."""

CLASSES = sorted(
    {
        found
        for module in pkgutil.walk_packages(pokerroom.ledger.__path__, "pokerroom.ledger.")
        for found in vars(import_module(module.name)).values()
        if isinstance(found, type)
        and is_dataclass(found)
        and found.__module__.startswith("pokerroom.ledger.")
    },
    key=lambda found: found.__qualname__,
)


@pytest.mark.parametrize("known", ["BookedHand", "HandSettlement", "PlayerNoteRow", "SharedHandRow"])
def test_the_classes_of_the_ledger_are_all_looked_at(known):
    """Else the test below finds nothing."""
    assert known in {found.__name__ for found in CLASSES}


def test_no_text_of_an_object_has_a_record_or_a_secret():
    """A field with one of these names says `repr=False`."""
    shown = {
        f"{found.__name__}.{field.name}"
        for found in CLASSES
        if found.__dataclass_params__.repr
        for field in fields(found)
        if field.name in HIDDEN and field.repr
    }
    assert shown == TOLD

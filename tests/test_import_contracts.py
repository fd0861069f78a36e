"""The allow-list contract of the import linter: it finds every import that the list does not name."""

from __future__ import annotations

import grimp

from deploy.import_contracts import broken_imports


def graph(*imports: tuple[str, str]) -> grimp.ImportGraph:
    made = grimp.ImportGraph()
    for module in ("shop", "shop.front", "shop.front.till", "shop.back"):
        made.add_module(module)
    for importer, imported in imports:
        if imported not in made.modules:
            made.add_module(imported, is_squashed=not imported.startswith("shop"))
        made.add_import(importer=importer, imported=imported)
    return made


def test_itself_the_standard_library_and_the_list_are_allowed():
    """Imports of the package's own modules, of the standard library and of a listed package keep the contract."""
    kept = graph(("shop.front", "shop.front.till"), ("shop.front.till", "click"), ("shop.front", "asyncio"))

    assert broken_imports(kept, "shop.front", ["click"]) == []


def test_everything_else_breaks_it():
    """A module of the project and a library that the list does not name are found, in submodules too."""
    made = graph(("shop.front.till", "shop.back"), ("shop.front", "twisted"))

    assert broken_imports(made, "shop.front", ["click"]) == [
        ("shop.front", "twisted"),
        ("shop.front.till", "shop.back"),
    ]

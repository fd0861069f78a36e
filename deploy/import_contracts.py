"""A contract type for import-linter: an allow-list, which import-linter itself does not have.

`forbidden` names what a package may not import; a new package is then allowed by default. `allowed` names everything
that a package may import besides itself and the standard library. An import of anything else breaks the contract.
"""

import sys
from collections.abc import Iterable

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class AllowedContract(Contract):
    """Allow the source packages to import themselves, `allowed_packages` and the standard library, and nothing else."""

    source_packages = fields.ListField(subfield=fields.StringField())
    allowed_packages = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002 -- import-linter's signature
        """Collect the direct imports that the list does not allow."""
        broken = [
            pair
            for package in self.source_packages
            for pair in broken_imports(graph, package, self.allowed_packages)
        ]
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print each import that is not allowed."""
        for module, imported in check.metadata["broken"]:
            output.print_error(f"{module} imports {imported}, which is not in its list of allowed packages")


def broken_imports(graph: ImportGraph, package: str, allowed: Iterable[str]) -> list[tuple[str, str]]:
    """Return each import by a module of the package that is not allowed, as (importer, imported)."""
    known = {package, *allowed, *sys.stdlib_module_names}
    return [
        (module, imported)
        for module in sorted({package} | graph.find_descendants(package))
        for imported in sorted(graph.find_modules_directly_imported_by(module))
        if not _is_in(imported, known)
    ]


def _is_in(module: str, packages: set[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)

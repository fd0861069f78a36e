"""Errors in a ledger in memory that only a bug could make, for tests of its audit."""


class Inside:
    """The dictionaries of a `MemoryLedger`, by name. No public method writes an error, so the tests reach inside."""

    def __init__(self, ledger):
        for name, value in vars(ledger).items():
            setattr(self, name.removeprefix("_"), value)

"""What tests of the harness share."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from pokerroom.ops.embedded import remove_data
from tests import clusters
from tests.chaos.guard import Guard
from tests.chaos.services import Services

S = TypeVar("S", bound=Services)


@contextmanager
def services_of(kind: type[S]) -> Iterator[S]:
    """Services that nothing was started of; what is started within ends with it, and is removed."""
    with (
        clusters.copied(),
        Guard() as guard,
        tempfile.TemporaryDirectory() as folder,  # the path of a Unix socket is short
    ):
        Path(folder).chmod(0o711)
        services = kind(Path(folder) / "data", guard, lambda _: None)
        try:
            yield services
        finally:
            services.stop()
            for data in Path(folder).glob("data*"):
                remove_data(data)

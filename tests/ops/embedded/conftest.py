"""A data directory for tests of real services."""

import shutil

import pytest

from tests import clusters
from tests.ops.embedded.support import clean_up


@pytest.fixture(autouse=True)
def copied_cluster():
    """No test makes a cluster that another one has made."""
    with clusters.copied():
        yield


@pytest.fixture
def data():
    """A data directory of which nothing is left afterwards, no server and no file."""
    home = clusters.home("embedded-")
    yield home / "data"
    clean_up(home / "data")
    shutil.rmtree(home)

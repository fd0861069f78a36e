"""The compiled form passes the tests of rules, tables and games: the same ones, run once more against it."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALREADY = bool(os.environ.get("POKERROOM_TEST_COMPILED"))
HEADER = Path(sysconfig.get_paths()["include"]) / "Python.h"
COMPILER = (sysconfig.get_config_var("CC") or "cc").split()[0]


@pytest.mark.skipif(ALREADY, reason="this is that run")
@pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"no C compiler: {COMPILER}")
@pytest.mark.skipif(not HEADER.exists(), reason="Python's C headers are not installed")
@pytest.mark.timeout(1500)
@pytest.mark.slow
def test_what_is_compiled_passes_the_same_tests(tmp_path):
    """The wheel built with HATCH_BUILD_HOOK_ENABLE_MYPYC=1 plays every hand of these tests as the sources do."""
    # The environment that these tests run in stays as it is, even where it is no longer current.
    make = ["make", "-o", ".venv/.current", "compiled", f"COMPILED={tmp_path}"]
    made = subprocess.run(make, cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr

    package = tmp_path / "package"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", f"pythonpath={package}"]
    tested = subprocess.run(
        [*command, "tests/rules", "tests/table", "tests/poker", "tests/tournament"],
        cwd=ROOT,
        env={**os.environ, "POKERROOM_TEST_COMPILED": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert tested.returncode == 0, tested.stdout[-4000:]
    assert " passed" in tested.stdout

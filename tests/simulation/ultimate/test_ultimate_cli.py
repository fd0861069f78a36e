"""The command `pokerroom ultimate simulate`."""

import json
import sys

import pytest
from click.testing import CliRunner, Result

from pokerroom.cli import main
from pokerroom.simulation.ultimate import reference
from pokerroom.simulation.ultimate.reference import Exact, Qualification


def simulate(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["ultimate", "simulate", "--jobs", "1", *arguments])


def test_json_has_the_figures():
    """One object: rounds, EV with its error, the exact one, z, shares, qualification, Trips and the speed."""
    result = simulate("--rounds", "20000", "--qualify", "any_pair", "--seed", "2", "--json")

    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert (facts["rounds"], facts["qualify"], facts["strategy"], facts["seed"]) == (
        20_000,
        "any_pair",
        "practical",
        2,
    )
    assert facts["exact"] == -0.0245359643
    assert facts["standard_error"] == pytest.approx(4.943186 / 20_000**0.5)
    assert facts["z"] == pytest.approx((facts["ev_per_ante"] - facts["exact"]) / facts["standard_error"])
    assert set(facts["shares"]) == {"4x", "2x", "1x", "fold"}
    assert sum(facts["shares"].values()) == pytest.approx(1)
    assert 0.8 < facts["bank_qualifies"] < 0.85
    assert 0.8 < facts["trips_return"] < 1.1
    assert facts["rounds_per_s"] > 0


def test_for_the_eye_it_says_both_figures():
    """Without --json each figure stands beside its exact one."""
    result = simulate("--rounds", "1000", "--qualify", "pair_of_fours")

    assert result.exit_code == 0, result.output
    assert "1,000 rounds" in result.stdout
    assert "exact -0.057813" in result.stdout
    assert "exact  96.5021%" in result.stdout
    assert "exact  75.7772%" in result.stdout


def test_a_disagreement_is_an_error(monkeypatch):
    """Four standard errors from the exact figure exit with 1."""
    wrong = {Qualification.any_pair: Exact(ev=1.0, sd=4.9, bank_qualifies=0.8)}
    monkeypatch.setattr("pokerroom.simulation.ultimate.run.PRACTICAL", wrong)

    result = simulate("--rounds", "20000", "--qualify", "any_pair", "--json")

    assert result.exit_code == 1
    assert json.loads(result.stdout)["z"] < -4
    assert reference.PRACTICAL[Qualification.any_pair].ev < 0


def test_without_numpy_it_says_what_to_install(monkeypatch):
    """The extra that is missing is named, without a traceback."""
    monkeypatch.delitem(sys.modules, "pokerroom.simulation.ultimate.run", raising=False)
    monkeypatch.setitem(sys.modules, "numpy", None)
    for module in ("batch", "ranks"):
        monkeypatch.delitem(sys.modules, f"pokerroom.simulation.ultimate.{module}", raising=False)

    result = simulate("--rounds", "10", "--qualify", "any_pair")

    assert result.exit_code == 1
    assert "pokerroom[ultimate]" in result.output


@pytest.mark.parametrize(
    "wrong",
    [
        ["--rounds", "0", "--qualify", "any_pair"],
        ["--rounds", "10", "--qualify", "any_two"],
        ["--rounds", "10"],
        ["--rounds", "10", "--qualify", "any_pair", "--strategy", "hopeful"],
    ],
)
def test_what_cannot_be_simulated(wrong):
    """Options that say nothing are usage errors."""
    assert simulate(*wrong).exit_code == 2

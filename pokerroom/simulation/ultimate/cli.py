"""The command `pokerroom ultimate simulate`: the house's edge by playing, beside the exact one."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from pokerroom.rules.ultimate.terms import Qualification
from pokerroom.simulation.ultimate.reference import PRACTICAL, SHARES, TRIPS_RETURN

if TYPE_CHECKING:
    from pokerroom.simulation.ultimate.run import Simulated

AGREES_Z = 4.0
"""From so many standard errors on, a simulation and the exact figure disagree."""
_NAMES = {4: "4x", 2: "2x", 1: "1x", 0: "fold"}


@click.group("ultimate")
def ultimate_commands() -> None:
    """Ultimate Texas Hold'em: what its rules come to."""


@ultimate_commands.command("simulate")
@click.option(
    "--rounds", type=click.IntRange(1), default=10_000_000, show_default=True, help="Rounds to play."
)
@click.option(
    "--qualify",
    type=click.Choice([one.value for one in Qualification]),
    required=True,
    help="The least hand with which the bank plays for the Ante.",
)
@click.option(
    "--strategy",
    type=click.Choice(["practical"]),
    default="practical",
    show_default=True,
    help="How the player decides.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="The same seed, the same run."
)
@click.option(
    "--jobs", type=click.IntRange(1), default=None, help="Processes. Default: one for each processor."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def simulate_command(
    *, rounds: int, qualify: str, strategy: str, seed: int, jobs: int | None, as_json: bool
) -> None:
    """Play Ultimate Texas Hold'em by a strategy, with an Ante and Trips, and compare with the exact figures.

    Exit 1 if the EV is four standard errors or more from the exact one. Needs numpy: the extra `ultimate`.
    """
    try:
        from pokerroom.simulation.seeds import cores  # noqa: PLC0415 -- the other commands start faster without it
        from pokerroom.simulation.ultimate.run import simulate  # noqa: PLC0415 -- as above, and it needs an extra
    except ModuleNotFoundError as missing:
        if missing.name != "numpy":
            raise
        raise click.ClickException(
            "the simulation counts with numpy: pip install 'pokerroom[ultimate]'"
        ) from missing
    qualification = Qualification(qualify)
    if sys.stderr.isatty():
        with click.progressbar(length=rounds, label="rounds", file=sys.stderr) as bar:
            found = simulate(
                qualification,
                rounds=rounds,
                seed=seed,
                jobs=jobs or cores(),
                done=bar.update,
            )
    else:
        found = simulate(qualification, rounds=rounds, seed=seed, jobs=jobs or cores())
    z = found.tally.z(qualification)
    if as_json:
        click.echo(json.dumps(_facts(found, qualification, strategy, seed)))
    else:
        _tell(found, qualification)
    sys.exit(0 if abs(z) < AGREES_Z else 1)


def _facts(found: Simulated, qualification: Qualification, strategy: str, seed: int) -> dict[str, object]:
    tally = found.tally
    return {
        "rounds": tally.rounds,
        "qualify": qualification.value,
        "strategy": strategy,
        "seed": seed,
        "ev_per_ante": tally.ev_per_ante,
        "standard_error": tally.standard_error(qualification),
        "standard_deviation": tally.deviation,
        "exact": PRACTICAL[qualification].ev,
        "z": tally.z(qualification),
        "shares": {name: tally.share(multiple) for multiple, name in _NAMES.items()},
        "bank_qualifies": tally.qualified / tally.rounds,
        "trips_return": tally.trips_return,
        "seconds": round(found.seconds, 2),
        "rounds_per_s": round(tally.rounds / found.seconds),
    }


def _tell(found: Simulated, qualification: Qualification) -> None:
    tally, exact = found.tally, PRACTICAL[qualification]
    click.echo(
        f"{tally.rounds:,} rounds in {found.seconds:.1f} s ({tally.rounds / found.seconds:,.0f} rounds/s), "
        f"the bank qualifying with {qualification.value}"
    )
    click.echo(
        f"EV per Ante    {tally.ev_per_ante:+.6f} ± {tally.standard_error(qualification):.6f}"
        f"   exact {exact.ev:+.6f}   z {tally.z(qualification):+.2f}"
    )
    for multiple, name in _NAMES.items():
        click.echo(f"{name:<14} {tally.share(multiple):9.4%}           exact {SHARES[multiple]:9.4%}")
    click.echo(
        f"bank qualifies {tally.qualified / tally.rounds:9.4%}           exact {exact.bank_qualifies:9.4%}"
    )
    click.echo(f"Trips returns  {tally.trips_return:9.4%}           exact {TRIPS_RETURN:9.4%}")

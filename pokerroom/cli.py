"""The command `pokerroom`: run a room, check its settings, audit its money, operate it, load-test it.

Commands parse, call, and print; what they do lives elsewhere.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import click

from pokerroom.bots.cli import swarm
from pokerroom.history.cli import replay_command
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.migrations import SchemaMismatch
from pokerroom.ops import logs
from pokerroom.ops.cli import CONFIG_OPTION, table_commands, timeouts_command
from pokerroom.ops.config import RoomConfig, default_config_path, load
from pokerroom.ops.config_reader import ConfigError
from pokerroom.ops.embedded import (
    Addresses,
    EmbeddedError,
    EmbeddedServices,
    attached,
    check_journal_key,
    default_data_dir,
    journal_key,
    running_database,
)
from pokerroom.ops.environment import Environment
from pokerroom.simulation.cli import simulate_command
from pokerroom.simulation.ultimate.cli import ultimate_commands


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("pokerroom"), prog_name="pokerroom")
def main() -> None:
    """A multiplayer poker room backend."""


@main.command()
@CONFIG_OPTION
def serve(config_path: Path | None) -> None:
    """Run a room until Ctrl-C.

    PostgreSQL and Redis are those of POKERROOM_DATABASE_URL and POKERROOM_REDIS_URL; without them the room starts
    its own, with their data below POKERROOM_DATA_DIR.
    """
    with _told():
        environment = Environment.read(os.environ)
        config = environment.applied_to(load(config_path or default_config_path()))
        logs.configure(form=environment.log_form, level=environment.log_level)
        data_dir = default_data_dir()
        key = journal_key(data_dir)
        # SIGTERM before the room handles it: what was started is stopped on the way out, as after Ctrl-C
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        with _services(environment, data_dir) as (addresses, watch):
            from pokerroom.app import Services, run  # noqa: PLC0415 -- the other commands start faster without it

            services = Services(
                database_url=addresses.database_url,
                redis_url=addresses.redis_url,
                journal_key=key,
            )
            code = run(config, services, watch)
    sys.exit(code)


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def audit(as_json: bool) -> None:
    """Prove that no chip was lost or made; exit 1 otherwise.

    Works beside a running room or without one.
    """
    from pokerroom.app import audited  # noqa: PLC0415 -- as above

    with _told():
        environment = Environment.read(os.environ)
        with _database(environment) as database_url:
            report = asyncio.run(audited(database_url))
    if as_json:
        facts = {
            "differences": len(report.differences),
            "accounts": report.accounts,
            "transfers": report.transfers,
            "hands": report.hands,
            "total": report.total,
        }
        click.echo(json.dumps(facts))
    else:
        click.echo(f"{report.accounts} accounts, {report.transfers} transfers, {report.hands} hands,")
        click.echo(f"total {report.total // 100}.{report.total % 100:02d} credits: ", nl=False)
        click.echo(f"{len(report.differences)} differences")
    for difference in report.differences:
        click.echo(difference, err=True)
    sys.exit(1 if report.differences else 0)


@main.group()
def config() -> None:
    """Look at settings."""


@config.command()
@click.argument("path", type=click.Path(path_type=Path, dir_okay=False), required=False)
def check(path: Path | None) -> None:
    """Check a settings file and the environment; explain every error with its line."""
    with _told():
        found = _checked(path or default_config_path())
    click.echo(f"{path or default_config_path()}: {len(found.tables)} tables, no errors")


main.add_command(swarm)
main.add_command(replay_command)
main.add_command(simulate_command)
main.add_command(table_commands)
main.add_command(timeouts_command)
main.add_command(ultimate_commands)


def _checked(path: Path) -> RoomConfig:
    check_journal_key()
    return Environment.read(os.environ).applied_to(load(path))


@contextmanager
def _told() -> Iterator[None]:
    """What the operator can mend is told without a traceback, with exit code 2."""
    try:
        yield
    except (ConfigError, EmbeddedError, LedgerUnavailable, SchemaMismatch) as error:
        click.echo(str(error), err=True)
        sys.exit(2)


@contextmanager
def _services(
    environment: Environment, data_dir: Path
) -> Iterator[tuple[Addresses, Callable[[], None] | None]]:
    """The services of the environment; or the room's own for as long as it runs, and what keeps them running."""
    database_url, redis_url = environment.database_url, environment.redis_url
    if database_url and redis_url:
        yield Addresses(database_url=database_url, redis_url=redis_url), None
        return
    own = EmbeddedServices(data_dir, click.echo)
    addresses = own.start()
    try:
        yield addresses, own.revive
    finally:
        own.stop()


@contextmanager
def _database(environment: Environment) -> Iterator[str]:
    """The ledger of the environment, of the running room, or started for the time of the command."""
    if environment.database_url:
        yield environment.database_url
        return
    data_dir = default_data_dir()
    if running := running_database(data_dir):
        yield running
        return
    if not data_dir.is_dir():
        raise EmbeddedError(
            f"no room has kept its data in {data_dir}; set POKERROOM_DATA_DIR to where it has"
        )
    with attached(data_dir, lambda line: click.echo(line, err=True)) as addresses:
        yield addresses.database_url

"""The command `pokerroom`: run a room, play in it, check its settings, audit its money, operate it, load-test it.

Commands parse, call, and print; what they do lives elsewhere.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import click

from pokerroom.account_commands import account_commands
from pokerroom.announcement_commands import announcement_commands
from pokerroom.archive_commands import archive_command
from pokerroom.audit.since import Since
from pokerroom.backup import Database, backup_commands
from pokerroom.bots.cli import swarm
from pokerroom.bridge import as_future
from pokerroom.cashier import cashier_commands
from pokerroom.club_commands import club_commands
from pokerroom.history.cli import hand_command, replay_command
from pokerroom.history.export_command import history_commands
from pokerroom.history.hidden_cards import HAND_RECORDS
from pokerroom.history.statistics.command import statistics_commands
from pokerroom.ledger.api import BackupFailed, LedgerUnavailable, SchemaMismatch
from pokerroom.ledger.archives import ArchiveLedger
from pokerroom.ledger.checkpoints import CheckpointKey
from pokerroom.ledger.operator_log import LogHead
from pokerroom.ledger.retention import Erased, erase_old
from pokerroom.ledger.whole import WholeLedger
from pokerroom.offer_commands import offer_commands
from pokerroom.operator_accounts import operator_account_commands
from pokerroom.ops import logs
from pokerroom.ops.certificate import CertificateUnusable, check_certificate
from pokerroom.ops.config import ListenConfig, RoomConfig, default_config_path, load
from pokerroom.ops.config_reader import ConfigError
from pokerroom.ops.early_end import EarlyEnd
from pokerroom.ops.embedded import (
    Addresses,
    EmbeddedError,
    EmbeddedServices,
    attached,
    check_journal_key,
    default_data_dir,
    find_newest_dump_tool,
    journal_keys,
    known_journal_keys,
    running,
    running_database,
)
from pokerroom.ops.environment import Environment
from pokerroom.ops.lasting_stream import open_closed_streams, tell
from pokerroom.ops.operator_cli import operator_commands
from pokerroom.ops.operator_client import CONFIG_OPTION, REASON_OPTION, acting, local_acting
from pokerroom.parent_process import ParentProcess, tell_ready
from pokerroom.report_commands import report_commands
from pokerroom.simulation.cli import simulate_command
from pokerroom.simulation.ultimate.cli import ultimate_commands
from pokerroom.supervisor import Supervisor, as_lines, looked_after, node_command
from pokerroom.table.seal import Seal
from pokerroom.terminal.cli import play_command
from pokerroom.verifier.command import verify_command
from pokerroom.verifier.published import Published
from pokerroom.verifier.rows import UnreadableRows
from pokerroom.wallet_commands import wallet_commands
from pokerroom.webhook_commands import webhook_commands

if TYPE_CHECKING:  # the other commands start faster without it
    from pokerroom.audit.room import Audit

T = TypeVar("T")

NODES_MAX = 64


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("pokerroom"), prog_name="pokerroom")
def main() -> None:
    """A multiplayer poker room backend."""


@main.command()
@CONFIG_OPTION
@click.option(
    "--nodes",
    type=click.IntRange(1, NODES_MAX),
    default=1,
    show_default=True,
    help="Run this many processes as one room, behind one set of ports.",
)
@click.option("--supervised", hidden=True, help="For the processes of --nodes.")
def serve(config_path: Path | None, nodes: int, supervised: str | None) -> None:
    """Run a room until Ctrl-C.

    PostgreSQL and Redis are those of POKERROOM_DATABASE_URL and POKERROOM_REDIS_URL. Without them the room starts its
    own, with their data below POKERROOM_DATA_DIR. Rooms on the same PostgreSQL and Redis act as one room.
    """
    open_closed_streams()
    parent = None if supervised is None else ParentProcess.of_option(supervised)
    with cli_errors():
        environment = Environment.read(os.environ)
        config = environment.applied_to(load(config_path or default_config_path()))
        check_certificate(config.tls)
        number = None if parent is None else parent.number
        logs.configure(form=environment.log_form, level=environment.log_level, node_number=number)
        data_dir = default_data_dir()
        keys = journal_keys(data_dir)
        early_end = EarlyEnd()
        if nodes > 1:
            code = _serve_many(
                nodes, config.listen, config_path, partial(_services, environment, data_dir, early_end)
            )
        else:
            with _services(environment, data_dir, early_end) as (addresses, watch):
                from pokerroom.app import Services, run  # noqa: PLC0415 -- the other commands start faster without it

                services = Services(
                    database_url=addresses.database_url,
                    owner_database_url=addresses.owner_database_url,
                    redis_url=addresses.redis_url,
                    journal_keys=keys,
                    data_dir=data_dir,
                )
                code = run(config, services, watch, parent)
        # the process is ending: a second signal during the interpreter's shutdown must not change the exit code
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(code)


def _serve_many(
    nodes: int,
    listen: ListenConfig,
    config_path: Path | None,
    services: Callable[[], AbstractContextManager[tuple[Addresses, Callable[[], None] | None]]],
) -> int:
    """Run a room of several processes below this one; return the exit code."""
    from pokerroom.ports import shared_ports  # noqa: PLC0415 -- as above

    with shared_ports(listen, nodes) as ports, services() as (addresses, watch):

        def variables(number: int) -> dict[str, str]:
            owner = addresses.owner_database_url
            return {
                "POKERROOM_DATABASE_URL": addresses.database_url,
                **({} if owner is None else {"POKERROOM_OWNER_DATABASE_URL": owner}),
                "POKERROOM_REDIS_URL": addresses.redis_url,
                **ports[number - 1],
            }

        arguments = [] if config_path is None else ["--config", str(config_path)]
        supervisor = Supervisor(
            nodes,
            node_command(arguments, variables),
            ready=lambda lines: tell_ready(as_lines(lines), f" with {nodes} nodes"),
            refused=lambda reason: tell(f"pokerroom: {reason}"),
        )
        with looked_after(watch):
            return supervisor.run()


@main.command()
def migrate() -> None:
    """Bring the database to the version of this program, after an upgrade of pokerroom.

    Make a backup first. Nodes that can go on beside the new version play meanwhile. While others are connected nothing
    is changed, and the command says so. A room with its own servers does this at its start.
    """
    with cli_errors(), _found_services(Environment.read(os.environ)) as (database, _):
        versions = _upgrade(*database)
    done = f"applied: {', '.join(map(str, versions))}" if versions else "there was none to apply"
    click.echo(f"The database has the version of this program. Migrations: {done}.")


@main.command()
@CONFIG_OPTION
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--log-head",
    "heads",
    multiple=True,
    metavar="N:HASH",
    callback=lambda _context, _option, texts: [_log_head(text) for text in texts],
    help="A head of the operators' log, from operator_log.head in the room's own log: check its line.",
)
@click.option(
    "--since",
    metavar="NUMBER|TIME",
    callback=lambda _context, _option, text: _since(text),
    help="Follow only the transfers after this number, which the last audit printed, or since a time (UTC).",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    default=os.cpu_count() or 1,
    help="So many processes play hands again.  [default: the number of processors]",
)
@click.option(
    "--published",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="A file of published checkpoints, or a copy of it: none of them may be missing."
    "  [default: that of the settings, where it exists]",
)
@click.option(
    "--archive",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="The directory of `pokerroom archive`: its files are compared, and their hands played again.",
)
def audit(  # noqa: PLR0917 -- options of the command
    config_path: Path | None,
    as_json: bool,
    heads: list[LogHead],
    since: Since,
    jobs: int,
    published: Path | None,
    archive: Path | None,
) -> None:
    """Prove that no chip was lost or made, and that each hand went as its record says; exit 1 otherwise.

    Adds up the whole ledger, plays every recorded hand and round again by the rules, and checks what each transfer may
    move and that no line of the operators' log was changed. Includes the hands in progress, and prints what would
    become of them with these settings. Works beside a running room or without one. If there is a difference, it
    writes a line to the operators' log, and changes nothing else.
    """
    from pokerroom.adapters import opened_journal, opened_ledger  # noqa: PLC0415 -- as above
    from pokerroom.audit.report import ProgressLine, print_audit  # noqa: PLC0415 -- as above
    from pokerroom.audit.room import audited, log_failure  # noqa: PLC0415 -- as above
    from pokerroom.audit.workers import Workers  # noqa: PLC0415 -- as above
    from pokerroom.table_factory import all_settings  # noqa: PLC0415 -- as above

    with cli_errors():
        environment = Environment.read(os.environ)
        config = load(config_path or default_config_path())
        tables = all_settings(config)
        file = _published_file(config, published)
        with _found_services(environment) as (database, redis_url):
            keys = known_journal_keys(default_data_dir())

            async def work() -> Audit:
                open_journal = None if redis_url is None else partial(opened_journal, redis_url)
                async with opened_ledger(*database) as ledger:
                    found = await audited(
                        ledger,
                        open_journal,
                        tables,
                        keys,
                        heads,
                        since=since,
                        # read before the ledger is: what is published was committed before
                        published=None if file is None else Published.of(file),
                        archive=archive,
                        progress=ProgressLine(),
                        workers=Workers(
                            jobs=jobs,
                            open_ledger=partial(opened_ledger, *database),
                            keys=keys,
                            archive=archive,
                        ),
                    )
                    if found.count:
                        await log_failure(ledger, found.count, local_acting())
                    return found

            found = asyncio.run(work())
    print_audit(found, as_json=as_json, every_s=config.checkpoints.every_s)
    if since.at_ms is not None and not found.books.followed:
        click.echo("no transfer is as new as --since: none was followed", err=True)
    sys.exit(1 if found.differences else 0)


def _published_file(config: RoomConfig, given: Path | None) -> Path | None:
    """Return the file of published checkpoints; None if there is none, which is said where the settings name one."""
    named = Path(config.checkpoints.file) if config.checkpoints.file else None
    if given is None and named is not None and not named.exists():
        click.echo(
            f"published checkpoints are not compared: there is no {named} here. Give a copy with --published.",
            err=True,
        )
        return None
    return given or named


def _since(text: str | None) -> Since:
    try:
        return Since.read(text or "0")
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def _log_head(text: str) -> LogHead:
    try:
        return LogHead.read(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@main.command()
@CONFIG_OPTION
@REASON_OPTION
def erase(config_path: Path | None, reason: str) -> None:
    """Erase now what is older than the days in `[retention]` of the settings.

    A node does it once a day. What is erased does not come back.
    """
    from pokerroom.adapters import opened_ledger  # noqa: PLC0415 -- as above

    by = acting(_on_ledger, reason, "erase")
    with cli_errors():
        settings = load(config_path or default_config_path())
        with _found_services(Environment.read(os.environ)) as (database, _):

            async def work() -> tuple[bool, Erased]:
                async with opened_ledger(*database) as ledger:
                    kept = await as_future(ledger.keep_cards(settings.retention.hands_days))
                    erasing = erase_old(ledger, settings.retention, settings.sessions.lifetime, by)
                    return kept, await as_future(erasing)

            set_now, erased = asyncio.run(work())
    click.echo(
        f"{erased.hands} hands have lost their hidden cards, {erased.sessions} log-ins, {erased.messages} messages"
        f" of webhooks and {erased.debits} refused debits were removed"
    )
    if not set_now:
        click.echo("hands_days is not set: set POKERROOM_OWNER_DATABASE_URL for this command", err=True)
        sys.exit(1)


@main.group()
def checkpoint() -> None:
    """Look at the keys with which checkpoints of the ledger are signed."""


@checkpoint.command("public-key")
def public_key() -> None:
    """Print the public keys of the room, the present one first, for `pokerroom verify-dump`.

    They follow from POKERROOM_JOURNAL_KEY, or from `journal.key` in the data directory. Keep a copy where the people
    who operate the database cannot change it.
    """
    with cli_errors():
        keys = known_journal_keys(default_data_dir())
        if keys is None:
            raise EmbeddedError("set POKERROOM_JOURNAL_KEY, or POKERROOM_DATA_DIR to the room's directory")
    click.echo("".join(CheckpointKey(key).pem() for key in keys), nl=False)


@main.group()
def config() -> None:
    """Look at settings."""


@config.command()
@click.argument("path", type=click.Path(path_type=Path, dir_okay=False), required=False)
def check(path: Path | None) -> None:
    """Check a settings file and the environment; explain every error with its line."""
    with cli_errors():
        found = _checked(path or default_config_path())
    counted = (
        (len(found.tables), "cash table", "cash tables"),
        (len(found.ultimate), "Ultimate table", "Ultimate tables"),
        (len(found.sit_and_gos), "sit-and-go", "sit-and-gos"),
        (len(found.tournaments), "tournament", "tournaments"),
        (len(found.leagues), "league", "leagues"),
    )
    present = [f"{count} {one if count == 1 else many}" for count, one, many in counted if count]
    click.echo(f"{path or default_config_path()}: {', '.join([*present, 'no errors'])}")
    offers = {offer.id for offer in (*found.sit_and_gos, *found.tournaments)}
    for league in found.leagues:
        for unknown in [offer for offer in league.offers if offer not in offers]:
            click.echo(
                f'league "{league.id}": no tournament here has the id "{unknown}"; do operators offer it?'
            )
    now_ms = int(time.time() * 1_000)
    for over in [offer for offer in found.tournaments if offer.is_over(now_ms)]:
        click.echo(
            f'tournament "{over.id}": its start is past, so the room opens none; change start, or leave it out'
        )


main.add_command(play_command)
main.add_command(swarm)
main.add_command(replay_command)
main.add_command(simulate_command)
for command in operator_commands():
    main.add_command(command)
main.add_command(ultimate_commands)


def _checked(path: Path) -> RoomConfig:
    check_journal_key()
    config = Environment.read(os.environ).applied_to(load(path))
    check_certificate(config.tls)
    return config


@contextmanager
def cli_errors() -> Iterator[None]:
    """Print an error that the operator can correct without a traceback, and exit with code 2."""
    try:
        yield
    except (
        BackupFailed,
        CertificateUnusable,
        ConfigError,
        EmbeddedError,
        LedgerUnavailable,
        SchemaMismatch,
        UnreadableRows,
    ) as error:
        click.echo(str(error), err=True)
        sys.exit(2)


@contextmanager
def _services(
    environment: Environment, data_dir: Path, early_end: EarlyEnd
) -> Iterator[tuple[Addresses, Callable[[], None] | None]]:
    """Yield the services of the environment with None; or start embedded ones, and yield them with the function that
    revives them.
    """
    database_url, redis_url = environment.database_url, environment.redis_url
    if database_url and redis_url:
        addresses = Addresses(
            database_url=database_url, redis_url=redis_url, owner_database_url=environment.owner_database_url
        )
        yield addresses, None
        return
    own = EmbeddedServices(data_dir, tell)
    try:
        addresses = own.start()
        if environment.database_url is None:  # no other room can use it
            _upgrade(addresses.database_url, addresses.owner_database_url)
        early_end.heed()
        yield addresses, own.revive
    finally:
        own.stop()


@contextmanager
def _room_stores() -> Iterator[tuple[Database, str | None]]:
    """Yield the stores of the room, as `_found_services` finds them."""
    with cli_errors(), _found_services(Environment.read(os.environ)) as found:
        yield found


@contextmanager
def _new_stores() -> Iterator[tuple[Database, str | None]]:
    """Yield the stores of the environment; or start embedded ones, in a new data directory if there is none yet."""
    with cli_errors():
        environment = Environment.read(os.environ)
        if environment.database_url:
            yield (environment.database_url, environment.owner_database_url), environment.redis_url
            return
        own = EmbeddedServices(default_data_dir(), lambda line: click.echo(line, err=True))
        try:
            addresses = own.start()
            yield (addresses.database_url, addresses.owner_database_url), addresses.redis_url
        finally:
            own.stop()


def _upgrade(url: str, owner_url: str | None) -> list[int]:
    from pokerroom.adapters import upgraded  # noqa: PLC0415 -- the other commands start faster without it

    return asyncio.run(upgraded(url, owner_url))


class _CommandLedger(WholeLedger, ArchiveLedger, Protocol):
    """What the commands need of the ledger."""


def _on_ledger(work: Callable[[_CommandLedger], Awaitable[T]]) -> T:
    """Run `work` on the ledger that `_found_services` finds."""
    from pokerroom.adapters import opened_ledger  # noqa: PLC0415 -- the other commands start faster without it

    async def run(urls: Database) -> T:
        async with opened_ledger(*urls) as ledger:
            return await as_future(work(ledger))

    with cli_errors(), _found_services(Environment.read(os.environ)) as (database, _):
        return asyncio.run(run(database))


@contextmanager
def _found_services(environment: Environment) -> Iterator[tuple[Database, str | None]]:
    """Yield the addresses of PostgreSQL and Redis of the environment or of the running room, or start both for a while.

    Redis is None if the room's Redis is unavailable while its PostgreSQL runs.
    """
    if environment.database_url:
        yield (environment.database_url, environment.owner_database_url), environment.redis_url
        return
    data_dir = default_data_dir()
    if running(data_dir) is None and (database := running_database(data_dir)):
        yield database, None
        return
    if not data_dir.is_dir():
        raise EmbeddedError(f"there is no room's data in {data_dir}: set POKERROOM_DATA_DIR to its directory")
    with attached(data_dir, lambda line: click.echo(line, err=True)) as addresses:
        yield (addresses.database_url, addresses.owner_database_url), addresses.redis_url


def _find_seal() -> Seal | None:
    with cli_errors():
        keys = known_journal_keys(default_data_dir())
    return None if keys is None else Seal(*keys).of(HAND_RECORDS)


main.add_command(offer_commands)
main.add_command(wallet_commands)
main.add_command(webhook_commands)
main.add_command(cashier_commands(_on_ledger))
main.add_command(account_commands(_on_ledger))
main.add_command(hand_command(_on_ledger, _find_seal))
main.add_command(history_commands(_on_ledger, _find_seal))
main.add_command(operator_account_commands(_on_ledger))
main.add_command(report_commands(_on_ledger))
main.add_command(announcement_commands(_on_ledger))
main.add_command(club_commands(_on_ledger))
main.add_command(statistics_commands(_on_ledger))
main.add_command(archive_command(_on_ledger))
main.add_command(verify_command(find_newest_dump_tool, cli_errors))
for command in backup_commands(_room_stores, _new_stores):
    main.add_command(command)


def _say_in_full(group: click.Group) -> None:
    """List each command with the whole first sentence of its help; click would cut it to one line."""
    for each in group.commands.values():
        each.short_help = each.get_short_help_str(limit=1000)
        if isinstance(each, click.Group):
            _say_in_full(each)


_say_in_full(main)

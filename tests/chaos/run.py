"""One run: services, proxies, nodes, swarm, nemesis, and at the end the checks. Nothing of it stays but the report."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import psycopg
import redis

from tests.chaos import fields, friends, offers, private_sit_and_gos, rounds, tickets, tournaments
from tests.chaos.checks import check_all, check_resting
from tests.chaos.clear import in_files, in_logs, in_redis
from tests.chaos.crowd import Crowd, open_accounts
from tests.chaos.deafness import Deafness
from tests.chaos.drill import Drill
from tests.chaos.evidence import Evidence
from tests.chaos.guard import Guard
from tests.chaos.lost_hands import check_followed
from tests.chaos.nemesis import Nemesis
from tests.chaos.nodes import Nodes, room_config
from tests.chaos.outcome import Outcome, check_outcome, criticals, log_lines, missing_entries
from tests.chaos.player import Around, Player
from tests.chaos.point_in_time import PointInTimeDrill
from tests.chaos.program import clean_environment, differences
from tests.chaos.proxy import Proxies
from tests.chaos.reading import Reader
from tests.chaos.records import WATCH, chips, owners, read_books
from tests.chaos.redis_cluster import ClusterServices
from tests.chaos.report import report
from tests.chaos.sentinels import SentinelServices
from tests.chaos.services import Services
from tests.chaos.stage import Stage
from tests.chaos.supervised_nodes import SupervisedNodes
from tests.chaos.swarms import Swarms
from tests.chaos.timeline import draw
from tests.chaos.versions import Versions

S = TypeVar("S", bound=Swarms)
P = TypeVar("P", bound=friends.Party)

SERVICES: Final[dict[str, type[Services]]] = {
    "one": Services,
    "sentinel": SentinelServices,
    "cluster": ClusterServices,
}
"""By what the room has for Redis."""

SETTLE_DOWN_S: Final = 40.0
OVER_TIME_S: Final = 420.0
"""What a run may take beside its seconds: start, the last recovery, rest, checks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is asked of a run."""

    seconds: float
    seed: int
    nodes: int
    tables: int
    seats: int
    crowd: int
    sng_bots: int
    field_bots: int
    house_bots: int
    parties: int
    think_ms: int
    kinds: tuple[str, ...]
    kills: int | None
    """After so many killed nodes it ends before its time."""
    redis: str
    """A key of `SERVICES`."""
    supervised: bool
    drill: bool
    point_in_time: bool
    """The drill restores to a moment, from a base backup and archived WAL."""
    upgrade_from: str
    """The commit of an earlier version; empty: all nodes have this one."""
    command: tuple[str, ...]
    out: Path


def run(options: Options, tell: Callable[[str], None]) -> dict[str, Any]:
    """Returns the report. Ends all that it has started, whatever happens."""
    options.out.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="pokerroom-chaos-"))
    work.chmod(0o711)  # under root the servers run as another user, which must pass
    with Guard() as guard:
        guard.remove(work)
        services = SERVICES[options.redis](work / "data", guard, tell)
        services.archives = options.point_in_time
        guard.remove(services.places.shelter)
        try:
            return asyncio.run(_Run(options, tell, work, guard, services).live())
        finally:
            guard.end()


class _Run:
    def __init__(
        self, options: Options, tell: Callable[[str], None], work: Path, guard: Guard, services: Services
    ) -> None:
        self._options = options
        self._began = time.monotonic()
        self._say = tell
        self._work = work
        self._guard = guard
        self._services = services
        self._random = random.Random(options.seed)
        self._evidence = Evidence(self._now)
        self._tables = [f"t-{number}" for number in range(1, options.tables + 1)]
        self._tasks: list[asyncio.Task[Any]] = []
        self._chips = 0
        self._sit_and_gos: tournaments.SngSwarms | None = None
        self._fields: fields.FieldSwarms | None = None
        self._house: rounds.RoundSwarms | None = None
        self._deafness = Deafness(self._evidence, self._began)
        self._nodes_ended = 0
        self._violations_told = 0

    def _tell(self, line: str) -> None:
        self._say(f"{self._now():7.1f} s  {line}")

    def _now(self) -> float:
        return time.monotonic() - self._began

    async def live(self) -> dict[str, Any]:
        """The whole run."""
        task = asyncio.current_task()
        assert task is not None
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        for old in self._options.out.glob("node-*.log"):
            old.unlink()
        proxies = Proxies()
        try:
            async with asyncio.timeout(self._options.seconds + OVER_TIME_S):
                return await self._with(proxies)
        finally:
            for each in self._tasks:
                each.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            for swarms in (self._sit_and_gos, self._fields, self._house):
                if swarms is not None:
                    swarms.end()
            proxies.end()

    async def _with(self, proxies: Proxies) -> dict[str, Any]:
        options = self._options
        await asyncio.to_thread(self._services.start)
        versions, command = None, options.command
        if options.upgrade_from:
            versions = await asyncio.to_thread(Versions, options.upgrade_from, self._work / "versions")
            command = (*versions.earlier, "serve")
            self._tell(f"{versions.name} is built, and what comes after it{' is made' * versions.planted}")
        nodes = (SupervisedNodes if options.supervised else Nodes)(
            options.nodes,
            command=command,
            config=room_config(options.tables, options.seats)
            + tournaments.CONFIG
            + fields.CONFIG
            + rounds.CONFIG,
            work=self._work,
            logs=options.out,
            services=self._services,
            proxies=proxies,
            guard=self._guard,
        )
        await asyncio.to_thread(nodes.start, nodes.all[0])  # alone first: it makes the schema
        await asyncio.to_thread(self._watch_ledger)
        await asyncio.gather(*(asyncio.to_thread(nodes.start, node) for node in nodes.all[1:]))
        self._tell(f"{options.nodes} nodes are ready")
        around = Around(
            evidence=self._evidence,
            reader=Reader(),
            ports=[node.game_port for node in nodes.all],
            think_s=options.think_ms / 1000,
            random=random.Random(options.seed + 1),
        )
        players = [
            Player(around, f"p-{table}-{number}", table, seed=options.seed * 1009 + index * 17 + number)
            for index, table in enumerate(self._tables)
            for number in range(1, options.seats + 1)
        ]
        url = self._services.database_url
        accounts = await asyncio.to_thread(open_accounts, url, options.crowd)
        watching = len(around.ports) * len(self._tables)
        watchers = await asyncio.to_thread(open_accounts, url, watching, "watcher")
        crowd = Crowd(around, accounts, watchers, self._tables)
        self._chips = await asyncio.to_thread(chips, self._services.database_url)
        stage = Stage(
            nodes=nodes,
            services=self._services,
            proxies=proxies,
            evidence=self._evidence,
            players=players,
            crowd=crowd,
            tables=self._tables,
            random=self._random,
            now=self._now,
            versions=versions,
        )
        self._go(crowd.keep())
        players_tasks = [self._go(player.run()) for player in players]
        self._go(self._watch(stage))
        await crowd.come(1.0)
        await self._all_play(stage)
        self._sit_and_gos = self._swarms(tournaments.SngSwarms, options.sng_bots, nodes)
        self._fields = self._swarms(fields.FieldSwarms, options.field_bots, nodes)
        self._house = self._swarms(rounds.RoundSwarms, options.house_bots, nodes)
        for swarms in (self._sit_and_gos, self._fields, self._house):
            if swarms is not None:
                await swarms.begun()
        directors = self._watch_directors(stage)
        parties = await self._parties(friends.Party, "friends", nodes)
        circles = await self._parties(private_sit_and_gos.Circle, "circle", nodes)
        evenings = [self._go(party.run()) for party in (*parties, *circles)]
        orders = self._offer_orders(stage)
        ordering = self._go(orders.run())
        backing_up = self._go(self._back_up(nodes.key)) if options.drill else None
        kept = None if self._fields is None else self._go(self._fields.keep())
        nemesis = Nemesis(stage, options.kinds, self._tell)
        played_from = self._now()
        await nemesis.run(played_from + options.seconds, options.kills)
        self._tell("coming to rest")
        await self._rest(stage)
        if kept is not None:
            kept.cancel()
        for party in (*parties, *circles):
            party.stop()
        orders.stop()
        against_the_house = await self._end_rounds()
        sit_and_gos, of_fields = await self._end_tournaments()
        await asyncio.gather(ordering, *evenings, return_exceptions=True)
        seconds = self._now()
        for task in players_tasks:
            task.cancel()
        codes = await asyncio.gather(*(asyncio.to_thread(nodes.terminate, node) for node in nodes.all))
        self._tell("checking")
        books = await asyncio.to_thread(read_books, self._services.database_url, bytes.fromhex(nodes.key))
        lines = log_lines(options.out)
        self._evidence.missing = missing_entries(lines)
        check_all(self._evidence, books, pids=nodes.pids(), chips=self._chips)
        check_followed(
            self._evidence, {player.name: player.table for player in players}, self._evidence.blame
        )
        played = await asyncio.to_thread(tournaments.read_played, self._services.database_url)
        tournaments.check_tournaments(played, books, self._evidence.blame, changed=[offers.CHANGED, "extra"])
        won = await asyncio.to_thread(tickets.read_tickets, self._services.database_url)
        ticketed = tickets.check_tickets(won, played, books, self._evidence.blame)
        ordered = await asyncio.to_thread(offers.read_orders, self._services.database_url)
        offers.check_offers(orders, ordered, self._evidence.blame)
        taken_over = fields.check_directors(directors.killed, nemesis.recovered, played, self._evidence.blame)
        paid = {key: amount for party in parties for key, amount in party.paid.items()}
        private = await asyncio.to_thread(friends.read_tables, self._services.database_url)
        friends.check_friends(paid, books, private, self._evidence.blame)
        promised = {name: each for circle in circles for name, each in circle.promised.items()}
        hosts = await asyncio.to_thread(private_sit_and_gos.read_hosts, self._services.database_url)
        private_sit_and_gos.check_sit_and_gos(promised, played, hosts, books.names, self._evidence.blame)
        of_the_house = await asyncio.to_thread(rounds.read_rounds, self._services.database_url)
        rounds.check_rounds(of_the_house, books, self._evidence.blame)
        void = sum(one.void for one in of_the_house)
        check_resting(
            {(player.table, player.name): player.stack for player in players}, books, self._evidence.blame
        )
        for line in await asyncio.to_thread(self._shown_cards):
            self._evidence.blame("C7", "", "", line)
        drilled = None
        if backing_up is not None:
            drilled = await asyncio.to_thread(
                (await backing_up).come_back, self._evidence, books, self._evidence.blame
            )
        auditor = options.command[:-1] if versions is None else versions.later
        wrong, said = await asyncio.to_thread(self._audit, auditor)
        if wrong:
            self._evidence.blame("C1", "", "", f"the room's audit finds {wrong} differences: {said}")
        logged = criticals(lines)
        nodes.excuse(logged)
        outcome = Outcome(
            ended=self._nodes_ended + nodes.started_again(lines),
            codes=codes,
            criticals=logged,
            no_audit=said if wrong is None else None,
            tried=nemesis.tried,
            missed=nemesis.missed,
            harness_faults=self._evidence.counts["harness_faults"],
        )
        check_outcome(outcome, self._evidence.blame)
        svg = options.out / "timeline.svg"
        svg.write_text(
            draw(
                self._evidence.actions_at,
                self._evidence.ends_at,
                [each.band() for each in nemesis.recovered],
                seconds,
            )
        )
        await asyncio.to_thread(self._services.stop)
        return report(
            self._evidence,
            nemesis,
            outcome,
            hands=len(books.hands),
            sit_and_gos={"tournaments": sum(not one.starts for one in played), **sit_and_gos},
            fields={
                "tournaments": sum(one.starts and one.has_started for one in played),
                **of_fields,
                **ticketed,
            },
            directors=taken_over,
            offers={"ordered": len(ordered), "unsure": len(orders.unsure)},
            friends=dict(sum((party.counts for party in (*parties, *circles)), Counter())),
            against_the_house={"ledger": len(of_the_house), "void": void, **against_the_house},
            drill=drilled,
            upgraded_from="" if versions is None else versions.name,
            audit=wrong,
            seconds=seconds - played_from,
            seed=options.seed,
            svg=svg,
        )

    def _go(self, work: Any) -> asyncio.Task[Any]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.append(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self._evidence.counts["harness_faults"] += 1
            self._tell(f"a task of the harness has failed: {task.exception()!r}")

    def _watch_ledger(self) -> None:
        with psycopg.connect(self._services.database_url, autocommit=True) as connection:
            connection.execute(WATCH)

    # --- while it runs ----------------------------------------------------------------------------------------

    async def _all_play(self, stage: Stage) -> None:
        give_up = self._now() + 60
        while True:
            silent = [table for table in self._tables if len(self._evidence.prompts[table]) < 10]
            if not silent and all(player.connected for player in stage.players):
                self._tell(f"all {len(self._tables)} tables play")
                return
            if self._now() > give_up:
                raise RuntimeError(f"no play at {silent}; see the nodes' logs in {self._options.out}")
            await asyncio.sleep(0.1)

    async def _watch(self, stage: Stage) -> None:
        """Twice a second: owners, the sum of all chips, who is deaf, and nodes that have ended by themselves."""
        turn = 0
        while True:
            await asyncio.sleep(0.5)
            turn += 1
            try:
                stage.owners = await asyncio.to_thread(owners, self._services.database_url)
                if turn % 10 == 0:
                    total = await asyncio.to_thread(chips, self._services.database_url)
                    if total != self._chips:
                        line = f"the ledger holds {total}, issued were {self._chips}"
                        self._evidence.blame("C1", "", "", line)
            except psycopg.Error:
                pass  # it is away: that is one of the faults
            self._deafness.owned(self._now(), stage.owners)
            stopped = {node.game_port for node in stage.nodes.all if node.stopped}
            self._deafness.look(self._now(), stage.players, stopped)
            for node in stage.nodes.ended():
                assert node.process is not None
                self._nodes_ended += 1
                self._tell(f"node {node.number} has ended by itself with {node.process.returncode}")
                node.process = None
                self._go(asyncio.to_thread(stage.nodes.start, node))
            if turn % 20 == 0:
                await self._look_into_redis()
                self._tell(
                    f"{len(self._evidence.ends_at)} hands, {len(self._evidence.actions_at)} actions, "
                    f"{self._evidence.violation_count} violations"
                )
                self._tell_violations()

    def _tell_violations(self) -> None:
        """Those since the last time: a run that is ended early has no report."""
        for one in self._evidence.violations[self._violations_told :]:
            self._tell(f"{one.check} at {one.at_s:.1f} s, {one.table} {one.hand_id}: {one.line}")
        self._violations_told = len(self._evidence.violations)

    async def _look_into_redis(self) -> None:
        """C7: what is kept there, and what nodes publish."""
        try:
            found = await asyncio.to_thread(self._shown_in_redis)
        except (redis.RedisError, OSError):
            return  # it is away: that is one of the faults
        for line in found:
            self._evidence.blame("C7", "", "", line)

    # --- the end ----------------------------------------------------------------------------------------------

    async def _rest(self, stage: Stage) -> None:
        """Every client sits out; returns when no hand is in progress anywhere."""
        for player in stage.players:
            player.rest()
        give_up = self._now() + SETTLE_DOWN_S
        while self._now() < give_up:
            await asyncio.sleep(0.5)
            if all(player.connected and player.hand_seen is None for player in stage.players):
                await asyncio.sleep(1.5)
                if all(player.connected and player.hand_seen is None for player in stage.players):
                    break
        else:
            busy = sorted({player.table for player in stage.players if player.hand_seen is not None})
            gone = sorted(player.name for player in stage.players if not player.connected)
            self._evidence.blame("C8", "", "", f"not at rest: hands at {busy}, not connected {gone}")
        for player in stage.players:
            await player.look_again()

    def _shown_cards(self) -> list[str]:
        """C7 at the end: in the logs of the nodes, in Redis, and in the file in which Redis keeps what it was told."""
        return [
            *in_logs(log_lines(self._options.out)),
            *self._shown_in_redis(),
            *in_files(self._services.redis_directory),
        ]

    def _shown_in_redis(self) -> list[str]:
        return [line for url in self._services.redis_servers for line in in_redis(url)]

    def _audit(self, command: Sequence[str]) -> tuple[int | None, str]:
        """The room's own audit: how many differences, and what it says; None if it could not be made."""
        environment = clean_environment()
        environment["POKERROOM_DATABASE_URL"] = self._services.database_url
        environment["POKERROOM_REDIS_URL"] = self._services.redis_url
        environment["POKERROOM_DATA_DIR"] = str(
            self._work / "nodes"
        )  # and not the keys of a room of this user
        try:
            done = subprocess.run(
                [*command, "audit", "--json"],
                capture_output=True,
                text=True,
                env=environment,
                cwd=self._work,
                timeout=120,
                check=False,
            )
            found = int(json.loads(done.stdout)["differences"])
            return differences(found, done.stderr), done.stderr[:500]
        except subprocess.TimeoutExpired:
            return None, "it takes too long"
        except (ValueError, KeyError):
            return None, f"{done.stdout[-300:]} {done.stderr[-300:]}"

    def _swarms(self, kind: type[S], bots: int, nodes: Nodes) -> S | None:
        """One for each node; None where none are asked for."""
        if not bots:
            return None
        return kind(
            ports=[node.game_port for node in nodes.all],
            bots=bots,
            think_ms=self._options.think_ms,
            seed=self._options.seed,
            command=self._options.command[:-1],
            logs=self._options.out,
            guard=self._guard,
        )

    async def _parties(self, kind: type[P], name: str, nodes: Nodes) -> list[P]:
        options, url = self._options, self._services.database_url
        return [
            kind(
                f"{name}-{number}",
                await asyncio.to_thread(
                    open_accounts, url, friends.FRIENDS, f"{name}-{number}", friends.WALLET
                ),
                [node.game_port for node in nodes.all],
                seed=options.seed * 1013 + number * 101,
                think_s=options.think_ms / 1000,
                blame=self._evidence.blame,
            )
            for number in range(1, options.parties + 1)
        ]

    def _offer_orders(self, stage: Stage) -> offers.OfferOrders:
        return offers.OfferOrders(self._work / "nodes", stage.running, self._options.seed)

    async def _back_up(self, key: str) -> Drill | PointInTimeDrill:
        """In the middle of the run; again, if the server was struck meanwhile."""
        command = self._options.command[:-1]
        drill: Drill | PointInTimeDrill = Drill(command, self._work, key)
        if self._options.point_in_time:
            drill = PointInTimeDrill(command, self._services, self._work)
        await asyncio.sleep(self._options.seconds / 2)
        while True:
            try:
                await asyncio.to_thread(drill.back_up, self._services.database_url)
            except RuntimeError as refused:
                self._tell(f"the backup is made again: {refused}")
                await asyncio.sleep(1)
            else:
                return drill

    def _watch_directors(self, stage: Stage) -> fields.DirectorWatch:
        """Watches until the end of the run."""
        watch = fields.DirectorWatch(owners=lambda: stage.owners, now=self._now)
        stage.nodes.on_kill = lambda node: watch.node_killed(node, self._owners_now(stage))
        self._go(watch.look(stage.services.redis_writer()))
        return watch

    def _owners_now(self, stage: Stage) -> Mapping[str, int]:
        """Read in this moment; those of the last look where PostgreSQL is away. Blocks."""
        try:
            return owners(self._services.database_url)
        except psycopg.Error:
            return stage.owners

    async def _end_tournaments(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """All that have started are played out, and their prizes paid; what the swarms of each kind tell."""
        self._tell("playing tournaments to their ends")
        told = [
            swarms.leave(self._evidence.blame) if swarms is not None else _nothing()
            for swarms in (self._sit_and_gos, self._fields)
        ]
        sit_and_gos, of_fields = await asyncio.gather(*told)
        await asyncio.to_thread(tournaments.wait_paid, self._services.database_url)
        return sit_and_gos, of_fields

    async def _end_rounds(self) -> dict[str, Any]:
        """The clock decides what is in progress; what the swarms tell."""
        if self._house is None:
            return {}
        told = await self._house.leave(self._evidence.blame)
        await asyncio.to_thread(rounds.wait_ended, self._services.database_url)
        return told


async def _nothing() -> dict[str, Any]:
    return {}

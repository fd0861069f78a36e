"""What the environment sets: where the services are, and what a deployment changes without a file of its own.

Knows the names of the variables and their forms. POKERROOM_DATA_DIR and POKERROOM_JOURNAL_KEY belong to `embedded`,
POKERROOM_OPERATOR_TOKEN to `operator_client`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from pokerroom.ops.config import RoomConfig, shared_ports
from pokerroom.ops.config_reader import ConfigError, ConfigProblem

LOG_FORMS = ("auto", "console", "json")
LOG_LEVELS = ("debug", "info", "warning", "error")
_SOURCE = "environment"
_REDIS_SCHEMES = (
    *("redis", "rediss", "unix"),
    *("redis+sentinel", "rediss+sentinel", "redis+cluster", "rediss+cluster"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The variables that are set, None for those that are not. The addresses may hold passwords: they
    are never shown.
    """

    database_url: str | None = field(default=None, repr=False)
    owner_database_url: str | None = field(default=None, repr=False)
    redis_url: str | None = field(default=None, repr=False)
    host: str | None = None
    ops_host: str | None = None
    game_port: int | None = None
    http_port: int | None = None
    ops_port: int | None = None
    log_form: str = "auto"
    log_level: str = "info"

    @classmethod
    def read(cls, variables: Mapping[str, str]) -> Self:
        """Read `os.environ` or a like mapping; an empty variable counts as not set.

        Raises `ConfigError` with every problem found, each with its variable and never with the value of a secret.
        """
        reader = _Reader(variables)
        environment = cls(
            database_url=reader.url("POKERROOM_DATABASE_URL", ("postgresql", "postgres")),
            owner_database_url=reader.url("POKERROOM_OWNER_DATABASE_URL", ("postgresql", "postgres")),
            redis_url=reader.url("POKERROOM_REDIS_URL", _REDIS_SCHEMES),
            host=reader.text("POKERROOM_HOST"),
            ops_host=reader.text("POKERROOM_OPS_HOST"),
            game_port=reader.port("POKERROOM_GAME_PORT"),
            http_port=reader.port("POKERROOM_HTTP_PORT"),
            ops_port=reader.port("POKERROOM_OPS_PORT"),
            log_form=reader.choice("POKERROOM_LOG", LOG_FORMS, "auto"),
            log_level=reader.choice("POKERROOM_LOG_LEVEL", LOG_LEVELS, "info"),
        )
        if (environment.database_url is None) != (environment.redis_url is None) and not reader.problems:
            reader.one_without_the_other("POKERROOM_DATABASE_URL", "POKERROOM_REDIS_URL")
        if environment.owner_database_url and not environment.database_url and not reader.problems:
            reader.one_without_the_other("POKERROOM_DATABASE_URL", "POKERROOM_OWNER_DATABASE_URL")
        if reader.problems:
            raise ConfigError(reader.problems, _SOURCE)
        return environment

    def applied_to(self, config: RoomConfig) -> RoomConfig:
        """Return the settings with host and ports replaced where set here. Raises `ConfigError` if
        ports then collide.
        """
        given = {"game_port": self.game_port, "http_port": self.http_port, "ops_port": self.ops_port}
        listen = replace(
            config.listen,
            host=config.listen.host if self.host is None else self.host,
            ops_host=config.listen.ops_host if self.ops_host is None else self.ops_host,
            game_port=config.listen.game_port if self.game_port is None else self.game_port,
            http_port=config.listen.http_port if self.http_port is None else self.http_port,
            ops_port=config.listen.ops_port if self.ops_port is None else self.ops_port,
        )
        problems = [
            ConfigProblem(
                line=None,
                key=f"POKERROOM_{(key if given[key] is not None else other).upper()}",
                message=f"{key} and {other} are then the same port",
            )
            for key, other in shared_ports(listen)
        ]
        if problems:
            raise ConfigError(problems, _SOURCE)
        return replace(config, listen=listen)


class _Reader:
    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self.problems: list[ConfigProblem] = []

    def text(self, name: str) -> str | None:
        return self._variables.get(name) or None

    def url(self, name: str, schemes: tuple[str, ...]) -> str | None:
        value = self.text(name)
        if value is not None and value.partition("://")[0] not in schemes:
            self._problem(name, f"should be a URL that begins with {' or '.join(f'{s}://' for s in schemes)}")
            return None
        return value

    def port(self, name: str) -> int | None:
        value = self.text(name)
        if value is None:
            return None
        if not (value.isascii() and value.isdigit() and int(value[:6]) <= 65535 and len(value) <= 5):
            self._problem(name, f"should be a port from 0 to 65535, not {value!r}")
            return None
        return int(value)

    def choice(self, name: str, options: tuple[str, ...], default: str) -> str:
        value = (self.text(name) or default).lower()
        if value not in options:
            self._problem(name, f"should be one of {', '.join(options)}, not {value!r}")
            return default
        return value

    def one_without_the_other(self, *names: str) -> None:
        """Note that of several variables all or none should be set."""
        missing = next(name for name in names if not self._variables.get(name))
        self._problem(missing, f"is not set: set {' and '.join(names)}, or neither")

    def _problem(self, name: str, message: str) -> None:
        self.problems.append(ConfigProblem(line=None, key=name, message=message))

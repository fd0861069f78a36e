"""The environment variables: forms, mistakes, and what must never be shown."""

import pytest

from pokerroom.ops.config import parse
from pokerroom.ops.config_reader import ConfigError
from pokerroom.ops.environment import Environment

CONFIG = parse('[[tables]]\nid = "t"\nsmall_blind = 50\n')


def test_nothing_set_changes_nothing():
    """Without variables (or with empty ones) there are no addresses and the settings stand."""
    environment = Environment.read({"POKERROOM_HOST": "", "PATH": "/bin"})
    assert environment == Environment()
    assert environment.applied_to(CONFIG) == CONFIG


def test_variables_come_before_the_file():
    """Host and ports of the environment replace those of the file; the rest stays."""
    environment = Environment.read(
        {"POKERROOM_HOST": "::1", "POKERROOM_GAME_PORT": "0", "POKERROOM_LOG": "JSON"}
    )
    listen = environment.applied_to(CONFIG).listen
    assert (listen.host, listen.game_port, listen.http_port) == ("::1", 0, 4191)
    assert environment.log_form == "json"


@pytest.mark.parametrize(
    "url", ["redis://h", "unix:///r.sock", "redis+sentinel://a,b/main", "rediss+cluster://u:p@a:7000,b:7000"]
)
def test_redis_may_be_one_server_or_many(url):
    """One server, Sentinels, or a Cluster, each with TLS or without."""
    both = {"POKERROOM_DATABASE_URL": "postgresql://h/d", "POKERROOM_REDIS_URL": url}
    assert Environment.read(both).redis_url == url


def test_passwords_are_never_shown():
    """Neither the repr nor an error about a URL shows the URL."""
    environment = Environment.read(
        {
            "POKERROOM_DATABASE_URL": "postgresql://u:hunter2@h/d",
            "POKERROOM_OWNER_DATABASE_URL": "postgresql://owner:hunter2@h/d",
            "POKERROOM_REDIS_URL": "rediss://:hunter2@h",
        }
    )
    assert environment.database_url == "postgresql://u:hunter2@h/d"
    assert environment.owner_database_url == "postgresql://owner:hunter2@h/d"
    assert "hunter2" not in repr(environment)
    with pytest.raises(ConfigError) as caught:
        Environment.read({"POKERROOM_DATABASE_URL": "mysql://u:hunter2@h/d"})
    assert "hunter2" not in str(caught.value)
    assert "POKERROOM_DATABASE_URL" in str(caught.value)


def test_an_owner_of_no_database_is_an_error():
    """The embedded server has an owner of its own."""
    with pytest.raises(ConfigError, match="POKERROOM_DATABASE_URL: is not set"):
        Environment.read({"POKERROOM_OWNER_DATABASE_URL": "postgresql://owner@h/d"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("POKERROOM_GAME_PORT", "65536"),
        ("POKERROOM_HTTP_PORT", "-1"),
        ("POKERROOM_OPS_PORT", "http"),
        ("POKERROOM_OPS_PORT", "²"),
        ("POKERROOM_OPS_PORT", "9" * 5000),
        ("POKERROOM_LOG", "yes"),
        ("POKERROOM_LOG_LEVEL", "loud"),
        ("POKERROOM_REDIS_URL", "localhost:6379"),
    ],
)
def test_a_wrong_variable_is_named(name, value):
    """Every error names the variable it is about."""
    with pytest.raises(ConfigError) as caught:
        Environment.read({name: value})
    assert [problem.key for problem in caught.value.problems] == [name]


def test_all_wrong_variables_are_told_at_once():
    """As with the file, one reading tells everything."""
    with pytest.raises(ConfigError) as caught:
        Environment.read({"POKERROOM_LOG": "x", "POKERROOM_GAME_PORT": "x"})
    assert len(caught.value.problems) == 2


def test_a_port_that_collides_with_the_file_is_refused():
    """A port of the environment that the file uses for something else is the variable's mistake."""
    with pytest.raises(ConfigError, match="POKERROOM_GAME_PORT"):
        Environment.read({"POKERROOM_GAME_PORT": "4192"}).applied_to(CONFIG)

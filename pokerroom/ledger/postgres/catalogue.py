"""Compares the schema of a database with that of this build: a trigger that is off lets everything be written.

`schema/catalogue.txt` lists what the migrations make, a line for each object; the bodies of functions are those of
their files. Looked at is what touches the tables and functions of the room. Other tables and views of the database are
not, and neither are plain indexes that an administrator has added. Only the catalogs of PostgreSQL are read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from importlib import resources
from operator import itemgetter
from typing import Any, Final

from psycopg import AsyncConnection

from pokerroom.ledger.postgres.migrations import packaged_schema

VERSIONS: Final = frozenset({15, 16, 17, 18})
"""Major versions of PostgreSQL that write definitions alike; on others the definitions are not compared."""

Objects = Mapping[tuple[str, str], str]
"""The definition of each object by kind and name."""

_QUERY: Final = """
WITH first AS (SELECT * FROM pg_class WHERE oid = to_regclass('schema_migrations')),
ours AS (SELECT * FROM pg_class WHERE relnamespace = (SELECT relnamespace FROM first))
SELECT 'table', relname,
    relpersistence::text || CASE WHEN relrowsecurity OR relforcerowsecurity THEN ' row security' ELSE '' END
FROM ours WHERE relkind = 'r'
UNION ALL
SELECT 'other relation', relname, relkind::text FROM ours WHERE relkind NOT IN ('r', 'i', 'S', 'c')
UNION ALL
SELECT 'column', relname || '.' || attname, concat_ws(' ', format_type(atttypid, atttypmod),
    CASE WHEN attnotnull THEN 'not null' END, nullif(attidentity::text, ''), nullif(attgenerated::text, ''),
    nullif(nullif(attcollation::regcollation::text, '"default"'), '-'), pg_get_expr(adbin, adrelid))
FROM ours JOIN pg_attribute ON attrelid = ours.oid AND attnum > 0 AND NOT attisdropped
LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE relkind = 'r'
UNION ALL
SELECT 'constraint', relname || '.' || conname, pg_get_constraintdef(pg_constraint.oid)
    || CASE WHEN convalidated THEN '' ELSE ' not validated' END
FROM ours JOIN pg_constraint ON conrelid = ours.oid WHERE relkind = 'r' AND contype NOT IN ('n', 't')
UNION ALL
SELECT 'index', ours.relname || '.' || index.relname,
    pg_get_indexdef(indexrelid) || CASE WHEN indisvalid THEN '' ELSE ' not valid' END
    || CASE WHEN NOT indisunique AND indexprs IS NULL AND indpred IS NULL THEN ' plain' ELSE '' END
FROM ours JOIN pg_index ON indrelid = ours.oid JOIN pg_class AS index ON index.oid = indexrelid WHERE ours.relkind = 'r'
UNION ALL
SELECT 'trigger', relname || '.' || tgname, pg_get_triggerdef(pg_trigger.oid)
    || CASE tgenabled::text WHEN 'O' THEN '' WHEN 'D' THEN ' off' ELSE ' enabled as ' || tgenabled::text END
FROM ours JOIN pg_trigger ON tgrelid = ours.oid WHERE NOT tgisinternal
UNION ALL
SELECT 'switched-off check of references', relname || '.' || conname, 'off'
FROM ours JOIN pg_trigger ON tgrelid = ours.oid JOIN pg_constraint ON pg_constraint.oid = tgconstraint
WHERE tgisinternal AND tgenabled <> 'O'
UNION ALL
SELECT 'rule', relname || '.' || rulename, pg_get_ruledef(pg_rewrite.oid)
FROM ours JOIN pg_rewrite ON ev_class = ours.oid WHERE relkind = 'r'
UNION ALL
SELECT 'policy', relname || '.' || polname, 'a policy' FROM ours JOIN pg_policy ON polrelid = ours.oid
UNION ALL
SELECT 'table that inherits', parent.relname || ' < ' || child.relname, 'a child'
FROM pg_inherits JOIN ours AS parent ON parent.oid = inhparent JOIN pg_class AS child ON child.oid = inhrelid
WHERE parent.relkind = 'r'
UNION ALL
SELECT 'owner', relname, pg_get_userbyid(relowner) FROM ours WHERE relkind = 'r'
    AND relowner <> (SELECT relowner FROM first)
UNION ALL
SELECT 'owner of function', proname, pg_get_userbyid(proowner)
FROM pg_proc WHERE pronamespace = (SELECT relnamespace FROM first)
    AND proowner <> (SELECT relowner FROM first)
UNION ALL
SELECT 'relation of another schema', relation.relname, relation.relnamespace::regnamespace::text
FROM ours JOIN pg_class AS relation ON relation.relname = ours.relname AND relation.relnamespace <> ours.relnamespace
WHERE ours.relkind = 'r' AND pg_table_is_visible(relation.oid)
UNION ALL
SELECT 'setting', coalesce(nullif(setrole, 0)::regrole::text, 'all roles'), setting
FROM pg_db_role_setting, unnest(setconfig) AS setting
WHERE setting LIKE 'session_replication_role=%' AND setdatabase IN (
    0, (SELECT oid FROM pg_database WHERE datname = current_database()))
UNION ALL
SELECT 'grant', relname || ' ' || privilege_type, ''
FROM ours, aclexplode(relacl) WHERE relkind = 'r' AND grantee <> relowner AND privilege_type <> 'SELECT'
UNION ALL
SELECT 'grant', relname || '.' || attname || ' ' || privilege_type, ''
FROM ours JOIN pg_attribute ON attrelid = ours.oid, aclexplode(attacl)
WHERE relkind = 'r' AND grantee <> relowner AND privilege_type <> 'SELECT'
"""

_FUNCTIONS: Final = """
SELECT proname, prosrc, prosecdef, provolatile::text,
    ARRAY(SELECT split_part(one, '=', 1) FROM unnest(proconfig) AS one)
FROM pg_proc WHERE pronamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('schema_migrations'))
"""

_FUNCTION: Final = re.compile(
    r"^CREATE OR REPLACE FUNCTION (\w+)(\(.*?) AS (\$\w*\$)(.*?)\3;", re.DOTALL | re.MULTILINE
)
_SETTING: Final = re.compile(r"\bSET (\w+) = ")


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the room, as far as it is compared."""

    body: str
    is_of_owner: bool
    """Whether it runs with the rights of the owner of the tables."""
    volatility: str
    settings: frozenset[str]
    """The names of the settings that it has of its own."""


async def schema_differences(connection: AsyncConnection[Any]) -> list[str]:
    """Return a sentence for each object that is not as this build makes it."""
    found = await objects(connection)
    cursor = await connection.execute(_FUNCTIONS)
    functions = [
        (name, Function(body, is_of_owner, volatility, frozenset(settings)))
        for name, body, is_of_owner, volatility, settings in await cursor.fetchall()
    ]
    compared = connection.info.server_version // 10_000 in VERSIONS
    due = dict(defined())
    return [*_unlike(listed(), found, due.keys(), definitions=compared), *_replaced(due, functions)]


async def objects(connection: AsyncConnection[Any]) -> Objects:
    """Return what the database has of a room, without functions."""
    cursor = await connection.execute(_QUERY)
    return {(kind, name): " ".join(definition.split()) for kind, name, definition in await cursor.fetchall()}


def listed() -> Objects:
    """Return what this build makes."""
    text = resources.files("pokerroom.ledger").joinpath("schema", "catalogue.txt").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return {(kind, name): definition for kind, name, definition in rows}


def as_text(found: Objects) -> str:
    """Return the lines of `catalogue.txt` for a database that this build has made."""
    return "".join(sorted(f"{kind}\t{name}\t{definition}\n" for (kind, name), definition in found.items()))


def defined() -> Iterator[tuple[str, Function]]:
    """Yield each function of this build."""
    for file in packaged_schema().functions:
        for name, head, _, body in _FUNCTION.findall(file.decode()):
            volatility = "i" if " IMMUTABLE" in head else "s" if " STABLE" in head else "v"
            settings = frozenset(_SETTING.findall(head))
            yield name, Function(body, "SECURITY DEFINER" in head, volatility, settings)


def _unlike(due: Objects, found: Objects, functions: AbstractSet[str], *, definitions: bool) -> Iterator[str]:
    tables = {name for kind, name in due if kind == "table"}
    for kind, name in sorted(due.keys() | found.keys()):
        wanted, present = due.get((kind, name)), found.get((kind, name))
        if present is None:
            if kind != "grant":  # the role of the rooms may own the tables
                yield f"schema: the {kind} {name} is missing"
        elif wanted is None:
            touches_us = kind == "setting" or re.split("[. ]", name)[0] in tables
            if kind == "owner of function":
                touches_us = name in functions
            if touches_us and not (kind == "index" and present.endswith(" plain")):
                yield f"schema: the {kind} {name} is not of this build{': ' if present else ''}{present}"
        elif wanted != present and (definitions or kind in {"table", "trigger"}):
            yield f"schema: the {kind} {name} was changed: {present}"


def _replaced(due: Mapping[str, Function], found: Sequence[tuple[str, Function]]) -> Iterator[str]:
    count = Counter(name for name, _ in found)
    for name in sorted(due.keys() - count.keys()):
        yield f"schema: the function {name} is missing"
    for name, function in sorted(found, key=itemgetter(0)):
        if name in due and count[name] > 1:
            yield f"schema: there are {count[name]} functions {name}"
        elif name in due and function != due[name]:
            yield f"schema: the function {name} was replaced"

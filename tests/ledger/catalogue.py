"""What a schema consists of, as text: two databases with equal catalogues behave alike."""

import psycopg

QUERIES = {
    "relations": """
        SELECT relname, relkind, relpersistence, reloptions, relacl::text,
               CASE WHEN relkind = 'v' THEN pg_get_viewdef(oid) END
        FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'm', 'S', 'p')""",
    "columns": """
        SELECT relname, row_number() OVER (PARTITION BY attrelid ORDER BY attnum), attname,
               format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated,
               attcollation::regcollation::text, pg_get_expr(adbin, adrelid)
        FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'm', 'p')
            AND attnum > 0
            AND NOT attisdropped""",
    "sequences": """
        SELECT seqrelid::regclass::text, format_type(seqtypid, NULL), seqstart, seqincrement, seqmax, seqmin, seqcache,
               seqcycle, deptype, refobjid::regclass::text, refobjsubid
        FROM pg_sequence LEFT JOIN pg_depend ON objid = seqrelid AND deptype IN ('a', 'i')""",
    "types": """
        SELECT typname, typtype, format_type(typbasetype, typtypmod), typdefault,
               (SELECT array_agg(enumlabel ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = pg_type.oid)
        FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype IN ('d', 'e', 'r')""",
    "constraints": """
        SELECT conrelid::regclass::text, conname, contype, pg_get_constraintdef(oid),
               condeferrable, condeferred, convalidated
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace""",
    "indexes": "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "triggers": """
        SELECT tgrelid::regclass::text, tgname, tgenabled, pg_get_triggerdef(oid)
        FROM pg_trigger WHERE NOT tgisinternal""",
    # arguments, result, language, volatility, strictness, security, settings and body
    "functions": """
        SELECT oid::regprocedure::text, pg_get_functiondef(oid), proacl::text, obj_description(oid, 'pg_proc')
        FROM pg_proc WHERE pronamespace = 'public'::regnamespace""",
}


def catalogue(address):
    """The rows of every query, in an order of their own."""
    with psycopg.connect(address) as connection:
        return {
            name: sorted(map(repr, connection.execute(query).fetchall())) for name, query in QUERIES.items()
        }

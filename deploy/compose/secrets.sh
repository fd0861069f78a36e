#!/bin/sh
# Writes .env beside this file: passwords of the servers, and the key that encrypts hidden cards. Keep a copy of the key
# apart from the backups. An .env that is there is not touched.
set -eu
umask 077
cd "$(dirname "$0")"
secret() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
set -C
{
    echo "DOMAIN=${1:-localhost}"
    for name in JOURNAL_KEY POSTGRES_PASSWORD OWNER_PASSWORD ROOM_PASSWORD REDIS_PASSWORD GRAFANA_PASSWORD; do
        echo "$name=$(secret)"
    done
} > .env

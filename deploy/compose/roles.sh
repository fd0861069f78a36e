#!/bin/sh
# The two roles of a room and its database, made when PostgreSQL starts for the first time: deploy/operations/running.md, *Two roles*.
set -eu
psql --set=ON_ERROR_STOP=1 --username=postgres --set=owner="$OWNER_PASSWORD" --set=room="$ROOM_PASSWORD" <<'SQL'
CREATE ROLE pokerroom_owner LOGIN PASSWORD :'owner';
CREATE ROLE pokerroom_room LOGIN PASSWORD :'room';
CREATE DATABASE pokerroom OWNER pokerroom_owner ENCODING 'UTF8' TEMPLATE template0;
SQL

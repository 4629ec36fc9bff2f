#!/bin/sh
# Creates or updates the two schemas of the Temporal server. Safe to repeat.
set -eu
SQL_PASSWORD=$(cat /run/secrets/temporal_password)
export SQL_PASSWORD
for part in temporal visibility; do
	db=temporal
	[ "$part" = visibility ] && db=temporal_visibility
	temporal-sql-tool --database "$db" create-database || true # it may exist
	temporal-sql-tool --database "$db" setup-schema --version 0.0
	temporal-sql-tool --database "$db" update-schema \
		--schema-dir "/etc/temporal/schema/postgresql/v12/$part/versioned"
done

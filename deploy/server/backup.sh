#!/bin/sh
# backup.sh FOLDER: a copy of the database and of the settings, taken while everything runs; the newest are kept.
# What Valkey holds is of the present turns only and is made again without it.
set -eu
umask 077
keep=14
folder=$1
name=$(date -u +%Y%m%dT%H%M%SZ)
copy=$folder/unfinished-$name

mkdir -p "$folder"
rm -rf "$folder"/unfinished-*
mkdir "$copy"
if [ -n "${DATABASE_URL:-}" ]; then
    pg_dump --format=custom --file="$copy/database.dump" "$DATABASE_URL"
else
    python3 - "$CROWDGAME_DATA/db.sqlite3" "$copy/db.sqlite3" <<'PYTHON'
import sqlite3
import sys

with sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True) as source, sqlite3.connect(sys.argv[2]) as copy:
    source.backup(copy)
PYTHON
fi
cp "${CROWDGAME_ENV:-/etc/crowdgame/crowdgame.env}" "$copy/crowdgame.env"
mv "$copy" "$folder/$name"
find "$folder" -mindepth 1 -maxdepth 1 -name '2*Z' | sort -r | tail -n +$((keep + 1)) | xargs -r rm -r

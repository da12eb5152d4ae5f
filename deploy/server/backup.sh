#!/bin/sh
# backup.sh FOLDER: online backup of the database and the settings into FOLDER; keeps the newest 14.
# Valkey is not backed up: it holds only the state of open turns, which is rebuilt without it.
set -eu
umask 077
keep=14
folder=$1
name=$(date -u +%Y%m%dT%H%M%SZ)
copy=$folder/unfinished-$name

mkdir -p "$folder"
rm -rf "$folder"/unfinished-*
mkdir "$copy"
cd "$(dirname "$(readlink -f "$0")")/../.."
.venv/bin/python manage.py backup "$copy/crowdgame.backup"
cp "${CROWDGAME_ENV:-/etc/crowdgame/crowdgame.env}" "$copy/crowdgame.env"
mv "$copy" "$folder/$name"
find "$folder" -mindepth 1 -maxdepth 1 -name '2*Z' | sort -r | tail -n +$((keep + 1)) | xargs -r rm -r

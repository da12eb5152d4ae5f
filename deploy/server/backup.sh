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
cd "$(dirname "$(readlink -f "$0")")/../.."
.venv/bin/python manage.py backup "$copy/crowdgame.backup"
cp "${CROWDGAME_ENV:-/etc/crowdgame/crowdgame.env}" "$copy/crowdgame.env"
mv "$copy" "$folder/$name"
find "$folder" -mindepth 1 -maxdepth 1 -name '2*Z' | sort -r | tail -n +$((keep + 1)) | xargs -r rm -r

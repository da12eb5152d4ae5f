#!/bin/sh
# backup.sh FOLDER [--with-secret-key]: online backup of the database into FOLDER; keeps the newest 14.
# Copies of backups leave this machine, so they contain no settings, and SECRET_KEY only with the option.
# Valkey is not backed up: it holds only the state of open turns, which is rebuilt without it.
set -eu
umask 077
keep=14
folder=$1
shift
name=$(date -u +%Y%m%dT%H%M%SZ)
copy=$folder/unfinished-$name

mkdir -p "$folder"
rm -rf "$folder"/unfinished-*
mkdir "$copy"
cd "$(dirname "$(readlink -f "$0")")/../.."
.venv/bin/crowdgame backup "$copy/crowdgame.backup" "$@"
mv "$copy" "$folder/$name"
find "$folder" -mindepth 1 -maxdepth 1 -name '2*Z' | sort -r | tail -n +$((keep + 1)) | xargs -r rm -r

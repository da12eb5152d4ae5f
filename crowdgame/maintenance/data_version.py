"""Data of other versions: that of 0.1, whose schema is incompatible, and of newer ones is refused."""

from collections.abc import Iterable

from django.apps import apps
from django.core.management.base import CommandError
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

# A migration that every installation of 0.1 has applied and this version doesn't have.
ONLY_IN_0_1 = ("games", "0002_turn_sealed_at")
Migration = tuple[str, str]  # app and name
# Migrations after the first were merged into the one with the second name. A release has all or none of them.
MERGED = {
    "accounts": ("0001_initial", "0008_account_language"),
    "analysis": ("", "0003_judges_by_voter"),
    "api": ("", "0002_webhooks"),
    "cups": ("0002_pace", "0016_shards"),
    "duels": ("0001_initial", "0005_casual_and_rematch"),
    "events": ("0001_initial", "0007_organizations"),
    "notifications": ("0001_initial", "0005_push_subscriptions"),
    "voting": ("0004_hide_drops", "0037_shards"),
}
OWN_PACKAGES = ("crowdgame", "voting")
NEWER = (
    "This data was written by a newer version of crowdgame. This version has not changed it. "
    "Install the newer version, or use another data folder."
)
UNRELEASED = (
    "This data was written by an unreleased version of crowdgame. This version has not changed it. "
    "Start the version of 30 November 2026 with it once, then this version."
)
REFUSAL = (
    "This data was written by crowdgame 0.1. This version cannot read it and has not changed it. "
    "Use crowdgame 0.1, or start with an empty data folder or database."
)


def refuse_data_of_0_1() -> None:
    """Raises CommandError for a database of 0.1. Passes if the database doesn't answer."""
    try:
        applied = MigrationRecorder(connection).applied_migrations()
    except OperationalError:
        return
    finally:
        connection.close()
    if ONLY_IN_0_1 in applied:
        raise CommandError(REFUSAL)


def refuse_newer_data() -> None:
    """Raises CommandError if the database has migrations of our apps that follow those of this version."""
    own = {app.label for app in apps.get_app_configs() if app.name.partition(".")[0] in OWN_PACKAGES}
    applied = MigrationRecorder(connection).applied_migrations().keys()
    if newer_migrations((app, name) for app, name in applied if app in own):
        raise CommandError(NEWER)


def refuse_unreleased_data() -> None:
    """Raises CommandError if the database has some migrations that have been merged, but not all."""
    applied = MigrationRecorder(connection).applied_migrations()
    for app, (first, last) in MERGED.items():
        if (app, last) not in applied and any(
            label == app and first < name < last for label, name in applied
        ):
            raise CommandError(UNRELEASED)


def newer_migrations(applied: Iterable[Migration]) -> list[Migration]:
    """The unknown ones of `applied` that follow all known ones of their app. Earlier ones were merged."""
    migrations = MigrationLoader(None).disk_migrations
    known = {key for own, migration in migrations.items() for key in (own, *migration.replaces)}
    last = {app: max(name for label, name in known if label == app) for app, _ in known}
    return sorted(key for key in applied if key not in known and key[1] > last.get(key[0], ""))

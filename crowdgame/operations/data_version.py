"""Migration guard: at start, refuse old data. The schema of crowdgame 0.1 is incompatible."""

from django.core.management.base import CommandError
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder

# A migration that every installation of 0.1 has applied and this version doesn't have.
ONLY_IN_0_1 = ("games", "0002_turn_sealed_at")
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

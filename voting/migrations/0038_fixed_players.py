"""Forget what only duels need. Processes of the earlier version still use the columns, so they stay for now."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("voting", "0037_shards")]

    operations = [
        migrations.RemoveConstraint("event", "event_rematch_wanted_by_1_or_2"),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField("event", "is_casual"),
                migrations.RemoveField("event", "swaps_sides"),
                migrations.RemoveField("event", "rematch_wanted_by"),
                migrations.RenameField("event", "is_duel", "fixed_players"),
                migrations.AlterField(
                    "event",
                    "fixed_players",
                    models.BooleanField(db_column="is_duel", default=False, db_default=False, editable=False),
                ),
            ]
        ),
    ]

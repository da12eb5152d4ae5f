"""Move what only duels need from their events."""

from django.db import migrations, models
from django.db.models import OuterRef, Q, Subquery


def copy_from_events(apps, schema_editor):
    alias = schema_editor.connection.alias
    event = apps.get_model("voting", "Event").objects.using(alias).filter(pk=OuterRef("event"))
    apps.get_model("duels", "Duel").objects.using(alias).update(
        casual=Subquery(event.values("is_casual")),
        rematch_wanted_by=Subquery(event.values("rematch_wanted_by")),
    )


class Migration(migrations.Migration):
    dependencies = [("duels", "0004_bot"), ("voting", "0036_lobby_music")]
    run_before = [("voting", "0038_fixed_players")]

    operations = [
        migrations.AddField("duel", "casual", models.BooleanField(default=False, db_default=False)),
        migrations.AddField(
            "duel",
            "rematch_wanted_by",
            models.PositiveSmallIntegerField(null=True, blank=True, editable=False),
        ),
        migrations.AddConstraint(
            "duel",
            models.CheckConstraint(
                condition=Q(rematch_wanted_by=None) | Q(rematch_wanted_by__in=[1, 2]),
                name="duel_rematch_wanted_by_1_or_2",
            ),
        ),
        migrations.RunPython(copy_from_events, migrations.RunPython.noop),
    ]

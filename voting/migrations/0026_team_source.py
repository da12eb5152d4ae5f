"""Replace the switch for a show of hands by the source of a team's ballots."""

from django.db import migrations, models


def set_sources(apps, schema_editor):
    teams = apps.get_model("voting", "Team").objects.using(schema_editor.connection.alias)
    teams.filter(hands=True).update(source="hands")


class Migration(migrations.Migration):
    dependencies = [("voting", "0025_hide_judges")]

    operations = [
        migrations.AddField(
            "team",
            "source",
            models.CharField("where its ballots come from", max_length=80, default="phones", db_default="phones"),
        ),
        migrations.RunPython(set_sources, migrations.RunPython.noop),
        migrations.RemoveField("team", "hands"),
        migrations.AddField("match", "bots", models.JSONField(null=True, blank=True, editable=False)),
        migrations.AddField(
            "turn", "awaits_sources", models.BooleanField(default=False, db_default=False, editable=False)
        ),
        migrations.AddIndex(
            "turn",
            models.Index(
                fields=["opens_at"],
                condition=models.Q(("awaits_sources", True)),
                name="turn_awaiting_sources",
            ),
        ),
    ]

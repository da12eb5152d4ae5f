"""Replace the fixed length of reveals by a pace."""

from django.db import migrations, models

PACES = [("instant", "Result only"), ("brisk", "Brisk"), ("normal", "Normal"), ("dramatic", "Dramatic")]
# The longest reveal, in seconds, that becomes this pace.
LONGEST_S = {"instant": 2, "brisk": 4, "normal": 7}


def set_paces(apps, schema_editor):
    for name in ("Cup",):
        rows = apps.get_model("cups", name).objects.using(schema_editor.connection.alias)
        pace = models.Case(
            *(models.When(reveal_s__lte=longest, then=models.Value(pace)) for pace, longest in LONGEST_S.items()),
            default=models.Value("dramatic"),
        )
        rows.update(pace=pace)


class Migration(migrations.Migration):
    dependencies = [("cups", "0001_initial")]

    operations = [
        migrations.AddField(
            "cup",
            "pace",
            models.CharField("pace of reveals", max_length=16, choices=PACES, default="normal", db_default="normal"),
        ),
        migrations.RunPython(set_paces, migrations.RunPython.noop),
        migrations.RemoveConstraint("cup", "cup_reveal_in_range"),
        migrations.RemoveField("cup", "reveal_s"),
        migrations.AddConstraint(
            "cup",
            models.CheckConstraint(condition=models.Q(pace__in=[value for value, _ in PACES]), name="cup_pace_known"),
        ),
    ]

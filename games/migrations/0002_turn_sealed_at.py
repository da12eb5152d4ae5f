from typing import Any

from django.db import migrations, models


def seal_old_turns(apps: Any, schema_editor: Any) -> None:
    """Turns from before it was kept: their seal was a moment before their result."""
    turns = apps.get_model("games", "Turn").objects.filter(resolved_at__isnull=False)
    turns.update(sealed_at=models.F("resolved_at"))


class Migration(migrations.Migration):
    dependencies = [("games", "0001_initial")]

    operations = [
        migrations.RemoveConstraint(model_name="turn", name="turn_no_pick_while_live"),
        migrations.AddField(
            model_name="turn", name="sealed_at", field=models.BigIntegerField(blank=True, null=True)
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["resolved", "void"]),
                    models.Q(
                        ("red_pick", None), ("resolved_at", None), ("sealed_at", None), ("yellow_pick", None)
                    ),
                    _connector="OR",
                ),
                name="turn_no_pick_while_live",
            ),
        ),
        migrations.RunPython(seal_old_turns, migrations.RunPython.noop),
    ]

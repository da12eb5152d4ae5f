"""Let organizers turn off the marks of voters' own drops."""

from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("games", "0004_hide_drops")]
    dependencies = [("voting", "0003_pace")]

    operations = [
        migrations.AddField(
            "event",
            "hide_drops",
            models.BooleanField("hide the marks of voters' drops", default=False, db_default=False),
        ),
    ]

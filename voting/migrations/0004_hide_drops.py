"""Let organizers turn off the marks of voters' own drops."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("voting", "0003_pace")]

    operations = [
        migrations.AddField(
            "event",
            "hide_drops",
            models.BooleanField("hide the marks of voters' drops", default=False, db_default=False),
        ),
    ]

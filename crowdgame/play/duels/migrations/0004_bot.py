from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("duels", "0003_due_picks")]

    operations = [
        migrations.AddField("duel", "bot", models.PositiveSmallIntegerField(null=True, blank=True)),
    ]

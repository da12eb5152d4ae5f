from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0005_cups")]

    operations = [
        migrations.AddField(
            model_name="event",
            name="extra_s",
            field=models.PositiveIntegerField(
                db_default=0, default=0, editable=False, verbose_name="seconds more in every turn"
            ),
        ),
        migrations.AddField(
            model_name="turn",
            name="talk_left_ms",
            field=models.BigIntegerField(db_default=0, default=0),
        ),
    ]

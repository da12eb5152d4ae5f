from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("voting", "0005_rulings")]

    operations = [
        migrations.AddField(
            model_name="deed",
            name="pressed",
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="deed",
            name="undo",
            field=models.JSONField(blank=True, null=True),
        ),
    ]

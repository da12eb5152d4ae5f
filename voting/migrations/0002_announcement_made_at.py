import django.db.models.functions
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("voting", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="announcement",
            name="made_at",
            field=models.DateTimeField(
                db_default=django.db.models.functions.Now(), default=django.utils.timezone.now
            ),
        ),
    ]

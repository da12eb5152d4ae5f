"""Store whose action an audit entry is. Earlier entries belong to the user who had the name at that time."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def find_users(apps, schema_editor):
    entries = apps.get_model("events", "AuditEntry").objects
    users = apps.get_model(settings.AUTH_USER_MODEL).objects
    for user in users.filter(username__in=entries.order_by().values("by")).iterator():
        joined_ms = int(user.date_joined.timestamp() * 1000)
        entries.filter(by=user.username, at__gte=joined_ms).update(user=user)


class Migration(migrations.Migration):
    dependencies = [
        ("events", "0001_squashed_0004_archived_events"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="auditentry",
            name="user",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(find_users, migrations.RunPython.noop),
    ]

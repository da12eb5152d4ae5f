"""Give the permissions and admin log entries of the models that were in the app `games` to `voting`."""

from django.db import migrations

MODELS = ("event", "team", "match", "turn")


def relabel(apps, schema_editor):
    content_types = apps.get_model("contenttypes", "ContentType").objects.using(schema_editor.connection.alias)
    content_types.filter(app_label="games", model__in=MODELS).update(app_label="voting")


class Migration(migrations.Migration):
    dependencies = [
        ("voting", "0004_hide_drops"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(relabel, migrations.RunPython.noop)]

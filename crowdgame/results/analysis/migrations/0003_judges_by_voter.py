from django.db import migrations


def delete_codes(apps, schema_editor):
    """The voters can't be told from their codes."""
    apps.get_model("analysis", "MatchJudges").objects.all().delete()


class Migration(migrations.Migration):

    dependencies = [
        ('analysis', '0002_match_judges'),
    ]

    operations = [
        migrations.RunPython(delete_codes, migrations.RunPython.noop),
        migrations.RenameField('matchjudges', 'voter_codes', 'voters'),
    ]

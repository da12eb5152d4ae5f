"""Drop the tables of django-axes, which counted wrong passwords in earlier versions. They were empty."""

from django.db import migrations

TABLES = ('axes_accessattemptexpiration', 'axes_accessattempt', 'axes_accesslog', 'axes_accessfailurelog')


def forget_axes(apps, schema_editor):
    apps.get_model('contenttypes', 'ContentType').objects.filter(app_label='axes').delete()


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_invitations'),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
    ]

    operations = [
        *(migrations.RunSQL(f'DROP TABLE IF EXISTS {table}', migrations.RunSQL.noop) for table in TABLES),
        migrations.RunPython(forget_axes, migrations.RunPython.noop),
    ]

"""Give every account the skeleton of its name.

Of accounts with similar names, the oldest keeps the skeleton. The others keep their names and their login, and have
no skeleton until they are renamed.
"""

from django.db import migrations, models

from crowdgame.accounts.name_skeletons import name_skeleton

LENGTH = 255


def fill_skeletons(apps, schema_editor):
    guests = apps.get_model('accounts', 'Guest').objects
    seen = set()
    for pk, name in list(guests.exclude(name='').order_by('pk').values_list('pk', 'name')):
        skeleton = name_skeleton(name)
        if skeleton not in seen and 0 < len(skeleton) <= LENGTH:
            seen.add(skeleton)
            guests.filter(pk=pk).update(name_skeleton=skeleton)


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_initial'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='guest',
            name='guest_account_complete',
        ),
        migrations.AddField(
            model_name='guest',
            name='name_skeleton',
            field=models.CharField(blank=True, editable=False, max_length=255, null=True, unique=True),
        ),
        migrations.AddConstraint(
            model_name='guest',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('name', ''), ('name_key', None), ('name_skeleton', None), ('password', '')), models.Q(models.Q(('name', ''), _negated=True), models.Q(('password', ''), _negated=True), ('name_key__isnull', False)), _connector='OR'), name='guest_account_complete'),
        ),
        migrations.RunPython(fill_skeletons, migrations.RunPython.noop),
    ]

"""Drop what the users of guest accounts hold now. Apart from 0005: PostgreSQL alters no table with pending checks."""

from django.db import migrations, models

CONSTRAINT = 'guest_account_complete'


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0005_guests_are_users'),
    ]

    operations = [
        migrations.RemoveConstraint('guest', CONSTRAINT),
        migrations.RemoveField('guest', 'name_key'),
        migrations.RemoveField('guest', 'password'),
        migrations.AddConstraint(
            'guest',
            models.CheckConstraint(condition=models.Q(models.Q(('name', ''), ('name_skeleton', None), ('user', None)), models.Q(models.Q(('name', ''), _negated=True), ('user__isnull', False)), _connector='OR'), name=CONSTRAINT),
        ),
    ]

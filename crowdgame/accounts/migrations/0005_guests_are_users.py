"""Make every guest account a Django user with the same password hash.

The user name is the comparison key of the guest's name. If an organizer has that name, the guest's number is appended.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def create_users(apps, schema_editor):
    guests, users = apps.get_model('accounts', 'Guest').objects, apps.get_model('auth', 'User').objects
    for guest in guests.exclude(password='').order_by('pk').iterator():
        taken = users.filter(username__iexact=guest.name_key).exists()
        name = f'{guest.name_key}{guest.number}' if taken else guest.name_key
        user = users.create(username=name, password=guest.password, date_joined=guest.came_at)
        guests.filter(pk=guest.pk).update(user=user)


def restore_passwords(apps, schema_editor):
    guests, users = apps.get_model('accounts', 'Guest').objects, apps.get_model('auth', 'User').objects
    accounts = list(guests.exclude(user=None).values_list('pk', 'user', 'user__username', 'user__password'))
    for pk, user, name, password in accounts:
        guests.filter(pk=pk).update(name_key=name, password=password, user=None)
        users.filter(pk=user).delete()


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0004_drop_axes'),
        ('auth', '0012_alter_user_first_name_max_length'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            'guest',
            'user',
            models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='guest', to=settings.AUTH_USER_MODEL),
        ),
        migrations.RunPython(create_users, restore_passwords),
    ]

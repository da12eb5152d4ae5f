"""The migrations 0002 to 0008, merged."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
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


def forget_axes(apps, schema_editor):
    apps.get_model('contenttypes', 'ContentType').objects.filter(app_label='axes').delete()


def create_users(apps, schema_editor):
    guests, users = apps.get_model('accounts', 'Guest').objects, apps.get_model('auth', 'User').objects
    for guest in guests.exclude(password='').order_by('pk').iterator():
        taken = users.filter(username__iexact=guest.name_key).exists()
        name = f'{guest.name_key}{guest.number}' if taken else guest.name_key
        user = users.create(username=name, password=guest.password, date_joined=guest.came_at)
        guests.filter(pk=guest.pk).update(user=user)


class Migration(migrations.Migration):
    dependencies = [
        ('accounts', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
    ]
    operations = [
        migrations.RemoveConstraint('guest', 'guest_account_complete'),
        migrations.AddField('guest', 'name_skeleton', models.CharField(blank=True, editable=False, max_length=255, null=True, unique=True)),
        migrations.AddConstraint('guest', models.CheckConstraint(condition=models.Q(models.Q(('name', ''), ('name_key', None), ('name_skeleton', None), ('password', '')), models.Q(models.Q(('name', ''), _negated=True), models.Q(('password', ''), _negated=True), ('name_key__isnull', False)), _connector='OR'), name='guest_account_complete')),
        migrations.RunPython(fill_skeletons, migrations.RunPython.noop),
        migrations.RunSQL('DROP TABLE IF EXISTS axes_accessattemptexpiration', migrations.RunSQL.noop),
        migrations.RunSQL('DROP TABLE IF EXISTS axes_accessattempt', migrations.RunSQL.noop),
        migrations.RunSQL('DROP TABLE IF EXISTS axes_accesslog', migrations.RunSQL.noop),
        migrations.RunSQL('DROP TABLE IF EXISTS axes_accessfailurelog', migrations.RunSQL.noop),
        migrations.RunPython(forget_axes, migrations.RunPython.noop),
        migrations.AddField('guest', 'user', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='guest', to=settings.AUTH_USER_MODEL)),
        migrations.RunPython(create_users),
        migrations.RemoveConstraint('guest', 'guest_account_complete'),
        migrations.RemoveField('guest', 'name_key'),
        migrations.RemoveField('guest', 'password'),
        migrations.AddConstraint('guest', models.CheckConstraint(condition=models.Q(models.Q(('name', ''), ('name_skeleton', None), ('user', None)), models.Q(models.Q(('name', ''), _negated=True), ('user__isnull', False)), _connector='OR'), name='guest_account_complete')),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('token_hash', models.CharField(editable=False, max_length=64, unique=True)),
                ('name', models.CharField(max_length=80)),
                ('email', models.EmailField(blank=True, default='', max_length=254)),
                ('administrator', models.BooleanField(default=False, editable=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('used_by', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='QueuedMail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('message', models.JSONField()),
                ('queued_at', models.DateTimeField(auto_now_add=True)),
                ('due_at', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name='AccountLanguage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('language', models.CharField(max_length=10)),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
    ]

"""The migrations 0002 to 0007, merged."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

STARTED, STOPPED = 'rehearsal.start', 'rehearsal.stop'
LONGEST_MS = 30 * 60 * 1000


def mark_rehearsed_matches(apps, schema_editor):
    """A crowd played the match that was live when it came, or else the next one until it left."""
    actions = {}
    found = apps.get_model('events', 'AuditEntry').objects.filter(action__in=[STARTED, STOPPED])
    for event_id, action, at in found.order_by('at', 'pk').values_list('event_id', 'action', 'at'):
        actions.setdefault(event_id, []).append((action, at))
    matches = apps.get_model('voting', 'Match').objects
    for event_id, taken in actions.items():
        for place, (action, came) in enumerate(taken):
            if action == STARTED:
                stops = [at for later, at in taken[place:] if later == STOPPED]
                left = min([came + LONGEST_MS, *stops])
                played = matches.filter(event=event_id, started_at__lt=left).exclude(ended_at__lte=came)
                first = played.order_by('number').first()
                if first is not None:
                    matches.filter(pk=first.pk).update(rehearsed=True)


def find_users(apps, schema_editor):
    entries = apps.get_model("events", "AuditEntry").objects
    users = apps.get_model(settings.AUTH_USER_MODEL).objects
    for user in users.filter(username__in=entries.order_by().values("by")).iterator():
        joined_ms = int(user.date_joined.timestamp() * 1000)
        entries.filter(by=user.username, at__gte=joined_ms).update(user=user)


class Migration(migrations.Migration):
    dependencies = [
        ('events', '0001_initial'),
        ('voting', '0037_shards'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.RunPython(mark_rehearsed_matches, migrations.RunPython.noop),
        migrations.AddField('auditentry', 'what_values', models.JSONField(blank=True, null=True)),
        migrations.AddField('auditentry', 'user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
        migrations.RunPython(find_users, migrations.RunPython.noop),
        migrations.CreateModel(
            name='ArchivedEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('event', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='archived', to='voting.event')),
            ],
        ),
        migrations.CreateModel(
            name='EventLogo',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('key', models.CharField(db_index=True, max_length=32)),
                ('content', models.BinaryField()),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='logos', to='voting.event')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('event', 'key'), name='logo_once')],
            },
        ),
        migrations.CreateModel(
            name='Organization',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=80)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='SharedEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('is_template', models.BooleanField(default=False)),
                ('event', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='shared', to='voting.event')),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='shared_events', to='events.organization')),
            ],
        ),
        migrations.CreateModel(
            name='OrganizationMember',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('role', models.CharField(default='cohost', max_length=8)),
                ('name', models.CharField(default='', max_length=80)),
                ('token_hash', models.CharField(blank=True, default='', editable=False, max_length=64)),
                ('expires_at', models.DateTimeField(null=True)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='events.organization')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('organization', 'user'), name='organization_member_once'), models.CheckConstraint(condition=models.Q(('role__in', ['owner', 'cohost', 'viewer'])), name='organization_role_known')],
            },
        ),
    ]

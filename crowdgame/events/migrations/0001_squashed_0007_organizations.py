import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [('events', '0001_initial'), ('events', '0007_organizations')]
    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL), ('voting', '0037_shards')]
    operations = [
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('by', models.CharField(max_length=150)),
                ('action', models.CharField(max_length=24)),
                ('what', models.CharField(max_length=200)),
                ('pressed', models.JSONField(blank=True, null=True)),
                ('undo', models.JSONField(blank=True, null=True)),
                ('undone', models.BooleanField(db_default=False, default=False)),
                ('at', models.BigIntegerField()),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='audit_entries', to='voting.event')),
                ('what_values', models.JSONField(blank=True, null=True)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['event', '-at'], name='audit_latest')],
            },
        ),
        migrations.CreateModel(
            name='Member',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('role', models.CharField(max_length=8)),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='voting.event')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('event', 'user'), name='member_once'), models.CheckConstraint(condition=models.Q(('role__in', ['cohost', 'viewer'])), name='member_role_known')],
            },
        ),
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

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = [('voting', '0001_initial'), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]
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
    ]

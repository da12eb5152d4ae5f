import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [('api', '0001_initial'), ('api', '0002_webhooks')]
    dependencies = [('voting', '0037_shards'), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]
    operations = [
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=80)),
                ('token_hash', models.CharField(editable=False, max_length=64, unique=True)),
                ('scopes', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('used_on', models.DateField(editable=False, null=True)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('event', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='voting.event')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('url', models.CharField(max_length=500)),
                ('types', models.JSONField(default=list)),
                ('secret', models.CharField(max_length=64)),
                ('old_secret', models.CharField(blank=True, default='', max_length=64)),
                ('rotated_at', models.DateTimeField(null=True)),
                ('seq', models.BigIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('failing_since', models.DateTimeField(null=True)),
                ('paused_at', models.DateTimeField(null=True)),
                ('next_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='voting.event')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='WebhookDelivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('message_id', models.CharField(max_length=40, unique=True)),
                ('type', models.CharField(max_length=40)),
                ('body', models.TextField()),
                ('created_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('due_at', models.DateTimeField(db_index=True, default=django.utils.timezone.now, null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('reason', models.CharField(blank=True, default='', max_length=40)),
                ('duration_ms', models.PositiveIntegerField(null=True)),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='api.webhook')),
            ],
        ),
    ]

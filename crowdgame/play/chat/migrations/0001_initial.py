import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ('accounts', '0001_initial'),
        ('duels', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name='ChatMute',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('until', models.DateTimeField(blank=True, null=True)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('guest', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='mute', to='accounts.guest')),
            ],
        ),
        migrations.CreateModel(
            name='ChatRoom',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=8)),
                ('seq', models.BigIntegerField(default=0)),
                ('slow_s', models.PositiveSmallIntegerField(default=2)),
                ('closed', models.BooleanField(default=False)),
                ('duel', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='chat_rooms', to='duels.duel')),
            ],
            options={
                'permissions': [('moderate_chat', 'Can moderate the chat')],
                'constraints': [models.UniqueConstraint(fields=('duel', 'kind'), name='chat_room_once'), models.UniqueConstraint(condition=models.Q(('duel', None)), fields=('kind',), name='chat_room_one_lobby'), models.CheckConstraint(condition=models.Q(models.Q(('duel', None), ('kind', 'lobby')), models.Q(('kind__in', ['players', 'watchers']), models.Q(('duel', None), _negated=True)), _connector='OR'), name='chat_room_of_lobby_or_duel')],
            },
        ),
        migrations.CreateModel(
            name='ChatLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=40)),
                ('text', models.CharField(max_length=200)),
                ('at', models.DateTimeField(db_index=True)),
                ('seq', models.BigIntegerField()),
                ('removed', models.BooleanField(default=False)),
                ('guest', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.guest')),
                ('room', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='lines', to='chat.chatroom')),
            ],
            options={
                'indexes': [models.Index(fields=['room', '-at'], name='chat_line_latest')],
                'constraints': [models.UniqueConstraint(fields=('room', 'seq'), name='chat_line_seq_once')],
            },
        ),
        migrations.CreateModel(
            name='ChatBlock',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('blocked', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.guest')),
                ('guest', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to='accounts.guest')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('guest', 'blocked'), name='chat_block_once')],
            },
        ),
        migrations.CreateModel(
            name='ChatReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('reason', models.CharField(max_length=10)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('settled', models.BooleanField(default=False)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.guest')),
                ('line', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='chat.chatline')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('settled', False)), fields=['-at'], name='chat_report_open')],
                'constraints': [models.UniqueConstraint(fields=('line', 'by'), name='chat_report_once'), models.UniqueConstraint(condition=models.Q(('by', None)), fields=('line',), name='chat_report_once_by_nobody')],
            },
        ),
    ]

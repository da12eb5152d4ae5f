import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [('chat', '0001_initial'), ('duels', '0005_casual_and_rematch'), ('voting', '0037_shards')]
    operations = [
        migrations.RemoveConstraint('chatroom', 'chat_room_one_lobby'),
        migrations.RemoveConstraint('chatroom', 'chat_room_of_lobby_or_duel'),
        migrations.AddField('chatroom', 'event', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='chat_rooms', to='voting.event')),
        migrations.AddField('chatroom', 'team', models.PositiveSmallIntegerField(blank=True, null=True)),
        migrations.AddConstraint('chatroom', models.UniqueConstraint(condition=models.Q(('duel', None), ('event', None)), fields=('kind',), name='chat_room_one_lobby')),
        migrations.AddConstraint('chatroom', models.UniqueConstraint(fields=('event', 'team'), name='chat_room_once_a_team')),
        migrations.AddConstraint('chatroom', models.CheckConstraint(condition=models.Q(models.Q(('duel', None), ('event', None), ('kind', 'lobby'), ('team', None)), models.Q(('event', None), ('kind__in', ['players', 'watchers']), ('team', None), models.Q(('duel', None), _negated=True)), models.Q(('duel', None), ('kind', 'team'), ('team__in', [1, 2]), models.Q(('event', None), _negated=True)), _connector='OR'), name='chat_room_of_lobby_or_duel_or_team')),
        migrations.CreateModel(
            name='Suggestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('voter_code', models.CharField(max_length=6)),
                ('text', models.CharField(max_length=140)),
                ('choice', models.PositiveBigIntegerField(blank=True, null=True)),
                ('at', models.DateTimeField(db_index=True)),
                ('agreed', models.PositiveIntegerField(default=0)),
                ('removed', models.BooleanField(default=False)),
                ('room', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='suggestions', to='chat.chatroom')),
                ('turn', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='voting.turn')),
            ],
            options={
                'indexes': [models.Index(fields=['room', 'turn', '-agreed'], name='suggestion_most_agreed')],
            },
        ),
        migrations.CreateModel(
            name='Mark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('voter_code', models.CharField(max_length=6)),
                ('kind', models.CharField(max_length=6)),
                ('suggestion', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='marks', to='chat.suggestion')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('suggestion', 'voter_code', 'kind'), name='suggestion_marked_once')],
            },
        ),
    ]

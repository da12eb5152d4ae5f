"""The migrations 0005 to 0037, merged."""

import django.db.models.deletion
import django.utils.translation
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

import voting.terms

MODELS = ("event", "team", "match", "turn")


def relabel(apps, schema_editor):
    content_types = apps.get_model("contenttypes", "ContentType").objects.using(schema_editor.connection.alias)
    content_types.filter(app_label="games", model__in=MODELS).update(app_label="voting")


def mark_studies(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Until now, voters read a text only if their votes went into a study."""
    for name in ("Event", "Match"):
        rows = apps.get_model("voting", name).objects.using(schema_editor.connection.alias)
        rows.exclude(consent="").update(in_study=True)


def set_sources(apps, schema_editor):
    teams = apps.get_model("voting", "Team").objects.using(schema_editor.connection.alias)
    teams.filter(hands=True).update(source="hands")


class Migration(migrations.Migration):
    dependencies = [
        ('voting', '0001_initial'),
        ('contenttypes', '0002_remove_content_type_name'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.RunPython(relabel, migrations.RunPython.noop),
        migrations.AddField('event', 'hide_sound', models.BooleanField(db_default=False, default=False)),
        migrations.AddField('match', 'rehearsed', models.BooleanField(db_default=False, default=False, editable=False)),
        migrations.AddField('event', 'language', models.CharField(db_default='en', default=django.utils.translation.get_language, max_length=10)),
        migrations.RemoveConstraint('match', 'match_result_when_ended'),
        migrations.AddField('event', 'is_casual', models.BooleanField(db_default=False, default=False, editable=False)),
        migrations.AddConstraint('match', models.CheckConstraint(condition=models.Q(models.Q(('ended_by__in', [voting.terms.Ending['BOARD'], voting.terms.Ending['FORFEIT'], voting.terms.Ending['TIME'], voting.terms.Ending['RESIGN'], voting.terms.Ending['DESERTED'], voting.terms.Ending['CONCEDED'], voting.terms.Ending['AGREED']]), ('ended_by__isnull', False), ('result__in', ['red', 'yellow', 'draw']), ('result__isnull', False), ('state', voting.terms.MatchState['ENDED'])), models.Q(models.Q(('state', voting.terms.MatchState['ENDED']), _negated=True), ('ended_by', None), ('result', None)), _connector='OR'), name='match_result_when_ended')),
        migrations.AddField('event', 'sound_on', models.BooleanField(db_default=False, default=False, editable=False)),
        migrations.AddField('event', 'notice_until', models.BigIntegerField(blank=True, editable=False, null=True)),
        migrations.AddField('event', 'in_study', models.BooleanField(db_default=False, default=False)),
        migrations.AddField('match', 'in_study', models.BooleanField(db_default=False, default=False)),
        migrations.RunPython(mark_studies, migrations.RunPython.noop),
        migrations.AddConstraint('event', models.CheckConstraint(condition=models.Q(('in_study', False), models.Q(('consent', ''), _negated=True), _connector='OR'), name='event_study_with_consent')),
        migrations.AddConstraint('match', models.CheckConstraint(condition=models.Q(('in_study', False), models.Q(('consent', ''), _negated=True), _connector='OR'), name='match_study_with_consent')),
        migrations.AddField('event', 'analysis', models.CharField(db_default='match', default=voting.terms.AnalysisTime['MATCH'], max_length=8)),
        migrations.AddConstraint('event', models.CheckConstraint(condition=models.Q(('analysis__in', [voting.terms.AnalysisTime['OFF'], voting.terms.AnalysisTime['MATCH'], voting.terms.AnalysisTime['TURN']])), name='event_analysis_known')),
        migrations.AddField('tallyrecord', 'is_sorted', models.BooleanField(db_default=False, default=False)),
        migrations.AddField('event', 'next_seed', models.CharField(blank=True, db_default='', default='', editable=False, max_length=32)),
        migrations.AddField('match', 'chosen_options', models.JSONField(blank=True, editable=False, null=True)),
        migrations.AddField('match', 'seed', models.CharField(blank=True, db_default='', default='', editable=False, max_length=32)),
        migrations.AddField('turn', 'void_reason', models.CharField(blank=True, db_default='', default='', max_length=12)),
        migrations.AddField('turn', 'void_seals', models.JSONField(blank=True, null=True)),
        migrations.AddField('turn', 'voided_at', models.BigIntegerField(blank=True, null=True)),
        migrations.AddConstraint('turn', models.CheckConstraint(condition=models.Q(models.Q(('void_reason', ''), ('voided_at', None)), models.Q(('state', 'void'), ('void_reason__in', [voting.terms.VoidReason['TAKEN_BACK'], voting.terms.VoidReason['SUPERSEDED'], voting.terms.VoidReason['STOPPED']]), ('voided_at__isnull', False)), _connector='OR'), name='turn_void_reason_when_void')),
        migrations.AddField('event', 'store_ballots', models.BooleanField(db_default=False, default=False)),
        migrations.AddField('match', 'store_ballots', models.BooleanField(db_default=False, default=False)),
        migrations.AddField('turn', 'sealed_version', models.PositiveIntegerField(db_default=0, default=0)),
        migrations.AddField('turn', 'seals', models.JSONField(blank=True, null=True)),
        migrations.AddField('event', 'hide_hints', models.BooleanField(db_default=False, default=False)),
        migrations.AddField('event', 'hide_recognition', models.BooleanField(db_default=False, default=False)),
        migrations.AddField('event', 'host_wait_s', models.PositiveSmallIntegerField(blank=True, null=True)),
        migrations.AddField('match', 'host_wait_s', models.PositiveSmallIntegerField(blank=True, null=True)),
        migrations.AddConstraint('event', models.CheckConstraint(condition=models.Q(('host_wait_s', None), models.Q(('bank_s', None), ('host_wait_s__gte', 3), ('host_wait_s__lte', 180)), _connector='OR'), name='event_host_wait_in_range')),
        migrations.AddConstraint('match', models.CheckConstraint(condition=models.Q(('host_wait_s', None), models.Q(('bank_s', None), ('host_wait_s__gte', 3), ('host_wait_s__lte', 180)), _connector='OR'), name='match_host_wait_in_range')),
        migrations.AddField('event', 'nicknames', models.CharField(db_default='off', default='suggested', max_length=9)),
        migrations.AddField('storedrestriction', 'nameless', models.BooleanField(db_default=False, default=False)),
        migrations.AddConstraint('event', models.CheckConstraint(condition=models.Q(('nicknames__in', ['off', 'suggested', 'typed'])), name='event_nicknames_known')),
        migrations.AddField('event', 'hide_judges', models.BooleanField(db_default=False, default=False)),
        migrations.AddField('team', 'source', models.CharField(db_default='phones', default='phones', max_length=80)),
        migrations.RunPython(set_sources, migrations.RunPython.noop),
        migrations.RemoveField('team', 'hands'),
        migrations.AddField('match', 'bots', models.JSONField(blank=True, editable=False, null=True)),
        migrations.AddField('turn', 'awaits_sources', models.BooleanField(db_default=False, default=False, editable=False)),
        migrations.AddIndex('turn', models.Index(condition=models.Q(('awaits_sources', True)), fields=['opens_at'], name='turn_awaiting_sources')),
        migrations.AddConstraint('team', models.UniqueConstraint(condition=models.Q(('source__startswith', 'twitch:')), fields=('event', 'source'), name='team_chat_once_an_event')),
        migrations.AddField('event', 'ends_at', models.BigIntegerField(blank=True, db_index=True, editable=False, null=True)),
        migrations.RemoveConstraint('team', 'team_chat_once_an_event'),
        migrations.AddConstraint('team', models.UniqueConstraint(condition=models.Q(('source__startswith', 'twitch:'), ('source__startswith', 'discord:'), _connector='OR'), fields=('event', 'source'), name='team_chat_once_an_event')),
        migrations.AddField('event', 'draw_offers', models.BooleanField(db_default=False, default=False)),
        migrations.AddField('match', 'draw_offers', models.BooleanField(db_default=False, default=False)),
        migrations.AddField('tallyrecord', 'draw_votes', models.PositiveIntegerField(db_default=0, default=0)),
        migrations.AddField('turn', 'draw_offered_by', models.CharField(blank=True, db_default='', default='', max_length=6)),
        migrations.AlterField('storedballot', 'choice', models.PositiveBigIntegerField()),
        migrations.AddField('event', 'team_discussion', models.BooleanField(db_default=False, default=False)),
        migrations.AddField('storedrestriction', 'muted', models.BooleanField(db_default=False, default=False)),
        migrations.AddField('event', 'embed_sites', models.TextField(blank=True, db_default='', default='')),
        migrations.AddField('event', 'brand_line', models.CharField(blank=True, db_default='', default='', editable=False, max_length=40)),
        migrations.AddField('event', 'logo', models.CharField(blank=True, db_default='', default='', editable=False, max_length=32)),
        migrations.AddField('team', 'color', models.CharField(blank=True, db_default='', default='', editable=False, max_length=7)),
        migrations.AddField('turn', 'draws_version', models.PositiveSmallIntegerField(db_default=1, default=2, editable=False)),
        migrations.AddField('event', 'lobby_music', models.BooleanField(db_default=False, default=False, editable=False)),
        migrations.AddField('event', 'shards', models.PositiveSmallIntegerField(db_default=1, default=1)),
        migrations.AddField('match', 'shards', models.PositiveSmallIntegerField(db_default=1, default=1)),
        migrations.AddConstraint('event', models.CheckConstraint(condition=models.Q(('shards__gte', 1), ('shards__lte', 16)), name='event_shards_in_range')),
        migrations.AddConstraint('match', models.CheckConstraint(condition=models.Q(('shards__gte', 1), ('shards__lte', 16)), name='match_shards_in_range')),
        migrations.CreateModel(
            name='Offer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('side', models.CharField(max_length=6)),
                ('kind', models.CharField(max_length=8)),
                ('declined', models.BooleanField(default=False)),
                ('turn', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='offers', to='voting.turn')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('turn', 'side', 'kind'), name='offer_once_a_turn'), models.CheckConstraint(condition=models.Q(('kind__in', [voting.terms.OfferKind['DRAW'], voting.terms.OfferKind['TAKEBACK']]), ('side__in', ('red', 'yellow'))), name='offer_known')],
            },
        ),
        migrations.CreateModel(
            name='Nickname',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('voter_code', models.CharField(max_length=6)),
                ('name', models.CharField(max_length=24)),
                ('skeleton', models.CharField(max_length=255)),
                ('allowed', models.BooleanField()),
                ('chosen_at', models.BigIntegerField()),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chosen_nicknames', to='voting.event')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('event', 'voter_code'), name='nickname_once_per_voter_code'), models.UniqueConstraint(fields=('event', 'skeleton'), name='nickname_skeleton_once')],
            },
        ),
        migrations.CreateModel(
            name='LogEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('turn', models.BigIntegerField(db_index=True, null=True)),
                ('content', models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name='LogHead',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('size', models.BigIntegerField(default=0)),
                ('hashes', models.BinaryField(default=b'')),
                ('origin', models.CharField(blank=True, default='', max_length=200)),
                ('key', models.BinaryField(default=b'')),
            ],
        ),
        migrations.CreateModel(
            name='LogWitness',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('key', models.CharField(max_length=2000, unique=True)),
                ('url', models.URLField(blank=True, default='', max_length=500)),
                ('size', models.BigIntegerField(null=True)),
                ('root', models.BinaryField(default=b'')),
                ('cosignature', models.TextField(blank=True, default='')),
                ('cosigned_at', models.BigIntegerField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='LogTileHash',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('level', models.PositiveSmallIntegerField()),
                ('index', models.BigIntegerField()),
                ('hash', models.BinaryField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('level', 'index'), name='log_tile_hash_once')],
            },
        ),
    ]

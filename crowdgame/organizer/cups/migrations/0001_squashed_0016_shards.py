import django.db.models.deletion
import django.utils.translation
from django.conf import settings
from django.db import migrations, models

import voting.terms


class Migration(migrations.Migration):
    initial = True
    replaces = [('cups', '0001_initial'), ('cups', '0016_shards')]
    dependencies = [('voting', '0001_initial'), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]
    operations = [
        migrations.CreateModel(
            name='Cup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('game', models.CharField(default='simultaneous-captains-mistress', max_length=80)),
                ('options', models.JSONField(blank=True, default=dict)),
                ('window_s', models.PositiveIntegerField(default=20)),
                ('talk_s', models.PositiveIntegerField(db_default=0, default=0)),
                ('tally_method', models.CharField(default='plurality', max_length=16)),
                ('tie_rule', models.CharField(default='first', max_length=16)),
                ('no_ballot_rule', models.CharField(default='random', max_length=16)),
                ('resign', models.CharField(blank=True, max_length=16, null=True)),
                ('close_early', models.BooleanField(default=False)),
                ('bank_s', models.PositiveIntegerField(blank=True, null=True)),
                ('increment_s', models.PositiveIntegerField(db_default=0, default=0)),
                ('cap_s', models.PositiveIntegerField(blank=True, null=True)),
                ('crowd_clocks', models.BooleanField(db_default=False, default=False)),
                ('max_side_changes', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('turn_points', models.BooleanField(db_default=False, default=False)),
                ('consent', models.TextField(blank=True, db_default='', default='', max_length=400)),
                ('code', models.CharField(max_length=16, unique=True)),
                ('name', models.CharField(max_length=80)),
                ('format', models.CharField(default='knockout', max_length=8)),
                ('best_of', models.PositiveSmallIntegerField(default=1)),
                ('next_match_after_s', models.PositiveIntegerField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='cups', to=settings.AUTH_USER_MODEL)),
                ('pace', models.CharField(db_default='normal', default='normal', max_length=16)),
                ('language', models.CharField(db_default='en', default=django.utils.translation.get_language, max_length=10)),
                ('display_key_version', models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ('shown_pairing', models.PositiveSmallIntegerField(blank=True, editable=False, null=True)),
                ('archived_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('in_study', models.BooleanField(db_default=False, default=False)),
                ('store_ballots', models.BooleanField(db_default=False, default=False)),
                ('host_wait_s', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('nicknames', models.CharField(db_default='off', default=voting.terms.Nicknames['SUGGESTED'], max_length=9)),
                ('draw_offers', models.BooleanField(db_default=False, default=False)),
                ('shards', models.PositiveSmallIntegerField(db_default=1, default=1)),
            ],
            options={
                'abstract': False,
                'constraints': [models.CheckConstraint(condition=models.Q(('window_s__gte', 3), ('window_s__lte', 2592000)), name='cup_window_in_range'), models.CheckConstraint(condition=models.Q(('talk_s__lte', 86400)), name='cup_talk_in_range'), models.CheckConstraint(condition=models.Q(('tie_rule__in', ['first', 'lot', 'captain'])), name='cup_tie_rule_known'), models.CheckConstraint(condition=models.Q(('no_ballot_rule__in', ['random', 'pass', 'forfeit'])), name='cup_no_ballot_rule_known'), models.CheckConstraint(condition=models.Q(('resign', None), ('resign__in', ['half', 'two_thirds', 'three_quarters', 'all']), _connector='OR'), name='cup_resign_share_known'), models.CheckConstraint(condition=models.Q(('bank_s', None), models.Q(('bank_s__gte', 3), ('bank_s__lte', 2592000)), _connector='OR'), name='cup_bank_in_range'), models.CheckConstraint(condition=models.Q(('increment_s__lte', 86400)), name='cup_increment_in_range'), models.CheckConstraint(condition=models.Q(('cap_s', None), models.Q(('bank_s__isnull', False), ('cap_s__gte', 3)), _connector='OR'), name='cup_cap_of_a_bank'), models.CheckConstraint(condition=models.Q(('max_side_changes__lte', 9)), name='cup_max_side_changes_in_range'), models.CheckConstraint(condition=models.Q(('format__in', ['knockout', 'league'])), name='cup_format_known'), models.CheckConstraint(condition=models.Q(('best_of__gte', 1), ('best_of__lte', 21)), name='cup_best_of_in_range'), models.CheckConstraint(condition=models.Q(('pace__in', ['instant', 'brisk', 'normal', 'dramatic'])), name='cup_pace_known'), models.CheckConstraint(condition=models.Q(('in_study', False), models.Q(('consent', ''), _negated=True), _connector='OR'), name='cup_study_with_consent'), models.CheckConstraint(condition=models.Q(('host_wait_s', None), models.Q(('bank_s', None), ('host_wait_s__gte', 3), ('host_wait_s__lte', 180)), _connector='OR'), name='cup_host_wait_in_range'), models.CheckConstraint(condition=models.Q(('nicknames__in', [voting.terms.Nicknames['OFF'], voting.terms.Nicknames['SUGGESTED'], voting.terms.Nicknames['TYPED']])), name='cup_nicknames_known'), models.CheckConstraint(condition=models.Q(('shards__gte', 1), ('shards__lte', 16)), name='cup_shards_in_range')],
            },
        ),
        migrations.CreateModel(
            name='CupPairing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('number', models.PositiveSmallIntegerField()),
                ('red', models.PositiveSmallIntegerField()),
                ('yellow', models.PositiveSmallIntegerField()),
                ('walkover', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('cup', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pairings', to='cups.cup')),
                ('event', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='cup_pairing', to='voting.event')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('cup', 'number'), name='cuppairing_number_once'), models.CheckConstraint(condition=models.Q(('red', models.F('yellow')), _negated=True), name='cuppairing_two_teams'), models.CheckConstraint(condition=models.Q(('walkover', None), ('walkover__in', [1, 2]), _connector='OR'), name='cuppairing_walkover_1_or_2')],
            },
        ),
        migrations.CreateModel(
            name='CupTeam',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('seed', models.PositiveSmallIntegerField()),
                ('name', models.CharField(max_length=40)),
                ('cup', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='teams', to='cups.cup')),
                ('source', models.CharField(db_default='phones', default='phones', max_length=80)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('cup', 'seed'), name='cupteam_seed_once'), models.CheckConstraint(condition=models.Q(('seed__gte', 1), ('seed__lte', 32)), name='cupteam_seed_in_range')],
            },
        ),
    ]

"""The migrations 0003 to 0016, merged."""

import django.utils.translation
from django.conf import settings
from django.db import migrations, models

import voting.terms


class Migration(migrations.Migration):
    dependencies = [('cups', '0001_initial'), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]
    operations = [
        migrations.AddField('cup', 'language', models.CharField(db_default='en', default=django.utils.translation.get_language, max_length=10)),
        migrations.AddField('cup', 'display_key_version', models.PositiveIntegerField(db_default=0, default=0, editable=False)),
        migrations.AddField('cup', 'shown_pairing', models.PositiveSmallIntegerField(blank=True, editable=False, null=True)),
        migrations.AddField('cup', 'archived_at', models.DateTimeField(blank=True, editable=False, null=True)),
        migrations.AddField('cup', 'in_study', models.BooleanField(db_default=False, default=False)),
        migrations.AddConstraint('cup', models.CheckConstraint(condition=models.Q(('in_study', False), models.Q(('consent', ''), _negated=True), _connector='OR'), name='cup_study_with_consent')),
        migrations.AddField('cup', 'store_ballots', models.BooleanField(db_default=False, default=False)),
        migrations.AddField('cup', 'host_wait_s', models.PositiveSmallIntegerField(blank=True, null=True)),
        migrations.AddConstraint('cup', models.CheckConstraint(condition=models.Q(('host_wait_s', None), models.Q(('bank_s', None), ('host_wait_s__gte', 3), ('host_wait_s__lte', 180)), _connector='OR'), name='cup_host_wait_in_range')),
        migrations.AddField('cup', 'nicknames', models.CharField(db_default='off', default=voting.terms.Nicknames['SUGGESTED'], max_length=9)),
        migrations.AddConstraint('cup', models.CheckConstraint(condition=models.Q(('nicknames__in', [voting.terms.Nicknames['OFF'], voting.terms.Nicknames['SUGGESTED'], voting.terms.Nicknames['TYPED']])), name='cup_nicknames_known')),
        migrations.AddField('cupteam', 'source', models.CharField(db_default='phones', default='phones', max_length=80)),
        migrations.AddField('cup', 'draw_offers', models.BooleanField(db_default=False, default=False)),
        migrations.AddField('cup', 'shards', models.PositiveSmallIntegerField(db_default=1, default=1)),
        migrations.AddConstraint('cup', models.CheckConstraint(condition=models.Q(('shards__gte', 1), ('shards__lte', 16)), name='cup_shards_in_range')),
    ]

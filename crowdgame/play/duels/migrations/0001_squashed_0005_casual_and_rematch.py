import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [('duels', '0001_initial'), ('duels', '0005_casual_and_rematch')]
    dependencies = [('accounts', '0001_initial'), ('voting', '0037_shards')]
    operations = [
        migrations.CreateModel(
            name='Duel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('listed', models.BooleanField(default=True)),
                ('crowd', models.BooleanField(db_default=False, default=False)),
                ('network', models.CharField(blank=True, db_default='', default='', editable=False, max_length=16)),
                ('event', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='duel', to='voting.event')),
                ('one', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='+', to='accounts.guest')),
                ('two', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='+', to='accounts.guest')),
                ('bot', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('casual', models.BooleanField(db_default=False, default=False)),
                ('rematch_wanted_by', models.PositiveSmallIntegerField(blank=True, editable=False, null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('one', None), ('two', None), _connector='OR'), fields=['-id'], name='duel_with_a_seat_free')],
                'constraints': [models.CheckConstraint(condition=models.Q(('one', None), ('two', None), models.Q(('one', models.F('two')), _negated=True), _connector='OR'), name='duel_of_two'), models.CheckConstraint(condition=models.Q(('one__isnull', False), ('two__isnull', False), _connector='OR'), name='duel_has_a_player'), models.CheckConstraint(condition=models.Q(('crowd', False), ('one', None), ('two', None), _connector='OR'), name='duel_of_one_and_a_crowd'), models.CheckConstraint(condition=models.Q(('rematch_wanted_by', None), ('rematch_wanted_by__in', [1, 2]), _connector='OR'), name='duel_rematch_wanted_by_1_or_2')],
            },
        ),
        migrations.CreateModel(
            name='ConditionalPicks',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('side', models.CharField(max_length=6)),
                ('sealed', models.CharField(editable=False, max_length=500)),
                ('turn', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='voting.turn')),
                ('is_due', models.BooleanField(db_default=False, default=False)),
            ],
            options={
                'verbose_name_plural': 'conditional picks',
                'constraints': [models.UniqueConstraint(fields=('turn', 'side'), name='conditional_picks_once_a_side'), models.CheckConstraint(condition=models.Q(('side__in', ('red', 'yellow'))), name='conditional_picks_side_known')],
                'indexes': [models.Index(condition=models.Q(('is_due', True)), fields=['id'], name='conditional_picks_due')],
            },
        ),
    ]

"""The migrations 0002 to 0005, merged."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def copy_from_events(apps, schema_editor):
    alias = schema_editor.connection.alias
    event = apps.get_model("voting", "Event").objects.using(alias).filter(pk=OuterRef("event"))
    apps.get_model("duels", "Duel").objects.using(alias).update(
        casual=Subquery(event.values("is_casual")),
        rematch_wanted_by=Subquery(event.values("rematch_wanted_by")),
    )


class Migration(migrations.Migration):
    dependencies = [('duels', '0001_initial'), ('voting', '0037_shards')]
    run_before = [('voting', '0038_fixed_players')]
    operations = [
        migrations.AddField('duel', 'bot', models.PositiveSmallIntegerField(blank=True, null=True)),
        migrations.AddField('duel', 'casual', models.BooleanField(db_default=False, default=False)),
        migrations.AddField('duel', 'rematch_wanted_by', models.PositiveSmallIntegerField(blank=True, editable=False, null=True)),
        migrations.AddConstraint('duel', models.CheckConstraint(condition=models.Q(('rematch_wanted_by', None), ('rematch_wanted_by__in', [1, 2]), _connector='OR'), name='duel_rematch_wanted_by_1_or_2')),
        migrations.RunPython(copy_from_events, migrations.RunPython.noop),
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

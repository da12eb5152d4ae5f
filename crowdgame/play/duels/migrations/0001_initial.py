import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = [('accounts', '0001_initial'), ('voting', '0001_initial')]
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
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('one', None), ('two', None), _connector='OR'), fields=['-id'], name='duel_with_a_seat_free')],
                'constraints': [models.CheckConstraint(condition=models.Q(('one', None), ('two', None), models.Q(('one', models.F('two')), _negated=True), _connector='OR'), name='duel_of_two'), models.CheckConstraint(condition=models.Q(('one__isnull', False), ('two__isnull', False), _connector='OR'), name='duel_has_a_player'), models.CheckConstraint(condition=models.Q(('crowd', False), ('one', None), ('two', None), _connector='OR'), name='duel_of_one_and_a_crowd')],
            },
        ),
    ]

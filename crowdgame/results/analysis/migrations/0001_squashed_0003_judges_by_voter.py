import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [('analysis', '0001_initial'), ('analysis', '0002_match_judges'), ('analysis', '0003_judges_by_voter')]
    dependencies = [('voting', '0037_shards')]
    operations = [
        migrations.CreateModel(
            name='TurnAnalysis',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('packed', models.BinaryField()),
                ('turn', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='analysis', to='voting.turn')),
            ],
            options={
                'verbose_name_plural': 'turn analyses',
            },
        ),
        migrations.CreateModel(
            name='MatchJudges',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('turn', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='match_judges', to='voting.turn')),
                ('voters', models.JSONField()),
            ],
            options={
                'verbose_name_plural': 'match judges',
            },
        ),
    ]

import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name='Guest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField(unique=True)),
                ('came_at', models.DateTimeField(auto_now_add=True)),
                ('seen_on', models.DateField(db_index=True, default=django.utils.timezone.localdate, null=True)),
                ('name', models.CharField(blank=True, db_default='', default='', max_length=20)),
                ('name_key', models.CharField(blank=True, max_length=80, null=True, unique=True)),
                ('password', models.CharField(blank=True, db_default='', default='', max_length=128)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('name', ''), ('name_key', None), ('password', '')), models.Q(models.Q(('name', ''), _negated=True), models.Q(('password', ''), _negated=True), ('name_key__isnull', False)), _connector='OR'), name='guest_account_complete')],
            },
        ),
    ]

"""The migrations 0002 to 0005, merged."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ('notifications', '0001_initial'),
        ('voting', '0037_shards'),
        ('accounts', '0008_account_language'),
    ]
    operations = [
        migrations.AddField('emailaddress', 'language', models.CharField(db_default='en', default='en', max_length=16)),
        migrations.RemoveConstraint('emailnotification', 'notification_per_turn'),
        migrations.AddField('emailnotification', 'news', models.CharField(blank=True, db_default='', default='', max_length=20)),
        migrations.AddConstraint('emailnotification', models.UniqueConstraint(fields=('address', 'turn', 'news'), name='notification_once_a_turn')),
        migrations.AddField('emailaddress', 'event', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='voting.event')),
        migrations.AddField('emailaddress', 'team', models.PositiveSmallIntegerField(blank=True, null=True)),
        migrations.AddField('emailaddress', 'time_zone', models.CharField(blank=True, db_default='', default='', max_length=40)),
        migrations.AddField('emailaddress', 'voter', models.CharField(blank=True, db_default='', default='', max_length=16)),
        migrations.AlterField('emailaddress', 'guest', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='address', to='accounts.guest')),
        migrations.AddConstraint('emailaddress', models.UniqueConstraint(fields=('event', 'voter'), name='email_address_one_a_voter')),
        migrations.AddConstraint('emailaddress', models.CheckConstraint(condition=models.Q(models.Q(('event', None), ('guest__isnull', False), ('team', None)), models.Q(('event__isnull', False), ('guest', None), ('team__in', [1, 2])), _connector='OR'), name='email_address_of_guest_or_voter')),
        migrations.CreateModel(
            name='PushSubscription',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('voter', models.CharField(blank=True, db_default='', default='', max_length=16)),
                ('team', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('time_zone', models.CharField(blank=True, db_default='', default='', max_length=40)),
                ('language', models.CharField(db_default='en', default='en', max_length=16)),
                ('endpoint', models.CharField(max_length=500, unique=True)),
                ('p256dh', models.CharField(max_length=87)),
                ('auth', models.CharField(max_length=22)),
                ('application_key', models.CharField(max_length=87)),
                ('seen_at', models.DateTimeField(auto_now=True)),
                ('event', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='voting.event')),
                ('guest', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.guest')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('event', None), ('guest__isnull', False), ('team', None)), models.Q(('event__isnull', False), ('guest', None), ('team__in', [1, 2])), _connector='OR'), name='push_subscription_of_guest_or_voter')],
            },
        ),
        migrations.CreateModel(
            name='PushNotification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('news', models.CharField(blank=True, default='', max_length=20)),
                ('due_at', models.DateTimeField(db_index=True)),
                ('turn', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='voting.turn')),
                ('address', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='notifications.pushsubscription')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('address', 'turn', 'news'), name='push_notification_once_a_turn')],
            },
        ),
    ]

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [('notifications', '0001_initial'), ('notifications', '0005_push_subscriptions')]
    dependencies = [('voting', '0037_shards'), ('accounts', '0008_account_language')]
    operations = [
        migrations.CreateModel(
            name='EmailAddress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('email', models.EmailField(max_length=254)),
                ('asked_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('confirmed_at', models.DateTimeField(blank=True, null=True)),
                ('guest', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='address', to='accounts.guest')),
                ('language', models.CharField(db_default='en', default='en', max_length=16)),
                ('event', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='voting.event')),
                ('team', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('time_zone', models.CharField(blank=True, db_default='', default='', max_length=40)),
                ('voter', models.CharField(blank=True, db_default='', default='', max_length=16)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('event', 'voter'), name='email_address_one_a_voter'), models.CheckConstraint(condition=models.Q(models.Q(('event', None), ('guest__isnull', False), ('team', None)), models.Q(('event__isnull', False), ('guest', None), ('team__in', [1, 2])), _connector='OR'), name='email_address_of_guest_or_voter')],
            },
        ),
        migrations.CreateModel(
            name='EmailNotification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
                ('due_at', models.DateTimeField(db_index=True)),
                ('address', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notifications', to='notifications.emailaddress')),
                ('turn', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='voting.turn')),
                ('news', models.CharField(blank=True, db_default='', default='', max_length=20)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('address', 'turn', 'news'), name='notification_once_a_turn')],
            },
        ),
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

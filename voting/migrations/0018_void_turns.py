from django.db import migrations, models

from voting.terms import VoidReason


class Migration(migrations.Migration):

    dependencies = [
        ('voting', '0017_start_seeds'),
    ]

    operations = [
        migrations.AddField(
            model_name='turn',
            name='void_reason',
            field=models.CharField(blank=True, choices=[('taken_back', 'Taken back'), ('superseded', 'Superseded'), ('stopped', 'Stopped')], db_default='', default='', max_length=12),
        ),
        migrations.AddField(
            model_name='turn',
            name='void_seals',
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='turn',
            name='voided_at',
            field=models.BigIntegerField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name='turn',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('void_reason', ''), ('voided_at', None)), models.Q(('state', 'void'), ('void_reason__in', [VoidReason['TAKEN_BACK'], VoidReason['SUPERSEDED'], VoidReason['STOPPED']]), ('voided_at__isnull', False)), _connector='OR'), name='turn_void_reason_when_void'),
        ),
    ]

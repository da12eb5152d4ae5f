import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0004_hall"),
        ("voting", "0004_deeds"),
    ]

    operations = [
        migrations.CreateModel(
            name="Ruling",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sign", models.CharField(max_length=6)),
                ("team", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("kept_out", models.BooleanField(default=False)),
                ("sent_out_at", models.BigIntegerField(blank=True, null=True)),
                ("at", models.BigIntegerField()),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rulings",
                        to="games.event",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("event", "sign"), name="ruling_one_a_sign"),
                    models.CheckConstraint(
                        condition=models.Q(("team", None), ("team__in", [1, 2]), _connector="OR"),
                        name="ruling_team_1_or_2",
                    ),
                ],
            },
        ),
    ]

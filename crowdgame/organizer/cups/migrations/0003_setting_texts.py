from django.db import migrations


class Migration(migrations.Migration):
    """Changed texts of fields. No database stores them, so nothing is left of it but its name."""

    dependencies = [
        ('cups', '0002_pace'),
    ]

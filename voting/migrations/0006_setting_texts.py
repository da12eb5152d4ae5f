from django.db import migrations


class Migration(migrations.Migration):
    """Changed texts of fields. No database stores them, so nothing is left of it but its name."""

    dependencies = [
        ('voting', '0005_content_types'),
    ]

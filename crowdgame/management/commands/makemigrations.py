"""`manage.py makemigrations`: Django's command, for changes of the schema only."""

from django.core.management.commands.makemigrations import Command as DjangoMakeMigrations

from crowdgame.management.schema_changes import SchemaAutodetector


class Command(DjangoMakeMigrations):
    autodetector = SchemaAutodetector

"""`manage.py migrate`: Django's command behind the migration guard, which refuses data of crowdgame 0.1."""

from typing import Any

from django.core.management.commands.migrate import Command as DjangoMigrate

from crowdgame.operations.data_version import refuse_data_of_0_1


class Command(DjangoMigrate):
    def handle(self, *args: Any, **options: Any) -> None:
        refuse_data_of_0_1()
        super().handle(*args, **options)

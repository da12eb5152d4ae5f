"""`manage.py migrate`: Django's command for data of earlier versions. Refuses data of crowdgame 0.1."""

from typing import Any

from django.core.management.commands.migrate import Command as DjangoMigrate

from crowdgame.maintenance.data_version import record_moved_migrations, refuse_data_of_0_1


class Command(DjangoMigrate):
    def handle(self, *args: Any, **options: Any) -> None:
        refuse_data_of_0_1()
        record_moved_migrations()
        super().handle(*args, **options)

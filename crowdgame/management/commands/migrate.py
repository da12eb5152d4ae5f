"""`manage.py migrate`: Django's command for data of earlier versions. Refuses data of crowdgame 0.1.

On a server, an earlier version runs with the data of a newer one, so that it can be rolled back.
"""

from typing import Any

from django.core.management.base import CommandParser
from django.core.management.commands.migrate import Command as DjangoMigrate

from crowdgame.maintenance.data_version import (
    refuse_data_of_0_1,
    refuse_newer_data,
    refuse_unreleased_data,
)
from crowdgame.management.schema_changes import SchemaAutodetector


class Command(DjangoMigrate):
    autodetector = SchemaAutodetector

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--refuse-newer", action="store_true", help="fail with data of a newer version")

    def handle(self, *args: Any, **options: Any) -> None:
        refuse_data_of_0_1()
        if options["refuse_newer"]:
            refuse_newer_data()
        refuse_unreleased_data()
        super().handle(*args, **options)

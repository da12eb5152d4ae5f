"""What migrations are for: changes of the schema, not of texts."""

from typing import Any

from django.db.migrations.autodetector import MigrationAutodetector
from django.db.models import Field

# What no database stores of a field.
NOT_STORED = {"choices", "help_text", "validators", "verbose_name"}


class SchemaAutodetector(MigrationAutodetector):
    """Finds no change in a field whose texts, choices or validators alone have changed."""

    def deep_deconstruct(self, obj: Any) -> Any:
        found = super().deep_deconstruct(obj)
        if not isinstance(obj, Field):
            return found
        path, positional, named = found
        return path, positional, {name: value for name, value in named.items() if name not in NOT_STORED}

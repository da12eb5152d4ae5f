from typing import Any

import pytest
from django.core.validators import MinLengthValidator
from django.db.migrations import Migration
from django.db.migrations.graph import MigrationGraph
from django.db.migrations.questioner import NonInteractiveMigrationQuestioner
from django.db.migrations.state import ModelState, ProjectState
from django.db.models import AutoField, CharField

from crowdgame.management.schema_changes import SchemaAutodetector


@pytest.mark.parametrize(
    ("changed", "needs_migration"),
    [
        ({}, False),
        ({"help_text": "Shown on the wall."}, False),
        ({"verbose_name": "name of the event"}, False),
        ({"choices": [("a", "A"), ("b", "B")]}, False),
        ({"validators": [MinLengthValidator(2)]}, False),
        ({"max_length": 9}, True),
        ({"default": "Untitled"}, True),
        ({"unique": True}, True),
        ({"null": True}, True),
    ],
)
def test_only_changes_of_the_schema_need_a_migration(changed: dict[str, Any], needs_migration: bool) -> None:
    def state(**options: Any) -> ProjectState:
        name: Any = CharField(**{"max_length": 8, **options})
        event = ModelState("events", "Event", [("id", AutoField(primary_key=True)), ("name", name)])
        return ProjectState({("events", "event"): event})

    graph = MigrationGraph()
    graph.add_node(("events", "0001_initial"), Migration("0001_initial", "events"))
    detector = SchemaAutodetector(state(), state(**changed), NonInteractiveMigrationQuestioner(verbosity=0))
    assert bool(detector.changes(graph)) is needs_migration

"""Migrations of events, matches, turns and votes."""

from django.db import migrations


class TextMigration(migrations.Migration):
    """Changes only texts, choices and validators of fields, which no database stores.

    It applies without rendering the models again after every operation, which takes seconds.
    """

    def apply(self, project_state, schema_editor, collect_sql=False):
        project_state.__dict__.pop('apps', None)
        return self.mutate_state(project_state, preserve=False)

    def unapply(self, project_state, schema_editor, collect_sql=False):
        return project_state

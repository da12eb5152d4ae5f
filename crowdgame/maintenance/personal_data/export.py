"""The download of a person's own data: a zip archive with one JSON file and a CSV file for each table."""

import io
import json
import zipfile

from django.core.serializers.json import DjangoJSONEncoder

from crowdgame.maintenance.personal_data.tables import Person, Row, load_tables
from crowdgame.server.web.spreadsheet import write_csv


def export(person: Person) -> bytes:
    """Return the zip archive. Each table is complete in `data.json` and in a CSV file with its name."""
    tables = load_tables(person)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "data.json", json.dumps(tables, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2) + "\n"
        )
        for name, rows in tables.items():
            archive.writestr(f"{name}.csv", _to_csv(rows))
    return packed.getvalue()


def _to_csv(rows: list[Row]) -> str:
    text = io.StringIO(newline="")
    write_csv(text, [list(rows[0]), *(list(row.values()) for row in rows)])
    return text.getvalue()

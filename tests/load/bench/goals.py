"""The whole table of a run."""

from tests.load.bench.figures import Figures
from tests.load.bench.row import Row
from tests.load.bench.rows_of_evenings import rows_of_evening
from tests.load.bench.rows_of_servers import rows_of_server


def rows_of(found: Figures) -> list[Row]:
    beside = [row for one in found.beside for row in rows_of_server(one)]
    return beside + [row for evening in found.evenings for row in rows_of_evening(evening)]

"""Events and matches with a consent text stay in their study when the study becomes a setting."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from crowdgame.results.reports.study import studied_matches
from tests.voting.match_helpers import new_event
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import end_match
from voting.models import Event
from voting.turns.turns import start_match

pytestmark = pytest.mark.nightly

TEXT = "A study of the university. Ask Ada, room 12."


def migrate_to_latest() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes("voting"))


@pytest.fixture
def database(transactional_db: None) -> Iterator[None]:
    """Returns to the latest migration afterwards."""
    yield
    migrate_to_latest()


@pytest.mark.usefixtures("database")
def test_migration_keeps_events_and_matches_in_their_study(box: BallotBox) -> None:
    for text in (TEXT, ""):
        event = new_event(consent=text)
        end_match(start_match(event.pk, box), "draw", "board", box.now())
    MigrationExecutor(connection).migrate([("voting", "0013_notice_until")])
    migrate_to_latest()
    studied, other = Event.objects.order_by("pk")
    assert (studied.in_study, other.in_study) == (True, False)
    assert (studied_matches(studied).count(), studied_matches(other).count()) == (1, 0)

import json
from pathlib import Path

import msgspec
import pytest
from django.db import transaction
from pytest_django.plugin import DjangoDbBlocker

from crowdgame.server.laptop.supervisor import Supervisor
from tests.run_folder import made_once
from tests.voting.sample_histories import HISTORIES
from tests.voting.sample_matches import EARLIER, MATCHES, Record, play_match, record_of
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.commitments import FROM_SEED

RECORDS = "records.json"


@pytest.fixture(scope="module")
def records(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, valkey_process: Supervisor
) -> dict[str, Record]:
    """The records of MATCHES, EARLIER and HISTORIES, which are played once in a run and rolled back."""

    def play_all(folder: Path) -> None:
        box = BallotBox()
        box.delete_all_events()
        with django_db_blocker.unblock(), transaction.atomic():
            played = {name: record_of(play_match(box, *match)) for name, match in MATCHES.items()}
            for name, earlier in EARLIER.items():
                played[earlier] = record_of(play_match(box, *MATCHES[name], FROM_SEED))
            played |= {name: record_of(play(box)) for name, play in HISTORIES.items()}
            transaction.set_rollback(True)
        box.close()
        (folder / RECORDS).write_bytes(msgspec.json.encode(played))

    records: dict[str, Record] = json.loads((made_once("matches", play_all) / RECORDS).read_bytes())
    return records

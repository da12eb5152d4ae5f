"""The records of the sample matches."""

import json
from typing import Any

import msgspec
import pytest

from crowdgame.server.laptop.supervisor import Supervisor
from tests.voting.match_helpers import only_turn
from tests.voting.sample_matches import SECRET, Record, record_of, sample_records
from tests.voting.turns.secret_side_helpers import play_with, request_side_changes, start_secret
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Match


@pytest.fixture(scope="module")
def records(django_db_setup: None, django_db_blocker: Any, valkey_process: Supervisor) -> dict[str, Record]:
    return sample_records(django_db_blocker)


@pytest.fixture(scope="module")
def all_records(records: dict[str, Record], module_box: BallotBox) -> dict[str, Record]:
    """The records of MATCHES and of one ended match with secret sides."""
    secret = json.loads(msgspec.json.encode(record_of(play_secret_match(module_box))))
    return records | {SECRET: secret}


def play_secret_match(box: BallotBox) -> Match:
    """Red's voters change sides one by one until none is left."""
    match = start_secret(box)
    for voter in ("red1", "red2"):
        play_with(only_turn(match), box, [1, 1], [2, 2, 2])
        request_side_changes(only_turn(match), box, voter)
    play_with(only_turn(match), box, [1, 1], [2, 2])
    match.refresh_from_db()
    return match

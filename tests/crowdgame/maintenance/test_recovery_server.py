"""A ballot box is restored from an older copy in the middle of a turn, while a crowd votes."""

from pathlib import Path

import pytest
from redis import Redis

from tests.crowd_helpers import (
    BRISK,
    TIMEOUT_S,
    ballots_in_the_box,
    crowd,
    leave,
    resolve_another,
    turn_with_ballots,
)
from tests.deploy.processes import wait_until
from tests.ledger import (
    assert_counts_are_of_sealed_ballots,
    assert_nothing_is_lost,
    assert_resolved_once,
    resolved_turns,
)
from tests.server import Server, running_server
from voting.ballot_box.box_types import turn_keys
from voting.ballot_box.stores import connect


@pytest.mark.nightly
def test_older_copy_of_ballot_box_loses_no_ballot(tmp_path: Path) -> None:
    with running_server(tmp_path, gateways=2) as server:
        event = server.ask("event", **BRISK | {"window_s": 8})
        with crowd(server, event["code"], tmp_path) as phones:
            server.ask("begin", event_id=event["id"])
            lost = [restore_older_copy(server, event["id"]) for _ in range(2)]
            resolve_another(server, event["id"])
            report = leave(phones, tmp_path)
        resolve_another(server, event["id"])
        resolved = resolved_turns(server, event["id"])
        assert set(lost) <= set(resolved)
        assert_nothing_is_lost(server, report, resolved)
        assert_counts_are_of_sealed_ballots(server)
        assert_resolved_once(server, event["id"])
        restored = server.rows("SELECT id, epoch FROM games_turn WHERE epoch > 1 ORDER BY id")
        assert restored == [(turn, 2) for turn in sorted(lost)]
        assert report.ballots.missing == 0


def restore_older_copy(server: Server, event: int) -> int:
    """Restore an older copy of the turn's keys; return the turn, which is resolved all the same."""
    turn = turn_with_ballots(server, event)
    with connect(server.stack.redis) as redis:
        older = {key: copy for key in turn_keys(event, turn) if (copy := redis.dump(key)) is not None}
        held = ballots_in_the_box(server, event, turn)
        wait_until(lambda: ballots_in_the_box(server, event, turn) >= held + 10, TIMEOUT_S)
        restore_keys(redis, older)
    wait_until(lambda: turn in resolved_turns(server, event), TIMEOUT_S)
    return turn


def restore_keys(redis: Redis, copy: dict[str, bytes]) -> None:
    with redis.pipeline(transaction=True) as pipeline:
        for key, value in copy.items():
            pipeline.restore(key, 0, value, replace=True)
        pipeline.execute()

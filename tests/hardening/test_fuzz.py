"""Fuzz the WebSockets of both servers: a short run of `python -m tests.fuzz`."""

import pytest

from tests.fuzz.__main__ import VOTES, attack, faults, format_outcome
from tests.server import Server

pytestmark = pytest.mark.nightly


def test_socket_fuzzing_changes_nothing_and_blocks_no_votes(server: Server) -> None:
    outcome = attack(server, 10_000, 7)
    assert faults(outcome) == [], format_outcome(outcome)
    assert outcome.honest.counted >= VOTES
    assert {"left without closing", "half a handshake"} <= outcome.attack.ended.keys()
    assert any(how.startswith("closed ") for how in outcome.attack.ended)

"""Outages: a vote in which many phones lost their connection at once gets more time.

The numbers of connected voters come from the gateways, about once a second. They are kept in memory only:
a scheduler that starts during an outage doesn't notice it.
"""

import logging
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from django.conf import settings

from voting import protocol
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxState
from voting.ballot_box.heartbeats import GATEWAY_STALE_MS, RECONNECT_GRACE_MS
from voting.matches import MatchError
from voting.models import TurnState
from voting.turns.turns import change_turn, load_turn

log = logging.getLogger(__name__)

SAMPLES_COMPARED = 4
MIN_LOST, LOST_SHARE, RETURNED_SHARE = 10, 0.2, 0.9
SOON_MS = 2_000


@dataclass(frozen=True, slots=True)
class Sample:
    """How many voters were connected at a time (Unix ms), to how many gateways, and the turn's deadline."""

    at: int
    voters: int
    gateways: int
    closes_at: int


@dataclass(slots=True)
class WatchedTurn:
    """The last samples of an open turn, and the sample before its outage."""

    samples: deque[Sample] = field(default_factory=lambda: deque(maxlen=SAMPLES_COMPARED))
    before: Sample | None = None

    def observe(self, state: BoxState, closes_at: int, now: int) -> None:
        """Notice that an outage begins. Not once everybody has voted: many people put their phones away.

        The voters of a gateway that died count until its last heartbeat is stale.
        """
        newest = Sample(now, state.voters, state.gateways, closes_at)
        most = max([*self.samples, newest], key=lambda sample: (sample.voters, sample.at))
        lost = most.voters - state.voters
        if lost >= max(MIN_LOST, LOST_SHARE * most.voters) and state.ballots < most.voters:
            unnoticed_ms = GATEWAY_STALE_MS if state.gateways < most.gateways else 0
            self.before = self.before or replace(most, at=most.at - unnoticed_ms)
        self.samples.append(newest)


class OutageWatch:
    """Extends a turn once by the time of an outage, at most by `OUTAGE_EXTENSION_S`."""

    def __init__(self, box: BallotBox) -> None:
        self._box = box
        self._turns: dict[int, WatchedTurn] = {}

    def check(self, states: Mapping[int, BoxState], deadlines: Mapping[int, int], now: int) -> None:
        """Compare the boxes of all open turns that close soon with the last seconds.

        `deadlines` of the turns were loaded before the `states`. All times are in Unix ms.
        """
        self._turns = {turn_id: self._turns.get(turn_id) or WatchedTurn() for turn_id in states}
        for turn_id, watched in self._turns.items():
            watched.observe(states[turn_id], deadlines[turn_id], now)
            if watched.before:
                self._extend(turn_id, watched.before, states[turn_id].voters, now)

    def _extend(self, turn_id: int, before: Sample, voters: int, now: int) -> None:
        """Add time when most voters are back, or when the window closes soon without them.

        Not if the deadline has been moved since `before`: by this, the host or another scheduler.
        A match with clocks and a turn that the box lost have rules of their own.
        """
        turn = load_turn(turn_id)
        are_back = voters >= RETURNED_SHARE * before.voters
        if turn.closes_at != before.closes_at or not (are_back or now >= turn.closes_at - SOON_MS):
            return
        away_ms = now - before.at if are_back else max(now - before.at, RECONNECT_GRACE_MS)
        added_ms = min(away_ms, settings.OUTAGE_EXTENSION_S * 1000)
        if turn.state != TurnState.OPEN or turn.is_sealed or not added_ms:
            return
        if turn.match.bank_s is not None or turn.box_lost_at:
            return
        with suppress(MatchError):  # changed in this moment
            change_turn(turn, protocol.TurnMoved, self._box, closes_at=turn.closes_at + added_ms)
            extra = {"event": turn.match.event_id, "turn": turn_id}
            text = "many of %s voters lost their connection, so turn %s closes %.0f s later"
            log.warning(text, before.voters, turn_id, added_ms / 1000, extra=extra)

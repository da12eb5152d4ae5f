"""Aborts the match of a rehearsal whose simulated crowd has left. Runs once a second in the schedulers."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache

from django.utils.translation import gettext_noop

from crowdgame.events.audit_text import LogText
from crowdgame.organizer.console.actions.matches import abort_playing_match
from crowdgame.organizer.console.audit_log import PerformedAction, add_audit_entry
from crowdgame.rehearsal.dry_run_lease import is_dry_run_running
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError
from voting.models import Match
from voting.protocol import Pressed
from voting.terms import MatchState

GRACE_S = 10.0


@dataclass
class AbandonedRehearsals:
    """Rehearsed matches that nobody plays any more, by their ids and since when.

    A match with a connected voter goes on. GRACE_S is longer than voters need to reconnect.
    """

    box: BallotBox
    clock: Callable[[], float] = time.monotonic
    _since: dict[int, float] = field(default_factory=dict)

    def abort_all(self) -> None:
        """Abort the matches that have been abandoned for GRACE_S."""
        playing = Match.objects.filter(state=MatchState.PLAYING, rehearsed=True)
        abandoned = {match.pk: match for match in playing if self._is_abandoned(match.event_id)}
        now = self.clock()
        self._since = {pk: self._since.get(pk, now) for pk in abandoned}
        for pk, since in self._since.items():
            if now - since >= GRACE_S:
                self._abort(abandoned[pk])

    def _is_abandoned(self, event_id: int) -> bool:
        return not is_dry_run_running(event_id, self.box) and not any(
            self.box.count_present(event_id).connected
        )

    def _abort(self, match: Match) -> None:
        with suppress(MatchError):  # it has just ended
            abort_playing_match(match.event_id, self.box)
            text = gettext_noop("The simulated crowd has left, so match %(match)s was aborted")
            done = PerformedAction(LogText(text, {"match": match.number}), Pressed(action="match.abort"))
            add_audit_entry(match.event_id, "", done, self.box.now())


@cache
def abandoned_rehearsals() -> AbandonedRehearsals:
    return AbandonedRehearsals(BallotBox())

"""Clock steps: when the ballot box's clock is set, move deadlines along so that everyone keeps the time left.

A step is a change of the box's clock that this process's monotonic clock doesn't show: a clock set by hand or
by NTP, a machine that was suspended, or another node's clock. A box or scheduler that was frozen is not a
step.
"""

from dataclasses import dataclass, field

import msgspec
from django.db.models import Q

from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_clock import BoxClock, local_ms
from voting.counting import window
from voting.counting.window import Window
from voting.matches import claim_turn, event_lock
from voting.models import Announcement, Event, Turn, TurnState
from voting.turns.long_windows import LONG_WINDOW_MS, LongTurnCursor
from voting.turns.turns import load_turn, place_and_relay, shift_restoration

FAR_BATCH_SIZE = 100
ROUND_INTERVAL_MS = 1_000
MAX_TIME_MS = 2**53
# A change begun before a step may be written this much later, with a time from before the step.
LATE_WRITE_MS = 15_000


@dataclass(frozen=True, slots=True)
class PlannedTimes:
    """Open turns mapped to their versions, and events mapped to the start of their next match (Unix ms)."""

    turns: dict[int, int] = field(default_factory=dict)
    matches: dict[int, int] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not (self.turns or self.matches)


@dataclass(frozen=True, slots=True)
class ClockSample:
    """The box's time `now`, with the plans read just before.

    `asked` and `answered` are the local times of the request and its reply. `time_source` is the node that
    replied.
    """

    now: int
    asked: float
    answered: float
    plans: PlannedTimes
    time_source: str = ""


@dataclass(slots=True)
class TimeSteps:
    """Detects clock steps and tells which plans to move.

    `plans` are those of the last accepted sample: all were made before a step that the next sample finds.
    Turns with long windows are known from a cursor that takes some minutes for a round. `box_time_before` is
    the box's time before the last step. Several schedulers may find the same step: a plan moves only if it
    is unchanged, so it moves once.
    """

    box: BallotBox
    plans: PlannedTimes = field(default_factory=PlannedTimes)
    stepped_at: float = -LATE_WRITE_MS
    step: int = 0
    box_time: int = 0
    box_time_before: int = 0
    time_source: str = ""
    _clock: BoxClock = field(default_factory=BoxClock)
    _walk: LongTurnCursor = field(default_factory=lambda: LongTurnCursor(FAR_BATCH_SIZE))
    _long_windows: dict[int, int] = field(default_factory=dict)
    _walked: dict[int, int] = field(default_factory=dict)
    _next_round_at: float = 0.0

    def sample(self) -> ClockSample:
        """Read the plans, then the box's time. Raises redis.RedisError."""
        self._scan_long_turns()
        # Read before the time, so that nothing planned after a step counts as old.
        plans = _load_plans(_near(self.box_time))
        asked = local_ms()
        return ClockSample(self.box.now(), asked, local_ms(), plans, self.box.time_source)

    def plans_to_move(self, sample: ClockSample) -> tuple[int, PlannedTimes]:
        """Return the step in milliseconds and the plans to move by it; 0 and none without a step.

        Repeated calls before `accept` agree.
        """
        if step := self._step(sample):
            known = PlannedTimes(self._long_windows | self._walked | self.plans.turns, self.plans.matches)
            now = PlannedTimes(
                _load_plans(~_near(self.box_time)).turns | sample.plans.turns, sample.plans.matches
            )
            late = _planned_before(_written_since(now, known), sample.now, step, self.box_time)
            return step, PlannedTimes(known.turns | late.turns, known.matches | late.matches)
        if self.step and sample.answered - self.stepped_at < LATE_WRITE_MS:
            written = _written_since(sample.plans, self.plans)
            return self.step, _planned_before(written, sample.now, self.step, self.box_time_before)
        return 0, PlannedTimes()

    def accept(self, sample: ClockSample) -> None:
        """Record the sample as handled: all plans to move have been moved."""
        if step := self._step(sample):
            self.step, self.stepped_at, self.box_time_before = step, sample.answered, self.box_time
        if sample.time_source != self.time_source:
            self._clock = BoxClock()
        self._clock.observe(sample.now, sample.asked, sample.answered)
        self.plans, self.box_time, self.time_source = sample.plans, sample.now, sample.time_source

    def _scan_long_turns(self) -> None:
        """Remember the versions of turns with distant deadlines, too: one batch at each sample.

        The next round starts ROUND_INTERVAL_MS after the end of the last one.
        """
        if local_ms() < self._next_round_at:
            return
        rounds = self._walk.rounds
        self._walked.update(self._walk.step(self.box_time + LONG_WINDOW_MS if self.box_time else MAX_TIME_MS))
        if self._walk.rounds > rounds:
            self._long_windows, self._walked = self._walked, {}
            self._next_round_at = local_ms() + ROUND_INTERVAL_MS

    def _step(self, sample: ClockSample) -> int:
        """Return the step in milliseconds; 0 if another node replied, because two nodes may simply differ."""
        if sample.time_source != self.time_source:
            return 0
        return self._clock.step(sample.now, sample.asked, sample.answered)


def move_turn(turn_id: int, version: int, step: int, now: int, box: BallotBox) -> None:
    """Shift the turn by `step` ms unless it was written since `version`, or is sealed and so frozen.

    `now` is the time after the step.
    """
    turn = load_turn(turn_id)
    if (turn.state, turn.version) != (TurnState.OPEN, version) or turn.is_sealed:
        return
    times = window.shift_window(Window(turn.opens_at, turn.closes_at), step)
    with event_lock(turn.match.event_id):
        moved = {"opens_at": times.opens_at, "closes_at": times.closes_at}
        if not claim_turn(turn, **moved, **shift_restoration(turn, step)):
            return
        announce(turn.match.event_id, protocol.TurnMoved, now)
    place_and_relay(turn, box, create=False)


def move_next_match(event_id: int, planned_at: int, step: int, now: int) -> None:
    """Shift the next match by `step` ms unless it was rescheduled."""
    with event_lock(event_id):
        planned = Event.objects.filter(pk=event_id, next_match_at=planned_at)
        if not planned.update(next_match_at=planned_at + step):
            return
        announce(event_id, protocol.EventEdited, now)
    relay(event_id)


def _near(box_time: int) -> Q:
    """Match turns that close soon; all turns if the box's time is not known yet."""
    return Q(closes_at__lte=box_time + LONG_WINDOW_MS if box_time else MAX_TIME_MS)


def _load_plans(which: Q) -> PlannedTimes:
    turns = Turn.objects.filter(which, state=TurnState.OPEN).values_list("pk", "version")
    matches = Event.objects.filter(next_match_at__gt=0).values_list("pk", "next_match_at")
    return PlannedTimes(dict(turns), {event_id: at for event_id, at in matches if at is not None})


def _written_since(plans: PlannedTimes, before: PlannedTimes) -> PlannedTimes:
    return PlannedTimes(
        dict(plans.turns.items() - before.turns.items()), dict(plans.matches.items() - before.matches.items())
    )


def _planned_before(plans: PlannedTimes, now: int, step: int, box_time_before: int) -> PlannedTimes:
    """Return the plans whose event made its last announcement with a time from before the step."""
    events = dict(Turn.objects.filter(pk__in=list(plans.turns)).values_list("pk", "match__event_id"))
    all_events = {*events.values(), *plans.matches}
    old = {event_id for event_id in all_events if _is_old(event_id, now, step, box_time_before)}
    return PlannedTimes(
        {turn_id: version for turn_id, version in plans.turns.items() if events.get(turn_id) in old},
        {event_id: at for event_id, at in plans.matches.items() if event_id in old},
    )


class _AnnouncementTime(msgspec.Struct):
    at: int


def _is_old(event_id: int, now: int, step: int, box_time_before: int) -> bool:
    """Return whether the event's last announcement carries a time from before the step.

    After a step forward such a time is before the step; after a step back it lies in the future.
    """
    last = Announcement.objects.filter(event_id=event_id).order_by("-seq").first()
    if last is None:
        return False
    at = msgspec.json.decode(last.body, type=_AnnouncementTime).at
    return at < box_time_before + step / 2 if step > 0 else at > now - step / 2

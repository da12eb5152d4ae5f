"""When the ballot box's clock is set, everybody keeps the time they had left: what it times moves along.

A step is what the box's time did and this process's monotonic clock did not: a clock set by hand or by
NTP, a machine that slept, another node's clock. A box or a clock process that was frozen for a while is none.
"""

from dataclasses import dataclass, field

import msgspec
from django.db.models import Q

from games.matches import claim_turn, event_lock
from games.models import Event, Turn, TurnState
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_clock import BoxClock, local_ms
from voting.counting import window
from voting.counting.window import Window
from voting.models import Announcement
from voting.turns.long_windows import LONG_WINDOW_MS, LongTurnCursor
from voting.turns.turns import load_turn, place_and_relay

FAR_BATCH_SIZE = 100
MAX_TIME_MS = 2**53
# Whoever began a change before the step may write it so long afterwards, with a time from before.
LATE_WRITE_MS = 15_000


@dataclass(frozen=True, slots=True)
class PlannedTimes:
    """The open turns with their versions, and when events' next matches start."""

    turns: dict[int, int] = field(default_factory=dict)
    matches: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClockSample:
    """The box's time `now`, asked and answered at these local times, and the plans of just before.

    `time_source` is which node said so.
    """

    now: int
    asked: float
    answered: float
    plans: PlannedTimes
    time_source: str = ""


@dataclass(slots=True)
class TimeSteps:
    """`plans` are those of the last look: all made before a step that this look finds.

    Of those that close much later it knows what a walk of some minutes has found. `box_time_before` was the
    box's time at the look before the step. Steps are found by several clocks: a plan moves if it is what it
    was before, and so it moves once.
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

    def sample(self) -> ClockSample:
        self._scan_long_turns()
        plans = _load_plans(
            _near(self.box_time)
        )  # before the time is asked: what is planned later is not old
        asked = local_ms()
        return ClockSample(self.box.now(), asked, local_ms(), plans, self.box.time_source)

    def plans_to_move(self, sample: ClockSample) -> tuple[int, PlannedTimes]:
        """By how many milliseconds which plans are to be moved. Repeated calls before `accept` agree."""
        if step := self._step(sample):
            known = PlannedTimes(self._long_windows | self._walked | self.plans.turns, self.plans.matches)
            now = PlannedTimes(
                _load_plans(_long_windows(self.box_time)).turns | sample.plans.turns, sample.plans.matches
            )
            late = _planned_before(_written_since(now, known), sample.now, step, self.box_time)
            return step, PlannedTimes(known.turns | late.turns, known.matches | late.matches)
        if self.step and sample.answered - self.stepped_at < LATE_WRITE_MS:
            written = _written_since(sample.plans, self.plans)
            return self.step, _planned_before(written, sample.now, self.step, self.box_time_before)
        return 0, PlannedTimes()

    def accept(self, sample: ClockSample) -> None:
        """All that was to be moved is."""
        if step := self._step(sample):
            self.step, self.stepped_at, self.box_time_before = step, sample.answered, self.box_time
        if sample.time_source != self.time_source:
            self._clock = BoxClock()
        self._clock.observe(sample.now, sample.asked, sample.answered)
        self.plans, self.box_time, self.time_source = sample.plans, sample.now, sample.time_source

    def _scan_long_turns(self) -> None:
        """Keep in mind the versions of those that close much later, too: a few at each look."""
        rounds = self._walk.rounds
        self._walked.update(self._walk.step(self.box_time + LONG_WINDOW_MS if self.box_time else MAX_TIME_MS))
        if self._walk.rounds > rounds:
            self._long_windows, self._walked = self._walked, {}

    def _step(self, sample: ClockSample) -> int:
        """Of two nodes that differ, neither was set."""
        if sample.time_source != self.time_source:
            return 0
        return self._clock.step(sample.now, sample.asked, sample.answered)


def move_turn(turn_id: int, version: int, step: int, now: int, box: BallotBox) -> None:
    """Unless somebody has written the turn since that version. `now` is by the new time."""
    turn = load_turn(turn_id)
    if (turn.state, turn.version) != (TurnState.OPEN, version):
        return
    times = window.shift_window(Window(turn.opens_at, turn.closes_at), step)
    with event_lock(turn.match.event_id):
        if not claim_turn(turn, opens_at=times.opens_at, closes_at=times.closes_at):
            return
        announce(turn.match.event_id, protocol.TurnMoved, now)
    place_and_relay(turn, box, create=False)


def move_next_match(event_id: int, planned_at: int, step: int, now: int) -> None:
    """Unless somebody has planned it anew."""
    with event_lock(event_id):
        planned = Event.objects.filter(pk=event_id, next_match_at=planned_at)
        if not planned.update(next_match_at=planned_at + step):
            return
        announce(event_id, protocol.EventEdited, now)
    relay(event_id)


def _near(box_time: int) -> Q:
    """Whoever has not been told the time yet knows of none that is far."""
    return Q(closes_at__lte=box_time + LONG_WINDOW_MS if box_time else MAX_TIME_MS)


def _long_windows(box_time: int) -> Q:
    return ~_near(box_time)


def _load_plans(which: Q) -> PlannedTimes:
    turns = Turn.objects.filter(which, state=TurnState.OPEN).values_list("pk", "version")
    matches = Event.objects.filter(next_match_at__gt=0).values_list("pk", "next_match_at")
    return PlannedTimes(dict(turns), {event_id: at for event_id, at in matches if at is not None})


def _written_since(plans: PlannedTimes, before: PlannedTimes) -> PlannedTimes:
    return PlannedTimes(
        dict(plans.turns.items() - before.turns.items()), dict(plans.matches.items() - before.matches.items())
    )


def _planned_before(plans: PlannedTimes, now: int, step: int, box_time_before: int) -> PlannedTimes:
    """Those whose event was told of them by the time of before the step."""
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
    """Whether what was told last was told by the old time.

    That is earlier than anything by a time that was set ahead, and to come by one that was set back.
    """
    last = Announcement.objects.filter(event_id=event_id).order_by("-seq").first()
    if last is None:
        return False
    at = msgspec.json.decode(last.body, type=_AnnouncementTime).at
    return at < box_time_before + step / 2 if step > 0 else at > now - step / 2

"""No acknowledged ballot is lost, whatever order of failures and repairs the state machine finds.

The ballot box loses keys or returns as an older copy, gateways restart, announcements arrive in any order,
and several processes close the same turn.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import pytest
from django.db import connection
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from crowdgame.organizer.console.actions.turn_time import resume_turn
from tests.voting.action_helpers import press
from tests.voting.box_helpers import Copied, copy_all, delete, empty, put_back
from tests.voting.match_helpers import kinds, new_event, only_turn, run_out, set_window
from tests.voting.recovery_model import Crash, InterruptedBox, Phone, SteppedGateway, without_arrival
from voting.announcements.outbox import announcements_after
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.closing_lease import ClosingLease
from voting.counting.ballots import Ballot, unpack_ballots
from voting.counting.window import MIN_RESTORED_MS, STORED_FROM_MS
from voting.matches import MatchError
from voting.models import LIVE_STATES, Event, TallyRecord, Turn, TurnState
from voting.turns.closing import close_turn
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.turns import load_turn, start_match, to_boxed_turn

pytestmark = pytest.mark.django_db(transaction=True)
GATEWAYS = st.integers(0, 1)
CHOICES = st.lists(st.sampled_from([0, 1, 0, 4, 7]), min_size=3, max_size=3)
THEN = st.sampled_from(["closing", "recovery", "anything"])


class RecoveryMachine(RuleBasedStateMachine):
    """Two gateways, six phones, a scheduler and other closers at one event.

    `is_damaged`: since the last second, ballots were lost or the turn got a new epoch. `may_be_restored`: the
    turn's box was damaged, so that a new epoch is no false alarm.
    """

    def __init__(self) -> None:
        super().__init__()
        empty()
        self.runner = asyncio.Runner()
        self.box = BallotBox()
        self.scheduler = DeadlineScheduler(self.box)
        self.event = new_event()
        self.gateways: list[SteppedGateway] = []
        self.copies: list[Copied] = []
        self.revealed = self.looked_at = 0
        self.turn = only_turn(start_match(self.event.pk, self.box))
        self.may_be_restored = self.is_damaged = False

    @initialize(stored=st.booleans())
    def start(self, stored: bool) -> None:
        self.window_ms = STORED_FROM_MS * (2 if stored else 1) - 60_000
        self.begin()
        for first in (0, 3):
            names = range(first, first + 3)
            phones = [Phone(f"v{number}", number % 2 + 1, is_long=stored) for number in names]
            self.gateways.append(self.runner.run(SteppedGateway.start(self.event.code, phones)))

    def teardown(self) -> None:
        for one in self.gateways:
            self.runner.run(one.gateway.box.close())
        self.runner.close()
        self.box.close()
        Event.objects.all().delete()

    @rule(number=GATEWAYS, choices=CHOICES)
    def vote(self, number: int, choices: list[int]) -> None:
        self.runner.run(self.gateways[number].vote(choices))

    @rule(number=GATEWAYS, at=st.integers(0, 5))
    def receive(self, number: int, at: int) -> None:
        """A gateway receives an announcement again, in time or too early."""
        made = announcements_after(self.event.pk, max(0, self.gateways[number].room.seq - 2))
        self.runner.run(self.gateways[number].receive(made[at % len(made)]))

    @rule(number=GATEWAYS)
    def poll(self, number: int) -> None:
        self.runner.run(self.gateways[number].poll())
        self.gateways[number].check()

    @rule(number=GATEWAYS)
    def restart(self, number: int) -> None:
        """After its restart, a gateway no longer knows what it acknowledged and an older copy lacks."""
        old = self.gateways[number]
        for phone in self.phones:
            phone.is_safe &= phone.is_stored or not self.is_damaged or phone.witness is not old
        self.runner.run(old.gateway.box.close())
        self.gateways[number] = self.runner.run(SteppedGateway.start(self.event.code, old.phones))

    @rule()
    def second(self) -> None:
        """Within a second, every gateway polls and sends a heartbeat."""
        for number in range(2):
            self.poll(number)
        for one in self.gateways:
            self.runner.run(one.heartbeat())
        self.is_damaged = False

    @rule(age=st.sampled_from([0, 0, 1, 2]), number=GATEWAYS, lost=CHOICES, later=CHOICES, then=THEN)
    def restore_older_copy(self, age: int, number: int, lost: list[int], later: list[int], then: str) -> None:
        """Restore a copy that lacks at least the ballots `lost`; the gateway then casts others."""
        self.copies.append(copy_all())
        self.vote(number, lost)
        put_back(self.copies[-1 - age % len(self.copies)])
        self.is_damaged = self.may_be_restored = True
        for phone in self.phones:
            phone.is_safe &= phone.is_stored or phone.witness in self.gateways
        self.vote(number, later)
        self.go_on(then)

    @rule()
    def restart_box(self) -> None:
        put_back(copy_all())

    @rule(keys=st.sampled_from([(0,), (1,), (0, 1)]), number=GATEWAYS, choices=CHOICES, then=THEN)
    def lose(self, keys: tuple[int, ...], number: int, choices: list[int], then: str) -> None:
        self.vote(number, choices)
        self.lose_keys(*keys)
        self.go_on(then)

    def go_on(self, then: str) -> None:
        if then == "closing":
            self.close("nothing")
        elif then == "recovery":
            self.recover()

    def lose_keys(self, *keys: int) -> None:
        if keys:
            delete(*(to_boxed_turn(self.turn).keys[key] for key in keys))
            self.is_damaged = self.may_be_restored = True

    def crash(self, *lost_keys: int) -> None:
        self.lose_keys(*lost_keys)
        raise Crash

    @rule()
    def run_scheduler(self) -> None:
        """One iteration; it closes the turn if that is over."""
        self.end_last_second()
        self.scheduler.chores_at = 0.0
        self.scheduler.run_once()

    @rule(actions=st.sampled_from([[], ["turn.pause", "turn.resume"], ["turn.void"], ["match.abort"]]))
    def change_turn(self, actions: list[str]) -> None:
        with suppress(MatchError):
            for action in actions:
                press(self.event.pk, action, self.box)
        self.begin()

    @rule()
    def end_window(self) -> None:
        self.second()
        run_out(self.turn, self.box)

    @rule(then=st.sampled_from(["closed_by_other", "extended", "lose", "crash", "crash_and_lose"]))
    def close(self, then: str) -> None:
        """A process closes the turn; `then` happens after it has sealed the ballots."""
        if not self.is_over:
            self.end_window()
        self.end_last_second()
        meanwhile: dict[str, Callable[[], object]] = {
            "nothing": lambda: None,
            "closed_by_other": lambda: close_turn(self.turn.pk, self.box),
            "extended": self.extend,
            "lose": lambda: delete(*to_boxed_turn(self.turn).keys),
            "crash": self.crash,
            "crash_and_lose": lambda: self.crash(0, 1),
        }
        closer = InterruptedBox(meanwhile[then])
        with suppress(Crash):
            close_turn(self.turn.pk, closer)
        closer.close()

    def extend(self) -> None:
        self.open(load_turn(self.turn.pk))
        for number in range(2):
            self.vote(number, [2, 3, 5])

    def recover(self) -> None:
        turn = self.turn.pk
        for _ in range(2):
            self.second()
            self.run_scheduler()
            self.look()
        for number in range(2):
            self.vote(number, [4, 0, 0])
        if self.turn.pk == turn:
            self.close("nothing")
        assert load_turn(turn).state == TurnState.RESOLVED

    @property
    def phones(self) -> list[Phone]:
        return [phone for one in self.gateways for phone in one.phones]

    @property
    def is_over(self) -> bool:
        return self.turn.closes_at <= self.box.now()

    def begin(self) -> None:
        """Open the next turn's window, in a new match if the last one ended."""
        turn = Turn.objects.filter(match__event=self.event, state__in=LIVE_STATES).first()
        turn = turn or only_turn(start_match(self.event.pk, self.box))
        if turn.pk != self.turn.pk:
            self.may_be_restored = self.is_damaged = False
        self.open(turn)

    def open(self, turn: Turn) -> None:
        """Open the turn's window, also if it is paused because nobody voted in the last two turns."""
        if turn.state == TurnState.PAUSED:
            resume_turn(turn, self.box)
            turn = load_turn(turn.pk)
        set_window(turn, self.box, -1_000, self.window_ms)
        self.turn = load_turn(turn.pk)

    def end_last_second(self) -> None:
        """An older copy that appears in the last second before the seal is not always noticed."""
        if self.is_damaged and self.is_over:
            self.second()

    @invariant()
    def look(self) -> None:
        """Follow the turn: it is closed once, and has a new epoch only if its box was damaged."""
        turn = load_turn(self.turn.pk)
        if turn.state == TurnState.RESOLVED:
            self.check_tally(turn)
            self.begin()
        elif turn.epoch != self.turn.epoch:
            assert self.may_be_restored
            assert turn.epoch == self.turn.epoch + 1
            assert turn.closes_at >= self.looked_at + MIN_RESTORED_MS
            stored = [phone for phone in self.phones if phone.is_stored and phone.turn_ref[0] == turn.pk]
            assert sum(self.box.ballot_counts(to_boxed_turn(turn)).values()) >= len(stored)
            self.open(turn)
            self.is_damaged, self.may_be_restored = True, False
        self.turn = load_turn(self.turn.pk)
        self.looked_at = self.box.now()

    def check_tally(self, turn: Turn) -> None:
        self.revealed += 1
        assert kinds(self.event.pk).count("turn.revealed") == self.revealed
        records = TallyRecord.objects.filter(turn=turn)
        sealed = [without_arrival(b) for r in records for b in unpack_ballots(bytes(r.sealed))]
        counts = Counter({(r.side, choice): n for r in records for choice, n in enumerate(r.counts, 1) if n})
        assert counts == Counter((ballot.side, ballot.choice) for ballot in sealed)
        by_voter: dict[str, Ballot] = {ballot.voter: ballot for ballot in sealed}
        assert len(by_voter) == len(sealed)
        for phone in self.phones:
            counted = by_voter.pop(phone.voter, None)
            voted = phone.acknowledged if phone.turn_ref[0] == turn.pk else []
            assert counted in ([voted[-1]] if voted and phone.is_safe else [None, *voted])
        assert not by_voter


def test_recovery_in_any_order(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.turns.scheduler.WORKER_TIMEOUT_MS", 0)  # there is no worker
    monkeypatch.setattr(ClosingLease, "take", lambda *_: True)  # as if every lease had run out
    examples = settings().max_examples // 3  # each takes a second
    steps = settings(max_examples=examples, stateful_step_count=20)
    run_state_machine_as_test(RecoveryMachine, settings=steps)


def test_sqlite_is_durable_and_its_transactions_lock_at_once() -> None:
    """A deferred transaction that reads and then writes fails if another one wrote in between."""
    with connection.cursor() as cursor:
        pragmas = [cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
    assert (pragmas, connection.settings_dict["OPTIONS"]["transaction_mode"]) == (["wal", 2], "IMMEDIATE")

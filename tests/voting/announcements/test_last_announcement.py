"""A fresh snapshot equals the state of the last announcement, after any sequence of actions."""

from random import Random

import msgspec
import pytest
from redis import Redis

from crowdgame.organizer.console.control import run_action
from tests.voting.event_states import last_announced, shown
from tests.voting.match_helpers import new_event, play_turn
from voting import protocol
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError, live_turn, load_position
from voting.models import Announcement, Event, Match, Turn
from voting.protocol import ActionAsk
from voting.turns.restoring import restore_turn
from voting.turns.turns import load_turn, start_match

pytestmark = pytest.mark.django_db

ACTIONS: tuple[str, ...] = (
    "lobby.open",
    "joining.lock",
    "joining.unlock",
    "match.start",
    "match.abort",
    "turn.pause",
    "turn.resume",
    "turn.extend",
    "turn.close",
    "turn.void",
)


class RandomEvent:
    """Random organizer actions, votes, deadlines and losses of the ballot box."""

    def __init__(self, seed: int, box: BallotBox, url: str) -> None:
        self.rng, self.box, self.url = Random(seed), box, url
        self.event = new_event(next_match_after_s=30, pace="instant")
        announce_edit(self.event.pk, box.now())

    def step(self) -> str:
        steps = [self.press] * 3 + [self.play_turn] * 4 + [self.lose_box, self.edit, self.start_next_match]
        try:
            return self.rng.choice(steps)()
        except MatchError as refusal:
            return str(refusal)

    def press(self) -> str:
        action = self.rng.choice(ACTIONS)
        run_action(self.event.pk, ActionAsk(id=1, action=action), self.box)
        return action

    def start_next_match(self) -> str:
        return str(start_match(self.event.pk, self.box))

    def edit(self) -> str:
        name = f"Evening {self.rng.randrange(1000)}"
        Event.objects.filter(pk=self.event.pk).update(name=name)
        announce_edit(self.event.pk, self.box.now())
        return name

    def _turn(self) -> Turn:
        match = Match.objects.filter(event=self.event, state="playing").first()
        turn = live_turn(match) if match else None
        if turn is None or turn.state == "paused":
            raise MatchError(f"nothing to play: {turn}")
        return load_turn(turn.pk)

    def play_turn(self) -> str:
        turn = self._turn()
        position = load_position(turn.match)
        legal = position.game.legal_actions(position.state, "red")[:3]
        crowd = [self.rng.choices(legal, k=self.rng.randrange(4)) for _ in range(2)]
        return str(play_turn(turn, self.box, *crowd))

    def lose_box(self) -> str:
        turn = self._turn()
        with Redis.from_url(self.url) as redis:
            redis.flushall()
        restore_turn(turn.pk, self.box)
        return "lost"


@pytest.mark.parametrize("seed", range(6))
def test_snapshot_equals_last_announcement(seed: int, box: BallotBox, valkey_url: str) -> None:
    random_event = RandomEvent(seed, box, valkey_url)
    done = []
    for _ in range(30):
        done.append(random_event.step())
        assert last_announced(random_event.event.pk) == shown(random_event.event.pk), done
    assert len(set(done)) > 8
    rows = Announcement.objects.filter(event=random_event.event).order_by("pk")
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1)), "there are no gaps"
    bodies = [msgspec.json.decode(bytes(row.body), type=protocol.Changes) for row in rows]
    assert [body.seq for body in bodies] == [row.seq for row in rows]
    assert Event.objects.get(pk=random_event.event.pk).seq == len(rows)

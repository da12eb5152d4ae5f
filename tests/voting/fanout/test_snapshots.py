"""A snapshot shows what happened, is what the last announcement said, and gives no choice away."""

import re
from hashlib import sha256
from random import Random
from typing import Any

import msgspec
import pytest
from django.db import transaction
from redis import Redis

from games.matches import MatchError, live_turn, position_of
from games.models import Event, Match, Turn
from tests.voting.boxes import ask
from tests.voting.playing import (
    CLASSIC,
    RED_WINS,
    ballots,
    new_event,
    only_turn,
    open_now,
    play,
    play_turn,
    run_out,
    start,
    vote,
)
from voting import protocol
from voting.box.ballot_box import BallotBox, Turnout
from voting.fanout.snapshots import FINISHED_SHOWN, snapshot
from voting.match.turns import boxed, close_turn, load_turn, restore_turn, start_match
from voting.models import Announcement, TallyRecord
from voting.organizing.control import act, edit_event
from voting.protocol import Action, ActionAsk

pytestmark = pytest.mark.django_db


def shown(event_id: int) -> protocol.EventState:
    return snapshot(Event.objects.get(pk=event_id))


def told_last(event_id: int) -> protocol.EventState:
    row = Announcement.objects.filter(event_id=event_id).order_by("seq").last()
    assert row is not None
    change: protocol.Change = msgspec.json.decode(bytes(row.body), type=protocol.Changes)
    return change.state


# ------------------------------------------------------------------ what is shown
def test_an_event_before_its_first_match(box: BallotBox) -> None:
    event = new_event(team_choice="choose")
    assert shown(event.pk) == protocol.EventState(
        code=event.code,
        name="An evening",
        lobby="closed",
        team_choice="choose",
        teams=(protocol.Team(number=1, name="Rooks"), protocol.Team(number=2, name="Doves")),
        match=None,
        next_match_at=None,
        finished=(),
    )


def test_an_open_turn_says_who_may_pick_what(box: BallotBox) -> None:
    turn = start(box, options={"columns": 6})
    match = shown(turn.match.event_id).match
    assert match is not None
    assert match.turn is not None
    assert match.turn == protocol.Turn(
        id=turn.pk,
        number=1,
        opens_at=turn.opens_at,
        closes_at=turn.closes_at,
        epoch=1,
        paused=False,
        left_ms=0,
        to_move=("red", "yellow"),
        legal=protocol.Legal(red=(1, 2, 3, 4, 5, 6), yellow=(1, 2, 3, 4, 5, 6)),
        lot=sha256(f"crowdgame lot:{turn.seed}".encode()).hexdigest(),
    )
    assert (match.board.grid, match.reveal, match.result) == (("......",) * 6, None, "open")


def test_the_terms_of_a_match_are_told_from_its_start_and_stay_its_own(box: BallotBox) -> None:
    """Chosen afterwards, other terms would make another pick of the same ballots."""
    terms = {"tally_method": "lottery", "tie_rule": "lot", "no_ballot_rule": "forfeit"}
    turn = start(box, **terms)
    Event.objects.update(tally_method="plurality", tie_rule="first", no_ballot_rule="pass")
    for state in (told_last(turn.match.event_id), shown(turn.match.event_id)):
        assert state.match is not None
        assert {name: getattr(state.match, name) for name in terms} == terms


def test_a_state_of_a_version_before_the_terms_is_read(box: BallotBox) -> None:
    told = msgspec.to_builtins(shown(start(box).match.event_id).match)
    for name in ("tally_method", "tie_rule", "no_ballot_rule"):
        del told[name]
    assert msgspec.convert(told, protocol.Match).tie_rule is None


def test_a_full_column_is_no_choice_any_more(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 1)] * 3)
    match = shown(turn.match.event_id).match
    assert match is not None
    assert match.turn is not None
    assert match.turn.legal.red == match.turn.legal.yellow == (2, 3, 4, 5, 6, 7)


def test_a_side_that_is_not_to_move_has_no_choice_and_no_tally(box: BallotBox) -> None:
    turn = start(box, game=CLASSIC, options={"first": "red"})
    play_turn(turn, box, red=[4])
    match = shown(turn.match.event_id).match
    assert match is not None
    assert match.turn is not None
    assert (match.turn.to_move, match.turn.legal.red) == (("yellow",), ())
    assert match.reveal is not None
    assert match.reveal.yellow is None
    assert match.reveal.red is not None
    assert match.reveal.red.pick == 4


def test_a_reveal_shows_both_tallies_and_what_came_of_them(box: BallotBox) -> None:
    turn = start(box)
    play_turn(turn, box, red=[4, 4, 2], yellow=[4])
    match = shown(turn.match.event_id).match
    assert match is not None
    reveal = match.reveal
    assert reveal is not None
    assert (reveal.turn, reveal.number) == (turn.pk, 1)
    assert reveal.red is not None
    assert reveal.red == protocol.SideTally(
        counts=(0, 1, 0, 2, 0, 0, 0), ballots=3, pick=4, decided_by="plurality", root=reveal.red.root
    )
    assert reveal.red.root == TallyRecord.objects.get(turn=turn, side="red").root
    assert reveal.seed == turn.seed
    assert reveal.yellow is not None
    assert reveal.yellow.counts == (0, 0, 0, 1, 0, 0, 0)
    assert [(d.side, d.column, d.row) for d in reveal.resolution.drops] == [("red", 4, 1), ("yellow", 4, 2)]
    assert (reveal.resolution.conflict, match.board.token) == (4, "yellow")
    assert match.board.grid[-2:] == ("...Y...", "...R...")


def test_a_paused_turn_says_what_is_left(box: BallotBox) -> None:
    turn = start(box, window_s=20)
    act(turn.match.event_id, ActionAsk(id=1, action="turn.pause"), box)
    match = shown(turn.match.event_id).match
    assert match is not None
    assert match.turn is not None
    assert (match.turn.paused, match.turn.left_ms) == (True, 20_000)


def test_an_ended_match_keeps_its_last_reveal_and_joins_the_finished(box: BallotBox) -> None:
    turn = start(box, next_match_after_s=30)
    play(turn.match, box, RED_WINS)
    state = shown(turn.match.event_id)
    assert state.match is not None
    assert (state.match.state, state.match.result, state.match.turn) == ("ended", "red", None)
    assert state.match.reveal is not None
    assert state.match.reveal.resolution.lines == (((1, 1), (1, 2), (1, 3), (1, 4)),)
    assert state.finished == (protocol.Finished(number=1, winner=1, turns=4),)
    assert state.next_match_at == Event.objects.get(pk=turn.match.event_id).next_match_at


def test_the_latest_finished_matches_are_told_in_order_and_aborted_ones_are_not(box: BallotBox) -> None:
    event = new_event(no_ballot_rule="forfeit")
    for number in range(1, FINISHED_SHOWN + 4):
        match = start_match(event.pk, box)
        if number == 3:
            act(event.pk, ActionAsk(id=1, action="match.abort"), box)
        else:
            votes = {"red": [1]} if number % 2 else {"yellow": [1]} if number % 4 else {}
            play_turn(only_turn(match), box, **votes)
    told = shown(event.pk).finished
    assert [one.number for one in told] == list(range(4, FINISHED_SHOWN + 4))
    assert {one.number: one.winner for one in told if one.number in (4, 5, 6)} == {4: None, 5: 1, 6: 2}


# ------------------------------------------------------------------ snapshot == last announcement
ACTIONS: tuple[Action, ...] = (
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


class Evening:
    """Organizers who press anything, a crowd that votes, deadlines that pass, a box that is lost."""

    def __init__(self, seed: int, box: BallotBox, url: str) -> None:
        self.rng, self.box, self.url = Random(seed), box, url
        self.event = new_event(next_match_after_s=30, reveal_s=1)
        edit_event(self.event.pk, box)

    def step(self) -> str:
        acts = [self.press] * 3 + [self.play_turn] * 4 + [self.lose_box, self.edit, self.begin]
        try:
            return self.rng.choice(acts)()
        except MatchError as refusal:
            return str(refusal)

    def press(self) -> str:
        action = self.rng.choice(ACTIONS)
        act(self.event.pk, ActionAsk(id=1, action=action), self.box)
        return action

    def begin(self) -> str:
        return str(start_match(self.event.pk, self.box))

    def edit(self) -> str:
        name = f"Evening {self.rng.randrange(1000)}"
        Event.objects.filter(pk=self.event.pk).update(name=name)
        edit_event(self.event.pk, self.box)
        return name

    def _turn(self) -> Turn:
        match = Match.objects.filter(event=self.event, state="playing").first()
        turn = live_turn(match) if match else None
        if turn is None or turn.state == "paused":
            raise MatchError(f"nothing to play: {turn}")
        return load_turn(turn.pk)

    def play_turn(self) -> str:
        turn = self._turn()
        position = position_of(turn.match)
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
def test_a_fresh_snapshot_is_what_was_announced_last(seed: int, box: BallotBox, valkey_url: str) -> None:
    evening = Evening(seed, box, valkey_url)
    done = []
    for _ in range(30):
        done.append(evening.step())
        assert told_last(evening.event.pk) == shown(evening.event.pk), done
    assert len(set(done)) > 8


def test_announcements_are_numbered_without_a_gap(box: BallotBox, valkey_url: str) -> None:
    evening = Evening(99, box, valkey_url)
    for _ in range(30):
        evening.step()
    rows = Announcement.objects.filter(event=evening.event).order_by("pk")
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    bodies = [msgspec.json.decode(bytes(row.body), type=protocol.Changes) for row in rows]
    assert [body.seq for body in bodies] == [row.seq for row in rows]
    assert Event.objects.get(pk=evening.event.pk).seq == len(rows)


# ------------------------------------------------------------------ secrecy
class StillBox(BallotBox):
    """Its time stands still, so that two evenings differ in nothing but their ballots."""

    def __init__(self) -> None:
        super().__init__()
        self.stands_at = super().now()

    def now(self) -> int:
        return self.stands_at


def told_in_an_open_turn(event: Event, box: BallotBox, red: list[int], yellow: list[int]) -> Any:
    """Every byte that leaves the server while the turn is open, and after its reveal."""

    def press(action: Action) -> None:
        act(event.pk, ActionAsk(id=1, action=action), box)

    turn = only_turn(start_match(event.pk, box))
    open_now(turn, box)
    vote(turn, box, red, yellow)
    outside = [turnout(event.pk, turn.pk)]
    for action in ("turn.extend", "joining.lock", "turn.pause", "turn.resume", "turn.extend"):
        press(action)
    outside.append(turnout(event.pk, turn.pk))
    present = without_lot(msgspec.json.encode(shown(event.pk)))
    open_turn = [
        without_lot(bytes(row.body)) for row in Announcement.objects.filter(event=event).order_by("seq")
    ]
    run_out(load_turn(turn.pk), box)
    close_turn(turn.pk, box)
    return (outside, present, open_turn), msgspec.json.encode(shown(event.pk))


def without_lot(told: bytes) -> bytes:
    """Every turn has a seed of its own, made before anybody votes."""
    return re.sub(rb'"lot":"[0-9a-f]{64}"', b'"lot":""', told)


def turnout(event_id: int, turn_id: int) -> Turnout:
    told = ask(lambda box: box.beat(event_id, "a", (turn_id, 1), (3, 3), 0))
    return Turnout(0, told.connected, told.waiting, told.red, told.yellow)


def test_nothing_told_in_an_open_turn_depends_on_the_columns_voted(box: BallotBox, valkey_url: str) -> None:
    event = new_event()
    still = StillBox()
    told, revealed = [], []
    for crowd in ([[1, 1, 2], [7, 7, 6]], [[7, 6, 7], [2, 1, 1]], [[4, 4, 4], [4, 4, 4]]):
        with Redis.from_url(valkey_url) as redis:
            redis.flushall()
        with transaction.atomic():
            before, after = told_in_an_open_turn(event, still, *crowd)
            told.append(before)
            revealed.append(after)
            transaction.set_rollback(True)
    still.close()
    assert told[0] == told[1] == told[2]
    assert told[0][0][0] == Turnout(0, (3, 3), 0, 3, 3)
    assert len(set(revealed)) == 3


def test_a_changed_vote_is_not_seen_from_outside(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    seen = []
    for sequence, column in enumerate((1, 5, 7), 1):
        box.cast(boxed(turn), ballots("red", [column] * 3, sequence))
        seen.append((turnout(turn.match.event_id, turn.pk), msgspec.json.encode(shown(turn.match.event_id))))
    assert seen[0] == seen[1] == seen[2]

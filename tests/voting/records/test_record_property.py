"""Whatever organizers do in whatever order, both verifiers confirm the record, and screens are up to date."""

import json
from collections import Counter
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.engine.game import SIDES
from tests.voting.action_helpers import press, record_voters
from tests.voting.box_helpers import empty
from tests.voting.match_helpers import CLASSIC, SELECTOR, last_announced, new_event, open_now, run_out, shown
from tests.voting.recovery_model import close_and_then
from tests.voting.sample_matches import record_of, with_blinds
from tests.voting.verifiers import standalone
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import DRAW, RESIGN, Ballot
from voting.matches import MatchError, live_turn
from voting.models import CLOSED_STATES, LIVE_STATES, Announcement, Event, Match, Turn, TurnState
from voting.positions import load_position
from voting.records.recount import find_faults
from voting.turns.closing import close_turn
from voting.turns.restoring import restore_turn
from voting.turns.turns import load_turn, start_match, to_boxed_turn

pytestmark = pytest.mark.django_db

VOTER_CODES = ("BCDFGH", "JKMNPQ")
#: Ballots of a turn: a side, a column, and whether it asks to resign (0) or for a draw (from 3 on).
VOTES = st.lists(st.tuples(st.sampled_from(SIDES), st.integers(1, 6), st.integers(0, 5)), max_size=6)
ACTIONS = (
    *("turn.pause", "turn.resume", "turn.extend", "turn.shorten", "turn.close", "turn.void"),
    *("match.abort", "match.start", "lobby.open", "joining.lock", "joining.unlock"),
)
RESTRICTIONS = ("voter.kick", "voter.ban", "voter.admit", "voter.move")
STEPS = st.one_of(
    st.tuples(st.sampled_from(["vote", "vote and close"]), VOTES),
    st.tuples(st.sampled_from(["lose the box", "extend after the seal", "rename"]), st.none()),
    st.tuples(st.sampled_from(ACTIONS[:6]), st.none()),
    st.tuples(st.sampled_from(ACTIONS[6:]), st.none()),
    st.tuples(st.sampled_from(RESTRICTIONS), st.sampled_from(VOTER_CODES)),
)
TERMS = st.fixed_dictionaries(
    {
        "game": st.sampled_from(["simultaneous-captains-mistress", CLASSIC, SELECTOR, "trails", "goofspiel"]),
        "tally_method": st.sampled_from(["plurality", "lottery"]),
        "tie_rule": st.sampled_from(["first", "lot"]),
        "no_ballot_rule": st.sampled_from(["random", "pass", "forfeit"]),
        "resign": st.sampled_from([None, "half", "all"]),
        "draw_offers": st.booleans(),
    }
)


class OrganizedMatch:
    """A match whose organizers do anything that they may."""

    def __init__(self, terms: dict[str, Any], box: BallotBox) -> None:
        self.box, self.event, self.sequence = box, new_event(next_match_after_s=30, **terms), 0
        self.match: Match = start_match(self.event.pk, box)
        record_voters(self.event.pk, *VOTER_CODES)
        # What the record has to tell, by turn id.
        self.losses, self.void_seals = Counter[int](), Counter[int]()
        self.void: dict[int, tuple[str, bool]] = {}

    def take(self, step: str, what: Any) -> None:
        turn = live_turn(self.match)
        open_turn = load_turn(turn.pk) if turn and turn.state == TurnState.OPEN else None
        if step in {"vote", "vote and close"}:
            self.vote(what)
            if step != "vote" and (turn := live_turn(self.match)):
                run_out(turn, self.box)
                close_turn(turn.pk, self.box)
        elif step == "rename":
            Event.objects.filter(pk=self.event.pk).update(name=f"Evening {self.sequence}")
            announce_edit(self.event.pk, self.box.now())
        elif step == "lose the box" and open_turn:
            empty()
            restore_turn(open_turn.pk, self.box)
            self.losses[open_turn.pk] += 1
        elif step == "extend after the seal" and open_turn:
            run_out(open_turn, self.box)
            close_and_then(open_turn, self.open)
            self.void_seals[open_turn.pk] += 1
        elif step in {*ACTIONS, *RESTRICTIONS}:
            self.act(step, what)

    def act(self, action: str, voter_code: str | None) -> None:
        turns, closed = self.match.turns, self.match.turns.filter(state__in=CLOSED_STATES)
        target = closed.last() if action == "turn.void" else live_turn(self.match)
        more: dict[str, Any] = {"turn": target.pk} if target and not voter_code else {}
        more |= {"voter_code": voter_code} if voter_code else {}
        more |= {"team": 2} if action == "voter.move" else {}
        before = dict(turns.values_list("pk", "state"))
        with suppress(MatchError):
            press(self.event.pk, action, self.box, **more)
        for turn in turns.filter(state=TurnState.VOID).exclude(pk__in=self.void):
            was_live = before[turn.pk] in LIVE_STATES
            reason = "superseded" if was_live else "taken_back"
            self.void[turn.pk] = ("stopped" if action == "match.abort" else reason), not was_live

    def open(self) -> Turn | None:
        self.match.refresh_from_db()
        turn = live_turn(self.match)
        if turn:
            open_now(load_turn(turn.pk), self.box)
        return turn and load_turn(turn.pk)

    def vote(self, votes: list[tuple[Any, int, int]]) -> None:
        if not (turn := self.open()):
            return
        position, cast = load_position(self.match), []
        for number, (side, column, wish) in enumerate(votes):
            self.sequence += 1
            resign = RESIGN if self.match.resign and not wish else 0
            draw = DRAW if self.match.draw_offers and wish > 2 else 0
            if column in position.game.legal_actions(position.state, side):
                cast.append(Ballot(f"{side}{number}", side, resign + draw + column, self.sequence))
        self.box.cast(to_boxed_turn(turn), with_blinds(cast))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(terms=TERMS, steps=st.lists(STEPS, min_size=3, max_size=14))
def test_record_verifies_and_snapshot_is_announced_after_any_sequence_of_actions(
    terms: dict[str, Any], steps: list[tuple[str, Any]], box: BallotBox
) -> None:
    organized = OrganizedMatch(terms, box)
    event_id = organized.event.pk
    for step, what in steps:
        organized.take(step, what)
        assert last_announced(event_id) == shown(event_id), step
    seqs = list(Announcement.objects.filter(event=event_id).order_by("pk").values_list("seq", flat=True))
    assert seqs == list(range(1, Event.objects.get(pk=event_id).seq + 1)), "there are no gaps"
    organized.match.refresh_from_db()
    record = record_of(organized.match)
    faults: list[str] = []
    standalone.Recount(json.loads(msgspec.json.encode(record)), faults).verify()
    assert not faults
    assert not find_faults(record)
    for count in record.counts:
        losses, void_seals = organized.losses[count.turn], organized.void_seals[count.turn]
        assert (count.epoch, count.restored) == (1 + losses, "phones" if losses else None)
        assert [seal.void is not None for seal in count.seals] == [True] * void_seals + [False]
    reasons = {turn: reason for turn, (reason, _) in organized.void.items()}
    assert {void.turn: void.reason for void in record.voided} == reasons
    for void in record.voided:
        was_counted = organized.void[void.turn][1]
        assert len(void.seals) == organized.void_seals[void.turn] + was_counted
    assert record.state == organized.match.state

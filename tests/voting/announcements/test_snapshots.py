"""A snapshot shows the public state of an event."""

from hashlib import sha256
from typing import Any

import msgspec
import pytest
from django.utils.translation import get_language, override

from crowdgame.organizer.console.control import run_action
from tests.voting.event_states import last_announced, shown
from tests.voting.match_helpers import (
    CLASSIC,
    RED_WINS,
    new_event,
    only_turn,
    play,
    play_turn,
    start,
    tally_of,
)
from voting import protocol
from voting.announcements import snapshots
from voting.announcements.snapshots import MAX_FINISHED
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.commitments import commit_lot
from voting.counting.tally import SideTally
from voting.models import Event, Turn
from voting.protocol import ActionAsk
from voting.terms import EndReason, Lobby, Nicknames, TeamChoice
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


def shown_match(turn: Turn) -> Any:
    """The public match; untyped, since its optional parts depend on its state."""
    return shown(turn.match.event_id).match


def test_snapshot_before_first_match(box: BallotBox) -> None:
    event = new_event(team_choice="choose")
    assert shown(event.pk) == protocol.EventState(
        code=event.code,
        name="An evening",
        lobby=Lobby.CLOSED,
        team_choice=TeamChoice.CHOOSE,
        teams=(protocol.Team(number=1, name="Rooks"), protocol.Team(number=2, name="Doves")),
        match=None,
        next_match_at=None,
        finished=(),
        game="simultaneous-captains-mistress",
        nicknames=Nicknames.SUGGESTED,
        next_lot=commit_lot(event.next_seed),
    )


def test_snapshot_lists_special_rules_of_the_match_or_the_next_one(box: BallotBox) -> None:
    event = new_event(game="single-selector", tie_rule="captain", resign="half", bank_s=600)
    rules = ("single_selector", "captains", "resigning", "time_banks")
    assert shown(event.pk).special_rules == rules
    start_match(event.pk, box)
    Event.objects.filter(pk=event.pk).update(resign=None)
    assert shown(event.pk).special_rules == rules
    assert shown(new_event(max_side_changes=2).pk).special_rules == ("secret_sides",)


def test_snapshot_hides_hints_by_setting_or_for_the_study_of_the_match(box: BallotBox) -> None:
    assert shown(new_event(hide_hints=True).pk).hidden == ("hints",)
    event = new_event(consent="A study.", in_study=True)
    start_match(event.pk, box)
    Event.objects.filter(pk=event.pk).update(in_study=False)
    assert shown(event.pk).hidden == ("hints",)


def test_snapshot_of_open_turn_lists_legal_columns(box: BallotBox) -> None:
    turn = start(box, options={"columns": 6})
    match = shown_match(turn)
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
        lot=sha256(f"crowdgame lot 2:{turn.seed}".encode()).hexdigest(),
    )
    assert (match.board.grid, match.reveal, match.result) == (("......",) * 6, None, "open")


def test_snapshot_words_games_in_language_of_event(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "gettext", lambda message: f"{get_language()}: {message}")
    with override("fr"):
        turn = start(box, game="goofspiel", options={"cards": 5}, language="de")
        play_turn(turn, box, [1], [2])
        match = shown_match(turn)
    assert match.title == "de: Goofspiel, the bidding game"
    assert match.reveal.resolution.sentences[0].startswith("de: {red} bid 1, {yellow} bid 2: {yellow} won ")
    for drawing in (match.board.drawing, match.reveal.resolution.before):
        assert drawing.words.startswith("de: At stake: ")
        assert {mark.text for mark in drawing.marks} >= {"de: Prize", "de: Points"}


def test_snapshot_keeps_terms_of_running_match(box: BallotBox) -> None:
    """Changing the terms after the vote could change the pick."""
    terms = {"tally_method": "lottery", "tie_rule": "lot", "no_ballot_rule": "forfeit"}
    turn = start(box, **terms)
    Event.objects.update(tally_method="plurality", tie_rule="first", no_ballot_rule="pass")
    for state in (last_announced(turn.match.event_id), shown(turn.match.event_id)):
        assert {name: getattr(state.match, name) for name in terms} == terms


def test_match_message_without_terms_is_decoded(box: BallotBox) -> None:
    fields = msgspec.to_builtins(shown(start(box).match.event_id).match)
    for name in ("tally_method", "tie_rule", "no_ballot_rule"):
        del fields[name]
    assert msgspec.convert(fields, protocol.Match).tie_rule is None


def test_side_not_to_move_has_no_legal_columns_or_tally(box: BallotBox) -> None:
    turn = start(box, game=CLASSIC, options={"first": "red"})
    play_turn(turn, box, red=[4])
    match = shown_match(turn)
    assert (match.turn.to_move, match.turn.legal.red) == (("yellow",), ())
    assert match.reveal.yellow is None
    assert match.reveal.red.pick == 4


def test_reveal_shows_both_tallies_and_resolution(box: BallotBox) -> None:
    turn = start(box)
    play_turn(turn, box, red=[4, 4, 2], yellow=[4])
    match = shown_match(turn)
    reveal = match.reveal
    assert (reveal.turn, reveal.number) == (turn.pk, 1)
    root = tally_of(turn, "red").root
    assert reveal.red == SideTally(
        counts=(0, 1, 0, 2, 0, 0, 0), ballots=3, pick=4, decided_by="plurality", root=root
    )
    assert reveal.seed == turn.seed
    assert reveal.yellow.counts == (0, 0, 0, 1, 0, 0, 0)
    assert [(d.side, d.column, d.row) for d in reveal.resolution.drops] == [("red", 4, 1), ("yellow", 4, 2)]
    assert (reveal.resolution.conflict, match.board.token) == (4, "yellow")
    assert match.board.grid[-2:] == ("...Y...", "...R...")


def test_paused_turn_shows_remaining_time(box: BallotBox) -> None:
    turn = start(box, window_s=20)
    run_action(turn.match.event_id, ActionAsk(id=1, action="turn.pause"), box)
    match = shown_match(turn)
    assert (match.turn.paused, match.turn.left_ms) == (True, 20_000)


def test_ended_match_keeps_last_reveal_and_is_listed_as_finished(box: BallotBox) -> None:
    turn = start(box, next_match_after_s=30)
    play(turn.match, box, RED_WINS)
    state: Any = shown(turn.match.event_id)
    assert (state.match.state, state.match.result, state.match.turn) == ("ended", "red", None)
    assert state.match.reveal.resolution.lines == (((1, 1), (1, 2), (1, 3), (1, 4)),)
    assert state.finished == (protocol.Finished(number=1, winner=1, turns=4, end_reason=EndReason.LINE),)
    assert state.next_match_at == Event.objects.get(pk=turn.match.event_id).next_match_at


def test_snapshot_lists_latest_finished_matches_without_aborted(box: BallotBox) -> None:
    event = new_event(no_ballot_rule="forfeit")
    for number in range(1, MAX_FINISHED + 4):
        match = start_match(event.pk, box)
        if number == 3:
            run_action(event.pk, ActionAsk(id=1, action="match.abort"), box)
        else:
            votes = {"red": [1]} if number % 2 else {"yellow": [1]} if number % 4 else {}
            play_turn(only_turn(match), box, **votes)
    finished = shown(event.pk).finished
    assert [summary.number for summary in finished] == list(range(4, MAX_FINISHED + 4))
    assert [summary.winner for summary in finished[:3]] == [None, 1, 2]

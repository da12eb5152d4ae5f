from hashlib import sha256
from typing import Any

import msgspec
import pytest
from django.utils.translation import get_language, override

from tests.voting import match_helpers as helpers
from tests.voting.action_helpers import press
from voting import protocol
from voting.announcements import reveals, snapshots
from voting.announcements.outbox import announcements_after
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.commitments import commit_lot
from voting.counting.tally import SideTally
from voting.models import Event, Turn
from voting.terms import EndReason, Lobby, Nicknames, TeamChoice
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


def shown_match(turn: Turn) -> Any:
    return helpers.shown(turn.match.event_id).match


def test_snapshot_before_first_match(box: BallotBox) -> None:
    event = helpers.new_event(team_choice="choose")
    assert helpers.shown(event.pk) == protocol.EventState(
        code=event.code, name="An evening", lobby=Lobby.CLOSED, team_choice=TeamChoice.CHOOSE,
        teams=(protocol.Team(number=1, name="Rooks"), protocol.Team(number=2, name="Doves")),
        match=None, next_match_at=None, finished=(), game="simultaneous-captains-mistress",
        nicknames=Nicknames.SUGGESTED, next_lot=commit_lot(event.next_seed),
    )  # fmt: skip


def test_snapshot_lists_special_rules_and_study_of_the_match_or_the_next_one(box: BallotBox) -> None:
    terms = {"game": "single-selector", "tie_rule": "captain", "resign": "half", "bank_s": 600}
    event = helpers.new_event(consent="A study.", in_study=True, **terms)
    rules = ("single_selector", "captains", "resigning", "time_banks")
    assert helpers.shown(event.pk).special_rules == rules
    start_match(event.pk, box)
    Event.objects.update(resign=None, in_study=False, tie_rule="lot", tally_method="lottery")
    state: Any = helpers.shown(event.pk)
    assert (state.special_rules, state.hidden) == (rules, ("hints",))
    assert (state.match.tie_rule, state.match.tally_method) == ("captain", "plurality")
    plain = helpers.shown(helpers.new_event(max_side_changes=2, hide_hints=True).pk)
    assert (plain.special_rules, plain.hidden) == (("secret_sides",), ("hints",))


def test_snapshot_of_open_or_paused_turn(box: BallotBox) -> None:
    turn = helpers.start(box, options={"columns": 6}, window_s=20)
    match, columns = shown_match(turn), (1, 2, 3, 4, 5, 6)
    assert match.turn == protocol.Turn(
        id=turn.pk, number=1, opens_at=turn.opens_at, closes_at=turn.closes_at, epoch=1, paused=False,
        left_ms=0, to_move=("red", "yellow"), legal=protocol.Legal(red=columns, yellow=columns),
        lot=sha256(f"crowdgame lot 2:{turn.seed}".encode()).hexdigest(),
    )  # fmt: skip
    assert (match.board.grid, match.reveal, match.result) == (("......",) * 6, None, "open")
    press(turn.match.event_id, "turn.pause", box)
    paused = shown_match(turn).turn
    assert (paused.paused, paused.left_ms) == (True, 20_000)


def test_snapshot_words_games_in_language_of_event(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (snapshots, reveals):
        monkeypatch.setattr(module, "gettext", lambda message: f"{get_language()}: {message}")
    with override("fr"):
        turn = helpers.start(box, game="goofspiel", options={"cards": 5}, language="de")
        helpers.play_turn(turn, box, [1], [2])
        match = shown_match(turn)
    assert match.title == "de: Goofspiel, the bidding game"
    assert match.reveal.resolution.sentences[0].startswith("de: {red} bid 1, {yellow} bid 2: {yellow} won ")
    for drawing in (match.board.drawing, match.reveal.resolution.before):
        assert drawing.words.startswith("de: At stake: ")
        assert {mark.text for mark in drawing.marks} >= {"de: Prize", "de: Points"}


def test_change_of_an_earlier_version_is_decoded(box: BallotBox) -> None:
    turn = helpers.start(box)
    helpers.play_turn(turn, box, [1], [2])
    message: Any = msgspec.json.decode(announcements_after(turn.match.event_id, 0)[-1].body)
    match = message["state"]["match"]
    for name in ("tally_method", "tie_rule", "no_ballot_rule"):
        del match[name]
    del match["reveal"]["sealed_at"]
    decoded: Any = protocol.decode_change(msgspec.json.encode(message)).state.match
    assert (decoded.tie_rule, decoded.reveal.sealed_at, decoded.reveal.turn) == (None, 0, turn.pk)


def test_reveal_shows_tallies_and_resolution(box: BallotBox) -> None:
    turn = helpers.start(box)
    helpers.play_turn(turn, box, red=[4, 4, 2], yellow=[4])
    match = shown_match(turn)
    reveal, root = match.reveal, helpers.tally_of(turn, "red").root
    assert (reveal.turn, reveal.number, reveal.seed) == (turn.pk, 1, turn.seed)
    red = SideTally(counts=(0, 1, 0, 2, 0, 0, 0), ballots=3, pick=4, decided_by="plurality", root=root)
    assert (reveal.red, reveal.yellow.counts) == (red, (0, 0, 0, 1, 0, 0, 0))
    assert [(d.side, d.column, d.row) for d in reveal.resolution.drops] == [("red", 4, 1), ("yellow", 4, 2)]
    assert (reveal.resolution.conflict, match.board.token) == (4, "yellow")
    assert match.board.grid[-2:] == ("...Y...", "...R...")
    alternating = helpers.start(box, game=helpers.CLASSIC, options={"first": "red"})
    helpers.play_turn(alternating, box, red=[4])
    match = shown_match(alternating)
    assert (match.turn.to_move, match.turn.legal.red) == (("yellow",), ())
    assert (match.reveal.red.pick, match.reveal.yellow) == (4, None)


def test_ended_match_keeps_last_reveal_and_is_listed_as_finished(box: BallotBox) -> None:
    turn = helpers.start(box, next_match_after_s=30)
    helpers.play(turn.match, box, helpers.RED_WINS)
    state: Any = helpers.shown(turn.match.event_id)
    assert (state.match.state, state.match.result, state.match.turn) == ("ended", "red", None)
    assert state.match.reveal.resolution.lines == (((1, 1), (1, 2), (1, 3), (1, 4)),)
    assert state.finished == (protocol.Finished(number=1, winner=1, turns=4, end_reason=EndReason.LINE),)
    assert state.next_match_at == Event.objects.get(pk=turn.match.event_id).next_match_at


def test_snapshot_lists_latest_finished_matches(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "MAX_FINISHED", 3)
    event = helpers.new_event(no_ballot_rule="forfeit")
    for red, yellow in (([1], []), ([1], []), ([], []), ([1], []), ([], [1])):
        helpers.play_turn(helpers.only_turn(start_match(event.pk, box)), box, red, yellow)
        start_match(event.pk, box)
        press(event.pk, "match.abort", box)
    finished = helpers.shown(event.pk).finished
    assert [(summary.number, summary.winner) for summary in finished] == [(5, None), (7, 1), (9, 2)]

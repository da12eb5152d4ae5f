import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.test import Client

from tests.voting import match_helpers as helpers
from tests.voting.action_helpers import event_of, press, refused
from tests.voting.sample_matches import plain
from tests.voting.verifiers import standalone, verify
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.opened_ballots import load_opened_ballots
from voting.counting.ballots import RESIGN, encode_set
from voting.counting.window import START_LEAD_MS
from voting.models import Match, StoredSideChange, Turn, TurnState
from voting.records.match_roots import export_roots
from voting.turns.side_change_store import change_sides
from voting.turns.turns import load_turn


def public_match(turn: Turn) -> Any:
    """The public match, which must be the same in the last announcement and in a fresh snapshot."""
    state = helpers.last_announced(event_of(turn))
    assert state == helpers.shown(event_of(turn))
    return state.match


@pytest.fixture
def first(box: BallotBox) -> Turn:
    """The first half, in which red has picked column 4; then it is yellow's turn."""
    return helpers.play_turn(helpers.start(box, game=helpers.SELECTOR), box, red=[4, 4, 2])


def test_first_half_is_concealed_until_the_second_reveals_both(first: Turn, box: BallotBox) -> None:
    assert (first.state, first.red_pick, first.resolved_at) == (TurnState.CONCEALED, 4, None)
    assert helpers.tally_of(first, "red").counts == [0, 1, 0, 2, 0, 0, 0]
    match = public_match(first)
    assert (match.reveal, match.board.vote) == (None, "open")
    assert (match.concealed.turn, match.concealed.side, match.concealed.ballots) == (first.pk, "red", 3)
    assert (match.concealed.root, match.concealed.seed) == (helpers.tally_of(first, "red").root, None)
    assert (match.turn.number, match.turn.to_move) == (2, ("yellow",))
    assert match.turn.opens_at >= (first.sealed_at or 0) + START_LEAD_MS
    assert helpers.kinds(event_of(first))[-1] == "turn.concealed"
    assert (plain(first.match)["turns"], plain(first.match)["counts"]) == ([], [])
    assert load_opened_ballots(event_of(first), first.pk) is None
    after = helpers.play_turn(helpers.only_turn(first.match), box, yellow=[4, 1, 4])
    turn = load_turn(first.pk)
    assert {turn.state, after.state} == {TurnState.RESOLVED}
    assert turn.resolved_at == after.resolved_at
    match = public_match(turn)
    reveal = match.reveal
    assert (reveal.red.counts, reveal.yellow.counts) == ((0, 1, 0, 2, 0, 0, 0), (1, 0, 0, 2, 0, 0, 0))
    assert (reveal.turn, reveal.seed) == (after.pk, after.seed)
    assert (reveal.concealed.turn, reveal.concealed.seed) == (turn.pk, turn.seed)
    assert (reveal.resolution.conflict, reveal.resolution.token_after) == (4, "yellow")
    assert (match.concealed, match.board.vote) == (None, "concealed")
    assert match.turn.to_move == ("yellow",)
    assert helpers.kinds(event_of(turn))[-1] == "turn.revealed"
    assert [(turn["red"], turn["yellow"]) for turn in plain(first.match)["turns"]] == [(4, None), (None, 4)]
    assert load_opened_ballots(event_of(first), first.pk) is not None
    concealed = helpers.play_turn(helpers.only_turn(first.match), box, yellow=[2, 2, 6])
    assert concealed.state == TurnState.CONCEALED
    assert public_match(concealed).reveal == reveal, "a later concealed half leaves it as it was"


@pytest.mark.parametrize("action", ["turn.void", "match.abort"])
def test_voided_or_aborted_half_is_never_revealed(action: str, first: Turn, box: BallotBox) -> None:
    press(event_of(first), action, box)
    match, turn = public_match(first), load_turn(first.pk)
    assert (match.concealed, match.reveal) == (None, None)
    assert (turn.state, turn.resolved_at) == (TurnState.VOID, None)
    assert load_opened_ballots(event_of(first), first.pk) is None
    if action == "turn.void":
        assert (match.board.vote, helpers.only_turn(turn.match).number) == ("concealed", 1)
    else:
        assert (match.state, match.turn) == ("aborted", None)


def test_void_takes_back_all_that_is_revealed_or_the_half_after_it(first: Turn, box: BallotBox) -> None:
    """Otherwise the second side could answer a pick that it already knows."""
    event_id = event_of(first)
    second = helpers.play_turn(helpers.only_turn(first.match), box, yellow=[5])
    third = helpers.play_turn(helpers.only_turn(first.match), box, red=[6])
    press(event_id, "turn.void", box)
    assert (load_turn(third.pk).state, helpers.only_turn(first.match).number) == (TurnState.VOID, 3)
    assert public_match(first).reveal.number == 2
    with refused("Another turn has been revealed"):
        press(event_id, "turn.void", box, turn=first.pk)
    press(event_id, "turn.void", box, turn=second.pk)
    assert {load_turn(pk).state for pk in (first.pk, second.pk)} == {TurnState.VOID}
    assert (helpers.only_turn(first.match).number, public_match(first).board.vote) == (1, "concealed")


@pytest.mark.parametrize(("half", "winner"), [(1, "yellow"), (2, "red")])
def test_forfeit_in_either_half_ends_match_and_reveals_all(box: BallotBox, half: int, winner: str) -> None:
    turn = helpers.start(box, game=helpers.SELECTOR, no_ballot_rule="forfeit")
    if half == 2:
        helpers.play_turn(turn, box, red=[4])
    helpers.play_out(helpers.only_turn(turn.match), box)
    match, reveal = Match.objects.get(pk=turn.match_id), public_match(turn).reveal
    assert (match.result, match.ended_by) == (winner, "forfeit")
    assert not match.turns.filter(state=TurnState.CONCEALED).exists()
    assert (reveal.number, reveal.concealed is None) == (half, half == 1)


def test_deserted_side_loses_and_is_published(box: BallotBox, tmp_path: Path, client: Client) -> None:
    match = helpers.start_secret(box)
    helpers.play_with(helpers.only_turn(match), box, [1, 1], [2, 2, 2])
    helpers.request_side_changes(helpers.only_turn(match), box, "red1")
    helpers.play_with(helpers.only_turn(match), box, [1, 1], [2, 2, 2])
    helpers.request_side_changes(helpers.only_turn(match), box, "red2")
    assert client.get(f"/record/{match.event.code}/1.json").status_code == 403
    public: Any = helpers.last_announced(match.event_id).match
    assert (public.reveal.seed, public.sides) == (None, None), "the seed would reveal a drawn pick"
    resolved = helpers.play_with(helpers.only_turn(match), box, [1, 1], [2, 2])
    public = helpers.last_announced(match.event_id).match
    assert (resolved.red_pick, resolved.yellow_pick) == (None, None)
    turns = [(turn.red, turn.yellow, turn.to_red, turn.to_yellow) for turn in public.sides.turns]
    assert turns == [(2, 3, 0, 0), (1, 4, 0, 1), (0, 5, 0, 1)]
    assert (public.sides.loyal, public.sides.in_time, public.sides.too_soon) == ((0, 3), 2, 0)
    with refused("Sides have been revealed"):
        press(match.event_id, "turn.void", box)
    record = verified_record(match, "yellow", "deserted", tmp_path)
    assert json.loads(client.get(f"/record/{match.event.code}/1.json").getvalue()) == record
    page = client.get(f"/report/{match.event.code}/1").content.decode()
    assert "Everyone had left Rooks by turn 3." in page
    assert "Changed in time: 2. Too soon: 0. Stayed: 60%." in page


def test_voters_who_changed_sides_count_for_resignation(box: BallotBox, tmp_path: Path) -> None:
    match = helpers.start_secret(box, tally_method="approval", resign="two_thirds")
    helpers.play_with(helpers.only_turn(match), box, [1, 1, 1], [7, 7 + RESIGN])
    helpers.request_side_changes(helpers.only_turn(match), box, "red1", "red2")
    red, yellow = [7 + RESIGN, 7 + RESIGN, 1], [encode_set([6, 7]), 7 + RESIGN]
    helpers.play_with(helpers.only_turn(match), box, red, yellow)
    verified_record(match, "red", "resign", tmp_path)
    match = helpers.start_secret(box, resign="half")
    helpers.play_with(helpers.only_turn(match), box, [1, 1], [7, 7])
    helpers.request_side_changes(helpers.only_turn(match), box, "red1", "red2")
    helpers.play_with(helpers.only_turn(match), box, [1 + RESIGN] * 2, [7 + RESIGN] * 2)
    verified_record(match, "yellow", "deserted", tmp_path)  # this takes precedence


def test_side_changes_outlive_takebacks_and_only_later_ones_move(box: BallotBox, tmp_path: Path) -> None:
    match, other = helpers.start_secret(box), helpers.start_secret(box)
    for one in (match, other):
        helpers.play_with(helpers.only_turn(one), box, [1, 1, 1], [2, 2])
        helpers.request_side_changes(helpers.only_turn(one), box, "red1")
    press(match.event_id, "turn.void", box)
    assert StoredSideChange.objects.get(match=other).turn == 2
    helpers.play_with(helpers.only_turn(match), box, [1, 1, 1], [2, 2])
    helpers.request_side_changes(helpers.only_turn(match), box, "red2")
    helpers.play_with(helpers.only_turn(match), box, [1, 1, 1], [2, 2])
    press(match.event_id, "turn.void", box)
    helpers.request_side_changes(helpers.only_turn(match), box, "red3")
    helpers.play_with(helpers.only_turn(match), box, [1, 1, 1], [2, 2])
    record = verified_record(match, "yellow", "deserted", tmp_path)
    assert [turn["to_yellow"] for turn in record["sides"]["summary"]["turns"]] == [1, 2]


@pytest.mark.parametrize("votes", [[1, 1], []], ids=["with votes", "without votes"])
def test_aborted_match_discloses_its_sides(votes: list[int], box: BallotBox, tmp_path: Path) -> None:
    match = helpers.start_secret(box)
    helpers.play_with(helpers.only_turn(match), box, votes, votes)
    helpers.request_side_changes(helpers.only_turn(match), box, *(["red1"] if votes else []))
    helpers.play_with(helpers.only_turn(match), box, votes, votes)
    press(match.event_id, "match.abort", box)
    match.refresh_from_db()
    record = verified_record(match, "open", None, tmp_path)
    assert len(record["sides"]["turns"]) == 2
    roots = json.loads(msgspec.json.encode(export_roots(match)))
    assert not list(standalone.compare_roots(record, roots))


def verified_record(match: Match, result: str, ended_by: str | None, folder: Path) -> Any:
    """The record of the match, which both verifiers confirm and which has this result."""
    record = plain(match)
    assert (record["result"], record["ended_by"]) == (result, ended_by)
    verify(record, folder)
    return record


def second_turn(box: BallotBox, **choices: int) -> Turn:
    match = helpers.start_secret(box, **choices)
    helpers.play_with(helpers.only_turn(match), box, [1, 1], [2, 2])
    return helpers.only_turn(match)


def test_side_change_is_accepted_only_between_turns_with_secret_sides(box: BallotBox) -> None:
    first = helpers.only_turn(helpers.start_secret(box))
    assert helpers.request_side_changes(first, box, "red1") == ["window_open"]
    turn = second_turn(box)
    ask = [helpers.side_change_request("red1", turn)]
    helpers.open_now(turn, box)
    assert change_sides(turn.match.event_id, ask, box.now) == ["window_open"]
    helpers.between(load_turn(turn.pk), box)
    press(turn.match.event_id, "turn.pause", box)
    assert change_sides(turn.match.event_id, ask, box.now) == ["window_open"]
    public = helpers.start(box)
    helpers.play_out(public, box)
    assert helpers.request_side_changes(helpers.only_turn(public.match), box, "red1") == ["not_offered"]
    assert StoredSideChange.objects.count() == 0


def test_side_changes_count_once_within_their_limit(box: BallotBox) -> None:
    turn = second_turn(box)
    assert helpers.request_side_changes(turn, box, "red1", "red1") == ["changed", "changed"]
    assert helpers.request_side_changes(turn, box, "red1", number=2) == ["used_up"]
    assert StoredSideChange.objects.count() == 1
    turn = second_turn(box, max_side_changes=2)
    for number in (1, 2):
        assert helpers.request_side_changes(turn, box, "red1", number=number) == ["changed"]
    assert helpers.request_side_changes(turn, box, "yellow1", number=2) == ["used_up"]
    resolved = helpers.play_with(turn, box, [5], [6])
    assert (resolved.red_pick, resolved.yellow_pick) == (5, 6), "the second one returned the voter"

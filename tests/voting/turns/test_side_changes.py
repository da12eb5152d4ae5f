"""Side changes: when they are accepted, how often, and concurrent requests."""

from collections import Counter

import pytest

from tests.voting.action_helpers import press, record_voters, refused
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import only_turn, open_now, play_out, start
from tests.voting.turns.secret_side_helpers import (
    between,
    play_with,
    request_side_changes,
    side_change_request,
    start_secret,
)
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Match, StoredSideChange
from voting.turns.side_change_store import change_sides
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db


def second_turn(box: BallotBox, **choices: int) -> Match:
    match = start_secret(box, **choices)
    play_with(only_turn(match), box, [1, 1], [2, 2])
    return match


def test_side_change_is_accepted_only_between_turns_with_secret_sides(box: BallotBox) -> None:
    first = only_turn(start_secret(box))
    assert request_side_changes(first, box, "red1") == ["window_open"]
    play_with(first, box, [1], [2])
    turn = only_turn(first.match)
    ask = [side_change_request("red1", turn)]
    open_now(turn, box)
    assert change_sides(turn.match.event_id, ask, box.now) == ["window_open"]
    between(load_turn(turn.pk), box)
    press(turn.match.event_id, "turn.pause", box)
    assert change_sides(turn.match.event_id, ask, box.now) == ["window_open"]
    public = start(box)
    play_out(public, box)
    assert request_side_changes(only_turn(public.match), box, "red1") == ["not_offered"]
    assert StoredSideChange.objects.count() == 0


def test_repeated_side_change_counts_once_within_limit(box: BallotBox) -> None:
    turn = only_turn(second_turn(box))
    assert request_side_changes(turn, box, "red1", "red1") == ["changed", "changed"]
    assert request_side_changes(turn, box, "red1", number=2) == ["used_up"]
    assert StoredSideChange.objects.count() == 1


def test_second_side_change_returns_voter(box: BallotBox) -> None:
    turn = only_turn(second_turn(box, max_side_changes=2))
    for number in (1, 2):
        assert request_side_changes(turn, box, "red1", number=number) == ["changed"]
    assert request_side_changes(turn, box, "yellow1", number=2) == ["used_up"]
    resolved = play_with(turn, box, [5], [6])
    assert (resolved.red_pick, resolved.yellow_pick) == (5, 6)


@pytest.mark.django_db(transaction=True)
def test_concurrent_side_changes_of_a_voter_count_once(box: BallotBox) -> None:
    turn = only_turn(second_turn(box))
    between(turn, box)
    event_id, answers = turn.match.event_id, list[str]()

    def ask(own: BallotBox) -> None:
        answers.extend(change_sides(event_id, [side_change_request("red1", turn)], own.now))

    at_once(6, ask)
    assert Counter(answers) == {"changed": 6}
    assert StoredSideChange.objects.count() == 1


def test_voided_turn_keeps_side_changes(box: BallotBox) -> None:
    match = second_turn(box)
    play_with(only_turn(match), box, [1, 1], [2, 2])
    assert request_side_changes(only_turn(match), box, "red1") == ["changed"]
    press(match.event_id, "turn.void", box)
    resolved = play_with(only_turn(match), box, [3, 1], [2, 2])
    assert (resolved.number, resolved.red_pick) == (2, 1)


def test_organizer_cannot_move_voters_nor_void_turns_after_sides_are_published(box: BallotBox) -> None:
    match = second_turn(box)
    record_voters(match.event_id, "BCDFGH")
    with refused("Only voters themselves can change sides"):
        press(match.event_id, "voter.move", box, voter_code="BCDFGH", team=2)
    request_side_changes(only_turn(match), box, "red1", "red2")
    play_with(only_turn(match), box, [1, 1], [2, 2])
    with refused("Sides have been revealed"):
        press(match.event_id, "turn.void", box)

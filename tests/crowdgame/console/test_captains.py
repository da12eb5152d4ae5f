"""A captain is appointed by an action, takes effect from the next turn, and breaks ties."""

import pytest

from games.models import Team
from tests.voting.action_helpers import done_by, refused, words_of
from tests.voting.match_helpers import new_event, only_turn, play_turn, start, tally_of
from tests.voting.sample_matches import record_of
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.voter_codes import derive_voter_code
from voting.records.recount import find_faults
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
TIED = [5, 1, 1, 5]


def captains(event_id: int) -> list[str]:
    return list(Team.objects.filter(event=event_id).order_by("number").values_list("captain", flat=True))


def test_captain_is_appointed_and_removed(box: BallotBox) -> None:
    event, voter_code = new_event(tie_rule="captain"), derive_voter_code("red1")
    assert load_snapshot(event).captains
    text = words_of(event.pk, "voter.captain", box, voter_code=voter_code, team=1)
    assert text == f"made {voter_code} captain of Rooks (code not on any list)"
    assert captains(event.pk) == [voter_code, ""]
    assert [team.captain for team in load_snapshot(event).teams] == [voter_code, ""]
    with refused("Already done."):
        words_of(event.pk, "voter.captain", box, voter_code=voter_code, team=1)
    words_of(event.pk, "voter.captain", box, voter_code=voter_code, team=2)
    assert captains(event.pk) == ["", voter_code], "nobody is captain of both"
    assert (
        words_of(event.pk, "voter.captain", box, voter_code=voter_code)
        == f"removed {voter_code} as captain of Doves"
    )
    assert captains(event.pk) == ["", ""]
    with refused("Already done."):
        words_of(event.pk, "voter.captain", box, voter_code=voter_code)
    with refused("Enter the voter code"):
        words_of(event.pk, "voter.captain", box, voter_code="nonsense", team=1)


def test_captain_undo_restores_previous_captain(box: BallotBox) -> None:
    event, first, second = new_event(), derive_voter_code("red1"), derive_voter_code("red2")
    words_of(event.pk, "voter.captain", box, voter_code=first, team=1)
    done = done_by(event.pk, "voter.captain", box, voter_code=second, team=1)
    assert done.undo is not None
    words_of(event.pk, "voter.captain", box, voter_code=done.undo.voter_code, team=done.undo.team)
    assert captains(event.pk) == [first, ""]


def test_captain_breaks_ties_from_next_turn_on(box: BallotBox) -> None:
    turn = start(box, tie_rule="captain")
    event_id = turn.match.event_id
    words_of(event_id, "voter.captain", box, voter_code=derive_voter_code("red1"), team=1)
    play_turn(turn, box, red=TIED, yellow=[4])
    tally = tally_of(turn, "red")
    assert (tally.decided_by, tally.captain) == ("lot", None), "nobody was captain when it was planned"
    turn = only_turn(turn.match)
    play_turn(turn, box, red=TIED, yellow=[4])
    tally = tally_of(turn, "red")
    assert (tally.pick, tally.decided_by, tally.captain) == (5, "captain", 0)
    assert find_faults(record_of(turn.match)) == []


def test_captain_has_no_effect_without_captain_tie_rule(box: BallotBox) -> None:
    event = new_event(tie_rule="lot")
    words_of(event.pk, "voter.captain", box, voter_code=derive_voter_code("red1"), team=1)
    turn = only_turn(start_match(event.pk, box))
    play_turn(turn, box, red=TIED, yellow=[4])
    tally = tally_of(turn, "red")
    assert (tally.decided_by, tally.captain) == ("lot", None)

"""Draw offers of crowds: who offers, who accepts, and when an offer lapses."""

from typing import Any

import pytest

from tests.voting.action_helpers import event_of, press
from tests.voting.event_states import last_announced, shown
from tests.voting.match_helpers import SELECTOR, new_event, only_turn, play_turn, start, store, tally_of
from tests.voting.sample_matches import MATCHES, play_match
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import DRAW, RESIGN, Ballot
from voting.matches import create_match
from voting.models import Match, Turn
from voting.positions import end_reason, load_position
from voting.terms import BOT, HANDS, EndReason

pytestmark = pytest.mark.django_db


def offer_in(turn: Turn) -> Any:
    """The side whose offer stands, the same in the last announcement and in a fresh snapshot."""
    state = last_announced(event_of(turn))
    assert state == shown(event_of(turn))
    match: Any = state.match
    return match.turn.draw_offered_by


@pytest.mark.parametrize(
    ("name", "offers", "result"),
    [
        ("draw accepted", ["", "", "red", "red"], "draw"),
        ("draw offered by both", [""], "draw"),
        ("draw offers lapsed", ["", "red", "", "yellow", ""], None),
        ("won despite offers", ["", "", "", ""], "red"),
        ("draw alternating", ["", "yellow"], "draw"),
        ("draw concealed", ["", "", "red", "red"], "draw"),
        ("draw in both halves", ["", ""], "draw"),
        ("draw accepted in secret", ["", "", "yellow"], "draw"),
    ],
)
def test_majority_agrees_to_draw(name: str, offers: list[str], result: str | None, box: BallotBox) -> None:
    match = play_match(box, *MATCHES[name])
    turns = match.turns.order_by("number")
    assert list(turns.values_list("draw_offered_by", flat=True)) == offers
    assert match.result == result
    assert (match.ended_by == "agreed") is (result == "draw")
    assert (end_reason(match, load_position(match)) == EndReason.AGREED) is (result == "draw")


def test_offer_is_public_and_logged_until_answered(box: BallotBox, caplog: pytest.LogCaptureFixture) -> None:
    first = play_turn(start(box, draw_offers=True), box, red=[DRAW + 1, DRAW + 2, 3], yellow=[DRAW + 4, 4])
    assert (tally_of(first, "red").draw_votes, tally_of(first, "yellow").draw_votes) == (2, 1)
    assert (first.red_pick, offer_in(first)) == (1, "red")
    assert "a draw offer of red stands" in caplog.text
    caplog.clear()
    play_turn(only_turn(first.match), box, red=[1], yellow=[2])
    assert offer_in(first) is None
    assert "draw offer" not in caplog.text
    press(event_of(first), "turn.void", box)
    assert offer_in(first) == "red", "the answer is taken back"
    press(event_of(first), "turn.void", box)
    assert offer_in(first) is None, "the offer itself is taken back"
    half = play_turn(start(box, game=SELECTOR, draw_offers=True), box, red=[DRAW + 4])
    assert offer_in(half) is None, "not before its reveal"
    assert "draw offer" not in caplog.text
    play_turn(only_turn(half.match), box, yellow=[2])
    assert offer_in(half) == "red"


def test_offers_need_two_crowds_with_phones_and_public_sides() -> None:
    assert create_match(new_event(draw_offers=True), now=5).draw_offers
    for terms in ({"fixed_players": True}, {"max_side_changes": 1}):
        assert not create_match(new_event(draw_offers=True, **terms), now=5).draw_offers
    for source in (HANDS, f"{BOT}:3"):
        event = new_event(draw_offers=True)
        event.teams.filter(number=2).update(source=source)
        assert not create_match(event, now=5).draw_offers


def test_resignation_takes_precedence_over_an_accepted_draw(box: BallotBox) -> None:
    first = play_turn(start(box, draw_offers=True, resign="half"), box, red=[DRAW + 1], yellow=[4])
    play_turn(only_turn(first.match), box, red=[RESIGN + 1], yellow=[DRAW + 4])
    match = Match.objects.get(pk=first.match_id)
    assert (match.result, match.ended_by) == ("yellow", "resign")


def test_stored_ballot_keeps_its_request(box: BallotBox) -> None:
    turn = start(box, draw_offers=True)
    store(turn, [Ballot("ada", "red", DRAW + 3, 1), Ballot("bob", "yellow", DRAW + 4, 1)])
    assert play_turn(turn, box).match_id
    assert Match.objects.get(pk=turn.match_id).ended_by == "agreed"

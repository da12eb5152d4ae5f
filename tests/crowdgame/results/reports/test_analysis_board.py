"""What the analysis board of a match loads, and when it opens."""

from typing import Any

import pytest
from django.test import Client

from tests.crowdgame.results.analysis.analysis_helpers import TOKEN, begin
from tests.voting.match_helpers import RED_WINS, only_turn, play, play_turn
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match, Team
from voting.terms import AnalysisTime
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


def load(client: Client, match: Match, status: int = 200) -> Any:
    page = f"/report/{match.event.code}/{match.number}"
    answers = [client.get(f"{page}/{name}") for name in ("board", "board.json", "live.json")]
    assert {answer.status_code for answer in answers} == {status}
    return answers[1].json() | answers[2].json() if status == 200 else None


def has_link(client: Client, match: Match) -> bool:
    return "/board#turn-1" in client.get(f"/report/{match.event.code}/{match.number}").content.decode()


def test_board_opens_after_the_match_and_names_the_live_position(client: Client, box: BallotBox) -> None:
    match = begin(box, analysis=AnalysisTime.TURN)
    play_turn(only_turn(match), box, [1], [2])
    load(client, match, 404)
    assert not has_link(client, match)
    play(match, box, RED_WINS[1:])
    match.refresh_from_db()
    loaded = load(client, match)
    assert loaded["turns"] == [[1, 2], *(list(picks) for picks in RED_WINS[1:])]
    assert (loaded["options"]["token"], loaded["options"]["tie"], loaded["live"]) == ("red", "holder", None)
    assert loaded["colors"] == {"red": "", "yellow": ""}
    Team.objects.filter(pk=match.red_id).update(color="#123456")
    assert load(client, match)["colors"] == {"red": "#123456", "yellow": ""}
    assert has_link(client, match)
    later = start_match(match.event_id, box)
    load(client, later, 404)
    assert load(client, match)["live"] == {"columns": 7, "red": "0", "yellow": "0"}
    play_turn(only_turn(later), box, [1], [2])
    assert load(client, match)["live"] == {"columns": 7, "red": "1", "yellow": "80"}
    for ends_at, is_over in ((1, False), (None, False)):
        Event.objects.update(ends_at=ends_at)
        assert load(client, match)["is_over"] is is_over, "the vote is still open"
    play(later, box, RED_WINS[1:])
    for ends_at, is_over in ((1, True), (2**50, False), (None, False)):
        Event.objects.update(ends_at=ends_at)
        assert load(client, match)["is_over"] is is_over


@pytest.mark.parametrize("choices", [{"analysis": "off"}, {"game": "trails", "options": {}}])
def test_board_stays_closed(client: Client, box: BallotBox, choices: dict[str, Any]) -> None:
    match = begin(box, **TOKEN | choices)
    match.turns.all().delete()
    Match.objects.update(state="aborted", ended_at=1)
    match.refresh_from_db()
    load(client, match, 404)
    assert not has_link(client, match)

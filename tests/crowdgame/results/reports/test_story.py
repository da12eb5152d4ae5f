"""`/follow/CODE`: what happened so far, with the deadline of the open vote."""

import re

import pytest
from django.test import Client

from tests.voting.match_helpers import (
    RED_WINS,
    new_event,
    only_turn,
    open_now,
    play,
    play_out,
    play_turn,
    vote,
)
from tests.voting.sample_matches import MATCHES, play_match
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
VERSION = re.compile(r'data-current="([^"]+)"')


def page(event: Event, language: str = "en") -> str:
    answer = Client().get(f"/follow/{event.code}", headers={"accept-language": language})
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "public, max-age=10")
    assert not answer.cookies
    return answer.content.decode()


@pytest.fixture
def match(box: BallotBox) -> Match:
    return start_match(new_event(window_s=24 * 3600).pk, box)


def test_story_lists_resolved_turns_latest_first_with_deadline(match: Match, box: BallotBox) -> None:
    for _ in range(2):
        play_turn(only_turn(match), box, red=[3], yellow=[5])
    shown = page(match.event)
    assert re.findall(r'<li value="(\d)">', shown) == ["2", "1"]
    assert "Turn 3: vote before" in shown
    assert f"/board/{match.event.code}/1/2.svg" in shown
    assert f'href="/{match.event.code}"' in shown
    assert "Züge" in page(match.event, "de")


def test_story_changes_with_turns_and_plans_not_with_ballots(match: Match, box: BallotBox) -> None:
    turn = only_turn(match)
    open_now(turn, box)
    before = page(match.event)
    vote(turn, box, red=[3, 3], yellow=[5])
    assert page(match.event) == before
    play_out(turn, box)
    played = page(match.event)
    Event.objects.update(next_match_at=box.now())
    versions = {tuple(VERSION.findall(shown)) for shown in (before, played, page(match.event))}
    assert [len(one) for one in versions] == [1, 1, 1]


def test_story_names_majorities_for_a_draw(box: BallotBox) -> None:
    shown = page(play_match(box, *MATCHES["draw accepted"]).event)
    assert "Both agreed to a draw after 4 turns." in shown
    assert re.findall(r"\d of \d voters? from \w+ asked for a draw", shown) == [
        "2 of 3 voters from Doves asked for a draw",
        "2 of 3 voters from Rooks asked for a draw",
        "1 of 1 voter from Rooks asked for a draw",
    ], "half of the votes isn't a majority"


def test_cached_story_shows_no_message_of_its_reader(match: Match, client: Client) -> None:
    client.post("/play/new")
    client.post("/play/mail/delete")  # leaves a message for the next page
    assert "Address deleted" not in client.get(f"/follow/{match.event.code}").content.decode()
    assert "Address deleted" in client.get("/play/account").content.decode()


def test_story_before_and_after_match(box: BallotBox) -> None:
    event = new_event()
    Event.objects.update(next_match_at=1_900_000_000_000, ends_at=1_900_100_000_000)
    early = page(event)
    assert "No match yet" in early
    assert early.count("data-moment") == 2
    assert "vote before" not in early
    match = start_match(event.pk, box)
    play(match, box, RED_WINS)
    late = page(event)
    assert "Rooks won" in late
    assert "vote before" not in late
    assert Client().get("/follow/NOPE").status_code == 404

"""Nothing that the server sends before the end reveals who changed sides."""

import re
from typing import Any

import msgspec
import pytest
from django.db import transaction
from django.test import Client
from redis import Redis

from games.models import Event
from tests.voting.announcements.test_turn_secrecy import StillBox, turnout
from tests.voting.event_states import shown
from tests.voting.match_helpers import new_event, only_turn, organizer, store
from tests.voting.turns.secret_side_helpers import play_with, request_side_changes
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import Ballot
from voting.models import Announcement
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db

# The majorities are so clear that no side change affects a pick.
RED, YELLOW = [1] * 8 + [4], [4] * 8 + [1]
RUNS = [("red1", "yellow1"), ("red9", "red8"), ("yellow1", "yellow2"), ("red2", "red3")]


def two_turns(event: Event, box: BallotBox, who: tuple[str, ...], browsers: list[Client]) -> tuple[Any, Any]:
    """Every byte that the server sends until the second reveal, and the tallies."""
    match = start_match(event.pk, box)
    first = play_with(only_turn(match), box, RED, YELLOW)
    store(first, [Ballot(f"stays-{who[0]}", "red", 1, 1)])
    turn = only_turn(match)
    assert request_side_changes(turn, box, *who) == ["changed"] * len(who)
    play_with(turn, box, RED, YELLOW)
    pages = [
        f"/record/{event.code}/1.json", f"/report/{event.code}/1", f"/report/{event.code}/1.csv",
        "/admin/voting/tallyrecord/", "/admin/voting/storedballot/", "/admin/games/turn/?tallies__ballots=7",
        "/admin/games/match/?changes_of_side__side=red",
    ]  # fmt: skip
    asked = [
        (page, answer.status_code, plain(answer.content))
        for browser in browsers
        for page in pages
        for answer in [browser.get(page)]
    ]
    rows = Announcement.objects.filter(event=event).order_by("seq")
    announced = [plain(bytes(row.body)) for row in rows]
    sides = [tally.counts for tally in turn.tallies.order_by("side")]
    return (turnout(event.pk, turn.pk), plain(msgspec.json.encode(shown(event.pk))), announced, asked), sides


def plain(body: bytes) -> bytes:
    """The body without times, random values (lots, seeds, commitments) and page tokens."""
    body = re.sub(rb'[0-9a-f]{32,64}|\d{13}|aria-label="From \d+ s.*?</svg>', b"0", body)
    return re.sub(rb'(csrf\w*" value=|nonce=|csrfToken": )"[^"]*"', b"", body)


def test_server_output_hides_who_changed_sides(box: BallotBox, valkey_url: str, client: Client) -> None:
    staff_user = organizer("boss")
    staff_user.is_staff = staff_user.is_superuser = True
    staff_user.save()
    staff = Client()
    staff.force_login(staff_user)
    event, still = new_event(max_side_changes=1, peek=True, own_counts=True), StillBox()
    seen, tallies = [], []
    for who in RUNS:
        with Redis.from_url(valkey_url) as redis:
            redis.flushall()
        with transaction.atomic():
            outside, sides = two_turns(event, still, who, [client, staff])
            transaction.set_rollback(True)
        seen.append(outside)
        tallies.append(sides)
    still.close()
    assert len({str(sides) for sides in tallies}) == len(RUNS)
    for outside in seen:
        assert outside == seen[0]
    state = msgspec.json.decode(seen[0][1])
    assert (state["peek"], state["own_counts"], state["match"]["sides"]) == (False, False, None)
    assert state["match"]["reveal"]["seed"] is None  # the seed would reveal a pick that was drawn
    assert state["match"]["reveal"]["red"] == {
        "counts": [], "ballots": 0, "pick": 1, "decided_by": None, "root": None, "rounds": None,
        "resigning": 0,
    }  # fmt: skip
    assert seen[0][3][0][1] == 403

"""Restrictions: one row per voter code, and each can be undone."""

from typing import Any

import pytest

from crowdgame.console.actions.people import MAX_RESTRICTIONS
from games.models import Team
from tests.voting.action_helpers import done_by, refused, words_of
from tests.voting.match_helpers import new_event
from voting.admission.restrictions import Restriction, load_restrictions
from voting.admission.tickets import make_tickets
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.voter_codes import derive_voter_code
from voting.models import StoredRestriction

pytestmark = pytest.mark.django_db
VOTER_CODE = "BCDFGH"


def restriction(event_id: int) -> Restriction:
    return load_restrictions([event_id])[event_id].get(VOTER_CODE, Restriction())


def test_restrictions_are_described_without_names(box: BallotBox) -> None:
    event = new_event()
    (ticket,) = make_tickets(event, 1)
    voter_code = derive_voter_code(ticket.voter)
    for action, more, words in [
        ("voter.move", {"team": 2}, "moved {} to Doves"),
        ("voter.move", {}, "moved {} back"),
        ("voter.kick", {}, "removed {}"),
        ("voter.ban", {}, "banned {}"),
        ("voter.admit", {}, "unbanned {}"),
    ]:
        typed = f"{voter_code[:3]} {voter_code[3:]}".lower()
        text = words_of(event.pk, action, box, voter_code=typed, **more)
        assert text == words.format(voter_code)
    assert StoredRestriction.objects.count() == 1


@pytest.mark.parametrize(
    ("action", "more"), [("voter.move", {"team": 2}), ("voter.kick", {}), ("voter.ban", {})]
)
def test_restriction_of_unknown_code_says_so(action: Any, more: dict[str, Any], box: BallotBox) -> None:
    make_tickets(new_event(), 3)
    event = new_event()
    make_tickets(event, 3)
    text = words_of(event.pk, action, box, voter_code=VOTER_CODE, **more)
    assert text.endswith(" (code not on any list)")


def test_moved_voter_is_still_moved_after_ban_and_admit(box: BallotBox) -> None:
    event = new_event()
    done_by(event.pk, "voter.move", box, voter_code=VOTER_CODE, team=2)
    done_by(event.pk, "voter.ban", box, voter_code=VOTER_CODE)
    assert (restriction(event.pk).team, restriction(event.pk).banned) == (2, True)
    done_by(event.pk, "voter.admit", box, voter_code=VOTER_CODE)
    assert (restriction(event.pk).team, restriction(event.pk).banned) == (2, False)


@pytest.mark.parametrize(
    ("before", "action", "more"),
    [
        ([], "voter.move", {"team": 1}),
        ([("voter.move", {"team": 1})], "voter.move", {"team": 2}),
        ([("voter.move", {"team": 1})], "voter.move", {}),
        ([], "voter.ban", {}),
        ([("voter.move", {"team": 1})], "voter.ban", {}),
        ([("voter.ban", {})], "voter.admit", {}),
    ],
)
def test_restriction_undo_restores_previous_state(
    before: list[tuple[Any, dict[str, Any]]], action: Any, more: dict[str, Any], box: BallotBox
) -> None:
    event = new_event()
    for earlier, with_what in before:
        done_by(event.pk, earlier, box, voter_code=VOTER_CODE, **with_what)
    previous = restriction(event.pk)
    done = done_by(event.pk, action, box, voter_code=VOTER_CODE, **more)
    assert restriction(event.pk) != previous
    assert done.undo is not None
    assert (done.pressed.action, done.pressed.voter_code, done.pressed.team) == (
        action,
        VOTER_CODE,
        more.get("team"),
    )
    done_by(event.pk, done.undo.action, box, voter_code=done.undo.voter_code, team=done.undo.team)
    assert restriction(event.pk) == previous


def test_kick_has_no_undo(box: BallotBox) -> None:
    """The phone rejoins by itself."""
    event = new_event()
    assert done_by(event.pk, "voter.kick", box, voter_code=VOTER_CODE).undo is None
    first = restriction(event.pk).kicked_at
    while box.now() == first:
        pass
    done_by(event.pk, "voter.kick", box, voter_code=VOTER_CODE)
    assert restriction(event.pk).kicked_at > first > 0


def test_invalid_restriction_is_refused(box: BallotBox) -> None:
    event = new_event()
    for voter_code in (None, "", "ANNA", "BCDFGHJ"):
        with refused("six letters"):
            done_by(event.pk, "voter.ban", box, voter_code=voter_code)
    for action in ("voter.move", "voter.admit"):
        with refused("Already done"):
            done_by(event.pk, action, box, voter_code=VOTER_CODE)
    Team.objects.filter(event=event, number=2).update(hands=True)
    with refused("has no phones"):
        done_by(event.pk, "voter.move", box, voter_code=VOTER_CODE, team=2)
    assert not StoredRestriction.objects.exists()
    StoredRestriction.objects.bulk_create(
        StoredRestriction(event=event, voter_code=f"{number:06}", banned=True, at=1)
        for number in range(MAX_RESTRICTIONS)
    )
    with refused("At most 500"):
        done_by(event.pk, "voter.ban", box, voter_code=VOTER_CODE)


def test_restrictions_apply_to_one_event(box: BallotBox) -> None:
    event, other = new_event(), new_event()
    done_by(event.pk, "voter.ban", box, voter_code=VOTER_CODE)
    assert load_restrictions([event.pk, other.pk]) == {
        event.pk: {VOTER_CODE: Restriction(banned=True)},
        other.pk: {},
    }

"""What an organizer rules about people is kept a row a sign, and each of it can be taken back."""

from typing import Any

import pytest

from crowdgame.console.people import MOST_RULINGS
from games.models import Team
from tests.voting.playing import new_event
from tests.voting.pressing import done_by, refused, words_of
from voting.admission.restrictions import Rule, rules_of
from voting.admission.seats import sign_of
from voting.admission.tickets import make_tickets
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Ruling

pytestmark = pytest.mark.django_db
SIGN = "BCDFGH"


def rule(event_id: int) -> Rule:
    return rules_of([event_id])[event_id].get(SIGN, Rule())


def test_each_is_said_in_words_that_name_nobody(box: BallotBox) -> None:
    event = new_event()
    (ticket,) = make_tickets(event, 1)
    sign = sign_of(ticket.voter)
    for action, more, words in [
        ("voter.move", {"team": 2}, "moved {} to Doves"),
        ("voter.move", {}, "moved {} back"),
        ("voter.dismiss", {}, "sent {} out"),
        ("voter.ban", {}, "kept {} out"),
        ("voter.admit", {}, "let {} in again"),
    ]:
        told = words_of(event.pk, action, box, sign=f"{sign[:3]} {sign[3:]}".lower(), **more)  # type: ignore[arg-type]
        assert told == words.format(sign)
    assert Ruling.objects.count() == 1


@pytest.mark.parametrize(
    ("action", "more"), [("voter.move", {"team": 2}), ("voter.dismiss", {}), ("voter.ban", {})]
)
def test_of_letters_that_no_list_knows_nobody_claims_that_they_are_somebodys(
    action: Any, more: dict[str, Any], box: BallotBox
) -> None:
    make_tickets(new_event(), 3)
    event = new_event()
    make_tickets(event, 3)
    told = words_of(event.pk, action, box, sign=SIGN, **more)
    assert told.endswith(", if anybody here has that sign")


def test_who_is_moved_and_kept_out_is_still_moved_when_let_in_again(box: BallotBox) -> None:
    event = new_event()
    done_by(event.pk, "voter.move", box, sign=SIGN, team=2)
    done_by(event.pk, "voter.ban", box, sign=SIGN)
    assert (rule(event.pk).team, rule(event.pk).kept_out) == (2, True)
    done_by(event.pk, "voter.admit", box, sign=SIGN)
    assert (rule(event.pk).team, rule(event.pk).kept_out) == (2, False)


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
def test_its_undo_brings_back_what_was(
    before: list[tuple[Any, dict[str, Any]]], action: Any, more: dict[str, Any], box: BallotBox
) -> None:
    event = new_event()
    for earlier, with_what in before:
        done_by(event.pk, earlier, box, sign=SIGN, **with_what)
    was = rule(event.pk)
    done = done_by(event.pk, action, box, sign=SIGN, **more)
    assert rule(event.pk) != was
    assert done.undo is not None
    assert (done.pressed.action, done.pressed.sign, done.pressed.team) == (action, SIGN, more.get("team"))
    done_by(event.pk, done.undo.action, box, sign=done.undo.sign, team=done.undo.team)
    assert rule(event.pk) == was


def test_sending_out_is_not_taken_back(box: BallotBox) -> None:
    """The phone comes in again by itself."""
    event = new_event()
    assert done_by(event.pk, "voter.dismiss", box, sign=SIGN).undo is None
    first = rule(event.pk).sent_out_at
    while box.now() == first:
        pass
    done_by(event.pk, "voter.dismiss", box, sign=SIGN)
    assert rule(event.pk).sent_out_at > first > 0


def test_what_cannot_be_done_is_refused(box: BallotBox) -> None:
    event = new_event()
    for sign in (None, "", "ANNA", "BCDFGHJ"):
        with refused("six letters"):
            done_by(event.pk, "voter.ban", box, sign=sign)
    for action in ("voter.move", "voter.admit"):
        with refused("so already"):
            done_by(event.pk, action, box, sign=SIGN)
    Team.objects.filter(event=event, number=2).update(hands=True)
    with refused("takes no phones"):
        done_by(event.pk, "voter.move", box, sign=SIGN, team=2)
    assert not Ruling.objects.exists()
    Ruling.objects.bulk_create(
        Ruling(event=event, sign=f"{number:06}", kept_out=True, at=1) for number in range(MOST_RULINGS)
    )
    with refused("at most 500"):
        done_by(event.pk, "voter.ban", box, sign=SIGN)


def test_an_event_rules_for_itself(box: BallotBox) -> None:
    event, other = new_event(), new_event()
    done_by(event.pk, "voter.ban", box, sign=SIGN)
    assert rules_of([event.pk, other.pk]) == {event.pk: {SIGN: Rule(kept_out=True)}, other.pk: {}}

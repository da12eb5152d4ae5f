"""Notices to all, and parts hidden from the display."""

import pytest

from games.models import NOTICE_LENGTH, Event
from tests.voting.action_helpers import press, refused, words_of
from tests.voting.match_helpers import kinds, new_event
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox

pytestmark = pytest.mark.django_db


def test_notice_is_shown_until_cleared(box: BallotBox) -> None:
    event = new_event()
    assert words_of(event.pk, "notice.show", box, text="Back at eight") == "wrote: Back at eight"
    assert load_snapshot(Event.objects.get(pk=event.pk)).notice == "Back at eight"
    press(event.pk, "notice.show", box, text="We go on")
    assert load_snapshot(Event.objects.get(pk=event.pk)).notice == "We go on"
    press(event.pk, "notice.clear", box)
    assert load_snapshot(Event.objects.get(pk=event.pk)).notice == ""
    assert kinds(event.pk) == ["event.edited"] * 3


def test_notice_is_cleaned_to_one_visible_line(box: BallotBox) -> None:
    event = new_event()
    press(event.pk, "notice.show", box, text="  Lunch\n\tis \u202eready\u200b\u2066 ")
    assert Event.objects.get(pk=event.pk).notice == "Lunch is ready"


@pytest.mark.parametrize("text", [None, "", " \n", "\u200b\u202e"])
def test_empty_notice_is_refused(text: str | None, box: BallotBox) -> None:
    event = new_event()
    with refused("nothing to show"):
        press(event.pk, "notice.show", box, text=text)


def test_notice_length_is_limited(box: BallotBox) -> None:
    event = new_event()
    press(event.pk, "notice.show", box, text="x" * NOTICE_LENGTH)
    with refused("140 characters"):
        press(event.pk, "notice.show", box, text="x" * (NOTICE_LENGTH + 1))
    with refused("140 characters"):  # this character grows when normalized
        press(event.pk, "notice.show", box, text="\u0958" * NOTICE_LENGTH)


def test_repeated_notice_or_part_action_is_refused(box: BallotBox) -> None:
    event = new_event()
    with refused("No message is shown"):
        press(event.pk, "notice.clear", box)
    press(event.pk, "notice.show", box, text="We go on")
    press(event.pk, "part.hide", box, part="turnout")
    with refused("Already done"):
        press(event.pk, "notice.show", box, text="We go on")
    with refused("Already done"):
        press(event.pk, "part.hide", box, part="turnout")
    with refused("Already done"):
        press(event.pk, "part.show", box, part="code")


def test_display_parts_are_hidden_and_shown_separately(box: BallotBox) -> None:
    event = new_event()
    assert words_of(event.pk, "part.hide", box, part="code") == "hid the join code"
    press(event.pk, "part.hide", box, part="tally")
    assert load_snapshot(Event.objects.get(pk=event.pk)).hidden == ("code", "tally")
    assert words_of(event.pk, "part.show", box, part="code") == "showed the join code"
    press(event.pk, "part.hide", box, part="turnout")
    assert load_snapshot(Event.objects.get(pk=event.pk)).hidden == ("turnout", "tally")
    assert kinds(event.pk) == ["event.edited"] * 4


def test_hiding_and_showing_require_a_part(box: BallotBox) -> None:
    event = new_event()
    with refused("Choose a part"):
        press(event.pk, "part.hide", box)
    with refused("Choose a part"):
        press(event.pk, "part.show", box)


def test_notice_affects_only_its_own_event(box: BallotBox) -> None:
    mine, other = new_event(), new_event()
    press(mine.pk, "notice.show", box, text="Ours")
    press(mine.pk, "part.hide", box, part="code")
    after = Event.objects.get(pk=other.pk)
    assert (after.notice, after.hide_code, after.seq) == ("", False, 0)

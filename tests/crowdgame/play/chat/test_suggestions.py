"""Suggestions of a team: who may write and read them, their limits, support and removal."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from crowdgame.play.chat import suggestions as module
from crowdgame.play.chat.models import ChatRoom, Mark, MarkKind, Suggestion
from crowdgame.play.chat.retention import purge_chat
from crowdgame.play.chat.rooms import RoomUpdate, update_since
from crowdgame.play.chat.suggestions import VoterAsk, answer_voters, remove_suggestion
from tests.voting.match_helpers import RED_WINS, open_now, play, run_out, start
from voting.admission.seats import Seat
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.voter_codes import derive_voter_code
from voting.models import Event, Nickname, StoredRestriction, Team, Turn
from voting.protocol import DiscussionUpdated, SuggestionAnswered, SuggestionMark, SuggestionSend
from voting.terms import HANDS

pytestmark = pytest.mark.django_db
RED, YELLOW = 1, 2


@pytest.fixture
def turn(box: BallotBox) -> Turn:
    return start(box, team_discussion=True)


def seat(turn: Turn, voter: str = "ann", team: int = RED) -> Seat:
    return Seat(turn.match.event_id, voter, team)


def ask(who: Seat, asked: SuggestionSend | SuggestionMark | None, now: int = 0) -> SuggestionAnswered | None:
    (answer,) = answer_voters([VoterAsk(who, asked)], now)
    return answer.message if answer else None


def load_team_update(who: Seat) -> RoomUpdate | None:
    """What the voter's socket receives after the join; None without access."""
    (answer,) = answer_voters([VoterAsk(who)], 0)
    return update_since(answer.room, 0) if answer else None


def send(who: Seat, text: str = "Block them", choice: int | None = None, now: int = 0) -> str:
    """Return why it was refused, or an empty string."""
    answer = ask(who, SuggestionSend(text, choice), now)
    assert answer
    return answer.problem


def mark(who: Seat, suggestion: int, kind: Any = "agree") -> tuple[int, ...]:
    """Return the suggestions that the voter agrees with."""
    answer = ask(who, SuggestionMark(suggestion, kind))
    assert answer
    return answer.agreed


def read(who: Seat) -> list[tuple[str, int]] | None:
    """The texts that the voter sees, with their support; None without access."""
    update = load_team_update(who)
    if update is None or not update.may_read(who):
        return None
    assert isinstance(update.message, DiscussionUpdated)
    return [(one.text, one.agreed) for one in update.message.suggestions]


def restrict(who: Seat, **change: Any) -> None:
    StoredRestriction.objects.create(
        event_id=who.event_id, voter_code=derive_voter_code(who.voter), at=1, **change
    )


def add(turn: Turn, count: int, agreed: int = 0, **fields: Any) -> list[Suggestion]:
    """Store suggestions of other voters of the red team."""
    ask(seat(turn), None)
    room = turn.match.event.chat_rooms.get(team=RED)
    return Suggestion.objects.bulk_create(
        Suggestion(
            room=room,
            turn=turn,
            voter_code="BCDFGH",
            text=f"number {n}",
            agreed=agreed,
            at=timezone.now(),
            **fields,
        )
        for n in range(count)
    )


def test_suggestion_is_read_by_own_team_only(turn: Turn) -> None:
    assert send(seat(turn), "Block\u202e them", 4) == ""
    assert read(seat(turn, "bob")) == [("Block them", 0)]
    assert read(seat(turn, "eve", YELLOW)) == []
    own = load_team_update(seat(turn))
    assert own
    assert not own.may_read(seat(turn, "eve", YELLOW))
    assert not own.may_read(Seat(turn.match.event_id + 1, "ann", RED)), "the same voter id in another event"
    for guest in (None, 1):
        assert not own.may_read(guest)


def test_moved_voter_reads_and_writes_with_new_team_only(turn: Turn) -> None:
    send(seat(turn), "Block them")
    restrict(seat(turn), team=YELLOW)
    assert read(seat(turn)) == []
    assert send(seat(turn), "I came over") == ""
    assert read(seat(turn, "eve", YELLOW)) == [("I came over", 0)]
    assert read(seat(turn, "bob")) == [("Block them", 0)]
    assert mark(seat(turn), Suggestion.objects.get(text="Block them").pk) == ()


def test_voter_of_only_team_with_phones_is_in_it(turn: Turn) -> None:
    Team.objects.filter(event=turn.match.event, number=RED).update(source=HANDS)
    send(seat(turn, team=RED))
    assert read(seat(turn, "eve", YELLOW)) == [("Block them", 0)]


def test_banned_voter_neither_reads_nor_writes(turn: Turn) -> None:
    send(seat(turn))
    restrict(seat(turn), banned=True)
    assert read(seat(turn)) is None
    assert ask(seat(turn), SuggestionSend("Again")) is None
    assert read(seat(turn, "bob")) == [("Block them", 0)]


def test_muted_voter_reads_and_agrees_but_does_not_write(turn: Turn) -> None:
    restrict(seat(turn), muted=True)
    assert send(seat(turn)) == "An organizer has muted you."
    (one,) = add(turn, 1)
    assert mark(seat(turn), one.pk) == (one.pk,)
    assert send(seat(turn, "bob")) == ""


@pytest.mark.parametrize("match_terms", [{}, {"max_side_changes": 1}])
def test_discussion_that_is_off_has_no_readers(match_terms: dict[str, int], turn: Turn) -> None:
    send(seat(turn))
    if match_terms:
        type(turn.match).objects.update(**match_terms)
    else:
        Event.objects.update(team_discussion=False)
    assert read(seat(turn)) is None
    assert ask(seat(turn), SuggestionSend("Again")) is None
    assert Suggestion.objects.count() == 1


def test_suggestion_needs_open_turn_and_leaves_with_it(turn: Turn, box: BallotBox) -> None:
    assert send(seat(turn), "before the window") == ""
    open_now(turn, box)
    assert send(seat(turn, "bob"), "during the vote", now=box.now()) == ""
    run_out(turn, box)
    assert send(seat(turn, "cat"), now=box.now()) == "No vote is open or about to open."
    play(turn.match, box, RED_WINS[:1])
    assert read(seat(turn)) == [], "a new turn"
    play(turn.match, box, RED_WINS[1:])
    assert send(seat(turn)) == "No vote is open or about to open."
    assert read(seat(turn)) == []


def test_suggestion_names_a_legal_column(turn: Turn, box: BallotBox) -> None:
    for choice in (8, 255):
        assert send(seat(turn), choice=choice) == "This column cannot be chosen now."
    assert send(seat(turn), choice=7) == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("\u200b", "This message has no visible text."),
        ("a" * 141, "Your message is too long. The limit is 140 characters."),
        *[
            (f"see {link}", "Suggestions cannot contain links.")
            for link in ("https://a.b", "www.x", "Evil.COM/x", "evil.de")
        ],
        ("a" * 140, ""),
        ("Column 4.Then 5, e.g. there...de", ""),
    ],
)
def test_suggestion_is_short_plain_text_without_links(text: str, problem: str, turn: Turn) -> None:
    assert send(seat(turn), text) == problem


def test_voter_writes_three_suggestions_a_turn_ten_seconds_apart(turn: Turn) -> None:
    assert send(seat(turn), "one") == ""
    assert send(seat(turn), "two") == "Wait 10 seconds between two suggestions."
    assert send(seat(turn, "bob"), "two") == ""
    for text in ("two", "three"):
        Suggestion.objects.update(at=timezone.now() - module.INTERVAL)
        assert send(seat(turn), "ONE!") == "You just posted that message."
        assert send(seat(turn), text) == ""
    Suggestion.objects.update(at=timezone.now() - module.INTERVAL)
    assert send(seat(turn), "four") == "You can write 3 suggestions per turn."


def test_room_takes_limited_number_of_suggestions_a_minute(
    turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_PER_ROOM", 2)
    add(turn, 2)
    assert send(seat(turn)).startswith("Too many messages in this room.")
    assert send(seat(turn, "eve", YELLOW)) == ""
    Suggestion.objects.update(at=timezone.now() - timedelta(minutes=1))
    assert send(seat(turn)) == ""


def test_voter_agrees_once_and_can_take_it_back(turn: Turn) -> None:
    first, second = add(turn, 2)
    for _ in range(2):
        assert mark(seat(turn), second.pk) == (second.pk,)
    mark(seat(turn, "bob"), second.pk)
    assert mark(seat(turn, "eve", YELLOW), second.pk) == ()
    assert read(seat(turn)) == [("number 1", 2), ("number 0", 0)]
    assert mark(seat(turn), second.pk, "withdraw") == ()
    mark(seat(turn), first.pk, "report")
    assert read(seat(turn)) == [("number 1", 1), ("number 0", 0)]
    assert Mark.objects.filter(kind=MarkKind.REPORT).count() == 1


def test_same_mark_again_changes_nothing_for_the_room(turn: Turn) -> None:
    (one,) = add(turn, 1)
    mark(seat(turn), one.pk)
    seq = ChatRoom.objects.get(pk=one.room_id).seq
    mark(seat(turn), one.pk)
    mark(seat(turn, "bob"), one.pk, "withdraw")
    assert ChatRoom.objects.get(pk=one.room_id).seq == seq
    mark(seat(turn), one.pk, "withdraw")
    assert ChatRoom.objects.get(pk=one.room_id).seq == seq + 1


def test_suggestion_may_name_a_large_choice(turn: Turn) -> None:
    (one,) = add(turn, 1, choice=2**40)
    one.refresh_from_db()
    assert one.choice == 2**40


def test_voters_are_answered_together_each_with_their_own(turn: Turn) -> None:
    first, second = add(turn, 2)
    restrict(seat(turn, "mallory"), banned=True)
    asks = [
        VoterAsk(seat(turn), SuggestionMark(first.pk, "agree")),
        VoterAsk(seat(turn, "bob"), SuggestionMark(second.pk, "agree")),
        VoterAsk(seat(turn, "eve", YELLOW), SuggestionSend("Ours")),
        VoterAsk(seat(turn, "mallory"), SuggestionMark(first.pk, "agree")),
        VoterAsk(seat(turn, "cat"), SuggestionSend("No", choice=9)),
    ]
    answers = [
        one and (one.room.team, one.message.agreed, one.message.problem) for one in answer_voters(asks, 0)
    ]
    refusal = "This column cannot be chosen now."
    assert answers == [(1, (first.pk,), ""), (1, (second.pk,), ""), (2, (), ""), None, (1, (), refusal)]
    assert read(seat(turn)) == [("number 0", 1), ("number 1", 1)]
    assert read(seat(turn, "eve", YELLOW)) == [("Ours", 0)]


def test_discussion_lists_most_supported_and_newest(turn: Turn) -> None:
    add(turn, 40, agreed=1)
    add(turn, 25)
    update = load_team_update(seat(turn))
    assert update
    assert isinstance(update.message, DiscussionUpdated)
    assert update.message.total == 65
    shown = [(one.text, one.agreed) for one in update.message.suggestions]
    assert shown == [(f"number {n}", 1) for n in range(30)] + [(f"number {n}", 0) for n in range(5, 25)]


def test_suggestion_shows_allowed_nickname_and_no_voter_code(turn: Turn) -> None:
    for voter, allowed in (("ann", True), ("bob", False)):
        code = derive_voter_code(voter)
        Nickname.objects.create(
            event=turn.match.event, voter_code=code, name=voter, skeleton=voter, allowed=allowed, chosen_at=1
        )
        send(seat(turn, voter), f"by {voter}")
    turn.match.event.nicknames = "typed"
    turn.match.event.save()
    update = load_team_update(seat(turn))
    assert update
    assert isinstance(update.message, DiscussionUpdated)
    assert [one.name for one in update.message.suggestions] == ["ann", ""]
    assert derive_voter_code("ann") not in str(update.message)


def test_removed_suggestion_disappears_for_the_team(turn: Turn) -> None:
    first, _ = add(turn, 2)
    before = load_team_update(seat(turn))
    assert remove_suggestion(first)
    assert not remove_suggestion(first)
    after = load_team_update(seat(turn))
    assert before
    assert after
    assert after.message.seq > before.message.seq
    assert read(seat(turn)) == [("number 1", 0)]
    assert mark(seat(turn), first.pk) == ()


def test_old_suggestions_are_purged(turn: Turn) -> None:
    add(turn, 1)
    Suggestion.objects.update(at=timezone.now() - timedelta(days=31))
    (new,) = add(turn, 1)
    assert list(purge_chat(30))
    assert list(Suggestion.objects.all()) == [new]

import unicodedata
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.play.chat import limits
from crowdgame.play.chat import suggestions as module
from crowdgame.play.chat.limits import Limit, RateLimited, RecentMessage, exceeded_limit, lookback
from crowdgame.play.chat.models import LINE_LENGTH, Mark, MarkKind, Suggestion
from crowdgame.play.chat.posting import clean_message, limit_notice
from crowdgame.play.chat.retention import purge_chat
from crowdgame.play.chat.rooms import ChatError, update_since
from crowdgame.play.chat.suggestions import VoterAsk, answer_voters, remove_suggestion
from tests.voting.match_helpers import RED_WINS, open_now, play, run_out, start
from voting.admission.seats import Seat
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.voter_codes import derive_voter_code
from voting.models import Event, Nickname, StoredRestriction, Team, Turn
from voting.protocol import SuggestionMark, SuggestionSend
from voting.terms import HANDS

pytestmark = pytest.mark.django_db
RED, YELLOW = 1, 2
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def turn(box: BallotBox) -> Turn:
    return start(box, team_discussion=True)


def seat(turn: Turn, voter: str = "ann", team: int = RED) -> Seat:
    return Seat(turn.match.event_id, voter, team)


def ask(who: Seat, asked: SuggestionSend | SuggestionMark | None = None, now: int = 0) -> Any:
    """The answer to the voter; None without access."""
    return answer_voters([VoterAsk(who, asked)], now)[0]


def load_team_update(who: Seat) -> Any:
    """What the voter's socket receives after the join; None without access."""
    answer = ask(who)
    return answer and update_since(answer.room, 0)


def send(who: Seat, text: str = "Block them", choice: int | None = None, now: int = 0) -> Any:
    """Return why it was refused, or an empty string."""
    return ask(who, SuggestionSend(text, choice), now).message.problem


def mark(who: Seat, suggestion: int, kind: Any = "agree") -> Any:
    """Return the suggestions that the voter agrees with."""
    return ask(who, SuggestionMark(suggestion, kind)).message.agreed


def read(who: Seat) -> list[tuple[str, int]] | None:
    """The texts that the voter sees, with their support; None without access."""
    update = load_team_update(who)
    if update is None or not update.may_read(who):
        return None
    return [(one.text, one.agreed) for one in update.message.suggestions]


def restrict(who: Seat, **change: Any) -> None:
    code = derive_voter_code(who.voter)
    StoredRestriction.objects.create(event_id=who.event_id, voter_code=code, at=1, **change)


def add(turn: Turn, count: int, agreed: int = 0, **fields: Any) -> list[Suggestion]:
    ask(seat(turn))
    fields |= {"room": turn.match.event.chat_rooms.get(team=RED), "turn": turn, "agreed": agreed}
    fields |= {"voter_code": "BCDFGH", "at": timezone.now()}
    return Suggestion.objects.bulk_create(Suggestion(text=f"number {n}", **fields) for n in range(count))


def test_suggestion_is_read_by_own_team_only(turn: Turn) -> None:
    assert send(seat(turn), "Block\u202e them", 4) == ""
    assert read(seat(turn, "bob")) == [("Block them", 0)]
    assert read(seat(turn, "eve", YELLOW)) == []
    own = load_team_update(seat(turn))
    same_voter_id_in_another_event, guest = Seat(turn.match.event_id + 1, "ann", RED), 1
    others = (seat(turn, "eve", YELLOW), same_voter_id_in_another_event, guest, None)
    assert not any(own.may_read(other) for other in others)


def test_voter_reads_and_writes_with_the_team_after_a_move_only(turn: Turn) -> None:
    send(seat(turn), "Block them")
    restrict(seat(turn), team=YELLOW)
    assert read(seat(turn)) == []
    assert send(seat(turn), "I came over") == ""
    assert read(seat(turn, "eve", YELLOW)) == [("I came over", 0)]
    assert read(seat(turn, "bob")) == [("Block them", 0)]
    assert mark(seat(turn), Suggestion.objects.get(text="Block them").pk) == ()
    Team.objects.filter(event=turn.match.event, number=RED).update(source=HANDS)
    send(seat(turn, "bob"), "We all have phones")
    assert read(seat(turn, "eve", YELLOW)) == [("I came over", 0), ("We all have phones", 0)]


def test_banned_voter_does_nothing_and_muted_voter_does_not_write(turn: Turn) -> None:
    banned, muted = seat(turn), seat(turn, "eve")
    send(banned)
    restrict(banned, banned=True)
    restrict(muted, muted=True)
    assert read(banned) is None
    assert ask(banned, SuggestionSend("Again")) is None
    assert send(muted) == "An organizer has muted you."
    assert read(muted) == read(seat(turn, "bob")) == [("Block them", 0)]
    one = Suggestion.objects.get().pk
    assert mark(muted, one) == (one,)
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


def test_suggestion_is_short_plain_text_without_links_and_names_a_legal_column(turn: Turn) -> None:
    assert send(seat(turn), "\u200b") == "This message has no visible text."
    assert send(seat(turn), "a" * 141) == "Your message is too long. The limit is 140 characters."
    for link in ("https://a.b", "www.x", "Evil.COM/x", "evil.de"):
        assert send(seat(turn), f"see {link}") == "Suggestions cannot contain links."
    for choice in (8, 255):
        assert send(seat(turn), choice=choice) == "This column cannot be chosen now."
    assert send(seat(turn), "a" * 140, 7) == send(seat(turn, "bob"), "Column 4.Then 5, e.g. there...de") == ""
    add(turn, 1, choice=2**40)
    assert Suggestion.objects.filter(choice=2**40).exists()


def test_suggestions_of_voter_and_room_are_limited(turn: Turn, monkeypatch: pytest.MonkeyPatch) -> None:
    assert send(seat(turn), "one") == ""
    assert send(seat(turn), "two") == "Wait 10 seconds between two suggestions."
    assert send(seat(turn, "bob"), "two") == ""
    for text in ("two", "three"):
        Suggestion.objects.update(at=timezone.now() - module.INTERVAL)
        assert send(seat(turn), "ONE!") == "You just posted that message."
        assert send(seat(turn), text) == ""
    Suggestion.objects.update(at=timezone.now() - module.INTERVAL)
    assert send(seat(turn), "four") == "You can write 3 suggestions per turn."
    monkeypatch.setattr(module, "MAX_PER_ROOM", 4)
    assert send(seat(turn, "cat")).startswith("Too many messages in this room.")
    assert send(seat(turn, "eve", YELLOW)) == ""
    Suggestion.objects.update(at=timezone.now() - timedelta(minutes=1))
    assert send(seat(turn, "cat")) == ""


def test_voter_agrees_once_until_taken_back_or_removed(turn: Turn) -> None:
    first, second = add(turn, 2)
    ann, bob = seat(turn), seat(turn, "bob")
    seqs = []
    for _ in range(2):
        assert mark(ann, second.pk) == (second.pk,)
        mark(bob, first.pk, "withdraw")
        seqs.append(load_team_update(ann).message.seq)
    assert seqs[0] == seqs[1], "the same mark again changes nothing for the room"
    mark(bob, second.pk)
    assert mark(seat(turn, "eve", YELLOW), second.pk) == ()
    assert read(ann) == [("number 1", 2), ("number 0", 0)]
    assert mark(ann, second.pk, "withdraw") == ()
    assert load_team_update(ann).message.seq == seqs[0] + 2
    assert [mark(ann, first.pk, kind) for kind in ("report", "withdraw")] == [(), ()]
    assert read(ann) == [("number 1", 1), ("number 0", 0)]
    assert Mark.objects.filter(kind=MarkKind.REPORT).count() == 1
    before = load_team_update(ann).message.seq
    assert remove_suggestion(first)
    assert not remove_suggestion(first)
    assert load_team_update(ann).message.seq > before
    assert read(ann) == [("number 1", 1)]
    assert mark(ann, first.pk) == ()


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
    answered = answer_voters(asks, 0)
    answers = [one and (one.room.team, one.message.agreed, one.message.problem) for one in answered]
    refusal = "This column cannot be chosen now."
    assert answers == [(1, (first.pk,), ""), (1, (second.pk,), ""), (2, (), ""), None, (1, (), refusal)]
    assert read(seat(turn)) == [("number 0", 1), ("number 1", 1)]
    assert read(seat(turn, "eve", YELLOW)) == [("Ours", 0)]


def test_discussion_lists_most_supported_and_newest_until_they_are_purged(turn: Turn) -> None:
    add(turn, 40, agreed=1)
    Suggestion.objects.update(at=timezone.now() - timedelta(days=31))
    add(turn, 25)
    assert load_team_update(seat(turn)).message.total == 65
    supported, newest = [(f"number {n}", 1) for n in range(30)], [(f"number {n}", 0) for n in range(5, 25)]
    assert read(seat(turn)) == supported + newest
    assert list(purge_chat(30))
    assert set(Suggestion.objects.values_list("agreed", flat=True)) == {0}


def test_suggestion_shows_allowed_nickname_and_no_voter_code(turn: Turn) -> None:
    event = turn.match.event
    for voter, allowed in (("ann", True), ("bob", False)):
        named = {"name": voter, "skeleton": voter, "allowed": allowed, "chosen_at": 1}
        Nickname.objects.create(event=event, voter_code=derive_voter_code(voter), **named)
        send(seat(turn, voter), f"by {voter}")
    Event.objects.update(nicknames="typed")
    shown = load_team_update(seat(turn)).message
    assert [one.name for one in shown.suggestions] == ["ann", ""]
    assert derive_voter_code("ann") not in str(shown)


def said(guest: int = 1, ago_s: float = 0, text: str = "", new: bool = False) -> RecentMessage:
    at = NOW - timedelta(seconds=ago_s)
    first_seen = at if new else NOW - timedelta(days=1)
    return RecentMessage(guest, first_seen, text or f"number {ago_s} of {guest}", at)


BY_GUEST = [said(ago_s=4 * number) for number in range(1, limits.MAX_PER_GUEST + 1)]
BY_NEW_GUESTS = [said(100 + number, number / 2, new=True) for number in range(limits.MAX_BY_NEW_GUESTS)]
IN_ROOM = [said(100 + number, number / 3) for number in range(limits.MAX_PER_ROOM)]


@pytest.mark.parametrize(
    ("new", "before", "limit"),
    [
        (said(), BY_GUEST, Limit.GUEST),
        (said(), BY_GUEST[1:], None),
        (said(0), IN_ROOM, Limit.ROOM),
        (said(0), IN_ROOM[1:], None),
        (said(0, new=True), BY_NEW_GUESTS, Limit.NEW_GUESTS),
        (said(0), BY_NEW_GUESTS, None),
        (RecentMessage(0, NOW - limits.NEW_GUEST_PERIOD, "hello", NOW), BY_NEW_GUESTS, None),
        (said(text="??"), [said(ago_s=20, text="!")], None),
    ],
)
def test_messages_are_limited(new: RecentMessage, before: list[RecentMessage], limit: Limit | None) -> None:
    assert exceeded_limit(new, before, 2) == (RateLimited(limit) if limit else None)


def test_guest_waits_for_slow_mode_interval() -> None:
    before = [said(ago_s=40), said(ago_s=1.5)]
    assert exceeded_limit(said(), before, slow_s=2) == RateLimited(Limit.SLOW_MODE, 1)
    assert exceeded_limit(said(), before, slow_s=30) == RateLimited(Limit.SLOW_MODE, 28)
    assert exceeded_limit(said(2), before, slow_s=30) is None
    assert exceeded_limit(said(), [said(ago_s=2)], slow_s=2) is None
    assert (lookback(2), lookback(300)) == (timedelta(minutes=1), timedelta(minutes=5))
    assert all(limit_notice(RateLimited(limit, 28), 30).endswith(".") for limit in Limit)


@pytest.mark.parametrize("again", ["Hello, you!", "hello   YOU", "h.e.l.l.o y o u"])
def test_repeated_text_is_refused_ignoring_case_and_punctuation(again: str) -> None:
    before = [said(ago_s=20, text="Hello, you!")]
    assert exceeded_limit(said(text=again), before, 2) == RateLimited(Limit.DUPLICATE)
    assert exceeded_limit(said(2, text=again), before, 2) is None


@given(st.text(max_size=300))
def test_clean_text_returns_one_visible_line(typed: str) -> None:
    try:
        text = clean_message(typed)
    except ChatError:
        return
    assert 0 < len(text) <= LINE_LENGTH
    assert text == clean_message(text)
    hidden = {char for char in text if unicodedata.category(char)[0] == "C"}
    assert hidden <= {"\u200c", "\u200d"}


@pytest.mark.parametrize("typed", ["", " \n ", "\u202e\u2066", "a" * (LINE_LENGTH + 1), "\u200b" * 900 + "a"])
def test_clean_text_rejects_empty_and_overlong_text(typed: str) -> None:
    assert clean_message("\u202egnp.exe\u2069 \u0007ok") == "gnp.exe ok"
    with pytest.raises(ChatError):
        clean_message(typed)

from collections.abc import Sequence
from typing import Any

import pytest

from tests.voting.box_helpers import empty
from tests.voting.match_helpers import NINE_MINUTES_MS, open_now, play_out, set_window, tally_of, vote
from tests.voting.sources.test_sources import begin, counted
from tests.voting.turns.conftest import crashing
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import unpack_ballots
from voting.counting.voter_codes import derive_voter_code
from voting.models import StoredBallot, StoredRestriction, Turn, TurnState
from voting.sources import casting
from voting.sources.casting import cast_due, is_due
from voting.sources.chat_casting import cast_votes, chat_turns, derive_chat_seat, derive_sequence
from voting.sources.chat_lines import ChatVote
from voting.sources.registry import find_source
from voting.turns.early_close import close_turn_early
from voting.turns.restoring import restore_turn
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db
CHAT = "twitch:rooks"


@pytest.fixture
def turn(box: BallotBox) -> Turn:
    return begin(box, ("phones", CHAT), close_early=True)


def said(turn: Turn, *votes: tuple[str, int], channel: str = "rooks") -> list[ChatVote]:
    """Votes of chatters, a millisecond after each other from the start of the window."""
    opens_at = load_turn(turn.pk).opens_at
    return [ChatVote(channel, login, column, opens_at + ms) for ms, (login, column) in enumerate(votes)]


def read(turn: Turn, votes: Sequence[ChatVote], box: BallotBox) -> list[ChatVote]:
    return cast_votes(chat_turns().get(pk=turn.pk), votes, box)


def test_later_vote_has_the_higher_sequence_even_after_a_month(turn: Turn) -> None:
    day_ms, started_at = 24 * 3600 * 1000, turn.match.started_at
    days = (0, 1, 11, 12, 13, 25, 40, 365)
    times = [started_at + day * day_ms + second * 1000 for day in days for second in (0, 1)]
    sequences = [derive_sequence(turn, at) for at in times]
    assert sequences == sorted(set(sequences))
    assert sequences[-1] < 2**31


def test_every_reader_makes_the_same_ballots_of_the_last_legal_votes(turn: Turn, box: BallotBox) -> None:
    illegal = (("ann", 8), ("bob", 0), ("carl", 99))
    votes = said(turn, ("ann", 2), ("bob", 3), ("ann", 5), ("bob", 1), *illegal, ("ann", 4), *illegal)
    votes.append(votes[7]._replace(column=6))  # in the same millisecond: the first stays
    assert read(turn, votes, box) == []
    first = sorted(StoredBallot.objects.values_list("voter", "choice", "sequence", "blind"))
    for readers_batch in (votes[:3], votes[3:], votes[::-1], *([one] for one in votes)):
        read(turn, readers_batch, box)
    assert sorted(StoredBallot.objects.values_list("voter", "choice", "sequence", "blind")) == first
    play_out(turn, box)
    assert counted(turn) == [1, 4]


def test_ballots_of_a_resumed_turn_replace_earlier_ones(turn: Turn, box: BallotBox) -> None:
    turn = load_turn(turn.pk)
    before = ChatVote("rooks", "ann", 3, turn.opens_at + 900)
    read(turn, [before], box)
    set_window(turn, box, -500, NINE_MINUTES_MS)
    later = max(before.sent_at, load_turn(turn.pk).opens_at) + 1
    read(turn, [before._replace(column=4, sent_at=later)], box)
    play_out(turn, box)
    assert counted(turn) == [4]


def test_only_votes_sent_in_the_channel_and_the_open_window_count(turn: Turn, box: BallotBox) -> None:
    assert [find_source(name) for name in ("twitch:", "twitch:Rooks", "twitch:x", "twitch")] == [None] * 4
    assert find_source(CHAT)
    read(turn, said(turn, ("ann", 2), channel="doves"), box)
    opens_at, closes_at = load_turn(turn.pk).opens_at, load_turn(turn.pk).closes_at
    times = (opens_at - 1, opens_at, closes_at - 1, closes_at)
    read(turn, [ChatVote("rooks", f"at {at}", column, at) for column, at in enumerate(times, 1)], box)
    votes = said(turn, ("ann", 2))
    Turn.objects.update(state=TurnState.PAUSED, left_ms=1_000)
    read(turn, votes, box)
    assert sorted(StoredBallot.objects.values_list("choice", flat=True)) == [2, 3]


def test_chatter_in_both_chats_has_one_ballot(box: BallotBox) -> None:
    turn = begin(box, (CHAT, "twitch:doves"))
    read(turn, [*said(turn, ("ann", 2), ("bob", 3)), *said(turn, ("x", 1), ("ann", 4), channel="doves")], box)
    play_out(turn, box)
    assert (counted(turn, "red"), counted(turn, "yellow")) == ([3], [1, 4])


def test_no_name_is_stored_and_ballots_look_like_those_of_phones(turn: Turn, box: BallotBox) -> None:
    event_id = turn.match.event_id
    read(turn, said(turn, ("ann", 2)), box)
    play_out(turn, box)
    (sealed,) = unpack_ballots(bytes(tally_of(turn, "yellow").sealed))
    assert StoredBallot.objects.get().voter == sealed.voter == derive_chat_seat(event_id, "ann")
    assert (len(sealed.voter), len(sealed.blind)) == (16, 32)
    assert derive_chat_seat(event_id + 1, "ann") != sealed.voter, "a seat differs in each event"


def test_banned_chatter_does_not_vote(turn: Turn, box: BallotBox) -> None:
    event = turn.match.event
    for login, banned in (("ann", True), ("bob", False)):
        code = derive_voter_code(derive_chat_seat(event.pk, login))
        StoredRestriction.objects.create(event=event, voter_code=code, at=1, banned=banned)
    read(turn, said(turn, ("ann", 2), ("bob", 3), ("carl", 4)), box)
    play_out(turn, box)
    assert counted(turn) == [3, 4]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("owner", "step"), [(BallotBox, "cast_new"), (casting, "store_ballots")])
def test_killed_reader_loses_no_vote(turn: Turn, box: BallotBox, owner: Any, step: str, after: bool) -> None:
    votes = said(turn, ("ann", 2), ("bob", 3))
    with crashing(owner, step, after=after):
        read(turn, votes, box)
    read(turn, votes, box)
    empty()
    restore_turn(turn.pk, box)
    play_out(turn, box)
    assert counted(turn) == [2, 3]


def test_vote_waits_for_a_lost_box_and_an_early_one_for_the_window(turn: Turn, box: BallotBox) -> None:
    set_window(turn, box, 1_000, NINE_MINUTES_MS)
    early = said(turn, ("ann", 2))
    assert read(turn, early, box) == early
    open_now(turn, box)
    empty()
    votes = said(turn, ("ann", 2))
    assert read(turn, votes, box) == votes
    restore_turn(turn.pk, box)
    assert read(turn, votes, box) == []
    play_out(turn, box)
    assert counted(turn) == [2]


def test_turn_with_a_chat_closes_only_at_its_deadline(turn: Turn, box: BallotBox) -> None:
    vote(turn, box, red=[3])
    read(turn, said(turn, ("ann", 2)), box)
    cast_due(box)
    close_turn_early(turn.pk, load_turn(turn.pk).closes_at, box)
    assert load_turn(turn.pk).state == TurnState.OPEN
    assert is_due()
    play_out(turn, box)
    cast_due(box)
    assert not is_due()
    assert not chat_turns().filter(pk=turn.pk).exists()

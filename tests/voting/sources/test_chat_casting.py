"""Votes of a chat become ballots exactly once, whoever reads them and whatever crashes."""

from collections.abc import Sequence

import pytest

from tests.voting.box_loss_helpers import empty
from tests.voting.match_helpers import (
    NINE_MINUTES_MS,
    new_event,
    only_turn,
    open_now,
    play_out,
    set_window,
    vote,
)
from tests.voting.recovery_model import Crash
from tests.voting.sources.test_casting import begin, counted
from tests.voting.turns.test_turn_crashes import DyingBox
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
from voting.turns.turns import load_turn, start_match

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


def test_last_legal_vote_of_each_chatter_counts(turn: Turn, box: BallotBox) -> None:
    votes = said(turn, ("ann", 2), ("bob", 3), ("ann", 5), ("ann", 8), ("bob", 0), ("carl", 99))
    assert read(turn, votes, box) == []
    play_out(turn, box)
    assert sorted(counted(turn)) == [3, 5]


def test_later_vote_has_the_higher_sequence_even_after_a_month(turn: Turn) -> None:
    day_ms, started_at = 24 * 3600 * 1000, turn.match.started_at
    days = (0, 1, 11, 12, 13, 25, 40, 365)
    times = [started_at + day * day_ms + second * 1000 for day in days for second in (0, 1)]
    sequences = [derive_sequence(turn, at) for at in times]
    assert sequences == sorted(set(sequences))
    assert sequences[-1] < 2**31


def test_every_reader_makes_the_same_ballots(turn: Turn, box: BallotBox) -> None:
    votes = said(turn, ("ann", 2), ("bob", 3), ("ann", 5), ("bob", 1), ("ann", 4))
    votes.append(votes[-1]._replace(column=6))  # in the same millisecond: the first stays
    read(turn, votes, box)
    first = sorted(StoredBallot.objects.values_list("voter", "choice", "sequence", "blind"))
    for readers_batch in (votes[:3], votes[3:], votes[::-1], *([one] for one in votes)):
        read(turn, readers_batch, box)
    assert sorted(StoredBallot.objects.values_list("voter", "choice", "sequence", "blind")) == first
    play_out(turn, box)
    assert sorted(counted(turn)) == [1, 4]


def test_only_votes_sent_in_the_window_count(turn: Turn, box: BallotBox) -> None:
    turn = load_turn(turn.pk)
    sent = {"early": turn.opens_at - 1, "first": turn.opens_at}
    sent |= {"last": turn.closes_at - 1, "late": turn.closes_at}
    read(turn, [ChatVote("rooks", login, 3, sent_at) for login, sent_at in sent.items()], box)
    event_id = turn.match.event_id
    voters = set(StoredBallot.objects.values_list("voter", flat=True))
    assert voters == {derive_chat_seat(event_id, login) for login in ("first", "last")}


def test_ballots_of_a_resumed_turn_replace_earlier_ones(turn: Turn, box: BallotBox) -> None:
    turn = load_turn(turn.pk)
    before = ChatVote("rooks", "ann", 3, turn.opens_at + 900)
    read(turn, [before], box)
    set_window(turn, box, -500, NINE_MINUTES_MS)
    read(turn, [before._replace(column=4, sent_at=before.sent_at + 1)], box)
    play_out(turn, box)
    assert counted(turn) == [4]


def test_other_channels_and_paused_turns_do_not_vote(turn: Turn, box: BallotBox) -> None:
    read(turn, said(turn, ("ann", 2), channel="doves"), box)
    votes = said(turn, ("ann", 2))
    Turn.objects.update(state=TurnState.PAUSED, left_ms=1_000)
    read(turn, votes, box)
    assert not StoredBallot.objects.exists()


def test_chatter_in_both_chats_has_one_ballot(box: BallotBox) -> None:
    turn = begin(box, (CHAT, "twitch:doves"))
    read(turn, [*said(turn, ("ann", 2), ("bob", 3)), *said(turn, ("x", 1), ("ann", 4), channel="doves")], box)
    play_out(turn, box)
    assert (counted(turn, "red"), sorted(counted(turn, "yellow"))) == ([3], [1, 4])


def test_no_name_is_stored_and_a_seat_differs_in_each_event(turn: Turn, box: BallotBox) -> None:
    read(turn, said(turn, ("ann", 2)), box)
    assert StoredBallot.objects.get().voter == derive_chat_seat(turn.match.event_id, "ann")
    assert derive_chat_seat(turn.match.event_id + 1, "ann") != derive_chat_seat(turn.match.event_id, "ann")


def test_banned_chatter_does_not_vote(turn: Turn, box: BallotBox) -> None:
    event = turn.match.event
    for login, banned in (("ann", True), ("bob", False)):
        code = derive_voter_code(derive_chat_seat(event.pk, login))
        StoredRestriction.objects.create(event=event, voter_code=code, at=1, banned=banned)
    read(turn, said(turn, ("ann", 2), ("bob", 3), ("carl", 4)), box)
    play_out(turn, box)
    assert sorted(counted(turn)) == [3, 4]


@pytest.mark.parametrize("before", [True, False])
def test_killed_reader_loses_no_vote_that_another_one_reads(turn: Turn, box: BallotBox, before: bool) -> None:
    votes = said(turn, ("ann", 2), ("bob", 3))
    with pytest.raises(Crash):
        read(turn, votes, DyingBox("cast_new", before))
    read(turn, votes, box)
    play_out(turn, box)
    assert sorted(counted(turn)) == [2, 3]


def test_reader_killed_before_it_stores_loses_nothing(
    turn: Turn, box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise Crash

    votes = said(turn, ("ann", 2))
    monkeypatch.setattr(casting, "store_ballots", crash)
    with pytest.raises(Crash):
        read(turn, votes, box)
    monkeypatch.undo()
    read(turn, votes, box)
    empty()
    restore_turn(turn.pk, box)
    play_out(turn, box)
    assert counted(turn) == [2]


def test_vote_waits_for_a_lost_box_and_an_early_one_for_the_window(box: BallotBox) -> None:
    event = new_event()
    event.teams.filter(number=2).update(source=CHAT)
    turn = only_turn(start_match(event.pk, box))
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


def test_sealed_ballots_of_a_chat_look_like_those_of_phones(turn: Turn, box: BallotBox) -> None:
    read(turn, said(turn, ("ann", 2)), box)
    vote(turn, box, red=[3])
    play_out(turn, box)
    sealed = [unpack_ballots(bytes(record.sealed))[0] for record in turn.tallies.order_by("side")]
    assert [len(ballot.blind) for ballot in sealed][1] == 32
    assert len(sealed[1].voter) == 16


@pytest.mark.parametrize("source", ["twitch:", "twitch:Rooks", "twitch:x", "twitch"])
def test_channel_that_no_form_stores_is_no_source(source: str) -> None:
    assert find_source(source) is None
    assert find_source(CHAT) is not None

from collections import Counter
from random import Random

import msgspec
import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from games.engine.game import SIDES, Result, Side, other_side
from voting.counting import side_changes as changes
from voting.counting import voter_codes as codes
from voting.counting.ballots import Ballot, merge_ballots, pack_ballots, unpack_ballots
from voting.counting.commitments import EMPTY, sort_ballots

VOTERS = st.text("abcdef", min_size=1, max_size=2)
SENT, ARRIVED = st.integers(1, 5), st.integers(0, 50)
BALLOTS = st.builds(Ballot, VOTERS, st.sampled_from(SIDES), st.integers(1, 7), SENT, ARRIVED)
ballot_lists = st.lists(BALLOTS, max_size=30)
HOME_SIDES: dict[str, Side] = {f"v{number}": SIDES[number % 2] for number in range(8)}


@given(ballot_lists, ballot_lists)
def test_merge_ballots_keeps_newest_by_arrival(sealed: list[Ballot], stored: list[Ballot]) -> None:
    merged = merge_ballots(sealed, stored)
    newest = {ballot.voter: ballot.sequence for ballot in sorted(sealed + stored, key=lambda b: b.sequence)}
    assert {ballot.voter: ballot.sequence for ballot in merged} == newest
    assert len(merged) == len(newest)
    assert set(merged) <= set(sealed + stored)
    assert merge_ballots(merged, stored) == merge_ballots(merged, merged) == merged
    arrivals = [ballot.arrival for ballot in merge_ballots(sealed, ())]
    assert arrivals == sorted(arrivals)
    copy, stored_copy = Ballot("v", "red", 3, 2, arrival=9), Ballot("v", "red", 3, 2)
    assert merge_ballots([copy], [stored_copy]) == (copy,)


@given(ballot_lists)
def test_pack_ballots_round_trips(ballots: list[Ballot]) -> None:
    assert unpack_ballots(pack_ballots(ballots)) == tuple(ballots)
    with pytest.raises(msgspec.ValidationError, match="blue"):
        unpack_ballots(msgspec.msgpack.encode([["v", "blue", 1, 1, 1]]))


def test_voter_codes_are_independent_of_secret_key_and_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restrictions refer to voter codes for days: an upgrade or a new key must not change them."""
    before = codes.derive_voter_code("00ff00ff00ff00ff")
    monkeypatch.setattr(settings, "SECRET_KEY", "another")
    assert codes.derive_voter_code("00ff00ff00ff00ff") == before == "GQTLVZ"
    random = Random(1)
    voter_codes = [codes.derive_voter_code(random.randbytes(8).hex()) for _ in range(2_000)]
    assert len(set(voter_codes)) > 1_995
    for place in range(codes.VOTER_CODE_LENGTH):
        assert {code[place] for code in voter_codes} == set(codes.VOTER_CODE_ALPHABET)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        *((typed, "GQTLVZ") for typed in ("GQTLVZ", "gqtlvz", " gqt lvz ", "GQT-LVZ", "g q t l v z")),
        *((typed, None) for typed in ("", "GQTLV", "GQTLVZL", "FJQTQA", "FJQTQY", "FJQTQ1", "Anna B")),
    ],
)
def test_normalize_voter_code_ignores_only_case_spaces_and_dashes(typed: str, code: str | None) -> None:
    assert codes.normalize_voter_code(typed) == code


@st.composite
def matches(draw: st.DrawFn) -> tuple[list[changes.Votes], list[changes.SideChange]]:
    now, side_changes, votes = dict(HOME_SIDES), list[changes.SideChange](), list[changes.Votes]()
    numbers = Counter[str]()
    for turn in range(1, draw(st.integers(1, 6)) + 1):
        for voter in draw(st.lists(st.sampled_from(sorted(HOME_SIDES)), max_size=6)) if turn > 1 else []:
            now[voter], numbers[voter] = other_side(now[voter]), numbers[voter] + 1
            blind = f"{len(side_changes):032x}"
            side_changes.append(changes.SideChange(voter, numbers[voter], turn, now[voter], blind))
        votes.append({voter: now[voter] for voter in draw(st.sets(st.sampled_from(sorted(HOME_SIDES))))})
    return votes, side_changes


@given(matches(), st.sampled_from(["red", "yellow", "draw"]))
def test_summary_counts_voters_and_changes(
    match: tuple[list[changes.Votes], list[changes.SideChange]], result: Side
) -> None:
    votes, side_changes = match
    histories = changes.voter_histories(votes, side_changes)
    summary = changes.summarize_sides(histories.values(), side_changes, result, len(votes))
    moved = {change.voter for change in side_changes}
    assert set(histories) == {voter for turn in votes for voter in turn} | moved
    for number, turn in enumerate(summary.turns, 1):
        assert turn.red + turn.yellow == len(histories)
        for voter, side in votes[number - 1].items():
            assert histories[voter].sides[number - 1] == side
    for before, after in zip(summary.turns, summary.turns[1:], strict=False):
        assert after.red == before.red + after.to_red - after.to_yellow
    if histories:
        assert sum(turn.to_red + turn.to_yellow for turn in summary.turns) == len(side_changes)
    assert sum(summary.loyal) == len(histories) - len(moved)
    ended = Counter(history.sides[-1] for history in histories.values())
    began = Counter(history.sides[0] for history in histories.values())
    if result in SIDES:
        assert ended[result] == began[result] + summary.in_time - summary.too_soon


@pytest.mark.parametrize(("result", "in_time", "too_soon"), [("red", 2, 1), ("yellow", 1, 2), ("draw", 0, 0)])
def test_summary_counts_voters_ended_on_other_side(result: Result, in_time: int, too_soon: int) -> None:
    votes: list[changes.Votes] = [{"a": "red", "b": "yellow", "c": "yellow", "d": "yellow"}, {}]
    moves: list[tuple[str, Side]] = [("a", "yellow"), ("b", "red"), ("c", "red")]
    side_changes = [changes.SideChange(voter, 1, 2, side, "") for voter, side in moves]
    histories = changes.voter_histories(votes, side_changes).values()
    summary = changes.summarize_sides(histories, side_changes, result, 2)
    assert (summary.loyal, summary.in_time, summary.too_soon) == ((0, 1), in_time, too_soon)
    nobody = changes.SidesTurn(red=0, yellow=0, to_red=0, to_yellow=0)
    assert changes.summarize_sides([], [], result, 2).turns == (nobody, nobody)


@given(matches(), st.randoms(use_true_random=False))
def test_side_changes_in_any_order(
    match: tuple[list[changes.Votes], list[changes.SideChange]], random: Random
) -> None:
    votes, side_changes = match
    shuffled = random.sample(side_changes, len(side_changes))
    last = {change.voter: change.side for change in side_changes}
    assert changes.current_sides(shuffled) == changes.current_sides(side_changes) == last
    assert changes.voter_histories(votes, shuffled) == changes.voter_histories(votes, side_changes)
    ballots = [Ballot(voter, side, 3, 1, place) for place, (voter, side) in enumerate(HOME_SIDES.items())]
    expected = [(voter, last.get(voter, side)) for voter, side in HOME_SIDES.items()]
    assert [(ballot.voter, ballot.side) for ballot in changes.reassign_sides(ballots, last)] == expected


@pytest.mark.parametrize(
    ("now", "deserted"),
    [
        ({}, None),
        ({"a": "yellow"}, "red"),
        ({"b": "red"}, None),
        ({"b": "red", "c": "red"}, "yellow"),
        ({"b": "red", "c": "red", "d": "yellow"}, None),
    ],
)
def test_deserted_side_is_named(now: dict[str, Side], deserted: Side | None) -> None:
    assert changes.deserted_side({"a": "red", "b": "yellow", "c": "yellow"}, now) == deserted
    assert changes.deserted_side({"b": "yellow"}, {}) is None, "nobody has left the empty side"


def test_commit_secretly_hides_sides_and_changes() -> None:
    """Neither an empty side nor the absence of side changes is recognizable."""
    ballots = [Ballot("v1", "red", 3, 1, 1, "ab" * 16)]
    root = sort_ballots(7, "red", ballots).commitment.root
    turn_commitment = changes.commit_secretly(7, {"red": root, "yellow": EMPTY.hex()}, [])
    swapped = changes.commit_secretly(7, {"red": EMPTY.hex(), "yellow": root}, [])
    changed = changes.commit_secretly(7, {"red": root}, [changes.SideChange("v2", 1, 2, "red", "cd" * 16)])
    assert len({turn_commitment, swapped, changed, root, EMPTY.hex()}) == 5
    assert changes.commit_secretly(7, {"red": root}, []) == turn_commitment

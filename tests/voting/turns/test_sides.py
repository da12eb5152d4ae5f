"""Secret sides in pure: where people are, and the story that is told of it, whatever they do."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from games.engine.game import SIDES, Side, other
from voting.counting.ballots import Ballot
from voting.counting.sides import (
    Crossing,
    Votes,
    commit_secretly,
    deserted_side,
    members_of,
    on_their_sides,
    sides_now,
    tell_sides,
)

HOMES: dict[str, Side] = {f"v{number}": SIDES[number % 2] for number in range(8)}


@st.composite
def matches(draw: st.DrawFn) -> tuple[list[Votes], list[Crossing]]:
    """Turns in which some vote and some change over before, as often as they like."""
    now, crossings, votes = dict(HOMES), list[Crossing](), list[Votes]()
    numbers = Counter[str]()
    for turn in range(1, draw(st.integers(1, 6)) + 1):
        for voter in draw(st.lists(st.sampled_from(sorted(HOMES)), max_size=6)) if turn > 1 else []:
            now[voter], numbers[voter] = other(now[voter]), numbers[voter] + 1
            crossings.append(Crossing(voter, numbers[voter], turn, now[voter], f"{len(crossings):032x}"))
        votes.append({voter: now[voter] for voter in draw(st.sets(st.sampled_from(sorted(HOMES))))})
    return votes, crossings


@given(matches(), st.sampled_from(["red", "yellow", "draw"]))
def test_nobody_is_lost_and_every_change_is_told_once(
    match: tuple[list[Votes], list[Crossing]], result: Side
) -> None:
    votes, crossings = match
    members = members_of(votes, crossings)
    told = tell_sides(members.values(), crossings, result)
    assert set(members) == {voter for turn in votes for voter in turn} | {one.voter for one in crossings}
    for number, turn in enumerate(told.turns, 1):
        assert turn.red + turn.yellow == len(members)
        for voter, side in votes[number - 1].items():
            assert members[voter].sides[number - 1] == side
    for before, after in zip(told.turns, told.turns[1:], strict=False):
        assert after.red == before.red + after.to_red - after.to_yellow
    if members:
        assert sum(turn.to_red + turn.to_yellow for turn in told.turns) == len(crossings)
    moved = {one.voter for one in crossings}
    assert sum(told.loyal) == len(members) - len(moved)
    ended = Counter(member.sides[-1] for member in members.values())
    began = Counter(member.sides[0] for member in members.values())
    if result in SIDES:
        assert ended[result] == began[result] + told.in_time - told.too_soon


@given(matches())
def test_a_ballot_counts_where_its_voter_is_and_keeps_its_place(
    match: tuple[list[Votes], list[Crossing]],
) -> None:
    _, crossings = match
    now = sides_now(crossings)
    ballots = [Ballot(voter, side, 3, 1, place) for place, (voter, side) in enumerate(HOMES.items())]
    counted = on_their_sides(ballots, now)
    assert [ballot.voter for ballot in counted] == list(HOMES)
    for ballot in counted:
        assert ballot.side == now.get(ballot.voter, HOMES[ballot.voter])


@given(matches())
def test_a_side_is_deserted_when_somebody_left_and_nobody_is_there(
    match: tuple[list[Votes], list[Crossing]],
) -> None:
    votes, crossings = match
    now = sides_now(crossings)
    homes = {voter: side for turn in votes for voter, side in turn.items()}
    held = Counter(member.sides[-1] for member in members_of(votes, crossings).values())
    left = {other(side) for side in now.values()}
    deserted = deserted_side(homes, now)
    assert (deserted is not None) == any(held[side] == 0 and side in left for side in SIDES)


def test_a_seal_says_only_what_nobody_can_guess() -> None:
    """Neither an empty side nor that nobody changed over can be told from it."""
    ballots = [Ballot("v1", "red", 3, 1, 1, "ab" * 16)]
    on_red: dict[Side, list[Ballot]] = {"red": ballots, "yellow": []}
    on_yellow: dict[Side, list[Ballot]] = {"red": [], "yellow": ballots}
    whole, roots = commit_secretly(7, on_red, [])
    swapped, _ = commit_secretly(7, on_yellow, [])
    changed, _ = commit_secretly(7, on_red, [Crossing("v2", 1, 2, "red", "cd" * 16)])
    assert len({whole, swapped, changed, *roots.values()}) == 5

"""Secret sides: current sides of voters, commitments to side changes, and the summary after the match.

A ballot in the box names the side that its voter joined. The side changes decide where it counts, so nothing
that counts ballots of an open turn reveals them.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import msgspec
from msgspec.structs import replace

from games.engine.game import SIDES, Result, Side, other_side
from voting.counting.ballots import Ballot
from voting.counting.commitments import Commitment, Tree, hash_leaf, hash_node
from voting.counting.types import Count


class SidesTurn(msgspec.Struct, frozen=True, kw_only=True):
    """How many voters were on each side in a turn, and how many had changed sides since the previous one.

    Attributes:
        red: Voters on red's side.
        yellow: Voters on yellow's side.
        to_red: Voters who changed to red.
        to_yellow: Voters who changed to yellow.
    """

    red: Count
    yellow: Count
    to_red: Count
    to_yellow: Count


class SidesSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Summary of secret sides after the match.

    It includes everyone who voted or changed sides in the match, in every turn.

    Attributes:
        turns: One entry per turn.
        loyal: Voters who never changed sides, red and yellow.
        in_time: Voters who started on the other side and ended with the winner.
        too_soon: Voters who started with the winner and ended on the other side.
    """

    turns: tuple[SidesTurn, ...]
    loyal: tuple[Count, Count]
    in_time: Count
    too_soon: Count


@dataclass(frozen=True, slots=True)
class SideChange:
    """A voter's change to `side`, from turn number `turn` on. `number` counts the voter's changes."""

    voter: str
    number: int
    turn: int
    side: Side
    blind: str


@dataclass(frozen=True, slots=True)
class VoterHistory:
    """A voter who voted or changed sides: the side in each turn, and the number of changes."""

    sides: tuple[Side, ...]
    side_changes: int


Votes = Mapping[str, Side]


def current_sides(side_changes: Iterable[SideChange]) -> dict[str, Side]:
    """Return the side of each voter who changed sides. All others are still on the side they joined."""
    return {one.voter: one.side for one in sorted(side_changes, key=lambda one: one.number)}


def reassign_sides(ballots: Iterable[Ballot], now: Mapping[str, Side]) -> tuple[Ballot, ...]:
    """Return the ballots in the same order, each for the current side of its voter."""
    return tuple(
        replace(ballot, side=now[ballot.voter])
        if now.get(ballot.voter, ballot.side) != ballot.side
        else ballot
        for ballot in ballots
    )


def deserted_side(home_sides: Mapping[str, Side], now: Mapping[str, Side]) -> Side | None:
    """Return the side that everyone has left, or None.

    `home_sides` is the side of each voter so far at the time of voting.
    """
    left = {other_side(side) for side in now.values()}
    held = {now.get(voter, side) for voter, side in home_sides.items()} | set(now.values())
    return next((side for side in SIDES if side in left and side not in held), None)


def voter_histories(votes: Sequence[Votes], side_changes: Sequence[SideChange]) -> dict[str, VoterHistory]:
    """Return the history of everyone who voted or changed sides.

    `votes` holds, for each turn, the side of each voter.
    """
    own: dict[str, list[SideChange]] = {}
    for side_change in sorted(side_changes, key=lambda one: one.number):
        own.setdefault(side_change.voter, []).append(side_change)
    home_sides = {voter: side for of_turn in reversed(votes) for voter, side in of_turn.items()}
    home_sides |= {voter: other_side(changes[0].side) for voter, changes in own.items()}
    return {voter: _voter_history(home, own.get(voter, []), len(votes)) for voter, home in home_sides.items()}


def _voter_history(home: Side, changes: Sequence[SideChange], turns: int) -> VoterHistory:
    def side_in(turn: int) -> Side:
        return next((one.side for one in reversed(changes) if one.turn <= turn), home)

    return VoterHistory(tuple(side_in(turn) for turn in range(1, turns + 1)), len(changes))


def summarize_sides(
    histories: Collection[VoterHistory], side_changes: Iterable[SideChange], result: Result, turns: int
) -> SidesSummary:
    """Summarize the sides of all voters in this many turns anonymously."""
    everybody = histories if turns else ()
    moved = Counter((one.turn, one.side) for one in side_changes)
    loyal = Counter(one.sides[0] for one in everybody if not one.side_changes)
    ways = Counter((one.sides[0], one.sides[-1]) for one in everybody)
    return SidesSummary(
        turns=tuple(_turn(number, everybody, moved) for number in range(1, turns + 1)),
        loyal=(loyal["red"], loyal["yellow"]),
        in_time=ways[other_side(result), result],  # type: ignore[arg-type, index]
        too_soon=ways[result, other_side(result)],  # type: ignore[arg-type, index]
    )


def _turn(
    number: int, histories: Collection[VoterHistory], moved: Mapping[tuple[int, Side], int]
) -> SidesTurn:
    held = Counter(one.sides[number - 1] for one in histories)
    return SidesTurn(
        red=held["red"],
        yellow=held["yellow"],
        to_red=moved.get((number, "red"), 0),
        to_yellow=moved.get((number, "yellow"), 0),
    )


def side_change_tree(turn_id: int, side_changes: Iterable[tuple[Side, str]]) -> Tree:
    """Return the Merkle tree over pairs of side and blinding factor, sorted to hide the order of arrival."""
    leaves = sorted((blind, side) for side, blind in side_changes)
    return Tree(hash_leaf(f"{turn_id}:to {side}:{blind}".encode("ascii")) for blind, side in leaves)


def commit_turn(red_root: str, yellow_root: str, tree: Tree) -> str:
    """Return one commitment to both sides' ballots and to the side changes before the turn."""
    ballots = hash_node(bytes.fromhex(red_root), bytes.fromhex(yellow_root))
    return hash_node(ballots, tree.root).hex()


EMPTY_COMMITMENT = Commitment(root=sha256().hexdigest(), ballots=0)


def commit_secretly(turn_id: int, roots: Mapping[Side, str], changed: Iterable[SideChange]) -> str:
    """Return the turn's single commitment while sides are secret, from the root of each side's ballots."""
    red, yellow = (roots.get(side, EMPTY_COMMITMENT.root) for side in SIDES)
    return commit_turn(red, yellow, side_change_tree(turn_id, ((one.side, one.blind) for one in changed)))

"""Secret sides: who is on which, and what is told of it once nobody can make use of it.

A ballot in the box names the side its voter came in with; where it counts follows from the changes of side.
So whatever counts ballots while a turn is open knows nothing of those.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import msgspec
from msgspec.structs import replace

from games.engine.game import SIDES, Result, Side, other
from voting.counting.ballots import Ballot
from voting.counting.commitments import Commitment, commit_ballots
from voting.counting.merkle import Tree, hash_node
from voting.counting.types import Count


class SidesTurn(msgspec.Struct, frozen=True, kw_only=True):
    """How many were on each side when a turn was voted, and how many had come over since the one before."""

    red: Count
    yellow: Count
    to_red: Count
    to_yellow: Count


class SidesTold(msgspec.Struct, frozen=True, kw_only=True):
    """What became of secret sides, of everybody who voted or changed over in the match; a `turns` each.

    `loyal` never changed, red and yellow; `in_time` ended with the winner and `too_soon` without it, having
    begun on the other side.
    """

    turns: tuple[SidesTurn, ...]
    loyal: tuple[Count, Count]
    in_time: Count
    too_soon: Count


@dataclass(frozen=True, slots=True)
class Crossing:
    """A voter's change to `side`, from the turn of this number on; `number` counts the voter's own."""

    voter: str
    number: int
    turn: int
    side: Side
    blind: str


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody who voted or changed sides: `sides` a turn, the first turn first."""

    sides: tuple[Side, ...]
    crossings: int


Votes = Mapping[str, Side]


def sides_now(crossings: Iterable[Crossing]) -> dict[str, Side]:
    """Where those are who changed over; all others are where they came in."""
    return {one.voter: one.side for one in sorted(crossings, key=lambda one: one.number)}


def on_their_sides(ballots: Iterable[Ballot], now: Mapping[str, Side]) -> tuple[Ballot, ...]:
    """The same ballots in the same order, each for the side on which its voter is."""
    return tuple(
        replace(ballot, side=now[ballot.voter])
        if now.get(ballot.voter, ballot.side) != ballot.side
        else ballot
        for ballot in ballots
    )


def deserted_side(homes: Mapping[str, Side], now: Mapping[str, Side]) -> Side | None:
    """The side that everybody has left. `homes` is where those who voted so far were when they did."""
    left = {other(side) for side in now.values()}
    held = {now.get(voter, side) for voter, side in homes.items()} | set(now.values())
    return next((side for side in SIDES if side in left and side not in held), None)


def members_of(votes: Sequence[Votes], crossings: Sequence[Crossing]) -> dict[str, Member]:
    """Everybody who ever voted or changed over; `votes` are who voted for which side, a turn each."""
    own: dict[str, list[Crossing]] = {}
    for crossing in sorted(crossings, key=lambda one: one.number):
        own.setdefault(crossing.voter, []).append(crossing)
    homes = {voter: side for of_turn in reversed(votes) for voter, side in of_turn.items()}
    homes |= {voter: other(changes[0].side) for voter, changes in own.items()}
    return {voter: _member(home, own.get(voter, []), len(votes)) for voter, home in homes.items()}


def _member(home: Side, changes: Sequence[Crossing], turns: int) -> Member:
    def side_in(turn: int) -> Side:
        return next((one.side for one in reversed(changes) if one.turn <= turn), home)

    return Member(tuple(side_in(turn) for turn in range(1, turns + 1)), len(changes))


def tell_sides(members: Iterable[Member], crossings: Iterable[Crossing], result: Result) -> SidesTold:
    """The whole story, of everybody and of nobody. Call it with at least one turn."""
    everybody = list(members)
    moved = Counter((one.turn, one.side) for one in crossings)
    number_of_turns = len(everybody[0].sides) if everybody else 0
    turns = tuple(_turn(number, everybody, moved) for number in range(1, number_of_turns + 1))
    loyal = Counter(one.sides[0] for one in everybody if not one.crossings)
    ways = Counter((one.sides[0], one.sides[-1]) for one in everybody)
    decided = result in SIDES
    return SidesTold(
        turns=turns,
        loyal=(loyal["red"], loyal["yellow"]),
        in_time=ways[other(result), result] if decided else 0,  # type: ignore[arg-type, index]
        too_soon=ways[result, other(result)] if decided else 0,  # type: ignore[arg-type, index]
    )


def _turn(number: int, members: Sequence[Member], moved: Mapping[tuple[int, Side], int]) -> SidesTurn:
    held = Counter(one.sides[number - 1] for one in members)
    return SidesTurn(
        red=held["red"],
        yellow=held["yellow"],
        to_red=moved.get((number, "red"), 0),
        to_yellow=moved.get((number, "yellow"), 0),
    )


def crossings_tree(turn_id: int, crossings: Iterable[tuple[Side, str]]) -> Tree:
    """`crossings` are side and blind of each; they are put in an order that says nothing."""
    told = sorted((blind, side) for side, blind in crossings)
    return Tree(f"{turn_id}:to {side}:{blind}".encode("ascii") for blind, side in told)


def whole_of(red_root: str, yellow_root: str, tree: Tree) -> str:
    """One number for all of a turn: both sides' ballots, and who changed over before it."""
    ballots = hash_node(bytes.fromhex(red_root), bytes.fromhex(yellow_root))
    return hash_node(ballots, tree.root).hex()


NOBODY = Commitment(root=sha256().hexdigest(), ballots=0)


def commit_secretly(
    turn_id: int, by_side: Mapping[Side, Sequence[Ballot]], changed: Iterable[Crossing]
) -> tuple[str, dict[Side, str]]:
    """The turn's one commitment while sides are secret, and the roots for afterwards."""
    roots = {side: commit_ballots(turn_id, side, cast).root for side, cast in by_side.items()}
    red, yellow = (roots.get(side, NOBODY.root) for side in SIDES)
    return whole_of(red, yellow, crossings_tree(turn_id, ((one.side, one.blind) for one in changed))), roots

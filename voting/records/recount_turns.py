"""Recount one turn of a record: its ballots, their root, the decision and the pick."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from msgspec.structs import replace

from games.bots import bots
from games.bots.bots import pick_action
from games.engine.game import SIDES, Game, Picks, Side
from voting.counting.ballots import Ballot
from voting.counting.commitments import (
    FROM_ROOTS,
    draw_lot,
    draws_version,
    hash_leaves,
    merkle_root,
    mix_seed,
)
from voting.counting.methods.voting_method import find_method
from voting.counting.tally import SideBallots, SideTally, decide
from voting.records.match_record import UNSORTED, MatchRecord, SideCount, TurnCount, side_count
from voting.records.recount_side_changes import deserted_side_at
from voting.terms import Ending, NoBallotRule, TieRule

BLIND = re.compile(r"[0-9a-f]{32}|", re.ASCII)
SEED = re.compile(r"[0-9a-f]{32}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in a record. `turn` counts from 1; None if it concerns the whole match."""

    turn: int | None
    side: Side | None
    text: str

    def __str__(self) -> str:
        where = "the match" if self.turn is None else f"turn {self.turn}"
        return f"{where}{f', {self.side}' if self.side else ''}: {self.text}"


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A turn of a record, and the position it was played in."""

    record: MatchRecord
    number: int
    game: Game[Any]
    state: Any

    @property
    def count(self) -> TurnCount:
        return self.record.counts[self.number - 1]

    @property
    def picks(self) -> Picks:
        picks = self.record.turns[self.number - 1]
        return Picks(picks.red, picks.yellow)


def losing_counts(count: TurnCount) -> dict[Side, SideCount]:
    """Return the sides that resigned or forfeited."""
    counts = {side: counted for side in SIDES if (counted := side_count(count, side))}
    return {side: counted for side, counted in counts.items() if counted.decided_by in ("forfeit", "resign")}


def find_turn_faults(recorded: RecordedTurn) -> Iterator[Fault]:
    number, count = recorded.number, recorded.count
    before = recorded.record.counts[number - 2].turn if number > 1 else 0
    if count.turn <= before:
        yield Fault(number, None, f"its id {count.turn} is not higher than the previous turn's")
    if count.sealed_at is not None and count.resolved_at is not None and count.sealed_at > count.resolved_at:
        yield Fault(number, None, "it was resolved before it was sealed")
    if not SEED.fullmatch(count.seed):
        yield Fault(number, None, "the seed is not 32 hexadecimal digits")
        return
    if draws_version(count.seed, count.lot) is None:
        yield Fault(number, None, "the seed does not match its commitment `lot`")
    to_move = recorded.game.to_move(recorded.state)
    for side in SIDES:
        counted = side_count(count, side)
        if (counted is None) == (side in to_move):
            yield Fault(number, side, "its count is missing" if counted is None else "it was not its turn")
        elif counted is None:
            yield from _find_pick_faults(recorded, side, None)
        else:
            yield from _find_count_faults(recorded, side, counted)


def _find_count_faults(recorded: RecordedTurn, side: Side, counted: SideCount) -> Iterator[Fault]:
    fault = partial(Fault, recorded.number, side)
    legal = recorded.game.legal_actions(recorded.state, side)
    if counted.legal != legal:
        yield fault(f"the legal columns are {list(legal)}, but the record says {list(counted.legal)}")
    bad = False
    terms = recorded.record.terms
    method = find_method(terms.tally_method)
    for place, (choice, blind) in enumerate(counted.ballots, 1):
        fits = method.accepts(
            choice, legal, may_resign=terms.resign is not None, draw_offers=terms.draw_offers
        )
        if not fits or not BLIND.fullmatch(blind):
            yield fault(f"ballot {place} has an illegal choice or blinding factor")
            bad = True
    by_captain = terms.tie_rule == TieRule.CAPTAIN and 0 <= (counted.captain or 0) < len(counted.ballots)
    if counted.captain is not None and not by_captain:
        yield fault(f"there is no captain's ballot at index {counted.captain}")
        bad = True
    if not _has_valid_arrivals(recorded.record, counted):
        yield fault("`arrivals` does not name each ballot once")
        bad = True
    if bad:
        return
    yield from _find_root_faults(recorded, side, counted)
    yield from _find_bot_faults(recorded, side, counted)
    yield from _find_decision_faults(recorded, side, counted)


def _find_root_faults(recorded: RecordedTurn, side: Side, counted: SideCount) -> Iterator[Fault]:
    turn_id = recorded.count.turn
    leaves = hash_leaves(turn_id, side, counted.ballots)
    if recorded.record.format != UNSORTED and leaves != sorted(leaves):
        yield Fault(recorded.number, side, "the ballots are not sorted by leaf hash")
    if counted.root != merkle_root(leaves).hex():
        yield Fault(recorded.number, side, "the ballots do not match the committed root")


def _find_bot_faults(recorded: RecordedTurn, side: Side, counted: SideCount) -> Iterator[Fault]:
    """Find ballots of a computer opponent that are not its own. One without a ballot is a gap."""
    record = recorded.record
    strength = record.bots.strength(side) if record.bots else None
    if strength is None or not counted.ballots or not knows_bots(record):
        return
    pick = pick_action(recorded.game, recorded.state, side, strength, recorded.count.seed)
    choices = [choice for choice, _ in counted.ballots]
    if choices != [pick]:
        yield Fault(recorded.number, side, f"the computer votes for {pick}, but the ballots are {choices}")


def knows_bots(record: MatchRecord) -> bool:
    return record.bots is None or record.bots.version == bots.VERSION


def _has_valid_arrivals(record: MatchRecord, counted: SideCount) -> bool:
    """Return whether `arrivals` names each ballot once. Only the tie rule `first` needs it."""
    if record.terms.tie_rule != TieRule.FIRST or (not counted.arrivals and record.format == UNSORTED):
        return not counted.arrivals
    return sorted(counted.arrivals) == list(range(len(counted.ballots)))


def _find_decision_faults(recorded: RecordedTurn, side: Side, counted: SideCount) -> Iterator[Fault]:
    fault = partial(Fault, recorded.number, side)
    decision = _decide_again(recorded, side, counted)
    if counted.counts != decision.counts:
        yield fault(f"the counts are {list(decision.counts)}, but the record says {list(counted.counts)}")
    if counted.pick != decision.pick:
        yield fault(f"the ballots decide for {decision.pick}, but the record says {counted.pick}")
    if counted.decided_by != decision.decided_by:
        yield fault(f"`decided_by` is {decision.decided_by}, but the record says {counted.decided_by}")
    rounds = decision.rounds or ()
    if counted.rounds != rounds:
        yield fault(f"the rounds are {_plain(rounds)}, but the record says {_plain(counted.rounds)}")
    no_pick = losing_counts(recorded.count) or deserted_side_at(recorded.record, recorded.number)
    yield from _find_pick_faults(recorded, side, None if no_pick else decision.pick)


def _plain(rounds: tuple[tuple[int, ...], ...]) -> list[list[int]]:
    return list(map(list, rounds))


def _find_pick_faults(recorded: RecordedTurn, side: Side, expected: int | None) -> Iterator[Fault]:
    played = recorded.picks.of(side)
    if played != expected:
        yield Fault(recorded.number, side, f"its pick is {expected}, but {played} was played")


def _no_ballot_rule(recorded: RecordedTurn, counted: SideCount) -> NoBallotRule:
    """Return the rule for a side without ballots.

    The record states which side ran out of time, but cannot prove it: of two sides without ballots, one may
    have had time left.
    """
    record = recorded.record
    had_time = record.ended_by == Ending.TIME and recorded.number == len(record.counts)
    if had_time and counted.decided_by == NoBallotRule.PASS:
        return NoBallotRule.PASS
    return record.terms.no_ballot_rule


def find_draws_version(count: TurnCount) -> int:
    return draws_version(count.seed, count.lot) or FROM_ROOTS


def _mix_seed(count: TurnCount) -> str:
    counted = {side: side_count(count, side) for side in SIDES}
    roots = {side: one.root or "" for side, one in counted.items() if one}
    return mix_seed(count.seed, find_draws_version(count), roots)


def _decide_again(recorded: RecordedTurn, side: Side, counted: SideCount) -> SideTally:
    ballots = [
        Ballot("", side, choice, 1, place, blind) for place, (choice, blind) in enumerate(counted.ballots, 1)
    ]
    return decide(
        SideBallots(side, ballots, counted.captain, counted.arrivals or None),
        recorded.game.legal_actions(recorded.state, side),
        recorded.game.view(recorded.state, side).columns,
        replace(recorded.record.terms, no_ballot_rule=_no_ballot_rule(recorded, counted)),
        partial(draw_lot, _mix_seed(recorded.count), side),
    )

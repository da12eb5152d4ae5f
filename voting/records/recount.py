"""Recount a match from its record with this project's rules, and report every fault."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from msgspec.structs import replace

from games.bots import bots
from games.bots.bots import pick_action
from games.engine.errors import GameError, IllegalPick
from games.engine.game import SIDES, Game, Picks, Resolution, Result, Side, other_side
from games.engine.registry import find_game, read_options
from voting.counting.ballots import Ballot, asks_for_draw
from voting.counting.commitments import (
    FROM_ROOTS,
    FROM_SEED,
    Tree,
    ballot_leaf,
    commit_lot,
    draw_lot,
    draw_options_lot,
    draws_version,
    hash_leaf,
    mix_seed,
)
from voting.counting.draw_offers import DrawOffers, wants_draw
from voting.counting.methods.voting_method import find_method
from voting.counting.tally import SideBallots, SideTally, decide
from voting.records.match_record import UNSORTED, MatchRecord, SideCount, TurnCount, side_count
from voting.records.recount_history import find_history_faults, find_history_gaps
from voting.records.recount_side_changes import deserted_side_at, find_side_faults
from voting.terms import Ending, NoBallotRule, TieRule

BLIND = re.compile(r"[0-9a-f]{32}|", re.ASCII)
SEED = re.compile(r"[0-9a-f]{32}", re.ASCII)
# What the players of a one-on-one game can make of a match that the board has not decided.
RESULTS_BY_PLAYERS: dict[Ending | None, tuple[Result, ...]] = {
    Ending.CONCEDED: ("red", "yellow"),
    Ending.AGREED: ("draw",),
}


DRAWN = ("lot", "lottery", "random")


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


def find_faults(record: MatchRecord) -> list[Fault]:
    """Return all faults in order, up to the first turn that breaks the rules; empty if there are none."""
    return list(_find_faults(record))


def find_gaps(record: MatchRecord) -> Iterator[str]:
    """Yield what a record without faults can't prove."""
    sides = [
        (number, counted)
        for number, count in enumerate(record.counts, 1)
        for side in SIDES
        if (counted := side_count(count, side))
    ]
    if record.format == UNSORTED and any(counted.ballots for _, counted in sides):
        yield "the order of the ballots, which the server chose before version 3 of the record"
    if record.draw is None:
        yield "what was drawn at the start of the match"
    yield from find_history_gaps(record)
    yield from _find_bot_gaps(record)
    by_arrival = {f"turn {number}": True for number, counted in sides if counted.decided_by == "first"}
    if by_arrival:
        yield f"the order of arrival, which decided a tie in {', '.join(by_arrival)}"
    by_seed = {
        f"turn {number}": True
        for number, counted in sides
        if counted.decided_by in DRAWN and _draws_version(record.counts[number - 1]) == FROM_SEED
    }
    if by_seed:
        yield f"that the server did not choose the seed, which alone decided {', '.join(by_seed)}"
    if record.ended_by == Ending.TIME:
        yield "the clocks, which only the server recorded"


def _find_faults(record: MatchRecord) -> Iterator[Fault]:
    if len(record.turns) != len(record.counts):
        yield Fault(None, None, f"it has {len(record.turns)} turns, but {len(record.counts)} counts")
        return
    try:
        game = find_game(record.game)
        state = game.start(read_options(game, record.options))
    except GameError as refusal:
        yield Fault(None, None, str(refusal))
        return
    yield from _find_draw_faults(record, game)
    yield from (Fault(number, None, text) for number, text in find_side_faults(record))
    yield from (Fault(number, None, text) for number, text in find_history_faults(record))
    result: Result = "open"
    offers = DrawOffers()
    for number in range(1, len(record.turns) + 1):
        recorded = RecordedTurn(record, number, game, state)
        if result != "open":
            yield Fault(number, None, "the match was already over")
            return
        yield from _find_turn_faults(recorded)
        try:
            state, resolution = game.resolve(state, recorded.picks)
        except IllegalPick as refusal:
            yield Fault(number, None, str(refusal))
            return
        result = _result_after(recorded, resolution)
        offers = _offers_after(recorded, offers) if result == "open" else DrawOffers()
        result = "draw" if offers.is_agreed else result
    yield from _find_result_faults(record, result, offers)


def _offers_after(recorded: RecordedTurn, offers: DrawOffers) -> DrawOffers:
    if not recorded.record.terms.draw_offers:
        return offers
    wishes = {}
    for side in SIDES:
        if counted := side_count(recorded.count, side):
            votes = sum(asks_for_draw(choice) for choice, _ in counted.ballots)
            wishes[side] = wants_draw(votes, len(counted.ballots))
    is_concealed = recorded.game.view(recorded.state, None).vote == "concealed"
    return offers.after(wishes, is_concealed=is_concealed)


def _find_draw_faults(record: MatchRecord, game: Game[Any]) -> Iterator[Fault]:
    """Find faults of what was drawn at the start of the match."""
    if record.draw is None:
        return
    if not SEED.fullmatch(record.draw.seed):
        yield Fault(None, None, "the seed of its draw is not 32 hexadecimal digits")
        return
    if commit_lot(record.draw.seed) != record.draw.lot:
        yield Fault(None, None, "the seed of its draw does not match its commitment `lot`")
    try:
        chosen = read_options(game, record.draw.options)
    except GameError as refusal:
        yield Fault(None, None, str(refusal))
        return
    drawn = game.draw_lots(chosen, draw_options_lot(record.draw.seed))
    if drawn != read_options(game, record.options):
        yield Fault(None, None, "its options are not those that were drawn")


def _find_result_faults(record: MatchRecord, result: Result, offers: DrawOffers) -> Iterator[Fault]:
    by_players = record.result in RESULTS_BY_PLAYERS.get(record.ended_by, ())
    if result == "open" and by_players and not record.terms.draw_offers:
        return  # no ballot says so: the record can only state it
    ended_by = None if result == "open" else Ending.AGREED if offers.is_agreed else _ending(record)
    if record.result != result:
        yield Fault(None, None, f"the result is {result}, but the record says {record.result}")
    if record.ended_by != ended_by:
        yield Fault(None, None, f"`ended_by` is {ended_by}, but the record says {record.ended_by}")


def _ending(record: MatchRecord) -> Ending:
    if deserted_side_at(record, len(record.counts)):
        return Ending.DESERTED
    why = {count.decided_by for count in _losing_counts(record.counts[-1]).values()}
    if not why:
        return Ending.BOARD
    if "forfeit" not in why:
        return Ending.RESIGN
    return Ending.TIME if record.ended_by == Ending.TIME else Ending.FORFEIT


def _result_after(recorded: RecordedTurn, resolution: Resolution) -> Result:
    deserted = deserted_side_at(recorded.record, recorded.number)
    if deserted:
        return other_side(deserted)
    lost = list(_losing_counts(recorded.count))
    if len(lost) == len(SIDES):
        return "draw"
    if lost:
        return "yellow" if lost == ["red"] else "red"
    return resolution.result


def _losing_counts(count: TurnCount) -> dict[Side, SideCount]:
    """Return the sides that resigned or forfeited."""
    counts = {side: counted for side in SIDES if (counted := side_count(count, side))}
    return {side: counted for side, counted in counts.items() if counted.decided_by in ("forfeit", "resign")}


def _find_turn_faults(recorded: RecordedTurn) -> Iterator[Fault]:
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
    leaves = [hash_leaf(ballot_leaf(turn_id, side, choice, blind)) for choice, blind in counted.ballots]
    if recorded.record.format != UNSORTED and leaves != sorted(leaves):
        yield Fault(recorded.number, side, "the ballots are not sorted by leaf hash")
    if counted.root != Tree(leaves).root.hex():
        yield Fault(recorded.number, side, "the ballots do not match the committed root")


def _find_bot_faults(recorded: RecordedTurn, side: Side, counted: SideCount) -> Iterator[Fault]:
    """Find ballots of a computer opponent that are not its own. One without a ballot is a gap."""
    record = recorded.record
    strength = record.bots.strength(side) if record.bots else None
    if strength is None or not counted.ballots or not _knows_bots(record):
        return
    pick = pick_action(recorded.game, recorded.state, side, strength, recorded.count.seed)
    choices = [choice for choice, _ in counted.ballots]
    if choices != [pick]:
        yield Fault(recorded.number, side, f"the computer votes for {pick}, but the ballots are {choices}")


def _knows_bots(record: MatchRecord) -> bool:
    return record.bots is None or record.bots.version == bots.VERSION


def _find_bot_gaps(record: MatchRecord) -> Iterator[str]:
    if record.bots is None:
        return
    if not _knows_bots(record):
        yield f"the picks of the computer, which are of version {record.bots.version}"
    absent = [
        f"turn {number}"
        for number, count in enumerate(record.counts, 1)
        for side in SIDES
        if record.bots.strength(side) and (counted := side_count(count, side)) and not counted.ballots
    ]
    if absent:
        yield f"why the computer did not vote in {', '.join(absent)}"


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
    no_pick = _losing_counts(recorded.count) or deserted_side_at(recorded.record, recorded.number)
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


def _draws_version(count: TurnCount) -> int:
    return draws_version(count.seed, count.lot) or FROM_ROOTS


def _mix_seed(count: TurnCount) -> str:
    counted = {side: side_count(count, side) for side in SIDES}
    roots = {side: one.root or "" for side, one in counted.items() if one}
    return mix_seed(count.seed, _draws_version(count), roots)


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

"""Count a whole match again from its record, with the rules of the project, and say all that is wrong."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from games.engine.errors import GameError, IllegalPick
from games.engine.game import SIDES, Game, Picks, Resolution, Result, Side, other
from games.engine.registry import find_game, read_options
from voting.counting.ballots import Ballot
from voting.counting.choices import is_fit
from voting.counting.commitments import tree_of
from voting.counting.lots import commit_lot, draw_lot
from voting.counting.tally import Decision, SideBallots, TallyTerms, decide
from voting.counting.types import NoBallotRule
from voting.protocol import Ending
from voting.records.match_record import MatchRecord, SideCount, Terms, TurnCount, count_of
from voting.records.recount_sides import deserted_in, faults_of_sides

BLIND = re.compile(r"[0-9a-f]{32}|", re.ASCII)
SEED = re.compile(r"[0-9a-f]{32}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a record. `turn` counts from 1; None where it is about the whole match."""

    turn: int | None
    side: Side | None
    text: str

    def __str__(self) -> str:
        where = "the match" if self.turn is None else f"turn {self.turn}"
        return f"{where}{f', {self.side}' if self.side else ''}: {self.text}"


@dataclass(frozen=True, slots=True)
class Moment:
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
    """All of them, in order, up to the turn the rules refuse; none if the record is right."""
    return list(_find_faults(record))


def _find_faults(record: MatchRecord) -> Iterator[Fault]:
    if len(record.turns) != len(record.counts):
        yield Fault(None, None, f"it has {len(record.turns)} turns and {len(record.counts)} counts of turns")
        return
    try:
        game = find_game(record.game)
        state = game.start(read_options(game, record.options))
    except GameError as refusal:
        yield Fault(None, None, str(refusal))
        return
    yield from (Fault(number, None, text) for number, text in faults_of_sides(record))
    result: Result = "open"
    for number in range(1, len(record.turns) + 1):
        moment = Moment(record, number, game, state)
        if result != "open":
            yield Fault(number, None, "the match was over before it")
            return
        yield from _faults_of_turn(moment)
        try:
            state, resolution = game.resolve(state, moment.picks)
        except IllegalPick as refusal:
            yield Fault(number, None, str(refusal))
            return
        result = _result_after(moment, resolution)
    yield from _faults_of_end(record, result)


def _faults_of_end(record: MatchRecord, result: Result) -> Iterator[Fault]:
    ended_by = None if result == "open" else _ending(record)
    if record.result != result:
        yield Fault(None, None, f"the result is {result}, and the record says {record.result}")
    if record.ended_by != ended_by:
        yield Fault(None, None, f"it was ended by {ended_by}, and the record says {record.ended_by}")


def _ending(record: MatchRecord) -> Ending:
    """How a match that is over came to its end."""
    if deserted_in(record, len(record.counts)):
        return "deserted"
    why = {count.decided_by for count in _lost(record.counts[-1]).values()}
    if not why:
        return "board"
    if "forfeit" not in why:
        return "resign"
    return "time" if record.ended_by == "time" else "forfeit"


def _result_after(moment: Moment, resolution: Resolution) -> Result:
    deserted = deserted_in(moment.record, moment.number)
    if deserted:
        return other(deserted)
    lost = list(_lost(moment.count))
    if len(lost) == len(SIDES):
        return "draw"
    if lost:
        return "yellow" if lost == ["red"] else "red"
    return resolution.result


def _lost(count: TurnCount) -> dict[Side, SideCount]:
    """The sides that gave the match up, or were not there."""
    counts = {side: counted for side in SIDES if (counted := count_of(count, side))}
    return {side: counted for side, counted in counts.items() if counted.decided_by in ("forfeit", "resign")}


def _faults_of_turn(moment: Moment) -> Iterator[Fault]:
    number, count = moment.number, moment.count
    before = moment.record.counts[number - 2].turn if number > 1 else 0
    if count.turn <= before:
        yield Fault(number, None, f"its id {count.turn} is not after the one before")
    if count.sealed_at is not None and count.resolved_at is not None and count.sealed_at > count.resolved_at:
        yield Fault(number, None, "it was resolved before it was sealed")
    if not SEED.fullmatch(count.seed):
        yield Fault(number, None, "the seed is not 32 hexadecimal digits")
        return
    if commit_lot(count.seed) != count.lot:
        yield Fault(number, None, "the seed is not the one that was committed to in `lot`")
    to_move = moment.game.to_move(moment.state)
    for side in SIDES:
        counted = count_of(count, side)
        if (counted is None) == (side in to_move):
            yield Fault(number, side, "it was to move" if counted is None else "it was not to move")
        elif counted is None:
            yield from _faults_of_pick(moment, side, None)
        else:
            yield from _faults_of_side(moment, side, counted)


def _faults_of_side(moment: Moment, side: Side, counted: SideCount) -> Iterator[Fault]:
    fault = partial(Fault, moment.number, side)
    legal = moment.game.legal_actions(moment.state, side)
    if counted.legal != legal:
        yield fault(f"the legal columns were {list(legal)}, and the record says {list(counted.legal)}")
    bad = False
    terms = moment.record.terms
    for place, (choice, blind) in enumerate(counted.ballots, 1):
        fits = is_fit(choice, terms.tally_method, legal, may_resign=terms.resign is not None)
        if not fits or not BLIND.fullmatch(blind):
            yield fault(f"ballot {place} is for no legal column, or its blind is none")
            bad = True
    if counted.captain is not None and not _has_captain(moment.record.terms, counted):
        yield fault(f"no ballot of a captain is at {counted.captain}")
        bad = True
    if bad:
        return
    root = tree_of(moment.count.turn, side, counted.ballots).root.hex()
    if counted.root != root:
        yield fault("the ballots are not those that were committed to: another root")
    yield from _faults_of_decision(moment, side, counted)


def _faults_of_decision(moment: Moment, side: Side, counted: SideCount) -> Iterator[Fault]:
    fault = partial(Fault, moment.number, side)
    decision = _decide_again(moment, side, counted)
    if counted.counts != decision.counts:
        yield fault(f"the counts are {list(decision.counts)}, and the record says {list(counted.counts)}")
    if counted.pick != decision.pick:
        yield fault(f"the ballots come to {decision.pick}, and the record says {counted.pick}")
    if counted.decided_by != decision.decided_by:
        yield fault(f"it was decided by {decision.decided_by}, and the record says {counted.decided_by}")
    if counted.rounds != decision.rounds:
        yield fault(f"the rounds are {_plain(decision.rounds)}, and the record says {_plain(counted.rounds)}")
    nothing = _lost(moment.count) or deserted_in(moment.record, moment.number)
    yield from _faults_of_pick(moment, side, None if nothing else decision.pick)


def _plain(rounds: tuple[tuple[int, ...], ...]) -> list[list[int]]:
    return list(map(list, rounds))


def _has_captain(terms: Terms, counted: SideCount) -> bool:
    return terms.tie_rule == "captain" and 0 <= (counted.captain or 0) < len(counted.ballots)


def _faults_of_pick(moment: Moment, side: Side, due: int | None) -> Iterator[Fault]:
    played = moment.picks.of(side)
    if played != due:
        yield Fault(moment.number, side, f"its pick is {due}, and {played} was played")


def _no_ballot_rule(moment: Moment, counted: SideCount) -> NoBallotRule:
    """Who ran out of time is said and cannot be shown: of two without a ballot one may have had time left."""
    record = moment.record
    had_time = record.ended_by == "time" and moment.number == len(record.counts)
    return "pass" if had_time and counted.decided_by == "pass" else record.terms.no_ballot_rule


def _decide_again(moment: Moment, side: Side, counted: SideCount) -> Decision:
    terms = moment.record.terms
    ballots = [
        Ballot("", side, column, 1, place, blind) for place, (column, blind) in enumerate(counted.ballots, 1)
    ]
    return decide(
        SideBallots(side, ballots, counted.captain),
        moment.game.legal_actions(moment.state, side),
        moment.game.view(moment.state, side).columns,
        TallyTerms(terms.tally_method, terms.tie_rule, _no_ballot_rule(moment, counted), terms.resign),
        partial(draw_lot, moment.count.seed, side),
    )

"""Rank the voters of an ended match by its ballots and analyses, and load the best judges."""

from collections.abc import Iterable, Mapping
from functools import cache
from statistics import fmean
from typing import cast

from crowdgame.results.analysis.analyzed_turn import AnalyzedSide, AnalyzedTurn, unpack_analysis
from crowdgame.results.analysis.best_judges import TurnLosses, best_judges, hash_judge, rank_voters
from crowdgame.results.analysis.models import MatchJudges, TurnAnalysis
from games.engine.game import Side
from voting import protocol
from voting.counting.ballots import HAND_VOTER_PREFIX, unpack_ballots
from voting.counting.methods.voting_method import VotingMethod, find_method
from voting.counting.voter_codes import derive_voter_code
from voting.models import Event, Match, StoredRestriction, TallyRecord, TurnState
from voting.nicknames import load_nicknames
from voting.sources.bots import bot_seats
from voting.terms import Admission, MatchState

RANKED = 50  # more than are named, for some may be banned later


def store_judges(match: Match) -> None:
    """Rank the voters of a match that has ended, once all its turns are analyzed. Idempotent.

    Takes a second with 50,000 voters, so only the analyzer calls it.
    """
    rows = TurnAnalysis.objects.filter(turn__match=match, turn__state=TurnState.RESOLVED)
    analyses = {row.turn.number: unpack_analysis(bytes(row.packed)) for row in rows.select_related("turn")}
    turns = match.turns.filter(state=TurnState.RESOLVED).order_by("-number")
    has_ended = Match.objects.filter(pk=match.pk, state=MatchState.ENDED).exists()
    is_whole = has_ended and len(analyses) == turns.count()
    if is_whole and all(one.solution.is_conclusive for one in analyses.values()):
        ranked = rank_voters(_losses(match, analyses), match.seed)
        MatchJudges.objects.get_or_create(turn=turns[0], defaults={"voters": ranked[:RANKED]})


def load_judges(match: Match, event: Event) -> tuple[protocol.Judge, ...]:
    """Return the best judges of a match that has ended. Empty if the event shows none."""
    judges = load_judge_hashes(match, event)
    names = load_nicknames(event) if judges else {}
    return tuple(protocol.Judge(hash=found, name=names.get(code, "")) for code, found in judges.items())


def load_judge_hashes(match: Match, event: Event) -> dict[str, str]:
    """Return the public hashes of the judges that the event shows, by voter code, the best first."""
    if _hides(event) or match.max_side_changes:
        return {}
    last = match.turns.filter(state=TurnState.RESOLVED).order_by("-number")[:1]
    stored = MatchJudges.objects.filter(turn__in=last.values("pk")).first()
    if stored is None:
        return {}
    voters = {derive_voter_code(voter): voter for voter in stored.voters}
    best = best_judges(list(voters), _banned(event))
    return {code: hash_judge(voters[code], stored.turn_id) for code in best}


def judges_version(match: Match) -> tuple[object, ...]:
    """Return a value that changes with what the event shows of the match's judges."""
    event = match.event
    names = sorted(load_nicknames(event).items())
    return _hides(event), event.anonymized_at, *sorted(_banned(event)), *names


def _hides(event: Event) -> bool:
    return event.hide_judges or event.hide_tally or event.admission == Admission.ROSTER


def _banned(event: Event) -> set[str]:
    rows = StoredRestriction.objects.filter(event=event, banned=True)
    return set(rows.values_list("voter_code", flat=True))


def _losses(match: Match, analyses: Mapping[int, AnalyzedTurn]) -> Iterable[TurnLosses]:
    method, excluded = find_method(match.tally_method), bot_seats(match.event_id) | {""}
    tallies = TallyRecord.objects.filter(turn__match=match, turn__state=TurnState.RESOLVED)
    by_turn: dict[int, dict[Side, Mapping[str, float]]] = {}
    for number, side, packed in tallies.values_list("turn__number", "side", "sealed").iterator():
        if judged := analyses[number].sides.get(cast(Side, side)):
            losses = _side_losses(bytes(packed), judged, method, excluded)
            by_turn.setdefault(number, {})[cast(Side, side)] = losses
    return by_turn.values()


def _side_losses(
    packed: bytes, judged: AnalyzedSide, method: VotingMethod, excluded: set[str]
) -> dict[str, float]:
    """Return the mean loss of each voter's columns. Leaves out hands, and voters without a column."""

    @cache
    def loss(choice: int) -> float | None:
        columns = method.counted(method.decode(choice))
        return fmean(judged.losses[column] for column in columns) if columns else None

    return {
        ballot.voter: cost
        for ballot in unpack_ballots(packed)
        if ballot.voter not in excluded
        and not ballot.voter.startswith(HAND_VOTER_PREFIX)
        and (cost := loss(ballot.choice)) is not None
    }

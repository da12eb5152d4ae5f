"""Load the best judges of an ended match from its ballots and stored analyses."""

from collections.abc import Iterable, Mapping
from functools import partial
from statistics import mean
from typing import cast

from django.core.cache import caches
from django.db.models import Max

from crowdgame.analysis.analyzed_turn import AnalyzedSide, AnalyzedTurn
from crowdgame.analysis.best_judges import TurnLosses, best_judges, rank_voters
from games.engine.game import Side
from voting import protocol
from voting.counting.ballots import HAND_VOTER_PREFIX, unpack_ballots
from voting.counting.methods.voting_method import VotingMethod, find_method
from voting.counting.voter_codes import derive_voter_code
from voting.models import Event, Match, StoredRestriction, TallyRecord, TurnState
from voting.nicknames import load_nicknames
from voting.terms import Admission


def load_judges(
    match: Match, analyses: Mapping[int, AnalyzedTurn], event: Event
) -> tuple[protocol.Judge, ...]:
    """Return the best judges of an ended match with all its analyses. Empty if the event shows none.

    Ranks the voters once. Reads bans and nicknames each time.
    """
    if _hides(event) or match.max_side_changes:
        return ()
    last = match.turns.filter(state=TurnState.RESOLVED).aggregate(last=Max("pk"))["last"]
    key = f"judges:{event.code}:{last}:{event.anonymized_at and event.anonymized_at.timestamp()}"
    ranked = caches["local"].get_or_set(key, partial(_rank, match, analyses)) or []
    names = load_nicknames(event)
    return tuple(
        protocol.Judge(voter_code=voter_code, name=names.get(voter_code, ""))
        for voter_code in best_judges(ranked, _banned(event))
    )


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


def _rank(match: Match, analyses: Mapping[int, AnalyzedTurn]) -> list[str]:
    return [derive_voter_code(voter) for voter in rank_voters(_losses(match, analyses), match.seed)]


def _losses(match: Match, analyses: Mapping[int, AnalyzedTurn]) -> Iterable[TurnLosses]:
    method = find_method(match.tally_method)
    tallies = TallyRecord.objects.filter(turn__match=match, turn__state=TurnState.RESOLVED)
    by_turn: dict[int, dict[Side, Mapping[str, float]]] = {}
    for number, side, packed in tallies.values_list("turn__number", "side", "sealed").iterator():
        if judged := analyses[number].sides.get(cast(Side, side)):
            by_turn.setdefault(number, {})[cast(Side, side)] = _side_losses(bytes(packed), judged, method)
    return by_turn.values()


def _side_losses(packed: bytes, judged: AnalyzedSide, method: VotingMethod) -> dict[str, float]:
    """Return the mean loss of each voter's columns. Leaves out hands, and voters without a name or column."""
    return {
        ballot.voter: mean(judged.losses[column] for column in columns)
        for ballot in unpack_ballots(packed)
        if ballot.voter
        and not ballot.voter.startswith(HAND_VOTER_PREFIX)
        and (columns := method.counted(method.decode(ballot.choice)))
    }

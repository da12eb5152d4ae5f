from typing import Any

from crowdgame.results.analysis.analyzer import POLL_S, Analyzer
from crowdgame.results.analysis.models import TurnAnalysis
from tests.voting.match_helpers import new_event
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Match
from voting.turns.turns import start_match

TOKEN: dict[str, Any] = {"options": {"token": "red"}}


def begin(box: BallotBox, **choices: Any) -> Match:
    return start_match(new_event(**(TOKEN | choices)).pk, box)


def analyze_all(box: BallotBox) -> Analyzer:
    analyzer = Analyzer(box, reveal_ms=0)
    while analyzer.run_once() < POLL_S:
        pass
    return analyzer


def analyzed(match: Match) -> list[int]:
    rows = TurnAnalysis.objects.filter(turn__match=match)
    return sorted(rows.values_list("turn__number", flat=True))

"""The pause after a reveal in which screens say what the analysis of the turn found."""

from typing import Any

from games.solver.positions import EXACT_CELLS, read_position
from voting.counting.pacing import STRETCH, count_words, reading_ms
from voting.models import Event, Match
from voting.terms import AnalysisTime, Pace

WORDS = 12  # of the longest translation of the sentence, without the name of the team


def analysis_pause_ms(event: Event, match: Match, state: Any) -> int:
    """Return how long the next vote waits after the turn that was played in `state`.

    0 if nothing is said about it, or in the time to talk that follows.
    """
    if event.analysis != AnalysisTime.TURN or match.is_secret:
        return 0
    position = read_position(state)
    if match.talk_s or match.pace == Pace.INSTANT or position is None:
        return 0
    if position.is_classic and position.free_cells > EXACT_CELLS:
        return 0
    name_words = max(count_words(match.red.name), count_words(match.yellow.name))
    return round(reading_ms(WORDS + name_words) * STRETCH[Pace(match.pace)])

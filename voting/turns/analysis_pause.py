"""The pause after a reveal in which screens say what the analysis of the turn found."""

from typing import Any

from games.solver.positions import EXACT_CELLS, read_position
from voting.counting.pacing import STRETCH, count_words, reading_ms
from voting.matches import judges_each_turn
from voting.models import Match
from voting.terms import Pace

WORDS = 12  # of the longest translation of the sentence, without the name of the team


def pause_after_reveal_ms(match: Match, state: Any) -> int:
    """Return how long the next vote waits after the turn that was played in `state`: also for the host."""
    return max(analysis_pause_ms(match, state), (match.host_wait_s or 0) * 1000)


def analysis_pause_ms(match: Match, state: Any) -> int:
    """Return how long the next vote waits after the turn that was played in `state`.

    0 if nothing is said about it, or in the time to talk that follows. With time banks, nobody waits.
    Queries the event only if the match may have a pause.
    """
    if match.is_secret or match.talk_s or match.bank_s is not None or match.pace == Pace.INSTANT:
        return 0
    position = read_position(state)
    if position is None or not judges_each_turn(match.event, match):
        return 0
    if position.is_classic and position.free_cells > EXACT_CELLS:
        return 0
    name_words = max(count_words(match.red.name), count_words(match.yellow.name))
    return round(reading_ms(WORDS + name_words) * STRETCH[Pace(match.pace)])

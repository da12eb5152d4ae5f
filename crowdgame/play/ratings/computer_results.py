"""A guest's results against the computer, by its strength. They are kept apart from ratings."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from crowdgame.accounts.models import Guest
from voting.models import Match, MatchResult
from voting.terms import MatchState

ComputerResult = Mapping[str, Any]


def load_computer_results(guest: Guest) -> QuerySet[Match, ComputerResult]:
    """Return `game`, `strength`, `won`, `drawn` and `lost` of the guest's finished games, weakest first."""
    by_one, by_two = Q(event__duel__one=guest), Q(event__duel__two=guest)
    red = by_one & Q(red__number=1) | by_two & Q(red__number=2)
    yellow = by_one & Q(yellow__number=1) | by_two & Q(yellow__number=2)
    red_won, yellow_won = Q(result=MatchResult.RED), Q(result=MatchResult.YELLOW)
    played = Match.objects.filter(by_one | by_two, event__duel__bot__isnull=False, state=MatchState.ENDED)
    return (
        played.order_by("game", "event__duel__bot")
        .values("game", strength=F("event__duel__bot"))
        .annotate(
            won=Count("pk", filter=red & red_won | yellow & yellow_won),
            drawn=Count("pk", filter=Q(result=MatchResult.DRAW)),
            lost=Count("pk", filter=red & yellow_won | yellow & red_won),
        )
    )

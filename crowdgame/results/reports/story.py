"""`/follow/CODE`: what has happened in an event so far, for latecomers and people without a seat.

It shows resolved turns only, so nothing of an open voting window.
"""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from crowdgame.results.reports.reading import read_report
from crowdgame.results.reports.report_view import describe_board
from crowdgame.results.reports.sentences import describe_end, describe_result, describe_turn
from crowdgame.server.web.oembed import oembed_address
from voting.matches import live_turn
from voting.models import Event, Match, Turn, TurnState
from voting.records.exports import record_version
from voting.terms import Lobby, MatchState

CACHE_SIZE = 32
MAX_AGE_S = 10
_cache: dict[tuple[object, ...], "Story"] = {}


@dataclass(frozen=True, slots=True)
class Story:
    """A match as far as it is public. `turns` have a number and a sentence, the latest first."""

    number: int
    playing: bool
    result: str
    end: str
    board: str
    turns: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class StoryPage:
    """`closes_at` is the deadline of the open vote in turn `turn`. `story` is None before the first match."""

    story: Story | None
    turn: int
    closes_at: datetime | None
    paused: bool
    next_match_at: datetime | None
    ends_at: datetime | None
    joinable: bool

    @property
    def version(self) -> str:
        """Differs as soon as the page shows something else, and is equal on all gateways."""
        digest = hashlib.blake2b(repr(self.story).encode(), digest_size=8).hexdigest()
        times = (at.isoformat() if at else "-" for at in (self.closes_at, self.next_match_at, self.ends_at))
        return " ".join((digest, str(self.turn), f"{self.paused:d}{self.joinable:d}", *times))


@require_safe
def follow(request: HttpRequest, code: str) -> HttpResponse:
    event = get_object_or_404(Event, code=code)
    page = _load_page(event)
    context = {"event": event, "teams": event.teams.order_by("number"), "page": page, "story": page.story}
    context["oembed"] = oembed_address(request, event)
    answer = render(request, "reports/story.html", context)
    answer.headers["Cache-Control"] = f"public, max-age={MAX_AGE_S}"
    patch_vary_headers(answer, ["Accept-Language", "Cookie"])
    return answer


def _load_page(event: Event) -> StoryPage:
    match = event.matches.select_related("event", "red", "yellow").order_by("-number").first()
    turn = live_turn(match) if match else None
    is_open = turn is not None and turn.state == TurnState.OPEN
    return StoryPage(
        story=_load_story(match) if match else None,
        turn=turn.number if turn else 0,
        closes_at=_to_datetime(turn.closes_at) if turn and is_open else None,
        paused=_is_paused(turn),
        next_match_at=_to_datetime(event.next_match_at),
        ends_at=_to_datetime(event.ends_at),
        joinable=event.lobby == Lobby.OPEN,
    )


def _is_paused(turn: Turn | None) -> bool:
    return turn is not None and turn.state == TurnState.PAUSED


def _load_story(match: Match) -> Story:
    version = *record_version(match), get_language()
    if version not in _cache:
        while len(_cache) >= CACHE_SIZE:
            _cache.pop(next(iter(_cache)), None)
        _cache[version] = _build_story(match)
    return _cache[version]


def _build_story(match: Match) -> Story:
    report = read_report(match)
    board = report.turns[-1].board if report.turns else report.start
    return Story(
        number=match.number,
        playing=match.state == MatchState.PLAYING,
        result=describe_result(report),
        end=describe_end(report),
        board=describe_board(report, board),
        turns=tuple((turn.number, describe_turn(report, turn)) for turn in reversed(report.turns)),
    )


def _to_datetime(ms: int | None) -> datetime | None:
    return datetime.fromtimestamp(ms / 1000, UTC) if ms else None

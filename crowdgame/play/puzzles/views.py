"""`/puzzles`: the puzzle of the day and all others. The browser checks answers and shows solutions."""

from datetime import UTC, datetime
from typing import Annotated

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from crowdgame.play.puzzles.puzzle_file import GAME, OPTIONS, StoredPuzzle, daily_number, read_puzzles
from crowdgame.play.puzzles.solve_rates import Difficulty, count_answer, rate_difficulty
from crowdgame.server.web.built_page import built_page_response
from games.engine.game import Side
from games.solver.puzzle import Kind, Weights


class ShownPuzzle(msgspec.Struct, frozen=True, kw_only=True):
    """A puzzle with its solution. `mixes` are in twelfths. `daily` is the number of today's puzzle."""

    number: int
    count: int
    daily: int
    kind: Kind
    side: Side
    answer: int
    depth: int
    mixes: tuple[Weights, ...]
    difficulty: Difficulty
    game: str
    options: dict[str, int | str]
    turns: tuple[tuple[int, int], ...]


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`mark` is a hash of the puzzle and a number that the browser drew."""

    mark: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
    choice: int


@require_safe
def puzzle_page(_request: HttpRequest, number: int | None = None) -> HttpResponse:
    """Serve the page; without a number, it shows today's. Answers 503 if the frontend isn't built."""
    _find_puzzle(number)
    return built_page_response("puzzles")


@require_safe
def puzzle(_request: HttpRequest, number: int | None = None) -> HttpResponse:
    """Serve a puzzle as JSON; without a number, today's."""
    stored = _find_puzzle(number)
    shown = ShownPuzzle(
        number=number or _today(),
        count=len(read_puzzles()),
        daily=_today(),
        kind=stored.kind,
        side=stored.side,
        answer=stored.answer,
        depth=stored.depth,
        mixes=stored.mixes,
        difficulty=rate_difficulty(stored),
        game=GAME,
        options=OPTIONS,
        turns=stored.picks,
    )
    return HttpResponse(msgspec.json.encode(shown), "application/json", headers={"Cache-Control": "no-cache"})


@csrf_exempt  # no cookie has a meaning here
@require_POST
def answer(request: HttpRequest, number: int) -> HttpResponse:
    """Count an answer. Answers 400 for one that the puzzle doesn't offer."""
    stored = _find_puzzle(number)
    try:
        given = msgspec.json.decode(request.body, type=Answer)
    except msgspec.DecodeError:
        return HttpResponse("This is no answer.\n", "text/plain", 400)
    if given.choice not in stored.choices:
        return HttpResponse("There is no such choice.\n", "text/plain", 400)
    count_answer(stored, given.mark, given.choice)
    return HttpResponse(status=204)


def _today() -> int:
    return daily_number(datetime.now(UTC).date())


def _find_puzzle(number: int | None) -> StoredPuzzle:
    """Raises Http404 for a number without a puzzle."""
    puzzles = read_puzzles()
    if number is None:
        number = _today()
    if not 0 < number <= len(puzzles):
        raise Http404
    return puzzles[number - 1]

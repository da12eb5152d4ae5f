"""Create events and matches, and keep their turns: the games' side of every use case.

Whoever writes a turn compares its state and version (`claim_turn`): of several that try, one does.
Whoever changes a match or a turn does so within `event_lock`: first the event's row, then all others.
"""

import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from games.engine.errors import GameError
from games.engine.game import SIDES, Game, Picks, Resolution, Side, Vote
from games.engine.registry import find_game, read_options
from games.models import (
    CLOSED_STATES,
    LIVE_STATES,
    Event,
    Match,
    MatchState,
    MatchTerms,
    Team,
    TieRule,
    Turn,
    TurnState,
)
from games.names import clean_name

CODE_LETTERS = "BCDFGHJKMNPQRSTVWXYZ23456789"
CODE_LENGTH = 4
TERMS = [field.name for field in MatchTerms._meta.get_fields()]


class MatchError(Exception):
    """What cannot be done with an event or match now; the message is fit to be shown."""


@dataclass(frozen=True, slots=True)
class Position:
    """A match as it stands: the replay of its turns that are closed.

    `turns` are resolved, and anybody may know of them; `resolutions` are theirs, and `votes` how each was
    voted. `concealed` came after them: the state holds its pick, and nobody is told yet.
    """

    game: Game[Any]
    state: Any
    turns: tuple[Turn, ...]
    resolutions: tuple[Resolution, ...]
    votes: tuple[Vote | None, ...]
    concealed: Turn | None

    @property
    def vote(self) -> Vote | None:
        """How the next turn is voted."""
        return self.game.view(self.state, None).vote

    @property
    def to_move(self) -> tuple[Side, ...]:
        return self.game.to_move(self.state)

    @property
    def last(self) -> Turn | None:
        """The turn that was closed last."""
        return self.concealed or (self.turns[-1] if self.turns else None)

    @property
    def revealed_with_last(self) -> Turn | None:
        """The turn that stayed secret until the last one was revealed."""
        return self.turns[-2] if self.votes[-2:-1] == ("concealed",) else None


@contextmanager
def event_lock(event_id: int) -> Iterator[None]:
    """A transaction in which nobody else changes the event, its matches or its turns.

    What is read in it is what the last change left, and whoever waits for it holds nothing yet.
    """
    with transaction.atomic():
        Event.objects.select_for_update(no_key=True).values_list("pk").get(pk=event_id)
        yield


@contextmanager
def locked_event(event_id: int) -> Iterator[Event]:
    """The same, and the event as it is by then."""
    with event_lock(event_id):
        yield Event.objects.get(pk=event_id)


def generate_code() -> str:
    """A join code nobody has: no vowels, so no words and none of the site's own addresses."""
    while True:
        code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        if not Event.objects.filter(code=code).exists():
            return code


def create_event(owner: User, name: str, team_names: tuple[str, str], **choices: Any) -> Event:
    """An event with its two teams. `choices` are further fields of Event."""
    with transaction.atomic():
        event = Event.objects.create(owner=owner, name=clean_name(name), code=generate_code(), **choices)
        for number, team_name in enumerate(team_names, 1):
            Team.objects.create(event=event, number=number, name=clean_name(team_name))
    return event


def create_match(event: Event, now: int) -> Match:
    """The event's next match, its lots drawn. Raises MatchError while one is playing."""
    if event.matches.filter(state=MatchState.PLAYING).exists():
        raise MatchError("A match is playing already.")
    try:
        game = find_game(event.game)
        options = game.draw_lots(read_options(game, event.options), secrets.randbits(32))
    except GameError as refusal:
        raise MatchError(f"This game cannot be played: {refusal}.") from refusal
    number = (event.matches.aggregate(last=Max("number"))["last"] or 0) + 1
    red, yellow = event.teams.order_by("-number" if _swaps_sides(event, number) else "number")
    if event.max_side_changes:
        _check_secret_sides(event, game, options)
    terms = {name: getattr(event, name) for name in TERMS}
    return Match.objects.create(
        **(terms | {"options": msgspec.to_builtins(options)}),
        event=event,
        number=number,
        red=red,
        yellow=yellow,
        started_at=now,
    )


def _swaps_sides(event: Event, number: int) -> bool:
    """In every other match, if the event says so."""
    return event.swaps_sides and number % 2 == 0


def _check_secret_sides(event: Event, game: Game[Any], options: Any) -> None:
    """What a board or a show of hands tells of a side cannot be secret. Raises MatchError."""
    if event.bank_s is not None or event.teams.filter(hands=True).exists():
        raise MatchError("Secret sides need teams that vote by phone, in a common window.")
    if event.tie_rule == TieRule.CAPTAIN:
        raise MatchError("Secret sides go with no captains: where a captain votes is open to all.")
    state = game.start(options)
    red, yellow = (game.legal_actions(state, side) for side in SIDES)
    if red != yellow or game.view(state, None).drawing:
        raise MatchError("Secret sides need a game in which both sides choose from the same at once.")


def load_position(match: Match, before: Turn | None = None) -> Position:
    """As it stands, or as it stood `before` that turn: somebody may have closed it meanwhile."""
    closed = match.turns.filter(state__in=CLOSED_STATES)
    return replay(match, (closed.filter(number__lt=before.number) if before else closed).order_by("number"))


def replay(match: Match, closed: Iterable[Turn]) -> Position:
    """The match after these turns, in their order."""
    game = find_game(match.game)
    state = game.start(read_options(game, match.options))
    turns, resolutions, votes = [], [], []
    concealed = None
    for turn in closed:
        vote = game.view(state, None).vote
        state, resolution = game.resolve(state, Picks(turn.red_pick, turn.yellow_pick))
        if turn.state == TurnState.CONCEALED:
            concealed = turn
            continue
        turns.append(turn)
        resolutions.append(resolution)
        votes.append(vote)
    return Position(game, state, tuple(turns), tuple(resolutions), tuple(votes), concealed)


def live_turn(match: Match) -> Turn | None:
    return match.turns.filter(state__in=LIVE_STATES).first()


def create_turn(match: Match, number: int, opens_at: int, closes_at: int, **banks: int) -> Turn:
    """`banks`: in a match by clocks, what each side has left. Who is captain now is so for the whole turn."""
    seed = secrets.token_hex(16)
    captains = _captains(match) if match.tie_rule == TieRule.CAPTAIN else {}
    return Turn.objects.create(
        match=match,
        number=number,
        opens_at=opens_at,
        closes_at=closes_at,
        seed=seed,
        red_captain=captains.get(match.red_id, ""),
        yellow_captain=captains.get(match.yellow_id, ""),
        **banks,
    )


def _captains(match: Match) -> dict[int, str]:
    return dict(Team.objects.filter(event=match.event_id).values_list("pk", "captain"))


def claim_turn(turn: Turn, **changes: Any) -> bool:
    """Write `changes` if nobody has written the turn since it was loaded."""
    untouched = Turn.objects.filter(pk=turn.pk, state=turn.state, version=turn.version)
    changes |= {"version": turn.version + 1}
    if untouched.update(**changes) != 1:
        return False
    for name, value in changes.items():
        setattr(turn, name, value)
    return True


def end_match(match: Match, result: str, ended_by: str, now: int) -> None:
    match.state, match.result, match.ended_by, match.ended_at = MatchState.ENDED, result, ended_by, now
    match.save(update_fields=["state", "result", "ended_by", "ended_at"])


def abort_match(match: Match, now: int) -> None:
    match.state, match.ended_at = MatchState.ABORTED, now
    match.save(update_fields=["state", "ended_at"])


def reopen_match(match: Match) -> None:
    match.state, match.result, match.ended_by, match.ended_at = MatchState.PLAYING, None, None, None
    match.save(update_fields=["state", "result", "ended_by", "ended_at"])

"""A scripted match: the states of an event as a gateway sends them, by the real rules."""

from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from games.engine.game import SIDES, Picks, Resolution, Side
from games.engine.registry import find_game, read_options
from voting.counting.pacing import RevealSteps, find_close_call, pace_reveal
from voting.counting.tally import SideTally
from voting.protocol import EventState, Finished, Legal, Match, Reveal, Team, Turn
from voting.terms import HANDS, Ending, EndReason, NoBallotRule, Pace, TeamChoice, TieRule

GAME = find_game("simultaneous-captains-mistress")
NAMES = ("North Hall", "South Hall")
WINDOW_S = 20
AFTER_MS = 5_000
OTHERS = (7, 3, 11, 2, 5, 1, 4)
SEED = "5eed" * 16
# Red's and yellow's column per turn; then both pick the third column, and red completes two lines at once.
LONG_MATCH = ((2, 7), (1, 2), (6, 6), (4, 1), (5, 1), (4, 3), (2, 6), (6, 1), (4, 5), (2, 6), (5, 4))
LAST = (3, 3)


@dataclass(frozen=True, slots=True)
class Played:
    number: int
    resolution: Resolution
    red: SideTally
    yellow: SideTally

    @property
    def tallies(self) -> dict[Side, SideTally]:
        return {"red": self.red, "yellow": self.yellow}


@dataclass(frozen=True, slots=True)
class ScriptedMatch:
    """A match up to some turn. `play` returns the match after one more turn."""

    position: Any = None
    played: tuple[Played, ...] = ()
    match: int = 1
    columns: int = 7
    choices: dict[str, Any] = field(default_factory=dict)
    terms: dict[str, Any] = field(default_factory=dict)

    @property
    def state(self) -> Any:
        options = read_options(GAME, {"columns": self.columns})
        return self.position if self.position is not None else GAME.start(options)

    @property
    def turn_id(self) -> int:
        return 1000 * self.match + len(self.played) + 1

    @property
    def window_ms(self) -> int:
        return int(self.terms.get("window_s", WINDOW_S)) * 1000

    def play(self, red: int, yellow: int, votes: int = 60) -> "ScriptedMatch":
        after, resolution = GAME.resolve(self.state, Picks(red, yellow))
        number = len(self.played) + 1
        turn = Played(number, resolution, self.tally(red, votes), self.tally(yellow, votes + 9))
        return replace(self, position=after, played=(*self.played, turn))

    def with_votes(self, red: tuple[int, ...], yellow: tuple[int, ...]) -> "ScriptedMatch":
        last = self.played[-1]
        tallies = (
            msgspec.structs.replace(tally, counts=counts, ballots=sum(counts))
            for tally, counts in ((last.red, red), (last.yellow, yellow))
        )
        return replace(self, played=(*self.played[:-1], Played(last.number, last.resolution, *tallies)))

    def tally(self, pick: int, votes: int) -> SideTally:
        counts = [OTHERS[(column + pick) % 7] for column in range(self.columns)]
        counts[pick - 1] += votes
        counted: Any = {"counts": tuple(counts), "ballots": sum(counts), "pick": pick}
        return SideTally(decided_by="plurality", root=f"{pick:02x}{votes:02x}" * 16, **counted)

    def event(self, match: Match | None, **choices: Any) -> EventState:
        teams = (Team(number=1, name=NAMES[0]), Team(number=2, name=NAMES[1]))
        given: dict[str, Any] = {"teams": teams, "finished": (), "next_match_at": None, "lobby": "open"}
        given |= {"game": GAME.slug, "team_choice": TeamChoice.BALANCE} | self.choices | choices
        return EventState(code="Q7RM", name="Summer fair", match=match, **given)

    def lobby(self, now: int) -> EventState:
        return self.event(None)

    def talk(self, now: int, left_ms: int = 18_000) -> EventState:
        scripted = replace(self, terms={**self.terms, "talk_s": 20})
        return scripted._in_window(now + left_ms, now, talk_ms=20_000)

    def voting(self, now: int, left_ms: int = 16_000) -> EventState:
        return self._in_window(now + left_ms - self.window_ms, now)

    def paused(self, now: int) -> EventState:
        return self._in_window(now - 8_000, now, paused=True, left_ms=12_000)

    def sealed(self, now: int) -> EventState:
        return self._in_window(now - self.window_ms - 100, now)

    def _in_window(self, opens_at: int, now: int, **choices: Any) -> EventState:
        turn = self.turn(opens_at, **choices)
        return self.event(self._match("playing", turn, self._reveal(now - 600_000)))

    def reveal(self, now: int, step: str = "sealed", slower: int = 1) -> EventState:
        """The last turn is being revealed, and the next one, if any, opens after that.

        `step` is a key of `step_moments`. All steps last `slower` times longer, and a wait follows them.
        """
        times: dict[str, Any] = msgspec.structs.asdict(self.steps)
        steps = RevealSteps(**{name: at and at * slower for name, at in times.items()})
        at = now - step_moments(steps)[step]
        on = GAME.result(self.state) == "open"
        turn = self.turn(at + steps.over + AFTER_MS * (slower - 1)) if on else None
        return self.event(self._match("playing" if on else "ended", turn, self._reveal(at, steps)))

    @property
    def steps(self) -> RevealSteps:
        last = self.played[-1]
        names = dict(zip(SIDES, NAMES, strict=True))
        call = find_close_call(last.resolution, last.tallies)
        return pace_reveal(last.resolution, last.tallies, call, names, Pace(self.terms.get("pace", "normal")))

    def ended(self, now: int, **choices: Any) -> EventState:
        return self.event(self._match("ended", None, self._reveal(now - 600_000)), **choices)

    def aborted(self, now: int) -> EventState:
        return self.event(self._match("aborted", None, self._reveal(now - 600_000)))

    def turn(self, opens_at: int, paused: bool = False, left_ms: int = 0, talk_ms: int = 0) -> Turn:
        red, yellow = (tuple(GAME.legal_actions(self.state, side)) for side in SIDES)
        times: Any = {"opens_at": opens_at, "closes_at": opens_at + self.window_ms, "talk_ms": talk_ms}
        now: Any = {"to_move": GAME.to_move(self.state), "paused": paused, "left_ms": left_ms, **times}
        number, legal = len(self.played) + 1, Legal(red=red, yellow=yellow)
        return Turn(id=self.turn_id, number=number, epoch=1, legal=legal, lot="10" * 32, **now)

    def _match(self, state: Any, turn: Turn | None, reveal: Reveal | None) -> Match:
        match = {"id": self.match, "number": self.match, "game": GAME.slug, "title": GAME.title}
        rules = {"tie_rule": TieRule.FIRST, "no_ballot_rule": NoBallotRule.RANDOM, "close_early": False}
        given: dict[str, Any] = {"red": 1, "yellow": 2, "pace": Pace.NORMAL, "tally_method": "plurality"}
        given |= {"window_s": WINDOW_S, "board": GAME.view(self.state, None), **match, **rules, **self.terms}
        ended = {"ended_by": Ending.BOARD, "end_reason": self.end_reason} if state == "ended" else {}
        given |= {"result": GAME.result(self.state), "ended_by": None, "end_reason": None} | ended
        return Match(state=state, turn=turn, reveal=reveal, **given)

    @property
    def end_reason(self) -> EndReason:
        last = self.played[-1].resolution
        return EndReason.HOLDER if last.double_win else EndReason.LINE if last.lines else EndReason.FULL

    def _reveal(self, at: int, steps: RevealSteps | None = None) -> Reveal | None:
        if not self.played:
            return None
        last = self.played[-1]
        times: Any = {"sealed_at": at - 40, "resolved_at": at, "steps": steps or self.steps}
        given: Any = {"number": last.number, "resolution": last.resolution, **last.tallies, **times}
        call = find_close_call(last.resolution, last.tallies)
        return Reveal(turn=self.turn_id - 1, close_call=call, seed=SEED, **given)


def step_moments(steps: RevealSteps) -> dict[str, int]:
    """A moment within each part of a reveal, in milliseconds since the turn was resolved."""
    fall = steps.drops if steps.second is None else steps.second
    return {
        "sealed": 0,
        "votes": (steps.pour + 2 * steps.picks) // 3,
        "picks": (steps.picks + (steps.hold or steps.drops)) // 2,
        "hold": ((steps.hold or steps.picks) + steps.drops) // 2,
        "drops": (fall + steps.lines) // 2,
        "both": (steps.lines + 4 * (steps.verdict or steps.over)) // 5,
        "lines": (steps.lines + 4 * steps.over) // 5,
        "replay": ((steps.replay or steps.over) + steps.over) // 2,
        "over": steps.over,
    }


def script_match(*picks: tuple[int, int], **given: Any) -> ScriptedMatch:
    scripted = ScriptedMatch(**given)
    for red, yellow in picks:
        scripted = scripted.play(red, yellow)
    return scripted


def hands(side: Side, source: str = HANDS) -> dict[str, Any]:
    """Event options in which this side's team votes by a show of hands, or in another way."""
    teams = [Team(number=number, name=name) for number, name in enumerate(NAMES, 1)]
    at = SIDES.index(side)
    teams[at] = msgspec.structs.replace(teams[at], source=source, is_public=source != HANDS)
    return {"teams": tuple(teams)}


def chat(side: Side) -> dict[str, Any]:
    """Event options in which this side's team votes in a chat."""
    return hands(side, "twitch:rooks")


def series(*winners: int | None) -> dict[str, Any]:
    """Event options of a best-of-five series with these winners."""
    ended = tuple(Finished(number=number, winner=winner, turns=9) for number, winner in enumerate(winners, 1))
    return {"best_of": 5, "finished": ended}

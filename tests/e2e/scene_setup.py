"""How a scene is made: its match, the states of an event, and opening a page in it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import msgspec
from playwright.sync_api import Page, expect

from tests.e2e.fake_gateway import FakeGateway, ServerMessage
from tests.e2e.page_checks import NEXT_FRAME_JS
from tests.e2e.scripted_match import GAME, LAST, LONG_MATCH, ScriptedMatch, script_match
from voting import protocol
from voting.counting.commitments import Commitment
from voting.counting.side_changes import SidesSummary, SidesTurn

# A reveal this many times slower stands still for a picture.
SLOWER = 15
# The deferred part adds style rules, such as `settle`.
DEFERRED_PART_IS_DRAWN = """() => [...document.styleSheets[0].cssRules]
  .some(({name}) => name === "settle")"""
CODE = "Q7RM"
State = Callable[[int], protocol.EventState]
Action = Callable[[Page, FakeGateway], object]
MIDDLE = script_match(*LONG_MATCH[:7])
THE_END = script_match(*LONG_MATCH).play(*LAST)
CONFLICT = script_match(*LONG_MATCH[:2], (6, 6))
# A full board without four in a row.
DRAW = script_match(
    *((2, 5), (2, 1), (7, 1), (5, 1), (4, 4), (3, 5), (3, 2), (6, 3), (6, 3), (4, 7), (2, 3)),
    *((4, 2), (3, 5), (5, 6), (4, 2), (5, 5), (6, 4), (7, 6), (1, 1), (6, 7), (1, 7), (7, 7)),
)
BOTH_WIN = script_match(*[(1, 7)] * 4)
# Both sides want the last cell of the sixth column.
FULL = script_match((6, 6), (6, 6), (6, 1), (6, 6))
ANALYSIS = protocol.Analysis(
    turn=MIDDLE.turn_id - 1,
    before=0.44,
    after=0.71,
    verdicts=(
        protocol.Verdict(side="yellow", column=6, quality="mistake", held=7, share=0.12),
        protocol.Verdict(side="red", column=2, quality="best"),
    ),
    red_classes=(None, "good", *5 * ("best",)),
    yellow_classes=(*6 * ("mistake",), "best"),
    red_mix=(0, 0, 31, 69, 0, 0, 0),
    yellow_mix=(0, 0, 0, 0, 0, 0, 100),
)
DECIDING = protocol.MatchAnalysis(
    turning=9,
    mistake=protocol.DecisiveMistake(
        number=8,
        verdict=protocol.Verdict(side="yellow", column=1, quality="blunder", held=4, share=0.07),
        board=GAME.view(MIDDLE.state, None),
        before=0.52,
        after=0.93,
    ),
    missed=protocol.MissedWin(side="yellow", turns=3),
    judges=(
        protocol.Judge(hash="a" * 64, name="Wandering Cormorant 72"),
        protocol.Judge(hash="b" * 64),
        protocol.Judge(hash="c" * 64, name="Curious Heron 7"),
    ),
)
CONSENT = (
    "Your votes, without your name, go into a study of the University of North Haven:\n"
    "how do crowds come to agree? Questions: Ada Lindqvist, at the desk by the door."
)
NOTICE = "Soup is served at eight. Please leave the left aisle free for the stretcher."
LONG_NAMES = ("The Owls of Riverside Comprehensive", "Grundschule am Alten Mühlenweg")
GUESTS = ("Guest 12657", "Ada of Riverside")
DAY_MS = 24 * 3600 * 1000
# Per turn: red's members, and those who changed to red and to yellow.
SIDES_TURNS = [(512, 0, 0), (494, 12, 30), (530, 61, 25), (602, 96, 24), (581, 20, 41)]
SIDES_TURNS += [(540, 18, 59), (566, 70, 44), (655, 121, 32), (731, 95, 19)]
SIDES_SUMMARY = SidesSummary(
    turns=tuple(
        SidesTurn(red=red, yellow=1000 - red, to_red=to_red, to_yellow=to_yellow)
        for red, to_red, to_yellow in SIDES_TURNS
    ),
    loyal=(322, 141),
    in_time=310,
    too_soon=91,
)
WON_BY_RED = (protocol.Finished(number=1, winner=1, turns=12),)


@dataclass(frozen=True, slots=True)
class Scene:
    """`phase`: the body's `data-phase` once the page is ready; `answer`: the answer to its join."""

    name: str
    state: State
    phase: str
    team: int = 1
    more: tuple[ServerMessage, ...] = ()
    action: Action | None = None
    answer: ServerMessage | None = None
    query: str = ""


class Show(Protocol):
    def __call__(self, screen: str, state: State, phase: str = "voting", **scene: Any) -> Page: ...


def find_scene(scenes: Iterable[Scene], name: str) -> Scene:
    return next(scene for scene in scenes if scene.name == name)


def show_scene(screen: str, scene: Scene, page: Page, fake_gateway: FakeGateway) -> None:
    fake_gateway.show(scene.state(fake_gateway.now()), scene.team, scene.more)
    fake_gateway.counts = True
    if scene.answer:
        answer = scene.answer
        fake_gateway.join_answers = lambda kind: [answer]
    at = f"/{CODE}" if screen == "phone" else f"/display/{CODE}"
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(fake_gateway.http + at + scene.query)
    at_phase(page, scene.phase)
    page.evaluate(NEXT_FRAME_JS)
    if any("/app/deferred." in url for url in requested):
        page.wait_for_function(DEFERRED_PART_IS_DRAWN)
    if scene.action:
        scene.action(page, fake_gateway)


def in_language(scene: Scene, language: str) -> Scene:
    """The scene of an event in another language, on a page in that language."""

    def state(now: int) -> protocol.EventState:
        return msgspec.structs.replace(scene.state(now), language=language)

    query = f"{scene.query}&locale={language}" if scene.query else f"?locale={language}"
    return replace(scene, state=state, query=query)


def at_phase(page: Page, phase: str) -> None:
    expect(page.locator("body")).to_have_attribute("data-phase", phase)


def at_step(step: str, scripted: ScriptedMatch) -> State:
    return lambda now: scripted.reveal(now, step, SLOWER)


def with_options(scripted: ScriptedMatch, **choices: Any) -> ScriptedMatch:
    return replace(scripted, choices=choices)


def with_match(state: State, **changes: Any) -> State:
    def changed(now: int) -> protocol.EventState:
        event = state(now)
        assert event.match
        return msgspec.structs.replace(event, match=msgspec.structs.replace(event.match, **changes))

    return changed


def with_turn(state: State, **changes: Any) -> State:
    def changed(now: int) -> protocol.EventState:
        match = state(now).match
        assert match
        assert match.turn
        return with_match(state, turn=msgspec.structs.replace(match.turn, **changes))(now)

    return changed


def with_terms(scripted: ScriptedMatch, **terms: Any) -> ScriptedMatch:
    return replace(scripted, terms=terms)


def analyzed(scripted: ScriptedMatch, deciding: protocol.MatchAnalysis | None = None) -> ScriptedMatch:
    """The same match with an analysis of its last turn."""
    analysis = msgspec.structs.replace(ANALYSIS, turn=scripted.turn_id - 1, match=deciding)
    return with_terms(scripted, analysis=analysis)


def as_duel(
    scripted: ScriptedMatch, bank_s: int = 60, red_ms: int = 48_000, yellow_ms: int = 31_000, **terms: Any
) -> ScriptedMatch:
    clocks = protocol.Clocks(bank_s=bank_s, increment_s=2, cap_s=None, red_ms=red_ms, yellow_ms=yellow_ms)
    teams = tuple(protocol.Team(number=at, name=name) for at, name in enumerate(GUESTS, 1))
    terms = {"clocks": clocks, "window_s": min(red_ms, yellow_ms) // 1000, **terms}
    return replace(scripted, choices={"teams": teams, "is_duel": True}, terms=terms)


def timed_selector(scripted: ScriptedMatch) -> State:
    """Yellow's public half-turn with clocks, after red has chosen in secret."""
    sealed: dict[str, Any] = {"sealed_at": 1, "root": "ab" * 32, "ballots": 1}
    chosen = protocol.Concealed(turn=90, number=scripted.turn_id, side="red", **sealed)
    board = msgspec.structs.replace(GAME.view(scripted.state, None), vote="open")
    return with_turn(as_duel(scripted, concealed=chosen, board=board).voting, to_move=("yellow",))


def rated_duel(scripted: ScriptedMatch) -> State:
    """A finished duel in which one player wants a rematch."""
    rating = protocol.Rated(red_before=1200, red_after=1287, yellow_before=1349, yellow_after=1305)
    return lambda now: as_duel(scripted, rated=rating).ended(now, rematch_wanted_by=2, finished=WON_BY_RED)


def with_draw_offer(scripted: ScriptedMatch) -> State:
    offering = with_terms(scripted, draw_offers=True, resign="half")
    return with_turn(offering.voting, draw_offered_by="yellow")


def with_long_names(scripted: ScriptedMatch, **choices: Any) -> ScriptedMatch:
    teams = tuple(protocol.Team(number=number, name=name) for number, name in enumerate(LONG_NAMES, 1))
    return with_options(scripted, teams=teams, **choices)


def own_counts(scripted: ScriptedMatch) -> protocol.TeamCounted:
    return protocol.TeamCounted(turn=scripted.turn_id, counts=(3, 14, 52, 8, 2, 0, 5))


def seal(fake_gateway: FakeGateway, scripted: ScriptedMatch) -> protocol.TurnSealed:
    last = scripted.play(3, 5).played[-1]
    red, yellow = (Commitment(root=t.root or "", ballots=t.ballots) for t in (last.red, last.yellow))
    return protocol.TurnSealed(turn=scripted.turn_id, at=fake_gateway.now(), red=red, yellow=yellow)


def ended(scripted: ScriptedMatch, **choices: Any) -> State:
    """The state after the match, which is listed as finished."""
    choices = {"finished": WON_BY_RED, **scripted.choices, **choices}
    return lambda now: scripted.ended(now, **{"next_match_at": now + 40_000, **choices})


STEPS = ("sealed", "votes", "picks", "drops", "lines")


def reveals(matches: dict[str, ScriptedMatch], *steps: str) -> tuple[Scene, ...]:
    """Scenes of each match's last turn at these steps, or at all steps."""
    return tuple(
        Scene(f"reveal-{name}-{step}", at_step(step, scripted), "reveal")
        for name, scripted in matches.items()
        for step in steps or STEPS
    )

"""The states of phone and projector worth looking at, by name: what is told, and what a hand does then."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from playwright.sync_api import Page, expect

from tests.e2e.faces import SOON_MS
from tests.e2e.prompter import Prompter, Told
from tests.e2e.tale import LAST, LONG_MATCH, Tale, hands, series, told
from voting.entry.links import qr_rows
from voting.protocol import CheersCounted, ErrorTold, EventState, KeyShown, TeamCounted, TurnSealed

CODE = "Q7RM"
State = Callable[[int], EventState]
Hand = Callable[[Page, Prompter], None]
MIDDLE = told(*LONG_MATCH[:7])
BEFORE_THE_END = told(*LONG_MATCH)
THE_END = BEFORE_THE_END.play(*LAST)
CONFLICT = told(*LONG_MATCH[:2], (6, 6))
NOTICE = "Soup is served at eight. Please leave the left aisle free for the stretcher."
NEXT_MATCH_MS = 40_000


@dataclass(frozen=True, slots=True)
class Scene:
    """`phase` is what the body says once the face is there."""

    name: str
    state: State
    phase: str
    team: int = 1
    more: tuple[Told, ...] = ()
    hand: Hand | None = None
    rejection: ErrorTold | None = None
    query: str = ""


def named(scenes: tuple[Scene, ...]) -> dict[str, Any]:
    """As pytest's parameters."""
    return {"argvalues": scenes, "ids": [scene.name for scene in scenes]}


def look_at(face: str, scene: Scene, page: Page, prompter: Prompter) -> None:
    """Bring a page to a scene."""
    prompter.show(scene.state(prompter.now()), scene.team, scene.more)
    prompter.counts = True
    if scene.rejection:
        prompter.greeting = lambda kind: [scene.rejection] if scene.rejection else []
    at = f"/{CODE}" if face == "phone" else f"/display/{CODE}{scene.query}"
    page.goto(prompter.http + at)
    expect(page.locator("body")).to_have_attribute("data-phase", scene.phase, timeout=SOON_MS)
    if scene.hand:
        scene.hand(page, prompter)


def pick(page: Page, prompter: Prompter, column: int = 3, status: str = "counted") -> None:
    page.locator(f'[data-column="{column}"]').click(timeout=SOON_MS)
    expect(page.locator("main")).to_have_attribute("data-status", status, timeout=SOON_MS)


def pick_unheard(page: Page, prompter: Prompter) -> None:
    prompter.counts = False
    pick(page, prompter, status="sending")


def at_step(ago_ms: int, tale: Tale) -> State:
    return lambda now: tale.reveal(now, ago_ms, reveal_s=60)


def chosen(tale: Tale, **choices: Any) -> Tale:
    return Tale(**{name: getattr(tale, name) for name in Tale.__slots__} | {"choices": choices})


def rejected(code: Any, tale: Tale, **choices: Any) -> ErrorTold:
    return ErrorTold(code=code, text="", event=chosen(tale, **choices).lobby(0))


def own_counts(tale: Tale) -> TeamCounted:
    return TeamCounted(turn=tale.turn_id, counts=(3, 14, 52, 8, 2, 0, 5))


def cut(page: Page, prompter: Prompter) -> None:
    """The line is lost, and nobody answers."""
    page.context.set_offline(True)
    prompter.hang_up()
    expect(page.locator("body")).to_have_attribute("data-phase", "lost", timeout=SOON_MS)


def seal(prompter: Prompter, tale: Tale) -> TurnSealed:
    last = tale.play(3, 5).played[-1]
    roots = {
        side: {"root": tally.root, "ballots": tally.ballots}
        for side, tally in (("red", last.red), ("yellow", last.yellow))
    }
    return TurnSealed(turn=tale.turn_id, at=prompter.now(), **roots)  # type: ignore[arg-type]


def ended(tale: Tale, **choices: Any) -> State:
    return lambda now: tale.ended(now, next_match_at=now + NEXT_MATCH_MS, **choices)


# What both faces show, by the time since a turn was resolved in a reveal of a minute.
STEPS = {"sealed": 200, "votes": 12_000, "picks": 20_000, "drops": 33_000, "lines": 54_000}


def reveals(tales: dict[str, Tale]) -> Iterator[Scene]:
    for name, tale in tales.items():
        for step, ago_ms in STEPS.items():
            yield Scene(f"reveal-{name}-{step}", at_step(ago_ms, tale), "reveal")


PHONE_SCENES = (
    Scene("lobby", Tale().lobby, "lobby"),
    Scene("lobby-yellow", Tale().lobby, "lobby", team=2),
    Scene("talk", MIDDLE.talk, "talk"),
    Scene("voting", MIDDLE.voting, "voting"),
    Scene("voting-yellow", MIDDLE.voting, "voting", team=2),
    Scene("voting-sending", MIDDLE.voting, "voting", hand=pick_unheard),
    Scene("voting-counted", MIDDLE.voting, "voting", hand=pick),
    Scene("voting-last-seconds", partial(MIDDLE.voting, left_ms=7_500), "voting", hand=pick),
    Scene("voting-own-counts", chosen(MIDDLE, own_counts=True).voting, "voting", more=(own_counts(MIDDLE),)),
    Scene("voting-six-columns", told((2, 3), (4, 4), columns=6).voting, "voting", team=2),
    Scene("voting-notice", chosen(MIDDLE, notice=NOTICE).voting, "voting"),
    Scene("voting-peek", chosen(MIDDLE, peek=True).voting, "voting"),
    Scene("hands", chosen(MIDDLE, **hands("red")).voting, "voting"),
    Scene("paused", MIDDLE.paused, "paused"),
    Scene("sealed", MIDDLE.sealed, "sealed"),
    *reveals({"two": MIDDLE, "conflict": CONFLICT}),
    Scene("reveal-last", at_step(54_000, THE_END), "reveal"),
    Scene("ended-won", ended(THE_END), "ended"),
    Scene("ended-lost", ended(THE_END), "ended", team=2),
    Scene("ended-series", ended(chosen(THE_END, **series(1, 2, 1, 1))), "ended"),
    Scene("aborted", MIDDLE.aborted, "lobby"),
    Scene("lost", MIDDLE.voting, "voting", hand=cut),
    Scene(
        "key-wrong", Tale().lobby, "joining", rejection=rejected("key_wrong", Tale(), admission="rotating")
    ),
    Scene(
        "key-ticket", Tale().lobby, "joining", rejection=rejected("key_needed", Tale(), admission="tickets")
    ),
    Scene(
        "doors-closed", Tale().lobby, "joining", rejection=rejected("lobby_closed", Tale(), lobby="closed")
    ),
)

KEYED = "http://play.example/Q7RM#R7KQ2"
KEY = KeyShown(key="R7KQ2", until_at=4_000_000_000_000, join_url=KEYED, qr=qr_rows(KEYED))

DISPLAY_SCENES = (
    Scene("lobby", Tale().lobby, "lobby"),
    Scene("lobby-closed", chosen(Tale(), lobby="closed").lobby, "lobby"),
    Scene("lobby-locked", chosen(Tale(), lobby="locked").lobby, "lobby"),
    Scene("lobby-key", chosen(Tale(), admission="rotating").lobby, "lobby", more=(KEY,)),
    Scene("lobby-tickets", chosen(Tale(), admission="tickets").lobby, "lobby"),
    Scene("lobby-cheers", Tale().lobby, "lobby", more=(CheersCounted(presses=(140, 65)),)),
    Scene("lobby-hidden", chosen(Tale(), hidden=("code", "turnout")).lobby, "lobby"),
    Scene("lobby-series", chosen(Tale(), **series(1, 2)).lobby, "lobby"),
    Scene("talk", MIDDLE.talk, "talk"),
    Scene("voting", MIDDLE.voting, "voting"),
    Scene("voting-first", Tale().voting, "voting"),
    Scene("voting-last-seconds", partial(MIDDLE.voting, left_ms=7_500), "voting"),
    Scene("voting-notice", chosen(MIDDLE, notice=NOTICE).voting, "voting"),
    Scene("voting-hidden", chosen(MIDDLE, hidden=("code", "turnout")).voting, "voting"),
    Scene("voting-peek", chosen(MIDDLE, peek=True, own_counts=True).voting, "voting"),
    Scene("voting-hands", chosen(MIDDLE, **hands("yellow")).voting, "voting"),
    Scene("voting-six-columns", told((2, 3), (4, 4), columns=6).voting, "voting"),
    Scene("paused", MIDDLE.paused, "paused"),
    Scene("sealed", MIDDLE.sealed, "sealed"),
    *reveals({"two": MIDDLE, "conflict": CONFLICT, "last": THE_END}),
    Scene("reveal-tally-hidden", at_step(20_000, chosen(MIDDLE, hidden=("tally",))), "reveal"),
    Scene("ended", ended(THE_END), "ended"),
    Scene("ended-series", ended(chosen(THE_END, **series(1, 2, 1, 1))), "ended"),
    Scene("aborted", MIDDLE.aborted, "ended"),
    Scene("back-side", MIDDLE.voting, "voting", query="?side=back"),
    Scene("wood", MIDDLE.voting, "voting", query="?theme=wood"),
    Scene("home-leads", partial(MIDDLE.voting, left_ms=19_500), "voting", query="?home=yellow"),
    Scene("home-chose", at_step(20_000, MIDDLE), "reveal", query="?home=yellow&side=back"),
    Scene("home-talks", MIDDLE.talk, "talk", query="?home=yellow"),
    Scene("home-won", ended(THE_END), "ended", query="?home=red"),
)

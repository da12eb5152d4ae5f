"""Frame rates of the display: with every vote as a particle, and in an ordinary match on a slow processor."""

from collections.abc import Callable
from statistics import median

from playwright.sync_api import Browser, Page

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.measurements.dev_tools import SLOW_CPU, DevTools
from tests.e2e.measurements.frames import begin, presented_per_s, traced
from tests.e2e.measurements.goal import Measurement
from tests.e2e.scene_setup import with_terms
from tests.e2e.scenes import CODE, MIDDLE
from tests.e2e.screens import TIMEOUT_MS
from voting.protocol import TurnoutCounted

BIG_SCREEN = {"width": 1920, "height": 1080}
MOST, ORDINARY = 10_000, 100
WARM_MS, SPAN_S, EVERY_MS = 2_500, 4, 1_000
# The machine's speed varies: each is measured this often, in turns.
ROUNDS = 3
LONG_WINDOW, LEFT_MS = with_terms(MIDDLE, window_s=3600), 1_800_000
VOTING = "body[data-phase=voting]"
PARTICLES = '.stage[data-particles="true"]'


def voting_frames(browser: Browser, fake_gateway: FakeGateway, connected: int, slower: int = 1) -> float:
    """Frames per second while votes arrive, up to all of two teams of this size."""
    page = browser.new_context(viewport=BIG_SCREEN).new_page()  # type: ignore[arg-type]
    DevTools(page).slow_down(slower)

    def voted(share: float) -> TurnoutCounted:
        both = (connected, connected)
        number = int(connected * share)
        return TurnoutCounted(turn=LONG_WINDOW.turn_id, connected=both, voted=(number, number))

    fake_gateway.show(LONG_WINDOW.voting(fake_gateway.now(), LEFT_MS), more=(voted(0.9),))
    page.goto(f"{fake_gateway.http}/display/{CODE}")
    page.wait_for_selector(PARTICLES if connected else VOTING, timeout=4 * TIMEOUT_MS)
    arrive = lambda second: fake_gateway.say("display", voted(0.9 + 0.1 * second / SPAN_S))  # noqa: E731
    return frames_per_s(page, arrive)


def frames_per_s(page: Page, each_second: Callable[[int], None]) -> float:
    page.wait_for_timeout(WARM_MS)

    def run() -> None:
        begin(page)
        for second in range(1, SPAN_S + 1):
            each_second(second)
            page.wait_for_timeout(EVERY_MS)

    rate = presented_per_s(traced(page, run), (0, SPAN_S))
    page.context.close()
    return rate


def measurements(browser: Browser, fake_gateway: FakeGateway) -> list[Measurement]:
    empty, full, slow = (
        median(rates)
        for rates in zip(
            *(
                (
                    voting_frames(browser, fake_gateway, 0),
                    voting_frames(browser, fake_gateway, MOST),
                    voting_frames(browser, fake_gateway, ORDINARY, SLOW_CPU),
                )
                for _ in range(ROUNDS)
            ),
            strict=True,
        )
    )
    return [
        Measurement(
            f"projector: frames with {2 * MOST:,} particles, compared with none, medians",
            "≥ 0.75",
            f"{full / empty:.2f} ({full:.0f} of {empty:.0f} per s)",
            full / empty >= 0.75,
        ),
        Measurement(
            f"projector: frames per second with {2 * ORDINARY} voters, CPU slowed {SLOW_CPU} times, median",
            "≥ 50",
            f"{slow:.0f}",
            slow >= 50,
        ),
    ]

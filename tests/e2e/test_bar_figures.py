"""In a reveal, each figure stands on its own bar, and the balls wait over them."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.scene_setup import CODE, CONFLICT, at_phase, at_step
from tests.e2e.scripted_match import ScriptedMatch, script_match

FAULTS_JS = """() => {
  const box = (element) => element.getBoundingClientRect();
  const bars = [...document.querySelectorAll(".bars .votes")]
    .filter((bar) => bar.querySelector("text").textContent);
  const figures = bars.map((bar) => box(bar.querySelector("text")));
  const covered = [...figures, ...bars.map((bar) => box(bar.querySelector("rect")))];
  const meet = (one, other, by) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > by
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > by;
  const faults = [];
  if (figures.length < 4) faults.push("a figure is missing");
  figures.forEach((figure, index) => {
    const bar = box(bars[index].querySelector("rect"));
    if (figure.left > bar.right || figure.right < bar.left) faults.push("beside its bar");
    if (Math.abs(figure.bottom - bar.top) > 20) faults.push("not on its bar");
    const others = figures.filter((other) => other !== figure);
    if (others.some((other) => meet(figure, other, 1))) faults.push("over another figure");
  });
  for (const ball of document.querySelectorAll(".falling"))
    if (covered.some((one) => meet(box(ball), one, 3))) faults.push("behind a ball");
  return faults;
}"""


@pytest.mark.parametrize("scripted", [CONFLICT, script_match((5, 4))], ids=["conflict", "adjacent"])
def test_figures_stand_on_their_own_bars(
    window: Page, fake_gateway: FakeGateway, scripted: ScriptedMatch
) -> None:
    window.set_viewport_size({"width": 1280, "height": 720})
    fake_gateway.show(at_step("picks", scripted)(fake_gateway.now()))
    window.goto(f"{fake_gateway.http}/display/{CODE}")
    at_phase(window, "reveal")
    expect(window.locator(".choice")).to_have_count(2)
    assert window.evaluate(FAULTS_JS) == []

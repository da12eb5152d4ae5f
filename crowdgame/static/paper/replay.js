// Shows one turn at a time, with buttons, keys and a slider. Without this script the page lists all turns.
const turns = [...document.querySelectorAll(".turn")];
const steps = document.querySelector(".steps");
const slider = steps.querySelector("input");
const play = steps.querySelector('[data-step="play"]');
const playText = play.textContent;
const status = document.querySelector(".replay [role=status]");
const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
const PACE_MS = 2200;
let at = 0;
let timer = 0;

const GOALS = {
  first: () => 0,
  back: () => at - 1,
  on: () => at + 1,
  last: () => turns.length - 1,
};

function show(index, aloud = true) {
  at = Math.max(0, Math.min(turns.length - 1, index));
  turns.forEach((turn, number) => { turn.hidden = number !== at; });
  slider.value = String(at + 1);
  slider.setAttribute("aria-valuetext", turns[at].dataset.title);
  for (const [goal, atEnd] of [["first", at === 0], ["back", at === 0], ["on", at === turns.length - 1], ["last", at === turns.length - 1]])
    steps.querySelector(`[data-step="${goal}"]`).setAttribute("aria-disabled", String(atEnd));
  if (aloud) status.textContent = `${turns[at].dataset.title}. ${turns[at].querySelector(".sentence").textContent}`;
  if (aloud) history.replaceState(null, "", `#${turns[at].id}`);
}

function stop() {
  clearInterval(timer);
  timer = 0;
  play.textContent = playText;
  play.setAttribute("aria-pressed", "false");
}

function start() {
  if (at === turns.length - 1) show(0);
  play.textContent = play.dataset.stop;
  play.setAttribute("aria-pressed", "true");
  timer = setInterval(() => {
    show(at + 1);
    if (at === turns.length - 1) stop();
  }, PACE_MS);
}

function step(goal) {
  if (goal === "play") return timer ? stop() : start();
  stop();
  show(GOALS[goal]());
}

steps.addEventListener("click", (press) => {
  const button = press.target.closest("button");
  if (button) step(button.dataset.step);
});
slider.addEventListener("input", () => {
  stop();
  show(Number(slider.value) - 1);
});
document.addEventListener("keydown", (press) => {
  const elsewhere = press.altKey || press.ctrlKey || press.metaKey || press.shiftKey;
  if (elsewhere || press.target === slider || press.target.closest(".wide, details") || !KEYS[press.key]) return;
  press.preventDefault();
  step(KEYS[press.key]);
});
addEventListener("hashchange", () => {
  const index = turns.findIndex((turn) => `#${turn.id}` === location.hash);
  if (index >= 0) show(index);
});

const asked = turns.findIndex((turn) => `#${turn.id}` === location.hash);
steps.hidden = false;
document.querySelector(".turns").classList.add("single");
show(Math.max(asked, 0), false);

const share = document.querySelector(".share");
share.hidden = !(navigator.share || navigator.clipboard);
share.addEventListener("click", async () => {
  if (navigator.share) return navigator.share({ title: document.title, url: location.href }).catch(() => {});
  await navigator.clipboard.writeText(location.href);
  share.textContent = share.dataset.copied;
});

// Replays a finished game: shows the board after each turn, again and again, until paused.
const showcase = document.querySelector(".showcase");
const board = showcase.querySelector("img");
const button = showcase.querySelector("button");
const playText = button.textContent;
const last = Number(showcase.dataset.turns);
const PACE_MS = 1500;
const END_PACES = 3;
let at = last;
let timer = 0;

const picture = (turns) => showcase.dataset.picture.replace(/0\.svg$/, `${turns}.svg`);

/** Load the next picture before it is shown, so that the board never flickers. */
async function step() {
  at = at >= last + END_PACES ? 0 : at + 1;
  const next = new Image();
  next.src = picture(Math.min(at, last));
  await next.decode().catch(() => undefined);
  board.src = next.src;
}

function toggle() {
  clearInterval(timer);
  timer = timer ? 0 : setInterval(step, PACE_MS);
  button.textContent = timer ? button.dataset.stop : playText;
}

button.hidden = false;
button.addEventListener("click", toggle);
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) toggle();

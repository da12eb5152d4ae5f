// The page follows what it shows by itself: it asks again while somebody can see it, and takes over what changed.

const WAIT_MS = matchMedia("(min-width: 56rem)").matches ? 4_000 : 10_000;

const root = (page) => page.querySelector("[data-current]");

async function look() {
  const answer = await fetch(location.href, { credentials: "same-origin" });
  if (!answer.ok || answer.redirected) return;
  const theirs = root(new DOMParser().parseFromString(await answer.text(), "text/html"));
  const ours = root(document);
  if (!theirs || theirs.dataset.current === ours.dataset.current || ours.querySelector(".walkover[open]")) return;
  const reached = ours.contains(document.activeElement) ? document.activeElement : null;
  const unfolded = [...ours.querySelectorAll("details[open] > summary")];
  for (const summary of unfolded) sameAs(summary, theirs)?.parentElement.setAttribute("open", "");
  ours.replaceWith(theirs);
  document.dispatchEvent(new Event("cup"));
  if (reached) sameAs(reached, theirs)?.focus({ preventScroll: true });
}

/** What somebody has unfolded or reached, on the page as it is now. */
function sameAs(reached, page) {
  const likely = [...page.querySelectorAll(reached.tagName)];
  return likely.find((one) => one.textContent === reached.textContent);
}

// Not all phones of a hall at once.
async function follow() {
  await new Promise((done) => setTimeout(done, WAIT_MS * (0.8 + 0.4 * Math.random())));
  if (!document.hidden) await look().catch(() => undefined);
  follow();
}

document.addEventListener("visibilitychange", () => document.hidden || look().catch(() => undefined));
follow();

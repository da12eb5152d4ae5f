// Auto-refresh: while the page is visible, fetch it again regularly, or on an "outdated" event, and take over what
// changed. A listener can prevent that ("refreshing"), or take over more from the fetched page ("refreshed").

import { fetchInTime, onWake } from "./network.js";

const root = (page) => page.querySelector("[data-current]");

// The page may be the answer to a refused form, whose address can't be fetched.
const { address } = root(document).dataset;
if (address && location.pathname !== address) history.replaceState(null, "", address);

const WAIT_MS = 1_000 * (root(document).dataset.waitS ?? (matchMedia("(min-width: 56rem)").matches ? 4 : 10));

async function look() {
  const answer = await fetchInTime(location.href, { credentials: "same-origin" });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const theirs = root(page);
  const ours = root(document);
  if (!theirs || theirs.dataset.current === ours.dataset.current || ours.querySelector(".walkover[open]")) return;
  if (!document.dispatchEvent(new Event("refreshing", { cancelable: true }))) return;
  const reached = ours.contains(document.activeElement) ? document.activeElement : null;
  const unfolded = [...ours.querySelectorAll("details[open] > summary")];
  for (const summary of unfolded) sameAs(summary, theirs)?.parentElement.setAttribute("open", "");
  keepEntries(ours, theirs);
  ours.replaceWith(theirs);
  document.dispatchEvent(new CustomEvent("refreshed", { detail: page }));
  if (reached) sameAs(reached, theirs)?.focus({ preventScroll: true });
}

/** Carry over what was entered into forms and has not been sent yet, except choices that no longer exist. */
function keepEntries(ours, theirs) {
  for (const entry of ours.querySelectorAll("select, textarea, input:not([type=hidden])")) {
    const same = sameAs(entry, theirs);
    if (!same) continue;
    if (entry.checked !== entry.defaultChecked) same.checked = entry.checked;
    else if (!entry.options && entry.value !== entry.defaultValue) same.value = entry.value;
    else if (entry.options && [...same.options].some(({ value }) => value === entry.value)) same.value = entry.value;
  }
}

/**
 * Find an element of the current page in the fetched one: by its markup, or else an entry by its name and other elements
 * by their text. Never another button: it could be pressed by mistake.
 */
function sameAs(element, page) {
  const likely = [...page.querySelectorAll(element.tagName)];
  const isChoice = /^(radio|checkbox)$/.test(element.type);
  const isSameEntry = (one) => one.name === element.name && (!isChoice || one.value === element.value);
  const resembles = element.name ? isSameEntry : (one) => one.textContent === element.textContent;
  const isTwin = (one) => one.outerHTML === element.outerHTML && one.form?.getAttribute("action") === element.form?.getAttribute("action");
  return likely.find(isTwin) ?? (element.matches("button") ? null : likely.find(resembles));
}

// Random delay, so that an audience's phones do not send their requests at once.
async function follow() {
  await new Promise((done) => setTimeout(done, WAIT_MS * (0.8 + 0.4 * Math.random())));
  if (!document.hidden) await lookNow();
  follow();
}

const lookNow = () => look().catch(() => undefined);
onWake(lookNow);
document.addEventListener("outdated", lookNow);
follow();

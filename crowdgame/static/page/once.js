// Sends a form once: the answer to a second click would replace the first one, with its cookie.
const REPEATABLE_MS = 10_000;
const sent = new Set();

document.addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  if (sent.has(event.target)) return event.preventDefault();
  sent.add(event.target);
  setTimeout(() => sent.delete(event.target), REPEATABLE_MS);
});
addEventListener("pageshow", () => sent.clear());

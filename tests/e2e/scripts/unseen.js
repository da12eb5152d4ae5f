// What a screen reader announces, and what is folded away.
() => [
  ...[...document.querySelectorAll("[aria-label]")].map((part) => part.getAttribute("aria-label")),
  ...[...document.querySelectorAll("details")].map((part) => part.textContent.trim()),
]

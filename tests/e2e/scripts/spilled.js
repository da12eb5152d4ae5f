// Hidden or clipped boxes and buttons with content wider than themselves. An input scrolls.
() => [...document.querySelectorAll("body :not(input)")]
  .filter((part) => part.clientWidth > 1 && part.scrollWidth > part.clientWidth + 1 && part.checkVisibility()
    && (part.matches("button, .button, .action-button")
      || /hidden|clip/.test(getComputedStyle(part).overflowX)))
  .map((part) => `${part.className || part.tagName}: ${part.textContent.trim().slice(0, 60)}`)

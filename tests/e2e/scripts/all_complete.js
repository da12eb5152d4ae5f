(parts) => [...document.querySelectorAll(parts)].every((part) =>
  !part.checkVisibility({opacityProperty: true}) || part.scrollHeight <= part.clientHeight + 1
  || getComputedStyle(part).overflow === "visible")

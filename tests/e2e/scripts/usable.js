// The time when a column is enabled and drawn.
() => {
  const look = () => document.querySelector("[data-column]:enabled")
    ? requestAnimationFrame(() => { window.usable = performance.now(); console.info("usable"); })
    : requestAnimationFrame(look);
  look();
}

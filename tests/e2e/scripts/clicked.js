() => addEventListener("click", () => {
  window.clickedAt = performance.timeOrigin + performance.now();
}, true)

() => {
  const look = () => document.querySelector("[data-column]:enabled")
    ? requestAnimationFrame(() => { window.usable = performance.now(); console.info("usable"); })
    : requestAnimationFrame(look);
  look();
}

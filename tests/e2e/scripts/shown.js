() => {
  window.shown = {};
  const look = () => {
    const {phase} = document.body.dataset;
    requestAnimationFrame(() => { window.shown[phase] = performance.timeOrigin + performance.now(); });
  };
  const phases = {subtree: true, attributes: true, attributeFilter: ["data-phase"]};
  new MutationObserver(look).observe(document, phases);
}

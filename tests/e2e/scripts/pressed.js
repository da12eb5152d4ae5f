// From the touch until the column is drawn as pressed.
() => {
  window.taps = [];
  let touched = 0;
  addEventListener("pointerdown", ({timeStamp}) => { touched = timeStamp; }, true);
  const seen = () => requestAnimationFrame(() => setTimeout(() => taps.push(performance.now() - touched)));
  new MutationObserver((changes) => {
    for (const {target} of changes) if (target.hasAttribute("data-pressed")) seen();
  }).observe(document, {subtree: true, attributes: true, attributeFilter: ["data-pressed"]});
}

// What a screen reader would announce by itself, in order.
() => {
  window.said = [];
  const LIVE = "[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]";
  const say = (region) => {
    const text = region.textContent.trim();
    if (text && window.said.at(-1) !== text) window.said.push(text);
  };
  new MutationObserver((changes) => {
    const touched = changes.map(({target}) => target.nodeType === 1 ? target : target.parentElement);
    const regions = touched.flatMap((part) => [part?.closest(LIVE), ...(part?.querySelectorAll(LIVE) ?? [])]);
    new Set(regions.filter(Boolean)).forEach(say);
  }).observe(document, {subtree: true, childList: true, characterData: true});
}

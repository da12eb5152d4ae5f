() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = {opacityProperty: true, visibilityProperty: true};
  const found = [];
  const scaleOf = (part) => {
    if (part instanceof SVGElement) return Math.hypot(part.getScreenCTM().a, part.getScreenCTM().b);
    const scale = part.offsetWidth ? part.getBoundingClientRect().width / part.offsetWidth : 1;
    return Math.abs(scale - 1) < 0.05 ? 1 : scale;  // offsetWidth is rounded
  };
  const clips = (part) => {
    const {overflowX, overflowY, clipPath} = getComputedStyle(part);
    return overflowX !== "visible" || overflowY !== "visible" || clipPath !== "none";
  };
  const canScroll = (part) => {
    const {overflowX, overflowY} = getComputedStyle(part);
    return (part.scrollHeight > part.clientHeight + 4 && /auto|scroll/.test(overflowY))
      || (part.scrollWidth > part.clientWidth + 4 && /auto|scroll/.test(overflowX));
  };
  const unread = (part) => part.clientWidth <= 1 && part.clientHeight <= 1 && clips(part);
  const above = (part) => part ? [part, ...above(part.parentElement)] : [];
  const floating = [...document.querySelectorAll("[role=dialog], .talks")];
  const behind = (part, {left, right, top, bottom}) => floating.some((box) => {
    const over = box.getBoundingClientRect();
    return !box.contains(part)
      && left < over.right && right > over.left && top < over.bottom && bottom > over.top;
  });
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const part = node.parentElement;
    if (!node.data.trim() || /^(SCRIPT|STYLE|TITLE|NOSCRIPT)$/i.test(part.tagName)) continue;
    if (!part.checkVisibility(seen) || above(part).some(unread)) continue;
    const type = parseFloat(getComputedStyle(part).fontSize) * scaleOf(part);
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      const {left, right} = box;
      if (right - left < 1 || behind(part, box) || above(part).slice(0, -2).some(canScroll)) continue;
      const frames = above(part).slice(0, -2).filter(clips).map((one) => one.getBoundingClientRect());
      const cut = frames.some((one) => left < one.left - 2 || right > one.right + 2);
      const name = part.closest("[class]")?.getAttribute("class") ?? part.tagName;
      const middle = (box.top + box.bottom) / 2;
      const [top, bottom] = [middle - 0.35 * type, middle + 0.35 * type];  // a capital letter has 0.7 em
      found.push({text: node.data.trim(), name, left, right, top, bottom, type, cut});
    }
  }
  return found;
}

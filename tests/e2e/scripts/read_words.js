// The words of names that are on two lines or outside a box that clips them. A line may end after a hyphen.
(names) => {
  const above = (part) => part ? [part, ...above(part.parentElement)] : [];
  const clips = (part) => /hidden|clip/.test(getComputedStyle(part).overflow);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const [shown, broken] = [new Set(), []];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const part = node.parentElement;
    if (!part.checkVisibility() || part.closest(".unseen, select, textarea, style, script")) continue;
    for (const name of names.filter((name) => node.data.includes(name))) {
      shown.add(name);
      const frames = above(part).slice(0, -2).filter(clips).map((box) => box.getBoundingClientRect());
      for (const word of name.matchAll(/\p{Script=Han}|[^\s\p{Script=Han}-]+/gu)) {
        const range = document.createRange();
        const start = node.data.indexOf(name) + word.index;
        range.setStart(node, start);
        range.setEnd(node, start + word[0].length);
        const boxes = [...range.getClientRects()].filter(({width}) => width > 0.5);
        const isCut = boxes.some(({left, right, top, bottom}) => frames.some((frame) =>
          left < frame.left - 2 || right > frame.right + 2 || (top + bottom) / 2 > frame.bottom));
        if (isCut || new Set(boxes.map(({top}) => Math.round(top))).size > 1) broken.push(word[0]);
      }
    }
  }
  return {shown: shown.size, broken};
}

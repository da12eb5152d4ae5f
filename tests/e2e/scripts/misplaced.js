// The parts that are missing, outside the screen or over another part.
(selectors) => {
  const boxes = selectors.flatMap((name) => [...document.querySelectorAll(name)]
    .filter((part) => part.checkVisibility({opacityProperty: true, visibilityProperty: true}))
    .map((part) => ({name, ...part.getBoundingClientRect().toJSON()})));
  const page = document.scrollingElement;
  const overlap = (one, other) => Math.min(
    Math.min(one.right, other.right) - Math.max(one.left, other.left),
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)) > 1;
  return [
    ...selectors.filter((name) => !boxes.some((box) => box.name === name)).map((name) => `no ${name}`),
    ...boxes.filter(({left, top, right, bottom}) =>
      left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1)
      .map(({name}) => `cut: ${name}`),
    ...boxes.flatMap((one, index) => boxes.slice(index + 1).filter((other) => overlap(one, other))
      .map((other) => `${one.name} is over ${other.name}`)),
    ...page.scrollWidth > innerWidth || page.scrollHeight > innerHeight ? ["the page scrolls"] : [],
  ];
}

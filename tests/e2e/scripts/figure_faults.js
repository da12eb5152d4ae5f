() => {
  const box = (element) => element.getBoundingClientRect();
  const bars = [...document.querySelectorAll(".bars .votes")]
    .filter((bar) => bar.querySelector("text").textContent);
  const figures = bars.map((bar) => box(bar.querySelector("text")));
  const covered = [...figures, ...bars.map((bar) => box(bar.querySelector("rect")))];
  const meet = (one, other, by) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > by
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > by;
  const faults = [];
  if (figures.length < 4) faults.push("a figure is missing");
  figures.forEach((figure, index) => {
    const bar = box(bars[index].querySelector("rect"));
    if (figure.left > bar.right || figure.right < bar.left) faults.push("beside its bar");
    if (Math.abs(figure.bottom - bar.top) > 20) faults.push("not on its bar");
    const others = figures.filter((other) => other !== figure);
    if (others.some((other) => meet(figure, other, 1))) faults.push("over another figure");
  });
  for (const ball of document.querySelectorAll(".falling"))
    if (covered.some((one) => meet(box(ball), one, 3))) faults.push("behind a ball");
  return faults;
}

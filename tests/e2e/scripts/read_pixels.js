// A frame's pixels can be read only in that frame, after the page has drawn it: the request of the frame must
// follow the page's own, which is made in the frame before. Some frames draw nothing, and without a graphics
// card the first picture takes long, since the shaders are compiled for it: the fullest of several counts.
async (patienceMs) => {
  const canvas = document.querySelector(".particles");
  const {width, height} = canvas;
  const pen = new OffscreenCanvas(width, height).getContext("2d", {willReadFrequently: true});
  let data = null;
  const isLit = (x, y) => data[4 * (y * width + x) + 3] > 40;
  const count = (from, to) => {
    let sum = 0;
    for (let y = 0; y < height; y++) for (let x = from; x < to; x++) sum += isLit(x, y);
    return sum;
  };
  const top = (from, to) => {
    for (let y = 0; y < height; y++) for (let x = from; x < to; x++) if (isLit(x, y)) return y;
    return height;
  };
  const read = () => {
    pen.clearRect(0, 0, width, height);
    pen.drawImage(canvas, 0, 0);
    ({data} = pen.getImageData(0, 0, width, height));
    const bars = [...document.querySelectorAll(".bars rect")].map((bar) => {
      const box = bar.getBoundingClientRect();
      return [box.top, top(Math.ceil(box.left) + 1, Math.floor(box.right) - 1)];
    });
    return {left: count(0, width / 2), right: count(width / 2, width), bars};
  };
  const next = () => new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(read()))));
  const isFuller = (one, other) => one.left + one.right > other.left + other.right;
  const until = performance.now() + patienceMs;
  let fullest = await next();
  while (fullest.left + fullest.right === 0 && performance.now() < until) fullest = await next();
  for (let frame = 0; frame < 8; frame++) {
    const frameRead = await next();
    if (isFuller(frameRead, fullest)) fullest = frameRead;
  }
  return fullest;
}

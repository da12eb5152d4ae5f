// Make time in a page run `rate` times as fast: clocks, timers and frames.
(rate) => {
  const [date, time] = [Date.now, performance.now.bind(performance)];
  const [timer, ticker, frame] = [setTimeout, setInterval, requestAnimationFrame];
  const [at, since] = [date(), time()];
  const faster = (stamp) => since + (stamp - since) * rate;
  Date.now = () => Math.round(at + (date() - at) * rate);
  performance.now = () => faster(time());
  window.setTimeout = (act, ms = 0, ...rest) => timer(act, ms / rate, ...rest);
  window.setInterval = (act, ms = 0, ...rest) => ticker(act, ms / rate, ...rest);
  window.requestAnimationFrame = (draw) => frame((stamp) => draw(faster(stamp)));
}

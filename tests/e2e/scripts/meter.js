// Adds a meter beside each connection to the speakers.
() => {
  const meters = [];
  const {connect} = AudioNode.prototype;
  AudioNode.prototype.connect = function (to, ...rest) {
    if (to === this.context.destination && this.context instanceof AudioContext) {
      const meter = new AnalyserNode(this.context);
      connect.call(this, meter);
      meters.push(meter);
    }
    return connect.call(this, to, ...rest);
  };
  const samples = new Float32Array(2048);
  const measure = (meter) => {
    if (meter.context.state !== "running") return 0;
    meter.getFloatTimeDomainData(samples);
    return Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length);
  };
  window.loudness = () => Math.max(0, ...meters.map(measure));
  window.listen = (ms) => new Promise((done) => {
    const [until, recorded] = [Date.now() + ms, []];
    const timer = setInterval(() => {
      recorded.push(loudness());
      if (Date.now() >= until) done(Math.max(...recorded), clearInterval(timer));
    }, 20);
  });
}

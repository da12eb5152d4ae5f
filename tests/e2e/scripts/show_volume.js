// Shows whether each loop of one second is loud.
const volumes = [];
setInterval(() => document.documentElement.dataset.music = volumes.map(({ value }) => value > 0.1), 50);
const connect = AudioNode.prototype.connect;
AudioNode.prototype.connect = function (to, ...more) {
  if (this.loop && this.buffer.duration < 2) volumes.push(to.gain);
  return connect.call(this, to, ...more);
};

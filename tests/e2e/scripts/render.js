// Renders sounds without a clock, by the script that the page has loaded; returns their peak and mean volume.
async ({url, motifs, bed}) => {
  const {Instrument} = await import(url);
  const audio = new OfflineAudioContext(1, 3 * 44100, 44100);
  const instrument = new Instrument(audio);
  if (bed) instrument.setBed(bed, 0);
  for (const motif of motifs) instrument.play(motif, 0.05);
  const samples = (await audio.startRendering()).getChannelData(0);
  const peak = samples.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return [peak, Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length)];
}

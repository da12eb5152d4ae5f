import { fetchInTime } from "../../live/connection/fetchInTime";
import { ROLL_MS, type Motif } from "./score";

interface Overtone {
  ratio: number;
  volume: number;
  fades: number;
}

interface Tone {
  shape: OscillatorType;
  from: number;
  to: number;
  volume: number;
  lasts: number;
}

/** A ship's bell: inharmonic overtones, of which the lowest rings longest. */
const BELL: readonly Overtone[] = [
  { ratio: 0.5, volume: 0.25, fades: 2.6 },
  { ratio: 1, volume: 0.5, fades: 1.9 },
  { ratio: 1.19, volume: 0.3, fades: 1.2 },
  { ratio: 2, volume: 0.25, fades: 0.9 },
  { ratio: 2.74, volume: 0.16, fades: 0.5 },
  { ratio: 4.1, volume: 0.1, fades: 0.3 },
];
const COIN: readonly Overtone[] = [
  { ratio: 1, volume: 0.22, fades: 0.5 },
  { ratio: 1.41, volume: 0.16, fades: 0.35 },
  { ratio: 2.3, volume: 0.12, fades: 0.2 },
];
const CHIME: readonly Overtone[] = [
  { ratio: 1, volume: 0.4, fades: 1.6 },
  { ratio: 2, volume: 0.16, fades: 1.1 },
  { ratio: 3.01, volume: 0.07, fades: 0.6 },
];
const BELL_HZ = 640;
const TICK_VOLUME = 0.3;
const ROLL_STROKE_MS = 50;

/** Limits the output level; the hall's amplifier sets the volume. */
const LIMITER = { threshold: -14, knee: 4, ratio: 20, attack: 0.003, release: 0.25 };
const VOLUME = 0.6;
const FADE_S = 0.015;

const BED = { noise: 0.3, hum: 0.04, hz: [110, 110.7, 164.8] as readonly number[], rises: 0.8, falls: 0.2 };
const NOISE_S = 3;

const MUSIC_URL = "/brand/lobby-music";
const MUSIC = { volume: 0.5, rises: 0.8, falls: 0.3, withinMs: 60_000, retryMs: 30_000 };

/** Synthesizes all sounds with Web Audio, on any kind of audio context. Only the lobby music is a recording. */
export class Instrument {
  private readonly limiter: AudioNode;
  private readonly out: GainNode;
  private readonly noise: AudioBuffer;
  private music: GainNode | null = null;
  private readonly bed: { noise: GainNode; hum: GainNode; filter: BiquadFilterNode; swell: OscillatorNode };

  constructor(private readonly audio: BaseAudioContext) {
    this.out = gain(audio, VOLUME);
    this.limiter = new DynamicsCompressorNode(audio, LIMITER);
    this.limiter.connect(this.out).connect(audio.destination);
    this.noise = whiteNoise(audio);
    this.bed = this.startBed();
  }

  get time(): number {
    return this.audio.currentTime;
  }

  get isRunning(): boolean {
    return this.audio.state === "running";
  }

  /** Fade out without a click. */
  fadeOut(): void {
    this.out.gain.setTargetAtTime(0, this.time, FADE_S);
  }

  /** The ambient bed: the sea, and a low hum that grows faster than it. */
  setBed(level: number, at = this.time): void {
    const { noise, hum, filter, swell } = this.bed;
    const glide = (param: AudioParam, value: number) => param.setTargetAtTime(value, at, value < param.value ? BED.falls : BED.rises);
    glide(noise.gain, BED.noise * level);
    glide(hum.gain, BED.hum * level ** 2);
    glide(filter.frequency, 160 + 640 * level);
    glide(swell.frequency, 0.1 + 0.4 * level);
  }

  /** Loads the music when it is first wanted. */
  setMusic(on: boolean): void {
    if (on && !this.music) {
      this.music = gain(this.audio, 0);
      this.music.connect(this.limiter);
      void this.loopMusic(this.music);
    }
    this.music?.gain.setTargetAtTime(on ? MUSIC.volume : 0, this.time, on ? MUSIC.rises : MUSIC.falls);
  }

  /** Without the file, or if the browser can't decode it, there is no music. A failed download is repeated. */
  private async loopMusic(to: AudioNode): Promise<void> {
    const answer = await fetchInTime(MUSIC_URL, MUSIC.withinMs).catch(() => null);
    if (!answer || answer.status >= 500) {
      setTimeout(() => void this.loopMusic(to), MUSIC.retryMs);
      return;
    }
    const buffer = answer.ok ? await this.audio.decodeAudioData(await answer.arrayBuffer()).catch(() => null) : null;
    if (!buffer) return;
    const music = new AudioBufferSourceNode(this.audio, { buffer, loop: true });
    music.connect(to);
    music.start();
  }

  play(motif: Motif, at = this.time, volume = 1): void {
    const to = gain(this.audio, volume);
    to.connect(this.limiter);
    MOTIFS[motif](this, at, to);
  }

  /** A second of the countdown: a soft stroke of the bell, without its long low overtone. */
  tick(at = this.time): void {
    const to = gain(this.audio, TICK_VOLUME);
    to.connect(this.limiter);
    this.ring(BELL.slice(1), BELL_HZ, at, to);
  }

  /** Votes arrive as drops of water. */
  drip(hz: number, at = this.time): void {
    this.sweep({ shape: "sine", from: hz, to: hz * 2.1, lasts: 0.09, volume: 0.07 }, at, this.limiter);
  }

  ring(overtones: readonly Overtone[], hz: number, at: number, to: AudioNode): void {
    for (const { ratio, volume, fades } of overtones) this.sweep({ shape: "sine", from: hz * ratio, to: hz * ratio, volume, lasts: fades }, at, to);
  }

  sweep({ shape, from, to: end, volume, lasts }: Tone, at: number, to: AudioNode): void {
    const voice = new OscillatorNode(this.audio, { type: shape });
    voice.frequency.setValueAtTime(from, at);
    if (end !== from) voice.frequency.exponentialRampToValueAtTime(end, at + lasts);
    voice.connect(this.fading(at, volume, lasts)).connect(to);
    voice.start(at);
    voice.stop(at + lasts + 0.05);
  }

  /** A burst of noise below this frequency. */
  impact(hz: number, volume: number, lasts: number, at: number, to: AudioNode): void {
    const burst = new AudioBufferSourceNode(this.audio, { buffer: this.noise });
    const filter = new BiquadFilterNode(this.audio, { type: "lowpass", frequency: hz });
    burst.connect(filter).connect(this.fading(at, volume, lasts)).connect(to);
    burst.start(at);
    burst.stop(at + lasts + 0.05);
  }

  private fading(at: number, volume: number, lasts: number): GainNode {
    const fade = gain(this.audio, 0);
    fade.gain.setValueAtTime(0, at);
    fade.gain.linearRampToValueAtTime(volume, at + 0.004);
    fade.gain.exponentialRampToValueAtTime(0.0004, at + lasts);
    return fade;
  }

  private startBed() {
    const { audio } = this;
    const [noise, hum, swelling, depth] = [gain(audio, 0), gain(audio, 0), gain(audio, 0.75), gain(audio, 0.25)];
    const filter = new BiquadFilterNode(audio, { type: "lowpass", frequency: 160 });
    const swell = new OscillatorNode(audio, { frequency: 0.1 });
    const waves = new AudioBufferSourceNode(audio, { buffer: this.noise, loop: true });
    swell.connect(depth).connect(swelling.gain);
    waves.connect(filter).connect(swelling).connect(noise).connect(this.limiter);
    hum.connect(this.limiter);
    const voices = BED.hz.map((frequency) => new OscillatorNode(audio, { frequency }));
    for (const voice of voices) voice.connect(hum);
    for (const source of [swell, waves, ...voices]) source.start();
    return { noise, hum, filter, swell };
  }
}

const MOTIFS: Record<Motif, (instrument: Instrument, at: number, to: AudioNode) => void> = { seal, conflict, close, drop, token, block, roll, win };

/** The deadline: a ship's bell. */
function seal(instrument: Instrument, at: number, to: AudioNode): void {
  instrument.ring(BELL, BELL_HZ, at, to);
}

/** Both teams picked the same column: two low voices a semitone apart collide. */
function conflict(instrument: Instrument, at: number, to: AudioNode): void {
  instrument.impact(500, 0.5, 0.12, at, to);
  for (const hz of [146.8, 155.6]) instrument.sweep({ shape: "triangle", from: hz, to: hz * 0.97, volume: 0.4, lasts: 1.3 }, at, to);
}

/** A close vote: two notes waver, faster and faster. */
function close(instrument: Instrument, at: number, to: AudioNode): void {
  [0, 0.26, 0.48, 0.66, 0.8, 0.92, 1.02].forEach((after, n) => instrument.ring(CHIME.slice(0, 2), n % 2 ? 466.2 : 440, at + after, to));
}

/** A ball lands: wood on wood. */
function drop(instrument: Instrument, at: number, to: AudioNode): void {
  instrument.sweep({ shape: "triangle", from: 210, to: 92, lasts: 0.12, volume: 0.35 }, at, to);
  instrument.impact(1300, 0.18, 0.05, at, to);
}

/** The token changes sides: brass. */
function token(instrument: Instrument, at: number, to: AudioNode): void {
  instrument.ring(COIN, 1760, at, to);
  instrument.ring(COIN, 2093, at + 0.12, to);
}

/** A line is blocked: a bar falls into place, and a fifth opens above it. */
function block(instrument: Instrument, at: number, to: AudioNode): void {
  instrument.impact(700, 0.5, 0.09, at, to);
  instrument.ring(CHIME, 293.7, at, to);
  instrument.ring(CHIME, 440, at + 0.22, to);
}

/** Both sides have a line: a drum roll that grows until the verdict. */
function roll(instrument: Instrument, at: number, to: AudioNode): void {
  const strokes = ROLL_MS / ROLL_STROKE_MS;
  for (let stroke = 0; stroke < strokes; stroke++) instrument.impact(420, 0.12 + (0.4 * stroke) / strokes, 0.09, at + (stroke * ROLL_STROKE_MS) / 1000, to);
}

/** A win: rising bells. */
function win(instrument: Instrument, at: number, to: AudioNode): void {
  [523.3, 659.3, 784, 1046.5].forEach((hz, n) => instrument.ring(BELL, hz, at + n * 0.26, to));
}

function gain(audio: BaseAudioContext, value: number): GainNode {
  return new GainNode(audio, { gain: value });
}

function whiteNoise(audio: BaseAudioContext): AudioBuffer {
  const buffer = new AudioBuffer({ length: NOISE_S * audio.sampleRate, sampleRate: audio.sampleRate });
  const samples = buffer.getChannelData(0);
  for (let n = 0; n < samples.length; n++) samples[n] = Math.random() * 2 - 1;
  return buffer;
}

import { read, write } from "../../live/browserStorage";

/** Sound effects, synthesized with Web Audio; no recordings are loaded. */
const STORAGE_KEY = "crowdgame:sound";
const LOUDNESS = 0.5;

interface Overtone {
  ratio: number;
  loud: number;
  fades: number;
}

/** A ship's bell: inharmonic partials, of which the lowest rings longest. */
const BELL: readonly Overtone[] = [
  { ratio: 0.5, loud: 0.25, fades: 2.6 },
  { ratio: 1, loud: 0.5, fades: 1.9 },
  { ratio: 1.19, loud: 0.3, fades: 1.2 },
  { ratio: 2, loud: 0.25, fades: 0.9 },
  { ratio: 2.74, loud: 0.16, fades: 0.5 },
  { ratio: 4.1, loud: 0.1, fades: 0.3 },
];
const COIN: readonly Overtone[] = [
  { ratio: 1, loud: 0.22, fades: 0.5 },
  { ratio: 1.41, loud: 0.16, fades: 0.35 },
  { ratio: 2.3, loud: 0.12, fades: 0.2 },
];

export class Sound {
  private audio: AudioContext | null = null;
  private out: GainNode | null = null;
  private noise: AudioBuffer | null = null;

  /** Off by default. Browsers start audio only after a key press or a tap. */
  on = read(STORAGE_KEY) === "on";

  toggle(): void {
    this.on = !this.on;
    write(STORAGE_KEY, this.on ? "on" : "off");
    if (this.on) this.wake();
    else void this.audio?.suspend();
  }

  /** After a reload, sound starts with the first tap or key press. */
  wake(): void {
    if (!this.on) return;
    if (!this.audio) this.build();
    void this.audio?.resume();
  }

  /** The deadline. */
  bell(): void {
    this.ring(BELL, 640);
  }

  /** Three bell strokes when the home team has won, on its own screen. */
  peal(): void {
    for (const [stroke, pitch] of [640, 720, 854].entries()) this.ring(BELL, pitch, stroke * 0.34);
  }

  /** A countdown tick in the last seconds: a light tap on the bell's rim. */
  tick(): void {
    this.ring([{ ratio: 2, loud: 0.14, fades: 0.18 }], 640);
  }

  /** The token changes sides. */
  brass(): void {
    this.ring(COIN, 1760);
    this.ring(COIN, 2093, 0.12);
  }

  /** The votes of one second as drops of water: a few, never many. */
  water(votes: number): void {
    const drops = Math.min(5, Math.ceil(Math.sqrt(votes)));
    for (let n = 0; n < drops; n++) this.drip(Math.random() * 0.9);
  }

  /** A ball lands: a wooden knock, after this many seconds. */
  wood(after = 0, loud = 1): void {
    const [audio, out] = [this.audio, this.out];
    if (!this.isAudible() || !audio || !out) return;
    const at = audio.currentTime + Math.max(0, after);
    this.sweepTone(at, { from: 210, to: 92, lasts: 0.12, loud: 0.7 * loud, shape: "triangle" });
    const impact = audio.createBufferSource();
    const soft = audio.createBiquadFilter();
    impact.buffer = this.noise;
    soft.type = "lowpass";
    soft.frequency.value = 1300;
    impact.connect(soft).connect(fadeGain(audio, at, 0.35 * loud, 0.05)).connect(out);
    impact.start(at);
    impact.stop(at + 0.06);
  }

  private drip(after: number): void {
    const from = 380 + Math.random() * 500;
    this.sweepTone((this.audio?.currentTime ?? 0) + after, { from, to: from * 2.1, lasts: 0.09, loud: 0.07, shape: "sine" });
  }

  private sweepTone(at: number, tone: { from: number; to: number; lasts: number; loud: number; shape: OscillatorType }): void {
    const [audio, out] = [this.audio, this.out];
    if (!this.isAudible() || !audio || !out) return;
    const voice = audio.createOscillator();
    voice.type = tone.shape;
    voice.frequency.setValueAtTime(tone.from, at);
    voice.frequency.exponentialRampToValueAtTime(tone.to, at + tone.lasts);
    voice.connect(fadeGain(audio, at, tone.loud, tone.lasts)).connect(out);
    voice.start(at);
    voice.stop(at + tone.lasts + 0.02);
  }

  private ring(partials: readonly Overtone[], pitch: number, after = 0): void {
    const [audio, out] = [this.audio, this.out];
    if (!this.isAudible() || !audio || !out) return;
    const at = audio.currentTime + after;
    for (const { ratio, loud, fades } of partials) {
      const voice = audio.createOscillator();
      voice.frequency.value = pitch * ratio;
      voice.connect(fadeGain(audio, at, loud, fades)).connect(out);
      voice.start(at);
      voice.stop(at + fades + 0.05);
    }
  }

  private isAudible(): boolean {
    return this.on && this.audio?.state === "running";
  }

  private build(): void {
    this.audio = new AudioContext();
    this.out = this.audio.createGain();
    this.out.gain.value = LOUDNESS;
    this.out.connect(this.audio.destination);
    this.noise = this.audio.createBuffer(1, this.audio.sampleRate / 10, this.audio.sampleRate);
    const samples = this.noise.getChannelData(0);
    for (let n = 0; n < samples.length; n++) samples[n] = Math.random() * 2 - 1;
  }
}

function fadeGain(audio: AudioContext, at: number, loud: number, lasts: number): GainNode {
  const gain = audio.createGain();
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(loud, at + 0.004);
  gain.gain.exponentialRampToValueAtTime(0.0004, at + lasts);
  return gain;
}

import { read, write } from "../../live/browserStorage";
import { Store } from "../../live/state/store";
import type * as SoundParts from "./player";

/** The build inserts the URL of the synthesizer's bundle here. */
const SOUND_URL = "%sound%";
const STORAGE_KEY = "crowdgame:sound";
const FADE_MS = 120;

/** `waiting`: sound is switched on, but browsers start it only after a key press or a click. */
export type SoundState = "off" | "waiting" | "on";

/** Switches the sound on and off, and remembers the choice. Off by default; its code is loaded when it is wanted. */
export class SoundSwitch {
  private wanted = read(STORAGE_KEY) === "on";
  private audio: AudioContext | null = null;
  private player: SoundParts.SoundPlayer | null = null;
  private loading: Promise<typeof SoundParts | null> | null = null;
  private latest: Parameters<SoundParts.SoundPlayer["follow"]> | null = null;
  readonly store = new Store<{ state: SoundState }>({ state: this.wanted ? "waiting" : "off" });

  constructor() {
    document.addEventListener("visibilitychange", () => this.suspendHidden());
  }

  toggle(): void {
    this.wanted = !this.wanted || !this.audio;
    write(STORAGE_KEY, this.wanted ? "on" : "off");
    if (this.wanted) this.wake();
    else this.close();
  }

  /** Turns the sound on at once if someone has used this page before; otherwise the next key press or click starts it. */
  turnOn(): void {
    this.wanted = true;
    this.wake(navigator.userActivation?.hasBeenActive ?? false);
    this.update();
  }

  /** Call this in every key press and click. Some, such as Escape, do not let a page start sound (`allowed`). */
  wake(allowed = navigator.userActivation?.isActive !== false): void {
    if (!this.wanted || this.audio || !allowed) return;
    this.audio = new AudioContext();
    this.audio.onstatechange = () => this.update();
    void this.audio.resume();
    void this.prepare();
    this.update();
  }

  follow(...latest: Parameters<SoundParts.SoundPlayer["follow"]>): void {
    this.latest = latest;
    if (this.player) this.player.follow(...latest);
    else if (this.wanted) void this.prepare();
  }

  rest(): void {
    this.latest = null;
    this.player?.rest();
  }

  /** Load the code. The player starts once there is an audio context, too. */
  private async prepare(): Promise<void> {
    this.loading ??= import(/* @vite-ignore */ SOUND_URL).catch(() => (this.loading = null));
    const parts = await this.loading;
    if (!parts || !this.audio || this.player) return;
    this.player = new parts.SoundPlayer(new parts.Instrument(this.audio));
    if (this.latest) this.player.follow(...this.latest);
  }

  private close(): void {
    const { audio } = this;
    this.player?.fadeOut();
    this.player = this.audio = null;
    setTimeout(() => void audio?.close(), FADE_MS);
    this.update();
  }

  private suspendHidden(): void {
    if (document.hidden) void this.audio?.suspend();
    else void this.audio?.resume();
  }

  private update(): void {
    this.store.set({ state: !this.wanted ? "off" : this.audio?.state === "running" ? "on" : "waiting" });
  }
}

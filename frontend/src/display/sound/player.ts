import { sideAtPlace } from "../scene/places";
import type { StageView } from "../scene/stageView";
import type { TurnoutLevel } from "../votes/turnoutLevel";
import { Instrument } from "./instrument";
import { bedTarget, revealScore, type Cue } from "./score";

export { Instrument };

/** What both turnout bars show. Before a reveal, sounds depend on nothing else about the votes. */
export type Levels = readonly [TurnoutLevel, TurnoutLevel];

/** The parts of the picture whose changes make sounds. */
interface Moment {
  /** The whole seconds left, in the last ones; 0 before. */
  second: number;
  isSealed: boolean;
  turn: number | null;
  voted: number;
  cheers: number;
  /** Changes with each reveal and with its steps. */
  reveal: string;
}

type Played = Pick<Instrument, "time" | "isRunning" | "setBed" | "play" | "tick" | "drip" | "setMusic" | "fadeOut">;

const LAST_MS = 5000;
const MAX_DRIPS = 5;
/** Cues are handed to the audio clock this early. Later than this they are skipped. */
const AHEAD_MS = 80;
const LATE_MS = 700;

/** Plays sounds in sync with the picture; with reduced motion, at the same steps. */
export class SoundPlayer {
  private before: Moment | null = null;
  private timers: number[] = [];

  constructor(private readonly instrument: Played) {}

  /** Skips what happened before the page was opened or unmuted. */
  follow(view: StageView, levels: Levels): void {
    const { scene } = view;
    const [last, moment] = [this.before, readMoment(view, levels)];
    this.before = moment;
    this.instrument.setBed(bedTarget(scene.phase, sharedTurnout(view, levels), scene.leftMs));
    this.instrument.setMusic(scene.phase === "lobby" && view.state.lobby_music === true);
    if (moment.reveal !== (last?.reveal ?? "")) this.schedule(view);
    if (!last || !this.instrument.isRunning) return;
    if (moment.second > 0 && moment.second !== last.second) this.instrument.tick();
    if (moment.isSealed && !last.isSealed) this.instrument.play("seal");
    if (moment.turn === last.turn) this.drip(moment.voted - last.voted);
    this.drip(moment.cheers - last.cheers);
  }

  /** The screen no longer shows a match. */
  rest(): void {
    this.cancel();
    this.before = null;
    this.instrument.setBed(0);
    this.instrument.setMusic(false);
  }

  fadeOut(): void {
    this.cancel();
    this.instrument.fadeOut();
  }

  private schedule(view: StageView): void {
    this.cancel();
    const { plan, reveal, call, match, phase } = view.scene;
    if (phase !== "reveal" || !plan || !reveal || !match) return;
    const home = view.home ? sideAtPlace(match, 0) : null;
    for (const cue of revealScore({ reveal, plan, call, match, reducedMotion: view.reducedMotion, home })) this.await(cue, reveal.resolved_at, view.now);
  }

  private await({ motif, at, volume }: Cue, since: number, now: () => number): void {
    const wait = () => since + at - now();
    const play = () => {
      if (wait() < -LATE_MS || !this.instrument.isRunning) return;
      this.instrument.play(motif, this.instrument.time + Math.max(0, wait()) / 1000, volume);
    };
    if (wait() >= -LATE_MS) this.timers.push(window.setTimeout(play, Math.max(0, wait() - AHEAD_MS)));
  }

  private cancel(): void {
    this.timers.forEach(clearTimeout);
    this.timers = [];
  }

  /** The votes of one second as drops of water: a few, never many. */
  private drip(votes: number): void {
    const drips = votes > 0 ? Math.min(MAX_DRIPS, Math.ceil(Math.sqrt(votes))) : 0;
    for (let n = 0; n < drips; n++) this.instrument.drip(380 + Math.random() * 500, this.instrument.time + Math.random() * 0.9);
  }
}

function readMoment(view: StageView, levels: Levels): Moment {
  const { phase, stage, turn, leftMs, reveal } = view.scene;
  const revealing = phase === "reveal" && reveal;
  return {
    second: phase === "voting" && leftMs <= LAST_MS ? Math.ceil(leftMs / 1000) : 0,
    isSealed: phase === "sealed" || stage?.step === "sealed",
    turn: phase === "voting" && turn ? turn.id : null,
    voted: phase === "voting" ? sum(view, [levels[0].number, levels[1].number]) : 0,
    cheers: sum(view, view.cheers.all),
    reveal: revealing ? JSON.stringify([reveal.turn, reveal.resolved_at, reveal.steps]) : "",
  };
}

/** A team's own screen plays sounds only for its own votes. */
function sum({ home }: StageView, [left, right]: readonly [number, number]): number {
  return home ? left : left + right;
}

/** The mean height of the bars of the teams that vote; a hidden turnout has a fixed height. */
function sharedTurnout({ home }: StageView, [left, right]: Levels): number {
  const active = (home ? [left] : [left, right]).filter(({ isActive }) => isActive);
  return active.reduce((all, { share }) => all + share, 0) / Math.max(1, active.length);
}

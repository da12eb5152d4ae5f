import { progressNow, type StageView } from "../scene/stageView";
import { FULL_TURNOUT_Y, HEIGHT } from "../scene/layout";
import { Arrivals } from "./arrivals";
import { particleTeams, surfaceY, type ParticleTeam } from "./particleTeams";
import type * as Renderers from "./renderer";
import { SeaLevel } from "./seaLevel";
import { showsParticles } from "./particleSupport";

const SECOND_MS = 1000;
const FADED = 0.32;
const FADE_S = 0.35;
/** A larger canvas lowers the frame rate without showing more detail. */
const MOST_LINES = 1080;
/** The part of the stage, from top to bottom, that the canvas covers. Covering the board costs a third of all frames. */
const SEA = { top: FULL_TURNOUT_Y - 20, bottom: HEIGHT };
const STAGE = { top: 0, bottom: HEIGHT };
/** Hovering is slow, so 30 frames per second look the same as 60 and cost half as much. */
const HOVERING_S = 0.03;
/** A picture that takes longer than a frame, without a graphics card, leaves this much time for the rest of the page. */
const REST = 5;
const MOST_REST_S = 0.2;

/** Draws the particles of the latest view in every frame, as long as there are any. */
export class ParticleField {
  private renderer: Renderers.ParticleRenderer | null = null;
  private view: StageView | null = null;
  private teams: readonly ParticleTeam[] = [];
  private frame = 0;
  private readonly arrivals = [new Arrivals(), new Arrivals()] as const;
  private readonly levels = [new SeaLevel(), new SeaLevel()] as const;
  private drawnAt = -Infinity;
  /** How many seconds the last picture took, 0 if it was complete in the next frame; null while it is being drawn. */
  private took: number | null = 0;
  /** The frames since the last picture. */
  private waited = 0;
  private isStill = false;
  private pickedAt: number | null = null;

  /** `onChange` receives whether particles can be drawn: not without WebGL2, nor while its context is lost. */
  constructor(
    private readonly renderers: typeof Renderers,
    private readonly canvas: HTMLCanvasElement,
    private readonly onChange: (works: boolean) => void,
  ) {
    canvas.addEventListener("webglcontextlost", this.lose);
    canvas.addEventListener("webglcontextrestored", this.restore);
    this.restore();
  }

  private readonly lose = (lost: Event): void => {
    lost.preventDefault();
    this.renderer = null;
    this.onChange(false);
  };

  private readonly restore = (): void => {
    this.drawnAt = -Infinity;
    this.took = 0;
    this.isStill = false;
    this.renderer = this.renderers.ParticleRenderer.create(this.canvas);
    this.onChange(this.renderer !== null);
  };

  /** `beside`: the width beside the board, in which particles hover. */
  show(view: StageView, beside: number): void {
    this.view = view;
    this.teams = showsParticles(view) ? particleTeams(view, beside) : [];
    const now = seconds();
    for (const { place, born, level } of this.teams) {
      this.arrivals[place].count(countedTurn(view), born, now);
      this.levels[place].rise(level, now);
    }
    const isPicked = view.scene.stage?.step === "picks";
    this.pickedAt = isPicked ? (this.pickedAt ?? now) : null;
    const isEmpty = this.teams.every(({ born, total }) => born === 0 && total === 0);
    this.canvas.hidden = isEmpty;
    this.isStill = false;
    cancelAnimationFrame(this.frame);
    if (!isEmpty) this.draw();
  }

  private readonly nextFrame = (): void => {
    this.waited += 1;
    this.draw();
  };

  private draw(): void {
    if (!this.view || !this.renderer) return;
    const time = seconds();
    const poured = progressNow(this.view)?.poured ?? 0;
    if (this.took === null && this.renderer.isDone()) this.took = this.waited > 1 ? time - this.drawnAt : 0;
    if (!this.isStill && this.isDue(time, poured)) this.drawTeams(this.view, this.renderer, time, poured);
    this.frame = requestAnimationFrame(this.nextFrame);
  }

  private isDue(time: number, poured: number): boolean {
    if (this.took === null) return false;
    return (poured > 0 && poured < 1) || time - this.drawnAt >= Math.min(MOST_REST_S, Math.max(HOVERING_S, REST * this.took));
  }

  private drawTeams(view: StageView, renderer: Renderers.ParticleRenderer, time: number, poured: number): void {
    const teams = this.teams.map((team) => ({
      ...team,
      surface: surfaceY(this.levels[team.place].at(time), view.lift),
      arrivals: this.arrivals[team.place].rising(time),
    }));
    const emphasis = this.emphasis(time);
    const { top, bottom } = poured > 0 ? STAGE : SEA;
    this.cover(view, top, bottom);
    this.drawnAt = time;
    this.took = null;
    this.waited = 0;
    this.isStill = poured >= 1 && (emphasis === 1 || emphasis === FADED);
    renderer.draw({ width: view.size.width, top, height: bottom - top, time, poured, emphasis, teams });
  }

  private cover({ size }: StageView, top: number, bottom: number): void {
    const fine = Math.min(size.unit, MOST_LINES / HEIGHT);
    const [width, height] = [size.width, bottom - top].map((length) => Math.round(length * fine)) as [number, number];
    const { canvas } = this;
    if (canvas.width === width && canvas.height === height) return;
    [canvas.width, canvas.height] = [width, height];
    canvas.style.top = `calc(${top} * var(--u))`;
    canvas.style.height = `calc(${bottom - top} * var(--u))`;
  }

  private emphasis(time: number): number {
    if (this.pickedAt === null) return 1;
    return 1 - (1 - FADED) * Math.min(1, (time - this.pickedAt) / FADE_S);
  }

  close(): void {
    cancelAnimationFrame(this.frame);
    this.canvas.removeEventListener("webglcontextlost", this.lose);
    this.canvas.removeEventListener("webglcontextrestored", this.restore);
  }
}

/** The turn whose votes are shown. During a reveal, the state already contains the next turn. */
function countedTurn({ scene }: StageView): number | null {
  return scene.phase === "reveal" ? (scene.reveal?.turn ?? null) : (scene.turn?.id ?? null);
}

function seconds(): number {
  return performance.now() / SECOND_MS;
}

import { MAX_ARRIVALS, MAX_COLUMNS } from "./limits";
import { FRAGMENT_SHADER, VERTEX_SHADER } from "./shaders";
import { ownChannels } from "../../live/teamColors";
import type { Side } from "../../protocol";
import type { Arrival } from "./arrivals";
import type { ParticleTeam } from "./particleTeams";

/** The uniforms of one picture. `emphasis`: how visible the columns that were not picked are. */
export interface ParticleFrame {
  /** The part of the stage that the canvas covers, in stage units. */
  width: number;
  top: number;
  height: number;
  time: number;
  poured: number;
  emphasis: number;
  teams: readonly TeamFrame[];
}

/** `surface`: the top of the team's sea at this moment; `arrivals` with their age in seconds. */
export interface TeamFrame extends ParticleTeam {
  surface: number;
  arrivals: readonly Arrival[];
}

/** Brighter over the sea, which has the same color. */
const COLORS = {
  red: { floating: [1, 0.56, 0.61], settled: [0.96, 0.25, 0.36] },
  yellow: { floating: [1, 0.93, 0.62], settled: [1, 0.86, 0.22] },
} as const;
const SEEDS = [0x51ed27, 0x9e3779] as const;
const OPTIONS: WebGLContextAttributes = { alpha: true, antialias: false, depth: false, stencil: false, premultipliedAlpha: true, powerPreference: "low-power" };

/** Draws the particles of both teams: one draw call per team, without vertex buffers. */
export class ParticleRenderer {
  private drawing: WebGLSync | null = null;
  private readonly uniforms = new Map<string, WebGLUniformLocation | null>();

  private constructor(
    private readonly gl: WebGL2RenderingContext,
    private readonly program: WebGLProgram,
  ) {
    gl.useProgram(program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Null without WebGL2. Call again after the context was lost and restored. */
  static create(canvas: HTMLCanvasElement): ParticleRenderer | null {
    const gl = canvas.getContext("webgl2", OPTIONS);
    const program = gl && buildProgram(gl);
    return program ? new ParticleRenderer(gl, program) : null;
  }

  draw({ width, top, height, time, poured, emphasis, teams }: ParticleFrame): void {
    const { gl } = this;
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(this.at("stage"), width, height);
    gl.uniform1f(this.at("pixels"), gl.drawingBufferHeight / height);
    for (const [name, value] of Object.entries({ top, time, poured, emphasis })) gl.uniform1f(this.at(name), value);
    for (const team of teams) this.drawTeam(team);
    gl.deleteSync(this.drawing);
    this.drawing = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  }

  /** Whether the last picture is complete. Without a graphics card, that may take several frames. */
  isDone(): boolean {
    return !this.drawing || this.gl.getSyncParameter(this.drawing, this.gl.SYNC_STATUS) === this.gl.SIGNALED;
  }

  private drawTeam(team: TeamFrame): void {
    const { gl } = this;
    const count = Math.max(team.born, team.total);
    if (count === 0) return;
    const { born, total, picked, wide } = team;
    const numbers = { born, total, picked, wide, seed: SEEDS[team.place], columns: team.piles.length };
    for (const [name, value] of Object.entries(numbers)) gl.uniform1i(this.at(name), value);
    gl.uniform4f(this.at("sea"), team.from, team.to, team.surface, team.bottom);
    gl.uniform2f(this.at("sizes"), team.hoverSize, team.pileSize);
    gl.uniform2f(this.at("bar"), team.barWidth, team.barFloor);
    gl.uniform3fv(this.at("arrivals"), filled(team.arrivals.flatMap(({ from, to, age }) => [from, to, age]), 3 * MAX_ARRIVALS));
    gl.uniform1iv(this.at("ranks"), filled(team.ranks, MAX_COLUMNS + 1));
    gl.uniform2fv(this.at("piles"), filled(team.piles.flatMap(({ left, height }) => [left, height]), 2 * MAX_COLUMNS));
    const { floating, settled } = particleColors(team.side);
    gl.uniform3fv(this.at("floating"), floating);
    gl.uniform3fv(this.at("settled"), settled);
    gl.drawArrays(gl.POINTS, 0, count);
  }

  private at(name: string): WebGLUniformLocation | null {
    const found = this.uniforms.get(name);
    if (found !== undefined) return found;
    const location = this.gl.getUniformLocation(this.program, name);
    this.uniforms.set(name, location);
    return location;
  }
}

function filled(values: readonly number[], length: number): number[] {
  return [...values, ...Array<number>(length - values.length).fill(0)];
}

function buildProgram(gl: WebGL2RenderingContext): WebGLProgram | null {
  const program = gl.createProgram();
  const sources = [[gl.VERTEX_SHADER, VERTEX_SHADER], [gl.FRAGMENT_SHADER, FRAGMENT_SHADER]] as const;
  for (const [kind, source] of sources) {
    const shader = gl.createShader(kind);
    if (!shader) return null;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : null;
}

function particleColors(side: Side): Record<"floating" | "settled", readonly number[]> {
  const settled = ownChannels(side)?.map((channel) => channel / 255);
  return settled ? { settled, floating: settled.map((channel) => 0.5 + channel / 2) } : COLORS[side];
}

import { useLayoutEffect, useRef } from "preact/hooks";
import { Ball } from "../../board/Ball";
import { boardBefore } from "../../board/boardBefore";
import { Coin } from "../parts/Coin";
import { BALL, PITCH, boardHeight, boardWidth, centerY, columnX, type Cell } from "../../board/geometry";
import { GridBack, GridFront } from "../../board/Grid";
import { t } from "../../live/i18n";
import type { Drop } from "../../protocol";
import { fall } from "../reveal/motion";
import { FALL_MS, type DemonstrationStep } from "./demonstration";

interface Props {
  step: DemonstrationStep;
  /** Milliseconds since the step began. */
  since: number;
  reducedMotion: boolean;
}

const COIN = 104;
const BESIDE = 12;
const OVER_RIM = -BALL - 12;
const MARGIN = { x: COIN + BESIDE, y: 2 * BALL + 20 };
const FRAMES = 24;
const APPEARS_MS = 300;

/** A turn on a small board. With reduced motion it shows the turn's result at once. */
export function DemonstrationBoard({ step, since, reducedMotion }: Props) {
  const { board, resolution, landedAt, tokenAt } = step;
  const landed = reducedMotion || since >= landedAt;
  const shown = landed ? board : boardBefore(board, resolution);
  const [width, height] = [boardWidth(board), boardHeight(board)];
  const [lit, fresh] = landed ? [board.winning_cells, landedCells(resolution.drops)] : [[], []];
  const holder = since >= tokenAt ? resolution.token_after : resolution.token_before;
  const viewBox = [-MARGIN.x, -MARGIN.y, width + 2 * MARGIN.x, height + MARGIN.y].join(" ");
  return (
    <svg class="demonstration" viewBox={viewBox} role="img" aria-label={t("How a turn is played")}>
      <svg width={width} height={height}><GridBack board={shown} lit={lit} /></svg>
      {!landed && resolution.drops.map((drop, index) => <FallingBall key={drop.side} step={step} drop={drop} fallsAt={step.fallsAt[index]!} since={since} />)}
      <svg width={width} height={height}><GridFront board={shown} lit={lit} fresh={fresh} framed={resolution.conflict} /></svg>
      <g class="demonstration-token" style={{ transform: `translate(${holder === "red" ? -MARGIN.x : width + BESIDE}px, ${height - COIN}px)` }}>
        <svg width={COIN} height={COIN}><Coin /></svg>
      </g>
    </svg>
  );
}

function landedCells(drops: readonly Drop[]): readonly Cell[] {
  return drops.flatMap(({ column, row }): Cell[] => (row === null ? [] : [[column, row]]));
}

/** Hangs over its column, then falls. The second ball of a conflict hangs above the first. */
function FallingBall({ step, drop, fallsAt, since }: { step: DemonstrationStep; drop: Drop; fallsAt: number; since: number }) {
  const ball = useRef<SVGGElement>(null);
  useLayoutEffect(() => {
    const run = ball.current!.animate(fallingFrames(step, drop, fallsAt), { duration: fallsAt + FALL_MS, fill: "both" });
    run.currentTime = since;
    return () => run.cancel();
  }, []);
  return <g ref={ball}><Ball side={drop.side} /></g>;
}

function fallingFrames({ board, resolution }: DemonstrationStep, { side, column, row }: Drop, fallsAt: number): Keyframe[] {
  const { rows } = board;
  const beside = resolution.conflict === null ? 0 : (side === resolution.token_before ? -1 : 1) * PITCH * 0.5;
  const [x, to] = [columnX(column, board, false), centerY(row!, rows)];
  const ends = fallsAt + FALL_MS;
  const pose = (at: number, dx: number, y: number, grown = 1): Keyframe => ({ offset: at / ends, transform: `translate(${x + dx}px, ${y}px) scale(${grown})` });
  const falling = Array.from({ length: FRAMES + 1 }, (_, frame) => {
    const y = OVER_RIM + (to - OVER_RIM) * fall(frame / FRAMES, to - OVER_RIM, centerY(1, rows) - OVER_RIM);
    return pose(fallsAt + (FALL_MS * frame) / FRAMES, 0, y);
  });
  return [pose(0, beside, OVER_RIM, 0), pose(APPEARS_MS, beside, OVER_RIM), pose(fallsAt - APPEARS_MS, beside, OVER_RIM), ...falling];
}

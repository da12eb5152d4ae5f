import { useEffect, useRef } from "preact/hooks";
import { HEIGHT } from "../scene/layout";
import { matchWinner } from "../scene/scene";
import { currentSeries } from "../../live/match/series";
import { ownChannels } from "../../live/teamColors";
import type { Side } from "../../protocol";
import type { StageView } from "../scene/stageView";

const PIECES = 260;
const DURATION_MS = 6000;
/** Skipped by a page that loads this long after the end. */
const MAX_AGE_MS = 4000;
const FINEST = 0.5;
const COLORS = { red: ["#ff6b7b", "#fff4ea", "#d9b36c"], yellow: ["#fff0a6", "#fff4ea", "#d9b36c"] };

interface Piece {
  x: number;
  rises: number;
  drifts: number;
  falls: number;
  waits: number;
  spins: number;
  size: number;
  color: string;
}

/** Celebration: shown once, when a series is decided, or outside a series at the end of a match. */
export function Confetti({ view }: { view: StageView }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { scene, state, reducedMotion, size, now } = view;
  const { match } = scene;
  const winner = match && matchWinner(match);
  const thrown = scene.phase === "ended" && winner && !reducedMotion && (state.best_of === null || currentSeries(state).winner !== null);
  const ended = match?.reveal ? match.reveal.resolved_at + match.reveal.steps.over : 0;
  useEffect(() => {
    const pen = canvas.current?.getContext("2d");
    if (!thrown || !pen || now() - ended > MAX_AGE_MS) return;
    return startConfetti(pen, makePieces(size.width, confettiColors(winner)));
  }, [thrown, match?.id]);
  const fine = Math.min(FINEST, size.unit);
  if (!thrown) return null;
  return <canvas class="confetti" ref={canvas} width={Math.round(size.width * fine)} height={Math.round(HEIGHT * fine)} aria-hidden="true" />;
}

function confettiColors(side: Side): readonly string[] {
  const own = ownChannels(side);
  return own ? [`rgb(${own.join()})`, ...COLORS[side].slice(1)] : COLORS[side];
}

function makePieces(width: number, colors: readonly string[]): Piece[] {
  return Array.from({ length: PIECES }, (_, n) => ({
    x: Math.random() * width,
    rises: -60 - Math.random() * HEIGHT * 0.5,
    drifts: (Math.random() - 0.5) * 260,
    falls: 0.6 + Math.random() * 0.5,
    waits: Math.random() * 0.15,
    spins: (Math.random() - 0.5) * 24,
    size: 12 + Math.random() * 16,
    color: colors[n % colors.length]!,
  }));
}

/** Draw until all pieces have fallen. Returns a function that stops it. */
function startConfetti(pen: CanvasRenderingContext2D, pieces: readonly Piece[]): () => void {
  const began = performance.now();
  let frame = requestAnimationFrame(function next() {
    const t = (performance.now() - began) / DURATION_MS;
    clear(pen);
    if (t >= 1) return;
    for (const piece of pieces) draw(pen, piece, t);
    frame = requestAnimationFrame(next);
  });
  return () => cancelAnimationFrame(frame);
}

function clear(pen: CanvasRenderingContext2D) {
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height);
}

function draw(pen: CanvasRenderingContext2D, piece: Piece, t: number) {
  const own = Math.max(0, t - piece.waits);
  const fine = pen.canvas.height / HEIGHT;
  const y = piece.rises + own * piece.falls * HEIGHT * 2.6;
  const x = piece.x + piece.drifts * own + Math.sin(own * 14 + piece.spins) * 26;
  const angle = piece.spins * own;
  pen.setTransform(Math.cos(angle) * fine, Math.sin(angle) * fine, -Math.sin(angle) * fine, Math.cos(angle) * fine, x * fine, y * fine);
  pen.fillStyle = piece.color;
  pen.globalAlpha = Math.min(1, (1 - t) * 5);
  pen.fillRect(-piece.size / 2, -piece.size / 4, piece.size, (piece.size / 2) * Math.abs(Math.cos(own * piece.spins)));
}

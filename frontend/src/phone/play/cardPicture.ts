import { placedBalls, isOnLine } from "../../live/match/grid";
import type { Match, Side } from "../../protocol";
import { ownChannels } from "../../live/teamColors";
import * as say from "../texts";

const [WIDE, HIGH, EDGE] = [1080, 1350, 80];
const FONT = 'system-ui, "Segoe UI", Roboto, sans-serif';
const GROUND = { red: ["#dc3049", "#a9182f"], yellow: ["#ffe68a", "#eab315"] } as const;
const BALL = { red: "#e8334a", yellow: "#ffd23f" } as const;
const MARK = { red: "#fff4ea", yellow: "#2c2000" } as const;

/** A voter's result in a match. */
export interface Card {
  side: Side;
  team: string;
  event: string;
  title: string;
  /** Turns voted in, and the total. */
  voted: number;
  turns: number;
  /** Empty in a game for two, whose card has no figures. */
  agreement: string;
  /** Whether this vote was for the column that won. */
  votedForWinner: boolean;
  board: Match["board"];
}

/** Saves or shares the result card as a picture. */
export async function saveCard(card: Card): Promise<void> {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [WIDE, HIGH];
  paint(canvas.getContext("2d")!, card);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (blob) await shareOrDownload(new File([blob], "crowdgame.png", { type: blob.type }));
}

/** Uses the share sheet if available, otherwise downloads the file. */
async function shareOrDownload(file: File): Promise<void> {
  if (matchMedia("(pointer: coarse)").matches && navigator.canShare?.({ files: [file] })) {
    await navigator.share({ files: [file] }).catch(() => undefined);
    return;
  }
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: file.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

type Pen = CanvasRenderingContext2D;

function paint(pen: Pen, card: Card): void {
  const { side, board } = card;
  const ground = pen.createRadialGradient(WIDE * 0.25, HIGH * 0.08, 0, WIDE * 0.25, HIGH * 0.08, HIGH);
  const own = ownChannels(side);
  (own ? [`rgb(${own.join()})`] : GROUND[side]).forEach((color, at) => ground.addColorStop(at, color));
  pen.fillStyle = ground;
  pen.fillRect(0, 0, WIDE, HIGH);
  pen.fillStyle = getComputedStyle(document.body).getPropertyValue("--on-side");
  write(pen, card.event, 44, 600, 110);
  write(pen, card.title, 150, 800, 260);
  write(pen, card.team, 64, 700, 345);
  if (card.agreement) {
    figure(pen, `${card.voted} / ${card.turns}`, say.turnsVoted, EDGE);
    figure(pen, card.agreement, say.agreement, WIDE / 2 + EDGE / 4);
  }
  if (card.votedForWinner) write(pen, `✓ ${say.youCalled}`, 54, 700, 640);
  drawGrid(pen, board, 700);
}

/** Draws text at the largest size up to `size` that fits the width. */
function write(pen: Pen, text: string, size: number, weight: number, y: number, x = EDGE, width = WIDE - 2 * EDGE): void {
  pen.font = `${weight} ${size}px ${FONT}`;
  const fits = Math.min(1, width / pen.measureText(text).width);
  pen.font = `${weight} ${size * fits}px ${FONT}`;
  pen.fillText(text, x, y);
}

function figure(pen: Pen, value: string, label: string, x: number): void {
  const width = WIDE / 2 - EDGE * 1.25;
  write(pen, value, 110, 800, 485, x, width);
  write(pen, label, 44, 600, 545, x, width);
}

function drawGrid(pen: Pen, board: Card["board"], top: number): void {
  const cell = Math.min((WIDE - 2 * EDGE) / board.columns, (HIGH - top - EDGE) / board.rows);
  const left = (WIDE - cell * board.columns) / 2;
  const disc = (column: number, row: number, radius: number) => {
    pen.beginPath();
    pen.arc(left + (column - 0.5) * cell, top + (board.rows - row + 0.5) * cell, radius * cell, 0, 7);
  };
  pen.fillStyle = "#223160";
  pen.fillRect(left, top, cell * board.columns, cell * board.rows);
  pen.strokeStyle = "#d9b36c";
  pen.lineWidth = 6;
  pen.strokeRect(left - 3, top - 3, cell * board.columns + 6, cell * board.rows + 6);
  for (let hole = 0; hole < board.columns * board.rows; hole++) {
    disc((hole % board.columns) + 1, Math.floor(hole / board.columns) + 1, 0.42);
    pen.fillStyle = "#070b18";
    pen.fill();
  }
  for (const ball of placedBalls(board)) {
    disc(ball.column, ball.row, 0.42);
    const own = ownChannels(ball.side);
    pen.fillStyle = own ? `rgb(${own.join()})` : BALL[ball.side];
    pen.fill();
    if (isOnLine([...board.winning_cells, ...board.losing_cells], ball)) stroke(pen, "#f4f1e8", cell * 0.07);
    drawShape(pen, ball.side, left + (ball.column - 0.5) * cell, top + (board.rows - ball.row + 0.5) * cell, cell);
  }
}

function stroke(pen: Pen, color: string, width: number): void {
  pen.strokeStyle = color;
  pen.lineWidth = width;
  pen.stroke();
}

/** The side's shape, so that color is never the only difference. */
function drawShape(pen: Pen, side: Side, x: number, y: number, cell: number): void {
  pen.beginPath();
  if (side === "red") pen.arc(x, y, cell * 0.17, 0, 7);
  else [[0, -0.21], [0.2, 0.13], [-0.2, 0.13]].forEach(([dx, dy]) => pen.lineTo(x + dx! * cell, y + dy! * cell));
  pen.closePath();
  stroke(pen, MARK[side], cell * 0.08);
}

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { t } from "../live/i18n";
import { useStore } from "../live/state/useStore";
import { GridFront, GridBack } from "../board/Grid";
import { DrawnBoard } from "../board/DrawnBoard";
import { boardHeight, boardWidth, type Cell } from "../board/geometry";
import type { Board, KeyShown } from "../protocol";
import { DistributionChart } from "./reveal/DistributionChart";
import { ConcealedChoice } from "./reveal/ConcealedChoice";
import { TeamPick } from "./reveal/TeamPick";
import { Countdown } from "./parts/Countdown";
import { Brand } from "./parts/Brand";
import { BalanceBar } from "./parts/BalanceBar";
import { Confetti } from "./parts/Confetti";
import { MistakeMarks } from "./parts/MistakeMarks";
import { LiveCounts } from "./votes/LiveCounts";
import { Footer } from "./parts/Footer";
import { EndScreen, WinnerBackground } from "./parts/EndScreen";
import { FallingBalls } from "./reveal/FallingBalls";
import { TeamHeader } from "./parts/TeamHeader";
import { Lobby } from "./parts/Lobby";
import { besideCard, isIntroducing, shownTeamCodes } from "./parts/lobbyLayout";
import { specialRules } from "./demonstration/demonstration";
import { SpecialRules } from "./demonstration/SpecialRules";
import { isBeforeFirstVote } from "../live/match/specialRules";
import { DropMarks } from "./particles/DropMarks";
import { ParticleLayer } from "./particles/ParticleLayer";
import { particleSupport, showsParticles } from "./particles/particleSupport";
import { PourAnimation } from "./reveal/PourAnimation";
import { TurnoutBar } from "./votes/TurnoutBar";
import { Discussion } from "./parts/Discussion";
import { Token } from "./reveal/Token";
import type { JoinCodes } from "./scene/joinCodes";
import { LANDED, sceneBoard, replaysDrops, type ScreenPhase } from "./scene/scene";
import { fitFontSize } from "./scene/layout";
import { PLACES, isPartHidden } from "./scene/places";
import { isDimmed, gridPlacement, useReveal, type GridPlacement, type StageView } from "./scene/stageView";

interface Props {
  view: StageView;
  codes: JoinCodes;
  shown: KeyShown | null;
  /** The presenter's overlays. */
  children: ComponentChildren;
}

/** The corner of the logo is free in these. */
const CORNER_PHASES = new Set<ScreenPhase>(["voting", "paused", "sealed"]);

/** The complete stage; elements are listed back to front. */
export function Stage({ view, codes, shown, children }: Props) {
  useStore(particleSupport);
  const { phase, stage } = view.scene;
  const placement = gridPlacement(view);
  const playing = phase !== "lobby" && phase !== "ended";
  const company = besideCard(view, codes);
  const introducing = isIntroducing(view, codes);
  const counts = shownTeamCodes(view, codes) === null && !introducing;
  const beside = placement && phase !== "lobby" ? (view.size.width - placement.width) / 2 : company;
  return (
    <main class="stage" data-phase={phase} data-step={stage?.step} data-peek={view.state.peek} data-introducing={introducing} data-particles={showsParticles(view)} style={sizes(view, company)}>
      <h1 class="visually-hidden">{view.state.name}</h1>
      {PLACES.map((place) => <div key={place} class="curtain" data-place={place} data-on={isDimmed(view.scene)} />)}
      {PLACES.map((place) => <TurnoutBar key={place} view={view} place={place} beside={beside} labeled={counts} />)}
      <ParticleLayer view={view} beside={beside} />
      <WinnerBackground view={view} />
      {playing && PLACES.map((place) => <TeamHeader key={place} view={view} place={place} />)}
      {phase === "reveal" && PLACES.map((place) => <TeamPick key={place} view={view} place={place} />)}
      {CORNER_PHASES.has(phase) && <Brand state={view.state} place="corner" />}
      <ConcealedChoice view={view} />
      {phase === "talk" && PLACES.map((place) => <Discussion key={place} view={view} place={place} />)}
      <Lobby view={view} codes={codes} shown={shown} />
      <Footer view={view} shown={shown} />
      <BalanceBar view={view} />
      {view.foot.lines > 0 && <p class="organizer-notice" role="status"><span>{view.message}</span></p>}
      {view.state.peek && <PeekNotice />}
      <BoardArea view={view} />
      {stage?.step === "pour" && !view.reducedMotion && !showsParticles(view) && !isPartHidden(view.state, "tally") && <PourAnimation view={view} />}
      <DropMarks view={view} beside={beside} marked={view.marked} />
      {phase !== "lobby" && <Token view={view} />}
      {playing && <Countdown view={view} />}
      <RulesOverBoard view={view} />
      <EndScreen view={view} />
      <Confetti view={view} />
      {children}
    </main>
  );
}

/** The special rules over the empty board, until the first vote opens. */
function RulesOverBoard({ view: { state, scene, now } }: { view: StageView }) {
  if (state.special_rules.length === 0 || !isBeforeFirstVote(scene.match, now())) return null;
  return <div class="rules-over-board"><SpecialRules rules={specialRules(state)} /></div>;
}

const PEEK = { width: 388, largest: 55, least: 30 };

/** Shown as long as the organizers can see the counts by column before the reveal. */
function PeekNotice() {
  const text = t("Votes visible");
  return (
    <p class="peek" aria-label={t("Organizers can see the votes")}>
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M1 12q11-16 22 0q-11 16-22 0z" /><circle cx="12" cy="12" r="3.4" /></svg>
      <span style={{ fontSize: `calc(${fitFontSize(text, PEEK.width, PEEK.largest, PEEK.least)} * var(--u))` }}>{text}</span>
    </p>
  );
}

/** Custom properties for the style sheet: heights of the footer and the notice, and the width beside the QR code. */
function sizes({ foot }: StageView, company: number) {
  const units = (n: number) => `calc(${n} * var(--u))`;
  return { "--company": units(company), "--foot": units(foot.noticeHeight + foot.footerHeight), "--footer": units(foot.footerHeight), "--notice": units(foot.noticeHeight) };
}

/** The board in its place on the stage, with the bars above it and the falling balls. */
function BoardArea({ view }: { view: StageView }) {
  const board = sceneBoard(view.scene);
  const placement = gridPlacement(view);
  const lit = useLitCells(view);
  if (!board || !placement) return null;
  const { reveal, stage } = view.scene;
  const falling = showsFalling(view);
  const framed = falling && stage?.step !== "pour" ? (reveal?.resolution.conflict ?? null) : null;
  return (
    <div class="dock" style={placementStyle(placement, board)}>
      {board.kind === "drawn" ? <DrawnBoard board={board} /> : <GridBack board={board} lit={lit} back={view.back} />}
      {view.scene.phase === "reveal" && stage?.step !== "sealed" && !isPartHidden(view.state, "tally") && <DistributionChart view={view} />}
      <LiveCounts view={view} />
      {falling && <FallingBalls view={view} />}
      {board.kind !== "drawn" && <GridFront board={board} lit={lit} fresh={lastDropped(view)} framed={framed} back={view.back} />}
      <MistakeMarks view={view} />
    </div>
  );
}

/** While the balls fall, and again during a replay. */
function showsFalling({ scene }: StageView): boolean {
  const { phase, stage } = scene;
  if (phase !== "reveal" || !stage) return false;
  return ["pour", "picks", "hold", "drops", "second"].includes(stage.step) || replaysDrops(scene);
}

/** The cells of the last drops, highlighted until the next ones fall, for people who looked away. */
function lastDropped({ scene }: StageView): readonly Cell[] {
  const landed = scene.phase === "reveal" ? !!scene.stage && LANDED.includes(scene.stage.step) && scene.stage.step !== "replay" : scene.phase !== "ended";
  const drops = landed ? (scene.reveal?.resolution.drops ?? []) : [];
  return drops.flatMap(({ column, row }): Cell[] => (row === null ? [] : [[column, row]]));
}

function placementStyle({ center, floor, width, height, scale }: GridPlacement, board: Board) {
  return {
    width: `calc(${boardWidth(board)} * var(--u))`,
    height: `calc(${boardHeight(board)} * var(--u))`,
    transform: `translate(calc(${center - width / 2} * var(--u)), calc(${floor - height} * var(--u))) scale(${scale})`,
  };
}

/** The lines, highlighted ball by ball: of the side that loses, then of the winner; after the reveal all at once. */
function useLitCells(view: StageView): readonly Cell[] {
  const [losingCount, setLosingCount] = useState(0);
  const [winningCount, setWinningCount] = useState(0);
  const { reveal, match, phase } = view.scene;
  const { lines = [], losing_lines = [] } = reveal?.resolution ?? {};
  const order = useRef({ losing: [] as readonly Cell[], winning: [] as readonly Cell[] });
  order.current = { losing: unique(losing_lines.flat()), winning: unique(lines.flat()) };
  useReveal(view, ["lines", "verdict"], ({ losingLit, winningLit }) => {
    setLosingCount(Math.ceil(losingLit * order.current.losing.length));
    setWinningCount(Math.ceil(winningLit * order.current.winning.length));
  });
  if (phase === "ended") return match && !view.scene.recap?.mistake ? [...match.board.winning_cells, ...match.board.losing_cells] : [];
  if (phase !== "reveal" || replaysDrops(view.scene)) return [];
  return [...order.current.losing.slice(0, losingCount), ...order.current.winning.slice(0, winningCount)];
}

function unique(cells: readonly Cell[]): Cell[] {
  return [...new Map(cells.map((cell) => [String(cell), cell])).values()];
}

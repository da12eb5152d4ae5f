import type { KeyShown, Vote } from "../protocol";
import { clockface } from "./clockface";
import { fitted } from "./layout";
import { isTimely } from "./notices";
import { isHidden, placeOf, plural } from "./sides";
import { isWon, type View } from "./view";
import { ahead } from "./announcer";
import { nameOf, type Part, type Playing, type Sentence } from "./sentence";
import { sentenceOf, verdict } from "./words";

const BESIDE_PEEK = 440;
/** A board that has something to say is told about when its vote opens. */
const ANNOUNCED_MS = 5000;
const LEAST_WINDOW_S = 10;
const CAPTION = { largest: 68, least: 56, margin: 92 };

/** The foot of the stage: turn and address in a window, one sentence whenever there is something to say. */
export function Deck({ view, shown }: { view: View; shown: KeyShown | null }) {
  const sentence = sentenceAt(view);
  if (view.foot.line === 0) return null;
  return (
    <div class="deck" data-lobby={view.scene.phase === "lobby"}>
      {sentence.length > 0 ? <Caption sentence={sentence} width={captionWidth(view)} /> : <Standing view={view} shown={shown} />}
    </div>
  );
}

function sentenceAt(view: View): Sentence {
  const { scene, notice, state } = view;
  if (notice && isTimely(notice, scene)) return [notice.text];
  const { phase, match, reveal, stage, call } = scene;
  if (phase === "paused") return [`${left(scene.leftMs)} when it goes on`];
  if (phase === "sealed") return ["Counting the votes"];
  if (phase === "talk" && scene.turn) return [`The vote of turn ${scene.turn.number} opens soon`];
  if (phase === "voting") return isOpening(view) && match ? opening(view, { state, match }) : [];
  return phase === "reveal" && match && reveal && stage ? sentenceOf(stage.step, { state, match, reveal }, call) : [];
}

function left(ms: number): string {
  const face = clockface(ms);
  return /^\d+$/.test(face) ? `${plural(Number(face), "second")} left` : `${face} left`;
}

/** On a team's own screen also that it leads, where nothing is more urgent. */
function opening({ home }: View, told: Playing): Sentence {
  const secret = halved(told);
  if (secret.length) return secret;
  const near = ahead(told);
  const { token } = told.match.board;
  if (near.length > 0 || !home || !token || placeOf(told.match, token) !== 0) return near;
  return ["Your turn to lead: you hold the token"];
}

/** Of a turn in two halves, whose it is and who sees it. */
function halved(told: Playing): Sentence {
  const { board, turn } = told.match;
  const side = turn?.to_move[0];
  if (!board.vote || !side) return [];
  return [nameOf(told, side), board.vote === "open" ? " answers: everybody sees it" : " chooses in secret"];
}

function isOpening({ scene: { turn, match }, now }: View): boolean {
  return !!turn && !!match && match.window_s >= LEAST_WINDOW_S && now() < turn.opens_at + ANNOUNCED_MS;
}

function captionWidth({ size, state }: View): number {
  return size.width - (state.peek ? BESIDE_PEEK : 0);
}

function Caption({ sentence, width }: { sentence: Sentence; width: number }) {
  const text = sentence.map((part) => (typeof part === "string" ? part : part.name)).join("");
  const fontSize = `calc(${fitted(text, width - CAPTION.margin, CAPTION.largest, CAPTION.least)} * var(--u))`;
  return <p class="caption" key={text} style={{ fontSize }} aria-live="polite">{sentence.map(spoken)}</p>;
}

function spoken(part: Part) {
  return typeof part === "string" ? part : <b data-side={part.side}>{part.name}</b>;
}

const HOW: Record<Vote, string> = { concealed: "in secret", open: "open" };

function Standing({ view, shown }: { view: View; shown: KeyShown | null }) {
  const { turn, phase, match } = view.scene;
  if (phase === "ended" && match && !isWon(view.scene)) return <Undecided view={view} line={verdict(view, match).line} />;
  return (
    <>
      {turn && <span class="turn">Turn <b>{turn.number}</b>{match?.board.vote && ` · ${HOW[match.board.vote]}`}</span>}
      <Watching view={view} />
      {letsIn(view) && <Address url={view.joinUrl} code={view.state.code} shown={shown} />}
    </>
  );
}

/** In the hall: how many look on, this screen among them. */
function Watching({ view: { state, turnout } }: { view: View }) {
  const count = turnout?.watching ?? 0;
  return state.hall && count > 0 ? <span class="turn watching"><b>{count}</b> watching</span> : null;
}

/** Latecomers find the way in here; the lobby shows it large. */
function letsIn({ state, scene }: View): boolean {
  return state.lobby === "open" && scene.phase !== "lobby" && !isHidden(state, "code");
}

/** The foot of an end without a winner. */
function Undecided({ view: { state, scene }, line }: { view: View; line: string }) {
  const next = state.next_match_at !== null;
  return (
    <>
      <span class={next ? "turn" : "caption"}>{line}</span>
      {next && <span class="next">Next match in <b>{clockface(scene.leftMs)}</b></span>}
    </>
  );
}

/** The join address in words, with its code made to stand out. */
export function Address({ url, code, shown }: { url: string; code: string; shown?: KeyShown | null }) {
  return <span class="address">{hostOf(url)}/<b>{code}</b>{shown && <b class="moment">{shown.key}</b>}</span>;
}

export function hostOf(url: string): string {
  return url.replace(/^https?:\/\//i, "").replace(/\/[^/]*$/, "").toLowerCase();
}

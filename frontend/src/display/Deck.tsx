import type { KeyShown } from "../protocol";
import { clockface } from "./clockface";
import { fitted } from "./layout";
import { isTimely } from "./notices";
import { isWon, type View } from "./view";
import { sentenceOf, verdict, type Part, type Sentence } from "./words";

const BESIDE_PEEK = 380;
const CAPTION = { largest: 68, least: 56, margin: 92 };

/** The foot of the stage: turn and address in a window, one sentence whenever there is something to say. */
export function Deck({ view, shown }: { view: View; shown: KeyShown | null }) {
  const sentence = sentenceAt(view);
  return (
    <footer class="deck" data-lobby={view.scene.phase === "lobby"}>
      {sentence.length > 0 ? <Caption sentence={sentence} width={view.size.width - (view.state.peek ? BESIDE_PEEK : 0)} /> : <Standing view={view} shown={shown} />}
    </footer>
  );
}

function sentenceAt({ scene, notice, state }: View): Sentence {
  if (notice && isTimely(notice, scene)) return [notice.text];
  const { phase, match, reveal, stage } = scene;
  if (phase === "paused") return ["Paused"];
  if (phase === "sealed") return ["Counting the votes"];
  return phase === "reveal" && match && reveal && stage ? sentenceOf(stage.step, { state, match, reveal }) : [];
}

function Caption({ sentence, width }: { sentence: Sentence; width: number }) {
  const text = sentence.map((part) => (typeof part === "string" ? part : part.name)).join("");
  const fontSize = `calc(${fitted(text, width - CAPTION.margin, CAPTION.largest, CAPTION.least)} * var(--u))`;
  return <p class="caption" key={text} style={{ fontSize }} aria-live="polite">{sentence.map(spoken)}</p>;
}

function spoken(part: Part) {
  return typeof part === "string" ? part : <b data-side={part.side}>{part.name}</b>;
}

function Standing({ view, shown }: { view: View; shown: KeyShown | null }) {
  const { turn, phase, match } = view.scene;
  if (phase === "ended" && match && !isWon(view.scene)) return <Undecided view={view} line={verdict(view.state, match).line} />;
  return (
    <>
      {turn && <span class="turn">Turn <b>{turn.number}</b></span>}
      {view.state.lobby === "open" && view.scene.phase !== "lobby" && <Address url={view.joinUrl} code={view.state.code} shown={shown} />}
    </>
  );
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

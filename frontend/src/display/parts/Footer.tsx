import type { KeyShown, Vote } from "../../protocol";
import { formatNumber } from "../../live/format";
import { n, nParts, p, parts, t } from "../../live/i18n";
import { countdownText } from "../scene/countdownText";
import { measureName } from "../scene/measureName";
import { isTimely } from "../captions/changeNotices";
import { isPartHidden } from "../scene/places";
import { shownTurn } from "../scene/scene";
import { idleText } from "../../live/match/idleText";
import type { StageView } from "../scene/stageView";
import { witnessText } from "../scene/witnesses";
import { judgedTurn, judgmentText } from "../captions/analysis";
import { openingSentence } from "../captions/openingSentence";
import { fillTeamNames, fitSentence, sentenceText, type SentencePart, type Sentence } from "../captions/sentence";
import { revealSentence, sealed } from "../captions/captions";

const BESIDE_PEEK = 484;
const CAPTION = { largest: 68, least: 56, margin: 92 };

/**
 * The footer of the stage: turn and address while a window is open, and one sentence when there is something to say.
 * Without room for the address, the join code is in a tab on top.
 */
export function Footer({ view, shown }: { view: StageView; shown: KeyShown | null }) {
  const sentence = footerSentence(view);
  const busy = sentence.length > 0 || (view.foot.footerHeight === 0 && view.scene.phase !== "ended");
  return (
    <>
      {busy && showsAddress(view) && <p class="code-tab address"><JoinCode code={view.state.code} shown={shown} /></p>}
      {view.foot.footerHeight > 0 && (
        <div class="footer" data-lobby={view.scene.phase === "lobby"}>
          {sentence.length > 0 ? <Caption view={view} sentence={sentence} wraps={judgedTurn(view.scene) !== null} /> : <FooterStatus view={view} shown={shown} />}
        </div>
      )}
    </>
  );
}

function footerSentence(view: StageView): Sentence {
  const { scene, notice, state } = view;
  if (notice && isTimely(notice, scene)) return [notice.text];
  const { phase, match, reveal, stage, call } = scene;
  if (phase === "paused") return [scene.turn?.idle ? idleText(scene.turn) : pausedText(scene.leftMs)];
  if (phase === "sealed" && scene.turn) return [sealed(match, view.now() - scene.turn.closes_at)];
  const judgment = judgmentText(scene);
  if (judgment && match) return fillTeamNames({ state, match }, judgment);
  if (phase === "talk" && scene.turn) return [t("Voting on turn %(turn)s opens soon", { turn: scene.turn.number })];
  if (phase === "voting") return match ? openingSentence({ state, match }, view.home, view.now()) : [];
  return phase === "reveal" && match && reveal && stage ? revealSentence(stage.step, { state, match, reveal }, call) : [];
}

function pausedText(ms: number): string {
  const time = countdownText(ms);
  return /^\d+$/.test(time) ? n("Paused with %(count)s second left", "Paused with %(count)s seconds left", Number(time)) : t("Paused with %(time)s left", { time });
}

/** The width of a line of the caption. */
export function captionWidth({ size, state }: Pick<StageView, "size" | "state">): number {
  return size.width - CAPTION.margin - (state.peek ? BESIDE_PEEK : 0);
}

/** A judgment may take two lines. In other captions the names get shorter instead. */
function Caption({ view, sentence, wraps }: { view: StageView; sentence: Sentence; wraps: boolean }) {
  const size = (text: string) => captionWidth(view) / measureName(text);
  const fitted = wraps ? sentence : fitSentence(view.state, sentence, (text) => size(text) >= CAPTION.least);
  const fontSize = `calc(${Math.max(CAPTION.least, Math.min(CAPTION.largest, size(sentenceText(fitted))))} * var(--u))`;
  return <p class="caption" key={sentenceText(sentence)} data-wraps={wraps} style={{ fontSize }} aria-live="polite">{fitted.map(renderPart)}</p>;
}

function renderPart(part: SentencePart) {
  if (typeof part === "string") return part;
  const { side, name, short = name } = part;
  return <b data-side={side}>{short === name ? name : <><span aria-hidden="true">{short}</span><span class="visually-hidden">{name}</span></>}</b>;
}

const STATUS_SIZE = 60;
/** At the edges, and between the turn and the address. */
const STATUS_MARGINS = 132;
const VOTE_LABELS: Record<Vote, string> = { concealed: p("vote", "in secret"), open: p("vote", "open") };

function FooterStatus({ view, shown }: { view: StageView; shown: KeyShown | null }) {
  const { phase, match } = view.scene;
  const turn = shownTurn(view.scene);
  return (
    <>
      {phase === "ended" && !view.state.is_duel && <span class="event-name" title={view.state.name}>{witnessText(view.witnesses, roomBesideAddress(view), STATUS_SIZE) || view.state.name}</span>}
      {turn && <span class="turn">{parts("Turn %(turn)s", { turn: <b>{turn.number}</b> })}{match?.board.vote && phase !== "reveal" ? ` · ${VOTE_LABELS[match.board.vote]}` : <VoteRates view={view} />}</span>}
      <Watching view={view} />
      {showsAddress(view) && <JoinAddress url={view.joinUrl} code={view.state.code} shown={shown} />}
    </>
  );
}

function roomBesideAddress({ size, joinUrl, state }: StageView): number {
  return size.width - STATUS_MARGINS - measureName(`${hostName(joinUrl)}/${state.code}`) * STATUS_SIZE;
}

/** Beside the turn, unless something else is there, so that their length moves nothing. Hidden together with the turnout. */
function VoteRates({ view }: { view: StageView }) {
  const { state, scene, turnout } = view;
  const { phase, turn } = scene;
  const hidden = state.peek || state.is_duel || isPartHidden(state, "turnout");
  if (hidden || phase !== "voting" || !turnout || turnout.turn !== turn?.id) return null;
  const { votes_per_s: rate, figures: { changed } } = turnout;
  const room = roomBesideAddress(view);
  const rates = n("%(votes)s vote/s", "%(votes)s votes/s", rate, { votes: formatNumber(rate) });
  const changes = n("%(count)s changed", "%(count)s changed", changed, { count: formatNumber(changed) });
  const fits = (text: string) => measureName(`${t("Turn %(turn)s", { turn: turn.number })} · ${text}`) * STATUS_SIZE < room;
  return (
    <>
      {fits(rates) && <span data-rate> · {rates}</span>}
      {changed > 0 && fits(`${rates} · ${changes}`) && <span data-changed> · {changes}</span>}
    </>
  );
}

/** In a duel: the number of spectators, including this screen. */
function Watching({ view: { state, turnout } }: { view: StageView }) {
  const count = turnout?.watching ?? 0;
  return state.is_duel && count > 0 ? <span class="turn watching">{nParts("%(count)s watching", "%(count)s watching", count, { count: <b>{formatNumber(count)}</b> })}</span> : null;
}

/** Whether to show the join address for latecomers; the lobby shows it large. */
function showsAddress({ state, scene }: StageView): boolean {
  return state.lobby === "open" && scene.phase !== "lobby" && !isPartHidden(state, "code");
}

/** The join address as text, with its code emphasized. */
export function JoinAddress({ url, code, shown }: { url: string; code: string; shown?: KeyShown | null }) {
  return <span class="address">{hostName(url)}/<JoinCode code={code} shown={shown} /></span>;
}

function JoinCode({ code, shown }: { code: string; shown?: KeyShown | null | undefined }) {
  return <><b>{code}</b>{shown && <b class="code-beside">{shown.key}</b>}</>;
}

export function hostName(url: string): string {
  return url.replace(/^https?:\/\//i, "").replace(/\/[^/]*$/, "").toLowerCase();
}

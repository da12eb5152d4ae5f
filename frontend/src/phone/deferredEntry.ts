import * as actions from "./actions";
import { html, type Html } from "./dom";
import { vibrate } from "./device/vibrate";
import { overlay } from "./play/matchCard";
import * as entryScreens from "./seat/entryScreens";
import { handleKey, refocus } from "./device/keyboard";
import { drawnBoard } from "./play/drawnBoard";
import css from "./deferred.css?inline";
import { VoteLedger } from "./receipts/voteLedger";
import { formatLongTime, formatDuration } from "../live/format";
import type { DeferredPart } from "./deferredPart";
import { openness, groundNotices } from "./receipts/receiptList";
import { analysisLine } from "./play/choiceAnalysis";
import * as layers from "./play/boardLayers";
import { discussionButton } from "./play/discussion";
import * as sentences from "./play/sentences";
import { teamHeading } from "./play/teamNames";
import { notifyAnswer, notifyButton, storyLink, updateTitle, voteMailLink } from "./device/turnNotification";
import { endText } from "../live/schedule";
import { t } from "../live/i18n";
import { showTeamColors } from "../live/teamColors";
import type { EventState } from "../protocol";
import { tabLink } from "./seat/joiningScreen";
import type { PhoneView } from "./seat/phoneView";

/** The deferred bundle: reveals, match ends, receipts, the result card, and the screens shown without a seat. */
export const deferred: DeferredPart = { ...sentences, ...layers, ...entryScreens, ...actions, below, teamHeading, vibrate, drawnBoard, handleKey, overlay, formatLongTime, formatDuration, groundNotices, refocus, VoteLedger };

/** Called for every view that is drawn. */
function below(view: PhoneView): ReturnType<DeferredPart["below"]> {
  updateTitle(view);
  showTeamColors(view.event);
  const [open, line, talk] = [openness(view.event), nextLine(view), discussionButton(view)];
  return [(open ? 34 : 0) + (line ? 46 : 0) + (talk ? 46 : 0), html`${open}${line}${talk}${!view.match && html`${!view.event.is_duel && view.event.game === PUZZLE_GAME && puzzleLink()}${brand(view.event)}`}`];
}

const PUZZLE_GAME = "simultaneous-captains-mistress";

/** A warm-up for voters who wait for the match. */
const puzzleLink = () => html`<p class="next">${tabLink("puzzles", t("Warm up with a puzzle"))}</p>`;

/** The organizer's logo and sponsor line, in the lobby. */
function brand({ logo, brand_line }: EventState): Html | false {
  return !!(logo || brand_line) && html`<p class="brand">${logo && html`<img src="/brand/${logo}.webp" alt="">`}<bdi>${brand_line}</bdi></p>`;
}

function nextLine(view: PhoneView): Html | false {
  const line = layers.nextLine(view);
  if (line) return line;
  const analysis = analysisLine(view);
  if (analysis) return analysis;
  const bell = notifyButton(view) || (view.phase === "voting" && notifyAnswer());
  if (bell) return html`<p class="next" role="status">${bell}</p>`;
  const ends = endText(view.event, view.now);
  const mail = voteMailLink(view);
  const story = storyLink(view);
  return (!!ends || !!story || !!mail) && html`<p class="next">${ends && html`<span>${ends}</span>`}${story}${mail}</p>`;
}

/** Inserts each rule by script, because the Content Security Policy forbids inline styles. */
const sheet = document.styleSheets[0]!;
for (const rule of css.match(/[^{}]+{(?:[^{}]*{[^{}]*})*[^{}]*}/g) ?? []) sheet.insertRule(rule, sheet.cssRules.length);

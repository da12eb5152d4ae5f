import { fingerprint } from "../../live/format";
import { shownNotice } from "../../live/notice";
import { SPECIAL_RULES, isBeforeFirstVote } from "../../live/match/specialRules";
import { choiceText } from "../ballot/choice";
import { html, type Html } from "../dom";
import type { EventState } from "../../protocol";
import type { Receipt } from "./receipt";
import { readEvidence } from "./logCheck";
import type { SealCheck } from "./sealChecks";
import { countableChoices } from "./receiptProof";
import { dropNotice } from "../play/drop";
import { hasPublicVotes, publicVotes } from "../../live/match/ballotSource";
import { isForTwo } from "../../live/match/timeBank";
import { eye } from "../play/shape";
import { sideButton } from "../play/sides";
import { returnNotice } from "../seat/removal";
import { voterCodeBadge } from "../seat/codeBadge";
import * as say from "../texts";
import { revealsTurn, type PhoneView } from "../seat/phoneView";

/** Who can see the votes before the reveal, if anyone. */
export function openness(event: EventState): Html | false {
  const texts = [event.peek && say.peek, hasPublicVotes(event) && publicVotes()].filter(Boolean);
  return texts.length > 0 && html`<p class="peek">${eye} ${texts.join(" · ")}</p>`;
}

/** Notices beside the clock and the team's name: about the votes and from the organizers. */
export function groundNotices(view: PhoneView): Html {
  const { event, match } = view;
  const notice = shownNotice(event, view.now);
  return html`${!event.is_duel && voterCodeBadge(view)}${sideButton(view)}${dropNotice(view)}${match && receipts(view, match.number)}${missing(view)}${sealWarning(view)}
    ${returnNotice()}
    ${view.moved && html`<p class="ground-notice" aria-live="polite">${say.otherTeam}</p>`}
    ${announcesRules(view) && html`<ul class="ground-notice rules">${event.special_rules.map((rule) => html`<li>${SPECIAL_RULES[rule]}</li>`)}</ul>`}
    ${notice && html`<p class="ground-notice" aria-live="polite">${notice}</p>`}`;
}

/** Before the first match and the first turn. */
function announcesRules({ event, match, now }: PhoneView): boolean {
  return event.special_rules?.length > 0 && (!event.match || isBeforeFirstVote(match, now));
}

/**
 * Whether the votes were counted and checked, in a few words; unfolds to each vote's inclusion proof. A second tick
 * means that all seals this phone received are those of the published record.
 */
function receipts(view: PhoneView, match: number): Html | false {
  const line = checkLine(view);
  const check = view.sealCheck;
  const matches = !!check && check.matching > 0 && !check.differing.length && !check.unexplained.length && check.log !== "differs";
  return !!line && html`<details class="receipts">
    <summary>${matches ? "✓✓" : "✓"}&nbsp;<span aria-live="polite">${line}</span><span class="hidden">${say.oneByOne}</span></summary>
    <div>
      ${matches && html`<p class="seals">${say.sealsMatch(check.matching)}${check.log && ` ${say.sealsLogged}`}${reopened(check)}</p>`}
      <p><a href="/verify?match=${view.event.code}/${match}" target="_blank" rel="noopener">${say.findInCount}</a></p>
      <ol>${[...view.receipts].reverse().map((receipt) => entry(receipt, view))}</ol>
    </div>
  </details>`;
}

function entry(receipt: Receipt, { match }: PhoneView): Html {
  const [, choice, blind] = countableChoices(receipt)[0]!;
  return html`<li><b>${say.voteIn(receipt.number, choiceText(choice, match))}</b> ${say.findings[receipt.found ?? "none"]}
    <small>${say.codeAndSeal(blind, receipt.root && fingerprint(receipt.root))}</small></li>`;
}

/** The status of the votes' checks; empty if there is none. */
function checkLine(view: PhoneView): string {
  const { phase, event, receipts } = view;
  const last = receipts[receipts.length - 1];
  const votes = receipts.filter(({ found }) => found !== "late").length;
  const checked = receipts.filter(({ found }) => found === "checked" || found === "elsewhere").length;
  const good = receipts.filter(({ found }) => found === "counted").length + checked;
  if (!last || !good) return "";
  if (phase === "ended" && last.found && !isForTwo(view.match)) return say.allCounted(good, votes, checked);
  return last.found === "checked" && event.match?.reveal && revealsTurn(event.match.reveal, last.turn) ? say.countedAndChecked : `${good}`;
}

/** Why turns were sealed again, as this phone saw it. */
function reopened(check: SealCheck): string {
  return (["time_added", "box_lost"] as const).map((why) => check[why].length ? ` ${say.sealedAgain[why](check[why].join(", "))}` : "").join("");
}

/**
 * After the match: record or log contradict a seal that this phone received, or the record doesn't count it. A new log
 * is only said.
 */
function sealWarning({ sealCheck }: PhoneView): Html | false {
  if (!sealCheck) return false;
  const { differing, unexplained, log } = sealCheck;
  const text = differing.length ? say.sealsDiffer(differing.join(", ")) : unexplained.length ? say.votesReplaced(unexplained.join(", ")) : log === "differs" && say.logDiffers;
  const evidence = (log === "differs" || log === "replaced") && html` <a download="checkpoints.txt" href="data:text/plain;charset=utf-8,${encodeURIComponent(readEvidence() ?? "")}">${say.logEvidence}</a>`;
  if (text) return html`<p class="missing" role="alert">${text}${evidence}</p>`;
  if (log === "replaced") return html`<p class="ground-notice" aria-live="polite">${say.logReplaced}${evidence}</p>`;
  return log === "restored" && html`<p class="ground-notice" aria-live="polite">${say.logRestored}</p>`;
}

/** Evidence for the organizers that an acknowledged vote is missing from the count; kept for the match. */
function missing({ receipts, match }: PhoneView): Html | false {
  const lost = receipts.filter(({ found }) => found === "missing").pop();
  if (!lost) return false;
  const [, choice, blind] = lost.choices[0]!;
  const wording = isForTwo(match) ? say.forTwo : say;
  return html`<p class="missing" role="alert">${wording.missing(lost.number, choiceText(choice, match), blind.slice(0, 8))}</p>`;
}

import { useState } from "preact/hooks";
import { Badge } from "../../board/Ball";
import { Grid } from "../../board/Grid";
import { NUMBER_LOCALE, t } from "../../live/i18n";
import { readLastReceipts } from "../../phone/seat/storage";
import type { Finding, Report } from "../findings";
import { SIDES, type MatchRecord, type Side } from "../record";
import { countBallots } from "../recount";
import { TurnHistory, VoidTurns } from "./History";
import { findOwnVotes, type OwnVote } from "./ownVotes";
import { checkName, foundText, outcomeName, ownVoteText, reasonText, stateName, verdictMeaning, verdictName } from "./texts";

type Props = { readonly record: MatchRecord | null; readonly report: Report };

export function Results({ record, report }: Props) {
  const general = report.findings.filter(({ turn }) => turn === null);
  return (
    <>
      {record && <OwnVotes votes={findOwnVotes(record, readLastReceipts(record.labels.code))} />}
      <section class="panel verdict" data-verdict={report.verdict}>
        <h2>{verdictName(report.verdict)}</h2>
        <p>{verdictMeaning(report.verdict, !!record && isDecided(record, report))} <code dir="ltr">{report.verdict}</code></p>
        {record && <Summary record={record} />}
        {report.verdict !== "INVALID" && <p class="small">{t("Someone who rewrites the whole record can make it valid. Compare some seals with those that phones and screens received.")}</p>}
        {provesPicks(report) && <p class="small">{t("Each choice of the computer follows from the position and from a seed whose hash was published before the vote. So no vote changed it. But the server’s operator knew the seed, and could have told someone the choice.")}</p>}
      </section>
      {general.length > 0 && (
        <section class="panel">
          <h2>{t("The whole match")}</h2>
          <FindingList findings={general} record={record} />
        </section>
      )}
      {record && record.counts.length > 0 && <Turns record={record} report={report} />}
      {record && record.voided.length > 0 && <VoidTurns record={record} />}
    </>
  );
}

function isDecided({ result }: MatchRecord, { findings }: Report): boolean {
  return result !== "open" && findings.some(({ check, outcome }) => check === "result" && outcome === "passed");
}

/** Whether picks of the computer were recomputed without a fault in the record. */
function provesPicks({ verdict, findings }: Report): boolean {
  return verdict !== "INVALID" && findings.some(({ check, outcome }) => check === "computer" && outcome === "passed");
}

function Summary({ record }: { record: MatchRecord }) {
  const { labels, counts, state } = record;
  return (
    <>
      <p><bdi>{labels.name}</bdi>{labels.match !== null && <> · {t("Match %(number)s", { number: labels.match })}</>}</p>
      <p class="legend">{SIDES.map((side) => <span key={side}><Badge side={side} /> <bdi>{labels.teams[side]}</bdi></span>)}</p>
      <dl class="figures">
        <div><dt>{t("Turns")}</dt><dd>{counts.length}</dd></div>
        <div><dt>{t("Total votes")}</dt><dd>{countBallots(record).toLocaleString(NUMBER_LOCALE)}</dd></div>
      </dl>
      {state && <p data-state={state}>{stateName(state)}</p>}
    </>
  );
}

/** The votes that this browser keeps until the next match, with a link from the phone. */
function OwnVotes({ votes }: { votes: readonly OwnVote[] }) {
  if (!votes.length) return null;
  return (
    <section class="panel" aria-labelledby="own">
      <h2 id="own">{t("Your votes")}</h2>
      <p>{t("These votes were sent from this browser. Each was looked up in the record.")}</p>
      <ul class="checks">
        {votes.map((vote) => (
          <li key={vote.number} data-outcome={OUTCOMES[vote.found]}>
            <svg viewBox="0 0 24 24" aria-hidden="true"><path d={SIGNS[OUTCOMES[vote.found]]} /></svg>
            <span>{ownVoteText(vote)}</span>
            <strong>{foundText(vote.found)}</strong>
            <p><code dir="ltr">{vote.code}</code></p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Turns({ record, report }: Props & { record: MatchRecord }) {
  const last = record.counts.length - 1;
  const firstFault = report.findings.find(({ turn, outcome }) => turn !== null && outcome === "failed")?.turn;
  const [at, setAt] = useState(firstFault ?? 0);
  const title = t("Turn %(number)s of %(total)s", { number: at + 1, total: last + 1 });
  const step = (to: number, name: string, path: string) => {
    const disabled = to < 0 || to > last || to === at;
    return <button type="button" aria-label={name} aria-disabled={disabled} onClick={() => !disabled && setAt(to)}><svg viewBox="0 0 24 24" aria-hidden="true"><path d={path} /></svg></button>;
  };
  return (
    <section class="replay" aria-labelledby="turns">
      <h2 id="turns">{t("Turn by turn")}</h2>
      <div class="steps" dir="ltr" role="group" aria-label={t("Step through the match")}>
        {step(0, t("First turn"), "M6 5v14M19 5 9 12l10 7z")}
        {step(at - 1, t("Previous turn"), "M17 5 7 12l10 7z")}
        {step(at + 1, t("Next turn"), "m7 5 10 7-10 7z")}
        {step(last, t("Last turn"), "M18 5v14M5 5l10 7-10 7z")}
        <input type="range" min="1" max={last + 1} value={at + 1} aria-label={t("Turn")} aria-valuetext={title} onInput={(event) => setAt(Number(event.currentTarget.value) - 1)} />
      </div>
      <Faults report={report} select={setAt} />
      <Turn record={record} report={report} at={at} title={title} />
    </section>
  );
}

/** Links to the turns with failed checks. */
function Faults({ report, select }: { report: Report; select: (turn: number) => void }) {
  const faulty = [...new Set(report.findings.flatMap(({ turn, outcome }) => (turn !== null && outcome === "failed" ? [turn] : [])))];
  if (!faulty.length) return null;
  return (
    <p class="actions">
      <span>{t("Turns with failed checks:")}</span>
      {faulty.slice(0, 30).map((turn) => <button key={turn} type="button" class="danger" onClick={() => select(turn)}>{turn + 1}</button>)}
    </p>
  );
}

function Turn({ record, report, at, title }: Props & { record: MatchRecord; at: number; title: string }) {
  const board = report.boards[at];
  return (
    <article class="turn" data-board={Boolean(board)}>
      {board && <figure><Grid board={board} lit={[...board.winning_cells, ...board.losing_cells]} /></figure>}
      <div>
        <h3 aria-live="polite">{title}</h3>
        <FindingList findings={report.findings.filter(({ turn }) => turn === at)} record={record} />
        <TurnHistory record={record} at={at} />
      </div>
    </article>
  );
}

function FindingList({ findings, record }: { findings: readonly Finding[]; record: MatchRecord | null }) {
  const groups = [null, ...SIDES].map((side) => ({ side, findings: findings.filter((finding) => finding.side === side) }));
  return <>{groups.map((group) => group.findings.length > 0 && <FindingGroup key={group.side} {...group} record={record} />)}</>;
}

function FindingGroup({ side, findings, record }: { side: Side | null; findings: readonly Finding[]; record: MatchRecord | null }) {
  return (
    <>
      {side && <h4><Badge side={side} /> <bdi>{record?.labels.teams[side] ?? ""}</bdi></h4>}
      <ul class="checks">{findings.map((finding) => <FindingItem key={finding.check} finding={finding} />)}</ul>
    </>
  );
}

const OUTCOMES = { counted: "passed", missing: "failed", late: "unchecked", elsewhere: "unchecked", unsure: "unchecked" } as const;
const SIGNS = { passed: "M4 13l5 5L20 6", failed: "M5 5l14 14M19 5L5 19", unchecked: "M5 12h14" } as const;

function FindingItem({ finding }: { finding: Finding }) {
  const reason = reasonText(finding);
  return (
    <li data-outcome={finding.outcome}>
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d={SIGNS[finding.outcome]} /></svg>
      <span>{checkName(finding.check)}</span>
      <strong>{outcomeName(finding.outcome)}</strong>
      {reason && <p>{reason}</p>}
    </li>
  );
}

import { Badge } from "../../board/Ball";
import { NUMBER_LOCALE, t } from "../../live/i18n";
import { SIDES, type MatchRecord, type VoidSeal } from "../record";
import { restoredText, voidReasonText } from "./texts";

interface Props {
  readonly record: MatchRecord;
}

/** What happened to a turn besides its count, if anything did. */
export function TurnHistory({ record, at }: Props & { at: number }) {
  const { epoch, restored, void_seals } = record.counts[at]!;
  return (
    <>
      {restored && <p class="small" data-epoch={epoch}>{restoredText(restored)} {t("Epoch of the ballot box: %(number)s", { number: epoch })}</p>}
      {void_seals.length > 0 && <p class="small">{t("Time was added after a seal, so it doesn’t count:")}</p>}
      <Seals seals={void_seals} record={record} />
    </>
  );
}

/** The turns that were voted again or not at all. */
export function VoidTurns({ record }: Props) {
  return (
    <section class="panel" aria-labelledby="voided">
      <h2 id="voided">{t("Void turns")}</h2>
      <ol class="voided">
        {record.voided.map(({ turn, number, voided_at, reason, seals }) => (
          <li key={turn}>
            <strong>{t("Turn %(number)s, id %(id)s", { number, id: turn })}</strong> {voided_at !== null && <Time at={voided_at} />}
            <p>{voidReasonText(reason)}</p>
            <Seals seals={seals} record={record} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Seals({ seals, record }: Props & { seals: readonly VoidSeal[] }) {
  return <>{seals.map((seal) => <Seal key={seal.at} seal={seal} record={record} />)}</>;
}

function Seal({ seal, record }: Props & { seal: VoidSeal }) {
  const { teams } = record.labels;
  return (
    <p class="seal small">
      {t("Seal")} <Time at={seal.at} />
      {SIDES.map((side) => seal[side] && <span key={side}><Badge side={side} /> <span class="unseen"><bdi>{teams[side]}</bdi></span> <code dir="ltr">{seal[side]}</code></span>)}
      {seal.turn_commitment && <code dir="ltr">{seal.turn_commitment}</code>}
    </p>
  );
}

function Time({ at }: { at: number }) {
  return <time>{new Date(at).toLocaleString(NUMBER_LOCALE)}</time>;
}

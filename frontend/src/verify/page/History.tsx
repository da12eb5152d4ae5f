import { Badge } from "../../board/Ball";
import { NUMBER_LOCALE, t } from "../../live/i18n";
import { SIDES, type MatchRecord, type PublishedSeal } from "../record";
import { reopeningText, restoredText, voidReasonText } from "./texts";

interface Props {
  readonly record: MatchRecord;
}

/** What happened to a turn besides its count, if anything did. */
export function TurnHistory({ record, at }: Props & { at: number }) {
  const { epoch, restored, seals, void_seals } = record.counts[at]!;
  const replaced = [...void_seals, ...seals.slice(0, -1)];
  return (
    <>
      {restored && <p class="small" data-epoch={epoch}>{restoredText(restored)} {t("Epoch of the ballot box: %(number)s", { number: epoch })}</p>}
      <Seals seals={replaced} record={record} />
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

function Seals({ seals, record }: Props & { seals: readonly PublishedSeal[] }) {
  return <>{seals.map((seal) => <Seal key={seal.at} seal={seal} record={record} />)}</>;
}

function Seal({ seal, record }: Props & { seal: PublishedSeal }) {
  const { teams } = record.labels;
  return (
    <p class="seal small">
      {seal.void && reopeningText(seal.void.reason)} {t("Seal")} <Time at={seal.at} />
      {SIDES.map((side) => seal[side] && <span key={side}><Badge side={side} /> <span class="unseen"><bdi>{teams[side]}</bdi></span> <code dir="ltr">{seal[side]}</code></span>)}
      {seal.turn_commitment && <code dir="ltr">{seal.turn_commitment}</code>}
    </p>
  );
}

function Time({ at }: { at: number }) {
  return <time>{new Date(at).toLocaleString(NUMBER_LOCALE)}</time>;
}

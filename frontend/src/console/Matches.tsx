import { t } from "../live/i18n";
import type { EventState } from "../protocol";
import { playedMatches } from "./links";

/** The matches so far, each with a link to its public report and its verification record. */
export function Matches({ event }: { event: EventState }) {
  const played = playedMatches(event);
  if (played.length === 0) return null;
  return (
    <section class="panel matches" aria-label={t("Matches")}>
      <h2>{t("Matches")}</h2>
      <ol>
        {played.map(({ number, text, report, record }) => (
          <li key={number}>
            <p><b>{t("Match %(match)s", { match: number })}</b> {text}</p>
            <a href={report} target="_blank" rel="noopener" aria-label={t("Report of match %(match)s", { match: number })}>{t("Report")}</a>
            {record && <a href={record} target="_blank" rel="noopener" aria-label={t("Record of match %(match)s", { match: number })}>{t("Record")}</a>}
          </li>
        ))}
      </ol>
    </section>
  );
}
